"""Trees over the words of a sentence: a label above children, which are trees or words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from maxmargin.core.input_checks import quoted
from maxmargin.grammars.pictures import svg_picture, text_picture

_ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-", **dict.fromkeys(" \t\r\n\f\v", "_")})


class Span(NamedTuple):
    """A node of a tree: its label, the number of its first word and one past that of its last."""

    label: str
    start: int
    end: int


class Tree:
    """A labelled tree whose leaves are the words of a sentence; immutable and hashable.

    ``str(tree)`` is the tree in brackets on one line, ``(S (NP (DT the) (NN dog)) (VP (VBZ barks)))``, which
    ``Tree.from_text`` reads again. Brackets inside of labels and words are written ``-LRB-`` and ``-RRB-``, as the Penn
    treebank does, and white space as an underscore.

    Parameters
    ----------
    label : the name of the node; the empty string is that of an outermost bracket without a name
    children : trees and words, at least one
    """

    __slots__ = ("_hash", "children", "label")

    label: str
    children: tuple[Tree | str, ...]
    _hash: int

    def __init__(self, label: str, children: Sequence[Tree | str]) -> None:
        if not isinstance(label, str):
            raise TypeError(f"The label of a tree must be a string, not {quoted(label)}.")
        if type(children) is not tuple and (isinstance(children, str) or not isinstance(children, Sequence)):
            raise TypeError(
                f"The children of {quoted(label)} must be a sequence of trees and words, not {children!r:.80}."
            )
        if not children:
            raise ValueError(
                f"The node {quoted(label)} has no children; a leaf is a word, and every node is above words."
            )
        for child in children:
            if not isinstance(child, Tree) and not (isinstance(child, str) and child):
                raise TypeError(f"A child of {quoted(label)} must be a tree or a word, not {quoted(child)}.")
        object.__setattr__(self, "label", label)
        object.__setattr__(self, "children", tuple(children))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"Trees cannot be changed; make a new one with another {name}.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Trees cannot be changed; their {name} stays.")

    def __reduce__(self) -> tuple[Any, ...]:
        """As a flat list of all nodes: pickling what is nested would recurse, and trees may be deep."""
        nodes = [(n.label, [c if isinstance(c, str) else None for c in n.children]) for n in self.nodes()]
        return _joined, (nodes,)

    def __copy__(self) -> Tree:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tree:
        return self

    @classmethod
    def from_text(cls, text: str) -> Tree:
        """The one tree that is written in brackets in ``text``; raises a ValueError with line and column of a fault."""
        from maxmargin.grammars.brackets import parse_tree

        return parse_tree(text)

    @classmethod
    def of(cls, tree: Any) -> Tree:
        """Anything that stands for a tree: a ``Tree``, bracketed text, or a tree of NLTK."""
        if isinstance(tree, Tree):
            return tree
        if isinstance(tree, str):
            return cls.from_text(tree)
        made: Tree = _built(tree, _parts_of_nltk, cls)
        return made

    def to_nltk(self) -> Any:
        """The same tree as an ``nltk.Tree``; needs NLTK."""
        from nltk.tree import Tree as NltkTree

        return _built(self, lambda node: (node.label, node.children), NltkTree)

    @property
    def is_tag(self) -> bool:
        """Whether the node is a tag: directly above one word."""
        return len(self.children) == 1 and isinstance(self.children[0], str)

    def nodes(self) -> Iterator[Tree]:
        """All nodes, each before those below it, from left to right."""
        waiting: list[Tree | str] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Tree):
                yield node
                waiting += reversed(node.children)

    def leaves(self) -> list[tuple[str, Tree]]:
        """The words from left to right, each with the node right above it."""
        found: list[tuple[str, Tree]] = []
        waiting: list[tuple[Tree | str, Tree]] = [(self, self)]
        while waiting:
            node, above = waiting.pop()
            if isinstance(node, str):
                found.append((node, above))
            else:
                waiting += [(child, node) for child in reversed(node.children)]
        return found

    def words(self) -> list[str]:
        """The leaves, from left to right."""
        return [word for word, _ in self.leaves()]

    def tokens(self) -> list[tuple[str, str]]:
        """Each word with its tag, the label right above it: what parsers take as a sentence."""
        leaves = self.leaves()
        for word, node in leaves:
            if not node.is_tag:
                raise ValueError(
                    f"The word {quoted(word)} shares the node {quoted(node.label)} with others; every word needs a tag "
                    "of its own, such as (NN dog)."
                )
        return [(word, node.label) for word, node in leaves]

    def spans(self) -> list[Span]:
        """The spans of all nodes, in the order of ``nodes``."""
        found: list[Span | None] = []
        place = 0
        waiting: list[tuple[Tree | str, int]] = [(self, -1)]
        while waiting:
            node, own = waiting.pop()
            if isinstance(node, str):
                place += 1
            elif own < 0:
                found.append(Span(node.label, place, place))
                waiting.append((node, len(found) - 1))
                waiting += [(child, -1) for child in reversed(node.children)]
            else:
                found[own] = found[own]._replace(end=place)  # type: ignore[union-attr]
        return [span for span in found if span is not None]

    def brackets(self) -> list[Span]:
        """The spans of the nodes above tags, in the order of ``nodes``: what ``required`` and ``forbidden`` take."""
        return [span for node, span in zip(self.nodes(), self.spans(), strict=True) if not node.is_tag]

    def text(self, *, against: Any = None) -> str:
        """The tree over several lines, one node per line; a star marks nodes that ``against``, another tree, does not
        have."""
        return text_picture(self, None if against is None else Tree.of(against))

    def svg(self, *, against: Any = None) -> str:
        """A picture of the tree as an SVG document; nodes that ``against``, another tree, does not have are red."""
        return svg_picture(self, None if against is None else Tree.of(against))

    def _repr_svg_(self) -> str:
        return self.svg()

    def __hash__(self) -> int:
        """Found when somebody asks, from the leaves up: trees may be deep."""
        if not hasattr(self, "_hash"):
            for node in reversed(list(self.nodes())):
                if not hasattr(node, "_hash"):
                    object.__setattr__(node, "_hash", hash((node.label, node.children)))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        waiting: list[tuple[Tree | str, Tree | str]] = [(self, other)]
        while waiting:
            a, b = waiting.pop()
            if a is b:
                continue
            if isinstance(a, str) or isinstance(b, str):
                if a != b:
                    return False
            elif a.label != b.label or len(a.children) != len(b.children):
                return False
            else:
                waiting += zip(a.children, b.children, strict=True)
        return True

    def __str__(self) -> str:
        pieces: list[str] = []
        waiting: list[Tree | str | None] = [self]
        while waiting:
            node = waiting.pop()
            if node is None:
                pieces.append(")")
            elif isinstance(node, str):
                pieces.append(f" {node.translate(_ESCAPES)}")
            else:
                pieces.append(f"{' ' if pieces else ''}({node.label.translate(_ESCAPES)}")
                waiting += [None, *reversed(node.children)]
        return "".join(pieces)

    def __repr__(self) -> str:
        return f"Tree.from_text({str(self)!r})"


_set_label, _set_children = (vars(Tree)[name].__set__ for name in ("label", "children"))


def checked_tree(label: str, children: tuple[Tree | str, ...]) -> Tree:
    """``Tree(label, children)`` of what is known to be right, in a fraction of the time."""
    tree = Tree.__new__(Tree)
    _set_label(tree, label)
    _set_children(tree, children)
    return tree


def _joined(nodes: list[tuple[str, list[str | None]]]) -> Tree:
    """The tree of nodes in the order of ``Tree.nodes``; None stands for a child that is a node itself."""
    waiting: list[Tree] = []  # those whose parent is to come, the leftmost last
    for label, children in reversed(nodes):
        waiting.append(Tree(label, [waiting.pop() if child is None else child for child in children]))
    return waiting.pop()


def trees_of(trees: Iterable[Any]) -> Iterator[Tree]:
    """``Tree.of`` for each of many; raises an error that names the first that is no tree."""
    if isinstance(trees, str | Tree) or callable(getattr(trees, "label", None)):
        raise TypeError("trees must be a list of trees, not one of them.")
    if not isinstance(trees, Iterable):
        raise TypeError(f"trees must be a list of trees, not {quoted(trees)}.")
    for number, tree in enumerate(trees):
        try:
            made = Tree.of(tree)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Tree {number}: {error}") from error
        yield made


def rebuilt(tree: Tree, make: Callable[[str, list[Tree | str]], Tree | None]) -> Tree | None:
    """The tree with each node replaced by ``make(label, children)``, from the leaves up and from left to right; None
    leaves a node out."""
    made: Tree | None = _built(tree, lambda node: (node.label, node.children), make)
    return made


def _parts_of_nltk(node: Any) -> tuple[str, list[Any]]:
    if not callable(getattr(node, "label", None)):
        raise TypeError(f"A tree must be a Tree, bracketed text or a tree of NLTK, not {quoted(node)}.")
    return node.label(), list(node)


def _built(tree: Any, parts: Any, make: Any) -> Any:
    """The tree made again from the label and the children of each node, without recursion: trees may be deep."""
    order: list[tuple[int, str, Sequence[Any]]] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        label, children = parts(node)
        order.append((id(node), label, children))
        waiting += [child for child in children if not isinstance(child, str)]
    made: dict[int, Any] = {}
    for node, label, children in reversed(order):
        below = [child if isinstance(child, str) else made[id(child)] for child in children]
        made[node] = make(label, [child for child in below if child is not None])
    return made[id(tree)]
