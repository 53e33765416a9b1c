"""Parsers compared sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import binomtest

from maxmargin.grammars import Tree
from maxmargin.metrics import BracketCounts, bracket_counts


def counted(model: Any, trees: Sequence[Tree]) -> list[BracketCounts]:
    """All brackets count, as in the paper; none is left out for its label."""
    return bracket_counts(trees, model.predict([tree.tokens() for tree in trees]), ignored=(), equal={})


def shown(counts: Sequence[BracketCounts]) -> list[str]:
    """Accuracy of whole trees, precision, recall and F1 in per cent, over all brackets."""
    true, predicted, hits, _ = (sum(column) for column in zip(*counts, strict=True))
    exact = np.mean([one.exact for one in counts])
    shares = exact, hits / predicted, hits / true, 2 * hits / (true + predicted)
    return [f"{100 * share:.1f}" for share in shares]


def f1(counts: Sequence[BracketCounts]) -> float:
    true, predicted, hits, _ = (sum(column) for column in zip(*counts, strict=True))
    return 2 * hits / (true + predicted)


def mcnemar(first: Sequence[BracketCounts], second: Sequence[BracketCounts]) -> tuple[int, int, float]:
    """How many sentences each parses with the higher F1, and the two-sided probability of such a difference by chance.

    The exact form of McNemar's test: a fair coin for each sentence on which the two differ.
    """
    better = sum(a.f1 > b.f1 for a, b in zip(first, second, strict=True))
    worse = sum(a.f1 < b.f1 for a, b in zip(first, second, strict=True))
    return better, worse, float(binomtest(better, better + worse).pvalue) if better + worse else 1.0
