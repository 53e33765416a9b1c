"""From a loss to the two numbers of a plane: the only place where the formulations differ.

With ``psi = Psi(x, y_true) - Psi(x, y)`` and ``loss = Delta(y_true, y)`` an output ``y`` other than the truth
gives the plane ``(a, b) = (scale * psi, margin)``, i.e. the bound ``slack >= margin - scale * <w, psi>``:

============ ======== ====================== ======================
rescaling    slack    margin                 scale
============ ======== ====================== ======================
margin       linear   loss                   1
slack        linear   loss                   loss
none         linear   1                      1
margin       squared  sqrt(loss)             1
slack        squared  sqrt(loss)             sqrt(loss)
none         squared  1                      1
any          hard     1                      1
============ ======== ====================== ======================

``none`` is training with the zero-one loss; a hard margin has no slack to rescale, so it reads as ``none``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

RESCALINGS = ("margin", "slack", "none")
SLACKS = ("linear", "squared", "hard")


class Search(StrEnum):
    """What a problem has to be able to find."""

    AUGMENTED = "argmax(x, w, y_true)"
    SECOND = "kbest(x, w, k)"
    BY_LOSS = "argmax_by_loss(x, w, y_true)"
    PREDICTION = "argmax(x, w)"


@dataclass(frozen=True)
class Formulation:
    """One row of the table above. ``mistakes`` is the perceptron's: margin 0, scale 1, no loss."""

    rescaling: str = "margin"
    slack: str = "linear"
    mistakes: bool = False

    def __post_init__(self) -> None:
        if self.rescaling not in RESCALINGS:
            raise ValueError(f"rescaling must be one of {', '.join(map(repr, RESCALINGS))}, not {self.rescaling!r}.")
        if self.slack not in SLACKS:
            raise ValueError(f"slack must be one of {', '.join(map(repr, SLACKS))}, not {self.slack!r}.")
        if self.slack == "hard":
            object.__setattr__(self, "rescaling", "none")

    def __str__(self) -> str:
        if self.mistakes:
            return "the perceptron"
        if self.slack == "hard":
            return "a hard margin"
        name = "the zero-one loss" if self.rescaling == "none" else f"{self.rescaling} rescaling"
        return f"{name} with {self.slack} slack"

    @property
    def search(self) -> Search:
        """The weakest search that finds the most violated plane exactly, for a loss that is not 0/1."""
        if self.mistakes:
            return Search.PREDICTION
        if self.rescaling == "none":
            return Search.SECOND
        if self.rescaling == "margin" and self.slack == "linear":
            return Search.AUGMENTED
        return Search.BY_LOSS

    def margin(self, loss: Floats | float) -> Floats:
        """``b`` of outputs other than the truth, from their losses."""
        loss = np.asarray(loss, dtype=np.float64)
        if self.mistakes:
            return np.zeros_like(loss)
        if self.rescaling == "none":
            return np.ones_like(loss)
        return np.sqrt(loss) if self.slack == "squared" else loss

    def scale(self, loss: Floats | float) -> Floats:
        """Factor on ``psi`` of outputs other than the truth, from their losses."""
        loss = np.asarray(loss, dtype=np.float64)
        if self.rescaling != "slack" or self.mistakes:
            return np.ones_like(loss)
        return np.sqrt(loss) if self.slack == "squared" else loss

    def plane_numbers(self, loss: float) -> tuple[float, float]:
        """``margin`` and ``scale`` of one output other than the truth."""
        if self.mistakes or self.rescaling == "none":
            return (0.0 if self.mistakes else 1.0), 1.0
        margin = math.sqrt(loss) if self.slack == "squared" else loss
        return margin, (margin if self.rescaling == "slack" else 1.0)

    def c_factor(self, loss_size: float) -> float:
        """What C is multiplied by so that a loss ``loss_size`` times as large gives the same predictions.

        With margin rescaling and linear slack w grows with the loss, and so must C; with squared slack w grows with its
        root, and C stays; with slack rescaling w stays, and C shrinks. The zero-one loss has no size.
        """
        if self.mistakes or self.rescaling == "none":
            return 1.0
        if self.rescaling == "slack":
            return 1.0 / loss_size
        return loss_size if self.slack == "linear" else 1.0

    def risk(self, slack: Floats) -> Floats:
        """The term of the objective that is multiplied by C: slack, or half its square; none for a hard margin."""
        if self.slack == "squared":
            return 0.5 * slack**2
        return slack if self.slack == "linear" else np.zeros_like(slack)
