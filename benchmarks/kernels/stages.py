"""Where the time of a fit by rank goes, beside the speed of a product of matrices and the time of SVC.

RBF kernels and 1,000 random basis rows, on UCI letter (16,000 rows) and on 10,000 rows of MNIST: the least CPU
milliseconds of several fits in each stage, on one thread. The product is one of large float32 matrices by NumPy; the
features need half as many operations as that of all rows with a square matrix, which is a triangle.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.svm import SVC

from kernels.rows import Split, letter, mnist
from maxmargin import MulticlassSVC
from maxmargin.classes import estimator
from maxmargin.fitting import kernels
from maxmargin.oracles.native import NativeEngine
from maxmargin.solvers import block_loop
from maxmargin.solvers.averaging import PolynomialAverage
from maxmargin.solvers.extrapolation import Extrapolation
from shared.clocks import Parts, clocked

REPEATS = 5
RANK = 1000
FIFTH = 5.0
STAGES: Parts = {
    "choice of the method": ((estimator, "classes_overlap"),),
    "basis and its triangle": ((kernels, "low_rank_map"),),
    "features": ((kernels, "rough_features"),),
    "visits": ((NativeEngine, "visit"),),
    "extrapolation": ((Extrapolation, "after_pass"),),
    "averages of weights": ((PolynomialAverage, "add"),),
    "final exact pass": ((block_loop, "evaluate"),),
}


def staged(data: Split) -> tuple[dict[str, float], float, int]:
    """The least CPU seconds of every stage, those of the whole fit, and its visits."""
    best, whole, visits = dict.fromkeys(STAGES, np.inf), np.inf, 0
    for _ in range(REPEATS):
        model = MulticlassSVC(kernel="rbf", rank=RANK)
        with clocked(STAGES) as spent:
            whole = min(whole, cpu(lambda model=model: model.fit(data[0], data[1])))
        best = {stage: min(best[stage], seconds) for stage, seconds in spent.items()}
        visits = model.solution_.oracle_calls
    return best, whole, visits


def cpu(call: Callable[[], Any]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def operations_per_second(n: int = 4096, width: int = RANK) -> float:
    """Multiplications and additions in a product of matrices of float32, at best."""
    rng = np.random.default_rng(0)
    a, b = rng.random((n, width), dtype=np.float32), rng.random((width, width), dtype=np.float32)
    return 2.0 * n * width**2 / min(cpu(lambda: a @ b) for _ in range(REPEATS))


def run() -> dict[str, Any]:
    body, bars = {stage: [stage] for stage in [*STAGES, "all else", "fit"]}, []
    more: list[list[str]] = [["features at the speed of a product"], ["SVC()"], ["visits, thousands"]]
    for name, data in (("letter", letter()), ("MNIST", mnist())):
        found, whole, visits = staged(data)
        svc = min(cpu(lambda data=data: SVC().fit(data[0], data[1])) for _ in range(2))
        for stage, seconds in {**found, "all else": whole - sum(found.values()), "fit": whole}.items():
            body[stage].append(f"{1e3 * seconds:.0f}")
        bound = len(data[0]) * RANK**2 / operations_per_second()
        for row, cell in zip(more, (f"{1e3 * bound:.0f}", f"{1e3 * svc:.0f}", f"{visits / 1e3:.0f}"), strict=True):
            row.append(cell)
        claim = f"{name}: rank {RANK} is {FIFTH:.0f} times as fast as SVC()"
        bars.append((claim, f"{svc / whole:.1f}", f">= {FIFTH:.0f}", svc >= FIFTH * whole))
    return {"columns": ["CPU ms", "letter", "MNIST"], "rows": [*body.values(), *more], "bars": bars}
