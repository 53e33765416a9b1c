"""Which subtopics the documents of a candidate set cover, and the loss of showing a few of them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.input_checks import check_sparse
from maxmargin.diversity.cover import Cover

Floats = npt.NDArray[np.float64]

WEIGHTINGS = ("popularity", "equal")


@dataclass(frozen=True, eq=False)
class Subtopics:
    """The subtopics of the documents of one candidate set, and how much each counts.

    ``loss(y) = sum of the weights of the subtopics that no document of y covers``, a number from 0 to 1.

    Parameters
    ----------
    cover : documents by subtopics
    weight : of each subtopic, shape (n_subtopics,), with sum 1
    step : all weights are whole multiples of it
    """

    cover: Cover
    weight: Floats
    step: float

    def loss(self, documents: npt.ArrayLike) -> float:
        """The weighted share of the subtopics that the documents leave out."""
        return float(self.weight[~self.cover.covered(documents)].sum())


def pack_subtopics(Y: Iterable[Any], weighting: str = "popularity") -> list[Subtopics]:
    """Subtopics of several candidate sets in the form that the library works with.

    Parameters
    ----------
    Y : for each candidate set a list with the subtopics of each document (sets, lists or tuples of any labels), or a
        matrix of documents by subtopics, dense, sparse or a data frame, of zeros and ones
    weighting : ``'popularity'`` weighs a subtopic by the number of documents that cover it, ``'equal'`` all alike;
        subtopics that no document covers cannot be shown and count nothing
    """
    if weighting not in WEIGHTINGS:
        raise ValueError(f"weighting must be one of {', '.join(map(repr, WEIGHTINGS))}, not {weighting!r}.")
    if isinstance(Y, str | Mapping) or not isinstance(Y, Iterable):
        raise TypeError(
            f"y must be a list with the subtopics of each candidate set, not of type {type(Y).__name__}; give for each "
            "set a list with the subtopics of each document, or a matrix."
        )
    return [_packed(given, i, weighting) for i, given in enumerate(Y)]


def subtopic_losses(
    Y: Iterable[Any], rankings: Sequence[Any], k: int | None = None, *, weighting: str = "popularity"
) -> Floats:
    """The weighted share of subtopics that each ranking leaves out in its first ``k`` documents, shape (n,).

    Parameters
    ----------
    Y, weighting : as in ``pack_subtopics``
    rankings : for each candidate set the positions of documents, best first
    k : how many documents of a ranking are shown; None shows all
    """
    packed = pack_subtopics(Y, weighting)
    if len(packed) != len(rankings):
        raise ValueError(f"y has {len(packed)} candidate sets and there are {len(rankings)} rankings; they must match.")
    if k is not None and k < 1:
        raise ValueError(f"k must be at least 1, not {k}.")
    losses = np.empty(len(packed))
    for i, (subtopics, ranking) in enumerate(zip(packed, rankings)):
        shown = np.asarray(ranking)[:k]
        n = subtopics.cover.n_documents
        whole = shown.ndim == 1 and (shown.dtype.kind in "iu" or not shown.size)
        if not whole or (shown.size and not 0 <= shown.min() <= shown.max() < n):
            raise ValueError(f"Ranking {i} must hold positions from 0 to {n - 1}, the documents of its candidate set.")
        losses[i] = subtopics.loss(shown)
    return losses


def _packed(given: Any, i: int, weighting: str) -> Subtopics:
    if hasattr(given, "columns") and hasattr(given, "to_numpy"):
        given = given.to_numpy()
    matrix = _of_matrix(given, i) if sp.issparse(given) or isinstance(given, np.ndarray) else _of_sets(given, i)
    popularity = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()
    if not popularity.any():
        raise ValueError(f"No document of candidate set {i} covers a subtopic; leave the set out.")
    weight = popularity if weighting == "popularity" else (popularity > 0.0).astype(np.float64)
    return Subtopics(Cover.of(matrix), weight / weight.sum(), 1.0 / float(weight.sum()))


def _of_matrix(given: Any, i: int) -> Any:
    if given.ndim != 2:
        raise ValueError(
            f"The subtopics of candidate set {i} are an array of {given.ndim} dimensions; give documents by subtopics."
        )
    if sp.issparse(given):
        check_sparse(given, f"The matrix of subtopics of candidate set {i}")
    if given.dtype.kind not in "biuf" or not np.isin(given.data if sp.issparse(given) else given, (0, 1)).all():
        raise ValueError(
            f"The subtopics of candidate set {i} must be a matrix of zeros and ones, documents by subtopics."
        )
    return sp.csr_array(given).astype(np.float64)


def _of_sets(given: Any, i: int) -> Any:
    if isinstance(given, str | dict | set | frozenset) or not isinstance(given, Iterable):
        raise TypeError(
            f"The subtopics of candidate set {i} are {_shown(given)}; give a list with a set of subtopics for each "
            "document, or a matrix of documents by subtopics."
        )
    documents = [_checked(covered, d, i) for d, covered in enumerate(given)]
    # Sorted, because the order of a set of strings changes from run to run, and with it the rounding of sums.
    numbers = {subtopic: k for k, subtopic in enumerate(sorted(set().union(*documents), key=repr))}
    offsets = np.cumsum([0, *map(len, documents)])
    items = [numbers[subtopic] for covered in documents for subtopic in covered]
    return sp.csr_array((np.ones(len(items)), items, offsets), shape=(len(documents), len(numbers)))


def _checked(covered: Any, d: int, i: int) -> set[Any]:
    if isinstance(covered, str | dict) or not isinstance(covered, Collection):
        raise TypeError(
            f"The subtopics of document {d} of candidate set {i} are {_shown(covered)}; give a set, "
            "empty if it covers none."
        )
    for subtopic in covered:
        if not isinstance(subtopic, Hashable):
            raise TypeError(
                f"Document {d} of candidate set {i} holds a {type(subtopic).__name__} as a subtopic; "
                "use names or numbers."
            )
    return set(covered)


def _shown(value: Any) -> str:
    return f"the text {value!r}" if isinstance(value, str) else f"of type {type(value).__name__}"
