"""What the solvers of conditional likelihood share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from maxmargin.solvers.base import Run, Solution

Floats = npt.NDArray[np.float64]
Stop = Callable[[], bool]
Indices = npt.NDArray[np.int32]


class StochasticSteps(Protocol):
    """What stochastic gradient descent needs of a likelihood (``engine/stochastic_descent.hpp``)."""

    @property
    def steepness(self) -> Callable[[], float]:
        """The largest ``|Psi|^2`` of some true outputs: from its inverse on the length of steps is tried."""
        ...

    def descend(
        self, v: Floats, factor: float, steps: int, order: Indices, first: float, decay: float
    ) -> tuple[float, float]:
        """A step at ``w = factor * v`` for each example of ``order``, after so many ``steps``: the sum of what it
        found, each at the weights that it met, and the new factor."""
        ...


class Likelihood(Protocol):
    """A sum of negative log-likelihoods ``f(w)``, smooth, over the weights that may differ from zero.

    ``shorter`` is the problem with fewer transitions, None where these cost little, and ``extended`` makes a ``w`` of
    its weights in native layout. ``value`` and ``gradient`` ask ``stop`` every few hundredths of a second,
    and raise ``Stopped`` where it says so. ``curvature`` is a typical second derivative of ``f``, 0 where it is not
    known: it gives the first step of L-BFGS its length, whatever the scale of the features. ``inverse_curvature``
    solves with a matrix that is like the second derivatives of ``l2/2 |w|^2 + C f(w)``; None unless ``invertible``,
    where it would cost more than it saves. ``inverse_curvature_at`` is the same for those at ``w``, None where they
    cost much; ``renewal`` is the number of iterations after which they are worth their price, None where there are
    none. ``dual`` is an engine of dual ascent, None unless ``has_dual``. ``steps`` are for stochastic
    gradient descent, None where there are none.
    """

    n: int
    free: npt.NDArray[np.int64]

    @property
    def total_weight(self) -> float: ...
    @property
    def value_at_zero(self) -> float: ...
    @property
    def convex(self) -> bool: ...
    @property
    def curvature(self) -> float: ...
    @property
    def work(self) -> float: ...
    @property
    def invertible(self) -> bool: ...
    @property
    def has_dual(self) -> bool: ...
    @property
    def steps(self) -> StochasticSteps | None: ...
    @property
    def renewal(self) -> int | None: ...
    def inverse_curvature(self, C: float, l2: float) -> Callable[[Floats], Floats] | None: ...
    def inverse_curvature_at(self, w: Floats, C: float, l2: float) -> Callable[[Floats], Floats] | None: ...
    def native(self, w: Floats) -> Floats: ...
    def value(self, native: Floats, stop: Stop | None = None) -> float: ...
    def gradient(self, w: Floats, stop: Stop | None = None) -> tuple[float, Floats]: ...
    def dual(self, C: float) -> Any: ...
    def shorter(self) -> Likelihood | None: ...
    def extended(self, native: Floats) -> Floats: ...
    def portions(self, order: Indices) -> list[Indices]: ...


@dataclass(frozen=True)
class Objective:
    """``l2/2 |w|^2 + l1 |w|_1 + C f(w)``, and how exactly its minimum is wanted."""

    problem: Likelihood
    C: float
    l1: float
    l2: float
    tol: float

    def allowed(self, value: float) -> float:
        """The largest gap that ``tol`` allows where the objective is ``value``."""
        return self.tol * max(self.C * self.problem.total_weight, value)


class LikelihoodSolver(Protocol):
    """Minimises ``l2/2 |w|^2 + l1 |w|_1 + C f(w)``; the solution's ``w`` is in native layout.

    Training ends when the gap is at most ``tol`` times ``C * sum(s)`` or times the objective, whichever is larger.
    ``start`` is a ``w`` in native layout that may be near the optimum; where dual ascent starts, the problem knows.
    """

    @property
    def name(self) -> str: ...
    def __call__(
        self, problem: Likelihood, C: float, l1: float, l2: float, run: Run, start: Floats | None = None
    ) -> Solution: ...
