"""The defaults of chain estimators that follow the data: C, and how exactly training solves its problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maxmargin.chains.sequences.packed import Sequences

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

_LOOSE_GAP, _LOOSE_TOL = 0.35, 6e-3  # of margins and of likelihood, where tokens are many
_MANY = 150_000  # tokens
_LARGE = 5e8  # operations of a pass, of which a share asks for no less than that share of the loose tolerances
_LEAST, _EXPENSIVE = 0.02, 0.3  # shares of the loose tolerances: the least, and what large passes are content with


@dataclass(frozen=True)
class TokenScale:
    """How many tokens and features there are, and how long the features of a token; weights of sequences repeat them.

    Parameters
    ----------
    tokens : number of tokens
    features, labels : numbers of features and of labels that occur
    square : mean squared length of a token's features
    informative : number of tokens that do not have the most frequent label
    work : multiplications and additions of a pass, roughly
    """

    tokens: float
    features: int
    labels: int
    square: float
    informative: float
    work: float

    @classmethod
    def of(cls, X: Sequences, labels: Codes, sample_weight: Floats | None, constant: float) -> TokenScale:
        """``constant`` is that of the intercept, or 0."""
        cells = np.diff(X.indptr[X.offsets])
        if X.values is None:
            squares = cells.astype(np.float64)
        else:
            total = np.concatenate([[0.0], np.cumsum(np.square(X.values, dtype=np.float64))])
            squares = np.diff(total[X.indptr[X.offsets]])
        weight = np.ones(len(X)) if sample_weight is None else sample_weight
        tokens = float(weight @ X.lengths)
        used = X.indices if weight.all() else X.indices[np.repeat(weight > 0.0, cells)]
        features = int(np.count_nonzero(np.bincount(used, minlength=1)))
        frequency = np.bincount(labels, None if sample_weight is None else np.repeat(weight, X.lengths))
        informative = tokens - float(frequency.max())
        work = frequency.size * (float(len(X.indices)) + frequency.size * float(X.tokens))
        square = float(weight @ squares) / tokens + constant * constant
        return cls(tokens, features, int(np.count_nonzero(frequency)), square, informative, work)

    @property
    def margin_c(self) -> float:
        """The default of large margins: 2 over the mean squared length of a token's features."""
        return 2.0 / max(self.square, 1e-300)

    @property
    def likelihood_c(self) -> float:
        """The default of conditional likelihood.

        ``max(5, 40 * sqrt(d / T), 100 * k / T)`` over the mean squared length, where d features and k labels occur in T
        tokens. Where features outnumber the tokens, as in text, each of them is seen a few times only, and its weight
        needs a large C to become as large as it should; the fewer they are, the more the data alone decide. The same
        holds for labels that are seen less than 20 times.
        """
        r = max(5.0, 40.0 * float(np.sqrt(self.features / self.tokens)), 100.0 * self.labels / self.tokens)
        return r / max(self.square, 1e-300)

    @property
    def relative_gap(self) -> float:
        """``tol='auto'`` of large margins: the gap allowed, relative to ``1/2 |w|^2``.

        The labels that depend on the order of training are a share of the tokens that falls with the gap; on as many
        tokens to be judged by as to be trained on, the score then differs by the square root of that share over the
        number of tokens that have anything to tell. So small data are solved more exactly, as far as that takes little
        time: hundreds of labels make small data large.
        """
        return _LOOSE_GAP * self._exactness

    @property
    def likelihood_tol(self) -> float:
        """``tol='auto'`` of conditional likelihood, by the same rule."""
        return _LOOSE_TOL * self._exactness

    @property
    def _exactness(self) -> float:
        affordable = min(self.work / _LARGE, _EXPENSIVE)
        return float(min(max((self.informative / _MANY) ** 1.25, affordable, _LEAST), 1.0))
