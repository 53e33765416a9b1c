"""The diversity benchmark runs from start to end on the generator, and writes what it found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from diversity.run import signed_rank

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.mark.bench
def test_quick_run(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- diversity results -->\nold\n<!-- end of diversity results -->\nafter\n")
    command = [sys.executable, str(BENCHMARKS / "diversity" / "run.py"), "--quick", "--data", "generator"]
    command += ["--name", "diversity_smoke", "--write", str(page)]
    subprocess.run(command, check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)
    saved = BENCHMARKS / "results" / "diversity_smoke.json"
    found = json.loads(saved.read_text())
    saved.unlink()
    (workload,) = found["workloads"]
    losses = {name: np.mean(method["losses"], axis=1) for name, method in workload["methods"].items()}
    assert all((np.diff(curve) <= 1e-12).all() for curve in losses.values())  # more documents never cover less
    assert all(losses["greedy by the true subtopics"][4] <= curve[4] for curve in losses.values())
    assert all(bar["holds"] for bar in found["bars"])
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "| learned |" in text
    assert "old" not in text


def test_the_signed_rank_test_is_that_of_scipy() -> None:
    learned, rival = np.array([0.1, 0.2, 0.3, 0.4, 0.2, 0.1]), np.array([0.3, 0.5, 0.4, 0.45, 0.6, 0.08])
    found = signed_rank(learned, rival)
    assert (found["better"], found["worse"]) == (5, 1)
    assert found["gain"] == pytest.approx((rival - learned).mean())
    assert found["p"] == pytest.approx(
        2 * 2 / 2**6
    )  # the one set lost has rank 1: two of 64 sign patterns are as far off
    assert signed_rank(learned, learned)["p"] == 1.0
