"""Structured prediction with large margins."""

from maxmargin.checking import check_problem
from maxmargin.estimators import (
    ChainCRF,
    ChainHMM,
    ChainPerceptron,
    ChainSVC,
    DiversityRanker,
    MeasureSVC,
    MulticlassSVC,
    MultilabelSVC,
    RankingSVM,
    StructuralSVM,
    TaxonomySVC,
    load,
)
from maxmargin.features import DescribedClasses, SequenceVectorizer
from maxmargin.io.model_archive import ModelFileError
from maxmargin.oracles.search import Unsupported
from maxmargin.planes import Planes
from maxmargin.problem import Problem
from maxmargin.rescaling import Formulation
from maxmargin.sequences import Sequences
from maxmargin.solvers import Automatic, BlockCoordinate, NSlack, OneSlack, Perceptron, Solution, Status, Subgradient
from maxmargin.taxonomies import Taxonomy
from maxmargin.version import __version__

__all__ = [
    "Automatic",
    "BlockCoordinate",
    "ChainCRF",
    "ChainHMM",
    "ChainPerceptron",
    "ChainSVC",
    "DescribedClasses",
    "DiversityRanker",
    "Formulation",
    "MeasureSVC",
    "ModelFileError",
    "MulticlassSVC",
    "MultilabelSVC",
    "NSlack",
    "OneSlack",
    "Perceptron",
    "Planes",
    "Problem",
    "RankingSVM",
    "SequenceVectorizer",
    "Sequences",
    "Solution",
    "Status",
    "StructuralSVM",
    "Subgradient",
    "Taxonomy",
    "TaxonomySVC",
    "Unsupported",
    "__version__",
    "check_problem",
    "load",
]
