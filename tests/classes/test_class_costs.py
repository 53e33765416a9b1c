"""Costs by the names of classes, decisions of lowest expected cost, and calibrated probabilities of MulticlassSVC."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split

import maxmargin
from maxmargin import ChainSVC, MulticlassSVC, TaxonomySVC
from maxmargin.classes.calibration import HeldOutScores, fitted_calibration, held_out_scores
from maxmargin.oracles.search import Unsupported

pd = pytest.importorskip("pandas")
COST = np.array([[0.0, 1.0, 8.0], [1.0, 0.0, 1.0], [2.0, 6.0, 0.0]])


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X[:, :2], np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.fixture(scope="module")
def digits():
    return train_test_split(*load_digits(return_X_y=True), test_size=0.5, random_state=0)


def frame(labels=("setosa", "versicolor", "virginica"), order=(0, 1, 2), across=(0, 1, 2)):
    return pd.DataFrame(COST, labels, labels).iloc[list(order), list(across)]


def test_a_data_frame_is_aligned_by_its_labels(iris):
    plain = MulticlassSVC(cost=COST).fit(*iris)
    mixed = MulticlassSVC(cost=frame(order=(2, 0, 1), across=(1, 2, 0))).fit(*iris)
    np.testing.assert_array_equal(mixed.cost_, COST)
    np.testing.assert_array_equal(mixed.predict(iris[0]), plain.predict(iris[0]))


def test_a_data_frame_may_have_more_classes_than_the_data(iris):
    X, y = iris
    model = MulticlassSVC(cost=frame()).fit(X[y != "virginica"], y[y != "virginica"])
    np.testing.assert_array_equal(model.cost_, COST[:2, :2])


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (frame(("setosa", "versicolour", "virginica")), ["no row for the class 'versicolor'", "versicolour"]),
        (pd.DataFrame(COST, ["setosa", "versicolor", "virginica"]), ["no column for the class 'setosa'", "0, 1, 2"]),
        (frame(("setosa", "setosa", "virginica")), ["two rows for the class 'setosa'"]),
    ],
)
def test_a_data_frame_that_does_not_fit(iris, cost, words):
    with pytest.raises(ValueError) as raised:
        MulticlassSVC(cost=cost).fit(*iris)
    assert all(word in str(raised.value) for word in words)


def test_score_is_minus_the_mean_cost(iris):
    X, y = iris
    model = MulticlassSVC(cost=frame(order=(2, 1, 0))).fit(X, y)
    number = {"setosa": 0, "versicolor": 1, "virginica": 2}
    each = np.array([COST[number[t], number[a]] for t, a in zip(y, model.predict(X), strict=True)])
    assert model.score(X, y) == pytest.approx(-each.mean())
    weight = np.arange(150.0)
    assert model.score(X, y, sample_weight=weight) == pytest.approx(-np.average(each, weights=weight))
    with pytest.raises(ValueError, match="'lily' is no class of the training data"):
        model.score(X[:1], ["lily"])
    assert MulticlassSVC().fit(X, y).score(X, y) == np.mean(MulticlassSVC().fit(X, y).predict(X) == y)


def test_a_grid_search_finds_the_cheapest(iris):
    X, y = iris
    folds = list(StratifiedKFold(3).split(X, y))
    grid = {"decision": ["score", "expected-cost"]}
    search = GridSearchCV(MulticlassSVC(cost=COST), grid, cv=folds).fit(X, y)
    cost = pd.DataFrame(COST, np.unique(y), np.unique(y))
    means = []
    for decision in grid["decision"]:
        each = []
        for kept, left in folds:
            answers = MulticlassSVC(cost=COST, decision=decision).fit(X[kept], y[kept]).predict(X[left])
            each.append(np.mean([cost.loc[t, a] for t, a in zip(y[left], answers, strict=True)]))
        means.append(np.mean(each))
    assert search.best_params_["decision"] == grid["decision"][int(np.argmin(means))]
    assert search.best_score_ == pytest.approx(-min(means))


def test_what_auto_decides(iris):
    def decision(**options):
        return MulticlassSVC(**options).fit(*iris).decision_

    assert decision() == "score"
    assert decision(cost=COST) == "expected-cost"
    assert decision(cost=2.0 * (1.0 - np.eye(3))) == "score"  # all mistakes alike
    assert decision(cost=COST, rescaling="slack") == "score"
    assert decision(cost=COST, slack="squared") == "score"
    assert decision(cost=COST, decision="score") == "score"
    assert decision(cost=COST, slack="squared", decision="expected-cost") == "expected-cost"
    with pytest.raises(ValueError, match="decision must be one of 'auto', 'score', 'expected-cost', not 'cheap'"):
        decision(decision="cheap")
    with pytest.raises(Unsupported, match="needs a cost matrix"):
        decision(decision="expected-cost")


def test_the_decision_has_the_lowest_expected_cost(iris):
    X, y = iris
    model = MulticlassSVC(cost=COST).fit(X, y)
    expected = model.predict_proba(X) @ COST
    np.testing.assert_array_equal(model.predict(X), model.classes_[expected.argmin(axis=1)])
    np.testing.assert_allclose(model.decision_function(X), -expected)
    last = [few[2] for few in model.predict_kbest(X, 3)]
    assert [entry.output for entry in last] == model.classes_[expected.argmax(axis=1)].tolist()
    np.testing.assert_allclose([entry.score for entry in last], -expected.max(axis=1))
    weights = MulticlassSVC().fit(X, y)  # the machine is that of the zero-one loss
    np.testing.assert_array_equal(model.coef_, weights.coef_)


@pytest.mark.parametrize("seed", range(3))
def test_expected_cost_is_cheaper_than_training_with_costs(digits, seed):
    X, X_test, y, y_test = digits
    cost = np.exp(1.5 * np.random.default_rng(seed).standard_normal((10, 10)))
    np.fill_diagonal(cost, 0.0)
    cheap = MulticlassSVC(cost=cost).fit(X, y).score(X_test, y_test)
    assert cheap > MulticlassSVC(cost=cost, decision="score").fit(X, y).score(X_test, y_test)
    assert MulticlassSVC(cost=100.0 * cost).fit(X, y).score(X_test, y_test) == pytest.approx(100.0 * cheap)


def test_two_classes(iris):
    X, y = iris
    X, y = X[y != "setosa"], y[y != "setosa"]
    model = MulticlassSVC(cost=[[0.0, 1.0], [20.0, 0.0]]).fit(X, y)
    assert model.decision_function(X).shape == (100,)
    np.testing.assert_array_equal(model.predict(X), model.classes_[(model.decision_function(X) > 0).astype(int)])
    assert (model.predict(X) == "virginica").mean() > 0.7


def test_probabilities_are_calibrated(digits):
    X, X_test, y, y_test = digits
    model = MulticlassSVC(method="structural").fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as caught:
        model.predict_proba(X)
    assert "call calibrate" in str(caught.value.__cause__)
    probability = model.calibrate(X, y).predict_proba(X_test)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    scores = model.decision_function(X_test)

    def loss(inverse):
        return -log_softmax(inverse * scores, axis=1)[np.arange(len(y_test)), y_test].mean()

    assert log_loss(y_test, probability) < 1.1 * minimize_scalar(loss, bounds=(0.0, 50.0), method="bounded").fun
    assert not hasattr(model.fit(X, y), "predict_proba")


def test_calibrate_wants_the_classes_of_training(iris):
    X, y = iris
    model = MulticlassSVC().fit(X, y)
    with pytest.raises(ValueError, match="other classes"):
        model.calibrate(X[y != "setosa"], y[y != "setosa"])
    with pytest.raises(ValueError, match="folds must be a whole number"):
        model.calibrate(X, y, folds=1)


def test_weights_are_repetitions_in_the_calibration():
    rng = np.random.default_rng(0)
    scores, truth, known = rng.standard_normal((40, 3)), rng.integers(0, 3, 40), np.ones(3, dtype=bool)
    times = rng.integers(1, 4, 40)
    weighted = fitted_calibration([HeldOutScores(scores, truth, times.astype(float), known)])
    twice = np.repeat(np.arange(40), times)
    repeated = fitted_calibration([HeldOutScores(scores[twice], truth[twice], np.ones(twice.size), known)])
    assert weighted.sharpness == pytest.approx(repeated.sharpness, rel=1e-2)
    np.testing.assert_allclose(weighted.bias, repeated.bias, atol=1e-2)


def test_folds_that_lack_a_class(iris):
    X, y = iris
    kept = np.r_[0, 50:150]  # one setosa only
    parts = held_out_scores(MulticlassSVC(), X[kept], y[kept], 3)
    assert sorted(part.known.sum() for part in parts) == [2, 3, 3]
    assert sum(part.truth.size for part in parts) == 100
    for method in ("auto", "structural"):
        model = MulticlassSVC(cost=COST, method=method, decision="expected-cost").fit(X[kept], y[kept])
        assert np.isfinite(model.predict_proba(X)).all()
    with pytest.raises(ValueError, match="No class has examples in two folds"):
        model.fit(X[[0, 50, 100]], y[[0, 50, 100]])


def test_model_files(iris, tmp_path):
    X, y = iris
    model = MulticlassSVC(cost=frame(order=(1, 2, 0))).fit(X, y)
    model.save(tmp_path / "model.mm")
    twin = maxmargin.load(tmp_path / "model.mm")
    assert twin.decision_ == "expected-cost"
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
    assert twin.score(X, y) == model.score(X, y)


def test_other_estimators_read_data_frames_by_label():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 60)
    X = rng.standard_normal((60, 4)) + rng.standard_normal((3, 4))[y]
    names = np.array(["a", "b", "c"])[y]
    mixed = pd.DataFrame(COST, list("abc"), list("abc")).iloc[[2, 0, 1], [1, 2, 0]]
    plain, read = (TaxonomySVC(loss=cost).fit(X, names) for cost in (COST, mixed))
    np.testing.assert_array_equal(plain.weights_, read.weights_)
    assert plain.score(X, names) == read.score(X, names)
    sequences, labels = [X[:30], X[30:]], [names[:30].tolist(), names[30:].tolist()]
    chains = [ChainSVC(cost=cost).fit(sequences, labels) for cost in (COST, mixed)]
    np.testing.assert_array_equal(chains[0].weights_, chains[1].weights_)


def test_costs_and_a_class_of_one_example_are_calibrated():
    """The fold that has the example leaves the other folds without the class, and so without its row of costs."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((31, 4)), np.append(np.arange(30) % 3, 3)
    cost = 1.0 - np.eye(4)
    cost[0, 3] = 5.0
    model = MulticlassSVC(cost=cost, decision="score", slack="linear").fit(X, y).calibrate(X, y)
    chances = model.predict_proba(X)
    assert chances.shape == (31, 4)
    assert chances.sum(axis=1) == pytest.approx(np.ones(31))
