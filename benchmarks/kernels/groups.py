"""Exact RBF kernels where an example has several rows: over rows of the kernel matrix, and by a factor of it.

The number of rows from which on the rows are taken comes from classes and was kept after a look at the invented sets;
handwritten words (OCR) and MQ2008 judge it. Times are the least CPU seconds of REPEATS fits with margins. At the end
come all words of one fold, and all documents that a fold of MQ2008 trains on, with a cache of 100 MB, into which no
factor of these fits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from maxmargin import ChainSVC, Kernel, RankingSVM
from maxmargin.datasets import load_mq2008, load_ocr_letters
from maxmargin.fitting import kernels
from shared.harness import measure

REPEATS = 2
SIZES = (500, 1000, 2000, 4000)
WAYS = {"rows": 0, "factor": 2**31}  # rows up to which a factor is taken
CACHE = 100 * 2**20
Fit = Callable[[Any], Any]  # from a kernel to a fitted model


def sequences(n: int, labels: int = 5, columns: int = 6) -> Fit:
    rng = np.random.default_rng(0)
    ends = np.cumsum(rng.integers(6, 24, size=n))
    X = rng.normal(size=(int(ends[ends <= n][-1]), columns))
    steps = rng.normal(size=(labels, labels))
    scores = 2.0 * np.sin(1.5 * X) @ rng.normal(size=(columns, labels)) + 0.5 * rng.normal(size=(len(X), labels))
    y = scores.argmax(axis=1)
    for t in range(1, len(X)):
        if t not in ends:
            y[t] = (scores[t] + steps[y[t - 1]]).argmax()
    lengths = np.diff([0, *ends[ends <= n]])
    return lambda kernel: ChainSVC(method="structural", kernel=kernel).fit(X, y, lengths=lengths)


def rankings(n: int, columns: int = 8, documents: int = 20) -> Fit:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, columns))
    merit = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    grades, queries = np.digitize(merit, [-0.5, 0.7]), np.arange(n) // documents
    return lambda kernel: RankingSVM(kernel=kernel).fit(X, grades, groups=queries)


def words(n: int) -> Fit:
    X, Y = load_ocr_letters([0])
    count = int(np.searchsorted(np.cumsum([len(y) for y in Y]), n, side="right"))
    return lambda kernel: ChainSVC(method="structural", kernel=kernel).fit(X[:count], Y[:count])


def documents(n: int) -> Fit:
    X, grades, queries = load_mq2008("train")
    return lambda kernel: RankingSVM(kernel=kernel).fit(X[:n], grades[:n], groups=queries[:n])


INVENTED = {"sequences": sequences, "rankings": rankings}
JUDGE = {"OCR": words, "MQ2008": documents}


def run() -> dict[str, Any]:
    own, rows, ratios, apart = kernels._FACTORED, [], [], []
    for name, make in {**INVENTED, **JUDGE}.items():
        for n in SIZES:
            found = {way: _timed(make(n), limit) for way, limit in WAYS.items()}
            (seconds, primal), (factored, other) = found["rows"], found["factor"]
            rows.append([name, f"{n:,}", f"{seconds:.2f}", f"{factored:.2f}", f"{100.0 * (primal / other - 1.0):+.2f}"])
            if name in JUDGE and n > own:
                ratios.append(factored / seconds)
                apart.append(abs(primal / other - 1.0))
    kernels._FACTORED = own
    large = []
    for name, make in JUDGE.items():
        model, cost = measure(lambda make=make: make(2**31)(Kernel("rbf", cache=CACHE)))
        status, peak = model.solution_.status.name, cost.peak / 2**20
        large.append([name, f"{model.solution_.details['n']:,}", f"{cost.cpu:.1f}", f"{peak:.0f}", status])
    columns = ["", "rows", "over rows, CPU s", "by the factor, CPU s", "difference of objectives, %"]
    return {
        "tables": [
            ("Rows of the kernel matrix and a factor of it", columns, rows),
            ("A cache of 100 MB", ["", "examples", "CPU s", "MB", "status"], large),
        ],
        "bars": [
            (
                f"faster beyond {own:,} rows, on data that judge",
                f"{min(ratios):.1f} times",
                "> 1",
                min(ratios) > 1.0,
            ),
            ("objectives are near", f"{100.0 * max(apart):.2f} %", "<= 10 %, the tolerance", max(apart) <= 0.1),
        ],
    }


def _timed(fit: Fit, factored: int) -> tuple[float, float]:
    """The least CPU seconds, and the objective."""
    kernels._FACTORED, seconds = factored, []
    for _ in range(REPEATS):
        begin = time.process_time()
        model = fit("rbf")
        seconds.append(time.process_time() - begin)
    return min(seconds), model.solution_.primal
