"""The command line on files of trees: what it writes, what it prints, and how it fails."""

import json
import re

import pytest

import maxmargin
from maxmargin.cli import main
from maxmargin.datasets import make_treebank
from maxmargin.grammars import PCFG, GrammarCRF, GrammarSVM, Tree, plain_tree, read_trees, write_trees
from maxmargin.metrics import bracket_score
from tree_cases import TREEBANK

PENN = "( (S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sings) (NP (-NONE- *))) ) )\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.mrg").write_text("\n".join([*TREEBANK, PENN]))
    (tmp_path / "test.mrg").write_text(PENN)
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


@pytest.mark.parametrize("options", ["", "--input words --rare 0", "--vertical 2 --horizontal 1"])
def test_train_predict_evaluate(folder, run, options):
    code, out, err = run(f"train train.mrg model.mm --model pcfg {options}")
    assert (code, err) == (0, "")
    assert "rules" in out
    model = maxmargin.load("model.mm")
    assert isinstance(model, PCFG)
    truth = [plain_tree(tree) for tree in read_trees("test.mrg")]
    code, out, _ = run("predict model.mm test.mrg")
    trees = [Tree.from_text(line) for line in out.splitlines()]
    assert trees == model.predict([tree.tokens() for tree in truth]) == truth
    assert run("predict model.mm train.mrg --output trees.mrg")[0] == 0
    bank = [plain_tree(tree) for tree in read_trees("train.mrg")]
    assert read_trees("trees.mrg") == model.predict([tree.tokens() for tree in bank])
    code, out, _ = run("evaluate model.mm train.mrg --json")
    found = json.loads(out)
    expected = bracket_score(bank, read_trees("trees.mrg"))
    assert found["f1"] == pytest.approx(expected.f1)
    assert found["brackets"] == expected.support
    assert (found["sentences"], found["words"]) == (6, sum(len(tree.words()) for tree in bank))
    assert "crossing brackets" in run("evaluate model.mm test.mrg")[1]


def test_scores_and_several_trees(folder, run):
    run("train train.mrg model.mm --model pcfg --horizontal 0")
    model = maxmargin.load("model.mm")
    (ranked,) = model.predict_kbest([Tree.from_text("(S (DT the) (NN cat) (VBZ sings))").tokens()], 3)
    lines = run("predict model.mm test.mrg --kbest 3")[1].splitlines()
    assert [line.split("\t") for line in lines] == [
        ["0", str(rank), f"{score:.9g}", str(tree)] for rank, (score, tree) in enumerate(ranked)
    ]
    assert run("predict model.mm test.mrg --scores")[1] == f"{ranked[0].score:.9g}\t{ranked[0].output}\n"


def test_a_sentence_without_a_derivation_has_a_line_with_a_flat_tree(folder, run):
    run("train train.mrg model.mm --model pcfg")
    (folder / "odd.mrg").write_text(f"{PENN}(S (. .) (. .))\n{PENN}")
    best, flat, _ = run("predict model.mm odd.mrg")[1].splitlines()
    scores = [line.split("\t") for line in run("predict model.mm odd.mrg --scores")[1].splitlines()]
    assert [tree for _, tree in scores] == [best, flat, best]
    assert [score for score, _ in scores] == [scores[0][0], "-inf", scores[0][0]]
    lists = [line.split("\t") for line in run("predict model.mm odd.mrg --kbest 1")[1].splitlines()]
    assert lists == [[str(i), "0", *own] for i, own in enumerate(scores)]


def test_a_beam_and_trees_of_least_risk(folder, run):
    write_trees("train.mrg", make_treebank(60))
    run("train train.mrg model.mm --model pcfg --horizontal 0 --beam 3.5")
    model = maxmargin.load("model.mm")
    assert model.beam == 3.5
    X = [plain_tree(tree).tokens() for tree in read_trees("train.mrg")]
    expected = [str(tree) for tree in model.predict(X, decode="risk")]
    assert run("predict model.mm train.mrg --decode risk")[1].splitlines() == expected
    assert expected != [str(tree) for tree in model.predict(X)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--model svm --C 2 --loss f1 --rescaling slack", GrammarSVM(2.0, rescaling="slack")),
        (
            "--loss hamming --features first,last --tol 0.01",
            GrammarSVM(loss="hamming", features=("first", "last"), tol=0.01),
        ),
        ("--model crf --C 3 --vertical 2", GrammarCRF(3.0, vertical=2)),
    ],
)
def test_learned_parsers(folder, run, options, expected):
    code, out, err = run(f"train train.mrg model.mm {options}")
    assert (code, err) == (0, "")
    assert type(expected).__name__ in out
    assert "objective" in out
    bank = [plain_tree(tree) for tree in read_trees("train.mrg")]
    X = [tree.tokens() for tree in bank]
    expected.fit(X, bank)
    model = maxmargin.load("model.mm")
    assert model.get_params()["features"] == expected.features
    assert run("predict model.mm train.mrg")[1].splitlines() == [str(tree) for tree in expected.predict(X)]


def test_function_tags_can_be_kept(folder, run):
    run("train train.mrg model.mm --model pcfg --function-tags")
    assert run("predict model.mm test.mrg")[1] == "(S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sings)))\n"
    assert json.loads(run("evaluate model.mm test.mrg --json")[1])["exact"] == 1.0
    (folder / "test.mrg").write_text(PENN.replace("NP-SBJ", "NP-TMP"))
    found = json.loads(run("evaluate model.mm test.mrg --json")[1])
    assert (found["f1"], found["f1_function_tags"]) == (1.0, pytest.approx(2 / 3))
    assert re.search(r"F1 with function tags\W+0\.6667", run("evaluate model.mm test.mrg")[1])


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("train train.mrg model.mm --model hmm", "--model must be one of svm, crf, pcfg"),
        ("train train.mrg model.mm --model pcfg --order 2", "--order has no meaning for --model pcfg"),
        ("train train.mrg model.mm --model crf --loss f1", "--loss has no meaning for --model crf"),
        ("train train.mrg model.mm --features left", "features must be a list of some of"),
        ("train bad.mrg model.mm --model pcfg", "bad.mrg, line 2, column 1: this bracket is never closed"),
        ("train train.mrg model.mm --model pcfg --vertical 0", "vertical must be a positive integer"),
        ("train train.mrg model.mm --model pcfg --format conll", "has no meaning|--model must be one of"),
        ("train x.csv model.mm --vertical 2", "--vertical has no meaning for x.csv, a csv file"),
        ("predict parser.mm x.csv", "x.csv is a csv file, but the model parses"),
        ("predict parser.mm test.mrg --until 0.5", "--until has no meaning for parser.mm, a parser"),
        ("evaluate parser.mm test.mrg --scheme BIO", "--scheme has no meaning for parser.mm, a parser"),
        ("predict parser.mm bad.mrg", "line 2, column 1"),
        ("train traces.mrg model.mm --model pcfg", r"traces.mrg, line 3: The tree \(S \(-NONE- \*\)\) has no words"),
        ("evaluate parser.mm traces.mrg", r"traces.mrg, line 3: The tree"),
        ("predict parser.mm shared.mrg", r"shared.mrg, line 1: The word 'a' shares the node 'S' with others"),
        ("predict parser.mm test.mrg --decode risk --kbest 2", "--decode risk chooses a tree by its brackets"),
        ("predict parser.mm test.mrg --decode viterbi", "--decode has no meaning for parser.mm, a parser"),
        ("train train.mrg model.mm --model pcfg --beam -1", "beam must be"),
        ("train x.csv model.mm --beam 2", "--beam has no meaning for x.csv, a csv file"),
    ],
)
def test_faults_are_sentences(folder, run, command, message):
    (folder / "bad.mrg").write_text("(S (NN a))\n(S (NN b)")
    (folder / "traces.mrg").write_text("(S\n (NN a))\n(S (-NONE- *))")
    (folder / "shared.mrg").write_text("(S a (NN b))")
    (folder / "x.csv").write_text("a,label\n1,x\n2,y\n")
    run("train train.mrg parser.mm --model pcfg")
    code, out, err = run(command)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert re.search(message, " ".join(err.split()))


def test_warnings_of_predictions_are_lines(folder, run):
    run("train train.mrg model.mm --model pcfg")
    (folder / "unknown.mrg").write_text("(S (QQ x) (RR y))\n")
    for command in ("predict model.mm unknown.mrg", "evaluate model.mm unknown.mrg"):
        code, out, err = run(command)
        assert code == 0
        assert out
        assert re.fullmatch(r"warning: This parser reads tags, and none of the tags .*\n", err)


def test_numbers_of_traces_are_no_part_of_function_tags(folder, run):
    (folder / "train.mrg").write_text("( (S (NP-SBJ-1 (DT the) (NN cat)) (VP (VBZ sings) (S (-NONE- *-1)))) )\n")
    run("train train.mrg model.mm --model pcfg --function-tags")
    assert run("predict model.mm test.mrg")[1] == "(S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sings)))\n"
