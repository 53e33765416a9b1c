"""What a mistake at a label costs: by label, and by whether the label is true."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def label_costs(given: Any, names: npt.NDArray[Any]) -> Floats:
    """A dict of labels to costs (1 where a label is not named), or one cost per label, as an array."""
    if isinstance(given, dict):
        known = set(names.tolist())
        for label in given:
            if label not in known:
                raise ValueError(f"label_weight names the label {label!r}, which is none of the labels of y.")
        listed = [given.get(name, 1.0) for name in names.tolist()]
    else:
        if isinstance(given, str) or not isinstance(given, Iterable) or getattr(given, "ndim", 1) == 0:
            raise ValueError(
                "label_weight must be a dict of labels to numbers, or a list with a number for each label, not "
                f"{given!r}."
            )
        listed = list(given)
        if len(listed) != len(names):
            raise ValueError(f"label_weight has {len(listed)} numbers; there are {len(names)} labels.")
    for name, cost in zip(names.tolist(), listed):
        if not _is_weight(cost):
            raise ValueError(f"label_weight of the label {name!r} is {cost!r}; give a finite number of at least 0.")
    return np.array(listed, dtype=np.float64)


def class_costs(given: Any, names: npt.NDArray[Any], vectors: npt.NDArray[np.uint8], weight: Floats | None) -> Floats:
    """The cost of a label that is set and should not be, and of one that is missed, shape (n_labels, 2).

    ``'balanced'`` makes both proportional to the share of the examples with this state of the label to the power of
    -1/4, and 1 in the mean over the examples: costs are margins here, and of all margins these give the smallest bound
    on the mean error of the two states (Cao et al., Learning imbalanced datasets with label-distribution-aware margin
    loss, 2019). A dict names labels, each with a number for the label being true, or with ``{0: number, 1: number}``;
    all else costs 1.
    """
    if isinstance(given, str) and given == "balanced":
        return _balanced(vectors, weight)
    if not isinstance(given, Mapping):
        raise ValueError(
            "class_weight must be 'balanced', or a dict of labels to the weight of being true or to {0: weight, 1: "
            f"weight}}, not {given!r}."
        )
    place = {name: k for k, name in enumerate(names.tolist())}
    costs = np.ones((len(names), 2))
    for label, own in given.items():
        if label not in place:
            raise ValueError(f"class_weight names the label {label!r}, which is none of the labels of y.")
        states = own if isinstance(own, Mapping) else {1: own}
        for state, cost in states.items():
            if state not in (0, 1) or not _is_weight(cost):
                raise ValueError(
                    f"class_weight of the label {label!r} has {state!r}: {cost!r}; give finite weights of at least 0 "
                    "for 0, where the label is not true, and 1, where it is."
                )
            costs[place[label], int(state)] = float(cost)
    return costs


def _is_weight(cost: Any) -> bool:
    return not isinstance(cost, bool) and isinstance(cost, Real) and 0.0 <= float(cost) < np.inf


def _balanced(vectors: npt.NDArray[np.uint8], weight: Floats | None) -> Floats:
    each = np.ones(len(vectors)) if weight is None else weight
    true = each @ vectors / each.sum()
    share = np.stack([1.0 - true, true], axis=1)
    costs = np.divide(1.0, share**0.25, out=np.ones_like(share), where=share > 0.0)
    return np.asarray(costs / (share * costs).sum(axis=1, keepdims=True))
