"""The only seam between Python and native: a problem and its data become an oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.core.input_checks import check_room
from maxmargin.core.joint_kernel import JointKernel, has_kernel_only
from maxmargin.core.problem import as_examples, check_methods, has_power
from maxmargin.oracles.base import Oracle
from maxmargin.oracles.from_kernel import JointKernelOracle
from maxmargin.oracles.from_problem import ProblemOracle
from maxmargin.oracles.processes import SharedOracle

Floats = npt.NDArray[np.float64]


def bind(
    problem: Any,
    X: Any,
    Y: Any,
    formulation: Formulation,
    *,
    sample_weight: Floats | None = None,
    approximate: bool = False,
    n_jobs: int = 1,
) -> Oracle:
    """Validates and packs once. A structure of the library brings its native oracle; anything else is asked in Python,
    in ``n_jobs`` processes where the solver asks for many examples at one ``w``; one with a kernel in place of joint
    features in this one."""
    if has_power(problem, "bind") and not isinstance(problem, type):
        bound: Oracle = problem.bind(X, Y, formulation, sample_weight=sample_weight, threads=n_jobs)
        check_room(bound.dimension)
        return bound
    check_methods(problem)
    X, Y = as_examples(X, Y)
    if has_kernel_only(problem):
        X = list(X)  # rows of an array are other objects each time
        problem = JointKernel.of(problem, X)
    if isinstance(problem, JointKernel):
        return JointKernelOracle(problem, X, Y, formulation, sample_weight, approximate)
    if n_jobs > 1:
        return SharedOracle(problem, X, Y, formulation, sample_weight, approximate, n_jobs)
    return ProblemOracle(problem, X, Y, formulation, sample_weight, approximate)


def check_sample_weight(sample_weight: Any, n: int) -> Floats | None:
    """The weights as floats, or None for ones."""
    if sample_weight is None:
        return None
    try:
        weight = np.ascontiguousarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError("sample_weight must hold one number for each example.") from error
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape}; one number for each of the {n} examples is needed.")
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0.0)))
    if bad.size:
        raise ValueError(
            f"sample_weight of example {bad[0]} is {weight[bad[0]]}; weights must be finite and at least 0."
        )
    if not weight.sum() > 0.0:
        raise ValueError("All sample weights are zero; at least one must be positive.")
    return weight
