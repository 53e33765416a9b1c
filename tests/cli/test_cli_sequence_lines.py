"""What is wrong with a token is found after its file was read; the command line names the line all the same."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from maxmargin import ChainPerceptron
from maxmargin.chains import memory as chain_memory
from maxmargin.chains.features import parse_templates
from maxmargin.chains.formats.conll import iter_conll, read_conll
from maxmargin.chains.formats.crfsuite import iter_crfsuite, read_crfsuite
from maxmargin.chains.sequences import SequenceError, pack, pack_labels
from maxmargin.cli import main
from maxmargin.metrics import chunk_score
from maxmargin.oracles.search import Unsupported

CONLL = "\n\nu B-x\nv I-x\n\n\nu O\n\nw O\nv O\n"
TOKEN_LINES = [3, 4, 7, 9, 10]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.conll").write_text(CONLL)
    (tmp_path / "t.txt").write_text("U00:%x[0,0]\nB\n")
    X, Y = [["u", "v"], ["u"], ["w", "v"]], [["B-x", "I-x"], ["O"], ["O", "O"]]
    ChainPerceptron(passes=2, templates=parse_templates("U00:%x[0,0]\n")).fit(X, Y).save("a.mm")

    def run_words(words):
        with pytest.raises(SystemExit) as stop:
            main(words.split())
        found = capsys.readouterr()
        return stop.value.code or 0, found.out, found.err

    return run_words


def test_readers_say_where_tokens_are(tmp_path):
    conll, crfsuite = tmp_path / "a.conll", tmp_path / "a.crfsuite"
    conll.write_text(CONLL)
    crfsuite.write_text(CONLL.replace(" ", "\t"))
    for read, iterate, path in ((read_conll, iter_conll, conll), (read_crfsuite, iter_crfsuite, crfsuite)):
        lines: list[int] = []
        read(path, lines=lines)
        assert lines == TOKEN_LINES
        lines = []
        reader = iterate(path, lines=lines)
        next(reader)
        assert lines == [3, 4]
    lines = []
    conll.write_text("# one\nu B\n# two\nv I\n")
    read_conll(conll, comment="#", lines=lines)
    assert lines == [2, 4]


def test_a_feature_that_a_model_cannot_take(run, tmp_path):
    (tmp_path / "a.svmhmm").write_text("# tokens\n1 qid:1 1:1\n2 qid:1 2:1\n\n1 qid:2 1:1 3:-2\n")
    code, out, err = run("train a.svmhmm m.mm --model hmm")
    assert (code, out) == (1, "")
    assert err.startswith("error: a.svmhmm, line 5: Sequence 1, token 0: feature 2 is -2; ChainHMM")
    (tmp_path / "a.crfsuite").write_text("A\ta\n\nB\tb\nA\tc:-1\n")
    err = run("train a.crfsuite m.mm --model hmm")[2]
    assert err.startswith("error: a.crfsuite, line 4: Sequence 1, token 1: feature 2 is -1; ChainHMM")


def test_a_sequence_for_which_nothing_is_left(run, tmp_path):
    ChainPerceptron(passes=2, templates=parse_templates("U00:%x[0,0]\n")).fit([["u", "v"]], [["B-x", "E-x"]]).save(
        "e.mm"
    )
    code, out, err = run("predict e.mm a.conll --steps IOBES")  # one token cannot be both first and last
    assert (code, out) == (1, "")
    assert err.startswith("error: a.conll, line 7: known and steps together leave no labelling for sequence 1;")


def test_a_label_of_another_scheme(run, tmp_path):
    (tmp_path / "e.conll").write_text("u B-x\nv E-x\n\nu S-x\n")
    code, _, err = run("evaluate a.mm e.conll --scheme BIO")
    assert code == 1
    note, error = err.splitlines()
    assert note.startswith("note: 2 labels of the file were not seen in training and can only be mistakes")
    assert note.endswith("; the first is E-x (e.conll, line 2).")
    assert error.startswith("error: e.conll, line 2: Sequence 0, token 1: The label 'E-x' is not of the scheme BIO")
    (tmp_path / "e.conll").write_text("u B-x\nv I-y\n")
    code, _, err = run("evaluate a.mm e.conll")
    assert code == 0
    assert err.startswith("note: a label of the file was not seen in training and can only be mistakes")
    assert err.endswith("; the first is I-y (e.conll, line 2).\n")


def test_a_sequence_that_is_too_long(run, monkeypatch):
    monkeypatch.setattr(chain_memory, "_MOST_BYTES", 100)
    err = run("train a.conll m.mm --templates t.txt --rescaling slack")[2]
    assert err.startswith(
        "error: a.conll, line 3: slack rescaling with linear slack looks at every value of the loss; for sequence 0"
    )
    err = run("predict a.mm a.conll --kbest 9")[2]
    assert err.startswith("error: a.conll, line 3: The 9 best labellings are too many: for sequence 0 of 2 tokens")


def test_a_hard_margin_that_cannot_be(run, tmp_path):
    (tmp_path / "h.conll").write_text("\nu A\n\nv A\n\nv B\n")
    code, _, err = run("train h.conll m.mm --templates t.txt --slack hard")
    assert code == 1
    assert "The sequence that begins on h.conll, line" in err
    assert "use --slack linear" in err


def test_the_place_is_part_of_the_error():
    X = pack([np.eye(2), np.eye(2)])
    with pytest.raises(SequenceError, match="Sequence 1, token 0 has the label 'c'") as caught:
        pack_labels([["a", "b"], ["c", "a"]], X, classes=np.array(["a", "b"]))
    error = pickle.loads(pickle.dumps(caught.value))  # as between the processes of a grid search
    assert (error.sequence, error.token, str(error)) == (1, 0, str(caught.value))
    with pytest.raises(SequenceError, match="Sequence 0, token 1: column 1 is nan") as caught:
        pack([np.array([[1.0, 2.0], [0.0, np.nan]])])
    assert (caught.value.sequence, caught.value.token) == (0, 1)
    with pytest.raises(SequenceError, match="Sequence 1, token 0: The label 'N' is of no scheme"):
        chunk_score([["O"], ["N"]], [["O"], ["O"]])
    error = pickle.loads(pickle.dumps(chain_memory.TooLarge("x", 3)))
    assert isinstance(error, Unsupported)
    assert error.sequence == 3
