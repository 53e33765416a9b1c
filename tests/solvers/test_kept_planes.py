"""Planes that are kept save questions, planes out of use are dropped."""

from __future__ import annotations

from typing import Any

import pytest

import toy_problems as problems
from maxmargin import BlockCoordinate, Formulation, NSlack, OneSlack, Status
from maxmargin.oracles.bind import bind
from maxmargin.solvers.base import Run

CHAIN = problems.Chain()
X, Y = problems.sample(CHAIN, 12, noise=1.0)


def train(solver: Any, tol: float, problem: Any = CHAIN) -> Any:
    return solver(bind(problem, X, Y, Formulation()), 0.5, Run(tol=tol, max_iter=5000))


def test_planes_seen_before_save_questions():
    """The 1-slack cache (f = 10) and the cached passes of block coordinate ascent, counted inside the problem."""
    calls = {}
    for name, solver in {
        "cache": OneSlack(damping=0.0),
        "no cache": OneSlack(cache=0, damping=0.0),
        "passes": BlockCoordinate(sampling="permutation"),
        "no passes": BlockCoordinate(sampling="permutation", cached_passes=0),
        "plain": BlockCoordinate.plain(),
    }.items():
        counted = problems.Counted(CHAIN)
        solution = train(solver, tol=3e-3, problem=counted)
        assert solution.status is Status.CONVERGED
        assert (solution.cache_hits > 0) == (name in ("cache", "passes"))
        calls[name] = counted.calls["argmax"]
    assert calls["cache"] < calls["no cache"]
    assert calls["passes"] < calls["no passes"] < calls["plain"]


@pytest.mark.parametrize("update", ["all", "block"])
def test_planes_out_of_use_are_dropped(update):
    """With no patience the working sets hold little more than the planes in use; with much, all that were added."""
    patient = train(NSlack(update=update, keep_idle=10**6, batch=1), tol=1e-4)
    hasty = train(NSlack(update=update, keep_idle=0, batch=1), tol=1e-4)
    assert patient.status is hasty.status is Status.CONVERGED
    assert len(patient.alpha) == patient.details["planes_added"]
    assert len(hasty.alpha) < len(patient.alpha)
    assert hasty.primal == pytest.approx(patient.primal, rel=1e-3)


def test_cuts_out_of_use_are_dropped():
    hasty, patient = train(OneSlack(keep_idle=0), tol=1e-5), train(OneSlack(keep_idle=10**6), tol=1e-5)
    assert (hasty.alpha > 0).mean() > (patient.alpha > 0).mean()
    assert hasty.primal == pytest.approx(patient.primal, rel=1e-4)
