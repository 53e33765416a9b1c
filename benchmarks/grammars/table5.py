"""Table 5 of Tsochantaridis et al. (2005) and the CFG row of table 1 of Joachims et al. (2009), on the treebank sample.

From tags, with a grammar of all rules that the training trees have. The papers' C is for the mean of the losses, the
library's for their sum: C = C_paper / n. It is chosen on folds of the training part; no test sentence is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from grammars.comparison import counted, f1, mcnemar, shown
from maxmargin.datasets import load_treebank
from maxmargin.grammars import PCFG, GrammarSVM, Tree
from maxmargin.grammars.span_features import NAMES
from maxmargin.metrics import BracketCounts
from maxmargin.oracles.cached import PlaneCache
from maxmargin.oracles.native import NativeOracle
from maxmargin.solvers import NSlack, OneSlack
from maxmargin.solvers.cuts import CutRows
from shared.clocks import Parts, clocked
from shared.harness import measure

FOLDS = 5
GRID = (3.0, 10.0, 30.0, 100.0)  # of the papers' C, to choose from
FIRST_SEED = 200  # of the shuffles; others were looked at when the grid was set
EPSILON = 0.01  # training ends at a gap of EPSILON * C * n
ZERO_ONE_EPSILON = 0.001  # with EPSILON w = 0 would do at the smallest C: its objective is within 0.4 % of the optimum
SAMPLES = {10: (6, 3), 15: (1, 1)}  # by the longest sentence: shuffles of the folds, and thirds that C is chosen on

PARTS: Parts = {  # of a fit by cuts
    "QP": ((CutRows, "add"), (CutRows, "solve")),
    "searches": ((NativeOracle, "worst"), (NativeOracle, "cut"), (NativeOracle, "slacks")),
    "kept planes": ((PlaneCache, "best_cut"),),
}
METHODS: Mapping[str, Mapping[str, Any] | None] = {
    "PCFG": None,
    "SVM zero-one": {"loss": "zero-one", "tol": ZERO_ONE_EPSILON},
    "SVM F1, slack rescaling": {"loss": "f1", "rescaling": "slack"},
    "SVM F1, margin rescaling": {"loss": "f1", "rescaling": "margin"},
    "the same from counts of rules": {"loss": "f1", "rescaling": "margin", "prior": "pcfg"},
    "the same with features of spans": {"loss": "f1", "rescaling": "margin", "features": NAMES},
}


def svm(C: float, n: int, options: Mapping[str, Any], *, warm_start: bool = False) -> GrammarSVM:
    """As in the paper: squared slack, and C for the mean."""
    options = {"tol": EPSILON, **options}
    return GrammarSVM(C / n, slack="squared", solver=OneSlack(), warm_start=warm_start, **options)


def chosen_c(trees: Sequence[Tree], options: Mapping[str, Any], parts: int) -> float:
    """The C of the grid with the highest F1 on the first ``parts`` of three folds; the smallest of equals.

    With all trees: the best C of the papers grows with their number.
    """
    counts: dict[float, list[BracketCounts]] = {C: [] for C in GRID}
    for kept, left in islice(divided(trees, 3, 0), parts):
        model = svm(GRID[0], len(kept), options, warm_start=True)
        for C in GRID:
            model.set_params(C=C / len(kept)).fit([tree.tokens() for tree in kept], kept)
            counts[C] += counted(model, left)
    return max(GRID, key=lambda C: (f1(counts[C]), -C))


def divided(trees: Sequence[Tree], folds: int, seed: int) -> Iterator[tuple[list[Tree], list[Tree]]]:
    """The trees without one fold, and that fold."""
    for kept, left in KFold(folds, shuffle=True, random_state=seed).split(trees):
        yield [trees[i] for i in kept], [trees[i] for i in left]


@dataclass
class Row:
    """What one method did, over the folds of all shuffles."""

    train: list[BracketCounts] = field(default_factory=list)
    test: list[list[BracketCounts]] = field(default_factory=list)  # of each shuffle
    seconds: float = 0.0
    spent: Counter[str] = field(default_factory=Counter)  # seconds of fits in their parts
    fits: list[tuple[float, int, int]] = field(default_factory=list)  # C, iterations, cuts

    def fit(self, C: float, model: Any, train: Sequence[Tree], test: Sequence[Tree]) -> None:
        X = [tree.tokens() for tree in train]
        with clocked(PARTS) as spent:
            _, cost = measure(lambda: model.fit(X, train))
        self.train += counted(model, train)
        self.test[-1] += counted(model, test)
        self.seconds += cost.cpu
        if isinstance(model, GrammarSVM):
            self.spent.update(spent)
            self.fits.append((C, model.n_iter_, model.solution_.details["cuts_added"]))

    def cells(self) -> list[str]:
        counts = ["-"] * (len(PARTS) + 3)
        if self.fits:
            C, iterations, cuts = (np.array(column) for column in zip(*self.fits, strict=True))
            usual = np.exp(np.log(C).mean())
            shares = [f"{100 * self.spent[part] / self.seconds:.0f}" for part in PARTS]
            counts = [*shares, f"{iterations.mean():.0f}", f"{cuts.mean():.0f}", f"{usual:.0f}"]
        every = [one for test in self.test for one in test]
        return [*shown(self.train), *shown(every), f"{self.seconds / len(self.test):.2f}", *counts]


def compared(longest: int) -> dict[str, Row]:
    """All methods on the same folds."""
    trees, (shuffles, parts) = load_treebank(longest=longest), SAMPLES[longest]
    rows = {name: Row() for name in METHODS}
    for seed in range(FIRST_SEED, FIRST_SEED + shuffles):
        for row in rows.values():
            row.test.append([])
        for kept, left in divided(trees, FOLDS, seed):
            for name, options in METHODS.items():
                C = 0.0 if options is None else chosen_c(kept, options, parts)
                model = PCFG() if options is None else svm(C, len(kept), options)
                rows[name].fit(C, model, kept, left)
        found = ", ".join(f"{name} {100 * f1(row.test[-1]):.2f}" for name, row in rows.items())
        print(f"at most {longest} words, shuffle {seed}: {found}", flush=True)  # each takes minutes
    return rows


def bars_against(rows: Mapping[str, Row], longest: int) -> list[tuple[str, str, str, bool]]:
    """The gains of the F1 losses over PCFG: their mean over the shuffles, and McNemar's test of each."""
    bars = []
    for name in list(METHODS)[2:]:
        pairs = list(zip(rows[name].test, rows["PCFG"].test, strict=True))
        gains = np.array([f1(ours) - f1(theirs) for ours, theirs in pairs])
        tests = [mcnemar(ours, theirs) for ours, theirs in pairs]
        better, worse, chance = (np.median(column) for column in zip(*tests, strict=True))
        found = f"{100 * gains.mean():+.2f}, {(gains > 0).sum()} of {gains.size} shuffles "
        found += f"(median: {better:.0f} sentences better, {worse:.0f} worse, p = {chance:.2g})"
        bars.append((f"{name}: mean test F1 above PCFG's, {longest} words", found, "> 0", bool(gains.mean() > 0)))
    return bars


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
    columns += ["CPU s", *(f"% {part}" for part in PARTS), "iterations", "cuts", "C"]
    for longest, (shuffles, _) in SAMPLES.items():
        rows = compared(longest)
        title = f"at most {longest} words, {FOLDS} folds, {shuffles} shuffles"
        tables.append((title, columns, [[name, *row.cells()] for name, row in rows.items()]))
        bars += bars_against(rows, longest)
    forms = slack_forms(15)
    cells = [
        [name, f"{cpu:.2f}", str(solution.oracle_calls), str((solution.alpha > 0).sum()), f"{solution.primal:.3f}"]
        for name, (cpu, solution) in forms.items()
    ]
    columns = ["", "CPU s", "oracle calls", "support vectors", "objective"]
    tables.append(("zero-one loss, at most 15 words", columns, cells))
    calls = [solution.oracle_calls for _, solution in forms.values()]
    bars.append(
        ("1-slack with cache asks fewer questions than n-slack", str(calls[0]), f"< {calls[1]}", calls[0] < calls[1])
    )
    return {"tables": tables, "bars": bars}
