"""What the solvers of conditional likelihood share."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from maxmargin.solvers.base import Run, Solution

Floats = npt.NDArray[np.float64]


class Likelihood(Protocol):
    """A sum of negative log-likelihoods ``f(w)``, convex and smooth, over the weights that may differ from zero."""

    n: int
    free: npt.NDArray[np.int64]

    @property
    def total_weight(self) -> float: ...
    @property
    def has_dual(self) -> bool: ...
    def native(self, w: Floats) -> Floats: ...
    def value(self, native: Floats) -> float: ...
    def gradient(self, w: Floats) -> tuple[float, Floats]: ...
    def dual(self, C: float) -> Any: ...


class LikelihoodSolver(Protocol):
    """Minimises ``l2/2 |w|^2 + l1 |w|_1 + C f(w)``; the solution's ``w`` is in native layout."""

    @property
    def name(self) -> str: ...
    def __call__(self, problem: Likelihood, C: float, l1: float, l2: float, run: Run) -> Solution: ...
