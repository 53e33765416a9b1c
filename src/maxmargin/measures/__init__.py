"""Measures of whole groups of rows, as losses to train for."""

from maxmargin.measures.at_k import BreakEven, PrecisionAtK, RecallAtK
from maxmargin.measures.average_precision import AveragePrecision
from maxmargin.measures.base import Measure, Violation
from maxmargin.measures.contingency import BalancedError, Contingency, ErrorRate, FBeta, MatthewsCorrelation
from maxmargin.measures.naming import as_measure
from maxmargin.measures.pairs import RocArea
from maxmargin.measures.user import UserMeasure

__all__ = [
    "AveragePrecision",
    "BalancedError",
    "BreakEven",
    "Contingency",
    "ErrorRate",
    "FBeta",
    "MatthewsCorrelation",
    "Measure",
    "PrecisionAtK",
    "RecallAtK",
    "RocArea",
    "UserMeasure",
    "Violation",
    "as_measure",
]
