"""Kernels on the command line: models of tables, rankings and sequences, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import maxmargin
from maxmargin import Kernel
from maxmargin.chains.formats.svmhmm import write_svmhmm
from maxmargin.cli import main
from maxmargin.datasets import make_ranking
from maxmargin.rankings.letor import write_letor


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 3))
    y = (X[:, 0] * X[:, 1] > 0.0).astype(int)
    lines = [",".join(map(str, [*row, f"class{label}"])) for row, label in zip(X, y)]
    (tmp_path / "table.csv").write_text("a,b,c,label\n" + "\n".join(lines) + "\n")
    write_letor(tmp_path / "rows.letor", *make_ranking(10, noise=0.3))
    write_svmhmm("rows.svmhmm", [X[i : i + 6] for i in range(0, 90, 6)], y + 1)
    return tmp_path


@pytest.mark.parametrize(
    ("data", "options"),
    [("table.csv", ""), ("table.csv", "--measure f1"), ("rows.letor", ""), ("rows.svmhmm", "--model crf")],
    ids=["classes", "measure", "ranking", "sequences"],
)
def test_models_with_kernels_are_trained_and_asked(folder, capsys, data, options):
    main_exits(f"train {data} model --kernel poly(degree=2,gamma=0.5) --rank 9 {options}")
    printed = capsys.readouterr().out
    assert "reference rows" in printed
    assert "poly" in printed
    model = maxmargin.load("model")
    assert model.kernel == Kernel("poly", degree=2, gamma=0.5)
    assert model.rank == 9
    main_exits(f"predict model {data}")
    assert len(capsys.readouterr().out.split()) >= 60


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("gaussian", "There is no kernel 'gaussian'"),
        ("poly(2)", "The kernel must be a name, or one with numbers such as poly(degree=2,gamma=0.1), not 'poly(2)'"),
        ("poly(degree=2", "The kernel must be a name"),
        ("poly(degree=x)", "degree of the kernel is 'x', which is no number that it can have"),
    ],
)
def test_what_is_no_kernel_is_refused(folder, capsys, kernel, message):
    with pytest.raises(SystemExit) as stop:
        main(["train", "table.csv", "model", "--kernel", kernel])
    assert stop.value.code == 1
    assert message in " ".join(capsys.readouterr().err.split())


def main_exits(words):
    with pytest.raises(SystemExit) as stop:
        main(words.split())
    assert not stop.value.code
