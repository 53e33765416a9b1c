"""Two-class files on the command line: training for a measure, answers, evaluation, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

import maxmargin
from maxmargin import MeasureSVC
from maxmargin.cli import main


def write_table(path, X, labels):
    lines = ["a,b,c,kind", *(",".join([*map(repr, row.tolist()), label]) for row, label in zip(X, labels))]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """120 rows of two kinds for training and 80 for testing, in the working folder; one in five is rare."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    labels = np.where(X[:, 0] - X[:, 1] + 0.5 * rng.standard_normal(200) > 1.3, "rare", "usual")
    write_table(tmp_path / "train.csv", X[:120], labels[:120])
    write_table(tmp_path / "test.csv", X[120:], labels[120:])
    return X, labels


def run(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(words.split())
    captured = capsys.readouterr()
    return stop.value.code, captured.out, captured.err


@pytest.mark.parametrize("measure", ["f1", "roc_area", "fbeta(0.5)", "error_rate"])
def test_train_predict_evaluate(data, capsys, measure):
    X, labels = data
    code, out, err = run(f"train train.csv m.model --measure {measure} --positive rare --C 2", capsys)
    assert (code, err) == (0, "")
    assert measure in out
    peer = MeasureSVC(measure, 2.0, pos_label="rare").fit(X[:120], labels[:120])
    model = maxmargin.load("m.model")
    np.testing.assert_allclose(model.coef_, peer.coef_)
    assert model.classes_.tolist() == ["rare", "usual"]

    code, out, _ = run("predict m.model test.csv --scores", capsys)
    rows = [line.split("\t") for line in out.splitlines()]
    assert [row[0] for row in rows] == peer.predict(X[120:]).tolist()
    np.testing.assert_allclose([float(row[1]) for row in rows], peer.decision_function(X[120:]), rtol=1e-6)
    code, out, _ = run("predict m.model test.csv", capsys)
    assert out.splitlines() == peer.predict(X[120:]).tolist()

    code, out, _ = run("evaluate m.model test.csv --json", capsys)
    found = json.loads(out)
    assert found["measure"] == measure
    assert found["value"] == pytest.approx(peer.score(X[120:], labels[120:]))
    if measure == "f1":
        assert found["value"] == pytest.approx(f1_score(labels[120:], peer.predict(X[120:]), pos_label="rare"))
    if measure == "roc_area":
        assert found["value"] == pytest.approx(roc_auc_score(labels[120:] == "usual", peer.decision_function(X[120:])))
    code, out, _ = run("evaluate m.model test.csv", capsys)
    assert code == 0
    assert measure in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("train train.csv m.model --positive rare", "--positive has no meaning for train.csv, without --measure"),
        ("train train.csv m.model --measure f1 --cost x.csv", "--cost has no meaning for train.csv, with --measure"),
        (
            "train train.csv m.model --measure f1 --method x",
            "method must be one of 'auto', 'structural', not 'x'",
        ),
        ("train train.csv m.model --measure f1 --slack squared", "slack='squared' is for method='structural'"),
        ("train train.csv m.model --measure f2", "There is no measure 'f2'"),
        ("train train.csv m.model --measure precision_at_k(500)", "takes 500 rows, and the sample has 120"),
        ("train train.csv m.model --measure f1 --positive none", "--positive names the class 'none', but the data has"),
        ("train three.csv m.model --measure f1", "--measure needs two classes, and the data has"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(data, capsys, words, sentence):
    write_table(Path("three.csv"), data[0][:30], np.array(["x", "y", "z"] * 10))
    code, _, err = run(words, capsys)
    assert code == 1
    assert sentence in " ".join(err.split())


def test_two_classes_have_no_further_ones(data, capsys):
    assert run("train train.csv m.model --measure f1", capsys)[0] == 0
    code, _, err = run("predict m.model test.csv --kbest 2", capsys)
    assert code == 1
    assert "--kbest has no meaning for m.model, a classifier of two classes" in " ".join(err.split())


def test_sequences_have_no_measure(data, capsys, tmp_path):
    (tmp_path / "a.conll").write_text("the DT\ndog NN\n\n")
    code, _, err = run("train a.conll m.model --measure f1", capsys)
    assert code == 1
    assert "--measure" in err


def test_weight_of_classes_method_and_threshold(data, capsys):
    X, labels = data
    code, _, err = run(
        "train train.csv m.model --measure f1 --positive rare --C 2 --class-weight rare=3 --method structural "
        "--threshold-for mcc",
        capsys,
    )
    assert (code, err) == (0, "")
    peer = MeasureSVC(
        "f1", 2.0, method="structural", pos_label="rare", class_weight={"rare": 3}, threshold_for="mcc"
    ).fit(X[:120], labels[:120])
    model = maxmargin.load("m.model")
    np.testing.assert_allclose(model.coef_, peer.coef_)
    np.testing.assert_allclose(model.intercept_, peer.intercept_)
    run("train train.csv m.model --measure roc_area --threshold-for none", capsys)
    assert maxmargin.load("m.model").threshold_ == 0.0
    for words in ("--positive rare", "--threshold-for f1"):
        code, _, err = run(f"train train.csv m.model {words}", capsys)
        assert code == 1
        assert f"{words.split()[0]} has no meaning for train.csv, without --measure; leave it out." in " ".join(
            err.split()
        )
    code, _, err = run("train train.csv m.model --measure f1 --method structural --class-weight rare=2.5", capsys)
    assert (code, "must be whole" in " ".join(err.split())) == (1, True)
