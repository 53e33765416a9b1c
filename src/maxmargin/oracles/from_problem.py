"""A user's Problem behind the oracle's face: a Python loop over examples."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy, deepcopy
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from maxmargin._core import dense_difference, sparse_difference
from maxmargin.core.formulation import Formulation, Search
from maxmargin.core.input_checks import LARGEST, check_room
from maxmargin.core.outputs import same_output, shown
from maxmargin.core.problem import Problem, asked, check_many, check_truths, has_power, joint_loss, taken, targets_of
from maxmargin.core.rivals import HEURISTIC, Rivals, changed_weights, is_write_refused, read_only
from maxmargin.core.vectors import SparseVector, Vector, as_vector, dot, scaled_difference
from maxmargin.core.weight_bounds import bounds_of
from maxmargin.oracles.base import Capabilities
from maxmargin.oracles.cached import PlaneCache
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.late_outputs import LateOutputs
from maxmargin.oracles.plane_by_plane import CALL, PlaneOracle
from maxmargin.oracles.plane_sums import Plane
from maxmargin.oracles.search import violated_output, violated_outputs
from maxmargin.oracles.trials import TOLERANCE, try_out, try_result

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Result = TypeVar("Result")

LARGEST_SQUARE = LARGEST**2
_BATCH = 256  # examples that argmax_many is asked for at one w, where each is followed by a step
_PORTION = 0.3  # seconds of a pass, after which limits are looked at


def _is_plain_row(row: Any) -> bool:
    """Whether a CSR row has the parts that the native code takes; their content is checked there."""
    index, value = row.indices, row.data
    return bool(
        index.dtype.char == "i"
        and value.dtype.char == "d"
        and index.flags.c_contiguous
        and value.flags.c_contiguous
        and row.indptr[-1] == index.size
    )


class ProblemOracle(PlaneOracle):
    """Asks ``problem`` one example at a time. Joint features of the truths are computed once and kept."""

    def __init__(
        self,
        problem: Problem,
        X: Sequence[Any],
        Y: Sequence[Any],
        formulation: Formulation,
        sample_weight: Floats | None = None,
        approximate: bool = False,
    ) -> None:
        self.problem, self.X, self.Y = problem, X, Y
        self.formulation, self.sample_weight = formulation, sample_weight
        self.n = len(Y)
        self._find, exact = violated_output(problem, formulation, approximate)
        partial = has_power(problem, "impute")
        self.capabilities = Capabilities(CALL, self.n * CALL, exact=exact, partial=partial)
        self._find_many = violated_outputs(problem, formulation)
        if self._find_many is not None:
            self.batch = max(1, min(self.n // 10, _BATCH))
        self._targets = targets_of(problem, X, Y)
        self.asked, self.dimension = 0, -1
        self._learn(self._targets)
        self.bounds = bounds_of(problem, self.dimension)

    def _learn(self, targets: Sequence[Any]) -> None:
        """Takes the outputs that the examples should have."""
        check_truths(self.problem, self.Y, targets)
        self._targets, self.outputs = targets, LateOutputs(self.n)
        # a copy, because the user may fill one buffer again and again
        self._truths = [deepcopy(self._feature(i, x, y)) for i, (x, y) in enumerate(zip(self.X, targets))]

    def completed(self, w: Floats) -> ProblemOracle | None:
        """The same examples with what ``impute`` finds at ``w`` as truths; None where they are that already."""
        if not self.capabilities.partial:
            return None
        problem: Any = self.problem
        targets = [problem.impute(x, y, read_only(w)) for x, y in zip(self.X, self.Y)]
        if all(map(same_output, targets, self._targets)):
            return None
        again = copy(self)
        again._learn(targets)
        return again

    def _feature(self, i: int, x: Any, y: Any) -> Vector:
        return self._vector(i, asked(self.problem, "joint_feature", i, x, y))

    def _vector(self, i: int, given: Any) -> Vector:
        vector, length = as_vector(given, f"joint_feature of example {i}")
        if self.dimension < 0:
            check_room(length)
            self.dimension = length
        if length != self.dimension:
            raise ValueError(
                f"{type(self.problem).__name__}.joint_feature of example {i} has length {length}, "
                f"that of example 0 has {self.dimension}; all must have one length."
            )
        return vector

    def _difference(self, i: int, y: Any, scale: float, w: Floats) -> tuple[Vector, float]:
        """``a`` of an output, and ``<a, w>``; the usual forms of features take one native call."""
        given, truth = self.problem.joint_feature(self.X[i], y), self._truths[i]
        found: Any = None
        if isinstance(truth, SparseVector):
            if type(given) is csr_array and given.shape == (1, self.dimension) and _is_plain_row(given):
                found = sparse_difference(truth.index, truth.value, given.indices, given.data, scale, w, LARGEST_SQUARE)
        elif type(given) is np.ndarray and given.dtype.char == "d" and given.ndim == 1 and given.flags.c_contiguous:
            found = dense_difference(truth, given, scale, w, LARGEST_SQUARE)
        if found is None:
            a = scaled_difference(truth, self._vector(i, given), scale)
            return a, dot(a, w)
        index, value, score = found
        return (value if index is None else SparseVector(index, value)), score

    def answer(self, i: int, w: Floats) -> Any:
        """The output of the most violated plane of example ``i``, as the problem finds it; ``w`` is read-only."""
        try:
            y = self._find(i, self.X[i], self.Y[i], self._targets[i], w)
        except ValueError as error:
            if is_write_refused(error):
                raise changed_weights(self.problem, i) from error
            raise
        if y is None:
            raise ValueError(f"{type(self.problem).__name__}.argmax gave None for example {i}; is a return missing?")
        return y

    def plane(self, i: int, w: Floats) -> Plane | None:
        """The most violated plane of example ``i``, or None if that is the truth's (zero)."""
        if w.flags.writeable:
            w = read_only(w)
        self.asked += 1
        return self._plane_of(i, self.answer(i, w), w)

    def ask(self, examples: Indices, w: Floats) -> Iterable[Plane | None]:
        if self._find_many is None:
            return super().ask(examples, w)
        w = read_only(w)
        self.asked += examples.size
        try:
            found = list(self._find_many(taken(self.X, examples), taken(self.Y, examples), w))
        except ValueError as error:
            if is_write_refused(error):
                raise changed_weights(self.problem, int(examples[0])) from error
            raise
        check_many(self.problem, found, examples.size)
        return [self._plane_of(i, y, w) for i, y in zip(examples.tolist(), found)]

    def ask_all(self, w: Floats) -> Iterator[tuple[int, Plane | None]]:
        """In portions that take some tenths of a second, so that limits are kept inside a pass."""
        first, size = 0, self.batch
        while first < self.n:
            begin = time.perf_counter()
            part = np.arange(first, min(first + size, self.n), dtype=np.int32)
            yield from zip(part.tolist(), self.ask(part, w))
            first += size
            if self.batch > 1:
                seconds = time.perf_counter() - begin
                size = max(self.batch, int(size * min(4.0, _PORTION / max(seconds, 1e-9))))

    def _plane_of(self, i: int, y: Any, w: Floats) -> Plane | None:
        if same_output(y, self._targets[i]):
            return None
        known = self.outputs.plane(i, y)
        if known is not None:
            a, margin = known
            score = dot(a, w)
        else:
            margin, scale = self.formulation.plane_numbers(joint_loss(self.problem, self.Y[i], y, i))
            a, score = self._difference(i, y, scale, w)
            self.outputs.keep(i, y, (a, margin))
        value = margin - score
        beaten = value < -1e-6 * (1.0 + margin)
        if beaten and self.formulation.search is not Search.SECOND:  # the second best may well be worse than the truth
            if not self.exact:
                return None
            raise ValueError(
                f"{type(self.problem).__name__}.argmax is not a maximum: for example {i} it gave {shown(y)}, "
                f"which is worse than the truth by {-value:.3g}. check_problem(problem, X, Y) shows more."
            )
        return a, margin

    def spread(self, function: Callable[..., Result], common: Any, examples: list[int]) -> list[Result]:
        """``function(oracle, common, some of the examples)``, for all of them in one go or in parts."""
        return [function(self, common, examples)]

    def rivals(self, i: int) -> Rivals:
        """What is known of example ``i``: its truth, and the outputs found lately."""
        found = Rivals(self.problem, i, self.X[i], self.Y[i], self._targets[i], self.dimension, TOLERANCE)
        for y in self.outputs.of(i):
            found.add(y)
        return found

    def contradicted(self, i: int, w: Floats, value: float, held: float) -> None:
        """Raises if an answer for example ``i`` at ``w``, of a value below that of a plane held, is beyond rounding.

        An inexact search may be beaten.
        """
        truth = abs(dot(self._truths[i], w))
        if not self.exact or held - value <= TOLERANCE * (1.0 + abs(held) + 2.0 * truth):
            return
        name, found = type(self.problem).__name__, self.answer(i, read_only(w))
        self.rivals(i).compare(found, w, "search", self.formulation, HEURISTIC)
        raise ValueError(
            f"{name}.argmax is not a maximum: for example {i} it found an output of value {value:.6g} (and now "
            f"{shown(found)}), but one that it found before has {held:.6g}. {HEURISTIC}"
        )

    def keeping(self, size: int) -> PlaneCache:
        return PlaneCache(self, size)

    def try_out(self) -> int:
        return try_out(self) if self._has_loss else 0

    def try_result(self, w: Floats, slack: Floats | None, seconds: float) -> int:
        return try_result(self.completed(w) or self, w, slack, seconds) if self._has_loss else 0

    @property
    def _has_loss(self) -> bool:
        return self.formulation.search is not Search.PREDICTION

    @property
    def problem_name(self) -> str:
        return type(self.problem).__name__

    def fingerprint(self) -> str | None:
        keys = self.keys()
        return None if keys is None else digest(*keys, self.sample_weight)

    def keys(self) -> list[str] | None:
        """Of the problem, the formulation, the input and its label; None where pickle cannot tell."""
        kind = type(self.problem)
        try:
            problem = digest(pickle.dumps(self.problem), id(kind), self.formulation)
            return [digest(problem, pickle.dumps((x, y))) for x, y in zip(self.X, self.Y)]
        except Exception:  # whatever stops pickle, the data cannot be compared with earlier ones
            return None

    def definitions(self) -> tuple[Any, ...]:
        return (type(self.problem),)
