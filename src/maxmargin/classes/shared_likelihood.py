"""The conditional likelihood of classes that share output features, for L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.special import softmax

from maxmargin import _core
from maxmargin.classes.output_maps import ClassFeatures
from maxmargin.core.input_checks import check_room
from maxmargin.rows.class_likelihood import ClassLikelihood

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
_Axes = tuple[Floats, Floats, Floats, Floats]

_DENSE_CELLS = 2**16  # up to which a matrix of output features is multiplied as a dense one
_RENEWAL = 12  # iterations, few enough that hardly any problem that ends with them pays for a renewal
_EIGENVALUES = 10.0  # times a factorisation: what the eigenvectors of a matrix take


class SharedLikelihood:
    """``f`` of ``ClassLikelihood`` at class weights ``w_k = sum_z Lambda[k, z] v_z``, as a function of ``v``.

    ``v`` has, for each column of the rows, the constant feature last, one number per node; in native layout there are
    some zeros more in each row. ``like`` is a problem with the same rows and features and other weights of the
    examples, whose eigenvectors serve here, too. ``renewal`` may be changed: a rough fit ends soon after 12 iterations.
    """

    convex = True
    has_dual = False
    steps = None

    def __init__(
        self,
        rows: _core.Rows,
        labels: Codes,
        features: ClassFeatures,
        sample_weight: Floats | None,
        threads: int,
        like: SharedLikelihood | None = None,
    ) -> None:
        self._like, self.renewal = like, _RENEWAL
        self.flat = ClassLikelihood(rows, labels, features.n_classes, sample_weight, threads)
        self.n, self.columns, self.nodes = rows.n, rows.columns, features.n_nodes
        self.start: Floats | None = None
        self._rows = rows
        matrix = features.matrix
        self._map: Any = matrix.toarray() if np.prod(matrix.shape) <= _DENSE_CELLS else matrix
        self._stride = _core.padded(self.nodes)
        check_room(self.columns * self._stride)
        used = np.zeros((self.columns, self._stride), dtype=bool)
        used[:, : self.nodes] = True
        self.free: npt.NDArray[np.int64] = np.flatnonzero(used.ravel())

    @property
    def total_weight(self) -> float:
        return self.flat.total_weight

    @property
    def value_at_zero(self) -> float:
        return self.flat.value_at_zero

    @property
    def work(self) -> float:
        return self.flat.work

    @property
    def curvature(self) -> float:
        """A typical second derivative of ``f``."""
        return self.flat.curvature * float((self._map**2).sum()) / self.flat.n_classes

    @property
    def invertible(self) -> bool:
        """Whether the products of columns have eigenvectors that are worth their price."""
        return self.flat.factored_at(_EIGENVALUES)

    def inverse_curvature(self, C: float, l2: float) -> Callable[[Floats], Floats] | None:
        """Solves with ``l2 + C / k * (sum_i s_i x_i x_i') (x) (Lambda' (1 - 11'/k) Lambda)``: the second derivatives at
        zero, by the eigenvectors of the two matrices."""
        if not self.invertible:
            return None
        source = self if self._like is None else self._like
        share = C / self.flat.n_classes * self.total_weight / source.total_weight
        return self._inverse(source._axes, share, l2)

    def inverse_curvature_at(self, w: Floats, C: float, l2: float) -> Callable[[Floats], Floats] | None:
        """The same with rows weighted by ``1 - sum_k p_ik^2``, as their probabilities at ``w`` can change, and the mean
        of ``diag(p_i) - p_i p_i'`` in place of that of equal probabilities."""
        if not self.invertible:
            return None
        classes, weight = self.flat.n_classes, self.flat.sample_weight
        probability = softmax(
            self._rows.scores(self._of_classes(w), classes, self.flat.threads).reshape(-1, classes), axis=1
        )
        weighted = probability if weight is None else probability * weight[:, None]
        between = np.diag(weighted.sum(axis=0)) - probability.T @ weighted
        bend = weighted.sum(axis=1) - np.einsum("ik,ik->i", weighted, probability)
        total = float(bend.sum())
        if not total > 0.0:
            return None
        full = self._full_map
        return self._inverse(self._axes_of(bend, full.T @ (between / total) @ full), C, l2)

    def _inverse(self, axes: _Axes, share: float, l2: float) -> Callable[[Floats], Floats]:
        of_columns, left, of_nodes, right = axes
        shape, divisor = (self.columns, self.nodes), l2 + share * of_columns[:, None] * of_nodes
        return lambda v: (left @ ((left.T @ v.reshape(shape) @ right) / divisor) @ right.T).ravel()

    @cached_property
    def _axes(self) -> _Axes:
        centred = self._full_map - self._full_map.mean(axis=0)
        return self._axes_of(self.flat.sample_weight, centred.T @ centred)

    def _axes_of(self, weight: Floats | None, of_nodes: Floats) -> _Axes:
        """Eigenvalues and eigenvectors of the weighted products of columns, and of a matrix for the nodes."""
        products = self._rows.column_products(weight).reshape(self.columns, -1)
        of_columns, left = eigh(products, lower=True, check_finite=False)
        lengths, right = eigh(of_nodes, check_finite=False)
        return np.maximum(of_columns, 0.0), left, np.maximum(lengths, 0.0), right

    @property
    def _full_map(self) -> Floats:
        return self._map if isinstance(self._map, np.ndarray) else np.asarray(self._map.toarray())

    def native(self, w: Floats) -> Floats:
        if w.size == self.columns * self._stride:
            return w
        full = np.zeros(self.columns * self._stride)
        full[self.free] = w
        return full

    def value(self, native: Floats, stop: Callable[[], bool] | None = None) -> float:
        return self.flat.value(self._of_classes(native[self.free]), stop)

    def gradient(self, w: Floats, stop: Callable[[], bool] | None = None) -> tuple[float, Floats]:
        v = w[self.free] if w.size != self.free.size else w
        value, slope = self.flat.gradient(self._of_classes(v), stop)
        of_nodes = np.asarray(slope.reshape(self.columns, -1)[:, : self.flat.n_classes] @ self._map)
        return value, of_nodes.ravel() if v is w else self.native(of_nodes.ravel())

    def _of_classes(self, v: Floats) -> Floats:
        """The native weights of the classes."""
        found = np.zeros((self.columns, self.flat.stride))
        found[:, : self.flat.n_classes] = v.reshape(self.columns, -1) @ self._map.T
        return found.ravel()

    def dual(self, C: float) -> None:
        """Classes that share features have no dual ascent of the likelihood."""

    def shorter(self) -> None:
        """Classes have no transitions that could be left out."""

    def extended(self, native: Floats) -> Floats:
        return native

    def portions(self, order: Codes) -> list[Codes]:
        return self.flat.portions(order)
