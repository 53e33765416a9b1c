"""Bad input to ChainSVC: one clear sentence, before any training, and a fitted model stays as it was."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from maxmargin import ChainSVC, Unsupported

RNG = np.random.default_rng(0)
X = [RNG.standard_normal((length, 3)) for length in (2, 3, 1, 4)]
Y = [RNG.integers(0, 3, len(x)) for x in X]
Y[0][:] = [0, 1]
Y[1][:] = [2, 1, 0]
WORDS = [["the", "dog"], ["a", "dog", "barks"]]
TAGS = [["D", "N"], ["D", "N", "V"]]
NAN = float("nan")


def untouched(_):
    raise AssertionError("training began")


def fit(given=X, labels=Y, lengths=None, sample_weight=None, **params):
    return ChainSVC(**params, callback=untouched).fit(given, labels, sample_weight=sample_weight, lengths=lengths)


def spoiled(value):
    given = [x.copy() for x in X]
    given[1][2, 0] = value
    return given


BAD_DATA = {
    "nothing": (lambda: fit([], []), "no sequences"),
    "empty sequences": (lambda: fit([np.zeros((0, 3))], [[]]), "All sequences are empty; give at least one token"),
    "empty sequences of words": (lambda: fit([[], []], [[], []]), "All sequences are empty; give at least one token"),
    "labels of no tokens": (lambda: fit([X[0], []], [Y[0], [1]]), "Sequence 1 has 0 tokens but 1 labels"),
    "one matrix": (lambda: fit(np.concatenate(X), np.concatenate(Y)), "X is one matrix of 10 rows; pass lengths="),
    "lengths too short": (
        lambda: fit(np.concatenate(X), np.concatenate(Y), [2, 3, 1]),
        "lengths add up to 6, but X has 10 rows",
    ),
    "lengths with words": (lambda: fit(WORDS, TAGS, [2, 3]), "lengths belong to one matrix"),
    "NaN": (lambda: fit(spoiled(NAN)), "Sequence 1, token 2: column 0 is nan"),
    "infinity": (lambda: fit([sp.csr_array(x) for x in spoiled(np.inf)]), "Sequence 1, token 2: column 0 is inf"),
    "other columns": (lambda: fit([X[0], X[1][:, :2]], Y[:2]), "Sequence 1 has 2 columns, those before it have 3"),
    "one label too few": (lambda: fit(X, [Y[0][:1], *Y[1:]]), "Sequence 0 has 2 tokens but 1 labels"),
    "one sequence too few": (lambda: fit(X, Y[:3]), "y has the labels of 3 sequences, but X has 4"),
    "one label too many": (lambda: fit(X, np.zeros(11, int)), "y has 11 labels for 10 tokens"),
    "no label at all": (lambda: fit(X[:1], [[None, None]]), "Nothing is known of any token"),
    "no possible label": (
        lambda: fit(X[:2], [["a", "b"], [set(), "a", "b"]]),
        "Sequence 1, token 0 has no possible label",
    ),
    "NaN among labels": (lambda: fit(X[:1], [[{"a", "b"}, NAN]]), "Sequence 0, token 1 has the label nan"),
    "labels of two kinds": (lambda: fit(X[:1], [["a", 1]]), "cannot be sorted"),
    "text for rows": (lambda: fit([np.array([["a", "b"]])], [[1]]), "text, not numbers"),
}


@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data(case):
    call, words = BAD_DATA[case]
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


BAD_PARAMETERS = [
    ({"C": 0.0}, "C must be a positive number or 'scale', not 0.0"),
    ({"C": "auto"}, "C must be a positive number or 'scale', not 'auto'"),
    ({"loss": "f1"}, "loss must be one of 'hamming', 'zero-one', not 'f1'"),
    ({"loss": "zero-one", "cost": 1 - np.eye(3)}, "leave cost and class_weight out"),
    ({"loss": "zero-one", "class_weight": {0: 2.0}}, "leave cost and class_weight out"),
    ({"rescaling": "both"}, "rescaling must be one of"),
    ({"slack": "soft"}, "slack must be one of"),
    ({"solver": "simplex"}, "solver must be one of"),
    ({"tol": 0}, "tol must be a positive number"),
    ({"order": 0}, "order must be 1, 2 or 3, not 0"),
    ({"order": 1.0}, "order must be 1, 2 or 3, not 1.0"),
    ({"order": True}, "order must be 1, 2 or 3, not True"),
    ({"eta": -1}, "eta must be a finite number of at least 0, not -1"),
    ({"eta": "1"}, "eta must be a finite number of at least 0, not '1'"),
    ({"window": -1}, "window must be a whole number of at least 0, not -1"),
    ({"window": 1.5}, "window must be a whole number of at least 0, not 1.5"),
    ({"window": 2**29}, "A window of 536870912 makes"),
    ({"cost": np.ones((2, 2))}, r"cost has shape \(2, 2\); there are 3 classes"),
    ({"cost": np.ones((3, 3))}, "the right answer must cost 0"),
    ({"class_weight": 2.0}, "class_weight must be a dict of labels to numbers, or 'balanced', not 2.0"),
    ({"class_weight": {7: 1.0}}, "class_weight names 7, which is not a label of the data"),
    ({"class_weight": {0: -1.0}}, r"class_weight\[0\] is -1.0; give a finite number of at least 0"),
    ({"class_weight": {0: "2"}}, r"class_weight\[0\] is '2'"),
    ({"sample_weight": np.ones(3)}, r"sample_weight has shape \(3,\); one number for each of the 4 examples"),
    ({"sample_weight": np.zeros(4)}, "All sample weights are zero"),
    ({"sample_weight": [1, 1, NAN, 1]}, "sample_weight of example 2 is nan"),
    ({"n_jobs": 0}, "n_jobs must be None, -1 or a positive integer"),
]


@pytest.mark.parametrize(("params", "words"), BAD_PARAMETERS, ids=[str(params)[:40] for params, _ in BAD_PARAMETERS])
def test_bad_parameters(params, words):
    with pytest.raises(ValueError, match=words):
        fit(**params)


def test_text_and_numbers_are_not_mixed():
    with pytest.raises(ValueError, match="trained on rows of numbers, but the tokens of X are text"):
        ChainSVC(C=1.0).fit(X, Y).predict(WORDS)
    model = ChainSVC(C=1.0).fit([[[word] for word in sentence] for sentence in WORDS], TAGS)
    for given in (X, [[[1.0, 2.0]]]):
        with pytest.raises(ValueError, match="trained on tokens of text; give X in the same form"):
            model.predict(given)
    with pytest.raises(ValueError, match="lengths belong to one matrix"):
        model.predict([[["the"]]], lengths=[1])


def test_other_columns_than_in_training():
    model = ChainSVC(C=1.0).fit(X, Y)
    with pytest.raises(ValueError, match="X has 2 features, but ChainSVC is expecting 3 features"):
        model.predict([x[:, :2] for x in X])
    wide = ChainSVC(C=1.0, window=1).fit(X, Y)
    with pytest.raises(ValueError, match="features"):
        wide.predict([x[:, :2] for x in X])
    with pytest.raises(ValueError, match="is nan"):
        model.predict(spoiled(NAN))


def test_labels_that_were_not_seen():
    model = ChainSVC(C=1.0).fit(X, Y)
    right = [y.copy() for y in model.predict(X)]
    right[3][0] = 99
    assert model.score(X, right) == pytest.approx(0.9)
    with pytest.raises(ValueError, match="Sequence 3, token 0 has the label 99, which is not one of the 3"):
        model.decision_value(X, right)


def test_one_label_is_a_chain_without_a_choice():
    model = ChainSVC(C=1.0).fit(X, [["only"] * len(x) for x in X])
    assert [y.tolist() for y in model.predict(X)] == [["only"] * len(x) for x in X]
    assert not model.coef_.any()
    assert len(model.predict_kbest(X, 3)[0]) == 1


def test_before_fit():
    for method in ("predict", "predict_marginals", "predict_confidence"):
        with pytest.raises(NotFittedError):
            getattr(ChainSVC(), method)(X)
    with pytest.raises(NotFittedError):
        ChainSVC().score(X, Y)
    with pytest.raises(NotFittedError):
        ChainSVC().calibrate(X, Y)


@pytest.mark.parametrize(
    "options", [{"cost": 1 - np.eye(3)}, {"class_weight": {0: 2.0}}, {"rescaling": "slack"}, {"loss": "zero-one"}]
)
def test_the_perceptron_has_no_loss(options):
    with pytest.raises(Unsupported, match="perceptron has no"):
        fit(solver="perceptron", **options)


def test_a_complaint_leaves_the_fitted_model():
    model = ChainSVC(C=1.0).fit(X, Y)
    expected = [y.tolist() for y in model.predict(X)]
    other = [x[:, :2] for x in X], [y + 5 for y in Y]
    refused = [
        lambda: model.fit(*other, sample_weight=np.ones(3)),
        lambda: model.set_params(class_weight={"a": 1.0}).fit(*other),
        lambda: model.set_params(class_weight=None, tol=-1.0).fit(*other),
        lambda: model.set_params(tol=0.05).fit(spoiled(NAN), Y),
        lambda: model.fit(WORDS, [["D", "N"], ["D", "N", 3]]),
    ]
    for call in refused:
        with pytest.raises(ValueError):
            call()
        assert [y.tolist() for y in model.predict(X)] == expected
        assert model.classes_.tolist() == [0, 1, 2]
    new = ChainSVC(C=1.0)
    with pytest.raises(ValueError, match="sample_weight"):
        new.fit(X, Y, sample_weight=np.ones(3))
    with pytest.raises(NotFittedError):
        new.predict(X)
