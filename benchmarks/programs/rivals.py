"""The part ``rivals``: semi-Markov segmentation and projective trees beside torch-struct, one thread of the processor.

Both sides start from the same scores of segments or arcs, drawn at random, and find the best output of each, or the
probabilities of all segments or arcs. torch-struct does several inputs at once, in float32, and its time is that of the
best batch size of a grid; ours takes 16 inputs per call, in float64. Log partition and probabilities are compared in
float64.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

BATCHES = (1, 4, 16, 64)  # and 256 for trees; semi-Markov charts of so many take gigabytes
OURS = 16  # inputs per call
ASKED = 10.0
TASKS = {"semi-Markov": "8 labels, segments up to 8 of 32 tokens", "projective trees": "20 words, one root"}


def run(quick: bool = False) -> dict[str, Any]:
    """Seconds of both sides per input, the largest difference of their numbers, and whether what was asked holds."""
    import torch
    from torch.distributions import Distribution

    torch.set_num_threads(1)
    Distribution.set_default_validate_args(False)
    sizes = ((8, (1, 4)), (8, (1, 4))) if quick else ((64, BATCHES), (256, (*BATCHES, 256)))
    rng = np.random.default_rng(0)
    rows, bars = [], []
    for row in (*_semi_markov(rng, *sizes[0]), *_trees(rng, *sizes[1])):
        task, query, ratio = row["task"], row["query"], row["theirs"] / row["ours"]
        microseconds = f"{1e6 * row['theirs']:.0f}", str(row["batch"]), f"{1e6 * row['ours']:.1f}"
        rows.append([f"{task} ({TASKS[task]})", query, *microseconds, f"{ratio:.0f}", f"{row['difference']:.1e}"])
        bars.append(
            [f"{task}, {query}: times as fast as torch-struct", f"{ratio:.1f}", f">= {ASKED:.0f}", ratio >= ASKED]
        )
        same = row["difference"] <= 1e-9
        bars.append(
            [
                f"{task}, {query}: largest difference of scores, log partition, probabilities",
                f"{row['difference']:.1e}",
                "<= 1e-9",
                same,
            ]
        )
    columns = [
        "microseconds per input",
        "query",
        f"torch-struct {version('torch-struct')}",
        "its batch",
        "ours",
        "ratio",
        "difference",
    ]
    return {"columns": columns, "rows": rows, "bars": bars, "sizes": sizes, "torch": torch.__version__}


def _semi_markov(rng: np.random.Generator, count: int, batches: tuple[int, ...]) -> list[dict[str, Any]]:
    from torch_struct import SemiMarkovCRF

    from maxmargin.programs.queries import best, sums
    from maxmargin.programs.topology import Topology

    n, longest, labels = 32, 8, 8
    tables = rng.standard_normal((count, n, longest + 1, labels, labels))  # begin, length, label, label before
    tables[:, :, 0] = 0.0
    begin, size, label, before = (a.ravel() for a in np.indices((n, longest + 1, labels, labels)))
    kept = np.flatnonzero((size > 0) & (begin + size <= n))
    begin, size, label, before = begin[kept], size[kept], label[kept], before[kept]
    every = np.arange(labels)
    goal = (n + 1) * labels
    head = np.concatenate([(begin + size) * labels + label, every, np.full(labels, goal)])
    tail = np.concatenate([begin * labels + before, np.full(labels, -1), n * labels + every])
    topology = Topology(head, tail, cells=goal + 1, goal=goal)

    def scores(i: int) -> np.ndarray:
        found = np.zeros(topology.n_edges)
        found[: kept.size] = tables[i].reshape(-1)[kept]
        return found

    def found(i: int) -> tuple[float, float, np.ndarray]:
        answer = sums(topology, scores(i))
        p = np.zeros(tables[i].size)
        p[kept] = answer.marginals[: kept.size]
        return best(topology, scores(i)).score, answer.log_partition, p.reshape(tables[i].shape)

    outside = np.zeros(tables.shape[1:], dtype=np.bool_)
    outside.reshape(-1)[kept] = True
    padded = np.where(outside, tables, -1e9)  # a segment that would leave the sequence
    ours = _called(topology, np.arange(kept.size), tables, kept)
    return _rows("semi-Markov", SemiMarkovCRF, padded, count, batches, ours, found)


def _trees(rng: np.random.Generator, count: int, batches: tuple[int, ...]) -> list[dict[str, Any]]:
    from torch_struct import DependencyCRF

    from maxmargin.programs.queries import best, sums
    from maxmargin.programs.spaces import ProjectiveTrees

    n = 20
    tables = rng.standard_normal((count, n, n))  # head, word; the arcs from the root on the diagonal
    program = ProjectiveTrees().program(np.zeros((n * (n + 1), 1)))
    topology, arcs = program.topology, program.parts[0]
    word, head = np.divmod(arcs.row, n + 1)
    place = np.where(head == 0, word, head - 1) * n + word

    def scores(i: int) -> np.ndarray:
        found = np.zeros(topology.n_edges)
        found[arcs.edge] = tables[i].reshape(-1)[place]
        return found

    def found(i: int) -> tuple[float, float, np.ndarray]:
        answer = sums(topology, scores(i))
        p = np.zeros(n * n)
        p[place] = answer.marginals[arcs.edge]
        return best(topology, scores(i)).score, answer.log_partition, p.reshape(n, n)

    ours = _called(topology, arcs.edge, tables, place)
    make = lambda potentials: DependencyCRF(potentials, multiroot=False)  # noqa: E731
    return _rows("projective trees", make, tables, count, batches, ours, found)


def _called(
    topology: Any, edges: np.ndarray, tables: np.ndarray, cells: np.ndarray
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Best output and sums of all inputs, a few per call; the scores of cells of the tables go to the edges first."""
    from maxmargin.programs.batches import best_of_all, sums_of_all

    def each(query: Callable[..., Any]) -> Callable[[], Any]:
        def call() -> None:
            for first in range(0, len(tables), OURS):
                part = tables[first : first + OURS]
                scores = np.zeros((len(part), topology.n_edges))
                scores[:, edges] = part.reshape(len(part), -1)[:, cells]
                query([topology] * len(part), scores.ravel())

        return call

    return each(best_of_all), each(sums_of_all)


def _rows(
    task: str,
    make: Callable[..., Any],
    tables: np.ndarray,
    count: int,
    batches: tuple[int, ...],
    ours: tuple[Callable[[], Any], Callable[[], Any]],
    found: Callable[[int], tuple[float, float, np.ndarray]],
) -> list[dict[str, Any]]:
    import torch

    exact = make(torch.from_numpy(tables[:8].copy()).requires_grad_())  # else it fails with recent releases of torch
    scores = exact.max.detach().numpy().ravel()
    logs, p = exact.partition.detach().numpy().ravel(), exact.marginals.detach().numpy()
    own = [found(i) for i in range(8)]
    differences = (
        max(abs(a[0] - b) for a, b in zip(own, scores)),
        max(max(abs(a[1] - b), float(np.abs(a[2] - q).max())) for a, b, q in zip(own, logs, p)),
    )
    single = torch.from_numpy(tables.astype(np.float32))
    rows = []
    for query, call, difference in zip(("best", "marginals"), ours, differences):
        seconds = {size: _theirs(make, single, size, "argmax" if query == "best" else "marginals") for size in batches}
        batch = min(seconds, key=lambda size: seconds[size])
        rows.append(
            {
                "task": task,
                "query": query,
                "theirs": seconds[batch],
                "batch": batch,
                "grid": {str(size): each for size, each in seconds.items()},
                "ours": _best_of(call, 7) / count,
                "difference": float(difference),
            }
        )
    return rows


def _theirs(make: Callable[..., Any], tables: Any, batch: int, query: str) -> float:
    def call() -> None:
        for first in range(0, used, batch):
            getattr(make(tables[first : first + batch].clone().requires_grad_()), query)

    used = min(len(tables), max(8, batch))
    return _best_of(call, 3) / used


def _best_of(call: Callable[[], Any], times: int) -> float:
    seconds = []
    for _ in range(times):
        begin = time.process_time()
        call()
        seconds.append(time.process_time() - begin)
    return min(seconds)
