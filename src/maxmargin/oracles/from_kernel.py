"""A user's problem with a kernel in place of joint features behind the oracle's face."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin.core.joint_kernel import JointKernel
from maxmargin.oracles.from_problem import ProblemOracle

Floats = npt.NDArray[np.float64]


class JointKernelOracle(ProblemOracle):
    """Asks the problem with weights that are sums over pairs; planes are coordinates in the span of the pairs met."""

    problem: JointKernel

    def try_out(self) -> int:
        """Random coordinates are no weights: those of pairs that were not met yet are not known."""
        return 0

    def try_result(self, w: Floats, slack: Floats | None, seconds: float) -> int:
        return 0

    @property
    def problem_name(self) -> str:
        return self.problem.name

    def keys(self) -> None:
        """Coordinates depend on the order in which pairs were met: another fit has others."""
