"""What goes into a solver and what comes out of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.oracles.base import Cut, Oracle
from maxmargin.oracles.engine import DualState

Floats = npt.NDArray[np.float64]


class Status(Enum):
    """Why a solver stopped; the value is the message."""

    CONVERGED = "The gap is at most what tol asks for."
    FINISHED = "All passes were made; this solver has no gap to check."
    MAX_ITER = "Stopped at max_iter."
    MAX_TIME = "Stopped at max_time."
    STALLED = "No further progress is possible in floating point before the gap is as small as tol asks for."
    INTERRUPTED = "Interrupted; this is the best solution so far."
    CALLBACK = "Stopped by a callback."
    INFEASIBLE = "The hard-margin problem has no solution: its planes contradict each other."
    LOCAL = "A local optimum: where labels are known in part the problem is not convex, so the gap is not known."
    INEXACT = "No plane of an approximate search, or sampled cut, is violated by more than tol; the gap is not known."

    @property
    def message(self) -> str:
        return self.value


LIMITS = (Status.MAX_ITER, Status.MAX_TIME, Status.STALLED)  # overruled where the last exact pass shows a small gap


@dataclass(frozen=True)
class Record:
    """One row of the trace. ``primal`` is None where no exact pass was made, ``estimate`` a cheap guess of the gap, and
    ``allowed`` the gap at which training would have ended."""

    iteration: int
    seconds: float
    oracle_calls: int
    cache_hits: int
    planes: int
    primal: float | None
    dual: float | None
    estimate: float | None
    allowed: float | None = None


@dataclass(frozen=True)
class Run:
    """Limits and observers of one run, whatever the solver.

    ``tol`` is in units of the loss: training stops when the gap is at most ``C * sum(sample_weight) * tol``
    (a hard margin: when a ``w`` with every margin has a gap of at most ``2 * tol`` times its objective), or at most
    ``relative`` times ``1/2 |w|^2`` (see ``Target``). A ``rough`` run is a trial: small problems, which are else solved
    as far as rounding allows, are solved no further than that. ``inspect`` is called with the number of passes and the
    present ``w`` after each pass of coordinate ascent and each step of L-BFGS, and may raise an exception to give the
    run up.
    """

    tol: float = 1e-3
    max_iter: int | None = None
    max_time: float | None = None
    random_state: int | np.random.RandomState | None = 0
    verbose: int = 0
    callback: Callable[[Record], Any] | None = None
    relative: float = 0.0
    rough: bool = False
    inspect: Callable[[int, Any], None] | None = None


@dataclass(frozen=True)
class Infeasible:
    """Proof that no ``w`` gives every margin: ``alpha >= 0``, ``sum alpha a = 0``, ``sum alpha b = 1``.

    ``residual`` is ``|sum alpha a|``, zero but for rounding; ``example`` is the one with the largest ``alpha``.
    """

    @property
    def examples(self) -> list[int]:
        """The examples that contradict each other."""
        return [int(i) for i in np.unique(self.planes.example[self.alpha > 0.0])]

    planes: Planes
    alpha: Floats
    residual: float
    example: int


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """The answer of a solver.

    ``w`` is a point of the oracle's ``space``, an array of all weights wherever that is explicit. ``primal`` is the
    exact objective of ``w``, ``dual`` the dual objective of ``state``, ``gap`` their difference. Each is None where it
    does not exist: no dual for subgradient and perceptron, nothing after an inexact search. ``w`` may be an average of
    iterates; ``state`` then certifies it without being equal to it.
    ``blocks`` are the dual variables by example that an earlier part of the run left, where ``state`` holds cuts.
    ``aggregate`` is the one cut that all dual variables of an n-slack solution amount to.
    """

    w: Any
    status: Status
    primal: float | None
    dual: float | None
    n_iter: int
    oracle_calls: int
    cache_hits: int = 0
    slack: Floats | None = None
    state: DualState | None = None
    trace: tuple[Record, ...] = ()
    certificate: Infeasible | None = None
    aggregate: Cut | None = None
    blocks: DualState | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        """The answer on one line, without the arrays."""
        numbers = {"primal": self.primal, "dual": self.dual, "gap": self.gap}
        known = [f"{name}={value:.6g}" for name, value in numbers.items() if value is not None]
        counts = [f"n_iter={self.n_iter}", f"oracle_calls={self.oracle_calls}"]
        return f"Solution({', '.join([self.status.name, *known, *counts])}, w of shape {np.shape(self.w)})"

    @property
    def gap(self) -> float | None:
        return None if self.primal is None or self.dual is None else self.primal - self.dual

    @property
    def alpha(self) -> Floats | None:
        """Dual variables, one per plane of ``planes``."""
        return None if self.state is None else self.state.alpha

    @property
    def planes(self) -> Planes | None:
        """The planes in use, with rows in the layout of ``w``; None where example and output say it (multiclass)."""
        return None if self.state is None else self.state.planes


def at_least(name: str, value: Any, least: float) -> None:
    """Raises for a setting that is too small or not a number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= least:
        raise ValueError(f"{name} must be at least {least}, not {value!r}.")


def whole_number(name: str, value: Any, least: int, otherwise: str = "") -> None:
    """Raises for a setting that is no whole number, or too small; ``otherwise`` names what else it may be."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ValueError(f"{name} must be a whole number of at least {least}{otherwise}, not {value!r}.")


def one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Raises for a setting that is none of the words allowed."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {value!r}.")


class Solver(ABC):
    """A frozen dataclass of settings, called on an oracle."""

    name: ClassVar[str]
    mistakes_only: ClassVar[bool] = False  # looks at predictions, not at a loss: Formulation(mistakes=True)
    keeps_bounds: ClassVar[bool] = False  # of the weights, with linear or squared slack
    has_gap: ClassVar[bool] = True  # stops when it is small enough; else after a number of passes

    def check(self, formulation: Formulation) -> None:
        """Raises ``Unsupported`` for a formulation that this solver cannot train; by default there is none."""
        return

    @abstractmethod
    def __call__(self, oracle: Oracle, C: float, run: Run, start: Solution | None = None) -> Solution:
        """Trains, from an earlier solution where one is given."""
