"""The C of ``MulticlassSVC(C='scale')``, measured by ``benchmarks/default_c.py``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin import _core

Floats = npt.NDArray[np.float64]

_MOST = 32.0


def default_c(rows: _core.Rows, sample_weight: Floats | None, n_classes: int) -> float:
    """``C = r / (d * v)`` with ``r = n / (d * n_classes)``, but at least 1 and at most 32.

    ``d`` counts the features that vary, ``v`` is the median of their variances and ``n`` the sum of the weights.
    Scaling all features by c divides C by c^2, which leaves the predictions alone; the median keeps one feature of
    large scale from deciding for all; ``r`` lets C grow where there are many examples for each weight to be learned.
    """
    total = float(rows.n if sample_weight is None else sample_weight.sum())
    first, second = rows.column_moments(sample_weight)
    mean = first / total
    variance = np.maximum(second / total - mean**2, 0.0)
    varying = variance[variance > 1e-12 * (second / total)]
    if not varying.size:
        return 1.0
    examples_a_weight = total / (varying.size * n_classes)
    C = float(np.clip(examples_a_weight, 1.0, _MOST)) / (varying.size * float(np.median(varying)))
    return C if np.isfinite(C) and C > 0.0 else 1.0
