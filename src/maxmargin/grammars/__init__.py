"""Context-free grammars: trees over sentences, rules from treebanks, parsers that learn."""

from maxmargin.grammars.brackets import iter_trees, read_trees, write_trees
from maxmargin.grammars.crf import GrammarCRF
from maxmargin.grammars.grammar import Grammar, NotDerivable
from maxmargin.grammars.pcfg import PCFG
from maxmargin.grammars.penn import (
    plain_tree,
    without_empty_nodes,
    without_function_tags,
    without_indices,
    without_repeats,
)
from maxmargin.grammars.svm import GrammarSVM
from maxmargin.grammars.tree import Span, Tree

__all__ = [
    "PCFG",
    "Grammar",
    "GrammarCRF",
    "GrammarSVM",
    "NotDerivable",
    "Span",
    "Tree",
    "iter_trees",
    "plain_tree",
    "read_trees",
    "without_empty_nodes",
    "without_function_tags",
    "without_indices",
    "without_repeats",
    "write_trees",
]
