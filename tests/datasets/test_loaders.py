"""Readers of the data folder, on tiny files written here in the same formats."""

import gzip
import json
import lzma
import zipfile

import numpy as np
import pytest

from maxmargin.datasets import (
    MissingDataError,
    load_conll2000,
    load_conll2002,
    load_covtype,
    load_litbank,
    load_mnist,
    load_mq2008,
    load_newsgroups20,
    load_ocr_letters,
    load_optdigits,
    load_uci_letter,
    load_ud_ewt,
    load_ud_ewt_trees,
)

LOADERS = [
    load_conll2000,
    load_conll2002,
    load_litbank,
    load_covtype,
    load_mnist,
    load_mq2008,
    load_newsgroups20,
    load_ocr_letters,
    load_optdigits,
    load_uci_letter,
    load_ud_ewt,
    load_ud_ewt_trees,
]


def _idx(array):
    head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, dtype=">u4").tobytes()
    return gzip.compress(head + array.astype(np.uint8).tobytes())


def _write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_covtype_expands_the_index_columns(tmp_path):
    (tmp_path / "covtype").mkdir()
    np.savez(
        tmp_path / "covtype" / "covtype.npz",
        quantitative=np.arange(30, dtype=np.int16).reshape(10, 3),
        wilderness=np.array([0, 3, 1], dtype=np.uint8),
        soil=np.array([39, 0, 7], dtype=np.uint8),
        label=np.array([1, 7, 2], dtype=np.uint8),
    )
    X, y = load_covtype(tmp_path)
    assert X.shape == (3, 54)
    assert list(y) == [1, 7, 2]
    assert list(X[1, :10]) == list(range(1, 30, 3))
    assert [list(np.flatnonzero(row)) for row in X[:, 10:]] == [[0, 43], [3, 4], [1, 11]]


def test_mnist_reads_idx_files(tmp_path, monkeypatch):
    images = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    _write(tmp_path / "mnist" / "t10k-images-idx3-ubyte.gz", _idx(images))
    _write(tmp_path / "mnist" / "t10k-labels-idx1-ubyte.gz", _idx(np.array([9, 0])))
    monkeypatch.setenv("MAXMARGIN_DATA", str(tmp_path))
    X, y = load_mnist("test")
    assert X.dtype == np.uint8
    assert np.array_equal(X, images.reshape(2, 12))
    assert list(y) == [9, 0]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"noise", "is not an idx file"), (bytes([0, 0, 8, 1, 0, 0, 0, 5, 1, 2]), "holds 2 values, but its header says")],
)
def test_a_bad_idx_file_is_named(tmp_path, content, message):
    _write(tmp_path / "mnist" / "train-images-idx3-ubyte.gz", gzip.compress(content))
    with pytest.raises(ValueError, match=message):
        load_mnist(folder=tmp_path)


def test_newsgroups_keeps_one_split(tmp_path):
    lines = [
        {"id": "1", "split": "train", "group": "sci.space", "text": "Mond\n"},
        {"id": "2", "split": "test", "group": "rec.autos", "text": "voitures très rapides"},
    ]
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    _write(tmp_path / "newsgroups20" / "20news-bydate.jsonl.xz", lzma.compress(content))
    assert load_newsgroups20("train", tmp_path) == (["Mond\n"], ["sci.space"])
    assert load_newsgroups20("test", tmp_path) == (["voitures très rapides"], ["rec.autos"])
    assert len(load_newsgroups20("all", tmp_path)[0]) == 2


def test_ocr_letters_unpacks_words_of_the_folds(tmp_path):
    (tmp_path / "ocr_letters").mkdir()
    bits = np.random.default_rng(0).integers(0, 2, size=(5, 128)).astype(np.uint8)
    np.savez(
        tmp_path / "ocr_letters" / "ocr_letters.npz",
        pixels=np.packbits(bits, axis=1),
        labels=np.array([0, 25, 3, 4, 5], dtype=np.uint8),
        offsets=np.array([0, 2, 3, 5], dtype=np.int32),
        folds=np.array([0, 1, 0], dtype=np.uint8),
    )
    X, Y = load_ocr_letters([0], tmp_path)
    assert [y.tolist() for y in Y] == [[0, 25], [4, 5]]
    assert np.array_equal(np.vstack(X), bits[[0, 1, 3, 4]])
    assert len(load_ocr_letters(folder=tmp_path)[0]) == 3


def test_optdigits_and_letter_read_text_tables(tmp_path):
    _write(tmp_path / "optdigits" / "optdigits.tra.gz", gzip.compress(b"0,16,3,7\n1,2,3,0\n"))
    letters = b"T,2,8\nI,5,12\nD,4,11\nN,7,1\nG,2,1\n"
    _write(tmp_path / "uci_letter" / "letter-recognition.data.gz", gzip.compress(letters))
    X, y = load_optdigits("train", tmp_path)
    assert X.tolist() == [[0, 16, 3], [1, 2, 3]]
    assert y.tolist() == [7, 0]
    assert load_uci_letter("train", tmp_path)[1].tolist() == ["T", "I", "D", "N"]
    X, y = load_uci_letter("test", tmp_path)
    assert X.tolist() == [[2, 1]]
    assert y.tolist() == ["G"]


def test_mq2008_puts_the_folds_together(tmp_path):
    for number in range(1, 6):
        lines = f"{number % 3} qid:{number} 1:{number} 46:0.5 #docid = a\n"
        _write(tmp_path / "letor_mq2008" / f"S{number}.txt.gz", gzip.compress(lines.encode()))
    expected = {"train": [2, 3, 4], "vali": [5], "test": [1], "all": [1, 2, 3, 4, 5]}
    for split, queries in expected.items():
        X, y, found = load_mq2008(split, 2, tmp_path)
        assert found.tolist() == queries
        assert y.tolist() == [query % 3 for query in queries]
        assert X.shape == (len(queries), 46)
        assert X[:, 0].tolist() == queries
    assert load_mq2008("test", 5, tmp_path)[2].tolist() == [4]
    with pytest.raises(ValueError, match="fold must be 1 to 5, not 0"):
        load_mq2008("train", 0, tmp_path)


def test_conll2000_reads_a_member_of_the_archive(tmp_path):
    path = tmp_path / "conll2000" / "conll2000.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conll2000/test.txt", "The DT B-NP\ndog NN I-NP\n\n# # O\n")
    assert load_conll2000("test", tmp_path) == (
        [[("The", "DT"), ("dog", "NN")], [("#", "#")]],
        [["B-NP", "I-NP"], ["O"]],
    )
    with pytest.raises(ValueError, match=r"conll2000\.zip is not an archive with conll2000/train\.txt"):
        load_conll2000("train", tmp_path)
    path.write_bytes(b"noise")
    with pytest.raises(ValueError, match="is not an archive with"):
        load_conll2000("test", tmp_path)


def test_conll2002_reads_a_member_of_the_archive(tmp_path):
    path = tmp_path / "conll2002" / "conll2002.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conll2002/esp.testb", "La DA B-LOC\nCoruña NC I-LOC\n\n. Fp O\n")
    assert load_conll2002("test", tmp_path) == (
        [[("La", "DA"), ("Coruña", "NC")], [(".", "Fp")]],
        [["B-LOC", "I-LOC"], ["O"]],
    )
    with pytest.raises(ValueError, match=r"conll2002\.zip is not an archive with conll2002/esp\.testa"):
        load_conll2002("dev", tmp_path)


def test_litbank_marks_the_innermost_names(tmp_path):
    path = tmp_path / "litbank_coref" / "litbank_coref.zip"
    path.parent.mkdir()
    words = ["King", "of", "North", "Wales", "slept"]
    text = "#begin document (a); part 0\n" + "".join(f"a\t0\t{t}\t{word}\t_\n" for t, word in enumerate(words)) + "\n"
    text += "a\t0\t0\tIt\t_\n#end document\n"
    mentions = "MENTION\tT1\t0\t0\t0\t3\tKing of North Wales\tPER\tPROP\n"
    mentions += "MENTION\tT2\t0\t2\t0\t3\tNorth Wales\tGPE\tPROP\nMENTION\tT3\t1\t0\t1\t0\tIt\tPER\tPRON\n"
    mentions += "COREF\tT1\tKing-1\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conll/a_brat.conll", text)
        archive.writestr("tsv/a_brat.ann", mentions)
    assert load_litbank("train", tmp_path) == ([words, ["It"]], [["O", "O", "B-GPE", "I-GPE", "O"], ["O"]])
    with pytest.raises(ValueError, match="holds no documents of the split 'test'"):
        load_litbank("test", tmp_path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conll/a_brat.conll", text)
    with pytest.raises(ValueError, match="is not the archive of LitBank"):
        load_litbank("train", tmp_path)


def test_ud_ewt_leaves_out_contractions_and_empty_nodes(tmp_path):
    rows = ["# text = I can't", "1-2\tcan't", "1\tca", "2\tn't", "2.1\tgo", "", "1\tA b"]
    tags = {"1": "AUX\tMD", "2": "PART\tRB"}
    lines = [
        f"{row}\t_\t{tags.get(row.split()[0], '_' + chr(9) + '_')}" + "\t_" * 5 if "\t" in row else row for row in rows
    ]
    path = tmp_path / "ud_english_ewt" / "en_ewt-ud-dev.conllu.gz"
    _write(path, gzip.compress("\n".join(lines).encode()))
    assert load_ud_ewt("dev", tmp_path) == ([["ca", "n't"], ["A b"]], [["AUX", "PART"], ["AUX"]])
    assert load_ud_ewt("dev", tmp_path, tags="xpos")[1] == [["MD", "RB"], ["MD"]]
    with pytest.raises(ValueError, match="tags must be 'upos' or 'xpos', not 'pos'"):
        load_ud_ewt("dev", tmp_path, tags="pos")
    _write(path, gzip.compress(b"1\tA\n"))
    with pytest.raises(ValueError, match="has 2 columns, not the 10 of CoNLL-U"):
        load_ud_ewt("dev", tmp_path)


@pytest.mark.parametrize("load", LOADERS)
def test_without_the_variable_the_message_names_it(load, monkeypatch):
    monkeypatch.delenv("MAXMARGIN_DATA", raising=False)
    with pytest.raises(MissingDataError, match="set the environment variable MAXMARGIN_DATA to the folder"):
        load()


@pytest.mark.parametrize("load", LOADERS)
def test_a_folder_that_does_not_exist_is_named(load, tmp_path, monkeypatch):
    monkeypatch.setenv("MAXMARGIN_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(MissingDataError, match=r"data folder named by MAXMARGIN_DATA does not exist: .*nowhere"):
        load()


@pytest.mark.parametrize("load", LOADERS)
def test_a_file_that_is_not_there_is_named(load, tmp_path):
    with pytest.raises(MissingDataError, match=r"There is no \S+/\S+ in the data folder .* MAXMARGIN_DATA"):
        load(folder=tmp_path)


@pytest.mark.parametrize(
    "load",
    [
        load_conll2000,
        load_conll2002,
        load_litbank,
        load_mnist,
        load_mq2008,
        load_newsgroups20,
        load_optdigits,
        load_uci_letter,
        load_ud_ewt,
    ],
)
def test_an_unknown_split_is_refused(load, tmp_path):
    with pytest.raises(ValueError, match="split must be 'train'"):
        load("validation", folder=tmp_path)
