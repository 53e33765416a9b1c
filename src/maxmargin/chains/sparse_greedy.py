"""Sparse greedy kernels of chains: what is asked for, and which tokens and labels a fit has chosen."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import is_whole, quoted
from maxmargin.fitting.models import keep_settings

Floats = npt.NDArray[np.float64]

SELECTIONS = ("random", "steepest")


@dataclass(frozen=True)
class SparseGreedy:
    """A kernel of tokens with few coefficients, for the parameter ``rank`` of ``ChainCRF``.

    The exact kernel has a coefficient for each *coordinate*, a training token and a label. Here a part of them differs
    from zero, chosen a few at a time where the objective falls most steeply (after the sparse greedy subspace
    approximation of Altun and Smola, 2007); in the end all that were chosen are optimised together. Predictions
    evaluate the kernel with the tokens chosen only.

    The slope of a coordinate is its part of the gradient in the space of the kernel, ``|res + l2/C coefficient|`` with
    ``res`` the probability of the label less 1 where it is true (times the weight of the sequence). The derivative by a
    coefficient, which sums this over all tokens by their kernel, tells less of a single one.

    Parameters
    ----------
    share : of all coordinates, at most so many are chosen, above 0 and at most 1; with 1 and no threshold it is the
        exact kernel
    step : coordinates that one sequence contributes at a time
    selection : the sequence of a step: ``'steepest'``, that of the coordinate with the largest slope, or ``'random'``
    threshold : coordinates with smaller slopes are not chosen; a token of which nothing is known has slopes of up to 1.
        None is 1e-3, and with a share of 1 all coordinates, whatever their slopes
    seed : of the random sequences
    """

    share: float = 0.25
    step: int = 10
    selection: str = "steepest"
    threshold: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not _is_real(self.share) or not 0.0 < self.share <= 1.0:
            raise ValueError(f"share of SparseGreedy must be above 0 and at most 1, not {quoted(self.share)}.")
        if not is_whole(self.step, 1):
            raise ValueError(f"step of SparseGreedy must be a whole number of at least 1, not {quoted(self.step)}.")
        if self.selection not in SELECTIONS:
            raise ValueError(f"selection of SparseGreedy must be 'random' or 'steepest', not {quoted(self.selection)}.")
        if self.threshold is not None and not (_is_real(self.threshold) and 0.0 <= self.threshold < np.inf):
            raise ValueError(
                f"threshold of SparseGreedy must be None or a number of at least 0, not {quoted(self.threshold)}."
            )
        if not is_whole(self.seed, 0):
            raise ValueError(f"seed of SparseGreedy must be a whole number of at least 0, not {quoted(self.seed)}.")

    @property
    def takes_all(self) -> bool:
        """Whether every coordinate is in the model."""
        return self.share == 1.0 and self.threshold is None


keep_settings(SparseGreedy)


@dataclass(frozen=True)
class SupportToken:
    """A training token that a score is made of: ``sequence`` and ``position`` count from 0 in the data of ``fit``,
    ``coefficients`` has those of the labels for which it was chosen."""

    sequence: int
    position: int
    coefficients: dict[Any, float]


def support_tokens(places: npt.NDArray[Any], coefficients: Floats, classes: npt.NDArray[Any]) -> list[SupportToken]:
    """From places of shape (2, m) and coefficients of shape (m, labels), the token with the largest one first."""
    labels = classes.tolist()
    order = np.argsort(-np.abs(coefficients).max(axis=1), kind="stable")
    return [
        SupportToken(
            int(places[0, r]),
            int(places[1, r]),
            {labels[y]: float(coefficients[r, y]) for y in np.flatnonzero(coefficients[r])},
        )
        for r in order
        if coefficients[r].any()
    ]


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
