"""Cuts of samples of the examples with an RBF kernel: 4,000 rows of UCI letter, by samples of several sizes.

``auto`` is dual ascent over working sets of rows, ``one-slack`` has cuts of all examples. Objectives are those of an
exact pass over all rows.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from kernels.rows import letter
from maxmargin import MulticlassSVC, OneSlack

ROWS = 4000
SOLVERS: dict[str, Any] = {
    "auto": "auto",
    "one-slack": OneSlack(),
    "2,000 by slack": OneSlack(sample=2000),
    "1,000 by slack": OneSlack(sample=1000),
    "1,000 uniform": OneSlack(sample=1000, sampling="uniform"),
}


def run() -> dict[str, Any]:
    X, y, T, t = letter()
    rows, objectives = [], {}
    for name, solver in SOLVERS.items():
        begin = time.process_time()
        model = MulticlassSVC(kernel="rbf", method="structural", solver=solver).fit(X[:ROWS], y[:ROWS])
        seconds = time.process_time() - begin
        objectives[name] = model.solution_.primal
        error = 100.0 * float(np.mean(model.predict(T) != t))
        rows.append([name, f"{seconds:.1f}", f"{model.solution_.primal:.0f}", f"{error:.2f}", model.solution_.n_iter])
    worst = max(objectives.values()) / objectives["auto"]
    return {
        "tables": [("Sampled cuts", ["", "fit, CPU s", "objective", "error %", "rounds"], rows)],
        "bars": [("objectives within five per cent of that of auto", f"{worst:.3f}", "<= 1.05", worst <= 1.05)],
    }
