"""Trees drawn as text and as SVG. Needs nothing but the standard library."""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maxmargin.grammars.tree import Span, Tree

_LETTER, _GAP, _HIGH, _MARGIN = 7.5, 14, 46, 16
_PLAIN, _WRONG = "black", "#c0392b"
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text_picture(tree: Tree, against: Tree | None = None) -> str:
    """One node per line, below the node that it belongs to; a star marks nodes that ``against`` does not have."""
    wrong = _wrong(tree, against)
    lines: list[str] = []
    waiting: list[tuple[Tree | str, str, str]] = [(tree, "", "")]
    number = 0
    while waiting:
        node, first, rest = waiting.pop()
        if isinstance(node, str):
            lines.append(f"{first}{node}")
            continue
        star = " *" if number in wrong else ""
        number += 1
        if node.is_tag:
            lines.append(f"{first}{node.label} {node.children[0]}{star}")
            continue
        lines.append(f"{first}{node.label}{star}")
        last = len(node.children) - 1
        below = [
            (child, rest + ("└─ " if k == last else "├─ "), rest + ("   " if k == last else "│  "))
            for k, child in enumerate(node.children)
        ]
        waiting += reversed(below)
    return "\n".join(lines)


def svg_picture(tree: Tree, against: Tree | None = None) -> str:
    """An SVG document: words at the bottom, every node above the middle of its children; nodes that ``against`` lacks
    are red."""
    wrong = _wrong(tree, against)
    x, y, labels, parents = _places(tree)
    lines, words = [], []
    number = 0
    for k, (label, parent, is_node) in enumerate(zip(labels, parents, (name[0] for name in labels), strict=True)):
        colour = _WRONG if is_node and number in wrong else _PLAIN
        number += bool(is_node)
        if parent >= 0:
            points = f'x1="{x[parent]:.0f}" y1="{y[parent] + 5:.0f}" x2="{x[k]:.0f}" y2="{y[k] - 13:.0f}"'
            lines.append(f'<line {points} stroke="#9a9a9a"/>')
        style = "" if is_node else ' font-style="italic"'
        words.append(f'<text x="{x[k]:.0f}" y="{y[k]:.0f}" fill="{colour}"{style}>{_escaped(label[1])}</text>')
    wide, high = max(x) + _wide(labels[x.index(max(x))][1]) / 2 + _MARGIN, max(y) + _MARGIN
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{high:.0f}" '
        f'viewBox="0 0 {wide:.0f} {high:.0f}" font-family="sans-serif" font-size="13" text-anchor="middle">'
    )
    return "\n".join([head, *lines, *words, "</svg>\n"])


def _escaped(text: str) -> str:
    """The text of an XML element; characters that XML does not have are replaced."""
    return _NO_XML.sub("\ufffd", escape(text))


def _wrong(tree: Tree, against: Tree | None) -> set[int]:
    """The numbers of nodes, in the order of ``nodes``, that the other tree does not have."""
    if against is None:
        return set()
    left: Counter[Span] = Counter(against.spans())
    found: set[int] = set()
    for number, span in enumerate(tree.spans()):
        if left[span] > 0:
            left[span] -= 1
        else:
            found.add(number)
    return found


def _wide(text: str) -> float:
    return _LETTER * len(text) + _GAP


def _places(tree: Tree) -> tuple[list[float], list[float], list[tuple[bool, str]], list[int]]:
    """Of nodes and words, each after its parent: coordinates, whether it is a node with its text, and the parent."""
    entries: list[tuple[Tree | str, int, int]] = []
    waiting: list[tuple[Tree | str, int, int]] = [(tree, -1, 0)]
    while waiting:
        node, parent, depth = waiting.pop()
        entries.append((node, parent, depth))
        if not isinstance(node, str):
            waiting += [(child, len(entries) - 1, depth + 1) for child in reversed(node.children)]
    texts = [(False, node) if isinstance(node, str) else (True, node.label) for node, _, _ in entries]
    # a column per word, as wide as the widest text of the nodes that are above it alone
    column = [0.0] * len(entries)
    children: list[list[int]] = [[] for _ in entries]
    for k, (_, parent, _) in enumerate(entries):
        if parent >= 0:
            children[parent].append(k)
    for k in range(len(entries) - 1, -1, -1):
        below = sum(column[child] for child in children[k])
        column[k] = max(below, _wide(texts[k][1]))
    left = [float(_MARGIN)] * len(entries)
    for k, own in enumerate(children):
        spare = (column[k] - sum(column[child] for child in own)) / 2 if own else 0.0
        at = left[k] + spare
        for child in own:
            left[child] = at
            at += column[child]
    x = [left[k] + column[k] / 2 for k in range(len(entries))]
    for k in range(len(entries) - 1, -1, -1):
        if children[k]:
            x[k] = (x[children[k][0]] + x[children[k][-1]]) / 2
    bottom = max(depth for _, _, depth in entries)
    y = [float(_MARGIN + 10 + _HIGH * (bottom if isinstance(node, str) else depth)) for node, _, depth in entries]
    return x, y, texts, [parent for _, parent, _ in entries]
