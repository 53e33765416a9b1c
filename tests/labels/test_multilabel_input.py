"""Bad input of MultilabelSVC: one sentence that names the place and the remedy, and nothing is trained."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from maxmargin import MultilabelSVC, Unsupported

RNG = np.random.default_rng(0)
X = RNG.standard_normal((6, 3))
Y = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 0, 0], [1, 1, 1]])
SETS = [{"a"}, {"a", "b"}, set(), {"c"}, {"b", "c"}, {"a", "c"}]
NAN = float("nan")


def complaint(call, *words, error=ValueError):
    """What ``call()`` must raise: short, whole, and with the words in it."""
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert all(word in text for word in words), text
    assert "\n" not in text
    assert len(text) < 330, text
    assert text.endswith("."), text
    assert len(re.findall(r"[.!?](?= [A-Z]|$)", text)) <= 3, text


def fit(given=X, labels=Y, sample_weight=None, **params):
    model = MultilabelSVC(**params)
    try:
        return model.fit(given, labels, sample_weight=sample_weight)
    finally:
        assert not hasattr(model, "coef_")


def changed(matrix, i, k, value):
    result = np.array(matrix, dtype=float)
    result[i, k] = value
    return result


TARGETS = {
    "none": (None, ["y is None"]),
    "one class": (["a"] * 6, ["'a'", "2 classes"]),
    "three dimensions": (np.zeros((6, 2, 2)), ["3 dimensions"]),
    "a two": (changed(Y, 3, 1, 2), ["example 3", "label 1", "2.0"]),
    "a half": (changed(Y, 3, 1, 0.5), ["example 3", "label 1", "0.5"]),
    "minus one": (2 * Y - 1, ["example 0", "label 0", "-1"]),
    "a NaN": (changed(Y, 4, 2, NAN), ["example 4", "label 2", "nan"]),
    "a sparse two": (sp.csr_array(changed(Y, 3, 1, 2)), ["example 3", "label 1"]),
    "a sparse complex": (sp.csr_array(Y.astype(complex)), ["complex"]),
    "words": ([["x"] * 3] * 5 + ["y"], ["example 5", "'y'"]),
    "objects": (np.array([["a", 1, 0]] * 6, dtype=object), ["no numbers"]),
    "nothing": (np.array([[None, 1, 0]] * 6, dtype=object), ["example 0", "label 0"]),
    "infinite classes": (np.full(6, np.inf), ["y contains infinity"]),
    "rows of many lengths": ([[0, 1], [1], [0, 1], [1], [0, 1], [1]], ["different lengths", "label sets"]),
    "too few rows": (Y[:4], ["6 examples", "4"]),
    "no labels at all": (np.zeros((6, 0)), ["no columns"]),
    "empty sets": ([set()] * 6, ["No example has a label"]),
    "sets of many kinds": ([{1}, {"a"}, {1}, {1}, {1}, {1}], ["cannot be sorted"]),
    "a set that is a number": ([*SETS[:5], 3], ["example 5", "3"]),
}


@pytest.mark.parametrize("name", TARGETS)
def test_targets(name):
    labels, words = TARGETS[name]
    complaint(lambda: fit(labels=labels), *words)


SETTINGS = {
    "a loss": ({"loss": "log"}, ["loss", "'log'", "'f1'"]),
    "interactions": ({"interactions": "some"}, ["interactions", "'some'", "'tree'"]),
    "interactions that are a number": ({"interactions": 3}, ["interactions", "3"]),
    "a pair of an unknown label": ({"interactions": [(0, 1), (1, 7)]}, ["interactions[1]", "7", "3 labels"]),
    "a pair of three": ({"interactions": [(0, 1, 2)]}, ["interactions[0]", "two labels"]),
    "a pair of one label": ({"interactions": [(1, 1)]}, ["interactions[0]", "itself"]),
    "a pair named twice": ({"interactions": [(0, 1), (1, 0)]}, ["interactions[1]", "interactions[0]"]),
    "a weight of an unknown label": ({"label_weight": {9: 1.0}}, ["label_weight", "9"]),
    "a negative weight": ({"label_weight": {0: -1.0}}, ["label_weight", "0", "-1.0"]),
    "a weight that is a word": ({"label_weight": ["a", 1, 1]}, ["label_weight", "'a'"]),
    "too few weights": ({"label_weight": [1.0, 1.0]}, ["2 numbers", "3 labels"]),
    "a weight that is a number": ({"label_weight": 2.0}, ["label_weight", "2.0"]),
    "a weight by name": ({"label_weight": "balanced"}, ["label_weight must be a dict of labels", "'balanced'"]),
    "a class weight of an unknown label": ({"class_weight": {9: 1.0}}, ["class_weight", "9"]),
    "a class weight of an unknown state": ({"class_weight": {0: {2: 1.0}}}, ["class_weight of the label 0", "2: 1.0"]),
    "a negative class weight": ({"class_weight": {0: -1.0}}, ["class_weight of the label 0", "1: -1.0"]),
    "a class weight by another name": ({"class_weight": "even"}, ["class_weight must be 'balanced'", "'even'"]),
    "class weights and the F1 loss": ({"class_weight": "balanced", "loss": "f1"}, ["class_weight", "hamming"]),
    "weights and the F1 loss": ({"label_weight": [1, 1, 1], "loss": "f1"}, ["label_weight", "hamming"]),
    "C": ({"C": -1.0}, ["C", "-1.0"]),
    "C as a word": ({"C": "auto"}, ["C", "'auto'", "'scale'"]),
    "the scale of the intercept": ({"intercept_scaling": 0.0}, ["intercept_scaling"]),
    "the scale of pairs": ({"interaction_scaling": "big"}, ["interaction_scaling", "'big'"]),
    "the rescaling": ({"rescaling": "both"}, ["rescaling", "'both'"]),
    "the slack": ({"slack": "soft"}, ["slack", "'soft'"]),
    "the solver": ({"solver": "adam"}, ["solver", "'adam'"]),
    "tol": ({"tol": 0.0}, ["tol", "0.0"]),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings(name):
    params, words = SETTINGS[name]
    complaint(lambda: fit(**params), *words)


def test_settings_with_names():
    complaint(lambda: fit(labels=SETS, interactions=[("a", "d")]), "interactions[0]", "'d'")
    complaint(lambda: fit(labels=SETS, label_weight={"d": 1.0}), "'d'")


@pytest.mark.parametrize("params", [{"loss": "f1"}, {"label_weight": [1, 2, 1]}])
def test_the_perceptron_has_no_loss(params):
    complaint(lambda: fit(solver="perceptron", **params), "perceptron", error=Unsupported)


def test_label_weights_without_a_unit():
    complaint(lambda: fit(label_weight=[1.0, np.pi, np.e], rescaling="slack"), "unit", error=Unsupported)
    many = {"labels": np.c_[Y, Y], "label_weight": np.arange(995.0, 1001.0), "rescaling": "slack"}
    complaint(lambda: fit(**many), "5,985", "coarser", error=Unsupported)


def test_inputs():
    complaint(lambda: fit(changed(X, 2, 1, NAN)), "row 2", "column 1", "nan")
    complaint(lambda: fit(sample_weight=[1, 1, 1]), "sample_weight", "6 examples")
    complaint(lambda: fit(sample_weight=[1, 1, -1, 1, 1, 1]), "sample_weight", "example 2")


def test_after_training():
    model = MultilabelSVC(0.1).fit(X, SETS)
    complaint(lambda: model.score(X, [{"a"}, {"zebra"}, set(), set(), set(), set()]), "Example 1", "'zebra'")
    complaint(lambda: model.score(X, Y[:, :2]), "2 columns", "3 labels")
    complaint(lambda: model.score(X, Y[:4]), "6 examples", "4")
    complaint(lambda: model.predict_kbest(X, 0), "k must be", "0")
    complaint(lambda: model.predict_kbest(X, 1.5), "k must be", "1.5")
    assert {len({tuple(entry.output) for entry in few}) for few in model.predict_kbest(X, 9)} == {8}
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :2])


def test_no_label_is_as_good_as_any_set():
    """No loss forbids a row without labels: F1 of nothing predicted for nothing is 1."""
    for loss in ("hamming", "f1", "zero-one"):
        model = MultilabelSVC(1.0, loss=loss).fit(X, np.zeros((6, 2), int))
        assert not model.predict(X).any()
        assert MultilabelSVC(1.0, loss=loss).fit(X, Y).predict(X).shape == Y.shape


def test_columns_of_a_frame_may_be_numbers():
    model = MultilabelSVC(0.1, interactions=[(0, 2)]).fit(X, pd.DataFrame(Y, columns=[10, 20, 30]))
    assert model.classes_.tolist() == [0, 1, 2]
