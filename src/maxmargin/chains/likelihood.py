"""The conditional likelihood of labelled chains for the solvers of CRFs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.sequences.packed import Sequences
from maxmargin.core.input_checks import check_room
from maxmargin.oracles.base import Stopped
from maxmargin.oracles.portions import PORTION
from maxmargin.rows.class_likelihood import ClassLikelihood

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Mask = npt.NDArray[np.uint8]
Distributions = tuple[npt.NDArray[np.int32], npt.NDArray[np.float32], npt.NDArray[np.float32], Floats]
"""Sequences, and for each of them marginals (length, stride), expected steps (labels, stride) and entropy."""

_STEPS = 5e4  # weights of steps, which each portion reads anew; with more of them portions are larger
_FEW = 8  # sequences: a sample of fewer is made of pieces
_PIECE = 128  # tokens
_CHEAPER = 1.5  # times the work of tokens without transitions: from there on they are solved first


class ChainLikelihood:
    """``f(w) = sum_i s_i (log sum_y exp G(x_i, y; w) - G(x_i, y_i; w))`` over the weights that may differ from zero.

    ``G`` is ``F`` and, where there is a ``label_offset``, for every token what that has for its label, shape
    (n_labels,), or for its true label and its label, shape (n_labels, n_labels): with minus the logarithms of weights
    of labels the optimum multiplies the odds of a label by its weight, with costs labellings that cost more are pushed
    further down. With ``allowed``, a mask (n_tokens, n_labels) of what is known of the
    labels, ``log sum exp G`` over the labellings that are allowed takes the place of ``G(x_i, y_i)``; ``f`` is then
    the likelihood of what is known, and not convex. ``distributions`` of an earlier fit are where dual ascent starts.

    ``w`` and gradients have one number for each such weight, in the order of the native layout: all that there are, or
    with ``observed`` those of features and label tuples that occur together in the training data, as in CRFsuite.
    """

    steps = None
    renewal = None

    def __init__(
        self,
        chain: Chain,
        X: ChainInput,
        labels: Codes,
        sample_weight: Floats | None,
        threads: int,
        observed: bool,
        *,
        label_offset: Floats | None = None,
        allowed: Mask | None = None,
        distributions: Distributions | None = None,
    ) -> None:
        self.chain, self.sample_weight, self.threads = chain, sample_weight, threads
        self._given, self._labels, self._observed = X, labels, observed
        self.n = len(X)
        self.label_offset = label_offset
        self.allowed = allowed
        self._start = distributions
        self._engine: _core.ChainDual | None = None
        self.solve: Callable[[Floats], Floats] | None = None
        self.core = chain.core(X, labels, None if label_offset is None else label_offset.ravel())
        self.stride = _core.padded(chain.n_labels)
        check_room(chain.rows * self.stride)
        seen = np.zeros((chain.rows, self.stride), dtype=bool)
        if observed:
            ones = np.arange(self.n, dtype=np.int32)
            used = chain.joint_features(X, ones, labels).indices
            seen[np.divmod(used, chain.n_labels)] = True
        else:
            seen[:, : chain.n_labels] = True
        self._seen = seen if observed else None
        self.free: npt.NDArray[np.int64] = np.flatnonzero(seen.ravel())
        self._at_zero = self._value_at_zero(X.tokens.lengths, labels)
        cells = np.diff(X.tokens.indptr[X.tokens.offsets])
        self._work = X.tokens.lengths * float(3 * chain.n_labels**chain.order * self.stride) + 2.0 * self.stride * cells
        portion = PORTION * max(1.0, chain.n_labels**chain.order * self.stride / _STEPS) * threads
        number = (np.cumsum(self._work) // portion).astype(np.int64)
        bounds = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), self.n]
        self.parts = list(pairwise(bounds))  # sequences that are asked together

    @property
    def total_weight(self) -> float:
        return float(self.n if self.sample_weight is None else self.sample_weight.sum())

    def native(self, w: Floats) -> Floats:
        """All weights in native layout."""
        full = np.zeros(self.chain.rows * self.stride)
        full[self.free] = w
        return full

    @property
    def value_at_zero(self) -> float:
        """``f(0)``."""
        return self._at_zero

    @property
    def convex(self) -> bool:
        return self.allowed is None

    @property
    def curvature(self) -> float:
        """Not known; features are brought to a common size before training."""
        return 0.0

    @property
    def invertible(self) -> bool:
        return self.solve is not None

    def inverse_curvature(self, C: float, l2: float) -> Callable[[Floats], Floats] | None:
        """``solve``, of which somebody knows that it does this."""
        return self.solve

    def inverse_curvature_at(self, w: Floats, C: float, l2: float) -> None:
        """Second derivatives cost many passes."""

    @property
    def work(self) -> float:
        """Additions and multiplications of one pass, roughly."""
        return float(self._work.sum())

    def value(self, native: Floats, stop: Callable[[], bool] | None = None) -> float:
        return self._sum(native, None, stop)

    def gradient(self, w: Floats, stop: Callable[[], bool] | None = None) -> tuple[float, Floats]:
        value, full = self.native_gradient(self.native(w), stop)
        return value, full[self.free]

    def native_gradient(self, native: Floats, stop: Callable[[], bool] | None = None) -> tuple[float, Floats]:
        """The same at weights in native layout, which the gradient then has as well."""
        full = np.zeros(self.chain.rows * self.stride)
        value = self._sum(native, full, stop)
        return value, full

    def shorter(self) -> ChainLikelihood | ClassLikelihood | None:
        """The likelihood of the same data with transitions of order 1, or, where that is the order already, of tokens
        without transitions; None where leaving these out saves little, or cannot be done."""
        if self.chain.order == 1:
            return self._tokens
        return ChainLikelihood(
            replace(self.chain, order=1),
            self._given,
            self._labels,
            self.sample_weight,
            self.threads,
            self._observed,
            label_offset=self.label_offset,
            allowed=self.allowed,
        )

    @property
    def tokens(self) -> Sequences:
        return self._given.tokens

    @property
    def plain(self) -> bool:
        """Whether there is a weight for every feature and step of order 1, and the label of every token is known."""
        return self.has_dual and self._seen is None

    def sample(self, size: float) -> ChainLikelihood:
        """A problem of about so many tokens that is like this one: evenly spread sequences, or pieces where whole ones
        would be very few, or one of them much of the sample. Pieces have no ends."""
        tokens = self._given.tokens
        share, offsets = size / tokens.tokens, tokens.offsets
        cut = self.n * share < _FEW or float(tokens.lengths.max()) > size / _FEW
        if cut:
            places = np.arange(tokens.tokens + 1)
            inside = places[:-1] - np.repeat(offsets[:-1], tokens.lengths)
            offsets = places[np.append(inside % _PIECE == 0, True)]
        count = max(1, round((offsets.size - 1) * share))
        picked = ((np.arange(count) + 0.5) * ((offsets.size - 1) / count)).astype(np.int64)
        chosen = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in picked])
        ends = np.concatenate([[0], np.cumsum(offsets[picked + 1] - offsets[picked])])
        weight = np.full(count, tokens.tokens / chosen.size)
        if self.sample_weight is not None:
            weight *= self.sample_weight[np.searchsorted(tokens.offsets, offsets[picked], side="right") - 1]
        return ChainLikelihood(
            replace(self.chain, ends=False) if cut else self.chain,
            ChainInput(tokens.regrouped(chosen, ends)),
            self._labels[chosen],
            weight,
            self.threads,
            False,
            label_offset=self.label_offset,
        )

    @cached_property
    def _tokens(self) -> ClassLikelihood | None:
        """Each token for itself, whose classes are the labels."""
        tokens, chain = self._given.tokens, self.chain
        cheap = _CHEAPER * ClassLikelihood.work_of(tokens.tokens, len(tokens.indices), self.stride)
        if not self.plain or self.label_offset is not None or self.work < cheap:
            return None
        weight = None if self.sample_weight is None else np.repeat(self.sample_weight, tokens.lengths)
        rows = _core.Rows(tokens.values, tokens.indices, tokens.indptr, tokens.n_features, float(chain.constant), True)
        return ClassLikelihood(rows, self._labels, chain.n_labels, weight, self.threads)

    def extended(self, native: Floats) -> Floats:
        """``w`` from the native weights of ``shorter``, which are the first of the weights here."""
        full = np.zeros(self.chain.rows * self.stride)
        full[: native.size] = native
        return full[self.free]

    def portions(self, order: Codes) -> list[Codes]:
        """An order of sequences in pieces of some hundredths of a second each, so that limits can be kept."""
        number = (np.cumsum(self._work[order]) // PORTION).astype(np.int64)
        return np.split(order, np.flatnonzero(np.diff(number)) + 1)

    def _sum(self, native: Floats, gradient: Floats | None, stop: Callable[[], bool] | None) -> float:
        total = 0.0
        for first, last in self.parts:
            if stop is not None and stop():
                raise Stopped
            total += self.core.likelihood(
                native, self.sample_weight, gradient, None, self.threads, first, last, self.allowed
            )
        return max(0.0, total)  # rounding may say that something is more than certain

    def steepness(self) -> float:
        """The largest ``|Psi|^2`` of the labels of some sequences."""
        some = np.arange(0, self.n, max(1, self.n // 100), dtype=np.int32)
        lengths, offsets = self._given.tokens.lengths, self._given.tokens.offsets
        labels = np.concatenate([self._labels[offsets[i] : offsets[i] + lengths[i]] for i in some])
        psi = self.chain.joint_features(self._given, some, labels)
        return float(psi.multiply(psi).sum(axis=1).max())

    @property
    def has_dual(self) -> bool:
        """Whether ``dual`` is available."""
        return self.chain.order == 1 and self.chain.n_pair_features == 0 and self.convex

    def dual(self, C: float) -> _core.ChainDual:
        """Dual ascent on ``1/2 |w|^2 + C f(w)``, from the distributions given."""
        self._engine = _core.ChainDual(self.core, C, self.sample_weight, self._bits())
        if self._start is not None:
            self._engine.restore(*self._start)
        return self._engine

    def distributions(self) -> Distributions | None:
        """Of all sequences where dual ascent has left them; None where it did not take part."""
        if self._engine is None:
            return None
        return np.arange(self.n, dtype=np.int32), *self._engine.distributions()

    def _value_at_zero(self, lengths: npt.NDArray[np.int64], labels: Codes) -> float:
        """Where ``F`` is zero the tokens of a sequence are independent."""
        offset = np.zeros(self.chain.n_labels) if self.label_offset is None else self.label_offset
        offset = offset[labels] if offset.ndim == 2 else np.broadcast_to(offset, (labels.size, offset.size))
        if self.allowed is None:
            chosen = offset[np.arange(labels.size), labels]
        else:
            chosen = np.logaddexp.reduce(np.where(self.allowed, offset, -np.inf), axis=1)
        weight = 1.0 if self.sample_weight is None else np.repeat(self.sample_weight, lengths)
        return float((weight * (np.logaddexp.reduce(offset, axis=1) - chosen)).sum())

    def _bits(self) -> npt.NDArray[np.uint32] | None:
        if self._seen is None:
            return None
        words = -(-self.chain.n_labels // 32)
        padded = np.zeros((self.chain.rows, words * 32), dtype=bool)
        padded[:, : self.chain.n_labels] = self._seen[:, : self.chain.n_labels]
        packed = np.packbits(padded, axis=1, bitorder="little")
        return np.ascontiguousarray(packed).view("<u4").astype(np.uint32, copy=False)
