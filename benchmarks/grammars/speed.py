"""Best trees from tags: beside NLTK's ViterbiParser, and beside the rate of one multiply-add with a gathered operand.

A rule application is a binary rule at a span and a split where both of its parts are in the chart, before anything is
left out of it because of the words around. The bound is as many
multiply-adds of sparse rows with a dense vector in the cache, by the library's own kernel or by SciPy's, whichever is
faster. NLTK's time is beside that of ``predict``, trees included, on the same rules and sentences.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import nltk
import numpy as np
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.datasets import load_treebank
from maxmargin.grammars import PCFG, Tree
from maxmargin.grammars.packed import core_rules, core_sentences

GRAMMARS: dict[str, dict[str, int]] = {
    "horizontal 0": {"horizontal": 0},
    "horizontal 1": {"horizontal": 1},
    "horizontal 1, vertical 2": {"horizontal": 1, "vertical": 2},
    "plain": {},
}
LONGEST, SHORT = 40, 10
PARSED = 12  # sentences that NLTK parses
CHAINS = 6  # unary rules that may follow each other: NLTK has no limit
REPEATS = 5
FASTER, BOUND = 1000.0, 3.0


def seconds(call: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Of processor time, the median of several runs."""
    spent = []
    for _ in range(repeats):
        begin = time.process_time()
        call()
        spent.append(time.process_time() - begin)
    return statistics.median(spent)


def multiply_add_ns(rows: int = 1024, per_row: int = 64, columns: int = 2048, again: int = 100) -> tuple[float, float]:
    """Nanoseconds of a multiply-add with a gathered operand, in products of sparse rows: the library's, SciPy's."""
    rng = np.random.default_rng(0)
    indices = np.sort(np.argsort(rng.random((rows, columns)), axis=1)[:, :per_row], axis=1).astype(np.int32).ravel()
    values, offsets = rng.normal(size=indices.size), np.arange(0, indices.size + 1, per_row, dtype=np.int64)
    dense, packed = rng.normal(size=columns), _core.Rows(values, indices, offsets, columns, 0.0, False)
    matrix = sp.csr_matrix((values, indices, offsets), shape=(rows, columns))
    calls: tuple[Callable[[], Any], ...] = (lambda: packed.products(dense, None, 1), lambda: matrix @ dense)
    apart = np.abs(calls[0]() - calls[1]()).max()
    if apart > 1e-9:
        raise RuntimeError(f"The two products differ by {apart:.1e}.")
    ours, theirs = (
        seconds(lambda call=call: [call() for _ in range(again)]) * 1e9 / (again * indices.size) for call in calls
    )
    return ours, theirs


def nltk_parser(model: PCFG) -> nltk.ViterbiParser:
    """NLTK's parser with the rules and probabilities of a fitted PCFG; tags are its words."""
    grammar = model.grammar_
    names = [nltk.Nonterminal(str(symbol)) for symbol in grammar.symbols]
    rules = [
        nltk.ProbabilisticProduction(names[row[0]], [names[child] for child in row[1:]], prob=np.exp(weight))
        for row, weight in zip([*grammar.binary, *grammar.unary], model.coef_, strict=True)
    ]
    rules += [nltk.ProbabilisticProduction(nltk.Nonterminal(tag), [tag], prob=1.0) for tag in grammar.lexicon.known]
    return nltk.ViterbiParser(nltk.PCFG(names[grammar.start], rules, calculate_leftcorners=False))


def tags_of(trees: Sequence[Tree]) -> list[list[str]]:
    return [[tag for _, tag in tree.tokens()] for tree in trees]


def beside_nltk() -> tuple[list[list[str]], list[tuple[str, str, str, bool]]]:
    trees = [tree for tree in load_treebank(longest=SHORT) if len(tree.tokens()) > 1]
    X = tags_of(trees[:: len(trees) // PARSED][:PARSED])
    rows, bars = [], []
    for name, options in GRAMMARS.items():
        model = PCFG(chains=CHAINS, **options).fit([tree.tokens() for tree in trees], trees)
        parser = nltk_parser(model)
        scores = [best[0].score for best in model.predict_kbest(X, 1)]
        found = [next(iter(parser.parse(sentence))) for sentence in X]
        apart = max(abs(score - tree.logprob() * np.log(2.0)) for score, tree in zip(scores, found, strict=True))
        slow = seconds(lambda parser=parser: [list(parser.parse(sentence)) for sentence in X]) / len(X)
        fast = seconds(lambda model=model: [model.predict(X) for _ in range(20)]) / (20 * len(X))
        core = core_sentences(model.grammar_, core_rules(model.grammar_), X)
        chart = seconds(lambda core=core, w=model.coef_: [core.best(w, None, 1) for _ in range(20)]) / (20 * len(X))
        times = slow / fast
        cells = [f"{model.grammar_.n_rules:,}", f"{1e3 * slow:.0f}", f"{1e6 * fast:.0f}", f"{1e6 * chart:.0f}"]
        cells.append(f"{times:,.0f}")
        rows.append([name, *cells, f"{apart:.1e}"])
        bars.append((f"{name}: times NLTK's speed", f"{times:,.0f}", f">= {FASTER:,.0f}", times >= FASTER))
        bars.append((f"{name}: scores are NLTK's", f"{apart:.1e}", "<= 1e-9", bool(apart <= 1e-9)))
    return rows, bars


def beside_bound() -> tuple[list[list[str]], list[tuple[str, str, str, bool]]]:
    train, test = load_treebank("train", longest=LONGEST), load_treebank("test", longest=LONGEST)
    X, X_test = [tree.tokens() for tree in train], [tree.tokens() for tree in test]
    rows, bars = [], []
    for name, options in GRAMMARS.items():
        model = PCFG(**options).fit(X, train)
        grammar, weights = model.grammar_, model.coef_
        core = core_sentences(grammar, core_rules(grammar), X_test)
        applications = int(core.applications(weights).sum())
        spent = seconds(lambda core=core, weights=weights: core.best(weights, None, 1))
        rates = multiply_add_ns()
        each, bound = 1e9 * spent / applications, min(rates)
        cells = [f"{len(grammar.binary):,}", f"{applications / len(test):,.0f}", f"{1e3 * spent / len(test):.2f}"]
        rows.append([name, *cells, f"{each:.2f}", *(f"{rate:.2f}" for rate in rates), f"{each / bound:.2f}"])
        bars.append((f"{name}: times the bound", f"{each / bound:.2f}", f"<= {BOUND:.0f}", each <= BOUND * bound))
    return rows, bars


def run() -> dict[str, Any]:
    bounded, bars = beside_bound()
    compared, more = beside_nltk()
    columns = ["grammar", "binary rules", "applications per sentence", "ms per sentence", "ns per application"]
    columns += ["multiply-add, ns", "SciPy's, ns", "times the bound"]
    tables = [
        (f"test sentences of at most {LONGEST} words", columns, bounded),
        (
            f"{PARSED} sentences of at most {SHORT} words",
            ["grammar", "rules", "NLTK, ms per sentence", "predict, us", "of it the chart", "times", "scores apart"],
            compared,
        ),
    ]
    return {"tables": tables, "bars": bars + more}
