"""Cuts of random samples of the examples (Yu and Joachims, Training structural SVMs with kernels using sampled cuts,
2008): in place of all n planes a cut sums up those of r examples, and equals the cut of all of them on average."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin.core.points import Point
from maxmargin.oracles.base import Cut, CutsOfSome, Oracle, Stop

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

SAMPLINGS = ("slack", "uniform")
_ROUNDING = 1e-9  # of a sum of chances


class SampledCuts:
    """Draws examples for each cut, and gives them the weights with which the cut is right on average.

    ``'uniform'`` draws r of n examples, each with a weight of n / r, and asks no others. ``'slack'`` asks all examples
    at ``w`` and takes one with a probability in proportion to its risk, at most 1, over which its plane is divided: the
    cut is tight at ``w`` as that of all examples is, and where at most r of them are violated it is that cut.

    Parameters
    ----------
    oracle : of all examples
    size : r, examples per cut
    sampling : ``'slack'`` or ``'uniform'``
    rng : what draws
    """

    def __init__(self, oracle: Oracle, size: int, sampling: str, rng: np.random.RandomState) -> None:
        self._oracle, self._size, self._sampling, self._rng = oracle, size, sampling, rng
        self._parts: CutsOfSome = oracle.by_parts() if sampling == "uniform" else oracle
        self.space, self.whole = self._parts.space, self._parts.whole
        self.asked = 0  # examples, so far

    @property
    def is_estimate(self) -> bool:
        """Whether a cut tells the risk at ``w`` on average only."""
        return self._sampling == "uniform"

    def cut(self, w: Point, stop: Stop | None = None) -> Cut:
        examples, weight = self._uniform() if self._sampling == "uniform" else self._by_slack(w, stop)
        self.asked += examples.size
        return self._parts.cut_of(w, examples, weight, stop)

    def _uniform(self) -> tuple[Indices, Floats]:
        n = self._oracle.n
        examples = np.sort(self._rng.permutation(n)[: self._size]).astype(np.int32)
        return examples, n / self._size * self._sample_weight[examples]

    def _by_slack(self, w: Point, stop: Stop | None) -> tuple[Indices, Floats]:
        oracle, weight = self._oracle, self._sample_weight
        risk = weight * oracle.formulation.risk(oracle.slacks(w, stop))
        self.asked += oracle.n
        violated = np.flatnonzero(risk > 0.0).astype(np.int32)
        chance = chances(risk[violated], self._size)
        drawn = systematic(chance, float(self._rng.uniform()))
        examples = violated[drawn]
        return examples, weight[examples] / chance[drawn]

    @property
    def _sample_weight(self) -> Floats:
        weight = self._oracle.sample_weight
        return np.ones(self._oracle.n) if weight is None else weight


def chances(risk: Floats, size: int) -> Floats:
    """``min(1, risk times a factor)`` with a sum of ``size``, for positive risks; 1 where these are no more."""
    if risk.size <= size:
        return np.ones(risk.size)
    order = np.argsort(-risk, kind="stable")
    rest = np.cumsum(risk[order][::-1])[::-1]  # of each and all smaller ones
    sure = int(np.argmax(risk[order] * (size - np.arange(risk.size)) < rest))  # the largest, which are all taken
    found = np.ones(risk.size)
    found[order[sure:]] = np.minimum(1.0, risk[order[sure:]] * ((size - sure) / rest[sure]))
    return found


def systematic(chance: Floats, start: float) -> npt.NDArray[np.intp]:
    """Positions drawn with the given chances, whose sum is how many they are: those in whose part of a line there is a
    mark, one every unit from ``start`` on."""
    first = _ROUNDING - start
    return np.flatnonzero(np.diff(np.floor(np.cumsum(chance) + first), prepend=np.floor(first)) > 0.0)
