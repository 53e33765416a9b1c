"""From labels, groups and weights, as users give them, to the sample that a measure is trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from maxmargin import _core
from maxmargin.groups.base import BinaryMeasure
from maxmargin.groups.sample import SampleInput
from maxmargin.measures.contingency import ErrorRate
from maxmargin.rows.class_weights import with_class_weight
from maxmargin.rows.query_groups import QueryGroups, whole_repetitions
from maxmargin.rows.table_input import encode_labels

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


def two_classes(y: npt.NDArray[Any], pos_label: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """The sorted pair of labels, and which rows have the positive one: ``pos_label``, or the second."""
    if y.dtype.kind not in "biuU":
        check_classification_targets(y)
    classes, labels = encode_labels(y)
    if classes.size < 2:
        raise ValueError(f"y has one class only, {classes[0]}; at least two classes are needed to learn anything.")
    if classes.size > 2:
        named = ", ".join(map(repr, classes[:5].tolist())) + (", ..." if classes.size > 5 else "")
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {type_of_target(y)}, with the labels "
            f"{named}; sklearn.multiclass.OneVsRestClassifier trains one MeasureSVC for each of them."
        )
    if pos_label is None:
        return classes, np.asarray(labels == 1)
    if pos_label not in classes.tolist():
        raise ValueError(f"pos_label is {pos_label!r}, and the labels in y are {classes.tolist()}; it must be one.")
    return classes, np.asarray(labels == classes.tolist().index(pos_label))


def class_weighted(estimator: Any, y: npt.NDArray[Any], weight: Floats | None, measure: BinaryMeasure) -> Floats | None:
    """The weights of the rows times those of their classes.

    Where rows are repeated, ``'balanced'`` repeats the rarer class as often as makes the two most nearly equal.
    """
    given, classes = estimator.class_weight, estimator.classes_
    labels = (y == classes[1]).astype(np.intp)
    if estimator.method == "structural" and not isinstance(measure, ErrorRate) and given == "balanced":
        counts = np.bincount(labels, weight, minlength=2)
        times = np.maximum(1.0, np.rint(counts.max() / np.maximum(counts, 1.0)))
        given = dict(zip(classes.tolist(), times.tolist()))
    return with_class_weight(given, classes, labels, weight)


def repetitions(weight: Floats | None, truth: npt.NDArray[np.bool_], measure: str) -> npt.NDArray[np.int64] | None:
    """How often each row counts. A measure of whole samples has no other meaning for weights."""
    if weight is None:
        return None
    left = truth[weight > 0.0]
    if left.all() or not left.any():
        raise ValueError("sample_weight leaves one class only; at least two classes are needed to learn anything.")
    return whole_repetitions(
        weight,
        lambda row: (
            f"The weight of row {row} is {weight[row]:g}; for {measure} with method='structural' a weight is a number "
            "of repetitions and must be whole. method='auto' takes any weight."
        ),
    )


def as_sample(rows: _core.Rows, groups: QueryGroups | None, counts: npt.NDArray[np.int64] | None) -> SampleInput:
    """The rows of each group, repeated as often as they count."""
    if groups is None:
        if counts is None:
            return SampleInput(rows)
        return SampleInput(rows, [np.repeat(np.arange(rows.n, dtype=np.int32), counts)], ["the sample"])
    members = list(groups.rows) if counts is None else [np.repeat(member, counts[member]) for member in groups.rows]
    kept = [(member, name) for member, name in zip(members, groups.names) if member.size]
    return SampleInput(rows, [member for member, _ in kept], [name for _, name in kept])


def mean_unit(measure: BinaryMeasure, sample: SampleInput, truth: npt.NDArray[np.bool_]) -> float:
    """The unit of the measure, averaged over the rows of all groups; a truth that it cannot use is refused here."""
    units, sizes = [], []
    for g, group in enumerate(sample.members):
        own = truth if group is None else truth[group]
        units.append(measure.unit(measure.prepare(own, sample.name(g))))
        sizes.append(own.size)
    return float(np.average(units, weights=sizes))
