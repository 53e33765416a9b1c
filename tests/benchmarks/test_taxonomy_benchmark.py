"""Splits, summaries and the rival's labels of the benchmark of taxonomies, and a smoke test of the whole program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from taxonomies.data import load, prepared, splits
from taxonomies.fit import compare
from taxonomies.methods import FLAT, METHODS, OURS, RIVAL
from taxonomies.report import summarise, table_bars, table_page
from taxonomies.studies.choice import validated

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_every_row_is_tested_once_and_classes_are_trained_alike():
    y = np.array(["a"] * 7 + ["b"] * 20 + ["c"] * 3)
    for per_class, folds in ((2, 5), (4, 3)):
        parts = splits(y, per_class, folds, seed=0)
        assert sorted(np.concatenate([part.test for part in parts]).tolist()) == list(range(30))
        for part in parts:
            assert not set(part.train.tolist()) & set(part.test.tolist())
            _, counts = np.unique(y[part.train], return_counts=True)
            assert counts[0] == counts[1] == per_class
            assert counts[2] == min(per_class, 3 - np.count_nonzero(y[part.test] == "c"))


def test_test_rows_are_scaled_by_training_rows():
    X = np.random.default_rng(0).standard_normal((30, 4)) * [1.0, 5.0, 0.0, 2.0] + 3.0
    split = splits(np.arange(30) % 3, 4, 3, seed=1)[0]
    train, test = prepared(X, split)
    np.testing.assert_allclose(train.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose((train**2).sum(axis=1).mean(), 0.75)  # one of four features is constant
    assert test.shape == (split.test.size, 4)


def test_means_count_rows_or_classes_alike():
    workload = load("generated")
    ours = [name for name in METHODS if name != RIVAL]
    runs = [compare(workload, 2, 2, seed, ours, quick=True) for seed in (0, 1)]
    summary = summarise("generated", 2, 2, runs)
    assert summary["methods"][FLAT]["by_row accuracy"][2:] == [0.0, 0.0]
    mean, error, gain, _ = summary["methods"][OURS]["by_class tree_loss"]
    values = [run[OURS]["by_class"]["tree_loss"] for run in runs]
    assert mean == pytest.approx(np.mean(values))
    assert error == pytest.approx(abs(values[0] - values[1]) / 2)
    assert gain == pytest.approx(np.mean([v - run[FLAT]["by_class"]["tree_loss"] for v, run in zip(values, runs)]))
    assert len(table_bars(summary)) == 2
    assert "| tree loss, classes count alike |" in table_page([summary])


def test_the_rival_answers_leaves():
    pytest.importorskip("hiclass", reason="hiclass, of the extra [bench], is the rival")
    workload = load("generated")
    classes = np.unique(workload.y)
    model = METHODS[RIVAL].make({"C": 1.0, "class_weight": None}, workload.taxonomy, classes)
    answers = model.fit(workload.X[:200], workload.y[:200]).predict(workload.X[200:])
    assert set(answers) <= set(classes)
    assert np.mean(answers == workload.y[200:]) > 0.8


@pytest.mark.bench
def test_quick_run(tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "MAXMARGIN_DATA"}
    command = [sys.executable, str(BENCHMARKS / "taxonomies" / "run.py"), "--quick", "--name", "taxonomy_smoke"]
    subprocess.run(command, env=environment, check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)
    saved = BENCHMARKS / "results" / "taxonomy_smoke.json"
    found = json.loads(saved.read_text())
    saved.unlink()
    assert found["large"]["status"] == "CONVERGED"
    assert len(found["table"]) == 2


def test_the_choice_is_made_within_training_rows(monkeypatch):
    monkeypatch.setattr("taxonomies.studies.choice.NODE_WEIGHTS", (1.0,))
    monkeypatch.setattr("taxonomies.studies.choice.FORMULATIONS", (("margin", "squared"),))
    found = validated("generated", 2, range(40, 41))
    assert {losses.shape for losses in found.values()} == {(6, 5)}
    assert found["margin, squared, nodes 1"].mean() < found[FLAT].mean()  # texts that are generated along the tree
