"""Expected costs of edges, from the probabilities that they are in the true output."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.problem import asked, has_power
from maxmargin.oracles.search import Unsupported
from maxmargin.programs.inputs import ProgramInputs
from maxmargin.programs.space import cost_unit
from maxmargin.programs.targets import has_counts

Floats = npt.NDArray[np.float64]


def edge_risks(space: Any, given: ProgramInputs, marginals: Floats) -> Floats:
    """What each edge of each program costs on average, one program after the other.

    Without costs of its own that is ``cost_unit * (1 - p)`` for an edge with features that is true with probability p.
    """
    name = type(space).__name__
    if has_power(space, "risks"):
        found = []
        for i, (x, own) in enumerate(zip(given.X, given.split(marginals))):
            risk = np.asarray(asked(space, "risks", i, x, own), dtype=np.float64)
            if risk.shape != own.shape or not np.isfinite(risk).all():
                fault = f"has shape {risk.shape}" if risk.shape != own.shape else "contains NaN or infinity"
                raise ValueError(
                    f"{name}.risks of example {i} must give a finite number for each of the {own.size} edges; it "
                    f"{fault}."
                )
            found.append(risk)
        return np.concatenate([np.zeros(0), *found])
    if has_counts(space) or has_power(space, "costs"):
        raise Unsupported(
            f"{name} has costs of its own, whose expectation is not known: add the method risks(x, marginals), the "
            "expected cost of each edge."
        )
    return cost_unit(space) * given.programs.core.featured() * (1.0 - marginals)
