"""Matrices of what mistakes cost, checked and in the order of the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.io.labelled import shortened

Floats = npt.NDArray[np.float64]


def in_order(given: Any, classes: npt.NDArray[Any], name: str = "cost") -> Any:
    """What was given as costs; of a data frame the matrix in the order of ``classes``.

    Its rows (true classes) and columns (answers) are found by their labels. It may have more classes than there are,
    as in a fold that lacks one; a class that it lacks raises.
    """
    if hasattr(given, "index") and hasattr(given, "columns"):
        return _aligned(given, classes.tolist(), name)
    return given


def _aligned(frame: Any, classes: list[Any], name: str) -> Any:
    places = []
    for what, labels in (("row", frame.index.tolist()), ("column", frame.columns.tolist())):
        place = {label: k for k, label in enumerate(labels)}
        if len(place) < len(labels):
            twice = next(label for k, label in enumerate(labels) if place[label] != k)
            raise ValueError(f"{name} has two {what}s for the class {twice!r}; give each class one.")
        missing = [label for label in classes if label not in place]
        if missing:
            raise ValueError(
                f"{name} has no {what} for the class {missing[0]!r}; its {what}s are labelled {shortened(labels)}. "
                f"Label the {what}s by class, or give a plain matrix in the order of the sorted classes."
            )
        places.append([place[label] for label in classes])
    return frame.to_numpy()[np.ix_(*places)]


def checked_cost(given: Any, k: int, name: str = "cost") -> Floats | None:
    """A cost matrix for ``k`` classes as floats, or None for the zero-one loss; messages say ``name``."""
    if given is None:
        return None
    try:
        cost = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a square matrix of numbers, or None for the zero-one loss.") from error
    if cost.shape != (k, k):
        raise ValueError(f"{name} has shape {cost.shape}; there are {k} classes, so it must be ({k}, {k}).")
    if not np.isfinite(cost).all() or (cost < 0.0).any():
        i, j = np.argwhere(~(np.isfinite(cost) & (cost >= 0.0)))[0]
        raise ValueError(f"{name}[{i}, {j}] is {cost[i, j]}; costs must be finite and at least 0.")
    if np.diag(cost).any():
        i = int(np.flatnonzero(np.diag(cost))[0])
        raise ValueError(f"{name}[{i}, {i}] is {cost[i, i]}; the right answer must cost 0.")
    return cost
