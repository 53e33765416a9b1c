"""Labels of which something is known for each token: one label, several that are possible, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from maxmargin.chains.sequences.labels import Classes, Codes, find_classes, flat_labels
from maxmargin.chains.sequences.packed import SequenceError, Sequences

Mask: TypeAlias = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class PartialLabels:
    """What is known of the labels of packed sequences.

    Parameters
    ----------
    codes : for every token one label number that is allowed: a completion
    allowed : shape (n_tokens, n_labels), 1 where a token may have a label
    """

    codes: Codes
    allowed: Mask

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """The tokens of which exactly one label is allowed."""
        one: npt.NDArray[np.bool_] = self.allowed.sum(axis=1) == 1
        return one

    def tells(self, X: Sequences) -> npt.NDArray[np.bool_]:
        """Whether anything is known of some token of each sequence."""
        limited = np.concatenate([[0], np.cumsum(~self.allowed.all(axis=1))])
        found: npt.NDArray[np.bool_] = limited[X.offsets[1:]] > limited[X.offsets[:-1]]
        return found

    def take(self, tokens: npt.NDArray[Any]) -> PartialLabels:
        """Those of some tokens."""
        return PartialLabels(self.codes[tokens], np.ascontiguousarray(self.allowed[tokens]))


def pack_partial_labels(Y: Any, X: Sequences) -> tuple[Classes, Codes | PartialLabels]:
    """As ``pack_labels``, but a token may have None, where nothing is known, or a set of the labels that it may have.

    A list of labels is such a set, a tuple is a label. A whole sequence may be None. Where every token has one label,
    the answer is that of ``pack_labels``.
    """
    labels = flat_labels(Y, X)
    if isinstance(labels, np.ndarray) or not any(map(_is_partial, set(map(type, labels)))):
        return find_classes(labels, X)
    for t, entry in enumerate(labels):
        if entry is not None and (is_several(entry) or entry != entry):
            _check_entry(entry if is_several(entry) else [entry], t, X)
    members = [label for entry in labels if entry is not None for label in (entry if is_several(entry) else (entry,))]
    if not members:
        raise ValueError("Nothing is known of any token; give at least one token a label.")
    classes, codes = find_classes(members, X)
    allowed = np.zeros((len(labels), classes.size), dtype=np.uint8)
    at = 0
    for t, entry in enumerate(labels):
        if entry is None:
            allowed[t] = 1
            continue
        count = len(entry) if is_several(entry) else 1
        allowed[t, codes[at : at + count]] = 1
        at += count
    if (allowed.sum(axis=1) == 1).all():
        return classes, allowed.argmax(axis=1).astype(np.int32)
    return classes, PartialLabels(allowed.argmax(axis=1).astype(np.int32), allowed)


def _check_entry(entry: Any, token: int, X: Sequences) -> None:
    bad = next((f"the label {label}" for label in entry if label is None or label != label), None)
    if entry and bad is None:
        return
    sequence, position = X.place(token)
    raise SequenceError(
        f"Sequence {sequence}, token {position} has {bad or 'no possible label'}; give the labels that it may have, or "
        "None where nothing is known.",
        sequence,
        position,
    )


_SEVERAL = (set, frozenset, list)


def is_several(entry: Any) -> bool:
    """Whether an entry for a token stands for several possible labels; a tuple is one label."""
    return isinstance(entry, _SEVERAL)


def _is_partial(kind: type) -> bool:
    return issubclass(kind, (*_SEVERAL, type(None)))
