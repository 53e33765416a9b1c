"""Outputs of dynamic programs as a structure that every solver can train."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.programs.loss import bound_loss
from maxmargin.programs.oracle import ProgramOracle
from maxmargin.programs.packed import PackedPrograms
from maxmargin.programs.space import check_methods, pack_programs

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ProgramStructure:
    """``F(x, y; w)`` is the sum of the scores ``<w, features>`` of the edges of ``y`` in the program of ``x``.

    ``programs`` are those of the inputs, where they are packed already.
    """

    space: Any
    programs: PackedPrograms | None = None

    def bind(
        self, X: Any, Y: Any, formulation: Formulation, *, sample_weight: Floats | None = None, threads: int = 1
    ) -> ProgramOracle:
        """The native oracle for inputs and their outputs."""
        check_methods(self.space)
        programs = pack_programs(self.space, X) if self.programs is None else self.programs
        loss = bound_loss(self.space, programs, X, Y, formulation)
        return ProgramOracle(programs, loss, sample_weight, threads)
