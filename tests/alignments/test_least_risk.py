"""Alignments of least expected Q-loss, against the list of all alignments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from all_alignments import alignments
from maxmargin import AlignmentCRF, AlignmentSVM, GenerativeAligner
from maxmargin.alignments.least_risk import most_expected_hits
from maxmargin.alignments.limits import PairLimits
from maxmargin.alignments.shape import checked_shape
from maxmargin.datasets import make_homologs
from maxmargin.fitting.calibration import NotCalibratedWarning
from maxmargin.metrics import alignment_q


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 6), st.sampled_from([None, 1]), st.integers(0, 2**32 - 1))
def test_no_alignment_has_more_expected_hits(m, n, shift, band, seed):
    rng = np.random.default_rng(seed)
    probabilities = rng.random((m, n)) ** 3 / max(m, n)
    shape = checked_shape("global", "both", band)
    wanted = list(alignments(m, n, shape.band))[-1]
    required = [pair for pair in wanted if rng.random() < 0.3]
    forbidden = [pair for pair in np.argwhere(rng.random((m, n)) < 0.2).tolist() if tuple(pair) not in required]
    limits = PairLimits.read(forbidden, required, (m, n))

    def worth(pairs):
        near = sum(probabilities[i, max(0, j - shift) : j + shift + 1].sum() for i, j in pairs)
        return near + (0.1 * sum(probabilities[i, j] for i, j in pairs) if shift else 0.0)

    allowed = [
        pairs
        for pairs in alignments(m, n, shape.band)
        if set(required) <= set(pairs) and not {tuple(pair) for pair in forbidden} & set(pairs)
    ]
    found = most_expected_hits(probabilities, shift, shape, limits)
    assert tuple(map(tuple, found.tolist())) in {tuple(map(tuple, pairs)) for pairs in allowed}
    assert worth(found.tolist()) == pytest.approx(max(map(worth, allowed)))


@pytest.fixture(scope="module")
def data():
    natives, candidates, truths = make_homologs(60, decoys=0, seed=5)
    return [(x, row[0]) for x, row in zip(natives, candidates)], truths


def test_a_crf_finds_more_pairs_than_by_its_best_alignments(data):
    X, y = data
    model = AlignmentCRF(0.3, mode="local").fit(X[:40], y[:40])
    best, safe = model.predict(X[40:], decode="best"), model.predict(X[40:], decode="risk")
    assert alignment_q(y[40:], safe) > alignment_q(y[40:], best) + 0.02
    near = model.predict(X[40:], decode="risk", shift=4)
    assert alignment_q(y[40:], near, window=4) >= alignment_q(y[40:], safe, window=4)
    chances = model.predict_marginals(X[40:])
    hits = [[own[tuple(found.pairs.T)].sum() for own, found in zip(chances, each)] for each in (safe, best)]
    assert np.all(np.array(hits[0]) >= np.array(hits[1]) - 1e-9)


def test_a_support_vector_machine_is_calibrated_first_and_uses_the_shift_of_its_loss(data):
    X, y = data[0][:12], data[1][:12]
    model = AlignmentSVM(0.05, shift=3, tol=0.1, mode="local").fit(X, y)
    with pytest.warns(NotCalibratedWarning):
        model.predict(X[:1], decode="risk")
    model.calibrate(X, y)
    found = model.predict(X, decode="risk")
    assert [own.cigar() for own in found] == [own.cigar() for own in model.predict(X, decode="risk", shift=3)]
    assert [own.cigar() for own in found] != [own.cigar() for own in model.predict(X, decode="risk", shift=0)]
    must, must_not = [tuple(found[0].pairs[2].tolist())], [tuple(found[0].pairs[3].tolist())]
    (limited,) = model.predict(X[:1], decode="risk", required=[must], forbidden=[must_not])
    assert must[0] in {tuple(pair) for pair in limited.pairs.tolist()}
    assert must_not[0] not in {tuple(pair) for pair in limited.pairs.tolist()}


def test_refused(data):
    X, y = data[0][:4], data[1][:4]
    model = AlignmentCRF(0.1).fit(X, y)
    with pytest.raises(ValueError, match=r"decode must be 'auto', 'best' or 'risk', not 'viterbi'."):
        model.predict(X, decode="viterbi")
    with pytest.raises(ValueError, match=r"shift must be None or a whole number from 0, not -1."):
        model.predict(X, decode="risk", shift=-1)
    with pytest.raises(ValueError, match="shift goes with decode='risk'"):
        model.predict(X, decode="best", shift=4)


@pytest.mark.parametrize("mode", ["global", "local", "semi-global"])
def test_likelihoods_answer_with_pairs_that_are_expected_to_be_right(data, mode):
    """The best alignment of a likelihood is one of very many: of a semi-global one it is near chance."""
    X, y = data
    model = AlignmentCRF(mode=mode).fit(X[:40], y[:40])
    assert model.predict(X[40:]) == model.predict(X[40:], decode="risk")
    counted = GenerativeAligner(mode=mode).fit(X[:40], y[:40])
    assert counted.predict(X[40:]) == counted.predict(X[40:], decode="best")
    assert model.score(X[40:], y[40:]) > counted.score(X[40:], y[40:]) - 0.05
