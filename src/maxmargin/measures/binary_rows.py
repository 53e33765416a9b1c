"""Binary classification of rows: the loss is 1 for a wrong sign, so a row is an example of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.measures.binary_rows_oracle import SignedOracle

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BinaryRows:
    """``Psi(x, y) = y x / 2`` with ``y = +-1``: ``slack_i = max(0, 1 - y_i <w, x_i>)``, the hinge loss."""

    def bind(
        self,
        X: _core.Rows,
        Y: npt.NDArray[np.bool_],
        formulation: Formulation,
        *,
        sample_weight: Floats | None = None,
        threads: int = 1,
    ) -> SignedOracle:
        """The native oracle for packed rows; ``Y`` is true for positive rows."""
        if len(Y) != X.n:
            raise ValueError(f"X has {X.n} rows and Y has {len(Y)}; they must match.")
        return SignedOracle(X, np.asarray(Y, dtype=bool), formulation, sample_weight, threads)
