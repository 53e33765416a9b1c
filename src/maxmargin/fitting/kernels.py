"""Kernels of estimators over rows: what is trained on, what is left of it after the fit, and scores of new rows.

An estimator calls ``_brought_together`` and ``_training_rows`` with the matrix that it has read, trains on what it
gets, and hands the weights of these features to ``_concluded``. After that ``kernel_`` has the reference rows and
``coef_`` their coefficients, and ``_scored`` gives new rows their scores. With the linear kernel all do nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.fitting.estimator import Estimator, FileParts
from maxmargin.fitting.kernel_file import kernel_parts
from maxmargin.fitting.models import keep_settings
from maxmargin.fitting.parameters import COUNT, Allowed, Kind
from maxmargin.fitting.warning import warn_caller
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.columns import Columns
from maxmargin.rows.feature_scale import FeatureScale, packed
from maxmargin.rows.kernel import NAMES, SCALED, Kernel, as_kernel
from maxmargin.rows.kernel_basis import LowRank, as_low_rank
from maxmargin.rows.kernel_factor import NEGATIVE
from maxmargin.rows.kernel_map import FourierMap, KernelMap, ReferenceRows, low_rank_map
from maxmargin.rows.kernel_pairs import PairFeatures
from maxmargin.rows.kernel_rough import rough_features
from maxmargin.rows.kernel_rows import KernelRows
from maxmargin.rows.kernel_scale import KernelScale
from maxmargin.rows.spectrum import Spectrum

Floats = npt.NDArray[np.float64]

_FACTORED = 1000  # rows up to which a factor of the kernel matrix costs less than training over its rows
_BY_ROWS = ("auto", "bcfw", "n-slack", "one-slack")  # solvers that train over rows of a kernel matrix
_UNITS = ("rbf", "laplacian", "poly", "sigmoid", "cosine")  # kernels that a column decides which is far larger
_UNLIKE = 1e3  # times a typical column
_ROUGHEST = 1e3  # C k(x, x) up to which float32 is exact enough; C='scale' has some 4
_SLIGHT = 1e-4  # of the length of weights, that coefficients left out may sum up to
_ROUGH_TOL = 1e-3  # from which on exact values may be kept in float32, which moves objectives by 6e-8 C k(x, x) of C n

keep_settings(Kernel, LowRank, Spectrum)


def _is_kernel(value: Any) -> bool:
    if isinstance(value, Spectrum):
        return _is_kernel(value.kernel)
    return value in NAMES if isinstance(value, str) else isinstance(value, Kernel) or callable(value)


KERNEL: Mapping[str, Allowed] = {
    "kernel": (
        Kind(f"the name of a kernel ({', '.join(NAMES)}), a Kernel, a Spectrum, a function k(A, B)", _is_kernel),
    ),
    "rank": (None, COUNT, Kind("a LowRank", lambda value: isinstance(value, LowRank))),
}


class KernelEstimator(Estimator):
    """An estimator over rows with the parameters ``kernel`` and ``rank``."""

    kernel: Any = "linear"
    rank: Any = None
    # None is the linear kernel
    kernel_: KernelMap | KernelRows | ReferenceRows | FourierMap | PairFeatures | None = None
    n_features_in_: int
    _brought: Columns | None = None  # what was done to columns, between the beginning and the end of a fit
    _kernel_seen: tuple[Any, Kernel] | None = None  # so long: the rows, and the kernel with the numbers they give it
    _in_fold = False  # a model trained without a fold may have few rows, and gets strings as counts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = _is_kernel(self.kernel) and as_kernel(self.kernel).kind == "precomputed"
        return tags

    def _brought_together(self, X: Any, weight: Floats | None) -> Any:
        """The rows as a kernel is to see them: with ``gamma='scale'`` columns of different sizes are brought together,
        as without a kernel; a number for gamma is in the units of the columns as they are.

        Comes before everything else that is done to training rows.
        """
        self._brought = self._kernel_seen = None
        kernel = as_kernel(self.kernel)
        if self._is_explicit or kernel.kind not in SCALED or not isinstance(kernel.gamma, str):
            return X
        scale = FeatureScale(packed(X), weight)
        found = Columns.of(scale, X.dtype)
        self._brought = None if found is None else found.within(scale.deviations, X.dtype)
        return X if self._brought is None else self._brought.apply(X)

    def _training_rows(self, X: Any, weight: Floats | None = None) -> Any:
        """What is trained on: X itself with the linear kernel, else features whose products are the kernel.

        Sets ``kernel_``. ``weight`` is how much each row counts.
        """
        if self._is_explicit:
            self.kernel_ = None
            return X
        rank = self._allowed(as_low_rank(self.rank), X.shape[0])
        rough = X.shape[0] > _FACTORED and self._allows_rough(np.ones(1), weight)
        self.kernel_, features = kernel_features(self._resolved_kernel(X, weight), rank, X, weight, rough)
        return features

    def _kernel_rows(
        self, X: Any, weight: Floats | None, margins: bool, counted: Floats | None = None
    ) -> KernelRows | None:
        """What is trained on in place of features of an exact kernel, where that is better: with ``margins``, which are
        trained over rows of the kernel matrix, and where the features would not fit into its cache.

        None, and nothing is set, where features serve; else sets ``kernel_``. ``counted`` are the weights of the rows
        in the risk, where these are not ``weight``.
        """
        kernel, n = as_kernel(self.kernel), X.shape[0]
        if self._is_explicit or self.rank is not None or not kernel.is_positive:
            return None
        solver = getattr(self, "solver", "auto")
        if getattr(solver, "name", solver) not in _BY_ROWS:
            return None
        hard = getattr(self, "slack", None) == "hard"  # needs all planes at once, which have to be features
        if 8 * n * n <= kernel.cache and (hard or not (margins and n > _FACTORED)):
            return None
        if kernel.spans_little(n, X.shape[1]):
            return None
        kernel = self._resolved_kernel(X, weight)
        given = kernel.diagonal(X), weight if counted is None else counted
        self.kernel_ = KernelRows.of(kernel, X, self._allows_rough(*given), not self._allows_rough(*given, _ROUGH_TOL))
        return self.kernel_

    def _allows_rough(self, own: Floats, weight: Floats | None, least: float = np.inf) -> bool:
        """Whether values of the kernel may be float32, with ``k(x, x)`` and the weights of the rows: not where a large
        C makes margins out of the difference of large numbers, nor where ``tol`` is a number below ``least``."""
        C, heaviest = getattr(self, "C", "scale"), 1.0 if weight is None else float(weight.max(initial=0.0))
        largest = 0.0 if isinstance(C, str) else float(C) * heaviest * float(own.max(initial=0.0))
        tol = getattr(self, "tol", np.inf)
        return (tol == "auto" or (tol is not None and least <= tol < np.inf)) and largest <= _ROUGHEST

    def _has_many_rows(self, X: Any) -> bool:
        """Whether there is a kernel and so many rows that the choice between methods is worth less than its time."""
        return not self._is_explicit and X.shape[0] > _FACTORED and as_kernel(self.kernel).is_positive

    def _resolved_kernel(self, X: Any, weight: Floats | None) -> Kernel:
        """The kernel with numbers for everything; raises for rows that it cannot have. A fit measures its rows once,
        with one ``weight``."""
        if self._kernel_seen is None or self._kernel_seen[0] is not X:
            kernel = as_kernel(self.kernel)
            check_training(kernel, X)
            self._kernel_seen = X, kernel.resolved(X, weight)
        return self._kernel_seen[1]

    @property
    def _is_explicit(self) -> bool:
        """Whether features are trained on as they are."""
        return self.rank is None and as_kernel(self.kernel).kind == "linear"

    def _allowed(self, rank: LowRank | None, n: int) -> LowRank | None:
        if rank is None or rank.basis == "fourier" or rank.k <= n:
            return rank
        if self._in_fold:
            return None
        raise ValueError(
            f"rank asks for {rank.k} basis functions, and there are {n} rows to choose them from; ask for fewer, or "
            "leave rank out for the exact kernel."
        )

    def _scale(self, rows: _core.Rows, weight: Floats | None) -> FeatureScale:
        """Of the rows that are trained on."""
        return FeatureScale(rows, weight) if self.kernel_ is None else KernelScale(rows, weight)

    @property
    def _width(self) -> int:
        """The number of columns that weights have: features of X or of a kernel, after the fit reference rows."""
        return self.n_features_in_ if self.kernel_ is None else self.kernel_.width

    def _concluded(self, weights: Floats) -> Floats:
        """The coefficients of reference rows for weights of the features trained on, both of shape (slots, width);
        sets ``kernel_`` to what predictions need."""
        if self.kernel_ is None:
            return weights
        assert not isinstance(self.kernel_, ReferenceRows)
        weights = np.ascontiguousarray(weights)
        found: ReferenceRows | FourierMap | PairFeatures
        if isinstance(self.kernel_, KernelMap):
            tol = getattr(self, "tol", 0.0)
            found, coef = self.kernel_.concluded(weights, _SLIGHT if tol == "auto" else min(_SLIGHT, 0.01 * tol))
        else:
            found, coef = self.kernel_.concluded(weights)
        self.kernel_ = found if isinstance(found, PairFeatures) else replace(found, brought=self._brought)
        for name in ("_brought", "_kernel_seen"):
            self.__dict__.pop(name, None)
        return coef

    @property
    def support_(self) -> Any:
        """The numbers of the reference rows in the ``X`` of ``fit``, in the order of ``kernel_.rows`` and of the
        columns of ``coef_``, shape (reference rows,); None where they are no training rows, and without a kernel."""
        return getattr(self.kernel_, "places", None)

    def _going_on(self, before: ReferenceRows | FourierMap | PairFeatures | None, coef: Floats) -> Floats | None:
        """The coefficients of an earlier fit as weights of the features that are trained on now, shape (slots, width);
        None where that had another kernel or other columns."""
        if self.kernel_ is None:
            return coef if before is None and coef.shape[1] == self.n_features_in_ else None
        assert not isinstance(self.kernel_, ReferenceRows)
        if before is None or before.columns != self.kernel_.columns:
            return None
        if not isinstance(before, PairFeatures) and not Columns.same(before.brought, self._brought):
            return None
        return self.kernel_.weights(before, coef)

    def _scored(self, X: Any, coef: Floats) -> tuple[Any, Floats]:
        """New rows and the weights that go with them: X and ``coef``, or with a kernel the scores of all slots and an
        identity, shapes (n, slots) and (slots, slots)."""
        if self.kernel_ is None:
            return X, coef
        assert not isinstance(self.kernel_, KernelMap | KernelRows)
        return self.kernel_.scores(X, coef), np.eye(coef.shape[0])

    def _saved_parts(self) -> FileParts:
        parts = kernel_parts(super()._saved_parts(), self.kernel_, self.kernel)
        known = getattr(self, "substrings_", None) if isinstance(self.kernel, Spectrum) else None
        return parts if known is None else replace(parts, arrays={**parts.arrays, "substrings": known})


def kernel_features(
    kernel: Kernel, rank: LowRank | None, X: Any, weight: Floats | None, rough: bool = False
) -> tuple[KernelMap | FourierMap, Any]:
    """The map that a kernel and a rank ask for, and the features of the training rows, shape (n, width). ``kernel`` has
    numbers for everything, and was checked; ``rough`` allows float32 for the features of a rank.

    Where the kernel may be indefinite its eigenvalues are looked at on a sample of the rows; negative ones are left
    out, with a warning.
    """
    if kernel.kind != "function":  # which costs more, and of which every value is looked at anyway
        kernel.diagonal(X)
    positive = _check_positive(kernel, X)
    found: KernelMap | FourierMap
    features: Any
    if rank is None:
        found, features = KernelMap.exact(kernel, X, positive)
    else:
        kept = None if weight is None or kernel.kind == "precomputed" else np.flatnonzero(weight > 0.0)
        used = X if kept is None else X[kept]
        rank = rank if rank.basis == "fourier" else replace(rank, k=min(rank.k, used.shape[0]))
        found = low_rank_map(kernel, used, rank, positive)
        quick = rough_features(found, X) if rough and isinstance(found, KernelMap) else None
        features = found.features(X) if quick is None else quick
        if kept is not None and isinstance(found, KernelMap) and found.places is not None:
            found = replace(found, places=kept[found.places])
    if isinstance(found, KernelMap) and found.negative is not None:
        _warn_indefinite("", *found.negative)
    return found, features


def check_training(kernel: Kernel, X: Any) -> None:
    """Raises for training rows that the kernel cannot have, and for the first value that is not finite; warns where one
    column outweighs the others."""
    if kernel.kind == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"kernel='precomputed' needs the values of the kernel between all training rows, a square matrix; X has "
            f"shape {X.shape}."
        )
    rows = packed(X)
    if kernel.kind == "precomputed":
        kernel.check_symmetric(X)
    if kernel.kind not in _UNITS:
        return
    sizes = FeatureScale(rows, None).sizes
    largest, typical = float(sizes.max(initial=0.0)), float(np.median(sizes[sizes > 0.0])) if sizes.any() else 0.0
    if largest > _UNLIKE * typical:
        warn_caller(
            f"Column {int(sizes.argmax())} of X is {largest / typical:.1g} times as large as a typical one, so the "
            "kernel hardly sees the others; bring the columns to one scale, for instance with StandardScaler.",
            UserWarning,
        )


def _check_positive(kernel: Kernel, X: Any) -> bool:
    """Whether the kernel has no negative eigenvalue, as far as a sample tells; warns where it has."""
    if kernel.is_positive:
        return True
    smallest, largest = kernel.smallest_eigenvalue(X)
    if largest <= -NEGATIVE * smallest:
        raise Unsupported(
            f"The kernel has no positive eigenvalue on a sample of the rows, the smallest is {smallest:.3g}; nothing "
            "can be learned with it: choose another."
        )
    if smallest >= -NEGATIVE * largest:
        return True
    _warn_indefinite("on a sample of the rows ", smallest, largest)
    return False


def _warn_indefinite(where: str, smallest: float, largest: float) -> None:
    warn_caller(
        f"The kernel is indefinite: {where}its smallest eigenvalue is {smallest:.3g}, the largest {largest:.3g}. "
        "The part of the negative eigenvalues is left out; another kernel, or other numbers for this one, may serve "
        "better.",
        UserWarning,
    )
