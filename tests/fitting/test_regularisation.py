"""C='scale' of problems that are known by their planes: the units of features and losses do not matter."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_digits

import toy_problems as problems
from maxmargin import DiversityRanker, Formulation, StructuralSVM
from maxmargin.classes.multiclass import Multiclass
from maxmargin.datasets import make_subtopics
from maxmargin.diversity.structure import Diversity
from maxmargin.fitting.regularisation import plane_c, resolved_c
from maxmargin.oracles.bind import bind
from reference import FORMULATIONS

CHAIN = problems.Chain()
X, Y = problems.sample(CHAIN, 20, noise=0.3)
SOFT = [pair for pair in FORMULATIONS if pair[1] != "hard"]


class Scaled:
    """A problem with its joint features times ``factor`` and its loss times ``times``."""

    def __init__(self, problem, factor, times=1.0):
        self.problem, self.factor, self.times = problem, factor, times
        for name in ("outputs", "target", "exact"):
            if hasattr(problem, name):
                setattr(self, name, getattr(problem, name))

    def joint_feature(self, x, y):
        return self.factor * self.problem.joint_feature(x, y)

    def loss(self, y_true, y):
        return self.times * self.problem.loss(y_true, y)

    def argmax(self, x, w, y_true=None):
        return self.problem.argmax(x, np.asarray(w) * (self.factor / self.times), y_true)


@pytest.mark.parametrize(("rescaling", "slack"), SOFT)
@pytest.mark.parametrize("factor", [1 / 128, 128.0, 0.01, 100.0])
@pytest.mark.parametrize("times", [1.0, 1024.0])
def test_units_change_no_prediction(rescaling, slack, factor, times):
    """Powers of two change no bit of the path; other units round, so that the optimum is looked at more closely."""
    exact = np.frexp(factor)[0] == 0.5
    params = {"rescaling": rescaling, "slack": slack}
    plain = StructuralSVM(CHAIN, **params, tol="auto" if exact else 1e-5).fit(X, Y)
    unit = 1.0 if rescaling == "none" else times if slack == "linear" else np.sqrt(times)
    scaled = StructuralSVM(Scaled(CHAIN, factor, times), **params, tol="auto" if exact else 1e-5 * unit).fit(X, Y)
    units = Formulation(rescaling, slack).c_factor(times) / factor**2
    assert pytest.approx(plain.C_ * units, rel=0.0 if exact else 1e-9) == scaled.C_
    new, _ = problems.sample(CHAIN, 50, noise=1.0, seed=1)
    assert [tuple(y) for y in scaled.predict(new)] == [tuple(y) for y in plain.predict(new)]


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_units_of_digits_change_no_prediction(factor):
    images, digits = load_digits(return_X_y=True)
    plain = StructuralSVM(Multiclass(10), tol=1e-4).fit(images[:150], digits[:150])
    scaled = StructuralSVM(Multiclass(10), tol=1e-4).fit(factor * images[:150], digits[:150])
    assert pytest.approx(plain.C_ / factor**2, rel=1e-9) == scaled.C_
    assert scaled.predict(factor * images[150:]) == plain.predict(images[150:])


@pytest.mark.parametrize("factor", [1 / 128, 128.0])
def test_units_of_words_change_no_choice(factor, monkeypatch):
    sets, subtopics = make_subtopics(12, seed=0)
    new, _ = make_subtopics(10, seed=1)
    plain = DiversityRanker(3).fit(sets, subtopics)
    expected = plain.predict(new)
    feature, search = Diversity.joint_feature, Diversity.argmax
    monkeypatch.setattr(Diversity, "joint_feature", lambda self, x, y: factor * feature(self, x, y))
    monkeypatch.setattr(Diversity, "argmax", lambda self, x, w, y=None: search(self, x, factor * w, y))
    scaled = DiversityRanker(3).fit(sets, subtopics)
    assert plain.C_ / factor**2 == scaled.C_
    np.testing.assert_array_equal(scaled.predict(new), expected)


def test_weights_repeat_examples():
    times = np.arange(20) % 3
    there = np.repeat(np.arange(20), times)
    repeated = bind(CHAIN, [X[i] for i in there], [Y[i] for i in there], Formulation())
    weighted = bind(CHAIN, X, Y, Formulation(), sample_weight=times.astype(float))
    assert plane_c(weighted) == pytest.approx(plane_c(repeated), rel=1e-9)


def test_the_rule_by_hand():
    oracle = bind(CHAIN, X, Y, Formulation())
    planes = oracle.planes(np.zeros(oracle.dimension), np.arange(20, dtype=np.int32))
    a = planes.a if isinstance(planes.a, np.ndarray) else planes.a.toarray()
    lengths = np.linalg.svd(a, compute_uv=False) ** 2
    assert plane_c(oracle) == pytest.approx(5.0 * planes.b.sum() / lengths[1:].sum(), rel=1e-9)


def test_one_direction_and_none():
    """Planes that all have one direction, or no length, have a C; so have formulations to which it means nothing."""
    oracle = bind(CHAIN, X[:1], Y[:1], Formulation())
    plane = oracle.planes(np.zeros(oracle.dimension), np.zeros(1, dtype=np.int32))
    assert plane_c(oracle) == pytest.approx(5.0 * plane.b[0] / plane.gram()[0, 0])
    twice = bind(CHAIN, X[:1] * 2, Y[:1] * 2, Formulation())
    assert plane_c(twice) == pytest.approx(500.0 * plane.b[0] / plane.gram()[0, 0])
    assert plane_c(bind(Scaled(CHAIN, 0.0), X, Y, Formulation())) == 1.0
    assert plane_c(bind(CHAIN, X, Y, Formulation(slack="hard"))) == 1.0
    assert plane_c(bind(CHAIN, X, Y, Formulation(mistakes=True))) == 1.0


def test_slow_searches_are_asked_as_long_as_there_is_time(monkeypatch):
    """By a clock on which a search takes a second."""
    asked = []

    class Slow(problems.Chain):
        def argmax(self, x, w, y_true=None):
            asked.append(x)
            return super().argmax(x, w, y_true)

    monkeypatch.setattr("maxmargin.fitting.regularisation.time", SimpleNamespace(perf_counter=lambda: len(asked)))
    oracle = bind(Slow(), X, Y, Formulation())
    expected = plane_c(oracle)
    for seconds, questions in ((1000.0, 20), (0.5, 1), (2.0, 4), (9.0, 9)):
        asked.clear()
        found = plane_c(oracle, seconds)
        assert len(asked) == questions
        assert questions < 20 or found == pytest.approx(expected, rel=1e-9)


def test_a_number_stays_a_number():
    assert resolved_c(0.3, lambda: 7.0) == 0.3
    assert resolved_c("scale", lambda: 7.0) == 7.0
    assert StructuralSVM(CHAIN, C=0.3).fit(X, Y).C_ == 0.3
