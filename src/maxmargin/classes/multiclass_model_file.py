"""``MulticlassSVC`` to model files and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.classes.calibration import Calibration
from maxmargin.classes.described_outputs import described_arrays, described_from_arrays
from maxmargin.core.formulation import SLACKS
from maxmargin.fitting.estimator import FileParts, restore_features
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.rows.costs import checked_cost


def multiclass_parts(model: Any) -> FileParts:
    """Weights, classes, the output features as one matrix, costs, and what was chosen."""
    arrays = {"coef_": model.coef_, "intercept_": model.intercept_, "classes_": model.classes_}
    if hasattr(model, "described_"):
        arrays |= {"output_coef_": model.output_coef_, "output_intercept_": model.output_intercept_}
        arrays |= described_arrays(model.described_)
    if model.cost_ is not None:
        arrays["cost_"] = model.cost_
    if hasattr(model, "calibration_"):
        arrays["calibration_"] = np.r_[model.calibration_.sharpness, model.calibration_.bias]
    structure = {"decision_": model.decision_, "method_": model.method_, "slack_": model.slack_}
    structure["constant"] = float(model.intercept_scaling_)
    return FileParts(arrays, structure, without=("output_features", "cost"))


def restore_multiclass(model: Any, arrays: ModelArrays, structure: ModelValues) -> None:
    """Gives an estimator with its parameters what ``fit`` had given to the one that was saved."""
    model.classes_ = arrays.labels()
    k = model.classes_.size
    model.coef_, model.intercept_ = arrays.floats("coef_", k, None), arrays.floats("intercept_", k)
    restore_features(model, arrays, model.coef_.shape[1])
    model.intercept_scaling_ = structure.number("constant")
    _restore_decision(model, arrays, structure)
    if "output_coef_" in arrays:
        model.described_ = model.output_features = described_from_arrays(arrays)
        outputs = model.described_.matrix.shape[1]
        model.output_coef_ = arrays.floats("output_coef_", outputs, model.coef_.shape[1])
        model.output_intercept_ = arrays.floats("output_intercept_", outputs)
        model.described_.rows(model.classes_)


def _restore_decision(model: Any, arrays: ModelArrays, structure: ModelValues) -> None:
    """Costs, probabilities and what is made of them."""
    k = model.classes_.size
    model.cost_ = model.cost = checked_cost(arrays.floats("cost_", k, k), k) if "cost_" in arrays else None
    model.decision_ = structure.one_of("decision_", ("score", "expected-cost"))
    model.method_ = structure.one_of("method_", ("likelihood", "structural"))
    model.slack_ = None if model.method_ == "likelihood" else structure.one_of("slack_", SLACKS)
    if "calibration_" in arrays:
        numbers = arrays.floats("calibration_", k + 1)
        model.calibration_ = Calibration(float(numbers[0]), numbers[1:])
    if model.decision_ == "expected-cost" and (model.cost_ is None or "calibration_" not in arrays):
        raise ValueError("a decision of lowest expected cost needs costs and a calibration")
