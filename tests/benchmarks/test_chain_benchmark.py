"""The chain benchmark runs from start to end on invented sentences, and CRFsuite's loss is the objective we compute."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"

pytestmark = pytest.mark.bench


@pytest.fixture
def results(tmp_path: Path) -> Path:
    pytest.importorskip("pycrfsuite", reason="python-crfsuite comes with the extra 'bench'")
    return tmp_path


@pytest.mark.parametrize("data", ["conll", "ocr", "ewt"])
def test_quick_run(data: str, results: Path) -> None:
    name = f"chain_smoke_{data}"
    command = [sys.executable, str(BENCHMARKS / "chains" / "run.py"), "--quick", "--data", data, "--name", name]
    command += ["--methods", "CRFsuite lbfgs,CRFsuite ap"]
    environment = {key: value for key, value in os.environ.items() if key != "MAXMARGIN_DATA"}
    subprocess.run(command, env=environment, check=True, cwd=results, stdout=subprocess.DEVNULL)
    saved = BENCHMARKS / "results" / f"{name}.json"
    found = json.loads(saved.read_text())
    saved.unlink()
    assert found["bars"]
    assert "invented" in found["workloads"][0]["note"]
    if data == "conll":
        lbfgs = next(run for run in found["workloads"][0]["runs"] if run["name"] == "CRFsuite lbfgs")
        assert lbfgs["found"]["log"][-1][1] == pytest.approx(lbfgs["found"]["likelihood"], rel=1e-5)
