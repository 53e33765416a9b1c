"""The most violated outputs of the native oracle against all outputs, listed, at random weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alignment_cases import LETTERS, f1_loss, pairs_of_letters, share_missed, zero_one
from alignment_cases import every_plane as listed_planes
from all_alignments import Shape
from maxmargin.alignments import Alphabet
from maxmargin.alignments.features import Features
from maxmargin.alignments.layout import Layout
from maxmargin.alignments.packed import PackedAlignments, read_candidates
from maxmargin.alignments.structure import AlignmentStructure
from maxmargin.alignments.tracks import Pool
from maxmargin.core.formulation import Formulation
from maxmargin.oracles.cached import PlaneCache
from reference import FORMULATIONS

SHIFTED = {
    ("q", 0): share_missed,
    ("q", 1): lambda truth, found: share_missed(truth, found, 1),
    ("f1", 0): f1_loss,
    ("zero-one", 0): zero_one,
}
shapes = st.sampled_from(
    [Shape(), Shape("local"), *(Shape("semi-global", tuple(k >> b & 1 == 1 for b in range(4))) for k in range(16))]
)


def bound(examples, shape, formulation, loss, shift, only, weight=None):
    features = Features.of(None)
    pool = Pool(features)
    given = read_candidates(pool, [(x, own) for x, own, _ in examples])
    packed = PackedAlignments(given, Layout(features, {"residue": Alphabet(LETTERS)}, {}), shape)
    truths = [np.array(truth, dtype=np.int32).reshape(-1, 2) for *_, truth in examples]
    structure = AlignmentStructure(packed, loss, shift, candidates_only=only)
    return structure.bind(None, truths, formulation, sample_weight=weight)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    shape=shapes,
    rule=st.sampled_from(FORMULATIONS),
    which=st.sampled_from(list(SHIFTED)),
    decoys=st.integers(0, 2),
    data=st.data(),
)
def test_slacks_cuts_and_planes_at_any_weights(seed, shape, rule, which, decoys, data):
    rng = np.random.default_rng(seed)
    examples = pairs_of_letters(seed, n=3, decoys=decoys)
    only = decoys > 0 and data.draw(st.booleans())
    w = np.round(2.0 * rng.standard_normal(5), data.draw(st.sampled_from([0, 1, 8])))  # rounded: many alignments tie
    weight = rng.random(3)
    oracle = bound(examples, shape, Formulation(*rule), *which, only, weight)
    zero_one_loss = which[0] == "zero-one" or only
    planes = listed_planes(
        examples, shape, SHIFTED[which], "none" if zero_one_loss else rule[0], rule[1], candidates_only=only
    )
    slacks = planes.slacks(w)
    np.testing.assert_allclose(oracle.slacks(w), slacks, atol=1e-9)
    some = np.arange(3, dtype=np.int32)
    found = oracle.planes(w, some)
    values = np.maximum(0.0, found.b - found.a @ w)
    np.testing.assert_allclose(values, slacks, atol=1e-9)
    for row, b, i in zip(found.a.toarray(), found.b, some):  # a plane of the list, or that of the truth
        own = planes.example == i
        near = np.abs(planes.a[own] - row).max(axis=1) + np.abs(planes.b[own] - b)
        assert near.min() < 1e-9 or not (row.any() or b)
    kept = PlaneCache(oracle).cut(w)  # alignments with superfluous pairs alone have no loss, but a plane
    np.testing.assert_allclose(kept.slack, slacks, atol=1e-9)
    if rule[1] == "linear":
        cut = oracle.cut(w)
        a = cut.a.toarray().ravel() if hasattr(cut.a, "toarray") else np.asarray(cut.a)
        assert cut.b - a @ w == pytest.approx(weight @ slacks, abs=1e-8)
