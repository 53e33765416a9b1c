"""Rankings by pairs that are only compared with each other, and columns as rankings are trained on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.fitting.training import as_trial, run_of, train
from maxmargin.groups.sample import Sample, SampleInput
from maxmargin.groups.swapped_pairs import SwappedPairs
from maxmargin.rankings.scale import ranking_c
from maxmargin.rankings.squashing import Scored, Squashing
from maxmargin.rows.columns import Columns
from maxmargin.rows.feature_scale import FeatureScale, packed
from maxmargin.rows.groups import RowGroups
from maxmargin.rows.query_groups import GroupNames

Floats = npt.NDArray[np.float64]


def fitted_pairs(
    model: Any, heavy: npt.NDArray[np.int64], X: Any, grades: Floats, groups: RowGroups, kind: str | None
) -> Scored:
    """A ranking by pairs with the heavy columns squashed, to compare kinds of that: the function that scores rows.

    ``model`` is an estimator with the limits and the solver to train with.
    """
    squashing = None if kind is None else Squashing.of(X, kind, heavy)
    changed = X if squashing is None else squashing.apply(X)
    rows, factor = brought_together(changed)
    sample = SampleInput(rows, groups, GroupNames(np.arange(len(groups))))
    C = ranking_c(rows, groups, None)
    run = as_trial(run_of(model))
    found = train(model, Sample(SwappedPairs()), sample, grades, len(groups), C, None, run=run, trial=True)
    w = found.w if factor is None else found.w * factor
    return lambda new: np.asarray((new if squashing is None else squashing.apply(new)) @ w)


def brought_together(X: Any) -> tuple[_core.Rows, Floats | None]:
    """The rows with columns changed as ``Columns`` says, and what weights are multiplied by then; None by nothing.

    A mean that is subtracted does not matter for the order of the rows of a group, so nothing has to make up for it.
    """
    rows = packed(X)
    columns = Columns.of(FeatureScale(rows, None), X.dtype)
    return (rows, None) if columns is None else (packed(columns.apply(X)), columns.factor)
