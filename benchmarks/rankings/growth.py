"""How the search for swapped pairs grows with the number of documents of one query, beside one that lists all pairs."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import Formulation
from maxmargin.groups.swapped_pairs import SwappedPairs
from shared.tables import Bar, console, new_table

Floats = npt.NDArray[np.float64]

SLOPE_BAR = 1.25
GRADES = 5
MOST_LISTED = 16_000  # documents up to which all pairs fit into memory


def list_all_pairs(scores: Floats, grades: Floats) -> Floats:
    """The coefficients of the most violated output from the definition, in O(n^2), row by row to spare memory."""
    net = np.zeros(scores.size)
    pairs = 0
    for i in range(scores.size):
        worse = grades < grades[i]
        swapped = worse & (scores[i] - scores < 1.0)
        net[i] += np.count_nonzero(swapped)
        net[swapped] -= 1.0
        pairs += np.count_nonzero(worse)
    return net / pairs


def growth(quick: bool, bars: list[Bar]) -> dict[str, Any]:
    """CPU seconds of one search at sizes from 1,000 on, and the slope of log time over log n."""
    sizes = [1_000, 4_000, 16_000] if quick else [1_000, 4_000, 16_000, 64_000, 256_000, 1_024_000]
    rng = np.random.default_rng(0)
    measure, formulation = SwappedPairs(), Formulation()
    found: dict[str, Any] = {"sizes": sizes, "grades": GRADES, "sorting": [], "listing": [], "slope": None}
    for n in sizes:
        grades, scores = rng.integers(GRADES, size=n).astype(float), rng.standard_normal(n)
        target = measure.prepare(grades)
        found["sorting"].append(_seconds(lambda s=scores, t=target: measure.search(s, t, formulation)))
        listed = n <= MOST_LISTED
        found["listing"].append(_seconds(lambda s=scores, g=grades: list_all_pairs(s, g)) if listed else None)
        if listed:
            own = measure.search(scores, target, formulation)
            assert own is not None
            np.testing.assert_allclose(own.coefficients, list_all_pairs(scores, grades), atol=1e-12)
    slope = float(np.polyfit(np.log(sizes), np.log(found["sorting"]), 1)[0])
    found["slope"] = slope
    table = new_table(
        f"One search for swapped pairs, {GRADES} grades, CPU seconds", ["documents", "sorting", "all pairs", "ratio"]
    )
    for n, fast, slow in zip(sizes, found["sorting"], found["listing"]):
        table.add_row(
            f"{n:,}",
            f"{fast:.4f}",
            "-" if slow is None else f"{slow:.3f}",
            "-" if slow is None else f"{slow / fast:.0f}",
        )
    console.print(table)
    bars.append(
        Bar("swapped pairs: slope of log time over log n", f"{slope:.2f}", f"<= {SLOPE_BAR}", slope <= SLOPE_BAR)
    )
    return found


def _seconds(call: Any) -> float:
    """The least of some runs."""
    best, spent = np.inf, 0.0
    while spent < 0.5:
        begin = time.process_time()
        call()
        taken = time.process_time() - begin
        best, spent = min(best, taken), spent + max(taken, 1e-4)
    return float(best)
