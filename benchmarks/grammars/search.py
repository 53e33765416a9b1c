"""The exact search for the most violated tree with the F1 loss, by the length of sentences, beside the best tree alone.

Weights are those of a PCFG and shares of them: the smaller, the more trees of different losses compete, until at 0 the
loss alone decides.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.datasets import load_treebank
from maxmargin.grammars import PCFG, Tree
from maxmargin.grammars.loss import bound_loss
from maxmargin.grammars.packed import core_rules, core_sentences, derivations_of

LENGTHS = (10, 15, 20, 30, 40)
SENTENCES = 5  # of each length
FACTORS = (1.0, 0.1, 0.01, 0.0)
USUAL = 2  # of them are of the size of learned weights
RESCALINGS = ("margin", "slack")
ROOM = 1 << 30
CHARTS = 10.0  # times the best tree: what a search may take with margin rescaling, the default


def milliseconds(model: PCFG, trees: Sequence[Tree]) -> list[float]:
    """CPU time per sentence: of the best tree, then of the most violated one by factor and rescaling."""
    grammar, X = model.grammar_, [tree.tokens() for tree in trees]
    sentences, rows = core_sentences(grammar, core_rules(grammar), X), derivations_of(grammar, X, trees)
    first = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    targets = _core.TreeTargets(sentences, first, np.concatenate(rows).astype(np.int32))
    everyone = np.arange(len(X), dtype=np.int32)

    def spent(call: Any) -> float:
        begin = time.process_time()
        call()
        return 1e3 * (time.process_time() - begin) / len(X)

    found = [spent(lambda: sentences.best(model.coef_, None, 1))]
    for rescaling in RESCALINGS:
        loss = bound_loss("f1", sentences, targets, Formulation(rescaling, "linear"))
        core = loss.oracle(ROOM, None)
        found += [spent(lambda core=core, w=factor * model.coef_: core.worst(w, everyone, 1)) for factor in FACTORS]
    return found


def run() -> dict[str, Any]:
    bank = load_treebank("train", longest=max(LENGTHS))
    model = PCFG(horizontal=1).fit([tree.tokens() for tree in bank], bank)
    rows, bars = [], []
    for length in LENGTHS:
        found = milliseconds(model, [tree for tree in bank if len(tree.tokens()) == length][:SENTENCES])
        rows.append([str(length), *(f"{each:.1f}" for each in found)])
        times = max(found[1 : 1 + USUAL]) / found[0]
        bars.append(
            (f"{length} words, margins: times the best tree", f"{times:.1f}", f"<= {CHARTS:g}", times <= CHARTS)
        )
    searches = (f"{rescaling} rescaling, {factor:g} w" for rescaling in RESCALINGS for factor in FACTORS)
    columns = ["words", "best tree, ms", *searches]
    return {"tables": [("the most violated tree with the F1 loss, CPU ms per sentence", columns, rows)], "bars": bars}
