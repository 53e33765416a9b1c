"""The loss of a labelled chain in the form that each search needs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation, Search
from maxmargin.oracles.loss_units import whole_units
from maxmargin.oracles.search import Unsupported

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.uint8]

_NAMES = {
    Search.AUGMENTED: "augmented",
    Search.BY_LOSS: "by_loss",
    Search.SECOND: "second",
    Search.PREDICTION: "prediction",
}
_MOST = 20_000  # and this many for a sequence


class ChainLoss:
    """Costs of single tokens, and the rescaling as a table by the total loss where the search goes by loss.

    Attributes
    ----------
    search : name of the native search
    costs : shape (n_labels, n_labels), or with ``rows`` a row for each kind of token
    units : the costs as whole numbers of ``unit``, or None
    rows : the row of ``costs`` of each token, where more than one label is allowed; None where it is the true label
    margin, scale : ``b`` and the factor on ``psi``, by the number of units; for the other searches of length 2
    """

    def __init__(self, costs: Floats, formulation: Formulation, longest: int, allowed: Mask | None = None) -> None:
        self.rows: npt.NDArray[np.int32] | None = None
        if allowed is not None:
            if formulation.search not in (Search.AUGMENTED, Search.BY_LOSS):
                raise Unsupported(
                    "Sequences whose labels are known in part are not trained with the zero-one loss, hard margins or "
                    "the perceptron; use loss='hamming' with slack 'linear' or 'squared'."
                )
            self.rows, costs = _cheapest(costs, allowed)
        self.costs = np.ascontiguousarray(costs, dtype=np.float64)
        self.formulation = formulation
        self.search = _NAMES[formulation.search]
        self.unit = 1.0
        self.units: npt.NDArray[np.int32] | None = None
        losses = np.arange(2.0)
        if formulation.search is Search.BY_LOSS:
            self.unit, self.units = whole_units(self.costs)
            most = int(self.units.max()) * longest
            if most > _MOST:
                raise Unsupported(
                    f"{formulation} looks at every value of the loss, and a sequence of {longest} tokens has {most:,} "
                    f"of them in steps of {self.unit:g}; use rescaling='margin' with slack='linear', or coarser costs."
                )
            losses = self.unit * np.arange(max(most, 1) + 1.0)
        self.margin = np.ascontiguousarray(formulation.margin(losses), dtype=np.float64)
        self.scale = np.ascontiguousarray(formulation.scale(losses), dtype=np.float64)


def _cheapest(costs: Floats, allowed: Mask) -> tuple[npt.NDArray[np.int32], Floats]:
    """The kind of each token, and what each label costs at tokens of each kind: the least over what they may have."""
    packed = np.ascontiguousarray(np.packbits(allowed, axis=1))
    _, first, kinds = np.unique(packed.view(f"V{packed.shape[1]}").ravel(), return_index=True, return_inverse=True)
    least = [costs[row != 0].min(axis=0) for row in allowed[first]]
    return kinds.ravel().astype(np.int32), np.array(least)
