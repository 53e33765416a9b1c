"""Scores of predicted labels, the same for every method; seqeval's F1 beside ours where it is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from maxmargin.metrics import chunk_f1, token_accuracy


def scores(truth: list[Any], found: list[Any], chunks: bool) -> dict[str, float | None]:
    """``score`` in per cent: F1 of chunks, or accuracy of tokens; and both by name."""
    accuracy = 100.0 * token_accuracy(truth, found)
    f1 = 100.0 * chunk_f1(truth, found) if chunks else None
    return {
        "score": accuracy if f1 is None else f1,
        "accuracy": accuracy,
        "f1": f1,
        "seqeval": seqeval_f1(truth, found) if chunks else None,
    }


def seqeval_f1(truth: list[Any], found: list[Any]) -> float | None:
    """F1 in per cent as seqeval computes it; None where it is not installed."""
    if find_spec("seqeval") is None:
        return None
    from seqeval.metrics import f1_score

    plain = [[str(label) for label in labels] for labels in found]
    return 100.0 * float(f1_score([list(map(str, labels)) for labels in truth], plain))
