"""How a run behaves: limits, callbacks, the trace, seeds, interrupts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score

import toy_problems as problems
from maxmargin import (
    BlockCoordinate,
    Formulation,
    MulticlassSVC,
    NSlack,
    OneSlack,
    Perceptron,
    Status,
    StructuralSVM,
    Subgradient,
)
from maxmargin.oracles.bind import bind
from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.base import Run
from reference import enumerate_planes, solve

CHAIN = problems.Chain()
X, Y = problems.sample(CHAIN, 12, noise=1.0)
DUAL = {
    "one-slack": OneSlack(),
    "one-slack, no cache": OneSlack(cache=0),
    "n-slack": NSlack(),
    "n-slack, block": NSlack(update="block"),
    "bcfw": BlockCoordinate(),
    "bcfw, plain": BlockCoordinate.plain(),
    "auto": Automatic(),
    "auto, handing over": Automatic(patience=2),
}
dual_solvers = pytest.mark.parametrize("solver", DUAL.values(), ids=DUAL)
all_solvers = pytest.mark.parametrize(
    "solver", [*DUAL.values(), Subgradient(), Perceptron()], ids=[*DUAL, "subgradient", "perceptron"]
)


def train(solver: Any, tol: float = 1e-2, problem: Any = CHAIN, **options: Any) -> Any:
    mistakes = isinstance(solver, Perceptron)
    return solver(bind(problem, X, Y, Formulation(mistakes=mistakes)), 0.5, Run(tol=tol, **options))


def estimator(solver: Any, **options: Any) -> StructuralSVM:
    return StructuralSVM(CHAIN, 0.5, **{"solver": solver, "tol": 1e-2, **options})


def three_clouds() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    return rng.standard_normal((90, 4)) + 1.2 * np.eye(3, 4)[y], y


# Limits


@dual_solvers
@pytest.mark.parametrize("limit", [{"max_iter": 2}, {"max_time": 1e-9}], ids=["max_iter", "max_time"])
def test_a_limit_gives_a_warning_with_the_gap(solver, limit):
    with pytest.warns(ConvergenceWarning) as caught:
        model = estimator(solver, tol=1e-9, **limit).fit(X, Y)
    solution = model.solution_
    assert solution.status is (Status.MAX_ITER if "max_iter" in limit else Status.MAX_TIME)
    assert len(caught) == 1
    text = str(caught[0].message)
    assert next(iter(limit)) in text
    assert f"gap is {solution.gap:.4g}" in text
    assert f"{0.5 * len(Y) * 1e-9:.4g}" in text
    assert caught[0].filename == __file__  # points at the line that called fit
    # what is returned is still a true statement about the returned w
    planes = enumerate_planes(CHAIN, X, Y, "margin", "linear")
    assert solution.primal == pytest.approx(planes.primal(solution.w, 0.5), rel=1e-12)
    assert solution.dual <= solve(planes, 0.5).value


@dual_solvers
def test_max_time_is_kept(solver):
    solution = train(solver, tol=1e-12, max_time=0.2)
    assert solution.status in (Status.MAX_TIME, Status.STALLED, Status.CONVERGED)
    assert solution.trace[-1].seconds < 1.0  # one pass after the limit at most


@dual_solvers
def test_a_run_that_converges_in_its_last_iteration_has_converged(solver):
    """Where the gap is within tol there is nothing to warn about, whatever the limit was."""
    free = train(solver)
    assert free.status is Status.CONVERGED
    for limit in range(max(1, free.trace[-1].iteration - 1), free.trace[-1].iteration + 2):
        solution = train(solver, max_iter=limit)
        assert (solution.status is Status.CONVERGED) == (solution.gap <= 1e-2 * 0.5 * len(Y))


def test_subgradient_and_perceptron_keep_max_iter():
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = estimator(Subgradient(passes=9), max_iter=4).fit(X, Y)
    assert model.n_iter_ == 4
    assert len(model.solution_.trace) == 4
    solution = train(Perceptron(passes=50), max_iter=3)
    assert solution.n_iter == 3


# Callbacks and trace


@all_solvers
def test_a_callback_sees_every_record_and_stops_on_true(solver):
    seen: list[Any] = []

    def callback(record: Any) -> Any:
        seen.append(record)
        return len(seen) >= 3 or "not True"

    solution = train(solver, tol=1e-9, callback=callback)
    assert solution.status is Status.CALLBACK
    assert tuple(seen) == solution.trace
    assert len(seen) == 3


def test_a_callback_that_stops_is_reported_by_the_estimator():
    with pytest.warns(ConvergenceWarning, match=r"callback.*gap is [^,;]*\.$"):  # no word of limits or tol
        estimator("n-slack", tol=1e-9, callback=lambda record: True).fit(X, Y)


@pytest.mark.parametrize("solver", [Subgradient(passes=9), Perceptron(passes=9)], ids=lambda solver: solver.name)
def test_without_a_gap_a_warning_speaks_of_passes(solver):
    with pytest.warns(ConvergenceWarning, match=r"^Stopped by a callback\.$"):
        estimator(solver, callback=lambda record: True).fit(X, Y)
    text = r"^Stopped at max_time\. Not all passes were made; raise the limit or ask for fewer passes\.$"
    with pytest.warns(ConvergenceWarning, match=text):
        estimator(solver, max_time=1e-9).fit(X, Y)


@all_solvers
def test_the_trace_is_consistent(solver):
    counted = problems.Counted(CHAIN)
    solution = train(solver, problem=counted)
    trace = solution.trace
    assert trace
    for field in ("iteration", "seconds", "oracle_calls", "cache_hits"):
        values = [getattr(record, field) for record in trace]
        assert values == sorted(values), field
    assert trace[-1].oracle_calls <= solution.oracle_calls
    assert solution.oracle_calls == counted.calls["argmax"]  # counted inside the user's class
    if solution.dual is not None:
        duals = [record.dual for record in trace]
        assert np.diff(duals).min(initial=0.0) >= -1e-9 * abs(duals[-1])  # every solver of the dual ascends
        assert duals[-1] == pytest.approx(solution.dual, rel=1e-9)
        best = solve(enumerate_planes(CHAIN, X, Y, "margin", "linear"), 0.5)
        primals = [record.primal for record in trace if record.primal is not None]
        assert all(value >= best.low * (1 - 1e-12) for value in primals)
        assert max(duals) <= best.value * (1 + 1e-12)
        assert all(record.planes > 0 for record in trace[1:])


@dual_solvers
def test_the_trace_ends_with_the_objective_of_the_solution(solver):
    """A converged run made an exact pass, so its last record has a primal value; convergence plots rely on it."""
    solution = train(solver)
    assert solution.trace[-1].primal == pytest.approx(solution.primal, rel=1e-12)


# Seeds


@all_solvers
def test_the_same_seed_gives_the_same_bits(solver):
    first, again, other = (train(solver, random_state=seed) for seed in (7, 7, 8))
    assert np.array_equal(first.w, again.w)
    assert (first.primal, first.dual, first.oracle_calls) == (again.primal, again.dual, again.oracle_calls)
    if not isinstance(solver, OneSlack) and solver != NSlack():  # no order, or none that matters to a single batch
        assert not np.array_equal(first.w, other.w)


@pytest.mark.parametrize("solver", ["one-slack", "n-slack", "bcfw", "subgradient", "perceptron"])
def test_native_runs_repeat_bit_by_bit(solver):
    data, labels = three_clouds()
    fits = [MulticlassSVC(0.3, solver=solver, random_state=3).fit(data, labels) for _ in range(2)]
    assert np.array_equal(fits[0].coef_, fits[1].coef_)
    assert np.array_equal(fits[0].intercept_, fits[1].intercept_)


# Ctrl-C


class Interrupting(problems.Only):
    """A user presses Ctrl-C during a certain question."""

    def __init__(self, problem: Any, at: int) -> None:
        super().__init__(problem)
        self._argmax, self._left = problem.argmax, at
        del self.argmax  # the instance's, so that the method below is found

    def argmax(self, x: Any, w: np.ndarray, y_true: Any = None) -> Any:
        self._left -= 1
        if self._left == 0:
            raise KeyboardInterrupt
        return self._argmax(x, w, y_true)


def interrupted(solver: Any, **options: Any) -> Any:
    """A run that must return a solution; pytest takes an interrupt that escapes for one of its own."""
    try:
        return train(solver, tol=1e-9, **options)
    except KeyboardInterrupt:
        pytest.fail("the interrupt escaped")


@all_solvers
@pytest.mark.parametrize("at", [1, 5, 40, 70])
def test_ctrl_c_in_a_question_returns_the_best_so_far(solver, at):
    solution = interrupted(solver, problem=Interrupting(CHAIN, at))
    assert solution.status is Status.INTERRUPTED
    assert np.isfinite(solution.w).all()
    if solution.dual is not None:
        planes = enumerate_planes(CHAIN, X, Y, "margin", "linear")
        known = solution.primal is not None or not isinstance(solver, Automatic)  # between its parts it may not be
        assert not known or solution.primal == pytest.approx(planes.primal(solution.w, 0.5), rel=1e-12)
        assert solution.dual <= solve(planes, 0.5).value * (1 + 1e-12)


@all_solvers
def test_ctrl_c_in_any_question_of_a_limited_run(solver):
    """Also in the exact pass after the last iteration."""
    counting = problems.Counted(CHAIN)
    train(solver, tol=1e-9, problem=counting, max_iter=2)
    for at in range(1, counting.calls["argmax"] + 1):
        solution = interrupted(solver, problem=Interrupting(CHAIN, at), max_iter=2)
        assert solution.status is Status.INTERRUPTED
        assert solution.gap is None or solution.gap >= 0.0


@all_solvers
def test_ctrl_c_in_a_callback(solver):
    def callback(record: Any) -> None:
        if record.iteration >= 2:
            raise KeyboardInterrupt

    solution = interrupted(solver, callback=callback)
    assert solution.status is Status.INTERRUPTED


def test_an_interrupted_fit_leaves_a_fitted_estimator():
    def callback(record: Any) -> None:
        raise KeyboardInterrupt

    with pytest.warns(ConvergenceWarning, match="Interrupted"):
        model = estimator("bcfw", callback=callback, tol=1e-9).fit(X, Y)
    assert len(model.predict(X)) == len(Y)


@pytest.mark.parametrize("wrapped", [False, True])
def test_ctrl_c_stops_a_search_of_scikit_learn(wrapped):
    """Not the one fit that it falls into, which would be scored while the rest runs on."""
    fits: list[int] = []

    def callback(record: Any) -> None:
        fits.append(record.iteration)
        raise KeyboardInterrupt

    class Wrapper(DummyClassifier):
        def fit(self, X: Any, y: Any) -> Any:
            MulticlassSVC(callback=callback).fit(X, y)
            return super().fit(X, y)

    model = Wrapper() if wrapped else MulticlassSVC(callback=callback)
    for search in (
        lambda: cross_val_score(model, *load_iris(return_X_y=True)),
        lambda: GridSearchCV(model, {}).fit(*load_iris(return_X_y=True)),
    ):
        fits.clear()
        with pytest.raises(KeyboardInterrupt):
            search()
        assert fits == [1]


def test_other_exceptions_are_not_swallowed():
    def callback(record: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train(NSlack(), callback=callback)


# What is said, and what is counted


def test_nothing_is_said_where_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for solver in ("auto", "one-slack", "n-slack", "bcfw", "subgradient", "perceptron"):
            estimator(solver).fit(X, Y)


@pytest.mark.parametrize("patience", [1, 2, None])
@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_no_more_passes_than_allowed(max_iter, patience):
    model = StructuralSVM(CHAIN, C=1.0, tol=1e-12, max_iter=max_iter, solver=Automatic(patience=patience))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert model.fit(X, Y).n_iter_ <= max_iter
