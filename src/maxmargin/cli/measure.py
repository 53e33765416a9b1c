"""Classifiers of two classes that are trained for a measure, on the command line."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.io.labelled import shortened
from maxmargin.measures.measure_svc import MeasureSVC
from maxmargin.measures.naming import as_measure

MEASURE_ONLY = ("positive", "threshold_for")
"""Options that go with ``--measure``, by the names of their parameters."""


def positive_class(given: str | None, classes: npt.NDArray[Any]) -> Any:
    """The class that an option names, as it is in the data; None where none is named."""
    if given is None:
        return None
    known = {str(item): item for item in classes.tolist()}
    if given not in known:
        raise ValueError(f"--positive names the class {given!r}, but the data has {shortened(known)}.")
    return known[given]


def check_two_classes(classes: npt.NDArray[Any]) -> None:
    """Raises before training, in the words of the command line."""
    if classes.size < 2:
        raise ValueError(
            f"--measure needs two classes, and all labels in the data are {classes[0]!r}; add the other class."
        )
    if classes.size > 2:
        raise ValueError(
            f"--measure needs two classes, and the data has the classes {shortened(classes.tolist())}; leave it out to "
            "train a classifier of many classes."
        )


def answer_rows(model: MeasureSVC, X: Any, scores: bool) -> list[list[Any]]:
    """The class of each example, and its score if that is wanted: above 0 for the second of the sorted classes."""
    labels = model.predict(X).tolist()
    if not scores:
        return [[label] for label in labels]
    return [[label, f"{value:.9g}"] for label, value in zip(labels, model.decision_function(X).tolist())]


def measured(model: MeasureSVC, X: Any, truths: npt.NDArray[Any]) -> dict[str, Any]:
    """The name of the model's measure and its value on labelled examples, which must hold both classes."""
    if np.unique(truths).size < 2:
        return {}
    return {"measure": as_measure(model.measure).name, "value": model.score(X, truths)}
