"""Estimators with scikit-learn's contract."""

from maxmargin.estimators.chain_crf import ChainCRF
from maxmargin.estimators.chain_hmm import ChainHMM
from maxmargin.estimators.chain_perceptron import ChainPerceptron
from maxmargin.estimators.chain_svc import ChainSVC
from maxmargin.estimators.loading import load
from maxmargin.estimators.multiclass import MulticlassSVC
from maxmargin.estimators.structural import StructuralSVM
from maxmargin.estimators.taxonomy import TaxonomySVC

__all__ = [
    "ChainCRF",
    "ChainHMM",
    "ChainPerceptron",
    "ChainSVC",
    "MulticlassSVC",
    "StructuralSVM",
    "TaxonomySVC",
    "load",
]
