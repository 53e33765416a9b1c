"""Classes in a taxonomy on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

import maxmargin
from maxmargin import TaxonomySVC
from maxmargin.classes.taxonomies.file import read_taxonomy
from maxmargin.cli import main
from maxmargin.datasets import make_taxonomy
from maxmargin.metrics import hierarchical_f1, tree_loss

X, Y = make_taxonomy(160, branching=(2, 2, 2), n_features=40, n_words=20, topic_words=4, seed=2)
CLASSES = np.unique(Y)
EDGES = [(parent, child) for parent, child in maxmargin.Taxonomy.from_names(CLASSES.tolist()).edges()]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The same texts with names and with numbers as labels, and their tree in several files."""
    monkeypatch.chdir(tmp_path)
    for name, rows in (("train", slice(0, 120)), ("test", slice(120, None))):
        lines = [",".join([*(f"w{k}" for k in range(40)), "class"])]
        lines += [",".join([*map(repr, row), label]) for row, label in zip(X[rows].toarray().tolist(), Y[rows])]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
        numbers = np.searchsorted(CLASSES, Y[rows])
        dump_svmlight_file(X[rows], numbers, str(tmp_path / f"{name}.svm"), zero_based=False)
    (tmp_path / "tree.tsv").write_text("# parent\tchild\n\n" + "\n".join(f"{p}\t{c}" for p, c in EDGES) + "\n")
    numbered = [(p, np.searchsorted(CLASSES, c) if c in CLASSES else f"n{c}") for p, c in EDGES]
    numbered = [(p if p == "root" else f"n{p}", c) for p, c in numbered]
    (tmp_path / "numbers.csv").write_text("\n".join(f"{p},{c}" for p, c in numbered) + "\n")
    nested = {a: {f"{a}.{b}": [f"{a}.{b}.{c}" for c in "01"] for b in "01"} for a in "01"}
    (tmp_path / "tree.json").write_text(json.dumps(nested))
    return tmp_path


@pytest.fixture
def run(capsys):
    def run_words(words):
        with pytest.raises(SystemExit) as stop:
            main(words.split())
        printed = capsys.readouterr()
        return stop.value.code or 0, printed.out, printed.err

    return run_words


@pytest.mark.parametrize("tree", [".", "tree.tsv", "tree.json"])
def test_train_predict_evaluate(folder, run, tree):
    code, out, err = run(f"train train.csv tree.mm --taxonomy {tree} --node-weight 0.5 --tree-loss path --C 1")
    assert (code, err) == (0, "")
    told = dict(line.split(maxsplit=1) for line in out.strip().splitlines())
    assert (told["classes"].strip(), told["nodes"].strip()) == ("8", "15")
    model = maxmargin.load("tree.mm")
    direct = TaxonomySVC(1.0, taxonomy=EDGES, loss="path", node_weight=0.5).fit(X[:120].toarray(), Y[:120])
    assert model.solution_.primal == pytest.approx(direct.solution_.primal, rel=1e-2)
    assert (model.loss, model.node_weight) == ("path", 0.5)
    del model.feature_names_in_
    expected = model.predict(X[120:].toarray())
    assert run("predict tree.mm test.csv") == (0, "\n".join(expected) + "\n", "")
    _, out, _ = run("predict tree.mm test.csv --kbest 2 --scores")
    first = [line.split("\t") for line in out.splitlines()]
    assert [row[0] for row in first] == expected.tolist()
    scores = model.decision_function(X[120:].toarray())
    assert [float(row[1]) for row in first] == pytest.approx(scores.max(axis=1), rel=1e-6)
    found = json.loads(run("evaluate tree.mm test.csv --json")[1])
    assert found["tree"]["loss"] == pytest.approx(tree_loss(Y[120:], expected, "."))
    assert found["tree"]["f1"] == pytest.approx(hierarchical_f1(Y[120:], expected, "."))
    assert found["mean_cost"] == pytest.approx(tree_loss(Y[120:], expected, ".", loss="path"))
    assert "hierarchical F1" in run("evaluate tree.mm test.csv")[1]


def test_numbers_as_labels(folder, run):
    assert run("train train.svm tree.mm --taxonomy numbers.csv --method structural")[0] == 0
    model = maxmargin.load("tree.mm")
    assert model.classes_.tolist() == list(range(8))
    assert model.taxonomy_.ancestors(3) == ("root", "n0", "n0.1", 3)
    code, out, err = run("predict tree.mm test.svm --until 0.9")
    assert code == 0
    assert "calibrate" in err
    assert set(out.split()) <= {str(node) for node in model.nodes_.tolist()}
    assert any(not answer.isdigit() for answer in out.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train train.csv m.mm --tree-loss path", "--tree-loss is for classes in a taxonomy"),
        ("train train.csv m.mm --node-weight 2", "--node-weight is for classes in a taxonomy"),
        ("train train.csv m.mm --taxonomy . --tree-loss depth", "loss must be one of 'height', 'path', 'zero-one'"),
        ("train train.csv m.mm --taxonomy . --tree-loss path --cost c.csv", "leave one of them out"),
        ("train train.csv m.mm --taxonomy none.tsv", "none.tsv cannot be used"),
        ("train train.csv m.mm --taxonomy cycle.tsv", "a cycle, "),
        ("train train.csv m.mm --taxonomy odd.tsv", "odd.tsv, line 2: 'a' is no edge"),
        ("train train.csv m.mm --taxonomy empty.tsv", "empty.tsv holds no edge"),
        ("train train.csv m.mm --taxonomy bad.json", "bad.json is not JSON"),
        ("train train.csv m.mm --taxonomy three.json", "three.json holds 3; a taxonomy is an object"),
        ("train train.csv m.mm --taxonomy small.tsv", "The class '0.0.1' is not a node of the taxonomy"),
        ("train train.csv m.mm --taxonomy forest.tsv", "2 roots, 'r' and 's' among them"),
        ("predict flat.mm test.csv --until 0.5", "--until is for classes in a taxonomy, and flat.mm has none"),
        ("predict tree.mm test.csv --until 0.5 --kbest 2", "--kbest has no meaning for tree.mm, with --until"),
        ("predict tree.mm test.csv --until 5", "until is a probability between 0 and 1"),
    ],
)
def test_what_is_wrong_is_one_sentence(folder, run, words, message):
    (folder / "cycle.tsv").write_text("a\tb\nb\ta\n")
    (folder / "odd.tsv").write_text("r\ta\na\n")
    (folder / "empty.tsv").write_text("# nothing\n")
    (folder / "bad.json").write_text("{")
    (folder / "three.json").write_text("3")
    (folder / "small.tsv").write_text("r\t0.0.0\n")
    half = len(CLASSES) // 2
    forest = [f"r\t{c}" for c in CLASSES[:half]] + [f"s\t{c}" for c in CLASSES[half:]]
    (folder / "forest.tsv").write_text("\n".join(forest))
    if "predict" in words:
        assert run(f"train train.csv {words.split()[1]}" + (" --taxonomy ." if "tree.mm" in words else ""))[0] == 0
    code, out, err = run(words)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert message in " ".join(err.split())
    assert not (folder / "m.mm").exists()


def test_names_of_classes_stand_for_them():
    taxonomy = read_taxonomy("/", np.array(["a/b", "a/c"]))
    assert taxonomy.ancestors("a/c") == ("root", "a", "a/c")


def test_a_header_of_edges_is_none(folder, run):
    (folder / "head.csv").write_text("Parent,Child\n" + "\n".join(f"{p},{c}" for p, c in EDGES) + "\n")
    assert set(read_taxonomy("head.csv", CLASSES).edges()) == set(EDGES)
    code, _, err = run("train train.csv x.mm --taxonomy /")
    assert (code, "no label has it" in " ".join(err.split())) == (1, True)
