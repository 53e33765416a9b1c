"""Where to cut scores, for measures that only rank."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin.measures.binary import BinaryTarget
from maxmargin.measures.contingency import Contingency

Floats = npt.NDArray[np.float64]


def best_threshold(scores: Floats, target: BinaryTarget, measure: Contingency) -> float:
    """The number for which calling the rows with a higher score positive gives the best value of the measure.

    It lies half-way between two neighbouring scores, or one above or below all of them; of several the highest.
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    ends = np.append(np.flatnonzero(np.diff(ranked)), ranked.size - 1)  # the last row of each run of equal scores
    predicted = np.append(0, ends + 1).astype(np.float64)
    tp = np.append(0, np.cumsum(target.positive[order])[ends]).astype(np.float64)
    fp = predicted - tp
    values = np.asarray(measure.score(tp, fp, tp[-1] - tp, fp[-1] - fp))
    best = int(np.argmax(values))
    if best == 0:
        return float(ranked[0] + 1.0)
    if best == ends.size:
        return float(ranked[-1] - 1.0)
    return float(0.5 * (ranked[ends[best - 1]] + ranked[ends[best - 1] + 1]))
