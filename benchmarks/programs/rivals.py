"""The part ``rivals``: semi-Markov segmentation and projective trees beside torch-struct, one thread of the processor.

Both sides start from the same scores of segments or arcs, drawn at random, and find the best output of each, or the
probabilities of all segments or arcs. torch-struct does several inputs at once, in float32, and its time is that of the
best batch size of a grid; ours takes 16 inputs per call, in float64. Log partition and probabilities are compared in
float64, those of the space ``Segments`` with its features and transitions, too;
a test marked ``bench`` asserts that they are equal.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

BATCHES = (1, 4, 16, 64)  # and 256 for trees; semi-Markov charts of so many take gigabytes
OURS = 16  # inputs per call
ASKED, CLOSE = 10.0, 1e-9
NEVER = -1e9  # the score of what is impossible, for torch-struct
TASKS = {"semi-Markov": "8 labels, segments up to 8 of 32 tokens", "projective trees": "20 words, one root"}


class Task(NamedTuple):
    """The same distributions on both sides."""

    name: str
    theirs: Callable[[Any], Any]  # from a batch of tables, as a tensor, to the distribution of torch-struct
    tables: np.ndarray  # the scores of each input, as torch-struct takes them
    found: Callable[[int], tuple[float, float, np.ndarray]]  # our best score, log partition and probabilities of cells,
    # whatever the label before is, where they have one axis less
    ours: tuple[Callable[[], Any], Callable[[], Any]] | None = None  # best outputs and sums of all inputs, to be timed


def run(quick: bool = False) -> dict[str, Any]:
    """Seconds of both sides per input, the largest difference of their numbers, and whether what was asked holds."""
    import torch

    prepare()
    sizes = ((8, (1, 4)), (8, (1, 4))) if quick else ((64, BATCHES), (256, (*BATCHES, 256)))
    rng = np.random.default_rng(0)
    rows, bars = [], []
    timed = ((semi_markov(rng, sizes[0][0]), sizes[0][1]), (projective_trees(rng, sizes[1][0]), sizes[1][1]))
    for row in (row for task, batches in timed for row in _rows(task, batches)):
        task, query, ratio = row["task"], row["query"], row["theirs"] / row["ours"]
        microseconds = f"{1e6 * row['theirs']:.0f}", str(row["batch"]), f"{1e6 * row['ours']:.1f}"
        rows.append([f"{task} ({TASKS[task]})", query, *microseconds, f"{ratio:.0f}", f"{row['difference']:.1e}"])
        bars.append(
            [f"{task}, {query}: times as fast as torch-struct", f"{ratio:.1f}", f">= {ASKED:.0f}", ratio >= ASKED]
        )
        bars.append(_equal(f"{task}, {query}", row["difference"]))
    bars.append(_equal("the space Segments", max(differences(segments(rng, 8)))))
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


def prepare() -> None:
    """One thread, and no checks of arguments, which fail with recent releases of torch."""
    import torch
    from torch.distributions import Distribution

    torch.set_num_threads(1)
    Distribution.set_default_validate_args(False)


def differences(task: Task) -> tuple[float, float]:
    """The largest differences of best scores, and of log partitions and probabilities, in float64."""
    import torch

    exact = task.theirs(torch.from_numpy(task.tables[:8].copy()).requires_grad_())  # else recent releases of torch fail
    scores = exact.max.detach().numpy().ravel()
    logs, p = exact.partition.detach().numpy().ravel(), exact.marginals.detach().numpy()
    own = [task.found(i) for i in range(len(scores))]
    if own[0][2].ndim < p[0].ndim:
        p = p.sum(axis=-1)
    best = max(abs(a[0] - b) for a, b in zip(own, scores))
    sums = max(max(abs(a[1] - b), float(np.abs(a[2] - q).max())) for a, b, q in zip(own, logs, p))
    return float(best), float(sums)


def _equal(what: str, difference: float) -> list[Any]:
    name = f"{what}: largest difference of scores, log partition, probabilities"
    return [name, f"{difference:.1e}", f"<= {CLOSE:.0e}", difference <= CLOSE]


def semi_markov(rng: np.random.Generator, count: int) -> Task:
    """Segments whose scores depend on the label before, as torch-struct has them."""
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

    inside = np.zeros(tables.shape[1:], dtype=np.bool_)
    inside.reshape(-1)[kept] = True
    padded = np.where(inside, tables, NEVER)  # a segment that would leave the sequence
    return Task("semi-Markov", SemiMarkovCRF, padded, found, _called(topology, np.arange(kept.size), tables, kept))


def segments(rng: np.random.Generator, count: int) -> Task:
    """The space ``Segments`` with features of tokens and segments, lengths and neighbouring labels, as it is trained.

    In the tables of torch-struct the label before the first segment is 0, and the last segment has the score of its
    end.
    """
    from torch_struct import SemiMarkovCRF

    from maxmargin.programs.queries import best, sums
    from maxmargin.programs.space import pack_programs
    from maxmargin.programs.spaces import Segments

    n, longest, labels = 9, 4, 3
    space = Segments(range(labels), longest, outside=False, segment_features=lambda x, a, b: x[a] * x[b - 1])
    X = [rng.standard_normal((n, 2)) for _ in range(count)]
    programs = pack_programs(space, X)
    w = rng.standard_normal(sum(columns * blocks for columns, blocks in programs.shape))
    topology, scores = programs.topologies[0], [programs.core.scores(w, i) for i in range(count)]
    pieces = np.array([piece for edge in range(topology.n_edges) for piece in space.output(X[0], np.array([edge]))])
    (begin, end, label), own = pieces.T, np.arange(len(pieces))  # the edges of segments come first
    tables = np.full((count, n, longest + 1, labels, labels), NEVER)
    for table, each in zip(tables, scores):
        starts, rest = each[own.size : own.size + labels], each[own.size + labels :]
        steps, ends = rest[:-labels].reshape(n - 1, labels, labels), rest[-labels:]  # token, label before, label
        last = np.where(end == n, ends[label], 0.0)
        for before in range(labels):
            joined = np.where(begin == 0, NEVER if before else starts[label], steps[begin - 1, before, label])
            table[begin, end - begin, label, before] = each[own] + joined + last

    def found(i: int) -> tuple[float, float, np.ndarray]:
        answer = sums(topology, scores[i])
        p = np.zeros(tables.shape[1:-1])
        p[begin, end - begin, label] = answer.marginals[own]
        return best(topology, scores[i]).score, answer.log_partition, p

    return Task("segments", SemiMarkovCRF, tables, found)


def projective_trees(rng: np.random.Generator, count: int) -> Task:
    """The space ``ProjectiveTrees`` with one root."""
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

    make = lambda potentials: DependencyCRF(potentials, multiroot=False)  # noqa: E731
    return Task("projective trees", make, tables, found, _called(topology, arcs.edge, tables, place))


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


def _rows(task: Task, batches: tuple[int, ...]) -> list[dict[str, Any]]:
    import torch

    assert task.ours is not None
    single = torch.from_numpy(task.tables.astype(np.float32))
    rows = []
    for query, call, difference in zip(("best", "marginals"), task.ours, differences(task)):
        wanted = "argmax" if query == "best" else "marginals"
        seconds = {size: _theirs(task.theirs, single, size, wanted) for size in batches}
        batch = min(seconds, key=lambda size: seconds[size])
        rows.append(
            {
                "task": task.name,
                "query": query,
                "theirs": seconds[batch],
                "batch": batch,
                "grid": {str(size): each for size, each in seconds.items()},
                "ours": _best_of(call, 7) / len(task.tables),
                "difference": difference,
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
