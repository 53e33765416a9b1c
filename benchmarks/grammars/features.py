"""Sentences of at most 40 words from tags: features of spans beside markovisation and parent annotation.

Trained on the files 1 to 159 of the sample, tested on 180 to 199; brackets count as in EVALB. Settings are those that
the library chooses; training ends after ``LIMIT`` seconds of wall time wherever it then is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maxmargin.datasets import load_treebank
from maxmargin.grammars import PCFG, GrammarCRF, GrammarSVM
from maxmargin.metrics import bracket_score
from shared.harness import measure

LONGEST = 40
LIMIT = 240.0
FEATURES = ("first", "last", "before", "after", "split", "length")
BASELINE = "PCFG, horizontal 1, vertical 2"
METHODS: dict[str, Callable[[], Any]] = {
    "PCFG": PCFG,
    BASELINE: lambda: PCFG(horizontal=1, vertical=2),
    "GrammarSVM, the same rules": lambda: GrammarSVM(horizontal=1, vertical=2, loss="hamming", max_time=LIMIT),
    "GrammarSVM, horizontal 1, spans": lambda: GrammarSVM(
        horizontal=1, loss="hamming", features=FEATURES, max_time=LIMIT
    ),
    "GrammarCRF, horizontal 1, spans": lambda: GrammarCRF(horizontal=1, features=FEATURES, max_time=LIMIT),
}


def run(longest: int = LONGEST) -> dict[str, Any]:
    train, test = load_treebank("train", longest=longest), load_treebank("test", longest=longest)
    X, X_test = [tree.tokens() for tree in train], [tree.tokens() for tree in test]
    rows, scores = [], {}
    for name, make in METHODS.items():
        model, cost = measure(lambda make=make: make().fit(X, train))
        found, spent = measure(lambda model=model: model.predict(X_test))
        score = bracket_score(test, found)
        scores[name] = score.f1
        shares = [f"{100 * share:.1f}" for share in (score.precision, score.recall, score.f1, score.exact)]
        per_sentence = f"{1000 * spent.cpu / len(test):.1f}"
        rows.append([name, f"{model.coef_.size:,}", *shares, f"{score.crossing:.2f}", f"{cost.cpu:.1f}"])
        rows[-1] += [str(model.n_iter_), model.solution_.status.name, per_sentence]
        print(*rows[-1], sep=", ", flush=True)  # each takes minutes
    columns = ["", "weights", "prec", "rec", "F1", "exact", "crossing", "training, CPU s", "iterations", "end"]
    columns.append("ms per sentence")
    bars = []
    for name in METHODS:
        if name.endswith("spans"):
            gain = scores[name] - scores[BASELINE]
            claim = f"{name}: test F1 above {BASELINE} after at most {LIMIT / 60:.0f} minutes"
            bars.append((claim, f"{100 * gain:+.1f}", "> 0", gain > 0))
    title = f"{len(train)} sentences of at most {longest} words, {len(test)} to test"
    return {"tables": [(title, columns, rows)], "bars": bars}
