"""A wrong search ends in an error or with a gap that is true, never with a false one."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import toy_problems as problems
from maxmargin import Status, StructuralSVM, check_problem
from reference import enumerate_planes, solve
from wrong_oracles import KINDS, STRUCTURES, Wrong, true_primal

SOLVERS = ("auto", "bcfw", "n-slack", "one-slack")

RATES = {
    "changes w": [1.0],
    "few outputs": [0.5, 0.3],  # what a search never finds cannot be seen, see below
}


def outcome(kind: str, seed: int) -> str:
    """What training says to a random problem with a wrong search: 'error', 'true', 'no gap' or 'false'."""
    rng = np.random.default_rng(seed)
    problem = STRUCTURES[rng.integers(len(STRUCTURES))]
    X, Y = problems.sample(problem, int(rng.integers(6, 40)), seed=seed, noise=float(rng.choice([0.0, 0.5, 2.0])))
    C, solver = float(10.0 ** rng.uniform(-2, 1)), SOLVERS[rng.integers(len(SOLVERS))]
    rate = float(rng.choice(RATES.get(kind, [1.0, 1.0, 0.3, 0.1])))
    wrong = Wrong(problem, kind, seed, rate)
    plain = [x.copy() for x in X]
    model = StructuralSVM(wrong, C, solver=solver, tol=1e-3, max_iter=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            solution = model.fit(X, Y).solution_
        except ValueError as error:
            return "error" if re.search(r"example \d+|dual objective", str(error)) else str(error)
    if solution.gap is None:
        return "no gap"
    true = true_primal(problem, plain, Y, solution.w, C)
    best = solve(enumerate_planes(problem, plain, Y, "margin", "linear"), C).value
    right = abs(solution.primal - true) <= 1e-5 * (1.0 + true) and solution.dual <= best * (1 + 1e-6) + 1e-9
    return "true" if right else "false"


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_or_a_true_gap(kind):
    found = [outcome(kind, seed) for seed in range(8)]
    assert set(found) <= {"error", "true", "no gap"}
    assert found.count("error") > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_an_error_or_a_true_gap_many_times(kind):
    assert {outcome(kind, seed) for seed in range(100, 400)} <= {"error", "true", "no gap"}


CASES = [
    ("no loss", "argmax is not a maximum: for example \\d+ .* gave .* but .* has"),
    ("minus the loss", "argmax is not a maximum: for example \\d+ .* gave .* but .* has"),
    ("half the loss", "argmax is not a maximum: for example \\d+ .* gave .* but .* has"),
    ("changes w", "changes the weights that it is given, for example \\d+; they are read-only"),
    ("changes x", "has changed example \\d+ while it was asked|is not a maximum"),
    ("stale", "argmax is not a maximum: for example \\d+"),
    ("random", "argmax is not a maximum: for example \\d+"),
]


@pytest.mark.parametrize(("kind", "sentence"), CASES)
def test_both_the_check_and_the_training_say_what_is_wrong(kind, sentence):
    problem = problems.Chain(2, 2)
    X, Y = problems.sample(problem, 20, noise=1.0)
    with pytest.raises(ValueError, match=sentence):
        check_problem(Wrong(problem, kind, 0), [x.copy() for x in X], Y)
    with pytest.raises(ValueError, match=sentence):
        StructuralSVM(Wrong(problem, kind, 0)).fit([x.copy() for x in X], Y)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("solver", SOLVERS)
def test_what_goes_wrong_later_is_seen(solver, n_jobs):
    """A search that is right until it has been asked a few times for an example."""
    problem = problems.Chain(2, 2)
    X, Y = problems.sample(problem, 20, noise=1.0)
    with pytest.raises(ValueError, match=r"example \d+|dual objective"):
        StructuralSVM(Tired(problem, "half the loss", 0), 1.0, tol=1e-3, solver=solver, n_jobs=n_jobs).fit(X, Y)


class Tired(Wrong):
    """Right for the first eighty questions."""

    def argmax(self, x, w, y_true=None):
        self.memory["asked"] = self.memory.get("asked", 0) + 1
        return super().argmax(x, w, y_true) if self.memory["asked"] > 80 else self.best(x, w, y_true)


def test_outputs_that_are_never_found_are_seen_where_they_can_be_listed():
    problem = problems.Subset()
    hidden = [seed for seed in range(20) if (np.random.default_rng(seed).random(8)[1:] >= 0.67).sum() >= 2]
    for seed in hidden:
        X, Y = problems.sample(problem, 20, seed=seed, noise=1.0)
        wrong = Wrong(problem, "few outputs", seed)
        wrong.outputs = problem.outputs
        with pytest.raises(ValueError, match=r"argmax is not a maximum: for example \d+"):
            StructuralSVM(wrong).fit(X, Y)


def test_a_right_search_with_the_rounding_of_float32_is_none():
    class Single(problems.Chain):
        def argmax(self, x, w, y_true=None):
            return super().argmax(x.astype(np.float32), w.astype(np.float32), y_true)

    X, Y = problems.sample(Single(), 40, noise=1.0)
    for scale in (1e-3, 1.0, 1e3):
        for solver in SOLVERS:
            model = StructuralSVM(Single(), 1.0, solver=solver).fit([scale * x for x in X], Y)
            assert model.solution_.status is Status.CONVERGED


def test_questions_that_only_check_are_counted_apart():
    problem = problems.Counted(problems.Chain())
    X, Y = problems.sample(problems.Chain(), 12)
    solution = StructuralSVM(problem, 1.0).fit(X, Y).solution_
    assert problem.calls["argmax"] == solution.oracle_calls + solution.details["checks"]
    assert 0 < solution.details["checks"] <= 300
