"""Rankings of the rows of each query."""

from maxmargin.rankings.ranking_svm import RankingSVM

__all__ = ["RankingSVM"]
