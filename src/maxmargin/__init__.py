"""Structured prediction with large margins."""

from maxmargin import grammars
from maxmargin.alignments.crf import AlignmentCRF
from maxmargin.alignments.generative import GenerativeAligner
from maxmargin.alignments.homology import HomologySVM
from maxmargin.alignments.svm import AlignmentSVM
from maxmargin.chains.crf import ChainCRF
from maxmargin.chains.features.vectorizer import SequenceVectorizer
from maxmargin.chains.hmm import ChainHMM
from maxmargin.chains.perceptron import ChainPerceptron
from maxmargin.chains.sequences.packed import Sequences
from maxmargin.chains.sparse_greedy import SparseGreedy
from maxmargin.chains.svc import ChainSVC
from maxmargin.classes.described import DescribedClasses
from maxmargin.classes.multiclass_svc import MulticlassSVC
from maxmargin.classes.taxonomies.graph import Taxonomy
from maxmargin.classes.taxonomy_svc import TaxonomySVC
from maxmargin.core.checking import check_problem
from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.core.problem import Problem
from maxmargin.core.ranked import Ranked
from maxmargin.diversity.diversity_ranker import DiversityRanker
from maxmargin.fitting.loading import load
from maxmargin.fitting.model_archive import ModelFileError
from maxmargin.grammars.crf import GrammarCRF
from maxmargin.grammars.pcfg import PCFG
from maxmargin.grammars.svm import GrammarSVM
from maxmargin.labels.multilabel_svc import MultilabelSVC
from maxmargin.measures.measure_svc import MeasureSVC
from maxmargin.oracles.search import Unsupported
from maxmargin.problems.structural_svm import StructuralSVM
from maxmargin.programs.crf import ProgramCRF
from maxmargin.programs.perceptron import ProgramPerceptron
from maxmargin.programs.svm import ProgramSVM
from maxmargin.rankings.ranking_svm import RankingSVM
from maxmargin.rows.kernel import Kernel
from maxmargin.rows.kernel_basis import LowRank
from maxmargin.rows.spectrum import Spectrum
from maxmargin.solvers import Automatic, BlockCoordinate, NSlack, OneSlack, Perceptron, Solution, Status, Subgradient
from maxmargin.version import __version__

__all__ = [
    "PCFG",
    "AlignmentCRF",
    "AlignmentSVM",
    "Automatic",
    "BlockCoordinate",
    "ChainCRF",
    "ChainHMM",
    "ChainPerceptron",
    "ChainSVC",
    "DescribedClasses",
    "DiversityRanker",
    "Formulation",
    "GenerativeAligner",
    "GrammarCRF",
    "GrammarSVM",
    "HomologySVM",
    "Kernel",
    "LowRank",
    "MeasureSVC",
    "ModelFileError",
    "MulticlassSVC",
    "MultilabelSVC",
    "NSlack",
    "OneSlack",
    "Perceptron",
    "Planes",
    "Problem",
    "ProgramCRF",
    "ProgramPerceptron",
    "ProgramSVM",
    "Ranked",
    "RankingSVM",
    "SequenceVectorizer",
    "Sequences",
    "Solution",
    "SparseGreedy",
    "Spectrum",
    "Status",
    "StructuralSVM",
    "Subgradient",
    "Taxonomy",
    "TaxonomySVC",
    "Unsupported",
    "__version__",
    "check_problem",
    "grammars",
    "load",
]
