"""Weights of classes, as users give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import compute_class_weight

Floats = npt.NDArray[np.float64]


def with_class_weight(
    class_weight: Any, classes: npt.NDArray[Any], labels: npt.NDArray[np.integer[Any]], weight: Floats | None
) -> Floats | None:
    """The weights of examples times those of their classes: ``'balanced'``, or a dictionary; None is 1."""
    if class_weight is None:
        return weight
    try:
        by_class = compute_class_weight(class_weight, classes=classes, y=classes[labels])
        by_class = np.asarray(by_class, dtype=np.float64)
    except (TypeError, ValueError) as error:
        known = set(classes.tolist())
        unknown = [name for name in class_weight if name not in known] if isinstance(class_weight, dict) else []
        if unknown:
            raise ValueError(
                f"class_weight names the class {unknown[0]!r}, which is none of the classes of y; leave it out, or "
                "correct the name."
            ) from error
        raise ValueError("class_weight must map classes to numbers, or be 'balanced'.") from error
    if not (np.isfinite(by_class) & (by_class >= 0.0)).all():
        raise ValueError("class_weight must hold finite weights of at least 0.")
    each: Floats = by_class[labels] if weight is None else by_class[labels] * weight
    if not each.any():
        raise ValueError("class_weight and sample_weight leave every example with weight zero.")
    return each
