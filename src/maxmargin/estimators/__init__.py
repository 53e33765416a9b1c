"""Estimators with scikit-learn's contract."""

from maxmargin.estimators.loading import load
from maxmargin.estimators.multiclass import MulticlassSVC
from maxmargin.estimators.structural import StructuralSVM

__all__ = ["MulticlassSVC", "StructuralSVM", "load"]
