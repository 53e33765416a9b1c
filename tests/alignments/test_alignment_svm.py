"""AlignmentSVM and HomologySVM against all alignments, listed, and a general QP solver."""

from __future__ import annotations

import numpy as np
import pytest

from alignment_cases import LETTERS, LOSSES, every_plane, pairs_of_letters, share_missed, simple
from all_alignments import Shape, alignments
from maxmargin import Status
from maxmargin.alignments import Alignment
from maxmargin.alignments.homology import HomologySVM
from maxmargin.alignments.svm import AlignmentSVM
from reference import FORMULATIONS, solve

C, TOL = 0.5, 1e-5
SOFT = [pair for pair in FORMULATIONS if pair[1] != "hard"]
SHAPES = [Shape(), Shape("local"), Shape("semi-global"), Shape("semi-global", (True, False, False, True))]


def given(examples):
    return [(x, candidates[0]) for x, candidates, _ in examples], [np.array(truth) for *_, truth in examples]


def homologs(examples):
    """With the homolog in another place for each."""
    X, y = [], []
    for i, (x, (first, *decoys), truth) in enumerate(examples):
        at = i % (1 + len(decoys))
        X.append((x, [*decoys[:at], first, *decoys[at:]]))
        y.append((at, np.array(truth)))
    return X, y


def options(shape, **more):
    return {"alphabet": LETTERS, "mode": shape.mode, "free_ends": shape.free_ends, "tol": TOL, "max_iter": 5000, **more}


def check(model, planes):
    best = solve(planes, C)
    assert model.solution_.status is Status.CONVERGED
    assert planes.primal(model.coef_, C) == pytest.approx(model.solution_.primal, rel=1e-9, abs=1e-12)
    assert best.low * (1 - 1e-9) <= model.solution_.primal <= best.value + TOL * C * planes.n


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.mode}{sum(shape.free_ends)}")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("rescaling", "slack"), SOFT)
def test_the_optimum_is_that_of_all_alignments(rescaling, slack, loss, shape):
    examples = pairs_of_letters(seed=1)
    rule = "none" if loss == "zero-one" else rescaling
    model = AlignmentSVM(C, loss=loss, rescaling=rescaling, slack=slack, **options(shape)).fit(*given(examples))
    check(model, every_plane(examples, shape, LOSSES[loss], rule, slack))


@pytest.mark.parametrize("solver", ["one-slack", "n-slack", "bcfw"])
@pytest.mark.parametrize("shift", [1, 4, 10**12])
def test_shifted_pairs_count(solver, shift):
    examples = pairs_of_letters(seed=2)
    model = AlignmentSVM(C, shift=shift, solver=solver, **options(Shape())).fit(*given(examples))
    check(
        model,
        every_plane(examples, Shape(), lambda y, z: share_missed(y, z, shift), "margin", "linear"),
    )


@pytest.mark.parametrize("band", [1, 2])
def test_bands(band):
    shape = Shape(band=band)
    examples = [
        example
        for example in pairs_of_letters(seed=3, n=12)
        if example.truth in set(alignments(len(example.x), len(example.candidates[0]), band))
    ]
    model = AlignmentSVM(C, band=band, **options(shape)).fit(*given(examples))
    check(model, every_plane(examples, shape, share_missed, "margin", "linear"))
    with pytest.raises(ValueError, match="The alignment of example 0 leaves the band"):
        AlignmentSVM(C, band=0, alphabet=LETTERS).fit([("abab", "abab")], [[(0, 0), (1, 3)]])


@pytest.mark.parametrize("loss", ["zero-one", "q"])
@pytest.mark.parametrize(("rescaling", "slack"), [("margin", "linear"), ("slack", "linear"), ("margin", "squared")])
@pytest.mark.parametrize("shape", SHAPES[:2], ids=["global", "local"])
def test_homologs(shape, rescaling, slack, loss):
    examples = pairs_of_letters(seed=4, decoys=2)
    only = loss == "zero-one"
    model = HomologySVM(C, loss=loss, rescaling=rescaling, slack=slack, **options(shape)).fit(*homologs(examples))
    rule = "none" if only else rescaling
    check(model, every_plane(examples, shape, share_missed, rule, slack, candidates_only=only))


def test_a_hard_margin_separates():
    examples = pairs_of_letters(seed=5, separable=True)
    model = AlignmentSVM(slack="hard", **options(Shape())).fit(*given(examples))
    best = solve(every_plane(examples, Shape(), share_missed, "none", "hard"), C)
    assert model.solution_.status is Status.CONVERGED
    assert model.solution_.primal == pytest.approx(best.value, rel=1e-3)
    assert model.score(*given(examples)) == 1.0


def test_predictions_are_the_best_alignments_and_candidates():
    examples = pairs_of_letters(seed=6, n=8, decoys=2)
    X, y = given(examples)
    model = AlignmentSVM(C, **options(Shape())).fit(X, y)
    for (a, b), found, listed in zip(X, model.predict(X), model.predict_kbest(X, 100)):
        every = sorted(simple(a, b, pairs, Shape()) @ model.coef_ for pairs in alignments(len(a), len(b)))[::-1]
        assert isinstance(found, Alignment)
        assert simple(a, b, tuple(found), Shape()) @ model.coef_ == pytest.approx(every[0])
        np.testing.assert_allclose([score for score, _ in listed], every[:100], atol=1e-12)
    X, y = homologs(examples)
    model = HomologySVM(C, **options(Shape("local"))).fit(X, y)
    for (a, candidates), found, scores in zip(X, model.predict(X), model.decision_function(X)):
        shape = Shape("local")
        every = [max(simple(a, b, p, shape) @ model.coef_ for p in alignments(len(a), len(b))) for b in candidates]
        np.testing.assert_allclose(scores, every, atol=1e-12)
        ranking = model.rank(a, candidates)
        assert (found.candidate, found.alignment) == (ranking[0].candidate, ranking[0].alignment)
        assert [own.candidate for own in ranking] == np.argsort(-scores, kind="stable").tolist()
        for number, worth, pairs in ranking:
            assert worth == scores[number]
            assert simple(a, candidates[number], tuple(pairs), shape) @ model.coef_ == pytest.approx(worth)
    assert model.score(X, y) == model.score(X, [number for number, _ in y])
