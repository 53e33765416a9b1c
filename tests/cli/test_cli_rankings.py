"""The command line on files of rankings: what it writes, what it prints, and how it fails."""

import json

import numpy as np
import pytest

import maxmargin
from maxmargin import RankingSVM
from maxmargin.cli import main
from maxmargin.datasets import make_ranking
from maxmargin.rankings.letor import read_letor, write_letor


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y, queries = make_ranking(40, noise=0.3)
    for name, rows in (("train", queries < 25), ("test", queries >= 25)):
        write_letor(tmp_path / f"{name}.letor", X[rows], y[rows], queries[rows])
    return tmp_path


@pytest.fixture
def run(capsys):
    """Runs the command line with words; returns exit code, stdout and stderr."""

    def run_words(words):
        code = 0
        try:
            main(words.split())
        except SystemExit as stop:
            code = int(stop.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run_words


@pytest.mark.parametrize("measure", ["swapped_pairs", "ndcg(5)", "average_precision", "mrr"])
def test_train_predict_evaluate(folder, run, measure):
    code, out, err = run(f"train train.letor model.maxmargin --measure {measure} --C 0.1")
    assert (code, err) == (0, "")
    assert "queries" in out
    assert measure in out
    model = maxmargin.load("model.maxmargin")
    train, test = read_letor("train.letor"), read_letor("test.letor")
    expected = RankingSVM(C=0.1, measure=measure).fit(train.X, train.grades, groups=train.queries)
    np.testing.assert_allclose(model.coef_, expected.coef_)
    code, out, _ = run("predict model.maxmargin test.letor")
    assert code == 0
    np.testing.assert_allclose(np.loadtxt(out.splitlines()), expected.predict(test.X), rtol=1e-7)
    assert run("predict model.maxmargin test.letor --output scores.txt")[0] == 0
    assert (folder / "scores.txt").read_text() == out
    code, out, _ = run("evaluate model.maxmargin test.letor --json")
    found = json.loads(out)
    assert found["queries"] == 15
    assert found[measure] == pytest.approx(expected.score(test.X, test.grades, groups=test.queries))
    assert found["ndcg(10)"] > 0.8
    assert "ndcg(3)" in run("evaluate model.maxmargin test.letor")[1]


def test_other_endings_and_features_unknown_to_the_model(folder, run):
    (folder / "train.txt").write_text((folder / "train.letor").read_text())
    assert run("train train.txt m --format letor")[0] == 0
    (folder / "wide.txt").write_text("1 qid:1 1:1 30:2\n0 qid:1 2:1\n")
    code, out, err = run("predict m wide.txt")
    assert (code, len(out.splitlines())) == (0, 2)
    assert "note: 1 features of wide.txt are beyond the 20" in err


def test_queries_left_out_are_told(folder, run):
    (folder / "some.letor").write_text("1 qid:1 1:1\n0 qid:1 2:1\n0 qid:2 1:1\n0 qid:2 2:1\n")
    code, out, err = run("train some.letor m")
    assert (code, err) == (0, "")
    assert "of them left out  1" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train train.letor m --no-intercept", "--no-intercept has no meaning for train.letor, a file of rankings"),
        ("train train.letor m --class-weight balanced", "--class-weight has no meaning for train.letor"),
        ("train train.letor m --order 2", "--order has no meaning for train.letor"),
        ("train train.letor m --measure f1", "There is no measure of rankings 'f1'"),
        ("train train.letor m --measure ndcg(500)", "use a smaller k"),
        ("train train.letor train.letor", "is the file to be read"),
        ("train iris.svm m --gain linear", "--gain has no meaning for iris.svm, a svmlight file; leave it out"),
        ("train a.svmhmm m --relevant 2", "--relevant has no meaning for a.svmhmm, a svmhmm file; leave it out"),
        ("train train.txt m", "name the format: svmlight, csv, tsv, conll, crfsuite, svmhmm, letor"),
        ("predict model test.letor --kbest 2", "--kbest has no meaning for model, a ranking; leave it out"),
        ("predict model iris.csv", "iris.csv is a csv file, but the model ranks; give a letor file"),
        ("evaluate model test.letor --zero-based", "--zero-based has no meaning for model, a ranking; leave it out"),
    ],
)
def test_what_is_wrong_is_one_sentence(folder, run, words, message):
    assert run("train train.letor model")[0] == 0
    code, _, err = run(words)
    assert code == 1
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_a_ranking_is_no_table(folder):
    with pytest.raises(ValueError, match=r"train\.letor is a letor file, which holds rankings; give svmlight"):
        maxmargin.io.read.read_data("train.letor")
