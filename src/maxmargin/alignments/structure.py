"""Alignments as a structure that every solver can train."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.alignments.loss import bound_loss
from maxmargin.alignments.oracle import AlignmentOracle
from maxmargin.alignments.packed import PackedAlignments
from maxmargin.core.formulation import Formulation

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class AlignmentStructure:
    """``F(x, y; w)`` is the score of an alignment: of its pairs and of the runs without partners that it pays for.

    Parameters
    ----------
    packed : the sequences of the training set; the true candidate is the first
    loss, shift : see ``alignments/loss.py``
    candidates_only : whether all alignments of the true candidate are right, and only other candidates are mistakes
    """

    packed: PackedAlignments
    loss: str = "q"
    shift: int = 0
    candidates_only: bool = False

    def bind(
        self,
        X: Any,
        Y: Sequence[Indices],
        formulation: Formulation,
        *,
        sample_weight: Floats | None = None,
        threads: int = 1,
    ) -> AlignmentOracle:
        """The native oracle; ``Y`` are the true alignments as index pairs, and ``X`` is packed already."""
        loss = bound_loss(self.loss, self.shift, self.packed, Y, formulation, candidates_only=self.candidates_only)
        return AlignmentOracle(self.packed, loss, sample_weight, threads)
