"""Scores of predictions."""

from maxmargin.alignments.scores import PairScore, alignment_f1, alignment_q, alignment_score
from maxmargin.chains.scores import (
    ChunkScore,
    chunk_f1,
    chunk_score,
    chunk_scores,
    chunks_of,
    token_accuracy,
)
from maxmargin.classes.taxonomies.scores import (
    HierarchicalScore,
    hierarchical_f1,
    hierarchical_precision,
    hierarchical_recall,
    hierarchical_score,
    tree_loss,
)
from maxmargin.core.abstention import AbstentionCurve, abstention_curve
from maxmargin.grammars.parseval import (
    BracketCounts,
    BracketScore,
    bracket_counts,
    bracket_f1,
    bracket_score,
    brackets_of,
)

__all__ = [
    "AbstentionCurve",
    "BracketCounts",
    "BracketScore",
    "ChunkScore",
    "HierarchicalScore",
    "PairScore",
    "abstention_curve",
    "alignment_f1",
    "alignment_q",
    "alignment_score",
    "bracket_counts",
    "bracket_f1",
    "bracket_score",
    "brackets_of",
    "chunk_f1",
    "chunk_score",
    "chunk_scores",
    "chunks_of",
    "hierarchical_f1",
    "hierarchical_precision",
    "hierarchical_recall",
    "hierarchical_score",
    "token_accuracy",
    "tree_loss",
]
