"""Dynamic programs: describe the space of outputs once, as cells and edges, and ask it everything."""

from maxmargin.programs.builder import ProgramBuilder
from maxmargin.programs.checking import check_space
from maxmargin.programs.dependency_features import DependencyFeatures
from maxmargin.programs.features import Rows
from maxmargin.programs.matching_problem import MatchingProblem
from maxmargin.programs.program import Program
from maxmargin.programs.space import Space
from maxmargin.programs.topology import Topology
from maxmargin.programs.tree_problem import TreeProblem

__all__ = [
    "DependencyFeatures",
    "MatchingProblem",
    "Program",
    "ProgramBuilder",
    "Rows",
    "Space",
    "Topology",
    "TreeProblem",
    "check_space",
]
