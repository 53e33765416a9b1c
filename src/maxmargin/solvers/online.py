"""Baselines that walk over the examples without a dual: stochastic subgradient and the averaged perceptron."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.core.formulation import Formulation
from maxmargin.oracles.base import OnlineWalk, Oracle, Stopped
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Run, Solution, Solver, Status, at_least
from maxmargin.solvers.certify import evaluate
from maxmargin.solvers.monitor import Monitor


@dataclass(frozen=True)
class Subgradient(Solver):
    """Stochastic subgradient descent with the steps of Pegasos, ``1 / (lambda t)`` with ``lambda = 1 / (C n)``.

    Parameters
    ----------
    passes : over the training set (``max_iter`` may stop it before)

    The returned ``w`` is the average over all steps, step ``t`` counting in proportion to ``t``.
    """

    name: ClassVar[str] = "subgradient"
    has_gap: ClassVar[bool] = False

    passes: int = 50

    def __post_init__(self) -> None:
        at_least("passes", self.passes, 1)

    def check(self, formulation: Formulation) -> None:
        if formulation.slack == "hard":
            raise Unsupported(
                "The subgradient solver needs a slack to differentiate: use solver='n-slack' for a hard margin."
            )

    def __call__(self, oracle: Oracle, C: float, run: Run, start: Solution | None = None) -> Solution:
        self.check(oracle.formulation)
        # The gradient of slack^2 / 2 grows with the slack: steps longer than 1 / |a|^2 would overshoot without end.
        first = int(np.ceil(C * oracle.n * oracle.steepness())) if oracle.formulation.slack == "squared" else 0
        walk, monitor, _ = _walked(oracle, run, self.name, self.passes, C * oracle.n, first)
        # t times the w before step t + 1 is C n v, so the average needs no more than the sum of all v.
        steps = max(1, walk.done)
        w = walk.sum(oracle.space, C * oracle.n / (steps * (first + 0.5 * (steps + 1))))
        best = None
        if oracle.exact:
            with monitor, suppress(Stopped):
                best = evaluate(oracle, C, w, monitor.closing())
        return Solution(
            w=w,
            status=monitor.status or Status.FINISHED,
            primal=None if best is None else best.primal,
            slack=None if best is None else best.slack,
            dual=None,
            n_iter=len(monitor.trace),
            oracle_calls=walk.done + (oracle.n if best else 0),
            trace=tuple(monitor.trace),
        )


@dataclass(frozen=True)
class Perceptron(Solver):
    """The averaged perceptron of Collins: adds ``Psi(x, y_true) - Psi(x, prediction)`` at every mistake.

    There is no objective: C, tol, rescaling and slack play no part. Stops after a pass without mistakes. A mistake is a
    prediction that is not the truth; where the truth shares the highest score with other outputs, the prediction is
    what ``predict`` would answer, of classes the first.

    Parameters
    ----------
    passes : over the training set at most
    """

    name: ClassVar[str] = "perceptron"
    mistakes_only: ClassVar[bool] = True
    has_gap: ClassVar[bool] = False

    passes: int = 20

    def __post_init__(self) -> None:
        at_least("passes", self.passes, 1)

    def check(self, formulation: Formulation) -> None:
        if not formulation.mistakes and (formulation.rescaling, formulation.slack) != ("margin", "linear"):
            raise Unsupported(
                f"The perceptron has no slack and no loss, so it cannot train with {formulation}; "
                "use rescaling='margin' and slack='linear'."
            )

    def __call__(self, oracle: Oracle, C: float, run: Run, start: Solution | None = None) -> Solution:
        if not oracle.formulation.mistakes:
            raise ValueError("The perceptron needs an oracle bound with Formulation(mistakes=True).")
        walk, monitor, clean = _walked(oracle, run, self.name, self.passes, 0.0)
        return Solution(
            w=walk.sum(oracle.space, 1.0 / max(1, walk.done)),
            status=monitor.status or Status.FINISHED,
            primal=None,
            dual=None,
            n_iter=len(monitor.trace),
            oracle_calls=walk.done,
            trace=tuple(monitor.trace),
            details={"separated": clean},
        )


def _walked(
    oracle: Oracle, run: Run, name: str, passes: int, numerator: float, first: int = 0
) -> tuple[OnlineWalk, Monitor, bool]:
    """Shuffled passes of ``Oracle.accumulate``, and whether the last had no mistakes.

    ``first`` is the step count to start from: a large one makes the first steps short.
    """
    rng = check_random_state(run.random_state)
    walk = OnlineWalk(oracle.space.zero(), oracle.space.zero(), first)
    clean = False
    with Monitor(run, name) as monitor:
        for _ in range(passes):
            mistakes, late = 0, False
            for portion in oracle.portions(rng.permutation(oracle.n).astype(np.int32)):
                mistakes += oracle.accumulate(walk, portion, numerator)
                if late := monitor.late:
                    break
            clean = mistakes == 0 and not late
            if monitor.tick(oracle_calls=walk.done) or (clean and not numerator):
                break
    return walk, monitor, clean
