"""Bracketed text, the format of the Penn treebank: (S (NP (DT the) (NN dog)) (VP (VBZ barks)))."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from typing import Any, NamedTuple

from maxmargin.core.input_checks import quoted
from maxmargin.grammars.tree import Tree, trees_of
from maxmargin.io.text import numbered_lines, text_writer

_TOKEN = re.compile(r"[()]|[^ \t\r\n\f\v()]+")


class _Open(NamedTuple):
    """A bracket that is not yet closed: where it stands, its label and its children so far."""

    line: int
    column: int
    label: list[str]
    children: list[Tree | str]


def read_trees(path: str | PathLike[str], *, encoding: str = "utf-8") -> list[Tree]:
    """All trees of a file, which may be a gzip archive; see ``iter_trees``."""
    return list(iter_trees(path, encoding=encoding))


def iter_trees(path: str | PathLike[str], *, encoding: str = "utf-8") -> Iterator[Tree]:
    """The trees of a file, one after the other; a tree may take several lines.

    An outermost bracket without a label around one tree, as the Penn treebank has it, is left out. Raises a ValueError
    with line and column where brackets do not match, a node has no label or no children, or text stands outside of all
    brackets.
    """
    for _, tree in numbered_trees(path, encoding=encoding):
        yield tree


def numbered_trees(path: str | PathLike[str], *, encoding: str = "utf-8") -> Iterator[tuple[int, Tree]]:
    """The same with the line on which each tree begins."""
    name = fspath(path)
    found = False
    for line, tree in _trees(numbered_lines(path, encoding), f"{name}, "):
        found = True
        yield line, tree
    if not found:
        raise ValueError(f"{name} holds no trees; it must have trees in brackets, such as (S (NN dogs) (VBP bark)).")


def parse_trees(text: str) -> list[Tree]:
    """All trees in a text."""
    return [tree for _, tree in _trees(enumerate(text.split("\n"), 1), "")]


def parse_tree(text: str) -> Tree:
    """The only tree in a text."""
    trees = parse_trees(text)
    if len(trees) != 1:
        raise ValueError(f"One tree in brackets is expected, and {quoted(text)} has {len(trees)}.")
    return trees[0]


def write_trees(path: str | PathLike[str], trees: Iterable[Any], *, encoding: str = "utf-8") -> None:
    """Writes trees, also bracketed texts and trees of NLTK, to a file, one per line; names that end in ``.gz`` make a
    gzip archive. Raises an error that names the first that is no tree."""
    lines = [f"{tree}\n" for tree in trees_of(trees)]
    with text_writer(path, encoding) as file:
        file.writelines(lines)


def _trees(lines: Iterable[tuple[int, str]], name: str) -> Iterator[tuple[int, Tree]]:
    stack: list[_Open] = []
    for number, line in lines:
        for match in _TOKEN.finditer(line):
            token, column = match.group(), match.start() + 1
            place = f"{name}line {number}, column {column}"
            if token == "(":
                stack.append(_Open(number, column, [], []))
            elif not stack:
                raise ValueError(
                    f"{place}: a closing bracket without an opening one."
                    if token == ")"
                    else f"{place}: {quoted(token)} stands outside of all brackets; a tree is (label children)."
                )
            elif token == ")":
                begun = stack.pop()
                node = _closed(begun, len(stack), name)
                if stack:
                    stack[-1].children.append(node)
                else:
                    yield begun.line, node
            elif not stack[-1].label and not stack[-1].children:
                stack[-1].label.append(token)
            else:
                stack[-1].children.append(token)
    if stack:
        raise ValueError(f"{name}line {stack[-1].line}, column {stack[-1].column}: this bracket is never closed.")


def _closed(bracket: _Open, depth: int, name: str) -> Tree:
    place = f"{name}line {bracket.line}, column {bracket.column}"
    label = bracket.label[0] if bracket.label else ""
    if not bracket.children:
        raise ValueError(
            f"{place}: {f'the node {quoted(label)} has no children' if label else 'an empty tree'}; write the words "
            "below their labels, such as (NN dog)."
        )
    if not label:
        only = bracket.children[0]
        if depth:
            raise ValueError(f"{place}: a bracket without a label; only the outermost one may be without.")
        if len(bracket.children) == 1 and isinstance(only, Tree):
            return only
    return Tree(label, bracket.children)
