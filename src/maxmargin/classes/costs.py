"""Costs of mistakes by the names of the classes, and what an estimator with costs decides and scores by."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.rows.costs import checked_cost, in_order

Floats = npt.NDArray[np.float64]


def cost_of_classes(given: Any, classes: npt.NDArray[Any], name: str = "cost") -> Floats | None:
    """A cost matrix in the order of ``classes``, or None for the zero-one loss."""
    return checked_cost(in_order(given, classes, name), classes.size, name)


def mean_cost(
    cost: Floats, classes: npt.NDArray[Any], y: Any, answers: npt.NDArray[Any], sample_weight: Any = None
) -> float:
    """The mean cost of the answers where ``y`` is true."""
    truths = np.asarray(y)
    if truths.shape != answers.shape:
        raise ValueError(f"There are {len(truths)} labels for {len(answers)} rows; they must match.")
    number = {label: k for k, label in enumerate(classes.tolist())}
    unknown = next((label for label in truths.tolist() if label not in number), None)
    if unknown is not None:
        raise ValueError(f"{unknown!r} is no class of the training data, so no cost is known for it.")
    found = [number[label] for label in truths.tolist()], [number[label] for label in answers.tolist()]
    return float(np.average(cost[found], weights=sample_weight))


def mistakes_differ(cost: Floats | None) -> bool:
    """Whether some mistake costs more than another."""
    if cost is None:
        return False
    off = cost[~np.eye(len(cost), dtype=bool)]
    return bool(off.size and off.max() > off.min())
