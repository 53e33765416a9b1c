"""The loss that a ``TaxonomySVC`` was trained with: of answers to new labels, and expected of each class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.classes.costs import cost_of_classes
from maxmargin.classes.taxonomies.losses import taxonomy_losses
from maxmargin.classes.taxonomies.paths import label_paths, path_losses
from maxmargin.classes.taxonomy_places import ClassPlaces

Floats = npt.NDArray[np.float64]


def answer_losses(model: Any, y: Any, answers: npt.NDArray[Any]) -> Floats:
    """The loss of each answer, as ``metrics.tree_loss`` counts it: names with a separator and columns are compared two
    at a time, and all other labels in the taxonomy of the model or its matrix of losses."""
    if not isinstance(model.loss, str):
        return _by_matrix(model, y, answers)
    truths, found = label_paths(y, model.separator_), label_paths(answers, model.separator_)
    if truths is not None and found is not None:
        return path_losses(truths, found, model.loss)
    return taxonomy_losses(model.taxonomy_, np.asarray(y).tolist(), answers.tolist(), model.loss)


def all_mistakes_alike(model: Any) -> bool:
    """Whether every mistake costs 1: with the zero-one loss, and where all classes are directly below the root."""
    if not isinstance(model.loss, str):
        return False
    tree = model.taxonomy_
    return bool(model.loss == "zero-one" or (model.loss == "height" and tree.heights.max() <= 1))


def expected_loss(model: Any, places: ClassPlaces, probability: Floats) -> Floats:
    """Of answering each class, shape (n, n_classes), with the loss of an estimator."""
    if not isinstance(model.loss, str):
        cost = cost_of_classes(model.loss, model.classes_, "loss")
        return 1.0 - probability if cost is None else np.asarray(probability @ cost)
    return 1.0 - probability if model.loss == "zero-one" else places.expected_loss(probability, model.loss)


def _by_matrix(model: Any, y: Any, answers: npt.NDArray[Any]) -> Floats:
    cost = cost_of_classes(model.loss, model.classes_, "loss")
    number = {label: k for k, label in enumerate(model.classes_.tolist())}
    truths = np.asarray(y if model.levels_ is None else model.levels_.names(y)).tolist()
    found = np.asarray(answers if model.levels_ is None else model.levels_.names(answers)).tolist()
    unknown = next((label for label in truths if label not in number), None)
    if unknown is not None:
        raise ValueError(f"{unknown!r} is no class of the training data, so the matrix of losses has no row for it.")
    pairs = [number[label] for label in truths], [number[label] for label in found]
    if len(pairs[0]) != len(pairs[1]):
        raise ValueError(f"There are {len(pairs[0])} true and {len(pairs[1])} predicted labels; they must match.")
    return np.asarray(np.not_equal(*pairs), dtype=np.float64) if cost is None else cost[pairs]
