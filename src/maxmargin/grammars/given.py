"""Checks of what a grammar is made from: trees, and the options of a grammar."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from maxmargin.core.input_checks import is_whole
from maxmargin.grammars.penn import EMPTY
from maxmargin.grammars.tree import Tree, trees_of


def checked_trees(trees: Iterable[Any]) -> list[Tree]:
    """Trees that a parser can learn from; raises a ValueError that names the first that is not."""
    given: list[Tree] = []
    for number, tree in enumerate(trees_of(trees)):
        try:
            tags = [tag for _, tag in tree.tokens()]
        except ValueError as error:
            raise ValueError(f"Tree {number}: {error}") from error
        if EMPTY in tags:
            raise ValueError(
                f"Tree {number} has a trace at word {tags.index(EMPTY)}, with the tag {EMPTY}; remove traces with "
                "maxmargin.grammars.plain_tree or without_empty_nodes."
            )
        given.append(tree)
    if not given:
        raise ValueError("There are no trees; a grammar needs at least one.")
    return given


def check_options(horizontal: int | None, vertical: int, input: str, chains: str | int, rare: int) -> None:
    if horizontal is not None and not is_whole(horizontal, 0):
        raise ValueError(f"horizontal must be None or a whole number from 0, not {horizontal!r}.")
    if not is_whole(vertical, 1):
        raise ValueError(f"vertical must be a whole number from 1, not {vertical!r}.")
    if input not in ("tags", "words"):
        raise ValueError(f"input must be 'tags' or 'words', not {input!r}.")
    if chains != "seen" and not is_whole(chains, 1):
        raise ValueError(f"chains must be 'seen' or a whole number from 1, not {chains!r}.")
    if not is_whole(rare, 0):
        raise ValueError(f"rare must be a whole number from 0, not {rare!r}.")
