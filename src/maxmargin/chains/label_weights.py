"""Weights of the labels of sequences."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def read_label_weights(label_weight: Any, classes: npt.NDArray[Any], *, zero: bool) -> Floats:
    """One weight for each class, from a dict of labels to numbers; 1 where it has none.

    ``zero`` says whether a weight may be zero.
    """
    if not isinstance(label_weight, dict):
        raise ValueError(f"label_weight must be a dict of labels to numbers, not {label_weight!r}.")
    known = set(classes.tolist())
    for label, factor in label_weight.items():
        if label not in known:
            raise ValueError(f"label_weight names {label!r}, which is not a label of the data; leave it out.")
        finite = not isinstance(factor, bool) and isinstance(factor, Real) and 0.0 <= float(factor) < np.inf
        if not finite or (not zero and float(factor) == 0.0):
            wanted = "a finite number of at least 0" if zero else "a positive finite number"
            raise ValueError(f"label_weight[{label!r}] is {factor!r}; give {wanted}.")
    return np.array([float(label_weight.get(label, 1.0)) for label in classes.tolist()])
