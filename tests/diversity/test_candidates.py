"""Candidate sets in every form, and one sentence for each that is wrong."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

from maxmargin.diversity.candidates import pack_candidates

TEXTS = ["the red fox", "the blue fox the end", "a tree"]
TITLES = ["fox", "end of fox", ""]


def test_texts_are_counted_in_the_words_of_their_set():
    (packed,) = pack_candidates([TEXTS])
    assert packed.n == 3
    assert packed.names.tolist() == ["blue", "end", "fox", "red", "the", "tree"]
    assert packed.fields["text"].toarray().tolist() == [[0, 0, 1, 1, 1, 0], [1, 1, 1, 0, 2, 0], [0, 0, 0, 0, 0, 1]]
    assert packed.query is None


def test_fields_and_the_query_share_one_vocabulary():
    (packed,) = pack_candidates([{"text": TEXTS, "title": TITLES, "query": "red end of"}])
    assert list(packed.fields) == ["text", "title"]
    assert packed.names.tolist() == ["blue", "end", "fox", "of", "red", "the", "tree"]
    assert packed.fields["title"].toarray()[1].tolist() == [0, 1, 1, 1, 0, 0, 0]
    assert packed.query.tolist() == [0, 1, 0, 1, 1, 0, 0]


@pytest.mark.parametrize("form", [tuple, np.array, pd.Series, lambda texts: pd.Series(texts, index=[7, 3, 5])])
def test_sequences_of_texts(form):
    (packed,) = pack_candidates([form(TEXTS)])
    assert (packed.fields["text"] != pack_candidates([TEXTS])[0].fields["text"]).nnz == 0


def test_vectorisers_of_all_kinds():
    vectorizer = CountVectorizer(ngram_range=(1, 2))
    (packed,) = pack_candidates([TEXTS], vectorizer)
    assert "red fox" in packed.names.tolist()
    assert not hasattr(vectorizer, "vocabulary_")  # a copy was fitted
    (hashed,) = pack_candidates([TEXTS], HashingVectorizer(n_features=64, alternate_sign=False, norm=None))
    assert hashed.names is None
    assert hashed.fields["text"].shape == (3, 64)
    (weighted,) = pack_candidates([TEXTS], TfidfVectorizer())
    assert 0.0 < weighted.fields["text"].data.max() <= 1.0


def test_matrices_of_all_kinds():
    counts = np.array([[1, 0, 2], [0, 3, 0]])
    for form in (np.array, sp.csr_array, sp.csc_matrix, sp.coo_array, lambda m: np.array(m, dtype=np.float32)):
        (packed,) = pack_candidates([form(counts)])
        assert packed.fields["text"].toarray().tolist() == counts.tolist()
        assert packed.names is None
    (packed,) = pack_candidates([{"body": counts, "anchor": counts[:, ::-1], "query": [1, 0, 0]}], shared_columns=True)
    assert packed.names.tolist() == [0, 1, 2]
    assert packed.query.tolist() == [1, 0, 0]
    assert pack_candidates([{"body": counts, "query": sp.csr_array([[0, 0, 1]])}])[0].query.tolist() == [0, 0, 1]


COUNTS = np.ones((2, 3))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ("text", "X must be a list of candidate sets, not of type str"),
        ({"text": TEXTS}, "X must be a list of candidate sets, not of type dict"),
        (5, "X must be a list of candidate sets, not of type int"),
        (["text"], "field 'text' of candidate set 0 is one text"),
        ([{"title": "text"}], "field 'title' of candidate set 0 is one text"),
        ([TEXTS, 5], "field 'text' of candidate set 1 is of type int"),
        ([{}], "Candidate set 0 has no field of documents"),
        ([{"query": "a"}], "Candidate set 0 has no field of documents"),
        ([{1: TEXTS}], "names must be text"),
        ([[]], "cannot be vectorised|no documents"),
        ([np.zeros((0, 3))], "Candidate set 0 has no documents"),
        ([["", "a"]], "texts of candidate set 0 cannot be vectorised: empty vocabulary"),
        ([["one two", 3]], "Document 1 of candidate set 0 is of type int in the field 'text'"),
        ([[["one"], ["two"]]], "Document 0 of candidate set 0 is of type list"),
        ([{"text": TEXTS, "title": TITLES[:2]}], "'text' has 3 documents and 'title' has 2; they must match"),
        ([{"text": COUNTS, "title": np.ones((3, 3))}], "'text' has 2 documents and 'title' has 3; they must match"),
        ([{"text": COUNTS, "title": np.ones((2, 4))}], "'text' has 3 columns and 'title' has 4"),
        ([{"text": COUNTS, "query": [1, 1]}], "'text' has 3 columns and 'query' has 2"),
        ([{"text": TEXTS, "title": COUNTS}], "'text' holds texts and the field 'title' a matrix"),
        ([{"text": TEXTS, "query": ["a"]}], "query of candidate set 0 is of type list; give a text"),
        ([np.ones(3)], "field 'text' of candidate set 0 has 1 dimensions"),
        ([COUNTS, np.array([[1.0, 0.0], [0.0, -2.0]])], "Document 1 of candidate set 1 has the value -2.0"),
        ([np.array([[np.nan]])], "Document 0 of candidate set 0 has the value nan"),
    ],
)
def test_complaints(X, message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        pack_candidates(X)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("vectorizer", ["tf-idf", CountVectorizer, 3])
def test_complaints_about_vectorisers(vectorizer):
    with pytest.raises(TypeError, match="vectorizer must be a vectoriser such as"):
        pack_candidates([TEXTS], vectorizer)
