"""The parameter C of all estimators as a number."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from maxmargin.core.planes import Planes
from maxmargin.oracles.base import Oracle

Indices = npt.NDArray[np.int32]

_EXAMPLES = 50  # whose planes are looked at
FACTOR = 5.0
_LEAST = 0.01  # of the squared length of planes, where all of them have nearly one direction


def resolved_c(given: float | str, measured: Callable[[], float]) -> float:
    """A number as it is; for ``'scale'`` what ``measured`` finds in the data."""
    return measured() if isinstance(given, str) else float(given)


def plane_c(oracle: Oracle, seconds: float | None = None) -> float:
    """``C = 5 mean b / v``, with squared slack ``5 / v``, from planes ``(a, b)`` of up to 50 examples at ``w = 0``.

    ``v`` is the mean of ``|a|^2`` apart from the direction along which the planes are longest: the trace of the mean of
    ``a a'`` less its largest eigenvalue, and at least a hundredth of the trace. A direction that the planes of all
    examples share is learnt with any C; a plane of length ``sqrt(v)`` by itself needs ``C = b / v`` to have no slack.
    What is shared cannot be seen on one example, whose ``v`` is ``|a|^2``.

    Joint features c times as large divide C by c^2, and a loss m times as large multiplies it as
    ``Formulation.c_factor`` says: neither changes a prediction. Means are those by the weights of the examples. Where C
    has no meaning (hard margins, the perceptron) it is 1.

    Where searches are slow, fewer examples are asked, so that they take about ``seconds``.
    """
    if oracle.formulation.mistakes or oracle.formulation.slack == "hard":
        return 1.0
    weight = np.ones(oracle.n) if oracle.sample_weight is None else oracle.sample_weight
    used = np.flatnonzero(weight > 0.0).astype(np.int32)
    some = used[np.unique(np.linspace(0, used.size - 1, min(used.size, _EXAMPLES)).astype(np.intp))]
    planes = _planes_within(oracle, some, seconds)
    share = weight[planes.example]
    root = np.sqrt(share)
    spread = np.linalg.eigvalsh(root[:, None] * planes.gram() * root) if share.size else np.zeros(1)
    apart = spread[:-1] if spread.size > 1 else spread
    size = max(float(apart.sum()), _LEAST * float(spread.sum()))
    margin = float(share.sum()) if oracle.formulation.slack == "squared" else float(share @ planes.b)
    C = FACTOR * margin / size if size > 0.0 else 1.0
    return C if 0.0 < C < np.inf else 1.0


def _planes_within(oracle: Oracle, examples: Indices, seconds: float | None) -> Planes:
    """The planes at ``w = 0`` of all examples, or of as many as a limit of time allows: one, three more where that one
    was fast enough (the first may have started processes), and then what the time of the three promises."""
    zero = np.zeros(oracle.dimension)
    if seconds is None or examples.size <= 1:
        return oracle.planes(zero, examples)
    order = np.random.RandomState(0).permutation(examples)
    begin = time.perf_counter()
    parts = [oracle.planes(zero, order[:1])]
    first = time.perf_counter()
    if first - begin < seconds:
        parts.append(oracle.planes(zero, order[1:4]))
        now = time.perf_counter()
        more = int(np.clip(3.0 * (seconds - (now - begin)) / max(now - first, 1e-9), 0, order.size))
        parts.append(oracle.planes(zero, np.sort(order[4 : 4 + more])))
    return Planes.stacked([part for part in parts if len(part)])
