"""Planes: all that a solver ever learns about a problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Planes:
    """Lower bounds of slacks, ``slack[example[k]](w) >= b[k] - <a[k], w>`` for every ``w``.

    Parameters
    ----------
    a : array or CSR array of shape (m, d)
    b : array of shape (m,), in units of the loss (of its square root for squared slack)
    example : integer array of shape (m,)
    exact : whether each plane was the highest of its example where it was found
    """

    a: Any
    b: Floats
    example: npt.NDArray[np.int32]
    exact: bool = True

    @classmethod
    def stacked(cls, parts: Sequence[Planes]) -> Planes:
        """The planes of at least one part, one after the other."""
        sparse = any(sp.issparse(part.a) for part in parts)
        a = sp.vstack([part.a for part in parts], format="csr") if sparse else np.vstack([part.a for part in parts])
        b, example = (np.concatenate([getattr(part, name) for part in parts]) for name in ("b", "example"))
        return cls(a, b, example, all(part.exact for part in parts))

    def __len__(self) -> int:
        return int(self.b.size)

    def take(self, positions: npt.NDArray[Any]) -> Planes:
        """Some of the planes."""
        return Planes(self.a[positions], self.b[positions], self.example[positions], self.exact)

    def value(self, w: Floats) -> Floats:
        """``b - <a, w>``, shape (m,)."""
        return np.asarray(self.b - self.a @ w)

    def gram(self, other: Planes | None = None) -> Floats:
        """``<a_k, a_l>``, shape (m, m of other)."""
        product = self.a @ (self if other is None else other).a.T
        return np.asarray(product.toarray() if hasattr(product, "toarray") else product)

    def combine(self, alpha: Floats) -> Floats:
        """``sum_k alpha_k a_k``, shape (d,)."""
        return np.asarray(self.a.T @ alpha).ravel()
