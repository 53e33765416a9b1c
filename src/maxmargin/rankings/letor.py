"""Rankings as text, in the form of SVM-rank and LETOR: ``GRADE qid:NUMBER index:value index:value ... # comment``."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.input_checks import check_sparse
from maxmargin.io.grouped_lines import Words, read_grouped_lines
from maxmargin.io.text import text_writer

_WORDS = Words("documents", "grade", "document", "query", "number the grades 0, 1, 2 and so on", "2 qid:1 7:0.5")


@dataclass(frozen=True, eq=False)
class RankingData:
    """Documents with their grades and queries, and where each of them came from.

    Parameters
    ----------
    path : the file
    X : CSR array of shape (n, n_features)
    grades : int64 array of shape (n,), at least 0
    queries : int64 array of shape (n,), the number of each document's query
    lines : int64 array of shape (n,), the line of each document, counted from 1
    ignored_features : features beyond the number asked for, which were dropped
    """

    path: str
    X: Any
    grades: npt.NDArray[np.int64]
    queries: npt.NDArray[np.int64]
    lines: npt.NDArray[np.int64]
    ignored_features: int = 0


def read_letor(path: str | PathLike[str], *, n_features: int | None = None) -> RankingData:
    """Reads a file, gzipped or not. Grades and numbers of queries are whole, and indices count from 1.

    Documents of one query need not stand together. ``n_features`` fixes the number of columns: features beyond it are
    dropped and counted, since a model that never saw them gives them no weight. Comments are dropped.
    """
    name = fspath(path)
    grades, queries, lines, (indptr, indices, values) = read_grouped_lines(name, _WORDS)
    negative = np.flatnonzero(grades < 0)
    if negative.size:
        row = int(negative[0])
        raise ValueError(f"{name}, line {lines[row]}: the grade {grades[row]} is negative; grades start at 0.")
    width = int(indices.max(initial=-1)) + 1
    cells = np.ones(indices.size) if values is None else values
    X = sp.csr_array((cells, indices, indptr), shape=(len(grades), max(1, width)))
    ignored = 0
    if n_features is not None:
        ignored = int(np.unique(indices[indices >= n_features]).size)
        X.resize((len(grades), n_features))
    return RankingData(name, X, grades, queries, lines, ignored)


def write_letor(path: str | PathLike[str], X: Any, grades: Any, queries: Any) -> None:
    """Writes a dense or sparse matrix with whole grades and whole numbers of queries, one of each a row."""
    if sp.issparse(X):
        check_sparse(X)
    matrix = sp.csr_array(X)
    matrix.sort_indices()
    columns = [_whole(name, given, matrix.shape[0]) for name, given in (("grades", grades), ("queries", queries))]
    indptr, indices, values = matrix.indptr.tolist(), (matrix.indices + 1).tolist(), matrix.data.tolist()
    with text_writer(path) as file:
        for i, (grade, query) in enumerate(zip(*columns, strict=True)):
            part = slice(indptr[i], indptr[i + 1])
            cells = "".join(f" {index}:{value!r}" for index, value in zip(indices[part], values[part], strict=True))
            file.write(f"{grade} qid:{query}{cells}\n")


def _whole(name: str, given: Any, n: int) -> list[int]:
    numbers = np.asarray(given)
    if numbers.shape != (n,):
        raise ValueError(f"{name} has shape {numbers.shape}; one for each of the {n} rows is needed.")
    if numbers.dtype.kind not in "iufb" or not (numbers == np.round(numbers)).all() or (numbers < 0).any():
        raise ValueError(f"{name} must be whole numbers of at least 0; the format has no others.")
    found: list[int] = numbers.astype(np.int64).tolist()
    return found
