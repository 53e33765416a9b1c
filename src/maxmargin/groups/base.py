"""What a measure of a whole group of rows has to know, in score space.

A training example is a group of ``n`` rows. Its joint feature is a linear combination of the rows, so that with the
scores ``s = X w`` of the rows an output is known by one coefficient per row and its loss:

    ``psi = Psi(truth) - Psi(output) = sum_i c_i x_i``,    ``<w, psi> = sum_i c_i s_i``.

A measure never sees a feature: it gets scores and gives coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Violation:
    """An output other than the truth: ``coefficients`` of the rows in ``psi``, shape (n,), and its ``loss``.

    ``exact`` is false where a better output of the formulation may have been missed.
    """

    coefficients: Floats
    loss: float
    exact: bool = True

    def value(self, scores: Floats, formulation: Formulation) -> float:
        """``margin - scale * <w, psi>``, the slack that this output asks for."""
        psi = float(self.coefficients @ scores)
        return float(formulation.margin(self.loss)) - float(formulation.scale(self.loss)) * psi


class Measure(Protocol):
    """A measure of a labelling or a ranking of the rows of one group; the loss is in [0, 1], 0 at the truth."""

    @property
    def name(self) -> str:
        """What ``measure=`` accepts."""
        ...

    @property
    def ranking(self) -> bool:
        """Whether only the order of the scores matters, not their sign."""
        ...

    def refusal(self, formulation: Formulation) -> str | None:
        """Why the most violated output cannot be found exactly in a formulation, in a sentence; None where it can."""
        ...

    def prepare(self, truth: npt.NDArray[Any], where: str) -> Any:
        """Whatever ``search`` and ``value`` need of the truth of one group, made once; ``where`` names the group in a
        complaint, e.g. ``'the sample'`` or ``'group 3'``."""
        ...

    def search(self, scores: Floats, target: Any, formulation: Formulation) -> Violation | None:
        """The output with the largest ``margin - scale * <w, psi>`` among those that are not the truth.

        None stands for "nothing is violated". With ``Formulation(mistakes=True)`` it is the output of the highest score
        if that has a loss, ties counting as mistakes.
        """
        ...

    def value(self, scores: Floats, target: Any) -> float:
        """The measure of what the scores predict; larger is better."""
        ...


class BinaryMeasure(Measure, Protocol):
    """A measure of rows that are positive or negative."""

    def unit(self, target: Any) -> float:
        """About ``n`` times the loss of the least mistake, which is the margin that it asks of a score: the factor by
        which the weights, and a C that suits them, are larger than for the error rate."""
        ...


def check_lengths(scores: Floats, n: int) -> None:
    """Raises for scores of the wrong length."""
    if scores.shape != (n,):
        raise ValueError(f"There are {n} rows and scores of shape {scores.shape}; one score per row is needed.")
