"""Model files back to estimators."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from maxmargin.estimators.multiclass import MulticlassSVC
from maxmargin.estimators.structural import StructuralSVM
from maxmargin.io.models import ModelFileError, read_model
from maxmargin.problem import Problem
from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.base import Solution, Status
from maxmargin.solvers.block_coordinate import BlockCoordinate
from maxmargin.solvers.n_slack import NSlack
from maxmargin.solvers.one_slack import OneSlack
from maxmargin.solvers.online import Perceptron, Subgradient

_SOLVERS: dict[str, type[Any]] = {
    solver.__name__: solver for solver in (Automatic, OneSlack, NSlack, BlockCoordinate, Subgradient, Perceptron)
}


def load(path: str | PathLike[str], problem: Problem | None = None) -> Any:
    """Reads a model file. A ``StructuralSVM`` needs its ``problem``, which is code and never in a file.

    Predictions are bit-equal to those of the estimator that was saved. The dual variables are not in the file.
    """
    head, arrays = read_model(path)
    try:
        params = {name: _from_json(value) for name, value in head["params"].items()}
        if head["estimator"] == "MulticlassSVC":
            model = _multiclass(params, arrays)
        elif head["estimator"] == "StructuralSVM":
            if problem is None:
                raise ValueError(f"{path} is a StructuralSVM; pass its problem: maxmargin.load(path, problem=...).")
            model = _structural(params, arrays, problem)
        else:
            raise ModelFileError(f"{path} holds a {head['estimator']}, which this maxmargin does not know.")
        fitted = head["fitted"]
        model.n_iter_ = int(fitted["n_iter_"])
        if "C_" in fitted:
            model.C_ = float(fitted["C_"])
        model.solution_ = Solution(
            w=np.asarray(arrays["coef_"]).ravel(),
            status=Status[fitted["status"]],
            primal=fitted["primal"],
            dual=fitted["dual"],
            n_iter=model.n_iter_,
            oracle_calls=fitted["oracle_calls"],
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ModelFileError(f"{path} is damaged: its parts do not fit together ({error!r}).") from error
    return model


def _multiclass(params: dict[str, Any], arrays: dict[str, Any]) -> MulticlassSVC:
    model = MulticlassSVC(**params)
    model.coef_, model.intercept_, model.classes_ = arrays["coef_"], arrays["intercept_"], arrays["classes_"]
    if (
        model.coef_.ndim != 2
        or model.classes_.shape != model.intercept_.shape
        or len(model.coef_) != model.classes_.size
    ):
        raise ModelFileError("The model file is damaged: the shapes of its arrays do not match.")
    model.n_features_in_ = model.coef_.shape[1]
    if "feature_names_in_" in arrays:
        model.feature_names_in_ = arrays["feature_names_in_"].astype(object)
    return model


def _structural(params: dict[str, Any], arrays: dict[str, Any], problem: Problem) -> StructuralSVM:
    model = StructuralSVM(problem, **params)
    model.coef_ = arrays["coef_"]
    if model.coef_.ndim != 1:
        raise ModelFileError("The model file is damaged: the weights must be one-dimensional.")
    return model


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["array"])
    if "pairs" in value:
        return {_from_json(key): _from_json(item) for key, item in value["pairs"]}
    return _SOLVERS[value["solver"]](**value["settings"])
