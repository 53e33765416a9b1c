"""The best outputs of an example, with their scores."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Generic, NamedTuple, TypeVar

from maxmargin.core.input_checks import quoted

Output = TypeVar("Output")


class Ranked(NamedTuple, Generic[Output]):
    """One of the best outputs of an example, as ``predict_kbest`` of every estimator gives them: ``score, output``."""

    score: float
    output: Output


def checked_k(k: Any, name: str = "k") -> int:
    """How many outputs, or documents, are wanted."""
    if isinstance(k, bool) or not isinstance(k, Integral) or k < 1:
        raise ValueError(f"{name} must be a positive integer, not {quoted(k)}.")
    return int(k)
