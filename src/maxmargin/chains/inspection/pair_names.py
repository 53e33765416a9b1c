"""Names of the features that a polynomial kernel is written out as."""

from __future__ import annotations

from dataclasses import dataclass

from maxmargin.chains.inspection.names import ChainNames
from maxmargin.rows.kernel_pairs import PairFeatures


@dataclass(frozen=True, eq=False)
class PairNames(ChainNames):
    """``name`` of a feature, ``name^2`` of its square, and ``name & other`` of the product of two.

    Parameters
    ----------
    kernel : the features; the other parameters name those that they are made of
    """

    kernel: PairFeatures | None = None

    def feature(self, column: int) -> str:
        assert self.kernel is not None
        parts = [super(PairNames, self).feature(own) for own in self.kernel.parts(column)]
        if len(parts) == 2 and parts[0] == parts[1]:
            return f"{parts[0]}^2"
        return " & ".join(parts) or "(constant of the kernel)"
