"""Alignment by log-odds of counted pairs: a baseline that is trained in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from maxmargin.alignments.base import GRID
from maxmargin.alignments.calibration import CalibratedAlignment
from maxmargin.alignments.features import RESIDUE, Features, Gaps, Simple
from maxmargin.alignments.packed import PackedAlignments, read_alignments, read_candidates
from maxmargin.alignments.shape import FreeEnds
from maxmargin.alignments.tracks import Pool
from maxmargin.core.problem import as_examples, by_position
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.parameters import POSITIVE, Allowed, Kind
from maxmargin.fitting.training import job_count
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.solvers.base import Solution, Status

Floats = npt.NDArray[np.float64]

NUMBER = Kind("a finite number", lambda value: isinstance(value, Real) and abs(float(value)) < np.inf)


@saved
@dataclass(eq=False, repr=False)
class GenerativeAligner(CalibratedAlignment):
    """Scores of pairs of letters from counts, and fixed costs of gaps: what alignments were scored with before
    anything was learned of them (Durbin, Eddy, Krogh and Mitchison, 1998).

    With K letters, n(a, b) aligned pairs in the training set and n(a) letters in its sequences,

        ``score(a, b) = log (P(a, b) / (P(a) P(b)))``,
        ``P(a, b) = (n(a, b) + alpha) / (n + alpha K^2)``,  ``P(a) = (n(a) + alpha) / (n_x + alpha K)``,

    the letters of x and of y each with their own P(a). Where ``symmetric``, pairs (a, b) and (b, a) are counted
    together, and so are the letters of x and y.

    Parameters
    ----------
    open, extend : scores of the first and of each later position of a gap, mostly negative; extend None is the same
        as open
    alpha : added to every count
    symmetric : whether ``score(a, b) = score(b, a)``
    alphabet, mode, free_ends, band : as in AlignmentSVM
    n_jobs : threads for prediction; -1 is all cores

    Attributes
    ----------
    coef_, layout_, solution_, n_iter_, temperature_
    """

    loss: ClassVar[str] = "q"
    shift: ClassVar[int] = 0

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **{name: allowed for name, allowed in GRID.items() if name != "features"},
        "open": (NUMBER,),
        "extend": (NUMBER, None),
        "alpha": (POSITIVE,),
        "symmetric": (bool,),
    }

    _: KW_ONLY
    open: float = -1.0
    extend: float | None = None
    alpha: float = 1.0
    symmetric: bool = True
    alphabet: Any = None
    mode: str = "local"
    free_ends: FreeEnds = "both"
    band: int | None = None
    n_jobs: int | None = None

    @property
    def features(self) -> Features:
        """One matrix of letters, and a cost for each kind of gap."""
        return Simple(symmetric=self.symmetric) + Gaps()

    def fit(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> GenerativeAligner:
        """Counts in pairs of sequences and their alignments; see ``AlignmentSVM.fit`` for the forms."""
        with self._fitting():
            X, y = as_examples(X, y)
            packed = self._pack_training(X)
            truths = read_alignments(packed.given, y)
            given = check_sample_weight(sample_weight, packed.n)
            weight = np.ones(packed.n) if given is None else given
            layout, pool = packed.layout, packed.given.pool
            alphabet = layout.alphabets[RESIDUE]
            codes = np.split(pool.codes(RESIDUE, alphabet), pool.starts[1:-1])
            size = len(alphabet)
            pairs = np.zeros((size, size))
            letters = np.zeros((2, size))
            for i, (pair, own) in enumerate(zip(truths, weight.tolist())):
                x, z = codes[packed.given.x[i]], codes[packed.given.candidates[i][0]]
                np.add.at(pairs, (x[pair[:, 0]], z[pair[:, 1]]), own)
                letters += own * np.stack([np.bincount(x, minlength=size), np.bincount(z, minlength=size)])
            if self.symmetric:
                pairs, letters = pairs + pairs.T, letters + letters[::-1]
            matrix = log_odds(pairs, letters, float(self.alpha))
            coef = np.zeros(layout.n_weights)
            coef[layout.components[0].index] = matrix
            for gap in layout.gaps:
                coef[gap.open] = float(self.open)
                coef[gap.extend] = float(self.open if self.extend is None else self.extend)
            self.layout_, self.coef_, self.temperature_ = layout, coef, 1.0
            self.calibrated_ = False
            self._keep(Solution(coef, Status.FINISHED, None, None, 1, packed.n))
        return self

    def predict_ranking(self, X: Sequence[Any]) -> list[npt.NDArray[np.int64]]:
        """The numbers of the candidates of each input ``(sequence, candidates)``, the most similar first."""
        return [np.argsort(-own, kind="stable") for own in self.decision_function(X)]

    def decision_function(self, X: Sequence[Any]) -> list[Floats]:
        """The scores of the best alignments with all candidates, an array for each input ``(sequence, candidates)``."""
        check_is_fitted(self, "coef_")
        given = read_candidates(Pool(self.layout_.features), by_position(X))
        packed = PackedAlignments(given, self.layout_, self._shape())
        scores = packed.core.best(self.coef_, job_count(self.n_jobs))[0]
        return np.split(scores, np.cumsum([len(own) for own in given.candidates])[:-1]) if packed.n else []


def log_odds(pairs: Floats, letters: Floats, alpha: float) -> Floats:
    """``log (P(a, b) / (P(a) P(b)))`` from counts of pairs (K, K) and of the letters of x and of y (2, K)."""
    smoothed = pairs + alpha
    shares = letters + alpha
    shares = shares / shares.sum(axis=1, keepdims=True)
    found: Floats = np.log(smoothed / smoothed.sum()) - np.log(shares[0])[:, None] - np.log(shares[1])
    return found
