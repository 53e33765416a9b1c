"""Table 5 of Tsochantaridis et al. (2005) and the CFG row of table 1 of Joachims et al. (2009), on the treebank sample.

From tags, with a grammar of all rules that the training trees have. The papers' C is for the mean of the losses, the
library's for their sum: C = C_paper / n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from grammars.comparison import counted, f1, mcnemar, shown
from maxmargin.core.formulation import Formulation
from maxmargin.datasets import load_treebank
from maxmargin.grammars import PCFG, GrammarSVM, Tree
from maxmargin.grammars.packed import core_rules, core_sentences, derivations_of
from maxmargin.grammars.structure import TreeStructure
from maxmargin.metrics import BracketCounts
from maxmargin.solvers import NSlack, OneSlack
from shared.harness import measure

FOLDS = 5
C_PAPER, EPSILON = 10.0, 0.01  # the best of 1, 10 and 100 on these very folds: its gain is optimistic

Maker = Callable[[int], Any]
METHODS: dict[str, Maker] = {
    "PCFG": lambda n: PCFG(),
    "SVM zero-one": lambda n: _svm(n, loss="zero-one"),
    "SVM F1, slack rescaling": lambda n: _svm(n, loss="f1", rescaling="slack"),
    "SVM F1, margin rescaling": lambda n: _svm(n, loss="f1", rescaling="margin"),
}


def _svm(n: int, **options: Any) -> GrammarSVM:
    """As in the paper: squared slack, epsilon 0.01, and C for the mean."""
    return GrammarSVM(C_PAPER / n, slack="squared", solver=NSlack(), tol=EPSILON, **options)


@dataclass
class Row:
    """What one method did, added up over the folds."""

    train: list[BracketCounts] = field(default_factory=list)
    test: list[BracketCounts] = field(default_factory=list)
    seconds: float = 0.0
    searching: float = 0.0
    iterations: list[int] = field(default_factory=list)
    planes: list[int] = field(default_factory=list)

    def add(self, model: Any, cpu: float, train: Sequence[Tree], test: Sequence[Tree]) -> None:
        self.train += counted(model, train)
        self.test += counted(model, test)
        self.seconds += cpu
        if isinstance(model, GrammarSVM):
            self.searching += search_seconds(model, train)
            self.iterations.append(model.n_iter_)
            self.planes.append(model.solution_.trace[-1].planes)

    def cells(self) -> list[str]:
        counts = ["-", "-", "-"]
        if self.planes:
            share = 100 * max(0.0, 1 - self.searching / self.seconds)
            counts = [f"{share:.1f}", f"{np.mean(self.iterations):.0f}", f"{np.mean(self.planes):.0f}"]
        return [*shown(self.train), *shown(self.test), f"{self.seconds:.2f}", *counts]


def search_seconds(model: GrammarSVM, trees: Sequence[Tree]) -> float:
    """What the searches of a fit cost: as many as it made, at the price of those at its last weights."""
    X, grammar = [tree.tokens() for tree in trees], model.grammar_
    core = core_sentences(grammar, core_rules(grammar), X)
    structure = TreeStructure(core, derivations_of(grammar, X, trees), len(grammar.bracket_labels), model.loss)
    formulation = Formulation("none" if model.loss == "zero-one" else model.rescaling, model.slack)
    oracle = structure.bind(X, trees, formulation)
    _, cost = measure(lambda: oracle.slacks(model.coef_))
    return cost.cpu * model.solution_.oracle_calls / len(trees)


def compared(longest: int) -> dict[str, Row]:
    """All methods on the same folds."""
    trees = load_treebank(longest=longest)
    rows = {name: Row() for name in METHODS}
    for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(trees):
        kept, left = [trees[i] for i in train], [trees[i] for i in test]
        X = [tree.tokens() for tree in kept]
        for name, make in METHODS.items():
            model, cost = measure(lambda make=make, X=X, kept=kept: make(len(kept)).fit(X, kept))
            rows[name].add(model, cost.cpu, kept, left)
    return rows


def slack_forms(longest: int) -> dict[str, Any]:
    """The one-slack form with cache and the n-slack form on the problem of the 2009 paper: zero-one loss, one fit."""
    trees = load_treebank(longest=longest)
    X = [tree.tokens() for tree in trees]
    found = {}
    for name, solver in (("1-slack with cache", OneSlack()), ("n-slack", NSlack())):
        model = GrammarSVM(20_000 / (100 * len(trees)), loss="zero-one", solver=solver, tol=0.1 / 100)
        fitted, cost = measure(lambda model=model: model.fit(X, trees))
        found[name] = (cost.cpu, fitted.solution_)
    return found


def run() -> dict[str, Any]:
    tables, bars = [], []
    columns = ["", *(f"{part} {name}" for part in ("train", "test") for name in ("acc", "prec", "rec", "F1"))]
    columns += ["CPU s", "% QP", "iterations", "constraints"]
    for longest in (10, 15):
        rows = compared(longest)
        tables.append((f"at most {longest} words, {FOLDS} folds", columns, [[n, *r.cells()] for n, r in rows.items()]))
        for name in list(METHODS)[2:]:
            better, worse, chance = mcnemar(rows[name].test, rows["PCFG"].test)
            gain = f1(rows[name].test) - f1(rows["PCFG"].test)
            claim = f"{name} has a higher test F1 than PCFG, at most {longest} words"
            bars.append(
                (claim, f"{100 * gain:+.1f} ({better} better, {worse} worse, p = {chance:.2g})", "> 0", gain > 0)
            )
    forms = slack_forms(15)
    cells = [
        [name, f"{cpu:.2f}", str(solution.oracle_calls), str(solution.cache_hits), f"{solution.primal:.4f}"]
        for name, (cpu, solution) in forms.items()
    ]
    tables.append(("zero-one loss, at most 15 words", ["", "CPU s", "oracle calls", "cache hits", "objective"], cells))
    calls = [solution.oracle_calls for _, solution in forms.values()]
    bars.append(
        ("1-slack with cache asks fewer questions than n-slack", str(calls[0]), f"< {calls[1]}", calls[0] < calls[1])
    )
    return {"tables": tables, "bars": bars}
