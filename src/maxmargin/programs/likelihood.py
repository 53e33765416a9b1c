"""The conditional likelihood of outputs of programs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.oracles.sum_likelihood import SumLikelihood
from maxmargin.programs.packed import PackedPrograms

_EXP = 30.0  # operations that an edge costs in both passes


def program_likelihood(
    programs: PackedPrograms,
    targets: _core.ProgramTargets,
    sample_weight: npt.NDArray[np.float64] | None,
    threads: int,
) -> SumLikelihood:
    """``SumLikelihood`` of the true derivations of programs."""
    edges = np.array([topology.n_edges for topology in programs.topologies], dtype=np.float64)
    work = _EXP * edges + 4.0 * programs.cells * edges / edges.sum()
    return SumLikelihood(targets, programs.n_weights, work, targets.steepness, sample_weight, threads)
