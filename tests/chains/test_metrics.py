"""Scores of predictions: chunks against seqeval, which counts as conlleval does, and by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin.chains.chunk_schemes import mark_of, may_follow, scheme_of
from maxmargin.metrics import ChunkScore, chunk_f1, chunk_score, chunk_scores, chunks_of, token_accuracy

LETTERS = {"BIO": "BI", "IOB2": "BI", "IOB1": "BI", "IOBES": "BIES", "BIOES": "BIES", "BILOU": "BILU"}


def sequences_of(tags):
    """True and predicted tags of a few sequences; nothing keeps I-x from following O or another kind."""
    pair = st.tuples(st.sampled_from(tags), st.sampled_from(tags))
    return st.lists(st.lists(pair, min_size=1, max_size=9), min_size=1, max_size=4)


def tags_of(scheme):
    return ["O", *(f"{letter}{kind}" for letter in LETTERS[scheme] for kind in ("-NP", "-VP", "-NP-TMP", "", "-"))]


def split(sequences):
    return [[a for a, _ in pairs] for pairs in sequences], [[b for _, b in pairs] for pairs in sequences]


def judge_of(name):
    return pytest.importorskip(name, reason="seqeval, of the extra [test], is the judge here")


def for_seqeval(tags):
    """Without ``strict`` seqeval knows the letters of IOBES only."""
    return [tag.replace("L", "E", 1).replace("U", "S", 1) if tag[0] in "LU" else tag for tag in tags]


@pytest.mark.parametrize("scheme", LETTERS)
@given(data=st.data())
@settings(max_examples=150)
def test_chunks_and_their_scores_are_those_of_seqeval(scheme, data):
    judge = judge_of("seqeval.metrics.sequence_labeling")
    truth, found = split(data.draw(sequences_of(tags_of(scheme))))
    for tags in truth:
        entities = judge.get_entities(for_seqeval(tags))
        expected = {(first, last + 1, kind.replace("_", "")) for kind, first, last in entities}
        assert chunks_of(tags, scheme) == expected
        assert chunks_of(tags) == expected
    score = chunk_score(truth, found, scheme)
    expected = judge.precision_recall_fscore_support(
        list(map(for_seqeval, truth)), list(map(for_seqeval, found)), average="micro", zero_division=0
    )
    assert score == pytest.approx(tuple(float(number or 0) for number in expected))
    assert chunk_f1(truth, found, scheme) == chunk_f1(truth, found) == score.f1
    by_kind = chunk_scores(truth, found, scheme)
    assert sum(part.support for part in by_kind.values()) == score.support


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOBES", "BILOU"])
@given(data=st.data())
@settings(max_examples=60)
def test_valid_labellings_are_those_in_which_a_strict_reader_finds_every_chunk(scheme, data):
    """``may_follow`` against what seqeval reads in its strict mode, which skips what is not valid."""
    judge = judge_of("seqeval.scheme")
    tags = data.draw(st.lists(st.sampled_from(["O", *(f"{x}-{k}" for x in LETTERS[scheme] for k in "ab")]), min_size=1))
    marks = [None, *(mark_of(tag, scheme) for tag in tags), None]
    valid = all(may_follow(a, b, scheme) for a, b in pairwise(marks))
    strict = judge.Entities([tags], getattr(judge, scheme)).entities[0]
    chunks = {(entity.start, entity.end, entity.tag) for entity in strict}
    covered = sum(end - start for start, end, _ in chunks)
    assert valid == (covered == sum(tag != "O" for tag in tags) and chunks == chunks_of(tags, scheme))


@pytest.mark.parametrize(
    ("tags", "chunks"),
    [
        ("O O", set()),
        ("B-NP I-NP O B-NP", {(0, 2, "NP"), (3, 4, "NP")}),
        ("B-NP B-NP I-NP", {(0, 1, "NP"), (1, 3, "NP")}),
        ("I-NP I-NP", {(0, 2, "NP")}),  # as in the older scheme, I may begin a chunk
        ("B-NP I-VP", {(0, 1, "NP"), (1, 2, "VP")}),
        ("O I-VP O", {(1, 2, "VP")}),
        ("B-A-B I-A-B I-A", {(0, 2, "A-B"), (2, 3, "A")}),
        ("B I O B", {(0, 2, ""), (3, 4, "")}),
        ("S-NP B-NP E-NP O S-VP", {(0, 1, "NP"), (1, 3, "NP"), (4, 5, "VP")}),
        ("B-NP I-NP E-NP E-NP", {(0, 3, "NP"), (3, 4, "NP")}),
        ("U-NP B-NP L-NP I-NP", {(0, 1, "NP"), (1, 3, "NP"), (3, 4, "NP")}),
    ],
)
def test_chunks_by_hand(tags, chunks):
    assert chunks_of(tags.split()) == chunks
    assert chunks_of(np.array(tags.split())) == chunks


def test_scores_by_hand():
    truth = [["B-NP", "I-NP", "O", "B-VP"], ["O", "B-NP"]]
    found = [["B-NP", "I-NP", "O", "O"], ["B-VP", "B-NP"]]
    assert chunk_score(truth, found) == ChunkScore(2 / 3, 2 / 3, pytest.approx(2 / 3), 3)
    assert token_accuracy(truth, found) == pytest.approx(4 / 6)
    nothing = [["O", "O"]]
    assert chunk_score(nothing, nothing) == ChunkScore(0.0, 0.0, 0.0, 0)
    assert token_accuracy([np.array([1, 2])], [np.array([1, 3])]) == 0.5
    assert token_accuracy([np.array(["a", "b"])], [np.array(["a", None], dtype=object)]) == 0.5


def test_what_does_not_match_is_named():
    with pytest.raises(ValueError, match="2 true and 1 predicted sequences"):
        token_accuracy([["a"], ["b"]], [["a"]])
    with pytest.raises(ValueError, match="Sequence 1 has 2 true and 1 predicted labels"):
        chunk_score([["O"], ["O", "O"]], [["O"], ["O"]])
    with pytest.raises(ValueError, match="no tokens"):
        token_accuracy([], [])


def test_the_scheme_that_labels_are_written_in():
    assert scheme_of(["B-NP", "I-NP", "O"]) == scheme_of(["B-x"]) == scheme_of(["I", "O", None]) == "BIO"
    assert scheme_of(["B-x", "E-x", "O"]) == scheme_of(["S-x"]) == "IOBES"
    assert scheme_of(["B-x", "L-x", "O"]) == scheme_of(["U-x", "I-x"]) == "BILOU"
    for labels in (["O"], ["B-NP", "NOUN"], [1, 2], ["O-x", "B-x"], ["E-x", "U-x"], [], ["BI-x"]):
        assert scheme_of(labels) is None


def test_a_token_without_an_answer_is_outside():
    assert chunks_of(["B-x", None, "I-x"]) == {(0, 1, "x"), (2, 3, "x")}
    assert chunks_of([None, "O"]) == set()
    assert chunk_score([["B-x", "I-x"]], [np.array(["B-x", None], dtype=object)]).recall == 0.0


def test_labels_of_another_scheme_are_named():
    for scheme, tags, words in [
        ("BIO", ["B-x", "E-x"], "The label 'E-x' is not of the scheme BIO, whose labels are O, B-x, I-x"),
        ("bilou", ["S-x"], "The label 'S-x' is not of the scheme BILOU, whose labels are O, B-x, I-x, L-x, U-x"),
        ("IOBES", ["O", "NOUN"], "The label 'NOUN' is not of the scheme IOBES"),
        ("auto", ["O", "NOUN", "B-x"], "The label 'NOUN' is of no scheme of chunks"),
        ("auto", ["O", 3], "The label 3 is of no scheme"),
        ("auto", ["S-x", "U-x"], "mix the schemes IOBES .* and BILOU"),
        ("BIOLU", ["O"], "scheme must be one of BIO, IOB2, IOB1, IOBES, BIOES, BILOU or 'auto', not 'BIOLU'"),
        (None, ["O"], "scheme must be one of"),
    ]:
        with pytest.raises(ValueError, match=words):
            chunks_of(tags, scheme)
        with pytest.raises(ValueError, match=words):
            chunk_score([tags], [tags], scheme)
