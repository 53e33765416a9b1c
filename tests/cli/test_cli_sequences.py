"""The command line on files of sequences, run in process: what it writes, what it prints, and how it fails."""

from __future__ import annotations

import json

import numpy as np
import pytest

import maxmargin
from maxmargin import ChainCRF, ChainHMM, ChainPerceptron, ChainSVC, MulticlassSVC
from maxmargin.chains.features import parse_templates, tagging_templates
from maxmargin.chains.formats.conll import read_conll, split_labels, write_conll
from maxmargin.chains.formats.crfsuite import read_crfsuite, write_crfsuite
from maxmargin.chains.formats.svmhmm import read_svmhmm, write_svmhmm
from maxmargin.cli import main
from maxmargin.datasets import make_sentences
from maxmargin.metrics import chunk_score, token_accuracy

TEMPLATES = "U00:%x[0,0]\nU01:%x[-1,0]\nU02:%x[0,1]\nB\n"


def chunks(tags):
    """Noun phrases, determiner to noun, in BIO labels."""
    found = []
    for t, tag in enumerate(tags):
        inside = tag in ("DET", "ADJ", "NOUN")
        goes_on = inside and t > 0 and tags[t - 1] in ("DET", "ADJ") and tag != "DET"
        found.append("I-NP" if goes_on else "B-NP" if inside else "O")
    return found


@pytest.fixture(scope="module")
def sentences():
    words, tags = make_sentences(60, seed=7)
    return [
        [(word, word[-2:], label) for word, label in zip(sentence, chunks(own))] for sentence, own in zip(words, tags)
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch, sentences):
    """The same sentences as CoNLL columns, CRFsuite attributes and SVM-HMM features, in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "templates.txt").write_text(TEMPLATES)
    names = sorted({suffix for sentence in sentences for _, suffix, _ in sentence})
    for name, part in (("train", sentences[:45]), ("test", sentences[45:])):
        write_conll(f"{name}.conll", part)
        X, Y = split_labels(part)
        write_crfsuite(f"{name}.crfsuite", [[list(map("w={}".format, token)) for token in x] for x in X], Y)
        matrices = [np.eye(len(names))[[names.index(suffix) for _, suffix in x]] for x in X]
        write_svmhmm(f"{name}.svmhmm", matrices, [["O", "B-NP", "I-NP"].index(tag) + 1 for y in Y for tag in y])
    return tmp_path


@pytest.fixture
def run(capsys):
    def run_words(words):
        with pytest.raises(SystemExit) as stop:
            main(words.split())
        captured = capsys.readouterr()
        return stop.value.code or 0, captured.out, captured.err

    return run_words


MODELS = {
    "svm": (ChainSVC(templates=parse_templates(TEMPLATES)), ""),
    "crf": (ChainCRF(templates=parse_templates(TEMPLATES)), ""),
    "perceptron": (ChainPerceptron(templates=parse_templates(TEMPLATES)), ""),
    "hmm": (ChainHMM(alpha=0.1, templates=parse_templates(TEMPLATES)), "--alpha 0.1"),
}


@pytest.mark.parametrize("kind", MODELS)
def test_conll_in_agrees_with_python_and_conll_comes_out(folder, run, kind):
    estimator, options = MODELS[kind]
    code, out, err = run(f"train train.conll m.mm --model {kind} --templates templates.txt {options}")
    assert (code, err) == (0, "")
    table = dict(line.split()[:2] for line in out.splitlines() if line.split())
    assert table["sequences"] == "45"
    assert table["estimator"] == type(estimator).__name__
    model = maxmargin.load("m.mm")
    X, Y = split_labels(read_conll("train.conll"))
    X_test, Y_test = split_labels(read_conll("test.conll"))
    expected = type(estimator)(**estimator.get_params()).fit(X, Y).predict(X_test)
    assert model.predict(X_test) == expected

    assert run("predict m.mm test.conll --output out.conll") == (0, "", "")
    columns, predicted = split_labels(read_conll("out.conll"))
    assert columns == read_conll("test.conll")
    assert predicted == expected

    code, out, err = run("evaluate m.mm test.conll --json")
    assert (code, err) == (0, "")
    results = json.loads(out)
    assert results["token_accuracy"] == pytest.approx(token_accuracy(Y_test, expected))
    score = chunk_score(Y_test, expected)
    assert results["chunks"] == pytest.approx(
        {"precision": score.precision, "recall": score.recall, "f1": score.f1, "chunks": score.support}
    )
    assert results["chunk_kinds"] == [{"kind": "NP", **results["chunks"]}]
    assert results["token_accuracy"] > 0.6


def test_files_without_labels_and_with_other_names(folder, run):
    assert run("train train.conll m.mm --templates templates.txt")[0] == 0
    with_labels = run("predict m.mm test.conll")[1]
    X, _ = split_labels(read_conll("test.conll"))
    write_conll("bare.txt", X)
    out = run("predict m.mm bare.txt")[1]
    assert [line.split()[-1:] for line in out.splitlines()] == [line.split()[-1:] for line in with_labels.splitlines()]
    assert out.splitlines()[0].split()[:2] == list(X[0][0])
    code, out, err = run("evaluate m.mm bare.txt")
    assert (code, out) == (1, "")
    assert "bare.txt has no column of labels" in err


def test_probabilities_in_a_column(folder, run):
    assert run("train train.conll m.mm --model crf --templates tagging")[0] == 0
    code, out, err = run("predict m.mm test.conll --scores --steps BIO")
    assert (code, err) == (0, "")
    model = maxmargin.load("m.mm")
    X, _ = split_labels(read_conll("test.conll"))
    told = [float(line.split()[-1]) for line in out.splitlines() if line]
    marginals = np.concatenate(model.predict_marginals(X, steps="BIO"))
    codes = np.searchsorted(model.classes_, np.concatenate(model.predict(X, steps="BIO")))
    np.testing.assert_allclose(told, marginals[np.arange(codes.size), codes], atol=1e-6)
    assert run("train train.conll s.mm --templates tagging")[0] == 0
    code, _, err = run("predict s.mm test.conll --scores")
    assert code == 0
    assert err.startswith("warning: These probabilities are a softmax")
    assert err.count("\n") == 1


def test_ready_templates(folder, run):
    assert run("train train.conll m.mm --model perceptron --templates tagging --passes 3")[0] == 0
    model = maxmargin.load("m.mm")
    assert model.templates == tagging_templates()
    assert model.passes == 3


def test_attributes_of_crfsuite(folder, run):
    assert run("train train.crfsuite m.mm --model crf --observed --l1 0.1 --l2 0.2 --tol 0.1 --min-count 2")[0] == 0
    model = maxmargin.load("m.mm")
    assert (model.observed, model.l1, model.l2, model.min_count) == (True, 0.1, 0.2, 2)
    X, Y = read_crfsuite("test.crfsuite")
    out = run("predict m.mm test.crfsuite")[1]
    rows = [line.split("\t") for line in out.splitlines() if line]
    assert [row[0] for row in rows] == [label for labels in Y for label in labels]
    assert [row[1] for row in rows] == np.concatenate(model.predict(X)).tolist()
    assert json.loads(run("evaluate m.mm test.crfsuite --json")[1])["tokens"] == len(rows)


@pytest.mark.parametrize("kind", ["svm", "crf"])
def test_weights_of_labels(folder, run, kind):
    start = f"train train.conll m.mm --templates tagging --model {kind} --tol 0.1"
    assert run(f"{start} --class-weight balanced")[0] == 0
    assert maxmargin.load("m.mm").class_weight == "balanced"


def test_features_of_svm_hmm(folder, run):
    words = "train train.svmhmm m.mm --C 0.5 --order 2 --window 1 --eta 2 --no-ends --no-intercept --seed 3"
    assert run(f"{words} --slack squared --class-weight 1=2")[0] == 0
    model = maxmargin.load("m.mm")
    assert (model.C, model.order, model.window, model.eta) == (0.5, 2, 1, 2.0)
    assert (model.ends, model.fit_intercept, model.random_state, model.slack) == (False, False, 3, "squared")
    assert model.class_weight == {1: 2.0, 2: 1.0, 3: 1.0}
    data = read_svmhmm("test.svmhmm", n_features=model.n_features_in_ // 3)
    out = run("predict m.mm test.svmhmm")[1]
    assert [int(line.split()[1]) for line in out.splitlines() if line] == np.concatenate(model.predict(data.X)).tolist()
    results = json.loads(run("evaluate m.mm test.svmhmm --json")[1])
    assert "chunks" not in results
    assert results["sequence_accuracy"] <= results["token_accuracy"]
    (folder / "more.svmhmm").write_text("1 qid:1 1:1 9999:1\n")
    assert "features of more.svmhmm are beyond the" in run("predict m.mm more.svmhmm")[2]


def test_evaluate_prints_tables(folder, run):
    assert run("train train.conll m.mm --templates templates.txt")[0] == 0
    out = run("evaluate m.mm test.conll --steps BIO")[1]
    for text in ("token accuracy", "sequences without a mistake", "chunk F1", "Chunks", "Labels", "B-NP"):
        assert text in out


def test_labels_that_training_never_saw_count_as_mistakes(folder, run):
    assert run("train train.conll m.mm --templates templates.txt")[0] == 0
    (folder / "new.conll").write_text("a ba B-XX\nb bu O\n")
    results = json.loads(run("evaluate m.mm new.conll --json")[1])
    assert results["tokens"] == 2
    assert results["token_accuracy"] <= 0.5
    assert [row["kind"] for row in results["chunk_kinds"]][-1] == "XX"


def test_chunks_in_other_schemes(folder, run):
    last = {"train": [], "test": []}
    for part, sentences in last.items():
        for columns, labels in zip(*split_labels(read_conll(f"{part}.conll"))):
            after = [*labels[1:], "O"]
            ends = [
                label[0] + ("E" if label != "O" and not later.startswith("I") else "")
                for label, later in zip(labels, after)
            ]
            names = {"BE": "U-NP", "B": "B-NP", "I": "I-NP", "IE": "L-NP", "O": "O"}
            sentences.append([(*column, names[end]) for column, end in zip(columns, ends)])
        write_conll(f"{part}-bilou.conll", sentences)
    assert run("train train-bilou.conll m.mm --templates templates.txt")[0] == 0
    results = json.loads(run("evaluate m.mm test-bilou.conll --steps BILOU --json")[1])
    model = maxmargin.load("m.mm")
    X, Y = split_labels(read_conll("test-bilou.conll"))
    score = chunk_score(Y, model.predict(X, steps="BILOU"))
    assert results["scheme"] == "BILOU"
    assert results["chunks"]["f1"] == pytest.approx(score.f1)
    assert results["chunks"]["chunks"] == chunk_score(*[split_labels(read_conll("test.conll"))[1]] * 2).support
    assert json.loads(run("evaluate m.mm test-bilou.conll --steps BILOU --scheme bilou --json")[1]) == results
    code, out, _ = run("evaluate m.mm test-bilou.conll")
    assert code == 0
    assert "scheme of chunks" in out
    code, _, err = run("evaluate m.mm test-bilou.conll --scheme BIO")
    assert code == 1
    assert "is not of the scheme BIO, whose labels are O, B-x, I-x" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train nowhere.conll m.mm --templates tagging", "nowhere.conll cannot be used: no such file or directory."),
        ("train train.conll m.mm", "say with --templates how to make attributes of them: entities for names, tagging"),
        ("train train.conll m.mm --templates nothing.txt", "there is no file nothing.txt"),
        ("train train.conll m.mm --templates bad.txt", "bad.txt: Template line 2 ('X01:') starts with 'X'"),
        ("train train.conll templates.txt --templates templates.txt", "templates.txt is the file to be read"),
        ("train train.conll m.mm --templates tagging --model tree", "--model must be one of svm, crf, perceptron, hmm"),
        ("train train.conll m.mm --templates tagging --l1 1", "--l1 has no meaning for --model svm"),
        (
            "train train.conll m.mm --templates tagging --model crf --slack hard",
            "--slack has no meaning for --model crf",
        ),
        ("train train.conll m.mm --templates tagging --model hmm --seed 1", "--seed has no meaning for --model hmm"),
        ("train train.conll m.mm --templates tagging --label-column x", "--label-column has no meaning"),
        ("train train.conll m.mm --templates tagging --C much", "C must be a positive number or 'scale'"),
        (
            "train train.conll m.mm --templates tagging --model crf --C much",
            "C must be a positive number or 'scale'",
        ),
        ("train train.conll m.mm --templates tagging --class-weight X=2", "class_weight names the class 'X'"),
        ("train train.conll m.mm --templates tagging --order 4", "order must be 1, 2 or 3"),
        ("train train.conll m.mm --templates tagging --hashing 3", "hashing must be a power of two"),
        ("train train.conll m.mm --templates tagging --model hmm --alpha 0", "alpha must be a positive number"),
        ("train train.crfsuite m.mm --templates tagging", "holds attributes already; leave --templates out"),
        ("train train.svmhmm m.mm --hashing 16", "holds numbered features; leave --hashing out"),
        ("train one.conll m.mm --templates tagging", "one.conll has one column only"),
        ("train ragged.conll m.mm --templates tagging", "ragged.conll, line 2 has 1 column, the lines before have 2"),
        ("train bad.crfsuite m.mm", "bad.crfsuite, line 1: the weight 'x' of the attribute 'a' is not a number"),
        ("train bad.svmhmm m.mm", "bad.svmhmm, line 2: the tag 'NP' is not a whole number"),
        ("train table.csv m.mm --order 2", "--order has no meaning for table.csv, a csv file"),
        ("train train.txt m.mm", "The format of train.txt cannot be inferred from its name"),
        (
            "predict good.mm test.crfsuite",
            "test.crfsuite is a crfsuite file, but good.mm was trained on columns of text",
        ),
        ("predict good.mm wide.conll", "wide.conll has 4 columns, but good.mm was trained with 2 and a label"),
        (
            "predict good.mm test.conll --steps IOBES",
            "steps='IOBES' does not fit the labels of the model: none of them",
        ),
        ("evaluate good.mm test.conll --scheme BOI", "scheme must be one of BIO, IOB2, IOB1, IOBES, BIOES, BILOU"),
        ("evaluate table.mm table.csv --scheme BIO", "--scheme has no meaning for table.mm, a classifier"),
        ("predict good.mm test.conll --output test.conll", "test.conll is the file to be read"),
        ("predict good.mm nowhere.conll", "nowhere.conll cannot be used: no such file or directory."),
        ("evaluate good.mm test.conll --cost table.csv", "--cost has no meaning for good.mm, a model of sequences"),
        ("predict table.mm table.csv --steps BIO", "--steps has no meaning for table.mm, a classifier"),
        ("predict table.mm test.conll", "test.conll is a conll file, which holds sequences"),
    ],
)
def test_what_is_wrong_is_one_sentence(folder, run, words, message):
    (folder / "bad.txt").write_text("U00:%x[0,0]\nX01:\n")
    (folder / "one.conll").write_text("a\nb\n")
    (folder / "wide.conll").write_text("a b c d\n")
    (folder / "ragged.conll").write_text("a O\nb\n")
    (folder / "bad.crfsuite").write_text("O\ta:x\n")
    (folder / "bad.svmhmm").write_text("1 qid:1 1:1\nNP qid:1 1:1\n")
    (folder / "train.txt").write_text("a O\n")
    (folder / "table.csv").write_text("f,y\n0,a\n1,b\n")
    MulticlassSVC(C=1.0).fit([[0.0], [1.0]], ["a", "b"]).save("table.mm")
    X, Y = split_labels(read_conll("train.conll"))
    ChainPerceptron(passes=1, templates=parse_templates(TEMPLATES)).fit(X, Y).save("good.mm")
    code, out, err = run(words)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err
    assert not (folder / "m.mm").exists()


def test_stopping_early_warns_and_still_saves(folder, run):
    code, _, err = run("train train.conll m.mm --templates tagging --C 10 --max-iter 1 --tol 0.0001")
    assert code == 0
    assert err.startswith("warning: Stopped at max_iter")
    assert (folder / "m.mm").exists()


def test_comments_are_left_out_where_that_is_asked_for(sentences, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    write_conll("train.conll", sentences)
    blocks = (tmp_path / "train.conll").read_text().split("\n\n")
    (tmp_path / "train.conll").write_text("\n\n".join(f"# sent_id = 1\n{block}" if block else "" for block in blocks))
    code, _, error = run("train train.conll model.mm --templates tagging")
    assert code == 1
    assert "(--comment on the command line)" in " ".join(error.split())
    assert run("train train.conll model.mm --templates tagging --comment #")[0] == 0
    assert run("predict model.mm train.conll --comment # --output answers.conll")[0] == 0
    assert [len(found) for found in read_conll("answers.conll")] == [len(known) for known in sentences]
    code, shown, _ = run("evaluate model.mm train.conll --comment # --json")
    assert code == 0
    assert json.loads(shown)["token_accuracy"] > 0.9


def test_comments_belong_to_columns_of_text(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    write_crfsuite("train.crfsuite", [[["a"], ["b"]]] * 4, [["x", "y"]] * 4)
    code, _, error = run("train train.crfsuite model.mm --comment #")
    assert code == 1
    assert "--comment is for conll" in " ".join(error.split())
    assert run("train train.crfsuite model.mm")[0] == 0
    code, _, error = run("predict model.mm train.crfsuite --comment #")
    assert code == 1
    assert "--comment is for conll" in " ".join(error.split())
