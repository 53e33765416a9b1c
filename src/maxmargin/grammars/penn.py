"""What parsers usually leave out of the trees of the Penn treebank, one step per function.

What is left out here does not come back from a parser: traces and function tags are not predicted. Whoever wants to
predict function tags keeps them and leaves out the numbers beside them (``without_indices``): a label such as NP-SBJ is
a label as any other. Trees of NLTK and bracketed texts are taken too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from maxmargin.grammars.tree import Tree, rebuilt

EMPTY = "-NONE-"
"""The tag of traces and other words that are not said."""

_FUNCTION = re.compile(r"^([^-=]+)[-=].*")
_INDICES = re.compile(r"^([^-=].*?)(?:[-=]\d+)+$")


def without_empty_nodes(tree: Any) -> Tree:
    """Leaves out traces, the words with the tag -NONE-, and the nodes that have no other words.

    Raises a ValueError where no word is left.
    """

    def kept(label: str, children: list[Tree | str]) -> Tree | None:
        return Tree(label, children) if children and label != EMPTY else None

    given = Tree.of(tree)
    left = rebuilt(given, kept)
    if left is None:
        raise ValueError(f"The tree {given!s:.80} has no words but traces; leave it out of the treebank.")
    return left


def without_function_tag(label: str) -> str:
    """A label up to its first hyphen or equals sign: NP-SBJ-1 and NP=2 become NP, -LRB- stays."""
    return _FUNCTION.sub(r"\1", label)


def without_index(label: str) -> str:
    """A label without the numbers that tie it to a trace or to another label: NP-SBJ-1 becomes NP-SBJ, NP=2 NP."""
    return _INDICES.sub(r"\1", label)


def without_indices(tree: Any) -> Tree:
    """The labels of phrases without these numbers, with their function tags."""
    return _relabelled(tree, without_index)


def without_function_tags(tree: Any) -> Tree:
    """The labels of phrases without function tags; the tags of words stay as they are."""
    return _relabelled(tree, without_function_tag)


def _relabelled(tree: Any, change: Callable[[str], str]) -> Tree:
    def changed(label: str, children: list[Tree | str]) -> Tree:
        is_tag = any(isinstance(child, str) for child in children)
        return Tree(label if is_tag else change(label), children)

    made = rebuilt(Tree.of(tree), changed)
    assert made is not None
    return made


def without_repeats(tree: Any) -> Tree:
    """Nodes whose only child has the same label become one: (NP (NP (NN dog))) is (NP (NN dog)).

    Removing traces leaves many of these.
    """

    def merged(label: str, children: list[Tree | str]) -> Tree:
        only = children[0]
        if len(children) == 1 and isinstance(only, Tree) and only.label == label and not only.is_tag:
            return only
        return Tree(label, children)

    made = rebuilt(Tree.of(tree), merged)
    assert made is not None
    return made


def plain_tree(tree: Any, *, function_tags: bool = False) -> Tree:
    """The tree as experiments with the Penn treebank use it: without empty nodes, function tags and repeats, in this
    order; ``function_tags`` keeps these, without the numbers beside them."""
    said = without_empty_nodes(tree)
    return without_repeats(without_indices(said) if function_tags else without_function_tags(said))
