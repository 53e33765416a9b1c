"""The exact search with the F1 loss by length of sentences: by predicted brackets, and by right and predicted ones."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.datasets import load_treebank
from maxmargin.grammars import PCFG, Tree
from maxmargin.grammars.loss import bound_loss
from maxmargin.grammars.packed import core_rules, core_sentences, derivations_of

LENGTHS = (10, 15, 20, 30, 40)
SENTENCES = 3  # of each length
GOALS = {"guesses": "margin rescaling, linear slack", "totals": "all other formulations"}
MOST = 2**26  # bytes: searches that need more are not run


def asked(model: PCFG, trees: Sequence[Tree], goal: str) -> tuple[float, float | None, float | None]:
    """Of searches: bytes at most, CPU seconds on average, and the sum of the slacks; these two where they are run."""
    grammar, X = model.grammar_, [tree.tokens() for tree in trees]
    sentences, rows = core_sentences(grammar, core_rules(grammar), X), derivations_of(grammar, X, trees)
    first = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    targets = _core.TreeTargets(sentences, first, np.concatenate(rows).astype(np.int32))
    loss = bound_loss("f1", sentences, targets, len(grammar.bracket_labels), Formulation("margin", "linear"))
    core = replace(loss, goal=goal).oracle(None)
    size = max(core.search_bytes(i) for i in range(len(X)))
    if size > MOST:
        return size, None, None
    begin = time.process_time()
    slack, *_ = core.worst(model.coef_, np.arange(len(X), dtype=np.int32), 1)
    return size, (time.process_time() - begin) / len(X), float(slack.sum())


def run() -> dict[str, Any]:
    bank = load_treebank("train", longest=max(LENGTHS))
    model = PCFG(horizontal=1).fit([tree.tokens() for tree in bank], bank)
    rows, bars = [], []
    for length in LENGTHS:
        trees = [tree for tree in bank if len(tree.tokens()) == length][:SENTENCES]
        cells, sums = [], []
        for goal in GOALS:
            size, spent, found = asked(model, trees, goal)
            cells += [f"{size / 2**20:,.1f}", "" if spent is None else f"{spent:.3f}"]
            sums.append(found)
        rows.append([str(length), *cells])
        if None not in sums:
            apart = abs(sums[0] - sums[1])
            bars.append((f"{length} words: both find the same", f"{apart:.1e}", "<= 1e-9", bool(apart <= 1e-9)))
        if length == max(LENGTHS):
            bars.append((f"{length} words: seconds of a search", cells[1], "<= 5", float(cells[1]) <= 5.0))
    columns = ["words", *(f"{name}, {unit}" for name in GOALS.values() for unit in ("MiB", "s"))]
    return {"tables": [("a search with the F1 loss", columns, rows)], "bars": bars}
