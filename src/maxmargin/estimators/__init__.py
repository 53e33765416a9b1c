"""Estimators with scikit-learn's contract."""

from maxmargin.estimators.chain_svc import ChainSVC
from maxmargin.estimators.loading import load
from maxmargin.estimators.multiclass import MulticlassSVC
from maxmargin.estimators.structural import StructuralSVM

__all__ = ["ChainSVC", "MulticlassSVC", "StructuralSVM", "load"]
