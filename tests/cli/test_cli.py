"""The command line, run in process: what it writes, what it prints, and how it fails."""

import json
import sys

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_iris
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

import maxmargin
from maxmargin import MulticlassSVC, StructuralSVM
from maxmargin.cli import main
from maxmargin.cli.train import parse_class_weight

IRIS = load_iris()
NAMES = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
SPECIES = IRIS.target_names[IRIS.target]
ORDER = np.random.default_rng(0).permutation(150)
TRAIN, TEST = ORDER[:100], ORDER[100:]


class Sign:
    """A problem of a user's own, whose model the command line cannot know."""

    def joint_feature(self, x, y):
        return np.array([x * y])

    def loss(self, y_true, y):
        return float(y != y_true)

    def argmax(self, x, w, y_true=None):
        return max((-1, 1), key=lambda y: x * y * w[0] + (0.0 if y_true is None else y != y_true))


def write_table(path, rows, columns=NAMES, labels=SPECIES):
    lines = [",".join([*columns, *(["species"] if labels is not None else [])])]
    for row in rows:
        cells = [str(IRIS.data[row, NAMES.index(column)]) for column in columns]
        lines.append(",".join([*cells, *([str(labels[row])] if labels is not None else [])]))
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Iris as csv and as svmlight text, in the working folder."""
    monkeypatch.chdir(tmp_path)
    for name, rows in (("train", TRAIN), ("test", TEST)):
        write_table(tmp_path / f"{name}.csv", rows)
        dump_svmlight_file(IRIS.data[rows], IRIS.target[rows], str(tmp_path / f"{name}.svm"), zero_based=False)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Runs the command line with words; returns exit code, stdout and stderr."""

    def run_words(words):
        with pytest.raises(SystemExit) as stop:
            main(words.split())
        printed = capsys.readouterr()
        return stop.value.code or 0, printed.out, printed.err

    return run_words


@pytest.fixture
def trained(folder, run):
    assert run("train train.csv iris.mm --C 1")[0] == 0
    return folder


def summary(out):
    return dict(line.split(maxsplit=1) for line in out.strip().splitlines())


def test_version(run):
    assert run("--version") == (0, f"maxmargin {maxmargin.__version__}\n", "")


def test_help_names_the_commands(run):
    code, out, _ = run("--help")
    assert code == 0
    assert all(command in out for command in ("train", "predict", "evaluate", "demo"))


def test_no_command_is_a_usage_error(run):
    code, out, err = run("")
    assert code == 2
    assert "Usage" in out + err


def test_train_prints_a_summary_and_saves_the_same_model(folder, run):
    code, out, err = run("train train.csv iris.mm --C 1 --tol 1e-4")
    assert (code, err) == (0, "")
    told = {key: value.strip() for key, value in summary(out).items()}
    model = MulticlassSVC(C=1.0, tol=1e-4).fit(IRIS.data[TRAIN], SPECIES[TRAIN])
    assert (told["examples"], told["features"], told["classes"], told["C"]) == ("100", "4", "3", "1")
    assert float(told["objective"]) == pytest.approx(model.solution_.primal, rel=1e-6)
    assert float(told["gap"]) == pytest.approx(model.solution_.gap, rel=1e-2)
    assert told["status"] == "converged"
    assert float(told["seconds"]) >= 0.0
    loaded = maxmargin.load("iris.mm")
    assert np.array_equal(loaded.coef_, model.coef_)
    assert list(loaded.feature_names_in_) == NAMES


def test_output_is_plain_off_a_terminal(trained, run):
    for words in ("evaluate iris.mm test.csv", "train train.csv again.mm --C 1", "predict iris.mm test.csv"):
        out = run(words)[1]
        assert out.isascii()
        assert "\x1b" not in out


def test_options_reach_the_estimator(folder, run):
    (folder / "cost.csv").write_text(",virginica,versicolor,setosa\nvirginica,0,1,4\nversicolor,1,0,1\nsetosa,9,1,0\n")
    words = (
        "train train.csv iris.mm --C 0.5 --cost cost.csv --rescaling slack --slack squared --solver n-slack --tol 0.01 "
        "--max-iter 500 --max-time 60 --class-weight setosa=2,virginica=0.5 --no-intercept --n-jobs 2 --seed 3"
    )
    assert run(words)[0] == 0
    model = maxmargin.load("iris.mm")
    assert (model.C, model.rescaling, model.slack, model.solver) == (0.5, "slack", "squared", "n-slack")
    assert (model.tol, model.max_iter, model.max_time, model.random_state) == (0.01, 500, 60.0, 3)
    assert model.class_weight == {"setosa": 2.0, "versicolor": 1.0, "virginica": 0.5}
    assert not model.fit_intercept
    assert model.cost.tolist() == [[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]


def test_class_weights_of_numbers():
    assert parse_class_weight("1=2.5", np.array([0, 1])) == {0: 1.0, 1: 2.5}
    assert parse_class_weight("balanced", np.array([0, 1])) == "balanced"
    assert parse_class_weight("a=b=3", np.array(["a=b", "c"])) == {"a=b": 3.0, "c": 1.0}


def test_stopping_early_warns_and_still_saves(folder, run):
    code, out, err = run("train train.csv iris.mm --C 100 --max-iter 1")
    assert code == 0
    assert err.startswith("warning: Stopped at max_iter")
    assert "max iter" in out
    assert (folder / "iris.mm").exists()


def test_infeasible_hard_margin_is_an_error_without_a_model(folder, run):
    (folder / "clash.csv").write_text("a,y\n1,x\n\n1,z\n2,x\n")
    code, out, err = run("train clash.csv iris.mm --slack hard")
    assert (code, out) == (1, "")
    assert err.startswith("error: The hard-margin problem has no solution")
    assert "of clash.csv is part of it" in err
    assert not (folder / "iris.mm").exists()


@pytest.mark.parametrize("kind", ["csv", "svm"])
def test_predict_agrees_with_python(folder, run, kind):
    assert run(f"train train.{kind} iris.mm --C 1")[0] == 0
    code, out, err = run(f"predict iris.mm test.{kind}")
    assert (code, err) == (0, "")
    labels = SPECIES if kind == "csv" else IRIS.target
    model = MulticlassSVC(C=1.0).fit(IRIS.data[TRAIN], labels[TRAIN])
    assert out.split() == [str(label) for label in model.predict(IRIS.data[TEST])]


def test_predict_finds_columns_by_name_and_needs_no_labels(trained, run):
    expected = run("predict iris.mm test.csv")[1]
    write_table(trained / "turned.csv", TEST, columns=NAMES[::-1], labels=None)
    assert run("predict iris.mm turned.csv") == (0, expected, "")
    write_table(trained / "poor.csv", TEST, columns=NAMES[1:])
    code, out, err = run("predict iris.mm poor.csv")
    assert (code, out) == (1, "")
    assert "lacks columns that the model was trained with: sepal_length" in err


def test_the_best_classes_with_scores_into_a_file(trained, run):
    assert run("predict iris.mm test.csv --kbest 3 --scores --output out.csv") == (0, "", "")
    rows = [line.split(",") for line in (trained / "out.csv").read_text().splitlines()]
    assert len(rows) == len(TEST)
    model = MulticlassSVC(C=1.0).fit(IRIS.data[TRAIN], SPECIES[TRAIN])
    scores = model.decision_function(IRIS.data[TEST])
    best = model.predict_kbest(IRIS.data[TEST], 3)
    assert [row[::2] for row in rows] == [[entry.output for entry in few] for few in best]
    told = np.array([row[1::2] for row in rows], dtype=float)
    assert np.allclose(told, -np.sort(-scores, axis=1), rtol=1e-7, atol=1e-8)
    assert run("predict iris.mm test.csv --scores")[1].splitlines()[0].split("\t") == rows[0][:2]


def test_features_that_the_model_never_saw_are_noted(folder, run):
    assert run("train train.svm iris.mm --C 1")[0] == 0
    plain = run("predict iris.mm test.svm")[1]
    text = (folder / "test.svm").read_text()
    (folder / "more.svm").write_text("".join(f"{line} 9:1\n" for line in text.splitlines()))
    code, out, err = run("predict iris.mm more.svm")
    assert (code, out) == (0, plain)
    assert err.startswith("note: 1 features of more.svm are beyond the 4")


def test_evaluate_agrees_with_scikit_learn(trained, run):
    code, out, err = run("evaluate iris.mm test.csv --json")
    assert (code, err) == (0, "")
    results = json.loads(out)
    answers = MulticlassSVC(C=1.0).fit(IRIS.data[TRAIN], SPECIES[TRAIN]).predict(IRIS.data[TEST])
    assert results["examples"] == 50
    assert results["accuracy"] == pytest.approx(accuracy_score(SPECIES[TEST], answers))
    assert results["mean_cost"] == pytest.approx(1.0 - results["accuracy"])
    assert results["confusion"] == confusion_matrix(SPECIES[TEST], answers).tolist()
    assert [row["f1"] for row in results["classes"]] == pytest.approx(f1_score(SPECIES[TEST], answers, average=None))
    assert [row["label"] for row in results["classes"]] == ["setosa", "versicolor", "virginica"]


def test_evaluate_prints_tables(trained, run):
    out = run("evaluate iris.mm test.csv")[1]
    for text in ("accuracy", "mean cost", "precision", "recall", "F1", "virginica", "Confusion"):
        assert text in out


def test_evaluate_costs_are_the_model_s_or_given(trained, run):
    (trained / "cost.csv").write_text("0,2,2\n2,0,2\n2,2,0\n")
    accuracy = json.loads(run("evaluate iris.mm test.csv --json")[1])["accuracy"]
    assert accuracy < 1.0
    given = json.loads(run("evaluate iris.mm test.csv --json --cost cost.csv")[1])
    assert given["mean_cost"] == pytest.approx(2.0 * (1.0 - accuracy))
    assert run("train train.csv costly.mm --C 1 --cost cost.csv")[0] == 0
    own = json.loads(run("evaluate costly.mm test.csv --json")[1])
    assert own["mean_cost"] == pytest.approx(2.0 * (1.0 - own["accuracy"]))


def test_evaluate_lists_confusions_where_a_table_would_be_too_wide(folder, run):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((120, 3)), np.arange(120) % 40
    dump_svmlight_file(X, y, "many.svm", zero_based=False)
    assert run("train many.svm many.mm --C 0.01")[0] == 0
    out = run("evaluate many.mm many.svm")[1]
    assert "Most frequent confusions" in out
    assert "Confusion (rows" not in out


def test_labels_of_words_that_look_like_numbers(folder, run):
    (folder / "a.csv").write_text("f,y\n0,1\n1,2\n2,x\n")
    (folder / "b.csv").write_text("f,y\n0,1\n1,2\n")
    assert run("train a.csv m.mm --C 100")[0] == 0
    assert json.loads(run("evaluate m.mm b.csv --json")[1])["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train nowhere.csv m.mm", "nowhere.csv cannot be used: no such file or directory."),
        ("train train.csv nowhere/m.mm", "nowhere/m.mm cannot be written: the folder"),
        ("train train.csv .", ". is a folder"),
        ("train train.csv train.csv", "train.csv is the file to be read"),
        ("train train.csv m.mm --format svmlight", "line 1: the label 'sepal_length,"),
        (
            "train train.csv m.mm --format arff",
            "must be one of svmlight, csv, tsv, conll, crfsuite, svmhmm, letor, brackets, not 'arff'",
        ),
        ("train train.csv m.mm --label-column kind", "has no column 'kind' for the labels"),
        ("train train.csv m.mm --C -1", "C must be a positive number"),
        ("train train.csv m.mm --C much", "C must be a positive number or 'scale', not 'much'."),
        ("train train.csv m.mm --solver newton", "solver must be one of"),
        ("train train.csv m.mm --rescaling up", "rescaling must be one of"),
        ("train train.csv m.mm --solver one-slack --slack hard", "a hard margin has none"),
        ("train train.csv m.mm --class-weight heavy", "class_weight must be 'balanced' or weights such as"),
        ("train train.csv m.mm --class-weight rose=2", "class_weight names the class 'rose'"),
        ("train train.csv m.mm --class-weight setosa=x", "class_weight of 'setosa' is 'x'"),
        ("train train.csv m.mm --cost train.csv", "train.csv, line 1: there are 5 costs for 3 classes"),
        ("train one.csv m.mm", "y has one class only"),
        ("predict nowhere.mm test.csv", "nowhere.mm cannot be used: no such file or directory."),
        ("predict train.csv test.csv", "train.csv is damaged or not a maxmargin model file"),
        ("predict iris.mm test.csv --kbest 0", "--kbest must be at least 1, not 0."),
        ("predict iris.mm test.csv --output iris.mm", "iris.mm is the file to be read"),
        ("predict own.mm test.csv", "own.mm is a StructuralSVM"),
        ("evaluate iris.mm rose.csv", "line 3: the label 'rose' is not a class of the model"),
        ("evaluate iris.mm test.svm", "test.svm, line 1: the label"),
        ("demo --output nowhere/demo.png", "nowhere/demo.png cannot be written: the folder"),
    ],
)
def test_what_is_wrong_is_one_sentence(trained, run, words, message):
    header, first, *_ = (trained / "train.csv").read_text().splitlines()
    (trained / "one.csv").write_text(f"{header}\n{first}\n{first}\n")
    (trained / "rose.csv").write_text(f"{header}\n{first}\n1,2,3,4,rose\n")
    StructuralSVM(Sign()).fit([1.0, -1.0], [1, -1]).save(trained / "own.mm")
    code, out, err = run(words)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err
    assert not (trained / "m.mm").exists()


def test_usage_errors_have_code_2(run):
    code, _, err = run("train only-data.csv")
    assert code == 2
    assert "model" in err
    assert run("fly")[0] == 2


def test_entry_point_reads_the_arguments_of_the_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["maxmargin", "--version"])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out.startswith("maxmargin ")
