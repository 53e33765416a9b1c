"""Every example runs as it stands and says something."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.fixture(autouse=True)
def as_a_user(monkeypatch, tmp_path):
    """In an empty folder, without arguments and without data sets."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["example"])
    monkeypatch.delenv("MAXMARGIN_DATA", raising=False)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) >= 3


def test_there_are_examples():
    names = "chunking custom_problem diversity handwriting measures multiclass multilabel programs ranking taxonomy"
    assert set(names.split()) <= {path.stem for path in EXAMPLES}


def test_custom_problem_gains_from_its_structure(capsys):
    runpy.run_path(str(EXAMPLES[0].parent / "custom_problem.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    wrong = [float(line.split(": ")[1].split()[0]) for line in lines]
    assert wrong[1] < wrong[0]
    assert wrong[2] < wrong[0]


def test_handwriting_gains_from_its_chain_and_draws(capsys, tmp_path):
    runpy.run_path(str(EXAMPLES[0].parent / "handwriting.py"), run_name="__main__")
    wrong = {}
    for line in capsys.readouterr().out.splitlines():
        name, colon, rest = line.partition(": ")
        if colon and "of the letters wrong" in rest:
            wrong[name] = float(rest.split("%")[0])
    assert wrong["as a chain, order 1"] < 0.5 * wrong["one by one"]
    assert (tmp_path / "handwriting.png").read_bytes().startswith(b"\x89PNG")
