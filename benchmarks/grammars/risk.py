"""Trees of most expected right brackets less expected wrong ones beside the most likely trees, by a PCFG from tags.

Trained on the files 1 to 159 of the sample, tested on 180 to 199. With repeats a node may have one child with its own
label, as traces leave them; a parser that values such brackets wrongly makes many of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maxmargin.datasets import load_treebank
from maxmargin.grammars import PCFG, Tree, plain_tree, without_empty_nodes, without_function_tags
from maxmargin.metrics import bracket_score

LONGEST = 40
CLEANED: dict[str, Callable[[Tree], Tree]] = {
    "without repeats": plain_tree,
    "with repeats": lambda tree: without_function_tags(without_empty_nodes(tree)),
}


def repeats(tree: Tree) -> bool:
    """Whether a label stands twice over the same words."""
    found = tree.brackets()
    return len(set(found)) < len(found)


def run(longest: int = LONGEST) -> dict[str, Any]:
    rows, bars = [], []
    for name, clean in CLEANED.items():
        parts = [[clean(tree) for tree in load_treebank(part, raw=True)] for part in ("train", "test")]
        train, test = ([tree for tree in part if len(tree.words()) <= longest] for part in parts)
        model = PCFG(horizontal=1, vertical=2).fit([tree.tokens() for tree in train], train)
        scores = []
        for decode in ("best", "risk"):
            found = model.predict([tree.tokens() for tree in test], decode=decode)
            score = bracket_score(test, found)
            scores.append(score.f1)
            shares = [f"{100 * share:.1f}" for share in (score.precision, score.recall, score.f1, score.exact)]
            rows.append([name, decode, *shares, str(sum(map(repeats, found))), str(sum(map(repeats, test)))])
        gain = scores[1] - scores[0]
        bars.append(
            (f"{name}: F1 of the trees of least risk above the best ones'", f"{100 * gain:+.2f}", "> 0", gain > 0)
        )
    columns = ["trees", "decode", "prec", "rec", "F1", "exact", "trees with repeats", "true ones"]
    return {"tables": [(f"sentences of at most {longest} words", columns, rows)], "bars": bars}
