"""Parsing with a grammar from a treebank: plain rules, then rules that know more of the tree around them.

The trees are drawn from a small grammar of invented words. With the environment variable MAXMARGIN_DATA set to a folder
that holds treebank/treebank.zip, they are sentences of up to 15 words of the Wall Street Journal.
"""

import os

from maxmargin.datasets import load_treebank, make_treebank
from maxmargin.grammars import PCFG, GrammarSVM
from maxmargin.metrics import bracket_score

FEATURES = ("first", "last", "before", "after", "split", "length")

trees = load_treebank(longest=15) if os.environ.get("MAXMARGIN_DATA") else make_treebank(1000)
train, test = trees[: 4 * len(trees) // 5], trees[4 * len(trees) // 5 :]
X, X_test = [tree.tokens() for tree in train], [tree.tokens() for tree in test]
print(f"{len(train)} trees to learn from, {len(test)} to parse; the first:\n{train[0].text()}\n")

for name, parser in (
    ("rules as they are", PCFG()),
    ("children one by one, labels with their parents", PCFG(horizontal=1, vertical=2)),
    ("the same from words alone", PCFG(horizontal=1, vertical=2, input="words")),
    ("margins, features of spans", GrammarSVM(horizontal=1, loss="hamming", features=FEATURES)),
):
    parser.fit(X, train)
    found = parser.predict(X_test)
    score = bracket_score(test, found)
    print(f"{name}: {parser.grammar_.n_rules} rules, F1 {score.f1:.3f}, {score.exact:.1%} of the trees all right")

wrong = next((k for k, tree in enumerate(found) if tree != test[k]), 0)
print("\nA sentence as it was parsed; stars mark what the true tree does not have:")
print(found[wrong].text(against=test[wrong]))
