"""Planes that are kept save questions, planes out of use are dropped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import toy_problems as problems
from maxmargin import BlockCoordinate, ChainSVC, Formulation, NSlack, OneSlack, Status
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


def test_planes_that_are_never_found_again_are_hardly_looked_at():
    """A labelling of a thousand tokens does not come back: looks at those found before would cost more than asking."""
    rng = np.random.default_rng(0)
    means = rng.standard_normal((3, 20))
    labels = [np.repeat(rng.integers(3, size=250), 4) for _ in range(8)]
    tokens = [means[y] + 3.0 * rng.standard_normal((y.size, 20)) for y in labels]
    plain, kept = (ChainSVC(0.05, solver=OneSlack(cache=cache)).fit(tokens, labels).solution_ for cache in (0, 10))
    assert plain.status is kept.status is Status.CONVERGED
    assert plain.cache_hits == 0 < kept.cache_hits
    assert kept.oracle_calls < 1.5 * plain.oracle_calls
    assert kept.cache_hits < 3.0 * kept.oracle_calls
    assert kept.primal == pytest.approx(plain.primal, rel=1e-2)


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
