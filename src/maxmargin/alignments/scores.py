"""Scores of predicted alignments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.alignments.alignment import Alignment
from maxmargin.core.input_checks import quoted


class PairScore(NamedTuple):
    """Of aligned pairs: the averages over the examples, all between 0 and 1; ``support`` counts the true pairs."""

    precision: float
    recall: float
    f1: float
    support: int


def alignment_q(y_true: Iterable[Any], y_pred: Iterable[Any], *, window: int = 0) -> float:
    """The Q score: the share of the true pairs that are found, averaged over the examples.

    A true pair (i, j) is found if the prediction aligns i with a j' such that ``|j - j'| <= window``. With 0 that is
    the Q score (the sum-of-pairs score of two sequences), with 4 the Q4 score.

    Parameters
    ----------
    y_true, y_pred : alignments, or index pairs of shape (L, 2), one per example; without true pairs an example counts
        as 1 if nothing is predicted and as 0 otherwise
    window : how far from its true partner a position may be
    """
    if isinstance(window, bool) or not isinstance(window, int) or window < 0:
        raise ValueError(f"window must be an integer that is not negative, not {quoted(window)}.")
    return float(np.mean([_share(truth, found, window) for truth, found in _both(y_true, y_pred)]))


def alignment_f1(y_true: Iterable[Any], y_pred: Iterable[Any]) -> float:
    """The F1 score of the aligned pairs, averaged over the examples."""
    return alignment_score(y_true, y_pred).f1


def alignment_score(y_true: Iterable[Any], y_pred: Iterable[Any]) -> PairScore:
    """Precision, recall (the Q score) and F1 of the aligned pairs, each averaged over the examples."""
    rows, support = [], 0
    for truth, found in _both(y_true, y_pred):
        recall, precision = _share(truth, found, 0), _share(found, truth, 0)
        right = recall * len(truth)
        both = len(truth) + len(found)
        rows.append((precision, recall, 2.0 * right / both if both else 1.0))
        support += len(truth)
    precision, recall, f1 = np.mean(rows, axis=0).tolist()
    return PairScore(precision, recall, f1, support)


def _share(truth: npt.NDArray[np.int64], found: npt.NDArray[np.int64], window: int) -> float:
    """The share of the rows of ``truth`` whose position of x has a partner within the window."""
    if not len(truth):
        return float(not len(found))
    _, here, there = np.intersect1d(truth[:, 0], found[:, 0], assume_unique=True, return_indices=True)
    return float((np.abs(truth[here, 1] - found[there, 1]) <= window).sum()) / len(truth)


def _both(y_true: Iterable[Any], y_pred: Iterable[Any]) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    truths, predictions = [_rows(y) for y in y_true], [_rows(y) for y in y_pred]
    if len(truths) != len(predictions):
        raise ValueError(f"There are {len(truths)} true alignments and {len(predictions)} predicted ones.")
    if not truths:
        raise ValueError("There are no alignments to score.")
    return list(zip(truths, predictions))


def _rows(y: Any) -> npt.NDArray[np.int64]:
    if isinstance(y, Alignment):
        return y.pairs
    rows = np.asarray(y)
    if rows.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu":
        raise ValueError(f"An alignment must be rows (i, j) of whole numbers, not {rows.dtype} of shape {rows.shape}.")
    return rows.astype(np.int64)
