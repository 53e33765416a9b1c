"""Pairs that alignments must or must not have, against the list of all alignments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from all_alignments import Scores, Shape, alignments, score, uses
from maxmargin import AlignmentCRF, AlignmentSVM, HomologySVM, _core
from maxmargin.alignments import Aligner, Alphabet
from maxmargin.datasets import make_homologs

MODES = ("global", "local", "semi-global")


@st.composite
def limited_grids(draw: st.DrawFn):
    m, n = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.sampled_from([1.0, 30.0]))
    scores = Scores(size * rng.normal(size=(m, n)), *(-size * rng.exponential(size=k) for k in (m, m, n, n)))
    free = tuple(draw(st.lists(st.booleans(), min_size=4, max_size=4)))
    band = draw(st.sampled_from([-1, -1, 1, 3]))
    shape = Shape(draw(st.sampled_from(MODES)), (free[0], free[1], free[2], free[3]), band)
    listed = list(alignments(m, n))
    wanted = listed[int(rng.integers(len(listed)))]
    required = [pair for pair in wanted if rng.random() < 0.5]
    forbidden = [(int(i), int(j)) for i, j in np.argwhere(rng.random((m, n)) < draw(st.sampled_from([0.0, 0.2, 0.6])))]
    return scores, shape, required, forbidden


@settings(max_examples=300, deadline=None)
@given(limited_grids())
def test_all_queries_keep_to_the_limits(case):
    scores, shape, required, forbidden = case
    m, n = scores.match.shape
    worth = {
        pairs: value
        for pairs in alignments(m, n, shape.band)
        if set(required) <= set(pairs) and not set(forbidden) & set(pairs)
        if (value := score(pairs, scores, shape)) > -np.inf
    }
    must, must_not = (np.array(own, dtype=np.int32).reshape(-1, 2) for own in (required, forbidden))
    grid = _core.AlignmentGrid(scores.match, None, *scores[1:], *shape, must, must_not)
    value, best = grid.best()
    log_sum, match, *gaps = grid.sums()
    if not worth:
        assert value == log_sum == -np.inf
        assert not len(grid.k_best(3)[0])
        assert not len(grid.samples(3, 0)[0])
        return
    highest = max(worth.values())
    assert value == pytest.approx(highest)
    assert worth[tuple((int(i), int(j)) for i, j in best)] == pytest.approx(value)
    np.testing.assert_allclose(grid.k_best(30)[0], sorted(worth.values(), reverse=True)[:30], atol=1e-9)
    chance = np.exp(np.array(list(worth.values())) - highest)
    assert log_sum == pytest.approx(np.log(chance.sum()) + highest)
    counts = [uses(pairs, shape, m, n) for pairs in worth]
    for part, found in enumerate((match.reshape(m, n), *gaps)):
        expected = sum(weight * count[part] for weight, count in zip(chance, counts)) / chance.sum()
        np.testing.assert_allclose(found, expected, atol=1e-11)
    _, offsets, pairs = grid.samples(5, 1)
    for own in np.split(pairs, offsets[1:-1]):
        assert tuple((int(i), int(j)) for i, j in own) in worth


@pytest.fixture(scope="module")
def data():
    natives, candidates, truths = make_homologs(12, decoys=0, seed=4)
    return [(x, row[0]) for x, row in zip(natives, candidates)], truths


@pytest.mark.parametrize("make", [AlignmentSVM, AlignmentCRF])
@pytest.mark.filterwarnings("ignore::maxmargin.fitting.calibration.NotCalibratedWarning")
def test_learners_keep_to_the_limits(make, data):
    X, y = data
    model = make(C=0.01, tol=0.1).fit(X, y)
    free = model.predict(X[:3])
    required = [[(0, 3), (5, 6)], None, []]
    forbidden = [None, list(y[1]), []]
    limits = {"required": required, "forbidden": forbidden}
    found = model.predict(X[:3], **limits)
    assert set(required[0]) <= set(found[0])
    assert not set(forbidden[1]) & set(found[1])
    assert found[2] == free[2]
    best = model.predict_kbest(X[:3], 2, **limits)
    assert [own[0].output for own in best] == model.predict(X[:3], decode="best", **limits)
    assert all(set(required[0]) <= set(own.output) for own in best[0])
    marginals = model.predict_marginals(X[:3], **limits)
    assert marginals[0][0, 3] == pytest.approx(1.0)
    assert max(marginals[1][pair] for pair in forbidden[1]) == 0.0
    assert (model.predict_confidence(X[:2], required=required[:2], forbidden=forbidden[:2]) <= 1.0).all()
    for drawn in model.sample(X[:3], n_samples=4, **limits)[0]:
        assert set(required[0]) <= set(drawn)


@pytest.mark.filterwarnings("ignore::maxmargin.fitting.calibration.NotCalibratedWarning")
def test_limits_that_leave_nothing_name_the_example(data):
    X, y = data
    model = AlignmentSVM(C=0.01, tol=0.5).fit(X, y)
    limits = {"required": [None, [(2, 3)]], "forbidden": [None, [(2, 3)]]}
    message = "forbidden and required together leave no alignment of example 1"
    for ask in (
        model.predict,
        lambda X, **own: model.predict_kbest(X, 2, **own),
        model.predict_marginals,
        model.predict_confidence,
        model.sample,
    ):
        with pytest.raises(ValueError, match=message):
            ask(X[:2], **limits)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"required": [[(0, 1)]]}, "required has 1 lists of pairs for 2 examples"),
        ({"required": [[(0, 1), (1, 0)], None]}, "required of example 0 goes backwards"),
        ({"forbidden": [None, [(99, 0)]]}, r"forbidden of example 1 names the pair \(99, 0\)"),
        ({"forbidden": [None, [(0.5, 0)]]}, "forbidden of example 1 must be a list of pairs"),
        ({"forbidden": [None, [-1, 0]]}, "forbidden of example 1 must be a list of pairs"),
    ],
)
def test_bad_limits_are_rejected(limits, message, data):
    X, y = data
    model = AlignmentSVM(C=0.01, tol=1.0).fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.predict(X[:2], **limits)


@settings(max_examples=60, deadline=None)
@given(st.text("ACGT", min_size=1, max_size=6), st.text("ACGT", min_size=1, max_size=6), st.sampled_from(MODES))
def test_the_aligner_with_limits_is_that_of_the_list(x, y, mode):
    dna = Alphabet("ACGT")
    aligner = Aligner(np.eye(4) * 3.0 - 1.0, dna, open=-2.0, extend=-0.5, mode=mode)
    m, n = len(x), len(y)
    one = (m // 2, n // 2)
    listed = [pairs for pairs in alignments(m, n) if one in pairs and (0, 0) not in pairs]
    if not listed:
        with pytest.raises(ValueError, match="leave no alignment"):
            aligner.align(x, y, required=[one], forbidden=[(0, 0)])
        return
    best = max(aligner.score(x, y, np.array(pairs).reshape(-1, 2)) for pairs in listed)
    found = aligner.align(x, y, required=[one], forbidden=[(0, 0)])
    assert found.score == pytest.approx(best)
    assert one in tuple(found.output)


def test_candidates_are_ranked_by_alignments_within_the_limits():
    natives, candidates, truths = make_homologs(4, decoys=2, seed=6)
    X = list(zip(natives, candidates))
    model = HomologySVM(tol=0.1).fit(X, [(0, truth) for truth in truths])
    letters = model.layout_.alphabets["residue"]
    gaps = model.gap_scores()[0]
    judge = Aligner(model.substitution_matrix(), letters, open=gaps[0], extend=gaps[1], mode="local")
    must, must_not = [(3, 5), (7, 8)], truths[0].pairs[4:9].tolist()
    lists = [None, must, must], [must_not, None, None]
    ranked = model.rank(*X[0], required=lists[0], forbidden=lists[1])
    for candidate, value, alignment in ranked:
        own = {"required": lists[0][candidate], "forbidden": lists[1][candidate]}
        assert value == pytest.approx(judge.align(X[0][0], X[0][1][candidate], **own).score)
        found = {tuple(pair) for pair in alignment.pairs.tolist()}
        assert set(own["required"] or []) <= found
        assert not set(map(tuple, own["forbidden"] or [])) & found
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    (first, second) = model.predict(X[:2], required=[lists[0], None], forbidden=[lists[1], None])
    assert first == (ranked[0].candidate, ranked[0].alignment)
    assert second == model.predict(X[1:2])[0]
    with pytest.raises(ValueError, match="required of example 0 has 2 lists of pairs for 3 candidates"):
        model.rank(*X[0], required=[None, None])
    with pytest.raises(ValueError, match="leave no alignment of candidate 1 of example 0"):
        model.rank(*X[0], required=lists[0], forbidden=[None, must, None])
