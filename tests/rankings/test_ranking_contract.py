"""RankingSVM keeps scikit-learn's contract, is saved and loaded, and says what is wrong with its input."""

from __future__ import annotations

import copy
import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import BlockCoordinate, ModelFileError, RankingSVM, Unsupported, load
from maxmargin.datasets import make_ranking
from maxmargin.rankings.ndcg import Ndcg

NO_GROUPS = "ignore:fit was given no groups"  # scikit-learn's checks know none


@pytest.mark.filterwarnings(NO_GROUPS)
@parametrize_with_checks([RankingSVM(), RankingSVM(slack="squared", rescaling="slack")])
def test_scikit_learn_check(estimator, check):
    if "sample_weight_equivalence" in str(check) and estimator.slack == "squared":
        # It compares to 1e-7, and distance goes like the root of the gap; small problems are solved to rounding anyway.
        estimator = clone(estimator).set_params(tol=1e-13)
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return make_ranking(30, noise=0.5)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_grid_search_with_groups(data, routing):
    X, y, groups = data
    model = RankingSVM(measure="ndcg(5)").set_fit_request(groups=True).set_score_request(groups=True)
    search = GridSearchCV(model, {"C": [1e-7, 0.1], "measure": ["ndcg(5)", "swapped_pairs"]}, cv=GroupKFold(3))
    search.fit(X, y, groups=groups)
    assert search.best_params_["C"] == 0.1
    assert search.best_score_ > 0.8
    assert search.predict(X).shape == y.shape


def test_cross_validation_with_groups(data, routing):
    X, y, groups = data
    model = RankingSVM().set_fit_request(groups=True).set_score_request(groups=True)
    scores = cross_val_score(model, X, y, cv=GroupKFold(5), params={"groups": groups})
    assert scores.shape == (5,)
    assert scores.min() > 0.7


def test_in_a_pipeline(data, routing):
    X, y, groups = data
    ranker = RankingSVM().set_fit_request(groups=True).set_score_request(groups=True)
    model = make_pipeline(StandardScaler(), ranker).fit(X, y, groups=groups)
    assert model.predict(X).shape == y.shape
    assert model.score(X, y, groups=groups) > 0.8


def test_clone_and_set_params(data):
    model = RankingSVM(C=0.5, measure=Ndcg(3), solver=BlockCoordinate(capacity=3), tol=0.01).fit(
        *data[:2], groups=data[2]
    )
    twin = clone(model)
    assert not hasattr(twin, "coef_")
    assert twin.get_params() == model.get_params()


@pytest.mark.parametrize("solver", ["auto", "n-slack", "bcfw", "subgradient", "perceptron"])
def test_pickle_and_deepcopy(data, solver):
    model = RankingSVM(C=0.1, solver=solver, tol=0.01).fit(*data[:2], groups=data[2])
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(twin.predict(data[0]), model.predict(data[0]))
        assert twin.solution_.gap == model.solution_.gap


def test_fit_mutates_nothing(data):
    X, y, groups = (part.copy() for part in data)
    weight = np.linspace(0.0, 1.0, 30)
    RankingSVM(C=0.1).fit(X, y, groups=groups, sample_weight=weight).predict_ranking(X, groups=groups)
    for part, before in zip((X, y, groups), data):
        np.testing.assert_array_equal(part, before)
    np.testing.assert_array_equal(weight, np.linspace(0.0, 1.0, 30))


def test_data_frames(data):
    X, y, groups = data
    frame = pd.DataFrame(X, columns=[f"feature {j}" for j in range(X.shape[1])])
    model = RankingSVM(C=0.1).fit(frame, pd.Series(y), groups=pd.Series(groups).map(str))
    assert model.feature_names_in_[3] == "feature 3"
    np.testing.assert_allclose(model.predict(frame), RankingSVM(C=0.1).fit(X, y, groups=groups).predict(X))


def test_a_failed_fit_leaves_the_model_as_it_was(data):
    X, y, groups = data
    model = RankingSVM(C=0.1).fit(X, y, groups=groups)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="add up to"):
        model.fit(X[:, :3], y, groups=[3, 4])
    np.testing.assert_array_equal(model.coef_, before)
    assert model.n_features_in_ == X.shape[1]
    assert not hasattr(_failed(data), "n_features_in_")


def _failed(data):
    model = RankingSVM(C=-1.0)
    with pytest.raises(ValueError, match=r"C must be a positive number or 'scale', not -1\.0"):
        model.fit(*data[:2], groups=data[2])
    return model


@pytest.mark.parametrize("measure", ["swapped_pairs", "ndcg(5)", "mrr", "average_precision"])
def test_save_and_load(data, measure, tmp_path):
    X, y, groups = data
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    flat = np.where(groups == 0, 0, y)
    model = RankingSVM(measure=measure, gain="linear", uninformative="skip").fit(frame, flat, groups=groups)
    model.save(tmp_path / "model.maxmargin")
    twin = load(tmp_path / "model.maxmargin")
    np.testing.assert_array_equal(twin.predict(frame), model.predict(frame))
    assert twin.score(frame, y, groups=groups) == model.score(frame, y, groups=groups)
    assert twin.get_params() == model.get_params()
    assert (twin.C_, twin.n_uninformative_, twin.n_features_in_) == (model.C_, 1, X.shape[1])
    assert twin.solution_.status is model.solution_.status
    assert twin.solution_.gap == pytest.approx(model.solution_.gap)


def test_a_measure_object_is_named_in_the_file(data, tmp_path):
    model = RankingSVM(C=0.1, measure=Ndcg(3, "linear")).fit(*data[:2], groups=data[2])
    model.save(tmp_path / "model.maxmargin")
    twin = load(tmp_path / "model.maxmargin")
    assert twin.measure == Ndcg(3, "linear")
    assert twin.score(*data[:2], groups=data[2]) == model.score(*data[:2], groups=data[2])


def test_damaged_files(data, tmp_path):
    RankingSVM(C=0.1).fit(*data[:2], groups=data[2]).save(tmp_path / "model.maxmargin")
    with zipfile.ZipFile(tmp_path / "model.maxmargin") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(members["model.json"])
    assert head["estimator"] == "RankingSVM"
    members["coef_.npy"] = members["coef_.npy"][:-8]
    with zipfile.ZipFile(tmp_path / "damaged", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(ModelFileError, match="damaged"):
        load(tmp_path / "damaged")


WRONG = [
    (
        {},
        {"groups": [3, 4]},
        "groups has 2 sizes that add up to 7; give one name for each of the 12 rows, or the sizes",
    ),
    ({}, {"groups": np.ones(13)}, "groups has 13 entries; give one name for each of the 12 rows"),
    ({}, {"groups": [12.0]}, "groups has 1 entries; give one name for each of the 12 rows"),
    ({}, {"groups": [12, 0]}, "The size of group 1 is 0; leave groups without rows out"),
    ({}, {"groups": np.zeros((12, 1))}, "groups has 2 dimensions; give one name per row, or the sizes"),
    ({}, {"groups": None, "group": [6, 5]}, "group has 2 sizes that add up to 11; give the sizes"),
    ({}, {"qid": [0] * 12}, "groups and qid say the same thing; give one of them"),
    (
        {},
        {"groups": None, "qid": [0] * 11},
        "qid has 11 entries for 12 rows; give one name for each row, or sizes by group=",
    ),
    ({}, {"groups": [np.nan] * 12}, "The group of row 0 is nan; name the group of every row"),
    ({}, {"groups": np.array([1, "a"] * 6, dtype=object)}, "groups holds names of several types"),
    ({}, {"y": np.zeros(12)}, "There is nothing to learn: swapped_pairs needs a group with rows of different grades"),
    (
        {"measure": "mrr"},
        {"y": np.ones(12)},
        "There is nothing to learn: mrr needs a group with relevant rows and others",
    ),
    (
        {"measure": "mrr", "relevant": 9},
        {},
        "There is nothing to learn: mrr needs a group with relevant rows and others",
    ),
    ({}, {"y": np.r_[-1, np.ones(11)]}, r"The grade of row 0 is -1\.0; grades must be finite and at least 0"),
    ({}, {"y": np.r_[np.nan, np.ones(11)]}, "Input y contains NaN"),
    ({}, {"y": ["good", "bad", "poor"] * 4}, "The grade of row 0 is 'good'; grades must be numbers"),
    ({}, {"y": np.array([1, None, 2] * 4, dtype=object)}, "The grade of row 1 is None; grades must be numbers"),
    ({}, {"y": np.ones(11)}, "inconsistent numbers of samples"),
    (
        {},
        {"sample_weight": [1, 2, 3]},
        r"sample_weight has shape \(3,\); one number for each of the 2 groups or for each",
    ),
    ({}, {"sample_weight": [1, -1]}, r"sample_weight\[1\] is -1.0; weights must be finite and at least 0"),
    ({}, {"sample_weight": [0, 0]}, "All sample weights are zero"),
    ({}, {"sample_weight": ["a", "b"]}, "sample_weight must hold one number for each group, or for each row"),
    (
        {},
        {"sample_weight": np.arange(12) / 2},
        "The rows of group 0 have different weights, and that of row 1 is 0.5; give all rows of a group the same",
    ),
    ({"measure": "ndcg(50)"}, {}, r"The measure is ndcg\(50\), but no group has more than 6 rows; use a smaller k"),
    ({"measure": "f1"}, {}, "There is no measure of rankings 'f1'; choose 'swapped_pairs'"),
    ({"measure": "mrr", "relevant": 0}, {}, "relevant must be a positive number, not 0"),
    ({"relevant": "a"}, {}, "relevant must be a positive number, not 'a'"),
    ({"gain": "x"}, {}, "gain must be one of 'exponential', 'linear', not 'x'"),
    ({"uninformative": "drop"}, {}, "uninformative must be one of 'warn', 'skip', 'refuse', not 'drop'"),
    ({"C": "auto"}, {}, "C must be a positive number or 'scale', not 'auto'"),
    ({}, {"X": np.r_[[[np.inf, 0.0]], np.ones((11, 2))]}, "infinity"),
]


@pytest.mark.parametrize(("options", "changed", "message"), WRONG, ids=lambda item: str(item)[:40])
def test_what_is_wrong_is_one_sentence(options, changed, message):
    rng = np.random.default_rng(0)
    given = {"X": rng.standard_normal((12, 2)), "y": np.tile([0, 1, 2], 4), "groups": np.repeat([0, 1], 6)}
    with pytest.raises(ValueError, match=message):
        RankingSVM(**options).fit(**{**given, **changed})


def test_groups_that_contradict_a_hard_margin_are_named():
    X = np.array([[1.0, 0], [2, 0], [1, 1], [2, 2], [1, 0], [1, 0]])
    groups = ["q0", "q0", "q1", "q1", "q2", "q2"]
    with pytest.warns(ConvergenceWarning, match="They are those of group q2; use slack='linear'"):
        RankingSVM(slack="hard", uninformative="skip").fit(X, [0, 0, 0, 1, 1, 0], groups=groups)


def test_weights_that_leave_nothing():
    X, y, groups = np.eye(4), [0, 1, 1, 1], [0, 0, 1, 1]
    with pytest.raises(ValueError, match="All groups from which something can be learned have weight zero"):
        RankingSVM(uninformative="skip").fit(X, y, groups=groups, sample_weight=[0.0, 1.0])


@pytest.mark.parametrize("measure", ["ndcg", "average_precision", "mrr"])
def test_the_perceptron_knows_no_loss(data, measure):
    with pytest.raises(Unsupported, match=f"The perceptron has no loss, so it cannot train for {measure}"):
        RankingSVM(measure=measure, solver="perceptron").fit(*data[:2], groups=data[2])
    assert RankingSVM(solver="perceptron").fit(*data[:2], groups=data[2]).score(*data[:2], groups=data[2]) > 0.8


@pytest.mark.parametrize("measure", ["ndcg", "average_precision", "mrr"])
@pytest.mark.parametrize(("rescaling", "slack"), [("slack", "linear"), ("margin", "squared"), ("slack", "squared")])
def test_formulations_that_have_no_exact_search(data, measure, rescaling, slack):
    with pytest.raises(Unsupported, match=f"{measure} cannot be trained with {rescaling} rescaling with {slack} slack"):
        RankingSVM(measure=measure, rescaling=rescaling, slack=slack).fit(*data[:2], groups=data[2])


def test_score_says_what_is_wrong(data):
    X, y, groups = data
    model = RankingSVM(C=0.1).fit(X, y, groups=groups)
    with pytest.raises(
        ValueError, match="There is nothing to score: swapped_pairs needs a group with rows of different"
    ):
        model.score(X, np.zeros_like(y), groups=groups)
    with pytest.raises(ValueError, match="The grade of row 0 is 'a'; grades must be numbers"):
        model.score(X, ["a"] * len(y), groups=groups)
    with pytest.raises(ValueError, match=r"y has shape \(2,\); one grade per row is needed"):
        model.score(X, [0, 1], groups=groups)


def test_groups_in_the_words_of_others(data):
    X, y, groups = data
    sizes = np.unique(groups, return_counts=True)[1]
    expected = RankingSVM(C=0.1).fit(X, y, groups=groups)
    for words in ({"qid": groups}, {"group": sizes}, {"groups": sizes}):
        model = RankingSVM(C=0.1).fit(X, y, **words)
        np.testing.assert_array_equal(model.coef_, expected.coef_)
        assert model.score(X, y, **words) == expected.score(X, y, groups=groups)
        assert all(map(np.array_equal, model.predict_ranking(X, **words), expected.predict_ranking(X, groups=groups)))


def test_sizes_of_one_row_each_are_sizes():
    model = RankingSVM(C=0.1).fit([[0.0], [1.0]], [0, 1], group=[2])
    assert [rows.tolist() for rows in model.predict_ranking([[0.0], [1.0]], group=[1, 1])] == [[0], [1]]


def test_no_groups_warn(data):
    X, y, _ = data
    with pytest.warns(UserWarning, match=r"no groups, so all \d+ rows are ranked as one query; name the query of each"):
        one = RankingSVM(C=0.1).fit(X, y)
    np.testing.assert_array_equal(RankingSVM(C=0.1).fit(X, y, group=[len(X)]).coef_, one.coef_)


def test_weights_of_rows_repeat_them(data):
    X, y, groups = data
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = RankingSVM(C=0.1, tol=1e-9).fit(X, y, groups=groups, sample_weight=times)
    repeated = RankingSVM(C=0.1, tol=1e-9).fit(X.repeat(times, axis=0), y.repeat(times), groups=groups.repeat(times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-4 * np.abs(repeated.coef_).max())
    halves = RankingSVM(C=0.1, tol=1e-9).fit(X, y, groups=groups, sample_weight=np.full(len(y), 0.5))
    np.testing.assert_allclose(
        halves.coef_,
        RankingSVM(C=0.05, tol=1e-9).fit(X, y, groups=groups).coef_,
        atol=1e-4 * np.abs(halves.coef_).max(),
    )
