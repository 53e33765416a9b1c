"""Trees and grammars for tests: random trees, and a small treebank."""

from __future__ import annotations

from hypothesis import strategies as st

from maxmargin.grammars import Tree

TREEBANK = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))",
    "(S (NP (NNS dogs)) (VP (VBP chase) (NP (DT the) (JJ old) (NN cat))) (. .))",
    "(NP (NP (DT the) (NN cat)) (PP (IN in) (NP (DT the) (JJ big) (JJ old) (NN house))))",
    "(S (S (NP (NNP Ann)) (VP (VBZ sings))) (, ,) (CC and)"
    " (S (NP (NNP Bob)) (VP (VBZ listens) (ADVP (RB well)))) (. .))",
    "(FRAG (NP (NN silence)))",
]


def treebank() -> list[Tree]:
    return [Tree.from_text(text) for text in TREEBANK]


def trees(max_leaves: int = 10, *, plain: bool = False) -> st.SearchStrategy[Tree]:
    """Random trees in which every word has a tag of its own; labels of phrases and of tags may be the same,
    and look like what binarisation makes, unless they are ``plain``."""
    words = st.sampled_from(["a", "b", "Dash-ed", "runs", "42", "ünïcode"])
    tags = st.builds(lambda tag, word: Tree(tag, [word]), st.sampled_from(["T", "U", "V" if plain else "X"]), words)
    labels = st.sampled_from(["S", "X", "Y", *([] if plain else ["S|<X>", "Y^<S>"])])
    return st.recursive(
        tags,
        lambda below: st.builds(Tree, labels, st.lists(below, min_size=1, max_size=5)),
        max_leaves=max_leaves,
    )
