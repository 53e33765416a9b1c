"""``MultilabelSVC`` to model files and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.fitting.estimator import FileParts, restore_features
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.labels.loss import LOSSES
from maxmargin.labels.pairs import search_method

_ARRAYS = ("coef_", "intercept_", "interaction_", "pairs_", "costs_", "classes_")


def multilabel_parts(model: Any) -> FileParts:
    """Weights, pairs of labels and costs."""
    arrays = {name: getattr(model, name) for name in _ARRAYS}
    return FileParts(arrays, {"single_": model.single_, "method_": model.method_})


def restore_multilabel(model: Any, arrays: ModelArrays, structure: ModelValues) -> None:
    """Gives an estimator with its parameters what ``fit`` had given to the one that was saved."""
    if model.loss not in LOSSES:
        raise ValueError(f"the parameter loss is {model.loss!r:.80}, which is no loss of label vectors")
    model.single_ = structure.flag("single_")
    model.classes_ = arrays.labels(least=1 + model.single_)
    k = 1 if model.single_ and model.classes_.size == 2 else model.classes_.size
    model.coef_, model.intercept_ = arrays.floats("coef_", k, None), arrays.floats("intercept_", k)
    pairs = model.pairs_ = arrays.whole("pairs_", np.int32, None, 2, below=k)
    if (pairs[:, 0] >= pairs[:, 1]).any() or len(np.unique(pairs, axis=0)) != len(pairs):
        raise ValueError("pairs_ must be different pairs of different labels")
    model.interaction_ = arrays.floats("interaction_", len(pairs))
    model.costs_ = arrays.floats("costs_", k, 2)
    if (model.costs_ < 0.0).any():
        raise ValueError("costs_ must be at least 0")
    model.method_ = structure.one_of("method_", ("likelihood", "structural"))
    if model.method_ == "likelihood" and (model.single_ or search_method(k, pairs) == "branch"):
        raise ValueError("the likelihood needs label vectors over which it can sum")
    restore_features(model, arrays, model.coef_.shape[1])
