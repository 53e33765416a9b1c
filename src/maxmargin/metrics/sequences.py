"""Scores of predicted label sequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy.typing as npt

Chunk = tuple[int, int, str]
Labels = Sequence[Any] | npt.NDArray[Any]


class ChunkScore(NamedTuple):
    """Of chunks found: all shares between 0 and 1; ``support`` counts the true chunks."""

    precision: float
    recall: float
    f1: float
    support: int


def token_accuracy(Y_true: Iterable[Labels], Y_pred: Iterable[Labels]) -> float:
    """Share of the tokens of all sequences whose label is right."""
    right = total = 0
    for truth, found in _paired(Y_true, Y_pred):
        right += sum(a == b for a, b in zip(truth, found))
        total += len(truth)
    if not total:
        raise ValueError("There are no tokens to score.")
    return right / total


def chunks_of(tags: Labels) -> set[Chunk]:
    """(first token, one past the last, kind) of the chunks that BIO tags mark, as the CoNLL evaluation counts them.

    ``B-x`` begins a chunk; ``I-x`` goes on with one of kind x, or begins one where there is none to go on with.
    """
    found: set[Chunk] = set()
    start, kind = -1, ""
    for t, tag in enumerate([*tags, "O"]):
        prefix, _, name = str(tag).partition("-")
        goes_on = prefix == "I" and start >= 0 and name == kind
        if start >= 0 and not goes_on:
            found.add((start, t, kind))
            start = -1
        if prefix == "B" or (prefix == "I" and not goes_on):
            start, kind = t, name
    return found


def chunk_score(Y_true: Iterable[Labels], Y_pred: Iterable[Labels]) -> ChunkScore:
    """Precision, recall and F1 of whole chunks over all sequences."""
    right = true = predicted = 0
    for truth, found in _paired(Y_true, Y_pred):
        a, b = chunks_of(truth), chunks_of(found)
        right += len(a & b)
        true += len(a)
        predicted += len(b)
    return _score(right, predicted, true)


def chunk_scores(Y_true: Iterable[Labels], Y_pred: Iterable[Labels]) -> dict[str, ChunkScore]:
    """Precision, recall and F1 of the chunks of each kind, kinds in alphabetical order."""
    right: Counter[str] = Counter()
    true: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    for truth, found in _paired(Y_true, Y_pred):
        a, b = chunks_of(truth), chunks_of(found)
        for counter, chunks in ((right, a & b), (true, a), (predicted, b)):
            counter.update(kind for _, _, kind in chunks)
    return {kind: _score(right[kind], predicted[kind], true[kind]) for kind in sorted({*true, *predicted})}


def chunk_f1(Y_true: Iterable[Labels], Y_pred: Iterable[Labels]) -> float:
    """F1 of whole chunks; for ``sklearn.metrics.make_scorer``."""
    return chunk_score(Y_true, Y_pred).f1


def _score(right: int, predicted: int, true: int) -> ChunkScore:
    precision = right / predicted if predicted else 0.0
    recall = right / true if true else 0.0
    both = precision + recall
    return ChunkScore(precision, recall, 2.0 * precision * recall / both if both else 0.0, true)


def _paired(Y_true: Iterable[Any], Y_pred: Iterable[Any]) -> Iterable[tuple[Any, Any]]:
    first, second = list(Y_true), list(Y_pred)
    if len(first) != len(second):
        raise ValueError(f"There are {len(first)} true and {len(second)} predicted sequences; they must match.")
    for i, (truth, found) in enumerate(zip(first, second)):
        if len(truth) != len(found):
            raise ValueError(f"Sequence {i} has {len(truth)} true and {len(found)} predicted labels; they must match.")
        yield truth, found
