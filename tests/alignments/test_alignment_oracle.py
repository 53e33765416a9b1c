"""The most violated outputs of the native oracle against all outputs, listed, at random weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alignment_cases import LETTERS, f1_loss, pairs_of_letters, share_missed, simple, zero_one
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


def best_by_counts(x, y, truth, shift, w, mode):
    """The highest score at each number of hits and pairs, from each pair to all that may follow it."""
    *letters, first, later = w
    near = dict(truth)

    def run(length):
        return first + (length - 1) * later if length else 0.0

    def end(i, j):
        return 0.0 if mode == "local" else run(i) + run(j)

    best = {(0, 0): end(len(x), len(y))}
    table = {}
    for i, j in np.ndindex(len(x), len(y)):
        score = letters[(x[i] == "b") + (y[j] == "b")]
        hit = int(i in near and abs(near[i] - j) <= shift)
        own = {(hit, 1): end(i, j) + score}
        for a, b in np.ndindex(i, j):
            between = run(i - a - 1) + run(j - b - 1) + score
            for (hits, pairs), value in table[a, b].items():
                key = hits + hit, pairs + 1
                own[key] = max(own.get(key, -np.inf), value + between)
        table[i, j] = own
        for key, value in own.items():
            best[key] = max(best.get(key, -np.inf), value + end(len(x) - i - 1, len(y) - j - 1))
    return best


def slack_by_counts(x, y, truth, shift, loss, formulation, w, mode):
    own, slack = simple(x, y, tuple(truth), Shape(mode)) @ w, 0.0
    for (hits, pairs), score in best_by_counts(x, y, truth, shift, w, mode).items():
        cost = 1.0 - hits / len(truth) if loss == "q" else 1.0 - 2.0 * hits / (len(truth) + pairs)
        slack = max(slack, formulation.margin(cost) - formulation.scale(cost) * (own - score))
    return slack


def random_pairs(rng, size, *lengths):
    return [(int(i), int(j)) for i, j in zip(*(np.sort(rng.permutation(length)[:size]) for length in lengths))]


@pytest.mark.parametrize("mode", ["local", "global"])
@pytest.mark.parametrize(
    "rule", [("margin", "squared"), ("slack", "linear"), ("slack", "squared"), ("margin", "linear")]
)
@pytest.mark.parametrize(("loss", "shift"), [("q", 0), ("q", 1), ("f1", 0)])
def test_losses_that_do_not_add_up_over_the_pairs_of_longer_sequences(loss, shift, rule, mode):
    rng = np.random.default_rng(len(loss) + shift)
    formulation = Formulation(*rule)
    for _ in range(4):
        x, y, decoy = ("".join(rng.choice(list(LETTERS), rng.integers(7, 11))) for _ in range(3))
        truth = random_pairs(rng, rng.integers(4, 7), len(x), len(y))
        oracle = bound([(x, [y, decoy], truth)], Shape(mode), formulation, loss, shift, False)
        for scale in (0.03, 0.1, 0.3, 1.0):
            w = scale * np.round(rng.standard_normal(5) + np.array([1.0, -0.5, 1.0, -1.0, -0.5]), 2)
            own = simple(x, y, tuple(truth), Shape(mode)) @ w
            other = max(best_by_counts(x, decoy, (), 0, w, mode).values())
            slack = max(
                slack_by_counts(x, y, truth, shift, loss, formulation, w, mode),
                formulation.margin(1.0) - formulation.scale(1.0) * (own - other),
            )
            assert oracle.slacks(w)[0] == pytest.approx(slack, abs=1e-9)
            found = oracle.planes(w, np.zeros(1, dtype=np.int32))
            assert max(0.0, (found.b - found.a @ w)[0]) == pytest.approx(slack, abs=1e-9)


@pytest.mark.parametrize("seed", [13, 75, 147, 205, 215, 289, 443, 444, 491, 509, 603, 647, 699, 1143])
def test_where_no_best_alignment_at_a_price_is_violated_most(seed):
    """Few prices of hits and pairs leave a better alignment to be found among the likely edges of the grid."""
    rng = np.random.default_rng(seed)
    loss, formulation = ("q", "f1")[seed % 2], Formulation("margin", "squared")
    x, y = ("".join(rng.choice(list(LETTERS), 9)) for _ in range(2))
    truth = random_pairs(rng, 6, 9, 9)
    oracle = bound([(x, [y], truth)], Shape("local"), formulation, loss, 0, False)
    w = rng.choice([0.1, 0.2]) * (rng.standard_normal(5) + np.array([0.5, 0.0, 0.5, -0.5, -0.2]))
    slack = slack_by_counts(x, y, truth, 0, loss, formulation, w, "local")
    assert oracle.slacks(w)[0] == pytest.approx(slack, abs=1e-9)
