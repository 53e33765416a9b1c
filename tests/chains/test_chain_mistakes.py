"""What newcomers give to chain estimators by mistake, and what they may well give."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from maxmargin import ChainCRF, ChainPerceptron, SequenceVectorizer
from maxmargin.chains.features import TEMPLATE_SETS, tagging_templates, window
from maxmargin.chains.sequences import pack

WORDS = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["dogs", "sleep"]]
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"]]
FRAME = pd.DataFrame(
    {
        "sentence": np.repeat([0, 1, 2], [3, 3, 2]),
        "word": [word for words in WORDS for word in words],
        "size": [float(len(word)) for words in WORDS for word in words],
        "tag": [tag for tags in TAGS for tag in tags],
    }
)
PARTS = [part for _, part in FRAME.groupby("sentence")]


@pytest.fixture(scope="module")
def model():
    return ChainPerceptron(passes=5, templates="tagging").fit(WORDS, TAGS)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (WORDS[0], r"Sequence 0 is the string 'the', not a list of tokens\. .* give a single sequence x as \[x\]"),
        (["the dog barks"], "Sequence 0 is the string 'the dog barks'"),
        ([WORDS[0], "x" * 50], f"Sequence 1 is the string '{'x' * 40}', not"),
        ("the dog", "X must be a list of sequences, each a list of tokens, not str"),
        ({"a": WORDS[0]}, "each a list of tokens, not dict"),
        ((words for words in WORDS), "each a list of tokens, not generator"),
        (
            FRAME,
            r"X is one data frame of 8 rows, not a list of sequences; .* pass lengths= .* give lists of them, such as",
        ),
        ([], "There are no sequences; give at least one"),
        ([["the", 3]], "Sequence 0, token 1: with templates a token must be a string or a tuple of strings, not int"),
    ],
)
def test_what_is_no_list_of_sequences(model, X, words):
    with pytest.raises(ValueError, match=words):
        model.predict(X if not hasattr(X, "gi_frame") else (row for row in WORDS))


@pytest.mark.parametrize("X", [WORDS[0], ["the dog", "a cat", "dogs"], FRAME])
def test_training_complains_alike(X):
    with pytest.raises(ValueError, match="not a list of"):
        ChainPerceptron(templates="tagging").fit(X, TAGS)


def test_columns_that_the_model_was_not_trained_with(model):
    for tokens in ([("the", "DT")], [["the", "DT", "x"]]):
        with pytest.raises(
            ValueError, match=r"The tokens have \d columns, but .* had 1; give the same columns, without"
        ):
            model.predict([tokens])
    with pytest.raises(ValueError, match="The tokens have 3 columns"):
        model.explain(WORDS[:1], 0)
    with pytest.raises(ValueError, match="has 1 columns, the tokens before have 2; give every token the same columns"):
        ChainPerceptron(templates="chunking").fit([[("a", "b"), ("c",)]], [["x", "y"]])


def test_frames_series_and_arrays(model):
    expected = model.predict(WORDS)
    for X, Y in (
        ([part["word"] for part in PARTS], [part["tag"] for part in PARTS]),
        ([part["word"].to_numpy() for part in PARTS], [part["tag"].to_numpy() for part in PARTS]),
        ([part[["word"]].to_numpy() for part in PARTS], FRAME["tag"]),
        (pd.Series(WORDS), pd.Series(TAGS)),
    ):
        found = ChainPerceptron(passes=5, templates="tagging").fit(X, Y).predict(X)
        assert [list(labels) for labels in found] == expected
        assert all(isinstance(labels, list) for labels in found) == isinstance(X, pd.Series)
    numbers = ChainPerceptron(passes=5).fit([part[["size"]] for part in PARTS], TAGS)
    flat = ChainPerceptron(passes=5).fit(FRAME[["size"]], FRAME["tag"], lengths=[3, 3, 2])
    np.testing.assert_array_equal(numbers.coef_, flat.coef_)
    with pytest.raises(
        ValueError, match=r"Sequence 0 holds objects, not numbers; .* as tuples of strings, such as list"
    ):
        ChainPerceptron(templates="tagging").fit([part[["word", "tag"]] for part in PARTS], TAGS)
    with pytest.raises(ValueError, match="X is one data frame of 8 rows; pass lengths="):
        pack(FRAME[["size"]])


def test_ready_templates_by_name():
    assert SequenceVectorizer(templates="tagging").fit(WORDS).templates_ == tagging_templates()
    assert set(TEMPLATE_SETS) == {"chunking", "tagging", "entities"}
    with pytest.raises(
        ValueError, match=r"templates='tager' is not the name of a ready set \(chunking, tagging, entities\), nor"
    ):
        ChainPerceptron(templates="tager").fit(WORDS, TAGS)
    with pytest.raises(ValueError, match="templates must be Templates, 'chunking', 'tagging', 'entities', or a text"):
        ChainPerceptron(templates=["word"]).fit(WORDS, TAGS)
    assert SequenceVectorizer(templates="U").fit(WORDS).get_feature_names_out().tolist() == ["U"]


def test_templates_are_shown_in_a_line():
    assert repr(ChainCRF(templates=tagging_templates())) == "ChainCRF(templates=<Templates: 23 of tokens>)"
    text = SequenceVectorizer(templates="U00:%x[0,0]\nB01:%x[0,0]\n").fit(WORDS).templates_
    assert repr(text) == "<Templates: 1 of tokens, 1 of pairs, no transitions>"
    assert repr(window(0)) == "<Templates: 5 of tokens>"


def test_what_is_known_in_other_forms(model):
    rest = [None, None]
    expected = model.predict(WORDS[:1], known=[[{"N", "V"}, *rest]])[0]
    assert model.predict(WORDS[:1], known=[[("N", "V"), *rest]])[0] == expected
    for known, words in [
        (5, "known must be a list with an entry for each sequence, not 5"),
        ([{0: "N"}], r"known of sequence 0 is \{0: 'N'\}; give a list with an entry for each token"),
        (["N", None, None], "known has 3 sequences, but X has 1"),
        ([[("N", "X"), *rest]], "the label 'X' at sequence 0, token 0, which was not seen in training"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.predict(WORDS[:1], known=known)


def test_a_mask_of_floats(model):
    mask = np.ones((3, 3))
    mask[0, 1] = 0.0
    same = model.predict(WORDS, steps=mask.astype(bool))
    assert model.predict(WORDS, steps=mask) == same
    with pytest.raises(ValueError, match="is not a pair"):
        model.predict(WORDS, steps=0.5 * mask)


def test_numbers_that_are_none(model):
    for abstain in ("a", True, 80, np.nan):
        with pytest.raises(ValueError, match="abstain is a probability between 0 and 1, not"):
            model.predict(WORDS, abstain=abstain)
    for penalty in ({"l1": "a"}, {"l2": -1}, {"l2": None}, {"l1": np.nan}):
        with pytest.raises(ValueError, match=r"l[12] must be a number of at least 0, not"):
            ChainCRF(**penalty).fit(WORDS, TAGS)


def test_text_in_complaints_is_readable():
    with pytest.raises(ValueError, match=r"the token \('Grüße', 'Straße'\) has 2 columns"):
        SequenceVectorizer(templates="tagging").fit([["Äpfel", ("Grüße", "Straße")]])
    with pytest.raises(ValueError, match=r"the token \('ß{58}\.\.\. has 2 columns"):
        SequenceVectorizer(templates="tagging").fit([["a", ("ß" * 80, "b")]])
