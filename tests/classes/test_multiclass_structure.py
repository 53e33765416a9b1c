"""``Multiclass`` as the problem of a StructuralSVM: the answers of MulticlassSVC, and its care with bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from maxmargin import MulticlassSVC, StructuralSVM, load
from maxmargin.classes.multiclass import Multiclass

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 40)
X = RNG.standard_normal((40, 4)) + 2.0 * np.eye(4)[Y]
COST = np.array([[0.0, 1.0, 4.0], [0.5, 0.0, 1.0], [2.0, 3.0, 0.0]])

INPUTS = {
    "array": X,
    "float32": X.astype(np.float32),
    "list of arrays": list(X),
    "lists": X.tolist(),
    "csr": sp.csr_array(X),
    "list of sparse rows": [sp.csr_array(row[None, :]) for row in X],
    "data frame": pd.DataFrame(X, columns=list("abcd")),
}


@pytest.mark.parametrize("form", INPUTS)
def test_inputs(form):
    model = StructuralSVM(Multiclass(3), C=0.3, tol=1e-6).fit(INPUTS[form], Y)
    judge = MulticlassSVC(C=0.3, slack="linear", fit_intercept=False, tol=1e-6).fit(X, Y)
    assert model.solution_.primal == pytest.approx(judge.solution_.primal, rel=1e-4)
    np.testing.assert_allclose(model.coef_.reshape(3, 4), judge.coef_, atol=5e-3)
    scores = judge.decision_function(X)
    chosen = scores[np.arange(len(X)), np.array(model.predict(X))]
    assert (chosen >= scores.max(axis=1) - 0.03).all()  # the weights differ by 5e-3 at most


@pytest.mark.parametrize("rescaling", ["margin", "slack", "none"])
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_formulations(rescaling, slack):
    options = {"C": 0.3, "rescaling": rescaling, "slack": slack, "tol": 1e-6}
    model = StructuralSVM(Multiclass(3, COST), **options).fit(X, Y)
    judge = MulticlassSVC(cost=COST, decision="score", fit_intercept=False, **options).fit(X, Y)
    assert model.solution_.primal == pytest.approx(judge.solution_.primal, rel=1e-4)
    assert model.score(X, Y) == pytest.approx(-np.mean(COST[Y, model.predict(X)]))


def test_values_are_those_of_the_joint_features(tmp_path):
    structure = Multiclass(3)
    model = StructuralSVM(structure, C=0.3).fit(X, Y)
    for k in range(3):
        assert model.decision_value(X[:1], [k])[0] == pytest.approx(structure.joint_feature(X[0], k) @ model.coef_)
    model.save(tmp_path / "m.zip")
    loaded = load(tmp_path / "m.zip", problem=Multiclass(3))
    assert loaded.predict(X) == model.predict(X)


BAD_COSTS = [
    (np.ones((2, 2)) - np.eye(2), r"cost.*\(2, 2\).*\(3, 3\)"),
    (np.ones((3, 3)), r"cost\[0, 0\] is 1.*must cost 0"),
    (-COST, r"cost\[0, 1\] is -1.*at least 0"),
    (np.where(COST == 4.0, np.nan, COST), r"cost\[0, 2\] is nan.*finite"),
]


@pytest.mark.parametrize(("cost", "message"), BAD_COSTS, ids=range(4))
def test_costs_are_checked(cost, message):
    with pytest.raises(ValueError, match=message):
        StructuralSVM(Multiclass(3, cost), C=0.3).fit(X, Y)


def test_costs_as_lists():
    model = StructuralSVM(Multiclass(3, COST.tolist()), C=0.3).fit(X, Y)
    np.testing.assert_array_equal(model.coef_, StructuralSVM(Multiclass(3, COST), C=0.3).fit(X, Y).coef_)


BAD_LABELS = {
    "too large": (np.where(np.arange(40) == 7, 3, Y), r"example 7.*3"),
    "negative": (np.where(np.arange(40) == 7, -1, Y), r"example 7.*-1"),
    "between two": (np.where(np.arange(40) == 7, 1.5, Y), r"example 7.*1\.5"),
    "text": (["a"] * 40, r"example 0.*a"),
    "too few": (Y[:39], r"X has 40 examples and Y has 39"),
}


@pytest.mark.parametrize("case", BAD_LABELS)
def test_labels_are_checked(case):
    labels, message = BAD_LABELS[case]
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        StructuralSVM(Multiclass(3), C=0.3).fit(X, labels)
    assert str(caught.value).endswith(".")


BAD_INPUTS = {
    "one dimension": (X[:, 0], "matrix|two-dimensional|2-d|2D"),
    "rows of different lengths": ([row[: 3 + k % 2] for k, row in enumerate(X)], "length|matrix"),
    "NaN": (np.where(np.arange(40)[:, None] == 7, np.nan, X), "row 7|example 7"),
}


@pytest.mark.parametrize("case", BAD_INPUTS)
def test_inputs_are_checked(case):
    inputs, message = BAD_INPUTS[case]
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        StructuralSVM(Multiclass(3), C=0.3).fit(inputs, Y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("number", [0, 1, -3])
def test_two_classes_at_least(number):
    with pytest.raises(ValueError, match="class"):
        StructuralSVM(Multiclass(number), C=0.3).fit(X, Y * 0)
