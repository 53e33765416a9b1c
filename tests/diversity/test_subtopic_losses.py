"""The loss against counting by hand; sets and matrices say the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin.diversity import pack_subtopics, subtopic_losses

SETS = st.lists(st.sets(st.sampled_from("abcde")), min_size=1, max_size=6).filter(any)


def counted_loss(documents, chosen, weighting="popularity"):
    topics = set().union(*documents)
    weight = {t: sum(t in covered for covered in documents) if weighting == "popularity" else 1 for t in topics}
    seen = set().union(*(documents[d] for d in chosen))
    return sum(weight[t] for t in topics - seen) / sum(weight.values())


@settings(max_examples=200)
@given(SETS, st.sampled_from(["popularity", "equal"]), st.data())
def test_the_loss_against_counting(documents, weighting, data):
    chosen = data.draw(st.lists(st.integers(0, len(documents) - 1), unique=True))
    (packed,) = pack_subtopics([documents], weighting)
    assert packed.loss(chosen) == pytest.approx(counted_loss(documents, chosen, weighting), abs=1e-12)
    assert np.allclose(packed.weight / packed.step, np.round(packed.weight / packed.step))
    (loss,) = subtopic_losses([documents], [chosen], weighting=weighting)
    assert loss == packed.loss(chosen)


@settings(max_examples=100)
@given(SETS)
def test_sets_lists_and_matrices_say_the_same(documents):
    matrix = np.array([[t in covered for t in "abcde"] for covered in documents])
    forms = [
        documents,
        [list(covered) * 2 for covered in documents],
        tuple(tuple(covered) for covered in documents),
        matrix,
        matrix.astype(float),
        sp.csr_array(matrix.astype(int)),
        sp.coo_matrix(matrix.astype(np.float32)),
        pd.DataFrame(matrix, columns=list("abcde")),
    ]
    packed = pack_subtopics(forms)
    for k in range(len(documents)):
        assert len({round(each.loss([0, k]), 12) for each in packed}) == 1


def test_losses_at_k():
    Y = [[{"a"}, {"b"}, {"a", "c"}], [{1}, set(), {2}]]
    rankings = [[2, 1, 0], [1, 2, 0]]
    assert subtopic_losses(Y, rankings, 1).tolist() == [0.25, 1.0]
    assert subtopic_losses(Y, np.array(rankings), 2).tolist() == [0.0, 0.5]
    assert subtopic_losses(Y, rankings).tolist() == [0.0, 0.0]
    assert subtopic_losses(Y, rankings, 1, weighting="equal").tolist() == [1 / 3, 1.0]


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        ([[{"a"}], [set(), set()]], "No document of candidate set 1 covers a subtopic"),
        ([np.zeros((2, 3))], "No document of candidate set 0 covers a subtopic"),
        ([[]], "No document of candidate set 0 covers a subtopic"),
        ([[{"a"}, "abc"]], "document 1 of candidate set 0 are the text 'abc'"),
        ([[{"a"}, 3]], "document 1 of candidate set 0 are of type int"),
        ([[[["a"]]]], "Document 0 of candidate set 0 holds a list"),
        (None, "y must be a list with the subtopics of each candidate set, not of type NoneType"),
        ("abc", "y must be a list with the subtopics of each candidate set, not of type str"),
        ([pd.DataFrame({"a": [0, 2]})], "zeros and ones"),
        (["abc"], "candidate set 0 are the text 'abc'"),
        ([5], "candidate set 0 are of type int"),
        ([{"a"}, {"b"}], "candidate set 0 are of type set; give a list"),
        ([np.array([1, 0])], "array of 1 dimensions"),
        ([np.array([[2, 0]])], "zeros and ones"),
        ([np.array([["a"]])], "zeros and ones"),
    ],
)
def test_complaints(Y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        pack_subtopics(Y)


def test_complaints_about_rankings():
    Y = [[{"a"}, {"b"}]]
    with pytest.raises(ValueError, match="weighting must be one of 'popularity', 'equal', not 'fame'"):
        pack_subtopics(Y, "fame")
    with pytest.raises(ValueError, match="1 candidate sets and there are 2 rankings"):
        subtopic_losses(Y, [[0], [1]])
    with pytest.raises(ValueError, match="k must be at least 1"):
        subtopic_losses(Y, [[0]], 0)
    for ranking in ([2], [-1], [0.5], [[0]]):
        with pytest.raises(ValueError, match="Ranking 0 must hold positions from 0 to 1"):
            subtopic_losses(Y, [ranking])
