"""Label vectors, label sets and single classes, as users give them, as one matrix of 0 and 1."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from maxmargin.core.input_checks import check_sparse
from maxmargin.core.outputs import shown

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.uint8]

_WANTED = "y must be a matrix of 0 and 1 with a column for each label, or a list of label sets"


class LabelTargets(NamedTuple):
    """``vectors`` of shape (n, n_labels), and the names of the labels: numbers where the matrix had no names.

    Of single classes, one per example, ``classes`` are all of them and the labels too; but of two classes only the
    second is a label, as in ``sklearn.preprocessing.LabelBinarizer``.
    """

    vectors: Vectors
    names: npt.NDArray[Any]
    classes: npt.NDArray[Any] | None = None


def read_targets(Y: Any, known: npt.NDArray[Any] | None = None) -> LabelTargets:
    """Reads a matrix (dense, sparse, a data frame, nested lists), label sets, or one class per example.

    Rows that are sets, or that are lists or tuples of strings, are label sets. Their labels are sorted, as
    ``sklearn.preprocessing.MultiLabelBinarizer`` does; with ``known`` they must be among those. One dimension is one
    class an example, and so is, with scikit-learn's warning, a single column of other values than 0 and 1.
    """
    if Y is None:
        raise ValueError("MultilabelSVC requires y to be passed, but the target y is None.")
    if sp.issparse(Y):
        check_sparse(Y, "y")
        return _checked(_from_sparse(Y), None, known)
    if hasattr(Y, "columns") and hasattr(Y, "to_numpy"):
        names = np.asarray(Y.columns)
        return _checked(_from_dense(Y.to_numpy()), names if names.dtype.kind in "OUT" else None, known)
    if _holds_sets(Y):
        return _from_sets(list(Y), known)
    if known is None and _holds_classes(Y):
        return _from_classes(Y)
    return _checked(_from_dense(Y), None, known)


def label_sets(vectors: npt.NDArray[Any], names: npt.NDArray[Any]) -> list[tuple[Any, ...]]:
    """The names of the labels that are set, a tuple a row."""
    listed = names.tolist()
    return [tuple(listed[k] for k in np.flatnonzero(row)) for row in vectors]


def _holds_sets(Y: Any) -> bool:
    if not (isinstance(Y, list | tuple) or _is_column_of_objects(Y)):
        return False
    rows = list(Y)
    some_set = any(isinstance(row, set | frozenset) for row in rows)
    names = any(isinstance(row, list | tuple) and any(isinstance(label, str) for label in row) for row in rows)
    return some_set or names


def _is_column_of_objects(Y: Any) -> bool:
    """An array or a pandas Series whose cells may be sets."""
    return getattr(Y, "ndim", 0) == 1 and getattr(getattr(Y, "dtype", None), "kind", "") == "O"


def _holds_classes(Y: Any) -> bool:
    """One value per example, in one dimension or in a single column that is no label vector."""
    try:
        values = np.asarray(Y)
    except ValueError:  # rows of different lengths
        return False
    single = values.ndim == 2 and values.shape[1] == 1
    return values.ndim == 1 or (single and not np.isin(values.ravel(), (0, 1)).all())


def _from_classes(Y: Any) -> LabelTargets:
    assert_all_finite(Y, input_name="y")
    check_classification_targets(Y)
    classes, number = np.unique(column_or_1d(Y, warn=True), return_inverse=True)
    if classes.size < 2:
        raise ValueError(f"All examples have one class, {shown(classes.tolist()[0])}; at least 2 classes are needed.")
    names = classes[1:] if classes.size == 2 else classes
    return LabelTargets((classes[number][:, None] == names[None, :]).astype(np.uint8), names, classes)


def _from_sets(rows: list[Any], known: npt.NDArray[Any] | None) -> LabelTargets:
    for i, row in enumerate(rows):
        if isinstance(row, str) or not isinstance(row, set | frozenset | list | tuple):
            raise ValueError(f"The labels of example {i} are {shown(row)}; a set, list or tuple of labels is needed.")
    if known is None:
        labels = {label for row in rows for label in row}
        try:
            names = sorted(labels)
        except TypeError as error:
            raise ValueError("The labels cannot be sorted, being of different kinds; use strings alone.") from error
        if not names:
            raise ValueError("No example has a label; at least one label is needed to learn anything.")
        known = np.array(names, dtype=object if any(isinstance(name, str) for name in names) else None)
    number = {name: k for k, name in enumerate(known.tolist())}
    vectors = np.zeros((len(rows), len(known)), np.uint8)
    for i, row in enumerate(rows):
        for label in row:
            if label not in number:
                raise ValueError(f"Example {i} has the label {label!r}, which the model was not trained with.")
            vectors[i, number[label]] = 1
    return LabelTargets(vectors, known)


def _from_sparse(Y: Any) -> Vectors:
    if Y.dtype.kind not in "biuf":
        raise ValueError(f"{_WANTED}, not a sparse matrix of {Y.dtype}.")
    return _as_bits(Y.toarray())


def _from_dense(Y: Any) -> Vectors:
    try:
        matrix = np.asarray(Y)
    except ValueError as error:
        raise ValueError(f"The rows of y have different lengths. {_WANTED}.") from error
    if matrix.dtype == object and matrix.ndim == 2:
        try:
            matrix = matrix.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"Unknown label type: objects that are no numbers. {_WANTED}.") from error
    if matrix.ndim != 2:
        raise ValueError(f"Unknown label type: an array of {matrix.ndim} dimensions. {_WANTED}.")
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"Unknown label type: {matrix.dtype}. {_WANTED}.")
    return _as_bits(matrix)


def _as_bits(matrix: npt.NDArray[Any]) -> Vectors:
    if matrix.dtype.kind == "f" and not np.isfinite(matrix).all():
        i, k = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(f"Input y contains NaN or infinity: example {i}, label {k} is {matrix[i, k]}.")
    bad = np.argwhere((matrix != 0) & (matrix != 1))
    if bad.size:
        i, k = bad[0]
        raise ValueError(f"Unknown label type: example {i}, label {k} is {matrix[i, k]}. {_WANTED}.")
    return np.ascontiguousarray(matrix, dtype=np.uint8)


def _checked(vectors: Vectors, names: npt.NDArray[Any] | None, known: npt.NDArray[Any] | None) -> LabelTargets:
    if known is not None:
        if vectors.shape[1] != len(known):
            raise ValueError(f"y has {vectors.shape[1]} columns, but the model was trained with {len(known)} labels.")
        return LabelTargets(vectors, known)
    if vectors.shape[1] == 0:
        raise ValueError("y has no columns; at least one label is needed to learn anything.")
    return LabelTargets(vectors, np.arange(vectors.shape[1]) if names is None else names)
