"""Two classes with a smooth loss of each row: logistic regression and the squared hinge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maxmargin import _core

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

LOSSES = ("logistic", "squared_hinge")


@dataclass(frozen=True, eq=False)
class SmoothRows:
    """Minimises ``1/2 sum_j p_j w_j^2 + C sum_i c_i loss(y_i <w, x_i>)`` over rows that are positive or not.

    Parameters
    ----------
    rows : packed rows
    positive : which of them are positive
    weight : ``c``, how much each row counts; None is 1
    penalty : ``p``, one number per column, the constant feature included
    constant : the value of the constant feature, 0 where there is none
    """

    rows: _core.Rows
    positive: npt.NDArray[np.bool_]
    weight: Floats | None
    penalty: Floats
    constant: float

    def fit(self, loss: str, C: float, members: Indices) -> _core.SmoothFit:
        """The problem over some of the rows, from ``baseline`` on."""
        signs = np.where(self.positive, 1, -1).astype(np.int8)
        problem = _core.SmoothFit(self.rows, members, signs, self.weight, self.penalty, loss, C)
        problem.start(self.baseline(loss, members))
        return problem

    def share(self, members: Indices) -> float:
        """The share of positive rows, by weight."""
        weight = np.ones(members.size) if self.weight is None else self.weight[members]
        return float(weight[self.positive[members]].sum() / weight.sum())

    def baseline(self, loss: str, members: Indices) -> Floats:
        """No weights but that of the constant feature, which gives every row the score that fits best."""
        w, p = np.zeros(self.rows.columns), self.share(members)
        if self.constant:
            w[-1] = (float(np.log(p / (1.0 - p))) if loss == "logistic" else 2.0 * p - 1.0) / self.constant
        return w

    def baseline_loss(self, loss: str, members: Indices) -> float:
        """The mean loss of ``baseline``: what there is to be gained."""
        p = self.share(members)
        return float(-p * np.log(p) - (1.0 - p) * np.log(1.0 - p)) if loss == "logistic" else 2.0 * p * (1.0 - p)
