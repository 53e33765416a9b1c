"""Scores of predicted label sequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.chains.chunk_schemes import Mark, StrangeLabel, chosen_scheme, mark_of
from maxmargin.chains.sequences.packed import SequenceError
from maxmargin.oracles.bind import check_sample_weight

Chunk = tuple[int, int, str]
Labels = Sequence[Any] | npt.NDArray[Any]


class ChunkScore(NamedTuple):
    """Of chunks found: all shares between 0 and 1; ``support`` counts the true chunks."""

    precision: float
    recall: float
    f1: float
    support: int


def token_accuracy(y_true: Iterable[Labels], y_pred: Iterable[Labels], sample_weight: Any = None) -> float:
    """Share of the tokens of all sequences whose label is right; ``sample_weight`` has one weight for each sequence."""
    right = total = 0.0
    pairs = list(_paired(y_true, y_pred))
    weights = check_sample_weight(sample_weight, len(pairs))
    for (truth, found), weight in zip(pairs, repeat(1.0) if weights is None else weights.tolist()):
        right += weight * sum(a == b for a, b in zip(truth, found))
        total += weight * len(truth)
    if not total:
        raise ValueError("There are no tokens to score.")
    return right / total


def chunks_of(tags: Labels, scheme: str = "auto") -> set[Chunk]:
    """(first token, one past the last, kind) of the chunks that tags mark, as the CoNLL evaluation counts them.

    Tags that do not fit together are read all the same: ``I-x`` and ``E-x`` go on with a chunk of kind x that was not
    closed by ``E-x`` or ``S-x``, and begin one where there is none to go on with.

    Parameters
    ----------
    tags : the labels of one sequence; None counts as O
    scheme : one of ``maxmargin.chains.chunk_schemes.SCHEMES``, whose labels all tags must be; ``'auto'`` takes the one
        that has the labels at hand
    """
    labels = _plain(tags)
    marks = _marks(labels, scheme)
    return _closed([marks[label] for label in labels])


def chunk_score(y_true: Iterable[Labels], y_pred: Iterable[Labels], scheme: str = "auto") -> ChunkScore:
    """Precision, recall and F1 of whole chunks over all sequences; ``scheme`` as in ``chunks_of``."""
    right = true = predicted = 0
    for a, b in _chunks(y_true, y_pred, scheme):
        right += len(a & b)
        true += len(a)
        predicted += len(b)
    return _score(right, predicted, true)


def chunk_scores(y_true: Iterable[Labels], y_pred: Iterable[Labels], scheme: str = "auto") -> dict[str, ChunkScore]:
    """Precision, recall and F1 of the chunks of each kind, kinds in alphabetical order."""
    right: Counter[str] = Counter()
    true: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    for a, b in _chunks(y_true, y_pred, scheme):
        for counter, chunks in ((right, a & b), (true, a), (predicted, b)):
            counter.update(kind for _, _, kind in chunks)
    return {kind: _score(right[kind], predicted[kind], true[kind]) for kind in sorted({*true, *predicted})}


def chunk_f1(y_true: Iterable[Labels], y_pred: Iterable[Labels], scheme: str = "auto") -> float:
    """F1 of whole chunks; for ``sklearn.metrics.make_scorer``."""
    return chunk_score(y_true, y_pred, scheme).f1


def _closed(marks: list[Mark]) -> set[Chunk]:
    found: set[Chunk] = set()
    start, kind, previous = -1, "", "O"
    for t, (letter, name) in enumerate([*marks, ("O", "")]):
        goes_on = letter in "IE" and previous in "BI" and name == kind
        if start >= 0 and not goes_on:
            found.add((start, t, kind))
            start = -1
        if letter != "O" and not goes_on:
            start, kind = t, name
        previous = letter
    return found


def _chunks(y_true: Iterable[Labels], y_pred: Iterable[Labels], scheme: str) -> Iterator[tuple[set[Chunk], set[Chunk]]]:
    """True and predicted chunks of every sequence, all read by one scheme."""
    pairs = [(_plain(truth), _plain(found)) for truth, found in _paired(y_true, y_pred)]
    try:
        marks = _marks(chain.from_iterable(chain.from_iterable(pairs)), scheme)
    except StrangeLabel as error:
        i, t = next(place for place, labels in _tokens(pairs) if error.label in labels)
        raise SequenceError(f"Sequence {i}, token {t}: {error}", i, t) from error
    for truth, found in pairs:
        yield _closed([marks[label] for label in truth]), _closed([marks[label] for label in found])


def _tokens(pairs: list[tuple[list[Any], list[Any]]]) -> Iterator[tuple[tuple[int, int], tuple[Any, Any]]]:
    """(sequence, token) and the true and the predicted label there."""
    for i, (truth, found) in enumerate(pairs):
        for t, labels in enumerate(zip(truth, found)):
            yield (i, t), labels


def _marks(labels: Iterable[Any], scheme: str) -> dict[Any, Mark]:
    different = dict.fromkeys(labels)  # in the order in which they come, for complaints
    chosen = chosen_scheme(scheme, different)
    return {label: mark_of(label, chosen) for label in different}


def _plain(labels: Labels) -> list[Any]:
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)


def _score(right: int, predicted: int, true: int) -> ChunkScore:
    precision = right / predicted if predicted else 0.0
    recall = right / true if true else 0.0
    both = precision + recall
    return ChunkScore(precision, recall, 2.0 * precision * recall / both if both else 0.0, true)


def _paired(y_true: Iterable[Any], y_pred: Iterable[Any]) -> Iterable[tuple[Any, Any]]:
    first, second = list(y_true), list(y_pred)
    if len(first) != len(second):
        raise ValueError(f"There are {len(first)} true and {len(second)} predicted sequences; they must match.")
    for i, (truth, found) in enumerate(zip(first, second)):
        if len(truth) != len(found):
            raise SequenceError(
                f"Sequence {i} has {len(truth)} true and {len(found)} predicted labels; they must match.", i
            )
        yield truth, found
