"""The conditional likelihood of alignments."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.alignments.packed import PackedAlignments
from maxmargin.oracles.sum_likelihood import SumLikelihood

_EXP = 100.0  # operations that a cell of a grid costs in both passes
_LEAST, _RARE = 1.5, 12.0  # of C='scale'; chosen by benchmarks/alignments/studies/crf_c.py


def alignment_likelihood(
    packed: PackedAlignments,
    targets: _core.AlignmentTargets,
    sample_weight: npt.NDArray[np.float64] | None,
    threads: int,
) -> SumLikelihood:
    """``SumLikelihood`` of the true alignments of pairs of sequences."""

    def steepness() -> float:
        some = range(0, packed.n, max(1, packed.n // 100))
        return float(max(np.square(targets.features(i)).sum() for i in some))

    cells = np.array([np.prod(packed.given.lengths(i), dtype=np.float64) for i in range(packed.n)])
    work = cells * (_EXP + 4.0 * len(packed.layout.components))
    return SumLikelihood(
        targets, packed.layout.n_weights, work, steepness, sample_weight, threads, least=_LEAST, rare=_RARE
    )
