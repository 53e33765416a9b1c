"""Whether classes overlap in the space of a kernel, as far as a sample of the rows tells."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.classes.likelihood_fit import maximise_likelihood
from maxmargin.rows.class_likelihood import ClassLikelihood
from maxmargin.rows.feature_scale import packed
from maxmargin.rows.kernel import Kernel
from maxmargin.rows.kernel_factor import factored
from maxmargin.rows.kernel_scale import KernelScale
from maxmargin.solvers.base import Run

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

_SAMPLE = 1000  # rows
_OVERLAP = 0.1  # mistakes on the sample that was trained on, as a share of those of guessing


def classes_overlap(kernel: Kernel, X: Any, labels: Codes, weight: Floats | None, classes: int) -> bool:
    """Whether a likelihood with the default C errs on more than a tenth of the rows of a sample that guessing the
    largest class would err on, though it was trained on them.

    ``kernel`` has numbers for everything.
    """
    n = labels.size
    allowed = np.arange(n) if weight is None else np.flatnonzero(weight > 0.0)
    some = np.sort(np.random.default_rng(0).permutation(allowed)[:_SAMPLE])
    features, _ = factored(kernel.block(X[some], kernel.reference(X, some)).copy())
    own, share = np.ascontiguousarray(labels[some]), np.ones(some.size) if weight is None else weight[some]
    guess = float(share.sum() - np.bincount(own, share).max())
    rows = packed(features)
    scale = KernelScale(rows, share)
    rows.set_bias(scale.constant)
    problem = ClassLikelihood(rows, own, classes, share, 1)
    found = maximise_likelihood(problem, scale.regularisation, "auto", "auto", Run(rough=True))
    answers = rows.scores(found.w, classes, 1).reshape(-1, classes).argmax(axis=1)
    return float(share @ (answers != own)) > _OVERLAP * guess
