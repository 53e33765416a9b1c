"""The C of ``MulticlassSVC(C='scale')``, chosen by ``benchmarks/default_c_rules.py`` on held-out parts of train."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin import _core

Floats = npt.NDArray[np.float64]


def default_c(rows: _core.Rows, sample_weight: Floats | None) -> float:
    """``C = r / (d * v)`` with ``r = 2 * n / d^2``, but at least 2 and at most 64.

    ``d`` counts the features that vary, ``v`` is the median or the geometric mean of their variances, whichever is
    larger, and ``n`` the sum of the weights. Scaling all features by c divides C by c^2, which leaves the predictions
    alone; neither mean is ruled by one feature of large scale; ``r`` lets C grow with many examples of few features.
    """
    total = float(rows.n if sample_weight is None else sample_weight.sum())
    first, second = rows.column_moments(sample_weight)
    mean = first / total
    variance = np.maximum(second / total - mean**2, 0.0)
    varying = variance[variance > 1e-12 * (second / total)]
    if not varying.size:
        return 1.0
    median = float(np.median(varying))
    typical = median * max(1.0, float(np.exp(np.log(varying / median).mean())))
    r = float(np.clip(2.0 * total / varying.size**2, 2.0, 64.0))
    C = r / (varying.size * typical)
    return C if np.isfinite(C) and C > 0.0 else 1.0
