"""Scores of predictions: chunks against seqeval, which counts as conlleval does, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin.metrics import ChunkScore, chunk_f1, chunk_score, chunks_of, token_accuracy

TAGS = ["O", "B-NP", "I-NP", "B-VP", "I-VP", "I-NP-TMP", "B-NP-TMP", "B", "I", "I-"]
# true and predicted tags of a few sequences; nothing keeps I-x from following O or another kind
PAIRS = st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS))
SEQUENCES = st.lists(st.lists(PAIRS, min_size=1, max_size=9), min_size=1, max_size=4)


@given(SEQUENCES)
@settings(max_examples=300, deadline=None)
def test_chunks_and_their_scores_are_those_of_seqeval(sequences):
    judge = pytest.importorskip(
        "seqeval.metrics.sequence_labeling", reason="seqeval, of the extra [test], is the judge here"
    )
    truth = [[a for a, _ in pairs] for pairs in sequences]
    found = [[b for _, b in pairs] for pairs in sequences]
    for tags in truth:
        expected = {(first, last + 1, kind.replace("_", "")) for kind, first, last in judge.get_entities(tags)}
        assert chunks_of(tags) == expected
    score = chunk_score(truth, found)
    expected = judge.precision_recall_fscore_support(truth, found, average="micro", zero_division=0)
    assert score == pytest.approx(tuple(float(number or 0) for number in expected))
    assert chunk_f1(truth, found) == score.f1


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
