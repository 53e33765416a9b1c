"""Where to cut scores for an F-measure, by a model of the probabilities that they stand for."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from maxmargin.measures.contingency import FBeta
from maxmargin.rows.matrices import as_rows
from maxmargin.rows.smooth import SmoothRows

Floats = npt.NDArray[np.float64]

_PENALTY = 0.1  # of the slope, for scores in units of their deviation: classes that do not overlap leave it finite
_ACCURACY = 1e-4  # of a row
_MOST_STEPS = 30


def modelled_cut(
    measure: FBeta, scores: Floats, positive: npt.NDArray[np.bool_], weight: Floats | None
) -> float | None:
    """The cut of the highest measure that is expected where a row is positive with probability ``sigma(a s + b)``.

    ``a`` and ``b`` are those of logistic regression on the scores. Two numbers that all rows tell are steadier than
    the place of the best cut, which a few positives near to it decide. None where no score speaks for positives.
    """
    if weight is not None and not weight.all():
        kept = weight > 0.0
        scores, positive, weight = scores[kept], positive[kept], weight[kept]
    total = float(scores.size if weight is None else weight.sum())
    mean = float(scores.mean() if weight is None else weight @ scores / total)
    centred = scores - mean
    size = float(np.sqrt(np.mean(centred**2) if weight is None else weight @ centred**2 / total))
    if not 0.0 < size < np.inf:
        return None
    unit = centred / size
    rows = as_rows(unit[:, None], 0.0, False)
    rows.set_bias(1.0)
    model = SmoothRows(rows, positive, weight, np.array([_PENALTY, 1e-6]), 1.0)
    fit = model.fit("logistic", 1.0, np.arange(unit.size, dtype=np.int32))
    fit.run(_ACCURACY, _MOST_STEPS)
    slope, offset = fit.weights
    if slope <= 0.0:
        return None
    order = np.argsort(-scores, kind="stable")
    falling, probability = scores[order], expit(slope * unit[order] + offset)
    each = np.ones(scores.size) if weight is None else weight[order]
    tp, taken = np.cumsum(each * probability), np.cumsum(each)
    last = np.append(np.flatnonzero(falling[1:] < falling[:-1]), falling.size - 1)  # of those of one score
    expected = measure.score(tp[last], (taken - tp)[last], tp[-1] - tp[last], (total - tp[-1]) - (taken - tp)[last])
    best = last[int(np.argmax(expected))]
    return 0.5 * float(falling[best] + falling[min(best + 1, falling.size - 1)])
