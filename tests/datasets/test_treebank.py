"""The treebank sample: files of a split, trees cleaned or raw."""

import zipfile

import pytest

from maxmargin.datasets import load_treebank, make_treebank


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "treebank").mkdir()
    with zipfile.ZipFile(tmp_path / "treebank" / "treebank.zip", "w") as archive:
        for number in range(1, 200):
            text = f"( (S (NP-SBJ (NNP n{number})) (VP (VBZ is) (NP (-NONE- *))) ) )\n( (NP (NN dog)))"
            archive.writestr(f"treebank/combined/wsj_{number:04}.mrg", text)
    return tmp_path


def test_splits_follow_the_files(folder):
    parts = [load_treebank(split, folder) for split in ("train", "dev", "test")]
    assert [len(part) for part in parts] == [318, 40, 40]
    assert [*parts[0], *parts[1], *parts[2]] == load_treebank(folder=folder)
    assert str(parts[1][0]) == "(S (NP (NNP n160)) (VP (VBZ is)))"
    assert str(load_treebank("dev", folder, raw=True)[0]) == "(S (NP-SBJ (NNP n160)) (VP (VBZ is) (NP (-NONE- *))))"
    assert len(load_treebank("dev", folder, longest=1)) == 20


def test_invented_trees_are_repeatable_and_ambiguous():
    trees = make_treebank(300, seed=3)
    assert make_treebank(300, seed=3) == trees != make_treebank(300, seed=4)
    assert {tree.label for tree in trees} == {"S"}
    assert max(len(tree.words()) for tree in trees) < 60
    owners = {"NP": [], "VP": []}
    for tree in trees:
        for node in tree.nodes():
            owners.get(node.label, []).extend(
                child.words()[0] for child in node.children if not isinstance(child, str) and child.label == "PP"
            )
    odd = {label: sum(int(word[2:]) % 2 for word in words) / len(words) for label, words in owners.items()}
    assert min(map(len, owners.values())) > 30
    assert odd["VP"] > 0.8
    assert odd["NP"] < 0.2
    with pytest.raises(ValueError, match="must be at least 1"):
        make_treebank(0)


def test_bad_splits_and_archives(folder):
    with pytest.raises(ValueError, match="split must be 'train'"):
        load_treebank("half", folder)
    with zipfile.ZipFile(folder / "treebank" / "treebank.zip", "w") as archive:
        archive.writestr("treebank/README", "")
    with pytest.raises(ValueError, match=r"has no file treebank/combined/wsj_0001\.mrg"):
        load_treebank(folder=folder)


@pytest.mark.slow
def test_the_sample_has_its_known_sizes():
    trees = load_treebank()
    assert (len(trees), sum(len(tree.words()) for tree in trees)) == (3914, 94084)
    assert len({tag for tree in trees for _, tag in tree.tokens()}) == 45
    assert [len(load_treebank(longest=n)) for n in (10, 15)] == [393, 922]
