"""Hidden Markov models for label sequences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.chains.base import CHAIN
from maxmargin.chains.batches import BatchedChain
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.sequences.packed import SequenceError
from maxmargin.chains.weight_parts import chain_parts
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.parameters import POSITIVE, Allowed
from maxmargin.solvers.base import Solution, Status

Floats = npt.NDArray[np.float64]


@saved
@dataclass(eq=False, repr=False)
class ChainHMM(BatchedChain):
    """Hidden Markov model from smoothed counts: a baseline that is trained in one pass.

    ``P(x, y) = P(y_1) prod_t P(x_t | y_t) prod_{t>1} P(y_t | history) P(end | y_n)``, the history being the ``order``
    labels before t, or as many as there are. ``F(x, y)`` is its logarithm but for a number that depends on x alone, so
    that ``predict_marginals`` are the probabilities of labels given x. With counts n(.), K labels and d features

    * ``P(b) = (n(b first) + alpha) / (n + alpha K)`` of the first label;
    * ``P(end | a) = (n(a last) + alpha) / (n(a) + 2 alpha)``;
    * ``P(b | h) = (1 - P(end | last of h)) (n(h b) + alpha) / (n(h followed by any label) + alpha K)``;
    * ``P(x_t | a) ~ prod_j p_ja ^ x_tj`` with ``p_ja = (n(j, a) + alpha) / (sum_j n(j, a) + alpha d)``, where n(j, a)
      adds up the values of feature j at tokens labelled a. Values must not be negative.

    Parameters
    ----------
    alpha : added to every count
    order : as in ChainSVC
    ends : whether the first and the last label are modelled; without, P(y_1) is the same for all and P(end) is 0
    window, templates, min_count, hashing : as in ChainSVC
    n_jobs : threads for prediction; -1 is all cores

    Attributes
    ----------
    classes_, coef_, solution_, n_iter_, n_features_in_, chain_
    counts_ : the sum of ``Psi`` over the training sequences
    """

    eta: ClassVar[float] = 1.0  # type: ignore[misc]
    fit_intercept: ClassVar[bool] = False  # type: ignore[misc]

    _parameters: ClassVar[Mapping[str, Allowed]] = {**CHAIN, "alpha": (POSITIVE,)}

    _: KW_ONLY
    alpha: float = 1.0
    order: int = 1
    ends: bool = True
    window: int = 0
    templates: Any = None
    min_count: int = 1
    hashing: int | None = None
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any, *, lengths: Any = None, sample_weight: Any = None) -> ChainHMM:
        """Counts in sequences and the label of every token, in any form that ``ChainSVC.fit`` takes.

        ``sample_weight`` has one number for each sequence, by which its counts are multiplied.
        """
        with self._fitting():
            given, labels, weight = self._learn(X, y, lengths, sample_weight)
            codes = self._all_known(labels, given)
            _check_values(given)
            self.chain_ = self._chain(given)
            self._set_counts(self._counts(given, codes, weight), len(given))
        return self

    def partial_fit(
        self, X: Any, y: Any, *, classes: Any = None, lengths: Any = None, sample_weight: Any = None
    ) -> ChainHMM:
        """Adds the counts of a further batch of sequences: all batches together give what ``fit`` on all of them does.

        ``classes``, all labels that may come, must be given in the first call. Attributes of text that are new are
        added to the dictionary.
        """
        with self._fitting():
            if hasattr(self, "chain_") and not hasattr(self, "counts_"):
                raise ValueError("A model from a file has no counts to add to; fit it anew.")
            given, codes, weight, before = self._next_batch(X, y, classes, lengths, sample_weight)
            _check_values(given)
            counts = self._counts(given, codes, weight)
            self._set_counts(counts if before is None else counts + self._grown(self.counts_, before), len(given))
        return self

    def _counts(self, given: ChainInput, codes: npt.NDArray[np.int32], weight: Floats | None) -> Floats:
        """How often everything that has a weight occurs, in the layout of ``Chain``."""
        everyone = np.arange(len(given), dtype=np.int32)
        if not codes.size:
            return np.zeros(self.chain_.rows * self.chain_.n_labels)
        psi = self.chain_.joint_features(given, everyone, codes)
        return np.asarray(psi.T @ (np.ones(len(given)) if weight is None else weight), dtype=np.float64)

    def _set_counts(self, counts: Floats, n: int) -> None:
        """Weights from counts, to which the last batch of ``n`` sequences has added."""
        self.counts_ = counts
        self.weights_ = self.chain_.from_public(log_probabilities(self.chain_, counts, float(self.alpha)))
        self._keep(Solution(self.weights_, Status.FINISHED, None, None, 1, n))
        self.temperature_ = 1.0

    def _read(self, X: Any, lengths: Any) -> ChainInput:
        given = super()._read(X, lengths)
        _check_values(given)
        return given


def log_probabilities(chain: Chain, counts: Floats, alpha: float) -> Floats:
    """The weights of a hidden Markov model from counts, both in the layout of ``Chain`` (the sum of all ``Psi``).

    All shorter n-grams score as well, so that of k + 1 labels gets ``log P(b | k labels) - log P(b | k - 1 labels)``.
    """
    weights = np.zeros_like(counts)
    seen, log = chain_parts(chain, counts), chain_parts(chain, weights)
    log.emissions[:] = _log_shares(seen.emissions, alpha, axis=0)
    goes_on: Floats = np.zeros(chain.n_labels)
    if chain.ends:
        log.start[:] = _log_shares(seen.start, alpha, axis=0)
        followed = seen.steps[0].sum(axis=1)
        total = np.log(seen.end + followed + 2.0 * alpha)
        log.end[:] = np.log(seen.end + alpha) - total
        goes_on = np.log(followed + alpha) - total
    shorter: Floats = np.zeros((1, chain.n_labels))
    for n_grams, target in zip(seen.steps, log.steps):
        longer = _log_shares(n_grams, alpha, axis=-1)
        target[:] = longer - shorter
        shorter = longer
    log.steps[0][:] += goes_on[:, None]
    return weights


def _log_shares(counts: Floats, alpha: float, axis: int) -> Floats:
    smoothed = counts + alpha
    shares: Floats = np.log(smoothed) - np.log(smoothed.sum(axis=axis, keepdims=True))
    return shares


def _check_values(given: ChainInput) -> None:
    if given.pairs is not None:
        raise ValueError("ChainHMM has no features of pairs of labels; leave the templates of kind B with fields out.")
    values = given.tokens.values
    if values is None or not values.size or values.min() >= 0.0:
        return
    entry = int(np.flatnonzero(values < 0.0)[0])
    sequence, token = given.tokens.place_of_entry(entry)
    raise SequenceError(
        f"Sequence {sequence}, token {token}: feature {given.tokens.indices[entry]} is {values[entry]:g}; ChainHMM "
        "takes features as counts, which are not negative: shift them, or use ChainSVC or ChainCRF.",
        sequence,
        token,
    )
