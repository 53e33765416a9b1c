"""Ranking candidates by their best alignments with a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.alignments.alignment import Alignment
from maxmargin.alignments.base import AlignmentBase, found_alignment
from maxmargin.alignments.limits import PairLimits, limits_of_candidates
from maxmargin.alignments.packed import PackedAlignments, read_candidates
from maxmargin.fitting.training import job_count

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class RankedCandidate(NamedTuple):
    """A candidate by its number, the score of its best alignment, and that alignment."""

    candidate: int
    score: float
    alignment: Alignment


class CandidateRanker(AlignmentBase):
    """What ranks candidates by the scores of their best alignments."""

    def rank(
        self, native: Any, candidates: Sequence[Any], *, forbidden: Any = None, required: Any = None
    ) -> list[RankedCandidate]:
        """All candidates with their best alignments to ``native``, the most similar first; of equal ones the first
        first. ``predict_ranking`` has the order, and ``decision_function`` the scores, of many inputs at once.

        Parameters
        ----------
        native : a sequence
        candidates : sequences
        forbidden, required : for each candidate None, or the pairs (i, j) that its alignment must not have, or must
            have
        """
        packed = self._candidates([(native, candidates)])
        one = [None if own is None else [own] for own in (forbidden, required)]
        (scores,), (alignments,) = self._best_of_each(packed, *one)
        return [
            RankedCandidate(k, float(scores[k]), found_alignment(alignments[k], packed.given.lengths(0, k)))
            for k in np.argsort(-scores, kind="stable").tolist()
        ]

    def predict_ranking(self, X: Sequence[Any]) -> list[npt.NDArray[np.int64]]:
        """The numbers of the candidates of each input ``(sequence, candidates)``, the most similar first."""
        return [np.argsort(-own, kind="stable") for own in self.decision_function(X)]

    def decision_function(self, X: Sequence[Any]) -> list[Floats]:
        """The scores of the best alignments with all candidates, an array for each input ``(sequence, candidates)``."""
        return self._best_of_each(self._candidates(X))[0]

    def _candidates(self, X: Any) -> PackedAlignments:
        return self._packed(X, read_candidates)

    def _best_of_each(
        self, packed: PackedAlignments, forbidden: Any = None, required: Any = None
    ) -> tuple[list[Floats], list[list[Indices]]]:
        """Scores and best alignments of all candidates of every input, of those that the limits allow."""
        sizes = [len(own) for own in packed.given.candidates]
        lengths = [[packed.given.lengths(i, k) for k in range(size)] for i, size in enumerate(sizes)]
        limits = limits_of_candidates(forbidden, required, lengths)
        if limits is not None:
            return self._best_within(packed, limits)
        scores, offsets, pairs = packed.core.best(self.coef_, job_count(self.n_jobs))
        each = np.split(pairs, offsets[1:-1])
        ends = np.cumsum(sizes, dtype=np.int64).tolist()
        spans = list(zip([0, *ends[:-1]], ends))
        return [scores[a:b] for a, b in spans], [each[a:b] for a, b in spans]

    def _best_within(
        self, packed: PackedAlignments, limits: list[list[PairLimits]]
    ) -> tuple[list[Floats], list[list[Indices]]]:
        scores, alignments = [], []
        for i, own in enumerate(limits):
            found = [packed.grid(self.coef_, i, k, limits=one).best() for k, one in enumerate(own)]
            for one, (score, _) in zip(own, found):
                one.check(score)
            scores.append(np.array([score for score, _ in found], dtype=np.float64))
            alignments.append([pairs for _, pairs in found])
        return scores, alignments
