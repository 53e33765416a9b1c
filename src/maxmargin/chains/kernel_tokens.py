"""Tokens with kernels: the rows are tokens, and what they are trained on or scored with are tokens again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.sequences.packed import Sequences
from maxmargin.chains.sparse_greedy import SparseGreedy, SupportToken, support_tokens
from maxmargin.chains.weight_parts import chain_parts
from maxmargin.core.problem import Unsupported
from maxmargin.fitting.kernels import KernelEstimator
from maxmargin.rows.kernel import as_kernel
from maxmargin.rows.kernel_factor import NEGATIVE
from maxmargin.rows.kernel_map import ReferenceRows
from maxmargin.rows.kernel_pairs import PairFeatures
from maxmargin.rows.kernel_rows import KernelRows
from maxmargin.rows.spectrum import Spectrum

Floats = npt.NDArray[np.float64]

_DENSE = 0.25  # share of cells that are not zero from which products of dense rows are faster


class KernelTokens(KernelEstimator):
    """Chain estimators whose emissions may have a kernel; transitions, ends, pairs and the constant are explicit.

    ``F(x, y) = sum_t sum_r coef[r, y_t] k(r, x_t) + ...`` over reference tokens r.
    """

    chain_: Chain
    weights_: Floats
    fit_intercept: bool
    _token_offsets: npt.NDArray[np.int64]

    @property
    def _wants_rows(self) -> bool | None:
        """Whether training over rows of the kernel matrix of tokens is wanted; None, not possible."""
        return None

    def _training_tokens(self, given: ChainInput, weight: Floats | None, partial: bool) -> ChainInput:
        """What is trained on: the tokens themselves, features of their kernel, or unit vectors, one per row of its
        matrix.

        ``partial`` says that labels are known in part: the completions that such training begins with need features.
        """
        if isinstance(self.kernel, Spectrum):
            raise Unsupported("Spectrum is a kernel of rows that are strings; tokens have features: choose another.")
        if self._is_explicit:
            self.kernel_ = None
            return given
        tokens = given.tokens
        self._token_offsets = tokens.offsets
        each = None if weight is None else np.repeat(weight, tokens.lengths)
        dense = len(tokens.indices) > _DENSE * tokens.tokens * tokens.n_features
        if isinstance(self.rank, SparseGreedy):
            return replace(given, tokens=self._sized_tokens(_rows(tokens, dense), each, tokens))
        rows, kernel = _rows(tokens, dense), as_kernel(self.kernel)
        if self.rank is None and PairFeatures.serves(kernel, rows):
            self.kernel_, pairs = PairFeatures.of(self._resolved_kernel(rows, each), rows)
            return replace(given, tokens=_sparse_tokens(pairs, tokens))
        wants_rows = None if partial else self._wants_rows
        found = None if wants_rows is None else self._kernel_rows(rows, each, wants_rows)
        if found is not None:
            units = found.cache.unit_rows(1.0 if self.fit_intercept else 0.0)
            return replace(given, tokens=_sized(found, tokens, 2 * tokens.tokens), units=units)
        return replace(given, tokens=_dense_tokens(self._training_rows(rows, each), tokens))

    def _sized_tokens(self, rows: Any, weight: Floats | None, tokens: Sequences) -> Sequences:
        """Every token with a feature of its own, whose value is the token's length in the space of the kernel; sets
        ``kernel_``, which has their products."""
        kernel = self._resolved_kernel(rows, weight)
        smallest, largest = (0.0, 1.0) if kernel.is_positive else kernel.smallest_eigenvalue(rows)
        if smallest < -NEGATIVE * largest:
            raise Unsupported(
                f"SparseGreedy needs a kernel without negative eigenvalues, and on a sample of tokens the smallest is "
                f"{smallest:.3g}, the largest {largest:.3g}; leave rank out, or give rank=LowRank(k, 'random')."
            )
        self.kernel_ = KernelRows.of(kernel, rows)
        return _sized(self.kernel_, tokens, max(1, tokens.tokens))

    def _conclude(self, w: Floats) -> None:
        """Sets ``weights_`` and, with a kernel, ``chain_`` to those of the reference tokens."""
        if self.kernel_ is None:
            self.weights_ = w
            return
        emissions = chain_parts(self.chain_, w).emissions.T[:, -self.kernel_.width :]  # without scores of the rows
        emissions = self._concluded(emissions).T
        offsets = self.__dict__.pop("_token_offsets")
        if isinstance(self.kernel_, ReferenceRows) and self.kernel_.places is not None:
            sequence = np.searchsorted(offsets, self.kernel_.places, side="right") - 1
            places = np.stack([sequence, self.kernel_.places - offsets[sequence]])
            self.kernel_ = replace(self.kernel_, places=places)
        self.chain_, self.weights_ = with_emissions(self.chain_, w, emissions)

    @property
    def support_(self) -> list[SupportToken] | None:
        """The training tokens that the scores are made of, with their coefficients, largest ones first; their places in
        the order of ``kernel_.rows`` are ``kernel_.places``. None where reference tokens are no training tokens, and
        without a kernel."""
        places = super().support_
        if places is None:
            return None
        return support_tokens(places, chain_parts(self.chain_, self.weights_).emissions, self.classes_)

    def _scored_tokens(self, given: ChainInput) -> ChainInput:
        """New tokens for ``_predictor``: as they are, or with a kernel the scores of all labels as their features."""
        if self.kernel_ is None:
            return given
        sparse = isinstance(self.kernel_, PairFeatures) or sp.issparse(getattr(self.kernel_, "rows", None))
        rows = _rows(given.tokens, not sparse)
        scores = self._scored(rows, np.ascontiguousarray(chain_parts(self.chain_, self.weights_).emissions.T))[0]
        return replace(given, tokens=_dense_tokens(scores, given.tokens))

    @property
    def _predictor(self) -> tuple[Chain, Floats]:
        """The chain and the native weights that go with tokens that were read: a label gets its own score."""
        if self.kernel_ is None:
            return self.chain_, self.weights_
        return with_emissions(self.chain_, self.weights_, np.eye(self.chain_.n_labels))


def with_emissions(chain: Chain, w: Floats, emissions: Floats) -> tuple[Chain, Floats]:
    """The chain and its native weights with other features, whose weights are ``emissions``, (features, labels)."""
    after = replace(chain, n_features=len(emissions))
    rows = np.zeros((after.rows, _core.padded(chain.n_labels)))
    rows[: len(emissions), : chain.n_labels] = emissions
    rows[len(emissions) :] = w.reshape(chain.rows, -1)[chain.n_features :]
    return after, rows.ravel()


def _rows(tokens: Sequences, dense: bool) -> Any:
    return tokens.matrix().toarray() if dense else tokens.matrix()


def _sized(kernel: KernelRows, tokens: Sequences, width: int) -> Sequences:
    """The same sequences with one feature per token, the token's length in the space of the kernel."""
    size = np.sqrt(np.maximum(kernel.cache.diagonal, 0.0))
    numbers = np.arange(tokens.tokens, dtype=np.int32)
    return Sequences(tokens.offsets, np.arange(tokens.tokens + 1), numbers, size, width)


def _sparse_tokens(features: sp.csr_array, tokens: Sequences) -> Sequences:
    """The same sequences with other features."""
    indptr, indices = features.indptr.astype(np.int64), features.indices.astype(np.int32)
    return Sequences(tokens.offsets, indptr, indices, features.data, features.shape[1])


def _dense_tokens(features: Floats, tokens: Sequences) -> Sequences:
    """The same sequences with other features, all of which have a value."""
    n, width = features.shape
    indices = np.tile(np.arange(width, dtype=np.int32), n)
    indptr = np.arange(n + 1, dtype=np.int64) * width
    return Sequences(tokens.offsets, indptr, indices, np.ascontiguousarray(features).ravel(), width)
