"""Measures of labellings with another weight of the positive rows in the joint feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.measures.base import Violation
from maxmargin.measures.binary import BinaryTarget
from maxmargin.measures.contingency import Contingency
from maxmargin.rescaling import Formulation

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WeightedPositives:
    """``Psi(y) = (1/2n) sum_i v_i y_i x_i`` with ``v_i = weight`` for a positive row and 1 for a negative one.

    The labelling of highest score is that of the signs whatever the ``v_i``, so that the slack bounds the same loss;
    the loss itself is not weighted. Where a rare class is hard to tell from the rest, ``w = 0`` is the optimum for
    weight 1: all labellings without a true positive have loss 1, and there a mistake counts alike on rows of both
    kinds.
    """

    measure: Contingency
    weight: float

    ranking: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return self.measure.name

    def refusal(self, formulation: Formulation) -> str | None:
        return self.measure.refusal(formulation)

    def prepare(self, truth: npt.NDArray[Any], where: str = "the sample") -> BinaryTarget:
        return self.measure.prepare(truth, where)

    def search(self, scores: Floats, target: BinaryTarget, formulation: Formulation) -> Violation | None:
        factor = np.where(target.positive, self.weight, 1.0)
        found = self.measure.search(factor * scores, target, formulation)
        return None if found is None else Violation(factor * found.coefficients, found.loss, found.exact)

    def value(self, scores: Floats, target: BinaryTarget) -> float:
        return self.measure.value(scores, target)

    def unit(self, target: BinaryTarget) -> float:
        return self.measure.unit(target)
