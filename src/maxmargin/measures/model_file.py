"""``MeasureSVC`` to model files and back, with what it chose and from what."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from maxmargin.fitting.estimator import FileParts, restore_features
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.measures.selection import Candidate
from maxmargin.rows.smooth import LOSSES


def measure_parts(model: Any) -> FileParts:
    """Weights, classes and the choice."""
    arrays = {"coef_": model.coef_, "intercept_": model.intercept_, "classes_": model.classes_}
    return FileParts(arrays, _choice_as_json(model))


def restore_measure(model: Any, arrays: ModelArrays, structure: ModelValues) -> None:
    """Gives an estimator with its parameters what ``fit`` had given to the one that was saved."""
    model.coef_, model.intercept_ = arrays.floats("coef_", 1, None), arrays.floats("intercept_", 1)
    model.classes_ = arrays.labels()
    if model.classes_.size != 2:
        raise ValueError("classes_ must be two different labels")
    if model.pos_label is not None and model.pos_label not in model.classes_.tolist():
        raise ValueError("pos_label must be one of classes_")
    _restore_choice(model, structure)
    restore_features(model, arrays, model.coef_.shape[1])


def _choice_as_json(model: Any) -> dict[str, Any]:
    """Of a fitted model."""
    tried = [asdict(candidate) for candidate in model.candidates_]
    return {"threshold_": model.threshold_, "loss_": model.loss_, "value_": model.value_, "candidates_": tried}


def _restore_choice(model: Any, given: ModelValues) -> None:
    """Sets the attributes of ``_choice_as_json``; what is impossible is a ValueError."""
    model.threshold_ = given.number("threshold_")
    if given["loss_"] not in (*LOSSES, "structural"):
        raise ValueError(f"loss_ is {given['loss_']!r:.80}, which is no loss")
    model.loss_ = given["loss_"]
    model.value_ = None if given["value_"] is None else given.number("value_")
    if not isinstance(given["candidates_"], list):
        raise ValueError("candidates_ must be a list")
    model.candidates_ = tuple(_candidate(ModelValues(one)) for one in given["candidates_"])


def _candidate(given: ModelValues) -> Candidate:
    if given["loss"] not in LOSSES:
        raise ValueError(f"the loss of a candidate is {given['loss']!r:.80}, which is no loss")
    value = None if given["value"] is None else given.number("value")
    return Candidate(
        given["loss"], given.number("C", above=0.0), given.flag("standardised"), given.flag("balanced"), value
    )
