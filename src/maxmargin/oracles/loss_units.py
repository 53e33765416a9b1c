"""Costs as whole multiples of one unit, for searches that look at every value of the loss."""

from __future__ import annotations

from math import gcd

import numpy as np
import numpy.typing as npt

from maxmargin.oracles.search import Unsupported

Floats = npt.NDArray[np.float64]


_FINEST = 1000  # a grid of losses may have this many steps for one token


def whole_units(costs: Floats) -> tuple[float, npt.NDArray[np.int32]]:
    """The largest unit of which all costs are whole multiples, and the multiples."""
    positive = costs[costs > 0.0]
    if not positive.size:
        return 1.0, np.zeros(costs.shape, np.int32)
    smallest = float(positive.min())
    for parts in range(1, _FINEST + 1):
        unit = smallest / parts
        multiples = costs / unit
        rounded = np.round(multiples)
        if rounded.max() > _FINEST:
            break
        if np.abs(multiples - rounded).max() <= 1e-9 * max(1.0, rounded.max()):
            whole = rounded.astype(np.int32)
            common = gcd(*whole[whole > 0].tolist())
            return unit * common, np.ascontiguousarray(whole // common)
    raise Unsupported(
        "Slack rescaling and squared slack look at every value of the loss, and these costs have no common unit of "
        f"which they are at most {_FINEST} times; round them, or use rescaling='margin' with slack='linear'."
    )
