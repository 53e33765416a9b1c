"""Measures of whole groups of rows, as losses to train for."""

from maxmargin.measures.base import Measure, Violation
from maxmargin.measures.contingency import ErrorRate

__all__ = ["ErrorRate", "Measure", "Violation"]
