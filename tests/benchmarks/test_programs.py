"""The programs in benchmarks/: each is where the documentation says, and starts without being installed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
PROGRAMS = [
    path.relative_to(ROOT).as_posix()
    for path in sorted(BENCHMARKS.rglob("*.py"))
    if '__name__ == "__main__"' in path.read_text(encoding="utf-8") and path.parent.name != "shared"
]


def test_every_workload_has_one_runner():
    folders = sorted({path.parent.name for path in BENCHMARKS.glob("*/*.py")})
    assert [name for name in folders if f"benchmarks/{name}/run.py" not in PROGRAMS] == ["shared"]
    assert not list(BENCHMARKS.glob("*.py"))


def test_the_programs_that_the_documentation_names_exist():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    sources = [path for folder in ("benchmarks", "src") for path in (ROOT / folder).rglob("*.py")]
    named = {
        name: path
        for path in [*pages, *sources]
        for name in re.findall(r"\bbenchmarks/[\w/]+\.py\b", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert not [f"{path} names {name}" for name, path in named.items() if not (ROOT / name).exists()]


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_start_from_the_root_of_the_repository(name):
    command = [sys.executable, name, "--help"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "usage:" in ended.stdout
