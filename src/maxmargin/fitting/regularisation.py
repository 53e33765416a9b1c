"""The parameter C of all estimators as a number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from maxmargin.oracles.base import Oracle

_EXAMPLES = 50  # whose planes are looked at
FACTOR = 5.0
_LEAST = 0.01  # of the squared length of planes, where all of them have nearly one direction


def resolved_c(given: float | str, measured: Callable[[], float]) -> float:
    """A number as it is; for ``'scale'`` what ``measured`` finds in the data."""
    return measured() if isinstance(given, str) else float(given)


def plane_c(oracle: Oracle) -> float:
    """``C = 5 mean b / v``, with squared slack ``5 / v``, from planes ``(a, b)`` of up to 50 examples at ``w = 0``.

    ``v`` is the mean of ``|a|^2`` apart from the direction along which the planes are longest: the trace of the mean of
    ``a a'`` less its largest eigenvalue, and at least a hundredth of the trace. A direction that the planes of all
    examples share is learnt with any C; a plane of length ``sqrt(v)`` by itself needs ``C = b / v`` to have no slack.

    Joint features c times as large divide C by c^2, and a loss m times as large multiplies it as
    ``Formulation.c_factor`` says: neither changes a prediction. Means are those by the weights of the examples. Where C
    has no meaning (hard margins, the perceptron) it is 1.
    """
    if oracle.formulation.mistakes or oracle.formulation.slack == "hard":
        return 1.0
    weight = np.ones(oracle.n) if oracle.sample_weight is None else oracle.sample_weight
    used = np.flatnonzero(weight > 0.0).astype(np.int32)
    some = used[np.unique(np.linspace(0, used.size - 1, min(used.size, _EXAMPLES)).astype(np.intp))]
    planes = oracle.planes(np.zeros(oracle.dimension), some)
    share = weight[planes.example]
    root = np.sqrt(share)
    spread = np.linalg.eigvalsh(root[:, None] * planes.gram() * root) if share.size else np.zeros(1)
    size = max(float(spread[:-1].sum()), _LEAST * float(spread.sum()))
    margin = float(share.sum()) if oracle.formulation.slack == "squared" else float(share @ planes.b)
    C = FACTOR * margin / size if size > 0.0 else 1.0
    return C if 0.0 < C < np.inf else 1.0
