"""Settings, objective and tables of the benchmark of measures, and a smoke test of the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score

from measures.data import load
from measures.quality import CONVENTIONAL, Conventional, Own, value
from measures.report import PAGES, TABLES, bars_of
from measures.speed import fit, hinge_objective

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_the_grid_begins_in_the_middle():
    assert CONVENTIONAL[0] == Conventional(1.0, 1.0)


@pytest.mark.parametrize("setting", [Own("f1"), Conventional(10.0, 3.0)])
def test_a_setting_trains_and_scores(setting):
    data = load("any", quick=True)
    truth, test = data.truths["kind 0"]
    scores = setting.train(data.X, truth)[setting](data.X_test)
    assert value("f1", scores, test) == pytest.approx(f1_score(test, scores > 0))
    assert value("roc_area", scores, test) > 0.7


def test_one_fit_for_f1_gives_both_thresholds():
    data = load("any", quick=True)
    truth, _ = data.truths["kind 0"]
    models = Own("f1", 1.0, 2).train(data.X, truth)
    assert list(models) == [Own("f1", 1.0, 2), Own("f1", 1.0, 2, cut=True)]
    at_zero, cut = (value("f1", model(data.X), truth) for model in models.values())
    assert cut >= at_zero
    assert list(Own("prbep").train(data.X, truth)) == [Own("prbep")]


def test_the_objective_is_that_of_ours_and_of_liblinear():
    ours = fit("texts 200", "auto", 1.0, [1e-6], n=400)[0]
    peer = fit("texts 200", "LinearSVC", 1.0, [1e-6], n=400)[0]
    assert ours["status"] == "CONVERGED"
    assert ours["objective"] == pytest.approx(peer["objective"], rel=1e-3)
    X, y = np.array([[1.0], [-1.0]]), np.array([True, False])
    assert hinge_objective(X, y, np.array([0.5]), 0.0, 2.0) == pytest.approx(0.125 + 2.0)


def test_tables_and_bars():
    setting = repr(Own("f1", 0.3))
    score = {
        "a": {"score": 0.9, "C alone": 0.8, "setting": setting},
        "b": {"score": 0.7, "C alone": 0.7, "setting": setting},
    }
    method = {"measures": {"f1": score, "prbep": score, "roc_area": score}, "seconds": 1.0, "sizes": {"a": 1, "b": 2}}
    found = {"optdigits": {"LinearSVC": method, "MeasureSVC": method, "defaults": method}}
    assert all(bar.holds for bar in bars_of("quality", found))
    assert "| optdigits, 2 classes | MeasureSVC, defaults | 80.0 | 80.0 | 80.0 | 1 |" in PAGES["quality"](found)
    assert "|  | structural, tuned | 80.0 | 80.0 | 80.0 | 1 |" in PAGES["quality"](found)
    assert "|  | structural, its C over the default | 0.3 | 0.3 | 0.3 |  |" in PAGES["quality"](found)
    assert TABLES["quality"](found)[0].row_count == 7
    calls = {str(n): {"error_rate": n * 1e-6, "f1": n * 2e-6, "roc_area": n * 2e-5} for n in (10, 100, 1000)}
    assert [bar.holds for bar in bars_of("oracle", calls)] == [True, True, False, True]


@pytest.mark.bench
def test_quick_run(tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "MAXMARGIN_DATA"}
    command = [sys.executable, str(BENCHMARKS / "measures" / "run.py"), "--quick", "--name", "measures_smoke"]
    subprocess.run(command, env=environment, check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)
    for part in ("quality", "speed", "oracle", "planes"):
        saved = BENCHMARKS / "results" / f"measures_smoke_{part}.json"
        found = json.loads(saved.read_text())
        saved.unlink()
        assert found["found"]
