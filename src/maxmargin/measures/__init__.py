"""Measures of whole groups of rows, as losses to train for."""

from maxmargin.groups.average_precision import AveragePrecision
from maxmargin.groups.base import BinaryMeasure, Measure, Violation
from maxmargin.groups.pairs import RocArea
from maxmargin.measures.at_k import BreakEven, PrecisionAtK, RecallAtK
from maxmargin.measures.contingency import BalancedError, Contingency, ErrorRate, FBeta, MatthewsCorrelation
from maxmargin.measures.measure_svc import MeasureSVC
from maxmargin.measures.naming import as_measure
from maxmargin.measures.user import UserMeasure

__all__ = [
    "AveragePrecision",
    "BalancedError",
    "BinaryMeasure",
    "BreakEven",
    "Contingency",
    "ErrorRate",
    "FBeta",
    "MatthewsCorrelation",
    "Measure",
    "MeasureSVC",
    "PrecisionAtK",
    "RecallAtK",
    "RocArea",
    "UserMeasure",
    "Violation",
    "as_measure",
]
