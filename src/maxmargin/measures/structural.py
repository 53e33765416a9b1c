"""Training for a measure by a bound of its loss over all labellings (or rankings) of a sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.fitting.regularisation import resolved_c
from maxmargin.fitting.training import job_count, train
from maxmargin.fitting.warning import warn_caller
from maxmargin.groups.base import BinaryMeasure
from maxmargin.groups.sample import Sample
from maxmargin.measures.binary_rows import BinaryRows
from maxmargin.measures.contingency import Contingency, ErrorRate
from maxmargin.measures.input import as_sample, mean_unit, repetitions
from maxmargin.measures.threshold import Cuts
from maxmargin.rows.groups import RowGroups
from maxmargin.rows.kernel_rows import KernelRows
from maxmargin.rows.query_groups import QueryGroups
from maxmargin.solvers.base import Solution, Status

Floats = npt.NDArray[np.float64]
Truth = npt.NDArray[np.bool_]
_REMEDY = "use method='auto', which does not depend on this bound"


@dataclass(frozen=True, eq=False)
class Structural:
    """What came out: the solution, the value of the constant feature, and the threshold."""

    solution: Solution
    constant: float
    threshold: float


def is_sum(estimator: Any, measure: BinaryMeasure) -> bool:
    """Whether the loss of a sample is a sum over its rows."""
    return (estimator.rescaling, estimator.slack) == ("margin", "linear") and isinstance(measure, ErrorRate)


def structural(
    estimator: Any,
    measure: BinaryMeasure,
    cut_for: Contingency | None,
    rows: _core.Rows,
    truth: Truth,
    groups: QueryGroups | None,
    weight: Floats | None,
) -> Structural:
    """Trains ``estimator`` on rows that have no constant feature yet; those of a kernel matrix are unit vectors."""
    kernel = estimator.kernel_ if isinstance(estimator.kernel_, KernelRows) else None
    scale = estimator._scale(rows, weight) if kernel is None else kernel.scale(weight)
    C = resolved_c(estimator.C, lambda: scale.regularisation)
    constant = 0.0
    if estimator.fit_intercept:
        constant = scale.constant if estimator.intercept_scaling == "scale" else float(estimator.intercept_scaling)
        rows.set_bias(constant)
    wrapped = None if kernel is None else partial(kernel.oracle, rows=rows, width=1)
    if is_sum(estimator, measure):
        solution = train(estimator, BinaryRows(), rows, truth, rows.n, C, weight, wrapped=wrapped, remedy=_REMEDY)
    else:
        sample = as_sample(rows, groups, repetitions(weight, truth, measure.name))
        if isinstance(estimator.C, str):
            C *= mean_unit(measure, sample, truth)
        sizes = np.array([rows.n if group is None else group.size for group in sample.members], dtype=np.float64)
        if kernel is not None:
            everyone = np.arange(rows.n, dtype=np.int32)
            members = RowGroups.of([everyone if group is None else group for group in sample.members])
            wrapped = partial(kernel.oracle, rows=rows, width=1, groups=members)
        solution = train(
            estimator, Sample(measure), sample, truth, len(sizes), C, sizes, wrapped=wrapped, remedy=_REMEDY
        )
    w = np.ascontiguousarray(solution.w)
    if solution.status is Status.CONVERGED and w.any() and not w[: w.size - bool(constant)].any():
        warn_caller(
            f"All weights but the intercept are 0: within tol no others bound the loss of {measure.name} better than "
            f"one class for all rows does; {_REMEDY}.",
            UserWarning,
        )
    threshold = 0.0
    if cut_for is not None:
        scores = rows.products(w, None, job_count(estimator.n_jobs))
        threshold = Cuts(scores, truth, weight).best(cut_for)[0]
    return Structural(solution, constant, threshold)
