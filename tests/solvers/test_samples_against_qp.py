"""Measures over groups of rows, and binary rows: every solver and formulation reaches the optimum of a QP solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maxmargin import Formulation, OneSlack, Status, Subgradient, Unsupported
from maxmargin.groups.sample import Sample, SampleInput
from maxmargin.measures import as_measure
from maxmargin.rows.matrices import as_rows
from reference import FORMULATIONS
from sample_cases import sample_case
from solver_cases import MAIN, SOLVERS, check, optimum, train

MEASURES = (
    "error_rate",
    "f1",
    "fbeta(2)",
    "balanced_error",
    "mcc",
    "prbep",
    "precision_at_k(1)",
    "recall_at_k(3)",
    "roc_area",
    "average_precision",
)


def cells(names: list[str], solvers: Any) -> list[Any]:
    found = []
    for name in names:
        for rescaling, slack in FORMULATIONS:
            kind, *rest = name.split()
            if kind == "sample" and as_measure(rest[0]).refusal(Formulation(rescaling, slack)) is not None:
                continue
            possible = slack != "hard" or optimum(name, rescaling, slack, False)[1].feasible
            for label in solvers:
                solver, tol = SOLVERS[label]
                if possible and not (slack == "hard" and isinstance(solver, OneSlack)):
                    cell = f"{name}-{rescaling}-{slack}-{label}"
                    found.append(pytest.param(name, rescaling, slack, solver, tol, id=cell))
    return found


each_cell = ("name", "rescaling", "slack", "solver", "tol")


@pytest.mark.parametrize(each_cell, cells(["rows dense", "rows csr32", "sample f1", "sample roc_area"], SOLVERS))
def test_every_solver_reaches_the_optimum(name, rescaling, slack, solver, tol):
    check(name, rescaling, slack, solver, tol)


@pytest.mark.parametrize(
    each_cell,
    cells([f"sample {measure}" for measure in MEASURES] + ["rows masked", "rows coded", "sample f1 csr32"], MAIN),
)
def test_every_measure_reaches_the_optimum(name, rescaling, slack, solver, tol):
    check(name, rescaling, slack, solver, tol)


@pytest.mark.parametrize(
    each_cell, cells(["rows csr", "sample f1", "sample average_precision"], (*MAIN, "bcfw, plain"))
)
def test_weights_of_groups_and_rows(name, rescaling, slack, solver, tol):
    check(name, rescaling, slack, solver, tol, weighted=True)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS[:6])
@pytest.mark.parametrize("name", ["rows dense", "sample f1"])
def test_subgradient_approaches_the_optimum(name, rescaling, slack, weights):
    best = optimum(name, rescaling, slack, weights)[1].value
    errors = []
    for passes in (10, 100, 400):
        _, solution = train(name, rescaling, slack, Subgradient(passes=passes), 1e-3, weights)
        assert solution.status is Status.FINISHED
        assert solution.dual is None
        errors.append(solution.primal / best - 1.0)
    assert -1e-9 <= errors[2] <= 0.02
    assert errors[2] <= errors[0] + 1e-6


@pytest.mark.parametrize(("rescaling", "slack"), [("slack", "linear"), ("margin", "squared"), ("slack", "squared")])
def test_a_search_that_is_not_known_is_refused_by_name(rescaling, slack):
    formulation = Formulation(rescaling, slack)
    with pytest.raises(Unsupported, match=f"average_precision cannot be trained with {formulation}"):
        sample_case("sample average_precision").bind(formulation, None)


def test_a_row_may_be_in_a_group_twice_and_counts_as_two():
    given = sample_case("sample f1")
    doubled = given.groups[0][[0, 0, 1, 2, 3, 4]]
    sample = Sample(as_measure("f1"))
    X = np.vstack([given.X, given.X[given.groups[0][:1]]])
    truth = np.append(given.Y, given.Y[given.groups[0][0]])
    copied = np.append(given.groups[0], 20).astype(np.int32)[[0, 5, 1, 2, 3, 4]]
    first = sample.bind(SampleInput(as_rows(given.X, 0.0, True), [doubled]), given.Y, Formulation())
    second = sample.bind(SampleInput(as_rows(X, 0.0, True), [copied]), truth, Formulation())
    w = np.array([0.3, -1.0, 0.2, 0.5])
    a, b = first.cut(w), second.cut(w)
    assert a.slack == pytest.approx(b.slack)
    assert a.b == pytest.approx(b.b)
    assert np.asarray(a.a) == pytest.approx(np.asarray(b.a))
