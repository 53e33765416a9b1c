"""Candidate sets as users give them: texts or matrices, in one field or several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from maxmargin.core.input_checks import LARGEST, check_sparse
from maxmargin.diversity.word_counts import WordCounter

Floats = npt.NDArray[np.float64]

TEXT, QUERY = "text", "query"


@dataclass(frozen=True, eq=False)
class Candidates:
    """How often each word occurs in each field of each document of one candidate set.

    ``fields`` maps names to CSR arrays of shape (n, n_words), whose columns mean the same word in all of them;
    ``query`` holds the counts of the words of the query, shape (n_words,), or None where there is no query; ``names``
    are the words, or None where they are not known.
    """

    fields: dict[str, Any]
    query: Floats | None
    n: int
    names: npt.NDArray[Any] | None = None


def pack_candidates(X: Iterable[Any], vectorizer: Any = None, *, shared_columns: bool = False) -> list[Candidates]:
    """Counts of words for each candidate set.

    Parameters
    ----------
    X : candidate sets. Each is a list of texts, a matrix of documents by words (dense or sparse, counts or other values
        of at least 0), or a dict of field names to either; the key ``'query'`` is a text or one row. Without names
        the field is called ``'text'``.
    vectorizer : a scikit-learn vectoriser for texts; None is ``CountVectorizer()``. A copy is fitted anew to the texts
        of every candidate set, so that no word is unknown.
    shared_columns : whether a column of a matrix means the same word in all candidate sets; the number of the column
        then is the name of the word
    """
    sets = candidate_list(X)
    reader = CountVectorizer() if vectorizer is None else vectorizer
    if not hasattr(reader, "fit_transform") or isinstance(reader, type):
        raise TypeError(f"vectorizer must be a vectoriser such as CountVectorizer(), not {vectorizer!r}.")
    counter = WordCounter(reader)
    return [_Reader(i, counter, shared_columns).read(given) for i, given in enumerate(sets)]


def candidate_list(X: Any) -> list[Any]:
    """The candidate sets as a list, or a complaint about what is none."""
    if isinstance(X, str | Mapping) or not isinstance(X, Iterable):
        raise TypeError(f"X must be a list of candidate sets, not of type {type(X).__name__}.")
    return list(X)


@dataclass(frozen=True)
class _Reader:
    """Reads candidate set ``i``."""

    i: int
    count: WordCounter
    shared_columns: bool

    def read(self, given: Any) -> Candidates:
        parts = dict(given) if isinstance(given, Mapping) else {TEXT: given}
        query = parts.pop(QUERY, None)
        if not parts:
            raise ValueError(f"Candidate set {self.i} has no field of documents; give one such as {TEXT!r}.")
        kinds = {name: self._is_text(name, part) for name, part in parts.items()}
        if len(set(kinds.values())) > 1:
            texts, matrices = (next(name for name, kind in kinds.items() if kind is flag) for flag in (True, False))
            raise ValueError(
                f"In candidate set {self.i} the field {texts!r} holds texts and the field {matrices!r} a matrix; "
                "give all fields in one form."
            )
        read = self._of_texts if all(kinds.values()) else self._of_matrices
        fields, asked, names = read(parts, query)
        sizes = {name: matrix.shape[0] for name, matrix in fields.items()}
        (first, n), *others = sizes.items()
        for name, size in others:
            if size != n:
                raise ValueError(
                    f"In candidate set {self.i} the field {first!r} has {n} documents and {name!r} has {size}; "
                    "they must match."
                )
        if n == 0:
            raise ValueError(f"Candidate set {self.i} has no documents.")
        return Candidates(fields, asked, n, names)

    def _is_text(self, name: Any, part: Any) -> bool:
        if not isinstance(name, str):
            raise TypeError(f"A field of candidate set {self.i} is named {name!r}; names must be text.")
        if sp.issparse(part) or (isinstance(part, np.ndarray) and part.dtype.kind in "biuf"):
            return False
        if isinstance(part, str) or (not isinstance(part, Sequence | np.ndarray) and not hasattr(part, "to_list")):
            kind = "one text" if isinstance(part, str) else f"of type {type(part).__name__}"
            raise TypeError(
                f"The field {name!r} of candidate set {self.i} is {kind}; give a list of texts or a matrix of "
                "documents by words."
            )
        for d, text in enumerate(part):
            if not isinstance(text, str):
                raise TypeError(
                    f"Document {d} of candidate set {self.i} is of type {type(text).__name__} in the field {name!r}; "
                    "give texts, or a NumPy or SciPy matrix."
                )
        return True

    def _of_texts(self, parts: dict[str, Any], query: Any) -> tuple[dict[str, Any], Floats | None, Any]:
        if query is not None and not isinstance(query, str):
            raise TypeError(f"The query of candidate set {self.i} is of type {type(query).__name__}; give a text.")
        texts = [text for part in parts.values() for text in part] + ([] if query is None else [query])
        try:
            counts, names = self.count(texts)
        except ValueError as error:
            raise ValueError(f"The texts of candidate set {self.i} cannot be vectorised: {error}.") from error
        fields, start = {}, 0
        for name, part in parts.items():
            fields[name] = self._checked(name, counts[start : start + len(part)])
            start += len(part)
        asked = None if query is None else counts[[start]].toarray().ravel().astype(np.float64)
        return fields, asked, names

    def _of_matrices(self, parts: dict[str, Any], query: Any) -> tuple[dict[str, Any], Floats | None, Any]:
        fields = {name: self._checked(name, part) for name, part in parts.items()}
        (first, words), *others = [(name, matrix.shape[1]) for name, matrix in fields.items()]
        asked = None
        if query is not None:
            if sp.issparse(query):
                check_sparse(query, f"The query of candidate set {self.i}")
            asked = np.asarray(query.toarray() if sp.issparse(query) else query, dtype=np.float64).ravel()
            others.append((QUERY, asked.size))
        for name, size in others:
            if size != words:
                raise ValueError(
                    f"In candidate set {self.i} the field {first!r} has {words} columns and {name!r} has {size}; "
                    "a column must mean the same word in all of them."
                )
        return fields, asked, np.arange(words) if self.shared_columns else None

    def _checked(self, name: str, given: Any) -> Any:
        if given.ndim != 2:
            raise ValueError(
                f"The field {name!r} of candidate set {self.i} has {given.ndim} dimensions; give documents by words."
            )
        if sp.issparse(given):
            check_sparse(given, f"The field {name!r} of candidate set {self.i}")
        matrix = sp.csr_array(given).astype(np.float64)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        counts = (matrix.data >= 0.0) & (matrix.data <= LARGEST)
        if not counts.all():
            at = int(np.flatnonzero(~counts)[0])
            d = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
            raise ValueError(
                f"Document {d} of candidate set {self.i} has the value {matrix.data[at]} in the field {name!r}; "
                f"counts of words must be numbers from 0 to {LARGEST:g}."
            )
        return matrix
