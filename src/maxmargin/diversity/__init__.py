"""Rankings that cover much: documents as sets of words and of subtopics, of which a few are chosen."""

from maxmargin.diversity.baselines import EssentialPages, OkapiBM25, RandomChoice, UnweightedCoverage
from maxmargin.diversity.diversity_ranker import DiversityRanker
from maxmargin.diversity.subtopics import Subtopics, pack_subtopics, subtopic_losses

__all__ = [
    "DiversityRanker",
    "EssentialPages",
    "OkapiBM25",
    "RandomChoice",
    "Subtopics",
    "UnweightedCoverage",
    "pack_subtopics",
    "subtopic_losses",
]
