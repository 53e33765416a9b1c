"""The reader of CoNLL-U: what it keeps, what it leaves out, and the lines that it names."""

import gzip

import numpy as np
import pytest

from maxmargin.datasets import load_ud_ewt_trees
from maxmargin.io.conllu import iter_conllu, read_conllu


def line(number, word, head="_", tag="X", relation="_"):
    return "\t".join([str(number), word, "_", tag, "_", "_", str(head), relation, "_", "_"])


GOOD = "\n".join(
    [
        "# text = can't go",
        line("1-2", "can't"),
        line(1, "ca", 3, "AUX", "aux"),
        line(2, "n't", 3, "PART"),
        line("2.1", "said"),
        line(3, "go", 0, "VERB", "root"),
        "",
        "",
        "# text = _",
        line(1, "_", 0),
    ]
)


def write(tmp_path, text, name="trees.conllu"):
    path = tmp_path / name
    data = text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("name", ["trees.conllu", "trees.conllu.gz"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_words_tags_and_heads(tmp_path, name, end):
    first, second = read_conllu(write(tmp_path, GOOD + end, name))
    assert first.words == ("ca", "n't", "go")
    assert first.upos == ("AUX", "PART", "VERB")
    assert first.xpos == ("", "", "")
    assert first.relations == ("aux", "", "root")
    np.testing.assert_array_equal(first.heads, [3, 3, 0])
    assert (second.words, len(second)) == (("_",), 1)


def test_a_file_without_heads_has_none(tmp_path):
    assert read_conllu(write(tmp_path, line(1, "a") + "\n" + line(2, "b")))[0].heads is None


BAD = [
    ("1\ta\tb", "line 1 has 3 columns; CoNLL-U has 10"),
    (line(1, "a", 0) + "\n" + line(3, "b", 1), "line 2 is for word '3'; the next word has number 2"),
    (line("x", "a", 0), "line 1 is for word 'x'"),
    ("# c\n" + line(1, "a", 2), "line 2 has the head '2'.*up to 1"),
    (line(1, "a", 1), "line 1 has the head '1'"),
    (line(1, "a", 0) + "\n" + line(2, "b", "_"), "line 2 has the head '_'"),
    (line(1, "a", "²"), "line 1 has the head '²'"),
    ("# nothing\n\n", "holds no sentences"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_faults_are_sentences_with_line_numbers(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(ValueError, match=rf"trees\.conllu.*{message}"):
        list(iter_conllu(path))


def test_the_treebank_is_read_from_the_data_folder(tmp_path):
    folder = tmp_path / "ud_english_ewt"
    folder.mkdir()
    write(folder, GOOD, "en_ewt-ud-dev.conllu.gz")
    sentences, heads = load_ud_ewt_trees("dev", tmp_path)
    assert [len(sentence) for sentence in sentences] == [3, 1]
    np.testing.assert_array_equal(heads[0], [3, 3, 0])
    write(folder, line(1, "a"), "en_ewt-ud-test.conllu.gz")
    with pytest.raises(ValueError, match="sentences without heads"):
        load_ud_ewt_trees("test", tmp_path)
    with pytest.raises(ValueError, match="'train', 'dev' or 'test'"):
        load_ud_ewt_trees("all", tmp_path)
