"""A tour in seconds, on the digit images that come with scikit-learn: chains, the solvers, a cost matrix."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from maxmargin.classes.multiclass_svc import MulticlassSVC
from maxmargin.console import make_console, number, print_table
from maxmargin.demo.chains import show_chains
from maxmargin.demo.problem import Digits, DigitStrings, write_strings
from maxmargin.plots.figures import Point, can_draw, draw_convergence
from maxmargin.problems.structural_svm import StructuralSVM

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

C = 0.1
TOL = 1e-4
SOLVERS = ("bcfw", "n-slack", "one-slack", "subgradient", "perceptron")


@dataclass(frozen=True)
class SolverRow:
    """One line of the table of solvers."""

    name: str
    objective: float
    gap: float | None
    seconds: float
    test_error: float


def run_demo(output: str | PathLike[str] | None = None, *, quick: bool = False, console: Console | None = None) -> None:
    """Prints the tables, and draws the convergence curves into ``output`` if matplotlib is installed."""
    console = console or make_console()
    digits = Digits.split(0, 400 if quick else 1198)
    show_strings(console, digits, 60 if quick else 300)
    console.print()
    show_chains(console, digits, 60 if quick else 300)
    console.print()
    optimum = show_solvers(console, digits)
    console.print()
    show_costs(console, 2 if quick else 5)
    console.print()
    if output is None:
        return
    if not can_draw():
        console.print("No curves were drawn, since matplotlib is not installed: pip install 'maxmargin[report]'.")
        return
    curves = {name: convergence(name, digits, 40 if quick else 1000) for name in SOLVERS if name != "perceptron"}
    draw_convergence(curves, optimum, output, title=f"Multiclass on {len(digits.y_train)} digits, C = {C:g}")
    console.print(f"Convergence curves of the solvers: {fspath(output)}")


def show_strings(console: Console, digits: Digits, count: int) -> tuple[float, float]:
    """Trains on strings of digits letter by letter and as chains; returns the two rates of wrong test letters."""
    rng = np.random.default_rng(0)
    X, Y = write_strings(digits.X_train, digits.y_train, count, rng)
    X_test, Y_test = write_strings(digits.X_test, digits.y_test, count, rng)
    letters = MulticlassSVC(C=C, slack="linear", fit_intercept=False).fit(np.vstack(X), np.concatenate(Y))
    begin = time.perf_counter()
    chain = StructuralSVM(DigitStrings(), C=C, tol=0.01).fit(X, Y)
    seconds = time.perf_counter() - begin
    one_by_one = [letters.predict(x) for x in X_test]
    as_chain = chain.predict(X_test)
    console.print("1. Strings of noisy handwritten digits that mostly count upwards: a Problem in plain NumPy")
    shown = sorted(range(len(X_test)), key=lambda i: -np.count_nonzero(one_by_one[i] != Y_test[i]))[:3]
    rows = [tuple("".join(map(str, part[i])) for part in (Y_test, one_by_one, as_chain)) for i in shown]
    print_table(console, "", ("written", "read one by one", "read as a chain"), rows, text_columns=3)
    errors = _wrong_letters(Y_test, one_by_one), _wrong_letters(Y_test, as_chain)
    console.print(
        f"Wrong among {sum(map(len, Y_test))} test digits: {errors[0]:.1%} one by one, {errors[1]:.1%} as a chain "
        f"({count} strings in {seconds:.2f} s; objective {number(chain.solution_.primal, 4)}, "
        f"gap {number(chain.solution_.gap, 2)})."
    )
    return errors


def show_solvers(console: Console, digits: Digits) -> float:
    """Runs every solver and LinearSVC on the same objective; returns its optimum."""
    best = classifier("n-slack", tol=1e-7).fit(digits.X_train, digits.y_train)
    optimum = objective(best.coef_, digits)
    rows = [measure(name, partial(classifier, name), digits) for name in SOLVERS]
    rival = partial(LinearSVC, C=C, multi_class="crammer_singer", fit_intercept=False)
    rows.append(measure("LinearSVC", rival, digits))
    console.print(f"3. Multiclass on {len(digits.y_train)} digit images, C = {C:g}, beside scikit-learn's LinearSVC")
    cells = [
        (
            row.name,
            number(row.objective),
            "-" if row.name == "perceptron" else f"{row.objective / optimum - 1.0:.3%}",
            number(row.gap, 2),
            f"{row.seconds:.3f}",
            f"{row.test_error:.2%}",
        )
        for row in rows
    ]
    print_table(console, "", ("solver", "objective", "above optimum", "gap", "seconds", "test error"), cells)
    console.print("The gap proves how far from the optimum a solver is at most; the perceptron minimises no objective.")
    return optimum


def show_costs(console: Console, splits: int) -> dict[str, float]:
    """Mean cost on test images, over some random splits, with and without the cost in training."""
    cost = 1.0 - np.eye(10)
    cost[8] *= 10.0
    ways: dict[str, dict[str, Any]] = {
        "without the cost": {},
        "the answer of lowest expected cost": {"cost": cost},
        "slack rescaling": {"cost": cost, "rescaling": "slack"},
    }
    totals = dict.fromkeys(ways, 0.0)
    for seed in range(splits):
        digits = Digits.split(seed)
        for name, parameters in ways.items():
            model = MulticlassSVC(**parameters).fit(digits.X_train, digits.y_train)
            totals[name] += float(cost[digits.y_test, model.predict(digits.X_test)].mean()) / splits
    console.print("4. A cost matrix: overlooking an 8 costs 10, any other mistake 1")
    told = ", ".join(f"{total:.3f} with {name}" for name, total in list(totals.items())[1:])
    first = totals["without the cost"]
    console.print(f"Mean cost of a test image over {splits} splits: {first:.3f} trained without the cost, {told}.")
    return totals


def objective(coef: Floats, digits: Digits) -> float:
    """``1/2 |w|^2 + C sum_i max_k [k != y_i] + <w_k - w_{y_i}, x_i>`` of any classifier's weights."""
    scores = digits.X_train @ coef.T
    every = np.arange(len(scores))
    slack = scores + 1.0 - scores[every, digits.y_train][:, None]
    slack[every, digits.y_train] = 0.0
    return 0.5 * float((coef**2).sum()) + C * float(slack.max(axis=1).sum())


def classifier(solver: str, **parameters: Any) -> MulticlassSVC:
    """Our classifier as the demo compares it."""
    return MulticlassSVC(C=C, slack="linear", solver=solver, fit_intercept=False, **{"tol": TOL, **parameters})


def measure(name: str, make: Callable[[], Any], digits: Digits, repeats: int = 3) -> SolverRow:
    """Fits a fresh classifier a few times; the seconds are those of the fastest."""
    seconds = np.inf
    for _ in range(repeats):
        model = make()
        begin = time.perf_counter()
        model.fit(digits.X_train, digits.y_train)
        seconds = min(seconds, time.perf_counter() - begin)
    gap = model.solution_.gap if isinstance(model, MulticlassSVC) else None
    error = 1.0 - model.score(digits.X_test, digits.y_test)
    return SolverRow(name, objective(model.coef_, digits), gap, seconds, error)


def convergence(solver: str, digits: Digits, max_passes: int) -> list[Point]:
    """Exact objective and dual after 1, 2, 3, 4, 6, ... passes.

    Solvers do not compute the exact objective as they go, so each point is a run that stops there: with the same seed
    it is the beginning of the longest run, whose clock tells the seconds.
    """
    whole = stopped(solver, digits, max_passes)
    points: list[Point] = []
    passes = 1
    while passes < whole.solution_.trace[-1].iteration:
        model = stopped(solver, digits, passes)
        seconds = whole.solution_.trace[len(model.solution_.trace) - 1].seconds
        points.append(Point(seconds, objective(model.coef_, digits), model.solution_.dual))
        passes = max(passes + 1, round(1.5 * passes))
    return [*points, Point(whole.solution_.trace[-1].seconds, objective(whole.coef_, digits), whole.solution_.dual)]


def stopped(solver: str, digits: Digits, passes: int) -> MulticlassSVC:
    """A classifier trained to high accuracy, or to the end of the given number of passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return classifier(solver, tol=1e-6, max_iter=passes).fit(digits.X_train, digits.y_train)


def _wrong_letters(truths: list[Labels], answers: list[Labels]) -> float:
    return float(np.mean(np.concatenate(truths) != np.concatenate(answers)))
