"""Labels of the tokens of packed sequences as numbers."""

from __future__ import annotations

from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from maxmargin.chains.sequences.packed import SequenceError, Sequences

Codes: TypeAlias = npt.NDArray[np.int32]
Classes: TypeAlias = npt.NDArray[Any]


def pack_labels(Y: Any, X: Sequences, *, classes: Classes | None = None) -> tuple[Classes, Codes]:
    """The classes in ascending order and, for every token, the position of its label among them.

    Parameters
    ----------
    Y : a list of lists or arrays, the labels of each sequence; or one list or array with the labels of all tokens.
        Labels are of any kind that can be hashed and sorted: numbers, strings, tuples
    X : the sequences, whose lengths Y must have
    classes : classes known already, ascending; a label that is not one of them is refused

    Returns
    -------
    classes of shape (n_classes,), a plain array where the labels are numbers or strings, and codes of shape (n_tokens,)
    """
    labels = flat_labels(Y, X)
    if classes is None:
        return find_classes(labels, X)
    place = {label: code for code, label in enumerate(classes.tolist())}
    as_list = labels.tolist() if isinstance(labels, np.ndarray) else labels
    codes = np.fromiter((place.get(label, -1) for label in as_list), np.int32, len(labels))
    strange = np.flatnonzero(codes < 0)
    if strange.size:
        raise _complaint(
            X,
            int(strange[0]),
            f"has the label {as_list[strange[0]]!r}, which is not one of the {len(classes)} known classes; correct it, "
            "or train with examples of it.",
        )
    return classes, codes


def flat_labels(Y: Any, X: Sequences) -> Any:
    """The labels of all tokens: an array where all are numbers in arrays, else a list.

    A sequence whose labels are None has None for every token.
    """
    if isinstance(Y, str | bytes | dict) or not hasattr(Y, "__len__"):
        raise ValueError(f"y must be a list of the labels of each sequence, not {type(Y).__name__}.")
    if _is_flat(Y):
        if len(Y) != X.tokens:
            raise ValueError(
                f"y has {len(Y)} labels for {X.tokens} tokens in {len(X)} sequences; give each token one label."
            )
        return Y if isinstance(Y, np.ndarray) and Y.dtype.kind in "biuf" else _plain(Y)
    if len(Y) != len(X):
        raise ValueError(f"y has the labels of {len(Y)} sequences, but X has {len(X)}; give each sequence its labels.")
    lengths = X.lengths.tolist()
    pieces: list[Any] = [[None] * n if y is None else y for y, n in zip(Y, lengths)]
    if set(map(type, pieces)) == {list} and list(map(len, pieces)) == lengths:
        return list(chain.from_iterable(pieces))
    for i, (piece, length) in enumerate(zip(pieces, lengths, strict=True)):
        if isinstance(piece, str | bytes) or not hasattr(piece, "__len__") or getattr(piece, "ndim", 1) != 1:
            raise SequenceError(
                f"The labels of sequence {i} are not a list; give a label for each of its {length} tokens.", i
            )
        if len(piece) != length:
            raise SequenceError(
                f"Sequence {i} has {length} tokens but {len(piece)} labels; give each token one label.", i
            )
    if all(isinstance(piece, np.ndarray) and piece.dtype.kind in "biuf" for piece in pieces):
        return np.concatenate(pieces)
    return list(chain.from_iterable(map(_plain, pieces)))


def _is_flat(Y: Any) -> bool:
    if isinstance(Y, np.ndarray) and Y.dtype != object:
        return Y.ndim == 1
    first = next((entry for entry in Y if entry is not None), None)
    return isinstance(first, str | bytes | set | frozenset) or (first is not None and not hasattr(first, "__len__"))


def _plain(labels: Any) -> list[Any]:
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)


def find_classes(labels: Any, X: Sequences) -> tuple[Classes, Codes]:
    """The different labels, ascending, and the place of each label among them."""
    if isinstance(labels, np.ndarray):
        if labels.dtype.kind == "f" and not np.isfinite(labels).all():
            bad = int(np.flatnonzero(~np.isfinite(labels))[0])
            raise _complaint(X, bad, f"has the label {labels[bad]}; give every token a label.")
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes.astype(np.int32)
    try:
        seen = set(labels)
    except TypeError as error:
        raise ValueError(f"The labels cannot be compared ({error}); use numbers or strings as labels.") from error
    seen = {label.item() if isinstance(label, np.generic) else label for label in seen}
    if any(label is None or label != label for label in seen):
        missing = next(t for t, label in enumerate(labels) if label is None or label != label)
        raise _complaint(X, missing, f"has the label {labels[missing]}; give every token a label.")
    try:
        ordered = sorted(seen)
    except TypeError as error:
        kinds = ", ".join(sorted({type(label).__name__ for label in seen}))
        raise ValueError(f"The labels cannot be sorted, they are of the kinds {kinds}; use one kind.") from error
    place = {label: code for code, label in enumerate(ordered)}
    return _as_array(ordered), np.fromiter(map(place.__getitem__, labels), np.int32, len(labels))


def label_classes(classes: Any) -> Classes:
    """Labels that are given as all that there are, each once, ascending."""
    given = list(dict.fromkeys(_plain(classes)))
    if not given or any(label is None or label != label for label in given):
        raise ValueError(f"classes must be a list of labels, none of them missing, not {classes!r}.")
    try:
        return _as_array(sorted(label.item() if isinstance(label, np.generic) else label for label in given))
    except TypeError as error:
        raise ValueError(f"classes cannot be sorted ({error}); use labels of one kind.") from error


def _as_array(classes: list[Any]) -> Classes:
    texts = all(
        isinstance(label, str) and not label.endswith("\0") for label in classes
    )  # NumPy would strip a final NUL
    if texts or all(isinstance(label, int | float) for label in classes):
        return np.array(classes)
    array = np.empty(len(classes), dtype=object)
    array[:] = classes
    return array


def _complaint(X: Sequences, token: int, text: str) -> SequenceError:
    sequence, position = X.place(token)
    return SequenceError(f"Sequence {sequence}, token {position} {text}", sequence, position)
