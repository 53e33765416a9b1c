"""Baselines that walk over the examples without a dual: stochastic subgradient and the averaged perceptron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.oracles.base import Oracle
from maxmargin.oracles.search import Unsupported
from maxmargin.rescaling import Formulation
from maxmargin.solvers.averaging import PolynomialAverage
from maxmargin.solvers.base import Run, Solution, Status, at_least
from maxmargin.solvers.certify import evaluate
from maxmargin.solvers.monitor import Monitor

_SNAPSHOTS = 50  # a pass, for the average


@dataclass(frozen=True)
class Subgradient:
    """Stochastic subgradient descent with the steps of Pegasos, ``1 / (lambda t)`` with ``lambda = 1 / (C n)``.

    Parameters
    ----------
    passes : over the training set (``max_iter`` may stop it before)
    averaging : snapshot ``t`` of fifty a pass weighs ``t ** averaging`` in the returned average
    """

    name: ClassVar[str] = "subgradient"

    passes: int = 50
    averaging: float = 1.0

    def __post_init__(self) -> None:
        at_least("passes", self.passes, 1)
        at_least("averaging", self.averaging, 0)

    def check(self, formulation: Formulation) -> None:
        if formulation.slack == "hard":
            raise Unsupported(
                "The subgradient solver needs a slack to differentiate: use solver='n-slack' for a hard margin."
            )

    def __call__(self, oracle: Oracle, C: float, run: Run, start: Solution | None = None) -> Solution:
        self.check(oracle.formulation)
        # The gradient of slack^2 / 2 grows with the slack: steps longer than 1 / |a|^2 would overshoot without end.
        first = int(np.ceil(C * oracle.n * oracle.steepness())) if oracle.formulation.slack == "squared" else 0
        average, monitor, calls, _ = _walk(oracle, run, self.name, self.passes, self.averaging, C * oracle.n, first)
        best = None
        if oracle.exact:
            with monitor:
                best = evaluate(oracle, C, average.value)
        return Solution(
            w=average.value,
            status=monitor.status or Status.FINISHED,
            primal=None if best is None else best.primal,
            slack=None if best is None else best.slack,
            dual=None,
            n_iter=len(monitor.trace),
            oracle_calls=calls + (oracle.n if best else 0),
            trace=tuple(monitor.trace),
        )


@dataclass(frozen=True)
class Perceptron:
    """The averaged perceptron of Collins: adds ``Psi(x, y_true) - Psi(x, prediction)`` at every mistake.

    There is no objective: C, tol, rescaling and slack play no part. Stops after a pass without mistakes.

    Parameters
    ----------
    passes : over the training set at most
    """

    name: ClassVar[str] = "perceptron"

    passes: int = 20

    def __post_init__(self) -> None:
        at_least("passes", self.passes, 1)

    def check(self, formulation: Formulation) -> None:
        if not formulation.mistakes and (formulation.rescaling, formulation.slack) != ("margin", "linear"):
            raise Unsupported(
                f"The perceptron has no slack and no loss, so it cannot train with {formulation}; "
                "leave both at their defaults."
            )

    def __call__(self, oracle: Oracle, C: float, run: Run, start: Solution | None = None) -> Solution:
        if not oracle.formulation.mistakes:
            raise ValueError("The perceptron needs an oracle bound with Formulation(mistakes=True).")
        average, monitor, calls, clean = _walk(oracle, run, self.name, self.passes, 0.0, 0.0)
        return Solution(
            w=average.value,
            status=monitor.status or Status.FINISHED,
            primal=None,
            dual=None,
            n_iter=len(monitor.trace),
            oracle_calls=calls,
            trace=tuple(monitor.trace),
            details={"separated": clean},
        )


def _walk(
    oracle: Oracle, run: Run, name: str, passes: int, power: float, numerator: float, first: int = 0
) -> tuple[PolynomialAverage, Monitor, int, bool]:
    """Shuffled passes of ``Oracle.accumulate`` with the average of the weights along the way.

    ``first`` is the step count to start from: a large one makes the first steps short.
    """
    rng = check_random_state(run.random_state)
    v, average = np.zeros(oracle.dimension), PolynomialAverage(oracle.dimension, power)
    steps, clean = first, False
    with Monitor(run, name) as monitor:
        for _ in range(passes):
            order = rng.permutation(oracle.n).astype(np.int32)
            mistakes = 0
            for part in np.array_split(order, min(_SNAPSHOTS, order.size)):
                mistakes += oracle.accumulate(v, part, steps, numerator)
                steps += part.size
                average.add(v * (numerator / steps) if numerator else v)
            clean = mistakes == 0
            if monitor.tick(oracle_calls=steps - first) or (clean and not numerator):
                break
    return average, monitor, steps - first, clean
