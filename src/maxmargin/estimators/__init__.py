"""Estimators with scikit-learn's contract."""

from maxmargin.estimators.chain_crf import ChainCRF
from maxmargin.estimators.chain_hmm import ChainHMM
from maxmargin.estimators.chain_perceptron import ChainPerceptron
from maxmargin.estimators.chain_svc import ChainSVC
from maxmargin.estimators.diversity import DiversityRanker
from maxmargin.estimators.diversity_baselines import EssentialPages, OkapiBM25, RandomChoice, UnweightedCoverage
from maxmargin.estimators.loading import load
from maxmargin.estimators.measure import MeasureSVC
from maxmargin.estimators.multiclass import MulticlassSVC
from maxmargin.estimators.multilabel import MultilabelSVC
from maxmargin.estimators.ranking import RankingSVM
from maxmargin.estimators.structural import StructuralSVM
from maxmargin.estimators.taxonomy import TaxonomySVC

__all__ = [
    "ChainCRF",
    "ChainHMM",
    "ChainPerceptron",
    "ChainSVC",
    "DiversityRanker",
    "EssentialPages",
    "MeasureSVC",
    "MulticlassSVC",
    "MultilabelSVC",
    "OkapiBM25",
    "RandomChoice",
    "RankingSVM",
    "StructuralSVM",
    "TaxonomySVC",
    "UnweightedCoverage",
    "load",
]
