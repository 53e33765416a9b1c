"""Measures of rankings by name."""

from __future__ import annotations

import re
from typing import Any

from maxmargin.fitting.models import keep_settings
from maxmargin.groups.base import Measure
from maxmargin.groups.swapped_pairs import SwappedPairs
from maxmargin.rankings.mean_average_precision import MeanAveragePrecision
from maxmargin.rankings.ndcg import Ndcg
from maxmargin.rankings.reciprocal_rank import ReciprocalRank

keep_settings(SwappedPairs, MeanAveragePrecision, Ndcg, ReciprocalRank)

RANKING_MEASURES = ("swapped_pairs", "average_precision", "ndcg", "ndcg(k)", "mrr")


def as_ranking_measure(given: Any, gain: str = "exponential") -> Measure:
    """A measure from its name, ``'ndcg(10)'`` or ``'ndcg@10'`` for the first ten positions, or itself.

    ``gain`` is that of NDCG.
    """
    if not isinstance(given, str):
        if isinstance(given, type) or not (hasattr(given, "search") and getattr(given, "ranking", False)):
            raise ValueError(f"measure must be {_choice()}, or a measure of rankings, not {given!r}.")
        measure: Measure = given
        return measure
    if given == "swapped_pairs":
        return SwappedPairs()
    if given == "average_precision":
        return MeanAveragePrecision()
    if given == "mrr":
        return ReciprocalRank()
    if given == "ndcg":
        return Ndcg(None, gain)
    parts = re.fullmatch(r"ndcg(?:@(\d+)|\((\d+)\))", given.replace(" ", ""))
    if parts is None:
        raise ValueError(f"There is no measure of rankings {given!r}; choose {_choice()}.")
    return Ndcg(int(parts[1] or parts[2]), gain)


def is_binary(measure: Measure) -> bool:
    """Whether the truth of a row is that it is relevant or not; else it is its grade."""
    return bool(getattr(measure, "binary", False))


def _choice() -> str:
    return ", ".join(f"'{name}'" for name in RANKING_MEASURES)
