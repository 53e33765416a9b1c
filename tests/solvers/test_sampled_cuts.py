"""Cuts of samples of the examples: on average those of all, and near the optimum where they lead."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import ConvergenceWarning

import toy_problems as problems
from kernel_oracle_cases import FORMULATIONS, STRUCTURES, WHOLE, numbers
from maxmargin import BlockCoordinate, Formulation, Kernel, MulticlassSVC, OneSlack, Status, _core
from maxmargin.classes.multiclass import Multiclass
from maxmargin.oracles.base import primal
from maxmargin.oracles.bind import bind
from maxmargin.rows.kernel_cache import KernelCache
from maxmargin.rows.kernel_oracle import KernelOracle
from maxmargin.solvers.base import Run
from maxmargin.solvers.sampled_cuts import SampledCuts, chances, systematic

N, C = 600, 0.02
RUN = Run(tol=1e-3, max_iter=500)


@cache
def optimum(structure: str, formulation: Formulation) -> float:
    value = BlockCoordinate()(STRUCTURES[structure](formulation, WHOLE, N)[0], C, Run(tol=1e-5)).primal
    assert value is not None
    return value


@pytest.mark.parametrize("by_kernel", [False, True], ids=["features", "kernel"])
@pytest.mark.parametrize(("sampling", "size", "within"), [("slack", 60, 0.03), ("uniform", 200, 0.06)])
@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda own: f"{own.rescaling}-{own.slack}")
@pytest.mark.parametrize("structure", STRUCTURES)
def test_small_samples_come_near_the_optimum(
    structure: str, formulation: Formulation, sampling: str, size: int, within: float, by_kernel: bool
) -> None:
    oracle = STRUCTURES[structure](formulation, WHOLE, N)[int(by_kernel)]
    best = optimum(structure, formulation)
    found = OneSlack(sample=min(size, oracle.n // 2), sampling=sampling)(oracle, C, RUN)
    assert found.status is Status.INEXACT
    assert (found.dual, found.gap, found.state) == (None, None, None)
    assert best * (1.0 - 1e-4) <= found.primal <= best * (1.0 + within)
    assert found.primal == pytest.approx(primal(oracle, C, found.w, oracle.slacks(found.w)))
    assert all(record.primal is None and record.dual is None for record in found.trace)


@pytest.mark.parametrize("sampling", ["slack", "uniform"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_sample_of_everybody_is_the_solver_itself(structure: str, sampling: str) -> None:
    for oracle in STRUCTURES[structure](Formulation(), WHOLE, 90):
        run = Run(tol=1e-3)
        plain, found = OneSlack()(oracle, C, run), OneSlack(sample=oracle.n, sampling=sampling)(oracle, C, run)
        assert found.status is Status.CONVERGED
        assert (found.primal, found.dual) == (plain.primal, plain.dual)
        np.testing.assert_array_equal(found.w, plain.w)


@pytest.mark.parametrize("sampling", ["slack", "uniform"])
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_cuts_are_right_on_average(slack: Any, sampling: str) -> None:
    """Also with sample weights, and from the planes of a problem in Python."""
    oracle = STRUCTURES["classes"](Formulation("margin", slack), WHOLE, 60)[0]
    oracle.sample_weight = np.random.default_rng(1).uniform(0.0, 2.0, size=60)
    w = 0.1 * np.random.default_rng(2).normal(size=oracle.dimension)
    whole = oracle.cut(w)
    source = SampledCuts(oracle, 20, sampling, np.random.RandomState(0))
    cuts = [source.cut(w) for _ in range(4000)]
    rows = np.array([_dense(cut.a, w.size) for cut in cuts])
    error = rows.std(axis=0) / np.sqrt(len(cuts))
    assert np.all(np.abs(rows.mean(axis=0) - _dense(whole.a, w.size)) <= 5.0 * error + 1e-12)
    assert np.mean([cut.b for cut in cuts]) == pytest.approx(whole.b, rel=0.02)
    if sampling == "slack":  # tight at w, whatever was drawn
        at = whole.b - _dense(whole.a, w.size) @ w
        assert all(cut.b - _dense(cut.a, w.size) @ w == pytest.approx(at) for cut in cuts[:100])


def _dense(a: Any, size: int) -> np.ndarray:
    if isinstance(a, np.ndarray):
        return a
    found = np.zeros(size)
    found[a.index] = a.value
    return found


def test_problems_in_python_have_samples_too() -> None:
    problem = problems.Classes()
    X, Y = problems.sample(problem, 200)
    oracle = bind(problem, X, Y, Formulation())
    best = OneSlack()(oracle, C, Run(tol=1e-5)).primal
    found = OneSlack(sample=60)(oracle, C, RUN)
    assert found.status is Status.INEXACT
    assert best * (1.0 - 1e-4) <= found.primal <= 1.05 * best


@settings(max_examples=200, deadline=None)
@given(arrays(np.float64, st.integers(1, 40), elements=st.floats(1e-6, 1e3)), st.integers(1, 45), st.floats(0.0, 0.999))
def test_chances_and_draws(risk: np.ndarray, size: int, start: float) -> None:
    chance = chances(risk, size)
    assert np.all((chance > 0.0) & (chance <= 1.0))
    assert chance.sum() == pytest.approx(min(size, risk.size))
    part = chance < 1.0
    if part.any():
        assert np.ptp(np.log(chance[part] / risk[part])) <= 1e-6
        assert np.all(risk[~part] >= risk[part].max() * (1.0 - 1e-9))
    drawn = systematic(chance, start)
    assert drawn.size == min(size, risk.size)
    assert set(np.flatnonzero(~part)) <= set(drawn.tolist())


def test_uniform_samples_ask_for_as_many_values_of_the_kernel_however_many_rows_there_are() -> None:
    """But for the pass at the end, whose values are those between the support and all rows."""
    counts = []
    for n in (2000, 8000):
        X = np.random.default_rng(0).normal(size=(n, 3))
        asked: list[int] = []

        def values(rows: Any, columns: Any, X: np.ndarray = X, asked: list[int] = asked) -> np.ndarray:
            found = X[rows] @ X[columns].T
            asked.append(0 if isinstance(columns, slice) else found.size)
            return found

        cache = KernelCache(values, (X**2).sum(axis=1), WHOLE)
        units, structure = cache.unit_rows(), Multiclass(4)
        oracle = KernelOracle(structure.bind(units, numbers(1, 4, n), Formulation()), units, cache, _core.padded(4))
        found = OneSlack(sample=40, sampling="uniform")(oracle, 8.0 / n, Run(tol=0.0, max_iter=10))
        assert found.n_iter == 10
        counts.append(sum(asked))
    assert counts[1] <= 1.2 * counts[0]
    assert counts[1] <= 20 * 40 * 20 * 40  # ten rounds, each with up to two cuts of 40 rows


def test_an_estimator_trains_on_samples_with_a_kernel() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    y = (np.hypot(*X.T) > 1.1).astype(int)
    settings = {"kernel": Kernel("rbf", gamma=1.0), "C": 0.1, "slack": "linear", "method": "structural"}
    plain = MulticlassSVC(**settings).fit(X, y)
    model = MulticlassSVC(solver=OneSlack(sample=200), **settings).fit(X, y)
    assert model.solution_.status is Status.INEXACT
    assert model.solution_.primal <= 1.05 * plain.solution_.primal
    assert model.score(X, y) >= plain.score(X, y) - 0.02
    again = MulticlassSVC(solver=OneSlack(sample=200), **settings).fit(X, y)
    np.testing.assert_array_equal(model.coef_, again.coef_)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"sample": 0}, "sample must be a whole number of at least 1, or None for all examples, not 0"),
        ({"sample": 2.5}, "sample must be a whole number of at least 1, or None for all examples, not 2.5"),
        ({"sample": True}, "sample must be a whole number"),
        ({"sample": 5, "sampling": "gap"}, "sampling must be one of 'slack', 'uniform', not 'gap'"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        OneSlack(**settings)


def test_a_limit_of_time_ends_it_with_what_was_found() -> None:
    oracle = STRUCTURES["classes"](Formulation(), WHOLE, N)[0]
    found = OneSlack(sample=20)(oracle, C, Run(tol=0.0, max_iter=3))
    assert found.status is Status.MAX_ITER
    assert found.primal is not None
    assert found.gap is None


def test_samples_too_small_to_be_trusted_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X @ rng.normal(size=(4, 3))).argmax(axis=1)
    solver = OneSlack(sample=30, sampling="uniform")
    with pytest.warns(ConvergenceWarning, match="the samples are too small for the weights to be trusted"):
        MulticlassSVC(1e6, solver=solver, method="structural", verbose=1).fit(X, y)
    assert "gap" not in capsys.readouterr().err


def test_sampled_cuts_do_not_start_from_cuts_of_all_examples() -> None:
    kernel = STRUCTURES["classes"](Formulation(), WHOLE, N)[1]
    before = OneSlack()(kernel, C, Run(max_iter=10))
    found = OneSlack(sample=100, sampling="uniform")(kernel, C, RUN, before)
    assert found.status is Status.INEXACT
