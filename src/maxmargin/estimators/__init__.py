"""Estimators with scikit-learn's contract."""

from maxmargin.estimators.chain_crf import ChainCRF
from maxmargin.estimators.chain_svc import ChainSVC
from maxmargin.estimators.loading import load
from maxmargin.estimators.multiclass import MulticlassSVC
from maxmargin.estimators.structural import StructuralSVM

__all__ = ["ChainCRF", "ChainSVC", "MulticlassSVC", "StructuralSVM", "load"]
