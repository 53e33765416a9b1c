"""Measures by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from maxmargin.fitting.models import keep_settings
from maxmargin.groups.average_precision import AveragePrecision
from maxmargin.groups.base import BinaryMeasure
from maxmargin.groups.pairs import RocArea
from maxmargin.measures.at_k import BreakEven, PrecisionAtK, RecallAtK
from maxmargin.measures.contingency import BalancedError, ErrorRate, FBeta, MatthewsCorrelation
from maxmargin.measures.user import UserMeasure

PLAIN: dict[str, Callable[[], BinaryMeasure]] = {
    "error_rate": ErrorRate,
    "f1": FBeta,
    "balanced_error": BalancedError,
    "mcc": MatthewsCorrelation,
    "prbep": BreakEven,
    "roc_area": RocArea,
    "average_precision": AveragePrecision,
}
WITH_NUMBER: dict[str, Callable[[float], BinaryMeasure]] = {
    "fbeta": FBeta,
    "precision_at_k": lambda k: PrecisionAtK(int(k) if k == int(k) else k),  # type: ignore[arg-type]
    "recall_at_k": lambda k: RecallAtK(int(k) if k == int(k) else k),  # type: ignore[arg-type]
}

keep_settings(ErrorRate, FBeta, BalancedError, MatthewsCorrelation, BreakEven, PrecisionAtK, RecallAtK)
keep_settings(RocArea, AveragePrecision)


def measure_names() -> str:
    """All names, for messages and help."""
    return ", ".join([*(f"'{name}'" for name in PLAIN), *(f"'{name}(number)'" for name in WITH_NUMBER)])


def as_measure(given: Any, parameter: str = "measure") -> BinaryMeasure:
    """A measure from its name (``'f1'``, ``'precision_at_k(10)'``), from a function of the table, or itself.

    Messages name the ``parameter``.
    """
    if isinstance(given, str):
        return _named(given)
    if isinstance(given, type) or not (callable(given) or hasattr(given, "search")):
        raise ValueError(
            f"{parameter} must be a name, a measure object or a function of (tp, fp, fn, tn), not {given!r}."
        )
    measure: BinaryMeasure = given if hasattr(given, "search") else UserMeasure(given)
    return measure


def _named(name: str) -> BinaryMeasure:
    if name in PLAIN:
        return PLAIN[name]()
    parts = re.fullmatch(r"(\w+)\(([-+.\w]*)\)", name.replace(" ", ""))
    if parts is None or parts[1] not in WITH_NUMBER:
        if name in WITH_NUMBER:
            raise ValueError(f"The measure {name!r} needs its number, for example {name + '(2)'!r}.")
        raise ValueError(f"There is no measure {name!r}; choose {measure_names()}, or a function of (tp, fp, fn, tn).")
    try:
        number = float(parts[2])
    except ValueError as error:
        raise ValueError(f"The measure {name!r} needs a number in its brackets.") from error
    return WITH_NUMBER[parts[1]](number)
