"""Dual ascent over the planes of one oracle, as solvers see it, and the dual variables that come of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from maxmargin._core import Stretched, VisitResult, VisitSettings
from maxmargin.core.planes import Planes
from maxmargin.core.points import Point

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class DualState:
    """Dual variables and what they belong to.

    A plane is known by its example and its output (a class); where that is not enough, ``handles`` holds the outputs in
    the form of the structure (label sequences), or ``planes`` the rows, in the same order. ``Oracle.expand`` makes rows
    of all of them. ``cuts`` marks the summed planes of the 1-slack form, which belong to no example (-1) and have one
    cap, C, for all; ``handles`` are then pairs ``(a, b)``.
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
    def settle(
        self, settings: VisitSettings, tolerance: float, max_passes: int, blocks: Indices | None = None
    ) -> VisitResult: ...
    def mark(self) -> None: ...
    def extrapolate(self, factor: float) -> float: ...
    def stretch(self, factor: float) -> Stretched: ...
    def take_back(self, step: Stretched) -> None: ...
    def sharpen(self) -> None: ...
    def set_alpha(self, alpha: Floats) -> None: ...
    def support(self) -> tuple[Any, ...]: ...


class Engine(ABC):
    """Block coordinate ascent on the planes of one oracle (see ``engine/engine.hpp``): the native one, ``core``, and
    what its subclass knows of the planes."""

    separate: ClassVar[bool] = False  # every plane has a cap of its own; else those of an example share one
    core: EngineCore

    @property
    def weights(self) -> Point:
        """``w = sum alpha a``, exact."""
        return self.core.weights

    @property
    def rough_weights(self) -> Point:
        """``w`` as the last visit left it, float32 after coarse visits."""
        return self.core.rough_weights

    @property
    def gaps(self) -> npt.NDArray[np.float32]:
        """Of each block when it was visited last."""
        return self.core.gaps

    @property
    def dual(self) -> float:
        return self.core.dual

    @property
    def linear(self) -> float:
        """``sum alpha b``."""
        return self.core.linear

    @property
    def offset(self) -> float:
        """The dual plus ``1/2 |w|^2``."""
        return self.core.offset

    @property
    def plane_count(self) -> int:
        """The number of planes in all working sets."""
        return self.core.plane_count

    @abstractmethod
    def visit(self, order: Indices, settings: VisitSettings, capacity: int | None = None) -> VisitResult:
        """Asks the oracle for each example in turn and takes a step in its block."""

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int) -> VisitResult:
        """Steps over the planes in working sets, without asking, until no block is violated by more than
        ``tolerance``."""
        return self.core.settle(settings, tolerance, max_passes)

    def mark(self) -> None:
        """Remembers the dual variables as they are, for ``extrapolate``."""
        self.core.mark()

    def extrapolate(self, factor: float) -> float:
        """Extrapolates along the path from the mark to here by ``factor`` of its length, each block within its cap;
        kept if the dual improves. Returns the gain."""
        return self.core.extrapolate(factor)

    def sharpen(self) -> None:
        """After coarse visits, computes ``w`` and the dual anew from alpha."""
        self.core.sharpen()

    def set_alpha(self, alpha: Floats) -> None:
        """Sets the dual variables of all planes in working sets, in the order of ``working_sets``, cut down to what the
        budget allows."""
        self.core.set_alpha(alpha)

    @abstractmethod
    def state(self) -> DualState:
        """The planes in use and their dual variables."""

    def working_sets(self) -> DualState:
        """The planes in working sets, as the engine counts them; ``state`` may be another form of the same."""
        return self.state()

    @abstractmethod
    def restore(self, state: DualState) -> None:
        """Takes up the planes of an earlier state."""
