"""Alignment by log-odds of counted pairs: a baseline that is trained in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.alignments.base import GRID
from maxmargin.alignments.calibration import CalibratedAlignment
from maxmargin.alignments.features import RESIDUE, Features, Gaps, Simple
from maxmargin.alignments.packed import read_alignments
from maxmargin.alignments.ranking import CandidateRanker
from maxmargin.alignments.shape import FreeEnds
from maxmargin.core.problem import as_examples
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.parameters import POSITIVE, TRAINING, Allowed, Kind
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.solvers.base import Solution, Status

Floats = npt.NDArray[np.float64]

NUMBER = Kind("a finite number", lambda value: isinstance(value, Real) and abs(float(value)) < np.inf)


@saved
@dataclass(eq=False, repr=False)
class GenerativeAligner(CalibratedAlignment, CandidateRanker):
    """Scores of pairs of letters from counts, and fixed costs of gaps: what alignments were scored with before
    anything was learned of them (Durbin, Eddy, Krogh and Mitchison, 1998).

    With K letters, n(a, b) of n aligned pairs in the training set and n(a) of N letters in its sequences,

        ``score(a, b) = log (P(a, b) / (P(a) P(b)))``,
        ``P(a, b) = (n(a, b) + alpha) / (n + alpha K^2)``,  ``P(a) = (n(a) + alpha) / (N + alpha K)``,

    with the letters of x and y counted together. Where ``symmetric``, so are pairs (a, b) and (b, a).

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
        "n_jobs": TRAINING["n_jobs"],
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
            letters = np.zeros(size)
            for i, (pair, own) in enumerate(zip(truths, weight.tolist())):
                x, z = codes[packed.given.x[i]], codes[packed.given.candidates[i][0]]
                np.add.at(pairs, (x[pair[:, 0]], z[pair[:, 1]]), own)
                letters += own * (np.bincount(x, minlength=size) + np.bincount(z, minlength=size))
            if self.symmetric:
                pairs = pairs + pairs.T
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


def log_odds(pairs: Floats, letters: Floats, alpha: float) -> Floats:
    """``log (P(a, b) / (P(a) P(b)))`` from counts of pairs (K, K) and of letters (K,)."""
    smoothed = pairs + alpha
    shares = np.log((letters + alpha) / (letters + alpha).sum())
    found: Floats = np.log(smoothed / smoothed.sum()) - shares[:, None] - shares
    return found
