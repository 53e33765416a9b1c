"""Scores of rankings as the evaluation program of LETOR 4.0 (Eval-Score-4.0.pl) defines them.

* NDCG@k: gains 2^grade - 1; the first two positions have discount 1, position p > 2 has 1 / log2(p). It is 0 for a
  query without a relevant document, and for a query of fewer than k documents.
* mean NDCG: the mean of NDCG@1 to NDCG@n over the n documents of a query.
* MAP: grades 1 and 2 are relevant; 0 for a query without a relevant document.
* All are means over all queries. Documents of equal score stay in the order of the file.

Beside them the usual definition, which RankingSVM and scikit-learn's ndcg_score have: discount 1 / log2(1 + p), all
documents of a shorter query, and only queries that have a relevant document.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

POSITIONS = (1, 3, 5, 10)
NAMES = (*(f"NDCG@{k}" for k in POSITIONS), "mean NDCG", "MAP", "usual NDCG@10")


def score_queries(scores: Floats, grades: npt.NDArray[np.int64], queries: npt.NDArray[np.int64]) -> Floats:
    """The numbers of NAMES for every query, shape (queries, len(NAMES)); NaN where there is none."""
    starts = np.flatnonzero(np.diff(queries, prepend=queries[0] - 1))
    parts = pairwise([*starts.tolist(), queries.size])
    return np.array([score_query(grades[a:b][np.argsort(-scores[a:b], kind="stable")]) for a, b in parts])


def score_query(ranked: npt.NDArray[np.int64]) -> list[float]:
    """The numbers of NAMES for the grades of one query in the order of its ranking."""
    n = ranked.size
    position = np.arange(1, n + 1)
    gain, ideal = np.exp2(ranked) - 1.0, np.sort(np.exp2(ranked) - 1.0)[::-1]
    discount = 1.0 / np.log2(np.maximum(position, 2))
    found, best = np.cumsum(gain * discount), np.cumsum(ideal * discount)
    ndcg = np.divide(found, best, out=np.zeros(n), where=best > 0.0)
    relevant = ranked > 0
    precision = np.cumsum(relevant) / position
    average = float(precision[relevant].mean()) if relevant.any() else 0.0
    usual = 1.0 / np.log2(position[:10] + 1.0)
    usual_ndcg = float(gain[:10] @ usual / (ideal[:10] @ usual)) if relevant.any() else float("nan")
    at = [float(ndcg[k - 1]) if k <= n else 0.0 for k in POSITIONS]
    return [*at, float(ndcg.mean()), average, usual_ndcg]
