"""Every example runs as it stands and says something."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) >= 3


def test_there_are_examples():
    assert {"custom_problem", "multiclass"} <= {path.stem for path in EXAMPLES}


def test_custom_problem_gains_from_its_structure(capsys):
    runpy.run_path(str(EXAMPLES[0].parent / "custom_problem.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    wrong = [float(line.split(": ")[1].split()[0]) for line in lines]
    assert wrong[1] < wrong[0]
    assert wrong[2] < wrong[0]
