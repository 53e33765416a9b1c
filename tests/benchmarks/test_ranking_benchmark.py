"""LETOR's definitions by hand, against scikit-learn where they meet, and a smoke test of the whole program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, ndcg_score

from maxmargin import Formulation
from maxmargin.groups.swapped_pairs import SwappedPairs
from rankings.growth import list_all_pairs
from rankings.score import NAMES, score_queries, score_query

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_by_hand():
    """Grades 1, 0, 2 in the order of the ranking: DCG 1, 1, 1 + 3 / log2(3) against 3, 4, 4."""
    found = dict(zip(NAMES, score_query(np.array([1, 0, 2]))))
    third = (1.0 + 3.0 / np.log2(3.0)) / 4.0
    assert found["NDCG@1"] == pytest.approx(1.0 / 3.0)
    assert found["NDCG@3"] == pytest.approx(third)
    assert found["NDCG@5"] == found["NDCG@10"] == 0.0
    assert found["mean NDCG"] == pytest.approx((1.0 / 3.0 + 1.0 / 4.0 + third) / 3.0)
    assert found["MAP"] == pytest.approx((1.0 + 2.0 / 3.0) / 2.0)


def test_a_query_without_relevant_documents_counts_as_zero():
    found = score_queries(np.array([1.0, 2.0, 0.0, 1.0]), np.array([0, 0, 0, 1]), np.array([7, 7, 9, 9]))
    assert found.shape == (2, len(NAMES))
    assert (found[0, :-1] == 0.0).all()
    assert np.isnan(found[0, -1])
    np.testing.assert_allclose(found[1], [1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0])


def test_against_scikit_learn():
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 3, 30), rng.standard_normal(30)
    found = dict(zip(NAMES, score_queries(scores, grades, np.zeros(30, dtype=np.int64))[0]))
    assert found["usual NDCG@10"] == pytest.approx(ndcg_score([2**grades - 1], [scores], k=10))
    assert found["MAP"] == pytest.approx(average_precision_score(grades > 0, scores))


def test_listing_all_pairs_is_the_search():
    rng = np.random.default_rng(1)
    grades, scores = rng.integers(0, 4, 50).astype(float), rng.standard_normal(50)
    found = SwappedPairs().search(scores, SwappedPairs().prepare(grades), Formulation())
    np.testing.assert_allclose(found.coefficients, list_all_pairs(scores, grades), atol=1e-12)


@pytest.mark.bench
def test_quick_run(tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "MAXMARGIN_DATA"}
    command = [sys.executable, str(BENCHMARKS / "rankings" / "run.py"), "--quick", "--name", "ranking_smoke"]
    subprocess.run(command, env=environment, check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)
    saved = BENCHMARKS / "results" / "ranking_smoke.json"
    found = json.loads(saved.read_text())
    saved.unlink()
    assert found["bars"]
    assert len(found["methods"]["RankingSVM, swapped pairs"]["scores"]) == len(NAMES)
