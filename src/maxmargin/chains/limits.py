"""What the labels of a prediction may be: labels known beforehand, and which label may follow which."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.chains.chunk_schemes import SCHEMES, mark_of, may_follow
from maxmargin.chains.sequences.packed import SequenceError, Sequences

Mask = npt.NDArray[np.uint8]


def allowed_labels(known: Any, X: Sequences, classes: npt.NDArray[Any]) -> Mask | None:
    """From what is known of each token to a mask of shape (n_tokens, n_labels).

    ``known`` has an entry for each token of each sequence: None where nothing is known, a label, or a set (or list, or
    tuple) of labels that are possible.
    """
    if known is None:
        return None
    if isinstance(known, str | dict) or not hasattr(known, "__len__"):
        raise ValueError(f"known must be a list with an entry for each sequence, not {known!r}.")
    if len(known) != len(X):
        raise ValueError(f"known has {len(known)} sequences, but X has {len(X)}; give an entry for each.")
    place = {label: number for number, label in enumerate(classes.tolist())}
    mask = np.ones((X.tokens, classes.size), dtype=np.uint8)
    for i, (entries, length) in enumerate(zip(known, X.lengths.tolist(), strict=True)):
        if entries is None:
            continue
        if isinstance(entries, str | dict | set) or not hasattr(entries, "__len__"):
            raise SequenceError(f"known of sequence {i} is {entries!r}; give a list with an entry for each token.", i)
        if len(entries) != length:
            raise SequenceError(
                f"known has {len(entries)} entries for sequence {i} of {length} tokens; give one per token.", i
            )
        for t, entry in enumerate(entries):
            if entry is None:
                continue
            several = isinstance(entry, set | frozenset | list) or (isinstance(entry, tuple) and entry not in place)
            possible = entry if several else [entry]
            row = mask[X.offsets[i] + t]
            row[:] = 0
            for label in possible:
                if label not in place:
                    raise SequenceError(
                        f"known asks for the label {label!r} at sequence {i}, token {t}, which was not seen in "
                        f"training; the labels are {_listed(classes)}.",
                        i,
                        t,
                    )
                row[place[label]] = 1
            if not row.any():
                raise SequenceError(
                    f"known leaves no label for sequence {i}, token {t}; give at least one, or None.", i, t
                )
    return mask


def allowed_steps(steps: Any, classes: npt.NDArray[Any]) -> Mask | None:
    """Which label may follow which, shape (n_labels + 1, n_labels + 1); last row the start, last column the end.

    ``steps`` is None; the name of a scheme of chunks, such as ``'BIO'`` or ``'IOBES'``; a mask, an array of that shape
    or of (n_labels, n_labels); or a list of the pairs (label, next label) that are allowed, with None for the start and
    for the end (where no pair has one, all may start, or end).
    """
    if steps is None:
        return None
    size = classes.size
    if isinstance(steps, str):
        if steps.upper() not in SCHEMES:
            raise ValueError(f"steps must be one of {', '.join(SCHEMES)}, a mask or pairs of labels, not {steps!r}.")
        return _valid(steps.upper(), classes)
    if isinstance(steps, np.ndarray) and (steps.dtype.kind in "biu" or np.isin(steps, (0.0, 1.0)).all()):
        mask = np.ones((size + 1, size + 1), dtype=np.uint8)
        if steps.shape not in ((size, size), (size + 1, size + 1)):
            raise ValueError(
                f"steps has shape {steps.shape}; there are {size} labels, so a mask must be ({size}, {size}). "
                "Give pairs of labels as a list."
            )
        mask[: steps.shape[0], : steps.shape[1]] = steps != 0
        return mask
    return _from_pairs(steps, classes)


def _from_pairs(pairs: Iterable[Any], classes: npt.NDArray[Any]) -> Mask:
    size = classes.size
    place = {label: number for number, label in enumerate(classes.tolist())}
    mask = np.zeros((size + 1, size + 1), dtype=np.uint8)
    for pair in pairs:
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise ValueError(
                f"steps must be a scheme such as 'BIO', an array of 0 and 1 or pairs of labels; {pair!r} is not a pair."
            )
        before, after = pair
        for label in (before, after):
            if label is not None and label not in place:
                raise ValueError(
                    f"steps names the label {label!r}, which was not seen in training; the labels are "
                    f"{_listed(classes)}."
                )
        mask[size if before is None else place[before], size if after is None else place[after]] = 1
    if not mask[size, :size].any():
        mask[size, :size] = 1
    if not mask[:size, size].any():
        mask[:size, size] = 1
    return mask


def _valid(scheme: str, classes: npt.NDArray[Any]) -> Mask:
    """What may follow what in a valid labelling of a scheme."""
    try:
        marks = [*(mark_of(label, scheme) for label in classes.tolist()), None]
    except ValueError as error:
        raise ValueError(f"steps={scheme!r} does not fit the labels of the model: {error}") from error
    letters = {mark[0] for mark in marks if mark is not None}
    if SCHEMES[scheme] != "BI" and "B" in letters and "E" not in letters:
        raise ValueError(
            f"steps={scheme!r} does not fit the labels of the model: none of them ends a chunk of several tokens; use "
            "steps='BIO' if they are BIO."
        )
    return np.array([[may_follow(a, b, scheme) for b in marks] for a in marks], dtype=np.uint8)


def _listed(classes: npt.NDArray[Any]) -> str:
    names = [repr(label) for label in classes.tolist()]
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
