"""Outputs of programs: every solver and formulation reaches the optimum of a general QP solver on all outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import program_spaces  # registers the cases
from maxmargin import Formulation, OneSlack, Status, Subgradient
from reference import FORMULATIONS
from solver_cases import MAIN, SOLVERS, case, check, optimum, train

assert program_spaces.SPACES


def cells(names: list[str], solvers: Any) -> list[Any]:
    found = []
    for name in names:
        for rescaling, slack in FORMULATIONS:
            possible = slack != "hard" or optimum(name, rescaling, slack, False)[1].feasible
            for label in solvers:
                solver, tol = SOLVERS[label]
                if possible and not (slack == "hard" and isinstance(solver, OneSlack)):
                    cell = f"{name}-{rescaling}-{slack}-{label}"
                    found.append(pytest.param(name, rescaling, slack, solver, tol, id=cell))
    return found


each_cell = ("name", "rescaling", "slack", "solver", "tol")


@pytest.mark.parametrize(each_cell, cells(["program paths costly", "program trees plain separable"], SOLVERS))
def test_every_solver_reaches_the_optimum(name, rescaling, slack, solver, tol):
    check(name, rescaling, slack, solver, tol)


OTHERS = ["program paths plain", "program paths counted separable", "program trees costly", "program trees counted"]


@pytest.mark.parametrize(each_cell, cells(OTHERS, MAIN))
def test_every_space_reaches_the_optimum(name, rescaling, slack, solver, tol):
    check(name, rescaling, slack, solver, tol)


@pytest.mark.parametrize(each_cell, cells(["program trees costly"], (*MAIN, "bcfw, plain")))
def test_sample_weights_and_zero_weights(name, rescaling, slack, solver, tol):
    check(name, rescaling, slack, solver, tol, weighted=True)


@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS[:6])
def test_subgradient_steps_come_near(rescaling, slack):
    _, solution = train("program paths costly", rescaling, slack, Subgradient(passes=400), 1e-3, False)
    planes, best = optimum("program paths costly", rescaling, slack, False)
    assert solution.status is Status.FINISHED
    assert solution.primal == pytest.approx(planes.primal(solution.w, 0.7), rel=1e-9)
    assert solution.primal <= 1.03 * best.value


@pytest.mark.parametrize("name", ["program paths costly", "program trees counted", "program trees plain separable"])
@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS)
def test_slacks_cuts_and_planes_are_those_of_the_enumeration(name, rescaling, slack):
    oracle = case(name).bind(Formulation(rescaling, slack), None)
    planes = case(name).planes(rescaling, slack)
    rng = np.random.default_rng(0)
    everyone = np.arange(oracle.n, dtype=np.int32)
    for size in (0.0, 0.1, 1.0, 10.0):
        w = size * rng.standard_normal(oracle.dimension)
        expected = planes.slacks(w)
        np.testing.assert_allclose(oracle.slacks(w), expected, rtol=1e-10, atol=1e-12)
        found = oracle.planes(w, everyone)
        np.testing.assert_allclose(np.maximum(0.0, found.value(w)), expected, rtol=1e-10, atol=1e-10)
        for a, b, i in zip(found.a.toarray(), found.b, everyone):
            own = planes.example == i
            known = np.abs(planes.a[own] - a).max(axis=1) + np.abs(planes.b[own] - b)
            assert min(known.min(initial=np.inf), np.abs(a).sum() + abs(b)) < 1e-12  # one that there is, or the truth's
        if slack != "hard":
            cut = oracle.cut(w)
            risk = planes.risk(w)
            assert cut.b - (cut.a @ w if isinstance(cut.a, np.ndarray) else cut.a.dot(w)) == pytest.approx(
                risk, rel=1e-9
            )
