"""What a query costs per edge, and chains of CoNLL-2000's shape as explicit programs beside their own kernel."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.sequences import pack
from maxmargin.programs import Topology, queries
from maxmargin.programs.batches import best_of_all

SENTENCES, TOKENS, LABELS = 9000, 23, 22
BATCH = 500  # sentences whose scores of edges are held at a time
REPEATS = 7
MOST_NANOSECONDS, MOST_RATIO = 40.0, 8.0


def chain_edges(length: int, labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Heads and tails: a cell per token and label, and the goal after them."""
    own = np.arange(labels)
    later = np.arange(1, length)[:, np.newaxis, np.newaxis] * labels
    head = np.broadcast_to(later + own[:, np.newaxis], (length - 1, labels, labels)).ravel()
    tail = np.broadcast_to(later - labels + own, (length - 1, labels, labels)).ravel()
    return (
        np.concatenate([own, head, np.full(labels, length * labels)]),
        np.concatenate([np.full(labels, -1), tail, (length - 1) * labels + own]),
    )


def chart_edges(length: int) -> tuple[np.ndarray, np.ndarray]:
    """Spans of a sentence, each from every pair of smaller ones."""
    number: dict[tuple[int, int], int] = {}
    head, tail = [], []
    for wide in range(1, length + 1):
        for i in range(length - wide + 1):
            cell = number[i, i + wide] = len(number)
            ways = [(number[i, k], number[k, i + wide]) for k in range(i + 1, i + wide)] or [(-1, -1)]
            head += [cell] * len(ways)
            tail += ways
    return np.array(head), np.array(tail)


def seconds(call: Callable[[], Any]) -> float:
    """Median CPU seconds of some calls."""
    found = []
    for _ in range(REPEATS):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return statistics.median(found)


def run() -> dict[str, Any]:
    """Rows (what, edges, nanoseconds per edge) and bars."""
    rng = np.random.default_rng(0)
    rows: list[tuple[str, str, str]] = []

    def add(what: str, edges: int, took: float) -> float:
        nanoseconds = took / edges * 1e9
        rows.append((what, f"{edges:,}", f"{nanoseconds:.2f}"))
        return nanoseconds

    head, tail = chain_edges(2067, LABELS)
    scores = rng.normal(size=head.size)
    topology = Topology(head, tail)
    build = add("chain of a million edges: build", head.size, seconds(lambda: Topology(head, tail)))
    best = add("best", head.size, seconds(lambda: queries.best(topology, scores)))
    add("10 best", head.size, seconds(lambda: queries.k_best(topology, scores, 10)))
    add("marginals", head.size, seconds(lambda: queries.marginals(topology, scores)))
    order = rng.permutation(head.size)
    mixed = head[order], tail[order]
    shuffled = Topology(*mixed)
    slow_build = add("edges in any order: build", head.size, seconds(lambda: Topology(*mixed)))
    slow_best = add("best", head.size, seconds(lambda: queries.best(shuffled, scores)))
    spans, ways = chart_edges(180)
    chart, own = Topology(spans, ways), rng.normal(size=spans.size)
    chart_build = add("chart of 180 tokens, two tails: build", spans.size, seconds(lambda: Topology(spans, ways)))
    chart_best = add("best", spans.size, seconds(lambda: queries.best(chart, own)))
    add("marginals", spans.size, seconds(lambda: queries.marginals(chart, own)))
    kernel, explicit = chain_against_program(rng)
    edges = SENTENCES * Topology(*chain_edges(TOKENS, LABELS)).n_edges
    add(f"{SENTENCES:,} chains of {TOKENS} tokens, {LABELS} labels: own kernel", edges, kernel)
    add("the same as explicit programs", edges, explicit)
    asked = f"at most {MOST_NANOSECONDS:.0f} ns"
    totals = {
        "chain of a million edges": build + best,
        "the same in any order": slow_build + slow_best,
        "chart with two tails": chart_build + chart_best,
    }
    ratio = explicit / kernel
    return {
        "columns": ["query", "edges", "ns per edge"],
        "rows": rows,
        "bars": [
            *((f"{name}, build and best", f"{t:.1f} ns", asked, t <= MOST_NANOSECONDS) for name, t in totals.items()),
            ("explicit program / own kernel", f"{ratio:.1f}", f"at most {MOST_RATIO:.0f}", ratio <= MOST_RATIO),
        ],
    }


def chain_against_program(rng: np.random.Generator) -> tuple[float, float]:
    """CPU seconds for all sentences: the chain's own search, with one feature per token, and that of programs."""
    words = 5000
    chain = Chain(LABELS, words)
    sentences = [
        sp.csr_array((np.ones(TOKENS), rng.integers(0, words, TOKENS), np.arange(TOKENS + 1)), shape=(TOKENS, words))
        for _ in range(SENTENCES)
    ]
    core = chain.core(ChainInput(pack(sentences)), None)
    weights = chain.from_public(rng.normal(size=chain.rows * LABELS))
    kernel = seconds(lambda: core.decode(weights, 1, None, None, 1))
    topology = Topology(*chain_edges(TOKENS, LABELS))
    scores = rng.normal(size=BATCH * topology.n_edges)
    explicit = seconds(lambda: best_of_all([topology] * BATCH, scores)) * (SENTENCES / BATCH)
    return kernel, explicit
