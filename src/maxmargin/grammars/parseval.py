"""Scores of predicted trees by their labelled brackets (PARSEVAL), as the program EVALB counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from maxmargin.core.input_checks import quoted
from maxmargin.grammars.penn import EMPTY, without_function_tag, without_index
from maxmargin.grammars.tree import Span, Tree

IGNORED = ("", "TOP", "ROOT", "S1", "-NONE-", ",", ":", "``", "''", ".")
"""Labels that EVALB is usually told to leave out: symbols above whole trees, traces and punctuation."""

EQUAL = {"PRT": "ADVP"}
"""Labels that it is usually told to take for another."""


class BracketCounts(NamedTuple):
    """Of one sentence: the brackets in the true tree, in the predicted one and in both, and the predicted ones that
    overlap with a true one without either being inside of the other."""

    true: int
    predicted: int
    hits: int
    crossing: int

    @property
    def f1(self) -> float:
        """``2 hits / (true + predicted)``; 1 where neither tree has brackets."""
        total = self.true + self.predicted
        return 2.0 * self.hits / total if total else 1.0

    @property
    def exact(self) -> bool:
        """Whether all brackets are right and none is missing."""
        return self.hits == self.true == self.predicted


class BracketScore(NamedTuple):
    """Of many sentences, brackets added up over all: shares between 0 and 1, and ``crossing``, the mean number of
    crossing brackets of a sentence.

    ``exact`` is the share of sentences whose brackets are all right, ``uncrossed`` that of sentences without a crossing
    bracket. ``support`` counts the brackets of the true trees.
    """

    precision: float
    recall: float
    f1: float
    exact: float
    crossing: float
    uncrossed: float
    support: int


class _Counted(NamedTuple):
    """Which brackets count, and as what."""

    ignored: frozenset[str]
    equal: Mapping[str, str]
    function_tags: bool

    @classmethod
    def of(cls, ignored: Iterable[str], equal: Mapping[str, str] | None, function_tags: bool) -> _Counted:
        if isinstance(ignored, str):
            raise TypeError(f"ignored must be a list of labels, not the text {quoted(ignored)}.")
        return cls(frozenset(ignored), EQUAL if equal is None else equal, function_tags)

    def label(self, label: str) -> str | None:
        """What a label counts as, None where it does not."""
        kept = without_index(label) if self.function_tags else without_function_tag(label)
        return None if kept in self.ignored else self.equal.get(kept, kept)

    def is_said(self, tag: str) -> bool:
        """Whether the word of a tag is one, and no trace."""
        return tag != EMPTY or tag not in self.ignored

    def brackets(self, tree: Tree, tags: Sequence[str]) -> Counter[Span]:
        """The brackets over the words whose tags count; those that are over none of them are left out."""
        place = [0]
        for tag in tags:
            place.append(place[-1] + (tag not in self.ignored))
        return Counter(
            Span(label, place[span.start], place[span.end])
            for node, span in zip(tree.nodes(), tree.spans(), strict=True)
            if not node.is_tag and place[span.start] < place[span.end] and (label := self.label(span.label)) is not None
        )


def brackets_of(
    tree: Any,
    *,
    ignored: Iterable[str] = IGNORED,
    equal: Mapping[str, str] | None = None,
    function_tags: bool = False,
) -> Counter[Span]:
    """The brackets of a tree that count, each as often as it is there.

    Tags are no brackets. Words whose tags are in ``ignored`` are left out before places are counted, with nodes over
    no other words, and so are nodes with such labels; ``equal`` replaces labels (None for ``EQUAL``). NP-SBJ-1 counts
    as NP before either, unless ``function_tags`` are part of a label.
    """
    given = Tree.of(tree)
    return _Counted.of(ignored, equal, function_tags).brackets(given, [tag for _, tag in given.tokens()])


def bracket_counts(
    y_true: Iterable[Any],
    y_pred: Iterable[Any],
    *,
    ignored: Iterable[str] = IGNORED,
    equal: Mapping[str, str] | None = None,
    function_tags: bool = False,
) -> list[BracketCounts]:
    """The counts of every sentence, with the options of ``bracket_score``; a prediction of None is a tree without
    brackets.

    Traces are left out of each tree. If the other words are the same, the tags of the true tree say which of them
    count; otherwise each tree goes by its own tags. Raises a ValueError that names the first sentence whose two trees
    are over different words then.
    """
    truths, answers = _listed(y_true, "y_true"), _listed(y_pred, "y_pred")
    if len(truths) != len(answers):
        raise ValueError(f"There are {len(truths)} true and {len(answers)} predicted trees; they must match.")
    counted = _Counted.of(ignored, equal, function_tags)
    found = []
    for number, (truth, answer) in enumerate(zip(truths, answers, strict=True)):
        given = _read(truth, number, "true")
        tokens = given.tokens()
        true = counted.brackets(given, [tag for _, tag in tokens])
        predicted: Counter[Span] = Counter()
        if answer is not None:
            found_tree = _read(answer, number, "predicted")
            others = [(word, node.label) for word, node in found_tree.leaves()]
            predicted = counted.brackets(found_tree, _tags_found(counted, number, tokens, others))
        found.append(
            BracketCounts(true.total(), predicted.total(), (true & predicted).total(), _crossing(true, predicted))
        )
    return found


def bracket_score(
    y_true: Iterable[Any],
    y_pred: Iterable[Any],
    *,
    ignored: Iterable[str] = IGNORED,
    equal: Mapping[str, str] | None = None,
    function_tags: bool = False,
) -> BracketScore:
    """Precision, recall and F1 of labelled brackets, exact match and crossing brackets, as EVALB defines them.

    A bracket is right if the true tree has one with the same label over the same words; of several such brackets as
    many are right as the true tree has. Sentences that a parser gave up on (None) count with all that they miss.

    Parameters
    ----------
    y_true, y_pred : trees, bracketed texts or trees of NLTK, one per sentence
    ignored : labels of nodes, and tags of words, that do not count; by default those of the usual settings of EVALB
    equal : labels to take for others; by default PRT for ADVP, as usual
    function_tags : compare labels with their function tags, NP-SBJ-1 as NP-SBJ; by default it counts as NP, as in EVALB
    """
    counts = bracket_counts(y_true, y_pred, ignored=ignored, equal=equal, function_tags=function_tags)
    if not counts:
        raise ValueError("There are no trees to score.")
    true, predicted, hits, crossing = (sum(column) for column in zip(*counts, strict=True))
    n = len(counts)
    return BracketScore(
        precision=hits / predicted if predicted else float(not true),
        recall=hits / true if true else 1.0,
        f1=2.0 * hits / (true + predicted) if true + predicted else 1.0,
        exact=sum(one.exact for one in counts) / n,
        crossing=crossing / n,
        uncrossed=sum(one.crossing == 0 for one in counts) / n,
        support=true,
    )


def bracket_f1(y_true: Iterable[Any], y_pred: Iterable[Any]) -> float:
    """F1 of labelled brackets; for ``sklearn.metrics.make_scorer``."""
    return bracket_score(y_true, y_pred).f1


def _listed(trees: Iterable[Any], name: str) -> list[Any]:
    if isinstance(trees, str | Tree):
        raise TypeError(f"{name} must be a list of trees, not a single one; give [{name}].")
    return list(trees)


def _read(tree: Any, number: int, which: str) -> Tree:
    try:
        return Tree.of(tree)
    except (TypeError, ValueError) as error:
        raise type(error)(f"The {which} tree {number}: {error}") from error


def _crossing(true: Counter[Span], predicted: Counter[Span]) -> int:
    spans = {(start, end) for _, start, end in true}
    return sum(
        count
        for (_, start, end), count in predicted.items()
        if any(a < start < b < end or start < a < end < b for a, b in spans)
    )


def _tags_found(
    counted: _Counted, number: int, true: Sequence[tuple[str, str]], predicted: Sequence[tuple[str, str]]
) -> list[str]:
    """The tags by which the words of a predicted tree count, after a look whether these are the true ones."""
    words, others = ([token for token in tokens if counted.is_said(token[1])] for tokens in (true, predicted))
    if [word for word, _ in words] == [word for word, _ in others]:
        said = iter(tag for _, tag in words)
        return [next(said) if counted.is_said(tag) else tag for _, tag in predicted]
    words, others = ([token for token in tokens if token[1] not in counted.ignored] for tokens in (words, others))
    if len(words) != len(others):
        raise ValueError(
            f"The true tree {number} is over {len(words)} words that count, and the predicted one over {len(others)}; "
            "they must be over the same."
        )
    for (own, _), (other, _) in zip(words, others, strict=True):
        if own != other:
            raise ValueError(
                f"The true tree {number} has {quoted(own)} where the predicted one has {quoted(other)}; they must be "
                "over the same words."
            )
    return [tag for _, tag in predicted]
