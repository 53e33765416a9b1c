"""What ``MeasureSVC`` chose and from what, as JSON for model files."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from maxmargin.estimators.measure_selection import Candidate
from maxmargin.io.model_parts import ModelValues
from maxmargin.structures.smooth import LOSSES


def choice_as_json(model: Any) -> dict[str, Any]:
    """Of a fitted model."""
    tried = [asdict(candidate) for candidate in model.candidates_]
    return {"threshold_": model.threshold_, "loss_": model.loss_, "value_": model.value_, "candidates_": tried}


def restore_choice(model: Any, given: ModelValues) -> None:
    """Sets the attributes of ``choice_as_json``; what is impossible is a ValueError."""
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
    return Candidate(given["loss"], given.number("C", above=0.0), given.flag("standardised"), value)
