"""What a solver sees of a bound problem: an oracle that answers at fixed ``w``, and a dual engine over its planes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from maxmargin._core import VisitResult, VisitSettings
from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.core.weight_bounds import Bounds

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class Stopped(Exception):
    """A pass over the examples ended early because its ``stop`` said so."""


@dataclass(frozen=True, eq=False)
class Cut:
    """The weighted sum of one plane per example: ``sum_i s_i risk_i(w') >= b - <a, w'>``, tight at the ``w`` asked.

    ``slack`` holds the slack of every example asked, ``a`` is a dense array or a ``SparseVector``.
    """

    a: Any
    b: float
    slack: Floats


@dataclass(frozen=True, eq=False)
class DualState:
    """Dual variables and what they belong to.

    A plane is known by its example and its output (a class); where that is not enough, ``handles`` holds the outputs in
    the form of the structure (label sequences), or ``planes`` the rows, in the same order. ``Oracle.expand`` makes rows
    of all of them. ``cuts`` marks the summed planes of the 1-slack form,
    which belong to no example (-1) and have one cap, C, for all.
    """

    example: Indices
    output: Indices
    alpha: Floats
    planes: Planes | None = None
    cuts: bool = False
    handles: Sequence[Any] | None = None

    def take(self, positions: npt.NDArray[Any]) -> DualState:
        """Some of the planes."""
        planes = None if self.planes is None else self.planes.take(positions)
        handles = None if self.handles is None else [self.handles[k] for k in positions]
        return DualState(
            self.example[positions], self.output[positions], self.alpha[positions], planes, self.cuts, handles
        )


@dataclass(eq=False)
class OnlineWalk:
    """A sum of planes ``v`` that grows step by step, and what its average over all steps needs.

    ``late`` is the same sum with step ``k = 1, 2, ...`` counting ``k`` times. After ``done`` steps the values that
    ``v`` had after each of them add up to ``(done + 1) * v - late``. ``first`` is the step count assumed at the start.
    """

    v: Floats
    late: Floats
    first: int = 0
    done: int = 0

    @property
    def total(self) -> Floats:
        """The sum over all steps of ``v`` after the step."""
        return (self.done + 1) * self.v - self.late


class Engine(Protocol):
    """Block coordinate ascent on the planes of one oracle (see ``engine/engine.hpp``)."""

    separate: bool  # every plane has a cap of its own; else those of an example share one

    @property
    def weights(self) -> Floats:
        """``w = sum alpha a``, exact."""
        ...

    @property
    def rough_weights(self) -> npt.NDArray[np.float32] | Floats:
        """``w`` as the last visit left it, float32 after coarse visits."""
        ...

    @property
    def gaps(self) -> npt.NDArray[np.float32]: ...
    @property
    def dual(self) -> float: ...
    @property
    def linear(self) -> float: ...
    @property
    def offset(self) -> float: ...
    @property
    def plane_count(self) -> int: ...

    def visit(self, order: Indices, settings: VisitSettings, capacity: int | None = None) -> VisitResult:
        """Asks the oracle for each example in turn and takes a step in its block."""
        ...

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int) -> VisitResult:
        """Steps over the planes in working sets, without asking, until no block is violated by more than
        ``tolerance``."""
        ...

    def mark(self) -> None:
        """Remembers the dual variables as they are, for ``extrapolate``."""
        ...

    def extrapolate(self, factor: float) -> float:
        """Extrapolates along the path from the mark to here by ``factor`` of its length, each block within its cap;
        kept if the dual improves. Returns the gain."""
        ...

    def sharpen(self) -> None:
        """After coarse visits, computes ``w`` and the dual anew from alpha."""
        ...

    def set_alpha(self, alpha: Floats) -> None:
        """Sets the dual variables of all planes in working sets, in the order of ``working_sets``, cut down to what the
        budget allows."""
        ...

    def working_sets(self) -> DualState:
        """The planes in working sets, as the engine counts them; ``state`` may be another form of the same."""
        ...

    def state(self) -> DualState: ...
    def restore(self, state: DualState) -> None: ...


class EngineCore(Protocol):
    """What every native engine has, whatever its blocks are (``bindings/engine/engine.hpp``)."""

    @property
    def weights(self) -> Floats: ...
    @property
    def rough_weights(self) -> npt.NDArray[np.float32] | Floats: ...
    @property
    def gaps(self) -> npt.NDArray[np.float32]: ...
    @property
    def dual(self) -> float: ...
    @property
    def linear(self) -> float: ...
    @property
    def offset(self) -> float: ...
    @property
    def plane_count(self) -> int: ...
    def visit(self, order: Indices, settings: VisitSettings) -> VisitResult: ...
    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int) -> VisitResult: ...
    def mark(self) -> None: ...
    def extrapolate(self, factor: float) -> float: ...
    def sharpen(self) -> None: ...
    def set_alpha(self, alpha: Floats) -> None: ...
    def support(self) -> tuple[Any, ...]: ...


class CoreEngine:
    """What an engine passes on to the native one, ``core``."""

    separate = False
    core: EngineCore

    @property
    def weights(self) -> Floats:
        return self.core.weights

    @property
    def rough_weights(self) -> npt.NDArray[np.float32] | Floats:
        return self.core.rough_weights

    @property
    def gaps(self) -> npt.NDArray[np.float32]:
        return self.core.gaps

    @property
    def dual(self) -> float:
        return self.core.dual

    @property
    def linear(self) -> float:
        return self.core.linear

    @property
    def offset(self) -> float:
        return self.core.offset

    @property
    def plane_count(self) -> int:
        return self.core.plane_count

    def mark(self) -> None:
        self.core.mark()

    def extrapolate(self, factor: float) -> float:
        return self.core.extrapolate(factor)

    def sharpen(self) -> None:
        self.core.sharpen()

    def set_alpha(self, alpha: Floats) -> None:
        self.core.set_alpha(alpha)

    def state(self) -> DualState:
        raise NotImplementedError

    def working_sets(self) -> DualState:
        return self.state()

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int) -> VisitResult:
        return self.core.settle(settings, tolerance, max_passes)


class Oracle(Protocol):
    """A problem bound to its training set and formulation."""

    n: int
    dimension: int
    formulation: Formulation
    sample_weight: Floats | None
    exact: bool  # may turn false on the way, where a search gives up
    cheap: bool  # asking costs no more than looking at the planes held
    joint: bool  # all examples at one w cost little more than one of them
    visit_cost: float  # multiplications that a visit to one example costs, roughly
    bounds: Bounds | None  # of the weights

    def portions(self, order: Indices) -> list[Indices]:
        """An order of examples in pieces after each of which limits are looked at."""
        ...

    def slacks(self, w: Floats, stop: Callable[[], bool] | None = None) -> Floats:
        """``max(0, max_y b - <a, w>)`` of every example; raises ``Stopped`` on the way where ``stop`` says so."""
        ...

    def cut(self, w: Floats, *, fresh: bool = True, stop: Callable[[], bool] | None = None) -> Cut:
        """The summed plane at ``w``; ``fresh=False`` builds it from planes seen before (a lower bound). ``stop`` as in
        ``slacks``."""
        ...

    def planes(self, w: Floats, examples: Indices) -> Planes:
        """The most violated plane of each example."""
        ...

    def keys(self) -> list[str] | None:
        """By what each example is recognised in a later fit, where its planes are rows; None where they are outputs,
        from which planes are made anew, or where it cannot be told."""
        ...

    def moved(self, state: DualState, codes: Indices) -> DualState:
        """A state of outputs from an earlier fit, whose class k has the number ``codes[k]`` now (-1: it is gone),
        without what does not fit the examples any more."""
        ...

    def fingerprint(self) -> str | None:
        """Changes when the planes of this oracle may have changed; None if that cannot be known. For warm starts."""
        ...

    def steepness(self) -> float:
        """The largest ``|a|^2`` of a plane, as far as it is known without asking everybody."""
        ...

    def engine(self, C: float) -> Engine: ...

    def expand(self, state: DualState) -> Planes:
        """The rows of the planes of a dual state."""
        ...

    def accumulate(self, walk: OnlineWalk, order: Indices, numerator: float) -> int:
        """Adds the most violated plane of each example in turn to ``walk.v``, found at ``w = numerator / t * v`` with
        ``t = walk.first + walk.done``, or at ``w = v`` if ``numerator`` is 0. Returns how many were added."""
        ...


def total_weight(oracle: Oracle) -> float:
    """``sum_i s_i``."""
    return float(oracle.n if oracle.sample_weight is None else oracle.sample_weight.sum())


def primal(oracle: Oracle, C: float, w: Floats, slack: Floats) -> float:
    """``1/2 |w|^2 + C sum_i s_i risk_i``."""
    risk = oracle.formulation.risk(slack)
    total = risk.sum() if oracle.sample_weight is None else risk @ oracle.sample_weight
    return 0.5 * float(w @ w) + C * float(total)
