"""The conditional likelihood of label vectors, and what follows from probabilities: marginals and decisions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.labels.multilabel import Multilabel

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.uint8]

_MOST_NODES = 64  # of the quadrature; exact up to so many labels


def label_fit(
    structure: Multilabel,
    rows: _core.Rows,
    truths: Vectors,
    weight: Floats | None,
    C: float,
    constant: float,
    threads: int,
) -> _core.LabelFit:
    """Newton's method for ``1/2 |w|^2 - C sum_i c_i log P(y_i | x_i)``, at the point of ``baseline``.

    ``constant`` is the value of the constant feature of the rows, 0 where they have none.
    """
    fit = _core.LabelFit(structure.core(rows, truths), weight, C, threads)
    fit.start(baseline(structure, rows.columns, constant, _shares(truths, weight)))
    return fit


def baseline(structure: Multilabel, columns: int, constant: float, shares: Floats) -> Floats:
    """No weights but those of the constant feature, which give every label its share of the examples."""
    coef = np.zeros((structure.n_labels, columns))
    if constant:
        coef[:, -1] = np.log(shares / (1.0 - shares)) / constant
    return structure.from_coef(coef, np.zeros(len(structure.pairs)))


def baseline_loss(truths: Vectors, weight: Floats | None) -> float:
    """The mean of ``-log P`` of the labels by their shares: what there is to be gained."""
    p = _shares(truths, weight)
    return float((-p * np.log(p) - (1.0 - p) * np.log(1.0 - p)).sum())


def log_odds(core: _core.Labels, w: Floats, labels: int, threads: int) -> Floats:
    """``log P(y_k = 1 | x) - log P(y_k = 0 | x)``, shape (n, n_labels)."""
    return np.asarray(core.log_odds(w, threads)).reshape(-1, labels)


def expected_f1(core: _core.Labels, w: Floats, labels: int, threads: int) -> tuple[Vectors, Floats]:
    """The label vectors of highest expected F1, and by how much the best with a label leads over the best without."""
    nodes, weights = np.polynomial.legendre.leggauss(min(labels, _MOST_NODES))
    found, leads = core.expected_f1(w, 0.5 * (nodes + 1.0), 0.5 * weights, threads)
    return found.reshape(-1, labels), leads.reshape(-1, labels)


def _shares(truths: Vectors, weight: Floats | None) -> Floats:
    """The share of the examples with each label; one half of an example more on either side, so that none is 0 or 1."""
    each = np.ones(len(truths)) if weight is None else weight
    return np.asarray((each @ truths + 0.5) / (each.sum() + 1.0))
