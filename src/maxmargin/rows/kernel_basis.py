"""Which rows a kernel is approximated with: a basis of k rows out of many."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg import solve_triangular
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from maxmargin.core.input_checks import is_whole, quoted
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.kernel import Kernel
from maxmargin.rows.kernel_factor import NEGATIVE, NOTHING, RESIDUAL, pivoted_factor

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

BASES = ("auto", "cholesky", "random", "k-means", "greedy", "fourier")
_BLOCK = 64  # rows that join a basis at once
_PICKED, _LOOKED_AT = 16, 64  # rows that the greedy choice takes, and those that it takes them from
_ENOUGH = 0.25  # of the largest residual, with which a row may join
_ROWS = 8  # times k: rows that the basis is chosen from
_FEWEST = 2000
_PASSES = 20  # of k-means
_FEW = 2000  # rows among which a choice is worth its time


@dataclass(frozen=True)
class LowRank:
    """A kernel with ``k`` basis functions, for the parameter ``rank`` of estimators.

    Parameters
    ----------
    k : number of basis functions, at most that of the rows
    basis : ``'cholesky'``, the rows that those chosen before explain least; ``'random'`` rows; ``'auto'``, the first up
        to 2,000 rows, the second beyond and for indefinite kernels; ``'k-means'``, the centres of k clusters;
        ``'greedy'``, of some random rows always those that explain most of all rows; or ``'fourier'``, for ``'rbf'``
        and ``'laplacian'``: k cosines and sines of random frequencies in place of rows
    seed : of what is random
    """

    k: int
    basis: str = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        if not is_whole(self.k, 1):
            raise ValueError(f"k of LowRank must be a whole number of at least 1, not {quoted(self.k)}.")
        if self.basis not in BASES:
            raise ValueError(f"basis of LowRank must be one of {', '.join(BASES)}, not {quoted(self.basis)}.")
        if not is_whole(self.seed, 0):
            raise ValueError(f"seed of LowRank must be a whole number of at least 0, not {quoted(self.seed)}.")


def as_low_rank(given: Any) -> LowRank | None:
    """The parameter ``rank``: None, a number of basis functions, or a ``LowRank``."""
    return given if given is None or isinstance(given, LowRank) else LowRank(given)


def basis_rows(kernel: Kernel, X: Any, rank: LowRank, positive: bool = True) -> tuple[Any, Any, Places | None]:
    """The basis as rows for the first argument of ``kernel.block``, as its second argument, and by the numbers of the
    rows in X, None where they are no rows of X.

    They are chosen out of at most 8 k rows, or 2000, evenly spread over X; fewer than k where they span all of them.
    ``positive`` says that no negative eigenvalue of the kernel is known of.
    """
    if rank.basis == "k-means":
        if kernel.kind == "precomputed":
            raise ValueError("basis='k-means' needs the features of rows, and the kernel is precomputed; use another.")
        centres = _centres(X, rank)
        return centres, centres, None
    n = X.shape[0]
    basis = rank.basis if rank.basis != "auto" else "cholesky" if n <= _FEW else "random"
    rng = np.random.default_rng(rank.seed)
    chosen = None
    if basis != "random" and positive:
        some = np.unique(np.linspace(0, n - 1, min(n, max(_FEWEST, _ROWS * rank.k))).astype(np.intp))
        among = X if some.size == n else X[some]
        among = among[:, some] if kernel.kind == "precomputed" else among
        chosen = _explaining(kernel, among, rank.k, _by_residual if basis == "cholesky" else _greedy(rng))
        chosen = None if chosen is None else some[chosen]
    if chosen is None and basis == rank.basis and basis != "random":
        raise Unsupported(
            f"basis={basis!r} chooses rows by what is left of them, which needs a kernel without negative eigenvalues, "
            f"and this one is indefinite; use LowRank({rank.k}, 'random'), or leave rank out."
        )
    places = np.sort(rng.choice(n, rank.k, replace=False)) if chosen is None else chosen
    return X[places], kernel.reference(X, places), places


def _explaining(kernel: Kernel, X: Any, k: int, chooser: Chooser) -> Places | None:
    """The rows that explain most; None where they explain more than there is, so that the kernel is indefinite."""
    own = kernel.diagonal(X)
    if own.max(initial=0.0) <= 0.0:
        if kernel.is_positive:
            raise ValueError(NOTHING)
        return None
    places, factor = partial_cholesky(kernel, X, k, chooser)
    left = own - np.einsum("ij,ij->i", factor, factor)
    return None if left.min() < -NEGATIVE * float(own.max()) else places


Chooser = Callable[[Kernel, Any, Floats, Floats, int, float], tuple[Places, Floats]]


def partial_cholesky(
    kernel: Kernel, X: Any, k: int, chooser: Chooser | None = None, least: float | None = None
) -> tuple[Places, Floats]:
    """Up to ``k`` rows and the factor ``F`` of shape (n, rows), by blocks, with ``F F'`` close to the kernel of all.

    Ends earlier where no row has more than ``least`` left; without it that is 1e-12 of the largest ``k(x, x)``.
    """
    residual = kernel.diagonal(X)
    least = RESIDUAL * float(residual.max()) if least is None else least
    chooser = _by_residual if chooser is None else chooser
    factor, chosen = np.zeros((X.shape[0], k)), np.zeros(0, dtype=np.intp)
    while chosen.size < k and residual.max() > least:
        done = chosen.size
        places, columns = chooser(kernel, X, factor[:, :done], residual, k - done, least)
        factor[:, done : done + places.size] = columns
        residual -= np.einsum("ij,ij->i", columns, columns)
        residual[places] = 0.0
        chosen = np.concatenate([chosen, places])
    return chosen, factor[:, : chosen.size]


def _by_residual(
    kernel: Kernel, X: Any, factor: Floats, residual: Floats, room: int, least: float
) -> tuple[Places, Floats]:
    """The rows with most left, as long as the others of the block leave them a quarter of the largest residual."""
    size = min(_BLOCK, room, residual.size)
    candidates = np.argsort(-residual, kind="stable")[:size]
    columns = _left(kernel, X, factor, candidates)
    enough = max(least, _ENOUGH * float(residual.max()))
    lower, order = pivoted_factor(columns[candidates].copy(), enough)
    rank = max(1, lower.shape[1])
    if not lower.shape[1]:  # rounding in the residual
        lower = np.sqrt(np.maximum(columns[candidates[:1], :1], least))
        order = np.zeros(1, dtype=np.intp)
    taken = order[:rank]
    return candidates[taken], solve_triangular(lower[:rank], columns[:, taken].T, lower=True).T


def _greedy(rng: np.random.Generator) -> Chooser:
    """Of 64 random rows those 16 that explain most, one after the other: ``|c|^2 / c_p`` of the column c of row p."""

    def chooser(
        kernel: Kernel, X: Any, factor: Floats, residual: Floats, room: int, least: float
    ) -> tuple[Places, Floats]:
        left = np.flatnonzero(residual > least)
        candidates = rng.choice(left, min(_LOOKED_AT, left.size), replace=False)
        columns = _left(kernel, X, factor, candidates)
        taken: list[int] = []
        found: list[Floats] = []
        for _ in range(min(_PICKED, room, candidates.size)):
            own = columns[candidates, np.arange(candidates.size)]
            own[taken] = 0.0
            gain = np.einsum("ij,ij->j", columns, columns) / np.maximum(own, least)
            gain[own <= least] = -np.inf
            best = int(gain.argmax())
            if gain[best] == -np.inf:
                break
            column = columns[:, best] / np.sqrt(own[best])
            columns -= np.outer(column, column[candidates])
            taken.append(best)
            found.append(column)
        if not taken:  # rounding in the residual
            taken, found = [0], [columns[:, 0] / np.sqrt(max(columns[candidates[0], 0], least))]
        return candidates[taken], np.stack(found, axis=1)

    return chooser


def _left(kernel: Kernel, X: Any, factor: Floats, places: Places) -> Floats:
    """The columns of some rows in the matrix of kernel values, less what the factor explains."""
    columns = kernel.block(X, kernel.reference(X, places))
    if factor.shape[1]:
        columns -= factor @ factor[places].T
    return columns


def _centres(X: Any, rank: LowRank) -> Any:
    """The centres of k clusters of up to 8 k rows."""
    n = X.shape[0]
    some = np.unique(np.linspace(0, n - 1, min(n, max(_FEWEST, _ROWS * rank.k))).astype(np.intp))
    part = X[some].astype(np.float64)
    clusters = KMeans(min(rank.k, some.size), n_init=1, max_iter=_PASSES, tol=0.0, random_state=rank.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # rows that are there twice make fewer clusters
        clusters.fit(part)
    centres = np.unique(clusters.cluster_centers_, axis=0)
    return sp.csr_array(centres) if sp.issparse(X) else centres
