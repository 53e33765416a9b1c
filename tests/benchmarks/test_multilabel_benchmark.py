"""The benchmark of label vectors runs from start to end on a generated set, and writes what it found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from labels.fit import METHODS, NAMES, scores

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_scores():
    truth = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0]])
    found = np.array([[1, 0, 0], [0, 0, 0], [1, 0, 0]])
    assert dict(zip(NAMES, scores(truth, found))) == pytest.approx(
        {"Hamming loss": 3 / 9, "F1": (2 / 3 + 1 + 0) / 3, "micro F1": 2 / 5, "subset accuracy": 1 / 3}
    )


@pytest.mark.bench
def test_quick_run(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- benchmark of label vectors -->\n<!-- end of benchmark of label vectors -->\n")
    command = [sys.executable, str(BENCHMARKS / "labels" / "run.py"), "--quick", "--name", "multilabel_smoke"]
    subprocess.run([*command, "--write", str(page)], check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)
    saved = BENCHMARKS / "results" / "multilabel_smoke.json"
    found = json.loads(saved.read_text())["sets"]["generated"]
    saved.unlink()
    assert list(found) == list(METHODS)
    assert all(method in page.read_text() for method in METHODS)
