"""Scores and paths of many pairs of proteins beside Biopython and parasail, one thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

LETTERS = "ARNDCQEGHILKMFPSTWYV"
MODES = ("global", "local", "semi-global")
PAIRS, LENGTH, SLOW = 10_000, 300, 200
"""Biopython aligns the first ``SLOW`` pairs only."""
REPEATS = 3


def related(rng: np.random.Generator, length: int) -> tuple[str, str]:
    """A random protein, and one that differs in a third of its letters and has a few gaps."""
    x = rng.integers(20, size=length)
    y = np.where(rng.random(length) < 0.33, rng.integers(20, size=length), x)
    for _ in range(3):
        at, size = int(rng.integers(length - 10)), int(rng.integers(1, 6))
        y = np.concatenate([y[:at], y[at + size :], rng.integers(20, size=size)])
    return "".join(LETTERS[code] for code in x), "".join(LETTERS[code] for code in y)


def milliseconds(call: Callable[[], Any], count: int) -> float:
    """Of processor time per pair, the best of several runs."""
    best = np.inf
    for _ in range(REPEATS):
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
    return 1e3 * best / count


def run(pairs: int = PAIRS, length: int = LENGTH) -> dict[str, Any]:
    import parasail
    from Bio.Align import PairwiseAligner, substitution_matrices

    from maxmargin.alignments import Aligner

    rng = np.random.default_rng(0)
    X, Y = zip(*(related(rng, length) for _ in range(pairs)))
    blosum = np.array(substitution_matrices.load("BLOSUM62"))[:20, :20]
    real = blosum + rng.normal(scale=0.1, size=(20, 20))
    real = (real + real.T) / 2
    few = min(SLOW, pairs)
    rows, bars = [], []
    for mode in MODES:
        ours = Aligner(real, open=-10.5, extend=-0.7, mode=mode)
        whole = Aligner(blosum, open=-11, extend=-1, mode=mode)
        other = PairwiseAligner(substitution_matrix=substitution_matrices.Array(LETTERS, 2, real))
        other.mode = "local" if mode == "local" else "global"
        other.open_gap_score, other.extend_gap_score = -10.5, -0.7
        if mode == "semi-global":
            other.end_gap_score = 0.0
        striped = getattr(parasail, {"global": "nw", "local": "sw", "semi-global": "sg"}[mode] + "_trace_striped_16")

        found = ours.align_all(X, Y)
        theirs = [other.align(x, y)[0].score for x, y in zip(X[:few], Y[:few])]
        apart = max(abs(one.score - score) for one, score in zip(found, theirs))
        in_whole = [one.score for one in whole.align_all(X, Y)]
        differ = sum(
            striped(x, y, 11, 1, parasail.blosum62).score != score for x, y, score in zip(X, Y, in_whole, strict=True)
        )
        mine = milliseconds(lambda ours=ours: ours.align_all(X, Y), pairs)
        slow = milliseconds(lambda other=other: [other.align(x, y)[0] for x, y in zip(X[:few], Y[:few])], few)
        fast = milliseconds(
            lambda striped=striped: [striped(x, y, 11, 1, parasail.blosum62).score for x, y in zip(X, Y)], pairs
        )
        path = milliseconds(
            lambda striped=striped: [striped(x, y, 11, 1, parasail.blosum62).cigar.seq for x, y in zip(X, Y)], pairs
        )
        rows.append([mode, f"{mine:.3f}", f"{slow:.3f}", f"{fast:.3f}", f"{path:.3f}", f"{apart:.1e}", differ])
        bars += [
            (f"{mode}: times Biopython's speed", f"{slow / mine:.1f}", ">= 5", bool(slow / mine >= 5)),
            (f"{mode}: time over parasail's without its CIGAR", f"{mine / fast:.2f}", "<= 3", bool(mine / fast <= 3)),
            (
                f"{mode}: scores are Biopython's and parasail's",
                f"{apart + differ:.1e}",
                "<= 1e-9",
                bool(apart + differ <= 1e-9),
            ),
        ]
    columns = [
        "mode",
        "maxmargin, ms",
        "Biopython, ms",
        "parasail 16 bit, ms",
        "with CIGAR",
        "scores apart",
        "scores differ",
    ]
    return {"columns": columns, "rows": rows, "bars": bars}
