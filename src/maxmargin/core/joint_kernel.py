"""Problems that know inner products of joint features only: ``kernel((x, y), (x', y'))``.

Weights are then sums over pairs, ``w = sum_s coefficients[s] Psi(x_s, y_s)``. Training needs no more: every pair that
it meets gets coordinates in an orthonormal basis of those met before, which a Cholesky decomposition finds one pair at
a time, so that all solvers serve as they are.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg.blas import dtrsv

from maxmargin.core.outputs import shown
from maxmargin.core.problem import Unsupported, has_power, joint_loss

Floats = npt.NDArray[np.float64]
Pair = tuple[Any, Any]

MOST = 1 << 15  # pairs that training may meet
_RESIDUAL = 1e-12  # of k(p, p): a pair that has no more left is in the span of the others
_NEGATIVE = 1e-6  # of k(p, p): what is below minus this is no rounding
_KEPT = 1 << 26  # values of the kernel that are kept
_SEARCHES = ("kbest", "argmax_by_loss", "argmax_many")  # get weights, and are passed on


class KernelWeights:
    """The ``w`` that the searches of a problem with a kernel get.

    Parameters
    ----------
    kernel : ``kernel((x, y), (x', y'))``
    support : pairs ``(x, y)``
    coefficients : of the pairs
    """

    def __init__(self, kernel: Any, support: Sequence[Pair], coefficients: Floats) -> None:
        self.kernel, self.support, self.coefficients = kernel, support, coefficients

    def score(self, x: Any, y: Any) -> float:
        """``<w, Psi(x, y)>``, the sum of the coefficients times the kernel with each pair of the support."""
        return sum(float(c) * value_of(self.kernel, (x, y), pair) for c, pair in zip(self.coefficients, self.support))

    def best(self, x: Any, outputs: Iterable[Any]) -> Any:
        """The output of highest score, the first of equals."""
        return max(outputs, key=lambda y: self.score(x, y))


class _TrainingWeights(KernelWeights):
    """The same over the basis of a ``JointKernel``, whose values with training inputs are kept."""

    def __init__(self, joint: JointKernel, coefficients: Floats) -> None:
        super().__init__(joint.problem.kernel, joint.basis[: coefficients.size], coefficients)
        self._joint = joint

    def score(self, x: Any, y: Any) -> float:
        size = self.coefficients.size
        return float(self.coefficients @ self._joint.values(x, y)[:size]) if size else 0.0


class JointKernel:
    """A problem with a kernel as one with joint features, which are coordinates in the span of the pairs met so far.

    The searches of the problem get ``KernelWeights``; where it has ``outputs`` they need not exist.

    Parameters
    ----------
    problem : has ``kernel`` and ``loss``, and ``argmax`` or ``outputs``
    inputs : of the training set, which values of the kernel are kept for
    """

    def __init__(self, problem: Any, inputs: Sequence[Any] = ()) -> None:
        self.problem, self.name = problem, type(problem).__name__
        self._inputs = {id(x): x for x in inputs}  # held, so that no other object gets the same id
        self.basis: list[Pair] = []
        self._factor = np.zeros((64, 64), order="F")
        self._coordinates: dict[Any, Floats] = {}
        self._values: dict[Any, Floats] = {}
        self._held = 0
        self._last: tuple[Floats, KernelWeights] | None = None
        for power in ("zero_one", "exact"):
            if hasattr(problem, power):
                setattr(self, power, getattr(problem, power))
        listed = has_power(problem, "outputs")
        if listed:
            self.outputs = problem.outputs
        for power in _SEARCHES:
            if has_power(problem, power):
                setattr(self, power, self._passed(power))
            elif listed and power != "argmax_many":
                setattr(self, power, getattr(self, f"_{power}"))

    @classmethod
    def of(cls, problem: Any, inputs: Sequence[Any] = ()) -> JointKernel:
        """One that messages call by the name of the problem."""
        named: type[JointKernel] = type(type(problem).__name__, (cls,), {})
        return named(problem, inputs)

    def loss(self, y_true: Any, y: Any) -> float:
        found: float = self.problem.loss(y_true, y)
        return found

    def argmax(self, x: Any, w: Any, y_true: Any = None) -> Any:
        weights = self.weights(w)
        if has_power(self.problem, "argmax"):
            return self.problem.argmax(x, weights) if y_true is None else self.problem.argmax(x, weights, y_true)
        if y_true is None:
            return weights.best(x, self.outputs(x))
        return max(self.outputs(x), key=lambda y: weights.score(x, y) + self.loss(y_true, y))

    def joint_feature(self, x: Any, y: Any) -> sp.csr_array:
        """Coordinates of ``Psi(x, y)``, a row of length ``MOST``; a pair beyond the span extends the basis."""
        key = self._key(x, y)
        found = self._coordinates.get(key) if key is not None else None
        if found is None:
            found = self._added((x, y))
            if key is not None:
                self._coordinates[key] = found
        used = np.flatnonzero(found)
        return sp.csr_array((found[used], used.astype(np.int32), np.array([0, used.size])), shape=(1, MOST))

    def weights(self, w: Any) -> KernelWeights:
        """What the problem's searches get for weights of the coordinates."""
        if isinstance(w, KernelWeights):
            return w
        if self._last is None or not np.array_equal(self._last[0], w):
            size = len(self.basis)
            own = dtrsv(self._factor[:size, :size], w[:size], lower=1, trans=1) if size else np.zeros(0)
            self._last = np.array(w), _TrainingWeights(self, own)
        return self._last[1]

    def values(self, x: Any, y: Any) -> Floats:
        """The kernel of a pair with all pairs of the basis."""
        key, size = self._key(x, y), len(self.basis)
        known = self._values.get(key, np.zeros(0)) if key is not None else np.zeros(0)
        if known.size < size:
            more = [value_of(self.problem.kernel, (x, y), pair) for pair in self.basis[known.size :]]
            found = np.concatenate([known, more])
            if key is not None and self._held + len(more) <= _KEPT:
                self._values[key] = found
                self._held += len(more)
            known = found
        return known[:size]

    def concluded(self, w: Floats) -> tuple[list[Pair], Floats]:
        """The pairs that weights are made of, and their coefficients."""
        coefficients = self.weights(w).coefficients
        used = np.flatnonzero(np.abs(coefficients) > 1e-12 * np.abs(coefficients).max(initial=0.0))
        return [self.basis[k] for k in used], coefficients[used]

    def _added(self, pair: Pair) -> Floats:
        """The coordinates of a pair that was not met before."""
        size, values = len(self.basis), self.values(*pair)
        square = value_of(self.problem.kernel, pair, pair)
        own = dtrsv(self._factor[:size, :size], values, lower=1) if size else np.zeros(0)
        left = square - float(own @ own)
        if left < -_NEGATIVE * max(abs(square), float(own @ own)):
            raise Unsupported(
                f"{self.name}.kernel is not positive semi-definite: the squared distance of {shown(pair[1])} from the "
                f"span of {size} other pairs would be {left:.3g}. Sums of products of features never are."
            )
        if left <= _RESIDUAL * abs(square):
            return own
        if size == MOST:
            raise Unsupported(
                f"Training with {self.name}.kernel has met {MOST:,} different pairs, which is all that it keeps; "
                "give joint_feature(x, y) in place of the kernel, or fewer examples."
            )
        if size == len(self._factor):
            grown = np.zeros((2 * size, 2 * size), order="F")
            grown[:size, :size] = self._factor
            self._factor = grown
        self._factor[size, :size], self._factor[size, size] = own, np.sqrt(left)
        self.basis.append(pair)
        self._last = None
        return np.append(own, np.sqrt(left))

    def _key(self, x: Any, y: Any) -> Any:
        if id(x) not in self._inputs:
            return None
        try:
            hash(y)
        except TypeError:
            return id(x), pickle.dumps(y)
        return id(x), type(y), y

    def _passed(self, power: str) -> Any:
        """A search of the problem, which gets its weights as ``KernelWeights``."""
        return lambda x, w, *more: getattr(self.problem, power)(x, self.weights(w), *more)

    def _kbest(self, x: Any, w: Any, k: int) -> list[Any]:
        weights = self.weights(w)
        return sorted(self.outputs(x), key=lambda y: -weights.score(x, y))[:k]

    def _argmax_by_loss(self, x: Any, w: Any, y_true: Any) -> list[tuple[float, Any]]:
        weights = self.weights(w)
        best: dict[float, tuple[float, Any]] = {}
        for y in self.outputs(x):
            loss, score = joint_loss(self, y_true, y, 0), weights.score(x, y)
            if loss not in best or score > best[loss][0]:
                best[loss] = score, y
        return [(loss, y) for loss, (_, y) in best.items()]


def value_of(kernel: Any, a: Pair, b: Pair) -> float:
    """One value of a user's kernel; raises where it is no finite number."""
    given = kernel(a, b)
    try:
        value = float(given)
    except (TypeError, ValueError) as error:
        raise TypeError(f"kernel gave {given!r} for {shown(a[1])} and {shown(b[1])}; it must be a number.") from error
    if not np.isfinite(value):
        raise ValueError(f"kernel gave {value} for {shown(a[1])} and {shown(b[1])}; it must be finite.")
    return value


def has_kernel_only(problem: Any) -> bool:
    """Whether a problem gives inner products in place of joint features."""
    return has_power(problem, "kernel") and not has_power(problem, "joint_feature")
