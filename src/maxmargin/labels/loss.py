"""The loss of a label vector, and the form of it that each search needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation, Search
from maxmargin.oracles.loss_units import whole_units
from maxmargin.oracles.search import Unsupported

Floats = npt.NDArray[np.float64]

LOSSES = ("hamming", "f1", "zero-one")
_MOST_UNITS = 5000  # strata of a weighted Hamming loss


def label_losses(kind: str, costs: Floats, Y_true: Any, Y: Any) -> Floats:
    """``Delta`` of label vectors, rows of two arrays of 0 and 1, shape (n, n_labels); shape (n,).

    ``'hamming'``
        the sum of the costs of the wrong labels, ``costs[k, truth]``; with costs of 1 their number;
    ``'f1'``
        ``1 - 2 |true and set| / (|true| + |set|)``, and 0 where no label is true and none set;
    ``'zero-one'``
        1 unless all labels are right.
    """
    truth, found = np.asarray(Y_true, dtype=bool), np.asarray(Y, dtype=bool)
    wrong = truth != found
    if kind == "hamming":
        paid = np.where(truth, costs[:, 1], costs[:, 0])
        return np.asarray((wrong * paid).sum(axis=-1), dtype=np.float64)
    if kind == "zero-one":
        return np.asarray(wrong.any(axis=-1), dtype=np.float64)
    return f1_loss(truth.sum(axis=-1), (truth & ~found).sum(axis=-1), (found & ~truth).sum(axis=-1))


def f1_loss(truths: Any, missed: Any, added: Any) -> Floats:
    """``1 - F1`` from the number of true labels, of those missed, and of wrong labels set; 0 where all are 0."""
    wrong = np.asarray(missed + added, dtype=np.float64)
    total = 2.0 * (np.asarray(truths) - missed) + wrong
    return np.asarray(np.divide(wrong, total, out=np.zeros_like(wrong), where=total > 0))


@dataclass(frozen=True, eq=False)
class LabelLoss:
    """What the native search goes by (``labels/labels.hpp``).

    Attributes
    ----------
    goal : name of the search
    costs, units : of a wrong label where it is not true and where it is, shape (n_labels, 2)
    margin, scale : ``b`` and the factor on ``psi``, by units, or by counts from ``table_start`` on
    table_start : for each number of true labels, where its cells begin, or -1; shape (n_labels + 1,)
    """

    goal: str
    costs: Floats
    units: npt.NDArray[np.int32]
    margin: Floats
    scale: Floats
    table_start: npt.NDArray[np.int64]


def bound_loss(kind: str, costs: Floats, formulation: Formulation, truths: npt.NDArray[Any], method: str) -> LabelLoss:
    """The loss for a formulation; ``truths`` are the numbers of true labels that occur."""
    search = formulation.search
    n_labels = len(costs)
    table_start = np.full(n_labels + 1, -1, dtype=np.int64)
    units = np.zeros(costs.shape, np.int32)
    losses = np.arange(2.0)
    if search is Search.PREDICTION:
        goal = "prediction"
    elif search is Search.SECOND or kind == "zero-one":
        goal = "second"
    elif kind == "hamming" and search is Search.AUGMENTED:
        goal = "augmented"
    else:
        if method == "branch":
            raise Unsupported(
                f"{_named(kind)} with {formulation} must look at every value of the loss, which is possible where the "
                f"pairs of labels make no cycle or there are few labels, and here are {n_labels}: use "
                "interactions='tree', or loss='hamming' with rescaling='margin' and slack='linear'."
            )
        goal = "errors" if kind == "hamming" else "counts"
    if goal == "errors":
        unit, units = _units(costs, formulation)
        losses = unit * np.arange(max(1, int(units.max(axis=1).sum())) + 1.0)
    if goal == "counts":
        table_start, losses = _count_table(n_labels, truths)
    return LabelLoss(
        goal,
        np.ascontiguousarray(costs.ravel(), dtype=np.float64),
        np.ascontiguousarray(units.ravel(), dtype=np.int32),
        np.ascontiguousarray(formulation.margin(losses), dtype=np.float64),
        np.ascontiguousarray(formulation.scale(losses), dtype=np.float64),
        table_start,
    )


def _named(kind: str) -> str:
    return {"hamming": "The Hamming loss", "f1": "The F1 loss"}[kind]


def _units(costs: Floats, formulation: Formulation) -> tuple[float, npt.NDArray[np.int32]]:
    unit, units = whole_units(costs)
    most = int(units.max(axis=1).sum())
    if most > _MOST_UNITS:
        raise Unsupported(
            f"{formulation} looks at every value of the loss, and these label weights have {most:,} of them in steps "
            f"of {unit:g}; use rescaling='margin' with slack='linear', or coarser weights."
        )
    return unit, units


def _count_table(n_labels: int, truths: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], Floats]:
    """The F1 loss by number of true labels, labels missed and labels added, the tables of all numbers in one array."""
    table_start = np.full(n_labels + 1, -1, dtype=np.int64)
    tables = [np.zeros(2)]  # never empty
    size = 2
    for true in np.unique(truths):
        table_start[true] = size
        missed, added = np.meshgrid(np.arange(true + 1), np.arange(n_labels - true + 1), indexing="ij")
        tables.append(f1_loss(int(true), missed, added).ravel())
        size += tables[-1].size
    return table_start, np.concatenate(tables)
