"""``maxmargin align`` from files to files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from Bio.Align import substitution_matrices

import maxmargin as mm
from maxmargin.alignments import (
    Alignment,
    Known,
    MultipleAlignment,
    read_fasta,
    read_matrix,
    write_alignments,
    write_matrix,
)
from maxmargin.cli import main
from maxmargin.datasets import make_homologs


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Twelve alignments of two sequences, a Stockholm file of six more, and four sequences to align."""
    path = tmp_path_factory.mktemp("align")
    natives, candidates, alignments = make_homologs(20, decoys=0, length=24, operations=24, seed=2)
    families = [
        MultipleAlignment([f"x{k}", f"y{k}"], alignment.gapped(native, row[0]))
        for k, (native, row, alignment) in enumerate(zip(natives, candidates, alignments))
    ]
    for k, family in enumerate(families[:12]):
        write_alignments(path / f"family{k:02}.fa", [family])
    write_alignments(path / "others.sto", families[12:18])
    rows = [(f"{name}{k}", text) for k in (18, 19) for name, text in (("x", natives[k]), ("y", candidates[k][0]))]
    (path / "new.fa").write_text("".join(f">{name}\n{text}\n" for name, text in rows))
    return path


def families(folder):
    return [str(path) for path in sorted(folder.glob("family*.fa"))]


@pytest.fixture(scope="module")
def model(folder):
    path = folder / "model"
    main_returns(["align", "train", str(path), *families(folder), "--asymmetric", "--unknown", "T"])
    return path


def main_returns(arguments):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code in (0, None), arguments


def refused(arguments, capsys):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 1
    return capsys.readouterr().err


def test_train_writes_a_model_and_a_matrix(folder, capsys):
    path, matrix = folder / "other", folder / "learned.txt"
    options = ["--gaps", "linear", "--loss", "f1", "--C", "0.1", "--matrix", str(matrix)]
    main_returns(["align", "train", str(path), *families(folder), *options])
    printed = capsys.readouterr().out
    assert "pairs of sequences  12" in printed
    found = mm.load(path)
    assert (found.C, found.loss) == (0.1, "f1")
    assert found.gap_scores()[0, 0] == found.gap_scores()[0, 1]
    with open(matrix) as file:
        theirs = np.array(substitution_matrices.read(file))
    scores = found.substitution_matrix()
    assert np.abs(theirs).max() == 100
    np.testing.assert_allclose(theirs, scores * 100 / np.abs(scores).max(), atol=0.51)


@pytest.mark.parametrize("kind", ["svm", "crf"])
def test_both_kinds_learn(folder, kind):
    path = folder / kind
    main_returns(["align", "train", str(path), *families(folder), "--model", kind, "--gaps", "residue"])
    assert type(mm.load(path)).__name__ == {"svm": "AlignmentSVM", "crf": "AlignmentCRF"}[kind]


def test_learning_starts_from_a_matrix_and_predictions_from_probabilities(folder, capsys):
    path, matrix, new = folder / "known", folder / "known.txt", str(folder / "new.fa")
    write_matrix(matrix, np.eye(20) - 0.1, "ABCDEFGHIJKLMNOPQRST", whole=False)
    options = ["--known", str(matrix), "--calibrate", "2", "--C", "0.01"]
    main_returns(["align", "train", str(path), *families(folder), *options])
    found = mm.load(path)
    assert found.calibrated_
    assert Known(matrix) in found.features.parts
    capsys.readouterr()
    main_returns(["align", "predict", str(path), new, "--as", "cigar", "--decode", "risk", "--shift", "2"])
    texts = read_fasta(new)[1]
    answers = found.predict(list(zip(texts[::2], texts[1::2])), decode="risk", shift=2)
    assert [Alignment.from_cigar(line.split("\t")[3]) for line in capsys.readouterr().out.splitlines()] == answers
    main_returns(["align", "evaluate", str(path), str(folder / "others.sto"), "--decode", "risk", "--json"])
    assert 0.0 <= json.loads(capsys.readouterr().out)["q"] <= 1.0


def test_predict_writes_every_form(folder, model, capsys):
    new = folder / "new.fa"
    names, texts = read_fasta(new)
    pairs = list(zip(texts[::2], texts[1::2]))
    capsys.readouterr()
    main_returns(["align", "predict", str(model), str(new), "--as", "cigar"])
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    answers = mm.load(model).predict(pairs)
    assert [line[:2] for line in lines] == [names[:2], names[2:]]
    assert [Alignment.from_cigar(line[3]) for line in lines] == answers
    np.testing.assert_allclose([float(line[2]) for line in lines], mm.load(model).decision_value(pairs, answers))

    output = folder / "answers.fa"
    main_returns(["align", "predict", str(model), str(new), "--output", str(output)])
    rows = read_fasta(output)[1]
    assert [Alignment.from_gapped(*two) for two in zip(rows[::2], rows[1::2])] == answers

    main_returns(["align", "predict", str(model), str(new), "--as", "text"])
    assert "x18 and y18" in capsys.readouterr().out
    main_returns(["align", "predict", str(model), str(new), "--as", "html"])
    assert capsys.readouterr().out.count('class="maxmargin-alignment"') == 2


def test_evaluate_scores_what_predict_says(folder, model, capsys):
    capsys.readouterr()
    main_returns(["align", "evaluate", str(model), str(folder / "others.sto"), "--json"])
    results = json.loads(capsys.readouterr().out)
    assert results["pairs"] == 6
    assert 0.2 < results["q"] <= results["q4"] <= 1.0
    main_returns(["align", "evaluate", str(model), *families(folder)])
    assert "Q4" in capsys.readouterr().out


def test_matrix_writes_real_numbers(folder, model):
    output = folder / "real.txt"
    main_returns(["align", "matrix", str(model), str(output), "--real"])
    found, letters = read_matrix(output)
    assert list(letters) == list(mm.load(model).layout_.alphabets["residue"].letters)
    np.testing.assert_allclose(found, mm.load(model).substitution_matrix(), rtol=1e-5)


def test_what_is_wrong_is_a_sentence(folder, model, capsys):
    new = str(folder / "new.fa")
    family = families(folder)[0]
    assert "--gaps must be one of" in refused(["align", "train", str(folder / "m"), family, "--gaps", "no"], capsys)
    assert "--model must be svm" in refused(["align", "train", str(folder / "m"), family, "--model", "x"], capsys)
    assert "--as must be one of" in refused(["align", "predict", str(model), new, "--as", "pdf"], capsys)
    three = folder / "three.fa"
    three.write_text(">a\nAC\n>b\nAC\n>c\nAC\n")
    assert "even number" in refused(["align", "predict", str(model), str(three)], capsys)
    odd = folder / "odd.fa"
    odd.write_text(">a\nAC\n>b\n\n")
    assert "the record 'b' is empty" in refused(["align", "predict", str(model), str(odd)], capsys)
    letters = folder / "letters.fa"
    letters.write_text(">a\nABAB\n>other\nAB1B\n")
    plain_model = folder / "plain"
    main_returns(["align", "train", str(plain_model), *families(folder)])
    for command in ("predict", "evaluate"):
        message = refused(["align", command, str(plain_model), str(letters)], capsys)
        assert "letters.fa: the sequence 'other' has the letter '1' at position 2" in " ".join(message.split())
    risk = refused(["align", "predict", str(plain_model), new, "--decode", "risk"], capsys)
    assert "train it with --calibrate 3" in " ".join(risk.split())
    crf = ["align", "train", str(folder / "m"), family, "--model", "crf", "--calibrate", "3"]
    assert "--calibrate is for --model svm" in refused(crf, capsys)
    apart = folder / "apart.fa"
    apart.write_text(">a\nAC--\n>b\n--AC\n")
    assert "no two sequences have aligned" in refused(["align", "train", str(folder / "m"), str(apart)], capsys)
    assert "is the file to be read" in refused(["align", "train", family, family], capsys)
    plain = folder / "classes"
    mm.MulticlassSVC().fit([[0.0], [1.0]], [0, 1]).save(plain)
    assert "which does not align" in refused(["align", "predict", str(plain), new], capsys)
