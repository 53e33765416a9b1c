"""From a tree to rules with at most two children, and the symbols that this takes.

A node with children A B C D becomes X -> A X|<B-C-D>, X|<B-C-D> -> B X|<C-D>, X|<C-D> -> C D. The symbols between
remember the next ``horizontal`` children only, and every phrase remembers the labels of ``vertical - 1`` nodes above
it. Both are kept apart from the label, so that undoing takes no guesses from names.
"""

from __future__ import annotations

from typing import NamedTuple

from maxmargin.grammars.tree import Tree


class Symbol(NamedTuple):
    """What a grammar says of a span: the label of a node, the labels above it, and for a symbol between the node and
    its last children the labels of the next ones (None for the node itself)."""

    label: str
    parents: tuple[str, ...] = ()
    siblings: tuple[str, ...] | None = None

    def __str__(self) -> str:
        between = "" if self.siblings is None else f"|<{'-'.join(self.siblings)}>"
        above = f"^<{'-'.join(self.parents)}>" if self.parents else ""
        return f"{self.label}{between}{above}"


class Application(NamedTuple):
    """A rule at its place in a sentence: two symbols below (``split`` between them), or one, or a word (both -1)."""

    parent: Symbol
    children: tuple[Symbol, ...] | str
    start: int
    split: int
    end: int

    def __str__(self) -> str:
        right = repr(self.children) if isinstance(self.children, str) else " ".join(map(str, self.children))
        return f"{self.parent} -> {right}"


def applications(tree: Tree, horizontal: int | None, vertical: int) -> list[Application]:
    """The rules of a tree, each before those below it, from left to right; every word must have a tag of its own."""
    sizes = _sizes(tree)
    found: list[Application] = []
    waiting: list[tuple[Tree, tuple[str, ...], int, int]] = [(tree, (), 0, 0)]
    while waiting:
        node, parents, start, first = waiting.pop()
        rest = node.children[first:]
        own = Symbol(node.label, parents, _siblings(node, first, horizontal) if first else None)
        below = (node.label, *parents)[: vertical - 1]
        end = start + sum(_size(child, sizes) for child in rest)
        head = rest[0]
        if isinstance(head, str):
            found.append(Application(own, head, start, -1, end))
        elif len(rest) == 1:
            found.append(Application(own, (_symbol(head, below),), start, -1, end))
            waiting.append((head, _above(head, below), start, 0))
        else:
            split = start + sizes[id(head)]
            last = rest[1]
            assert isinstance(last, Tree)  # tokens() has looked
            if len(rest) == 2:
                right = _symbol(last, below)
                waiting.append((last, _above(last, below), split, 0))
            else:
                right = Symbol(node.label, parents, _siblings(node, first + 1, horizontal))
                waiting.append((node, parents, split, first + 1))
            waiting.append((head, _above(head, below), start, 0))
            found.append(Application(own, (_symbol(head, below), right), start, split, end))
    return found


def _siblings(node: Tree, first: int, horizontal: int | None) -> tuple[str, ...]:
    last = len(node.children) if horizontal is None else first + horizontal
    return tuple(child.label for child in node.children[first:last] if isinstance(child, Tree))


def _above(node: Tree, below: tuple[str, ...]) -> tuple[str, ...]:
    return () if node.is_tag else below


def _symbol(node: Tree, below: tuple[str, ...]) -> Symbol:
    return Symbol(node.label, _above(node, below))


def _size(child: Tree | str, sizes: dict[int, int]) -> int:
    return 1 if isinstance(child, str) else sizes[id(child)]


def _sizes(tree: Tree) -> dict[int, int]:
    sizes: dict[int, int] = {}
    for node in reversed(list(tree.nodes())):
        sizes[id(node)] = sum(_size(child, sizes) for child in node.children)
    return sizes
