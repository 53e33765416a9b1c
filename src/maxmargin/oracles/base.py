"""What a solver sees of a bound problem: an oracle that answers at fixed ``w``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.core.points import Explicit, Point, WeightSpace
from maxmargin.core.vectors import compact
from maxmargin.core.weight_bounds import Bounds
from maxmargin.oracles.engine import DualState, Engine

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Stop = Callable[[], bool]


class Stopped(Exception):
    """A pass over the examples ended early because its ``stop`` said so."""


@dataclass(frozen=True, eq=False)
class Cut:
    """The weighted sum of one plane per example: ``sum_i s_i risk_i(w') >= b - <a, w'>``, tight at the ``w`` asked.

    ``slack`` holds the slack of every example asked. Where weights are arrays, ``a`` is one too, or a ``SparseVector``.
    """

    a: Any
    b: float
    slack: Floats


@dataclass(eq=False)
class OnlineWalk:
    """A sum of planes ``v`` that grows step by step, and what its average over all steps needs.

    ``late`` is the same sum with step ``k = 1, 2, ...`` counting ``k`` times. After ``done`` steps the values that
    ``v`` had after each of them add up to ``(done + 1) * v - late``. ``first`` is the step count assumed at the start.
    """

    v: Any
    late: Any
    first: int = 0
    done: int = 0

    def sum(self, space: WeightSpace, factor: float) -> Any:
        """``factor`` times the sum over all steps of ``v`` after the step."""
        return space.combination((factor * (self.done + 1), -factor), (self.v, self.late))


@dataclass(frozen=True)
class Capabilities:
    """What solvers may count on, and what their questions cost, in multiplications, roughly.

    Parameters
    ----------
    visit_cost : of a visit to one example
    pass_cost : of a pass over all examples
    exact : no plane is above the one found; where a search gives up on the way the oracle gets a record that says so
    cheap : asking is a matter of the native core
    cached : asking costs much more than looking at the planes held
    joint : all examples at one ``w`` cost little more than one of them
    partial : the truths are completions of what is known of them (``Oracle.completed``)
    row_cost : of writing a plane out as a row and multiplying it with others, zero where planes are rows
    row_cells : numbers of such a row, where the products of planes are sparse ones
    """

    visit_cost: float
    pass_cost: float
    exact: bool = True
    cheap: bool = False
    cached: bool = True
    joint: bool = False
    partial: bool = False
    row_cost: float = 0.0
    row_cells: float = 0.0


class KeptPlanes(Protocol):
    """The planes that an oracle found recently, tried before it is asked again."""

    @property
    def price(self) -> float:
        """Of a look at all of them, in multiplications, roughly."""
        ...

    @property
    def known(self) -> float:
        """The share of the examples whose last answer was among them already."""
        ...

    def cut(self, w: Any, stop: Stop | None = None) -> Cut:
        """The summed plane at ``w``, as the oracle finds it; its planes are kept."""
        ...

    def best_cut(self, w: Any, stop: Stop | None = None) -> Cut:
        """The summed plane at ``w`` of the planes kept: a lower bound."""
        ...


class CutsOfSome(Protocol):
    """Cuts of samples of the examples (see ``Oracle.cut_of``)."""

    @property
    def space(self) -> WeightSpace: ...
    def cut_of(self, w: Any, examples: Indices, weight: Floats, stop: Stop | None = None) -> Cut: ...
    def whole(self, w: Any) -> Any:
        """The same weights as a point of the oracle's own space."""
        ...


class Smoothed(Protocol):
    """The objective of an oracle in a smooth form that keeps its best point and the best dual variables so far."""

    @property
    def primal(self) -> float: ...
    @property
    def dual(self) -> float: ...
    @property
    def dual_square(self) -> float:
        """``1/2 |w|^2`` at the ``w`` of the dual variables."""
        ...

    @property
    def weights(self) -> Floats: ...
    @property
    def slack(self) -> Floats: ...
    @property
    def cut(self) -> tuple[Floats, float]:
        """The cut that the dual variables amount to."""
        ...

    @property
    def passes(self) -> int: ...
    def start(self) -> None: ...
    def resume(self, weights: Floats, a: Floats | None, b: float) -> None: ...
    def step(self, allowed: float) -> bool: ...


class Oracle(ABC):
    """A problem bound to its training set and formulation."""

    n: int
    dimension: int
    formulation: Formulation
    sample_weight: Floats | None
    capabilities: Capabilities
    bounds: Bounds | None = None  # of the weights

    @property
    def space(self) -> WeightSpace:
        """Where weights and planes live; arrays of numbers if a subclass says nothing else."""
        return Explicit(self.dimension)

    @property
    def exact(self) -> bool:
        """Whether every answer so far was exact."""
        return self.capabilities.exact

    def give_up_exactness(self) -> None:
        """A search gave up: from now on a slack may have been too small."""
        self.capabilities = replace(self.capabilities, exact=False)

    @property
    def problem_name(self) -> str:
        """What messages call the problem."""
        return type(self).__name__

    @abstractmethod
    def portions(self, order: Indices) -> list[Indices]:
        """An order of examples in pieces after each of which limits are looked at."""

    def work_of(self, examples: Indices) -> float:
        """What asking these examples costs, in units of the mean of all."""
        return float(examples.size)

    @abstractmethod
    def slacks(self, w: Any, stop: Stop | None = None) -> Floats:
        """``max(0, max_y b - <a, w>)`` of every example; raises ``Stopped`` on the way where ``stop`` says so."""

    @abstractmethod
    def cut(self, w: Any, stop: Stop | None = None) -> Cut:
        """The summed plane at ``w``. ``stop`` as in ``slacks``."""

    @abstractmethod
    def planes(self, w: Any, examples: Indices) -> Planes:
        """The most violated plane of each example."""

    def cut_of(self, w: Any, examples: Indices, weight: Floats, stop: Stop | None = None) -> Cut:
        """The summed plane of some different examples at ``w``, each with its ``weight`` in place of its sample weight;
        ``slack`` is theirs. ``stop`` as in ``slacks``."""
        squared = self.formulation.slack == "squared"
        a, b, slacks, done = np.zeros(self.dimension), 0.0, np.zeros(examples.size), 0
        for part in self.portions(examples):
            if stop is not None and stop():
                raise Stopped
            planes, own = self.planes(w, part), weight[done : done + part.size]
            slack = slacks[done : done + part.size] = np.maximum(0.0, planes.value(w))
            factor = own * (slack if squared else slack > 0.0)
            a += planes.combine(factor)
            b += float(factor @ planes.b) - (0.5 * float(own @ slack**2) if squared else 0.0)
            done += part.size
        return Cut(compact(a), b, slacks)

    def by_parts(self) -> CutsOfSome:
        """Where weights live that cost as much as the examples that they were found from, however many there are."""
        return self

    def whole(self, w: Any) -> Any:
        """Weights of ``by_parts`` as a point of ``space``."""
        return w

    @abstractmethod
    def engine(self, C: float) -> Engine:
        """Dual ascent over the planes of this oracle."""

    @abstractmethod
    def expand(self, state: DualState) -> Planes:
        """The planes of a dual state as rows of numbers whose inner products are those of the planes."""

    @abstractmethod
    def accumulate(self, walk: OnlineWalk, order: Indices, numerator: float) -> int:
        """Adds the most violated plane of each example in turn to ``walk.v``, found at ``w = numerator / t * v`` with
        ``t = walk.first + walk.done``, or at ``w = v`` if ``numerator`` is 0. Returns how many were added."""

    @abstractmethod
    def steepness(self) -> float:
        """The largest ``|a|^2`` of a plane, as far as it is known without asking everybody."""

    @abstractmethod
    def fingerprint(self) -> str | None:
        """Changes when the planes of this oracle may have changed; None if that cannot be known. For warm starts."""

    @abstractmethod
    def moved(self, state: DualState, codes: Indices) -> DualState:
        """A state of outputs from an earlier fit, whose class k has the number ``codes[k]`` now (-1: it is gone),
        without what does not fit the examples any more."""

    def keys(self) -> list[str] | None:
        """By what each example is recognised in a later fit, where its planes are rows; None where they are outputs,
        from which planes are made anew, or where it cannot be told."""
        return None

    def definitions(self) -> tuple[Any, ...]:
        """Classes and functions that keys tell apart by their address only."""
        return ()

    def keeping(self, size: int) -> KeptPlanes | None:
        """The last ``size`` planes of each example; None where asking anew costs no more."""
        return None

    def completed(self, w: Any) -> Oracle | None:
        """The same examples with the best completions at ``w`` as truths; None where they are that already."""
        return None

    def smoothed(self, C: float) -> Smoothed | None:
        """The objective for Newton's method, where that is fast."""
        return None

    def contradicted(self, i: int, w: Any, value: float, held: float) -> None:
        """Called where an answer for example ``i`` at ``w`` is worse than a plane held; raises if it can be shown that
        the search is at fault."""
        return

    def try_out(self) -> int:
        """Before training, asks what can be compared with other answers, and raises where these contradict each other;
        returns the number of questions."""
        return 0

    def try_result(self, w: Any, slack: Floats | None, seconds: float) -> int:
        """The same about the weights and slacks that training has found in so many seconds."""
        return 0


def total_weight(oracle: Oracle) -> float:
    """``sum_i s_i``."""
    return float(oracle.n if oracle.sample_weight is None else oracle.sample_weight.sum())


def primal(oracle: Oracle, C: float, w: Point, slack: Floats) -> float:
    """``1/2 |w|^2 + C sum_i s_i risk_i``."""
    risk = oracle.formulation.risk(slack)
    total = risk.sum() if oracle.sample_weight is None else risk @ oracle.sample_weight
    return 0.5 * oracle.space.square(w) + C * float(total)
