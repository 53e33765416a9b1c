"""What ``maxmargin predict`` writes of sequences beyond one label per token."""

from __future__ import annotations

import re

import numpy as np
import pytest

from maxmargin import ChainCRF, ChainPerceptron, MulticlassSVC, load
from maxmargin.chains.features import tagging_templates
from maxmargin.chains.formats.conll import read_conll, write_conll
from maxmargin.chains.formats.crfsuite import write_crfsuite
from maxmargin.cli import main
from maxmargin.datasets import make_sentences

WORDS, TAGS = make_sentences(60, seed=3)
NEW = WORDS[45:]


@pytest.fixture(scope="module")
def models():
    kinds = {
        "crf": ChainCRF(templates=tagging_templates()),
        "perceptron": ChainPerceptron(passes=2, templates=tagging_templates()),
    }
    return {name: kind.fit(WORDS[:45], TAGS[:45]) for name, kind in kinds.items()}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys, models):
    monkeypatch.chdir(tmp_path)
    for name, model in models.items():
        model.save(f"{name}.mm")
    write_conll("new.conll", [[(word,) for word in sentence] for sentence in NEW])
    MulticlassSVC(C=1.0).fit([[0.0], [1.0]], ["a", "b"]).save("classes.mm")

    def run_words(words):
        with pytest.raises(SystemExit) as stop:
            main(words.split())
        found = capsys.readouterr()
        return stop.value.code or 0, found.out, found.err

    return run_words


def blocks(out):
    """(head as a dict, lines of tokens) of every labelling."""
    parsed = []
    for block in out.removesuffix("\n\n").split("\n\n"):
        lines = block.split("\n")
        head = (
            dict(part.split("=") for part in lines.pop(0).removeprefix("#= ").split()) if lines[0][:2] == "#=" else {}
        )
        parsed.append((head, [line.split(" ") for line in lines]))
    return parsed


def test_the_best_labellings_with_their_scores(run, models):
    code, out, err = run("predict crf.mm new.conll --kbest 3")
    assert (code, err) == (0, "")
    ranked = [
        (i, rank, entry)
        for i, found in enumerate(models["crf"].predict_kbest(NEW, 3))
        for rank, entry in enumerate(found)
    ]
    found = blocks(out)
    assert len(found) == len(ranked) == 45
    for (head, lines), (i, rank, entry) in zip(found, ranked):
        assert head.keys() == {"sequence", "rank", "score"}
        assert (int(head["sequence"]), int(head["rank"])) == (i, rank)
        assert float(head["score"]) == pytest.approx(entry.score, abs=1e-6)
        assert [line[0] for line in lines] == NEW[i]
        assert [line[1] for line in lines] == entry.output


def test_the_file_is_read_again_without_its_heads(run, models):
    assert run("predict crf.mm new.conll --kbest 2 --confidence --output best.conll") == (0, "", "")
    found = read_conll("best.conll", comment="#=")
    expected = [entry.output for entries in models["crf"].predict_kbest(NEW, 2) for entry in entries]
    assert [[label for _, label in sentence] for sentence in found] == expected


def test_probabilities_of_whole_labellings(run, models):
    model = models["crf"]
    found = blocks(run("predict crf.mm new.conll --confidence")[1])
    assert all(head.keys() == {"sequence", "probability"} for head, _ in found)
    np.testing.assert_allclose(
        [float(head["probability"]) for head, _ in found], model.predict_confidence(NEW), rtol=1e-5
    )
    # of all labellings of a short sentence: they add up to one
    write_conll("short.conll", [[(word,) for word in NEW[0][:2]]])
    heads = [head for head, _ in blocks(run("predict crf.mm short.conll --kbest 100 --confidence")[1])]
    assert len(heads) == model.classes_.size**2
    assert sum(float(head["probability"]) for head in heads) == pytest.approx(1.0, abs=1e-4)
    shares = [float(head["probability"]) for head in heads]
    assert shares == sorted(shares, reverse=True)


def test_labels_by_marginals_and_their_probabilities(run, models):
    model = models["crf"]
    code, out, _ = run("predict crf.mm new.conll --decode marginal --scores")
    assert code == 0
    marginals = model.predict_marginals(NEW)
    for (head, lines), labels, probability in zip(blocks(out), model.predict(NEW, decode="marginal"), marginals):
        assert head == {}
        assert [line[1] for line in lines] == labels
        np.testing.assert_allclose([float(line[2]) for line in lines], probability.max(axis=1), atol=1e-6)
    by_rank = blocks(run("predict crf.mm new.conll --kbest 2 --scores")[1])
    for (head, lines), entry in zip(by_rank, [entry for found in model.predict_kbest(NEW, 2) for entry in found]):
        own = marginals[int(head["sequence"])]
        codes = np.searchsorted(model.classes_, entry.output)
        np.testing.assert_allclose([float(line[2]) for line in lines], own[np.arange(len(lines)), codes], atol=1e-6)


def test_scores_without_calibration_warn_once(run):
    code, _, err = run("predict perceptron.mm new.conll --kbest 2 --confidence --scores")
    assert code == 0
    assert err.startswith("warning: These probabilities are a softmax")
    assert "train with --calibrate 3, or with --model crf" in err
    assert err.count("\n") == 1


def test_probabilities_that_were_fitted_to_folds(run):
    write_conll("train.conll", [list(zip(*pair)) for pair in zip(WORDS[:45], TAGS[:45])])
    code, out, err = run("train train.conll c.mm --model perceptron --passes 2 --templates tagging --calibrate 4")
    assert (code, err) == (0, "")
    expected = (
        ChainPerceptron(passes=2, templates="tagging")
        .fit(WORDS[:45], TAGS[:45])
        .calibrate(WORDS[:45], TAGS[:45], folds=4)
    )
    assert load("c.mm").temperature_ == expected.temperature_
    assert f"temperature  {expected.temperature_:.6g}" in out
    code, out, err = run("predict c.mm new.conll --confidence")
    assert (code, err) == (0, "")
    np.testing.assert_allclose(
        [float(head["probability"]) for head, _ in blocks(out)], expected.predict_confidence(NEW), rtol=1e-5
    )
    assert "folds must be a whole number from 2" in run("train train.conll d.mm --templates tagging --calibrate 1")[2]
    err = run("train train.conll d.mm --templates tagging --model crf --calibrate 3")[2]
    assert "--calibrate has no meaning for --model crf" in err


def test_valid_labellings_only(run, tmp_path):
    X, Y = [[["u"], ["v"], ["v"]]] * 3, [["B-x", "I-x", "O"], ["O", "B-x", "I-x"], ["O", "O", "O"]]
    model = ChainCRF(1.0).fit(X, Y)
    model.save("bio.mm")
    write_crfsuite("bio.crfsuite", X[:1], Y[:1])
    found = blocks(run("predict bio.mm bio.crfsuite --kbest 100 --confidence --steps BIO")[1].replace("\t", " "))
    assert all(not re.search("(^|O)I", "".join(line[1][0] for line in lines)) for _, lines in found)
    assert len(found) == 13
    assert sum(float(head["probability"]) for head, _ in found) == pytest.approx(1.0, abs=1e-4)
    assert model.predict_confidence(X, steps="BIO")[0] == pytest.approx(float(found[0][0]["probability"]), rel=1e-5)
    assert model.predict_confidence(X)[0] < model.predict_confidence(X, steps="BIO")[0]
    assert model.expected_loss(X, known=[y if i == 0 else None for i, y in enumerate(Y)])[0] == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("crf.mm new.conll --kbest 0", "--kbest must be at least 1, not 0."),
        (
            "crf.mm nowhere.conll --decode best",
            "--decode must be auto, viterbi or marginal, or risk for trees, not",
        ),
        ("crf.mm new.conll --decode marginal --kbest 2", "--kbest is about whole labellings, and --decode marginal"),
        ("crf.mm new.conll --decode marginal --confidence", "--confidence is about whole labellings"),
        ("crf.mm new.conll --kbest 90000000", "The 90,000,000 best labellings are too many: for sequence"),
        ("classes.mm new.csv --confidence", "--confidence has no meaning for classes.mm, a classifier"),
        ("classes.mm new.csv --decode marginal", "--decode has no meaning for classes.mm, a classifier"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(run, options, message):
    code, out, err = run(f"predict {options}")
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
