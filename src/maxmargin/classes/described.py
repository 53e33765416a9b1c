"""Classes with the features that describe them: words, attributes, or similarities to each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer

from maxmargin.core.input_checks import check_sparse

Floats = npt.NDArray[np.float64]


class DescribedClasses:
    """Labels and one row of output features for each, for ``MulticlassSVC(output_features=...)``.

    Parameters
    ----------
    labels : of the classes, all different
    matrix : dense or sparse, shape (number of labels, number of output features)
    vectorizer : that made the matrix and can describe more classes in the same columns
    """

    def __init__(self, labels: Iterable[Any], matrix: Any, vectorizer: Any = None) -> None:
        self.labels = tuple(labels.tolist() if isinstance(labels, np.ndarray) else labels)
        if sp.issparse(matrix):
            check_sparse(matrix, "The matrix of the classes' features")
        self.matrix = sp.csr_array(matrix, dtype=np.float64) if sp.issparse(matrix) else _as_floats(matrix)
        self.vectorizer = vectorizer
        if self.matrix.ndim != 2 or self.matrix.shape[0] != len(self.labels):
            raise ValueError(
                f"There are {len(self.labels)} classes, and their features have shape {self.matrix.shape}; "
                "one row per class is needed."
            )
        self._place = {label: row for row, label in enumerate(self.labels)}
        if len(self._place) < len(self.labels):
            twice = next(label for row, label in enumerate(self.labels) if self._place[label] != row)
            raise ValueError(f"The class {twice!r} is described twice; leave one of the descriptions out.")

    @classmethod
    def from_texts(cls, texts: Mapping[Any, str], vectorizer: Any = None) -> DescribedClasses:
        """From ``{label: description}`` through a vectoriser such as ``TfidfVectorizer()``, the default, which is
        fitted to the descriptions."""
        _check_mapping(texts, "{label: description}")
        odd = next((label for label, text in texts.items() if not isinstance(text, str)), None)
        if odd is not None:
            raise ValueError(f"The description of {odd!r} is {texts[odd]!r}; a description is a string.")
        used = TfidfVectorizer() if vectorizer is None else vectorizer
        try:
            matrix = used.fit_transform(list(texts.values()))
        except ValueError as error:
            raise ValueError(
                f"The descriptions of the classes cannot be vectorised: {error}. A TfidfVectorizer() knows words of at "
                "least two letters; write longer descriptions, or pass another vectorizer."
            ) from error
        return cls(texts, matrix, used)

    @classmethod
    def from_attributes(cls, attributes: Any) -> DescribedClasses:
        """From ``{label: {attribute: value}}``, values being numbers or strings, ``{label: row of numbers}``, or a
        pandas data frame with a row for each class, whose index holds the labels."""
        if hasattr(attributes, "index") and hasattr(attributes, "columns"):
            attributes = _frame_rows(attributes)
        _check_mapping(attributes, "{label: attributes}, or a data frame whose index holds the labels")
        given = list(attributes.values())
        if any(isinstance(row, Mapping) for row in given):
            odd = next((label for label, row in attributes.items() if not isinstance(row, Mapping)), None)
            if odd is not None:
                raise ValueError(f"The attributes of {odd!r} are not a mapping as those of other classes are.")
            _check_values(attributes)
            used = DictVectorizer()
            return cls(attributes, used.fit_transform(given), used)
        odd = next((label for label, row in attributes.items() if not _is_row(row)), None)
        if odd is not None:
            raise ValueError(
                f"The attributes of {odd!r} are {attributes[odd]!r}; give a mapping of attributes to values, or a row "
                "of numbers."
            )
        lengths = {len(row): label for label, row in attributes.items()}
        if len(lengths) > 1:
            (first, one), (second, other) = list(lengths.items())[:2]
            raise ValueError(f"The class {one!r} has {first} attributes and {other!r} has {second}; they must agree.")
        return cls(attributes, given)

    @classmethod
    def from_similarity(cls, similarity: Any, labels: Iterable[Any]) -> DescribedClasses:
        """From a positive semidefinite matrix ``L``, shape (number of labels, number of labels): features with
        ``<Lambda(y), Lambda(y')> = L[y, y']``, by its eigenvalues."""
        names = tuple(labels.tolist() if isinstance(labels, np.ndarray) else labels)
        matrix = _as_floats(similarity.toarray() if sp.issparse(similarity) else similarity)
        if matrix.shape != (len(names), len(names)):
            raise ValueError(f"The similarities of {len(names)} classes must be a square matrix, not {matrix.shape}.")
        if not names:
            raise ValueError("There are no classes; give at least one label and its similarities.")
        if not np.isfinite(matrix).all():
            i, j = np.argwhere(~np.isfinite(matrix))[0]
            raise ValueError(
                f"The similarity of {names[i]!r} to {names[j]!r} is {matrix[i, j]}; similarities must be finite."
            )
        size = float(np.abs(matrix).max(initial=0.0))
        i, j = np.unravel_index(np.argmax(np.abs(matrix - matrix.T)), matrix.shape)
        if abs(matrix[i, j] - matrix[j, i]) > 1e-9 * size:
            raise ValueError(
                f"The similarity of {names[i]!r} to {names[j]!r} is {matrix[i, j]:g}, and the other way round "
                f"{matrix[j, i]:g}; similarities must be symmetric."
            )
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2.0)
        if values[0] < -1e-9 * max(size, values[-1]):
            worst = names[int(np.argmax(np.abs(vectors[:, 0])))]
            raise ValueError(
                f"The similarities are not positive semidefinite: the eigenvalue {values[0]:.4g} is negative, and "
                f"{worst!r} has the largest part in it; no features have such products. Raise the diagonal by "
                f"{-values[0]:.4g}, or correct the row."
            )
        kept = values > 1e-12 * max(values[-1], 0.0)
        return cls(names, vectors[:, kept] * np.sqrt(values[kept]) if kept.any() else np.zeros((len(names), 1)))

    def __len__(self) -> int:
        return len(self.labels)

    def __contains__(self, label: object) -> bool:
        return label in self._place

    def __repr__(self) -> str:
        return f"DescribedClasses({len(self)} classes, {self.matrix.shape[1]} features)"

    def with_identity(self, weight: float = 1.0) -> DescribedClasses:
        """The same classes with one feature more for each, which it has alone, of value ``weight``: what is learnt is
        shared as far as descriptions agree, and yet no class is bound by its description."""
        if isinstance(weight, bool) or not 0.0 < weight < np.inf:
            raise ValueError(f"The weight of the identity must be a positive number, not {weight!r}.")
        own = sp.eye_array(len(self), format="csr") * float(weight)
        both = sp.csr_array(sp.hstack([sp.csr_array(self.matrix), own]))
        return DescribedClasses(self.labels, both, self.vectorizer)

    def more(self, descriptions: Mapping[Any, Any]) -> DescribedClasses:
        """Other classes in the same columns, described in the same way; words or attributes not met yet are ignored."""
        if self.vectorizer is None:
            raise ValueError(
                "These classes have no vectoriser, so others cannot be described in the same way: a matrix has none, "
                "and a model file keeps none. Pass DescribedClasses(labels, matrix) with the same columns, or describe "
                "all classes before the model is saved."
            )
        _check_mapping(descriptions, "{label: description}")
        shared = sp.csr_array(self.vectorizer.transform(list(descriptions.values())))
        own = sp.csr_array(
            (len(descriptions), self.matrix.shape[1] - shared.shape[1])
        )  # of the other classes' identities
        return DescribedClasses(descriptions, sp.csr_array(sp.hstack([shared, own])), self.vectorizer)

    def rows(self, labels: Iterable[Any]) -> Any:
        """The features of some classes, in their order, or a complaint that names the one that has none."""
        wanted = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
        missing = next((label for label in wanted if label not in self._place), None)
        if missing is not None:
            raise ValueError(f"The class {missing!r} has no output features; describe it, or correct the label.")
        return self.matrix[[self._place[label] for label in wanted]]


def _check_mapping(given: Any, form: str) -> None:
    if not isinstance(given, Mapping):
        raise ValueError(f"Classes are described by {form}, not by a value of type {type(given).__name__}.")
    if not given:
        raise ValueError(f"No class is described; give {form} with at least one class.")


def _frame_rows(frame: Any) -> dict[Any, dict[str, Any]]:
    """The rows of a data frame by the labels of its index."""
    labels, twice = frame.index.tolist(), frame.index[frame.index.duplicated()].tolist()
    if twice:
        raise ValueError(f"The class {twice[0]!r} is described twice; leave one of the descriptions out.")
    names = [str(name) for name in frame.columns]
    return {label: dict(zip(names, row)) for label, row in zip(labels, frame.itertuples(index=False, name=None))}


def _check_values(attributes: Mapping[Any, Mapping[str, Any]]) -> None:
    """Numbers, strings, or several strings, which is what ``DictVectorizer`` reads."""
    for label, row in attributes.items():
        for name, value in row.items():
            several = isinstance(value, Sequence | Set) and all(isinstance(part, str) for part in value)
            if not several and not isinstance(value, Real | np.bool_):
                hint = " A taxonomy is for TaxonomySVC(taxonomy=...)." if isinstance(value, Mapping) else ""
                raise ValueError(
                    f"The attribute {name!r} of {label!r} is {value!r}; an attribute is a number or a string.{hint}"
                )


def _is_row(row: Any) -> bool:
    return hasattr(row, "__len__") and not isinstance(row, str | Set)


def _as_floats(given: Any) -> Floats:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError("The features of classes must be numbers, one row of one length per class.") from error
