"""Kernels of all estimators over rows: the linear one is the explicit form, and what becomes of bad input."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import maxmargin as mm
from kernel_cases import CASES, N, linear, rows
from maxmargin import Kernel, LowRank
from maxmargin.datasets import make_sentences

cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


@cases
@pytest.mark.parametrize("form", ["dense", "csr", "float32"])
@pytest.mark.parametrize("asked", [{"kernel": linear}, {"kernel": "linear", "rank": 4}], ids=["exact", "rank"])
def test_a_linear_kernel_is_the_explicit_form(case, form, asked):
    X = {"dense": rows(), "csr": sp.csr_array(rows()), "float32": rows().astype(np.float32)}[form]
    explicit, kernel = case.fit(X), case.fit(X, **asked)
    assert kernel.kernel_.width == 4
    assert explicit.kernel_ is None
    assert kernel.solution_.primal == pytest.approx(explicit.solution_.primal, rel=1e-6)
    np.testing.assert_allclose(case.scores(kernel, X), case.scores(explicit, X), atol=1e-4)


@cases
def test_an_rbf_kernel_learns_what_is_not_linear(case):
    X = rows()
    explicit, kernel = case.fit(X, C=10.0, tol=1e-3), case.fit(X, C=10.0, tol=1e-3, kernel="rbf")
    assert kernel.solution_.primal < explicit.solution_.primal
    assert kernel.kernel_.width <= N
    assert kernel.n_features_in_ == 4


@cases
def test_precomputed_values_give_the_same_model(case):
    X, new = rows(), rows(n=20, seed=1)
    kernel = Kernel("rbf", gamma=0.4)
    by_name, given = case.fit(X, kernel=kernel), case.fit(kernel.block(X, X), kernel="precomputed")
    assert given.solution_.primal == pytest.approx(by_name.solution_.primal, rel=1e-6)
    assert given.n_features_in_ == N
    np.testing.assert_allclose(case.scores(given, kernel.block(new, X)), case.scores(by_name, new), atol=1e-3)


@cases
@pytest.mark.parametrize("basis", ["cholesky", "random", "k-means", "greedy"])
def test_more_basis_functions_come_nearer_to_the_exact_optimum(case, basis):
    kernel = Kernel("rbf", gamma=0.4)
    exact = case.fit(rows(), kernel=kernel, tol=1e-6).solution_.primal
    found = [case.fit(rows(), kernel=kernel, rank=LowRank(k, basis), tol=1e-6).solution_.primal for k in (5, 15, N)]
    assert found[0] > found[1] > found[2] - 1e-6 * exact
    assert found[2] == pytest.approx(exact, rel=1e-4)
    assert found[0] > 1.001 * exact


@cases
@pytest.mark.parametrize(
    "asked",
    [
        {"kernel": "rbf"},
        {"kernel": Kernel("poly", degree=2), "rank": LowRank(10, "random", 3)},
        {"kernel": "laplacian", "rank": LowRank(20, "fourier")},
        {"kernel": "precomputed"},
        {"kernel": linear},
    ],
    ids=["rbf", "poly", "fourier", "precomputed", "function"],
)
@pytest.mark.parametrize("sparse", [False, True])
def test_files_and_pickles_give_the_model_back(case, asked, sparse, tmp_path):
    X = rows()
    X = Kernel("rbf", gamma=1.0).block(X, X) if asked["kernel"] == "precomputed" else X
    X = sp.csr_array(X) if sparse else X
    model = case.fit(X, tol=1e-3, **asked)
    model.save(tmp_path / "model")
    needed = {"kernel": linear} if asked["kernel"] is linear else {}
    loaded = mm.load(tmp_path / "model", **needed)
    expected = case.predict(model, X)
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(case.predict(other, X), expected)
        np.testing.assert_array_equal(other.coef_, model.coef_)
    assert loaded.get_params()["kernel"] == model.kernel
    assert loaded.get_params()["rank"] == model.rank
    assert loaded.n_features_in_ == model.n_features_in_


def test_a_file_of_a_function_needs_it(tmp_path):
    X, case = rows(), CASES["MulticlassSVC"]
    case.fit(X, kernel=linear, tol=1e-3).save(tmp_path / "function")
    with pytest.raises(ValueError, match="was trained with the function linear as kernel; pass it by kernel="):
        mm.load(tmp_path / "function")
    case.fit(X, kernel="rbf", tol=1e-3).save(tmp_path / "name")
    with pytest.raises(ValueError, match="was not trained with a function as kernel"):
        mm.load(tmp_path / "name", kernel=linear)
    for other in ("rbf", Kernel("rbf"), 3):
        with pytest.raises(ValueError, match="with the function linear as kernel; kernel= must be that function, not"):
            mm.load(tmp_path / "function", kernel=other)


@cases
def test_clones_have_the_kernel(case):
    kernel, rank = Kernel("rbf", gamma=0.3), LowRank(7)
    assert clone(case.make(kernel=kernel, rank=rank)).get_params()["kernel"] == kernel
    assert clone(case.make(kernel=kernel, rank=rank)).get_params()["rank"] == rank


def test_searches_go_over_kernels_and_ranks():
    X = rows(n=150)
    y = CASES["MulticlassSVC"].target(X)
    grid = {"kernel": ["linear", "rbf", Kernel("rbf", gamma=0.1)], "rank": [5, LowRank(20, "k-means"), None]}
    search = GridSearchCV(mm.MulticlassSVC(C=10.0, method="structural"), grid, cv=3).fit(X, y)
    assert search.best_params_["kernel"] != "linear"


def test_precomputed_values_are_split_by_scikit_learn():
    X = rows(n=150)
    y = CASES["MulticlassSVC"].target(X)
    kernel = Kernel("rbf", gamma=0.2)
    model = mm.MulticlassSVC(C=10.0, kernel=kernel, method="structural")
    expected = cross_val_score(model, X, y, cv=3)
    found = cross_val_score(clone(model).set_params(kernel="precomputed"), kernel.block(X, X), y, cv=3)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(
    "asked", [{"kernel": "rbf", "rank": N}, {"kernel": "precomputed"}], ids=["rank", "precomputed"]
)
def test_calibration_trains_without_folds(asked):
    X, case = rows(), CASES["MulticlassSVC"]
    X = Kernel("rbf", gamma=1.0).block(X, X) if asked["kernel"] == "precomputed" else X
    y = case.target(rows())
    for model in (case.fit(X, tol=1e-3, **asked), CASES["TaxonomySVC"].fit(X, tol=1e-3, **asked)):
        probability = model.calibrate(X, y).predict_proba(X)
        np.testing.assert_allclose(probability.sum(axis=1), 1.0)


@pytest.mark.parametrize("make", [mm.MulticlassSVC, mm.TaxonomySVC, mm.MultilabelSVC, mm.MeasureSVC])
def test_methods_are_chosen_with_kernels(make):
    X = rows(n=200)
    y = CASES["MulticlassSVC"].target(X) == 0
    linear_model, model = make().fit(X, y), make(kernel="rbf").fit(X, y)
    new = rows(n=300, seed=1)
    truth = CASES["MulticlassSVC"].target(new) == 0
    assert model.score(new, truth) > linear_model.score(new, truth) + 0.1


@pytest.mark.parametrize("method", ["likelihood", "structural"])
@pytest.mark.parametrize("name", ["MulticlassSVC", "MultilabelSVC", "ChainSVC"])
def test_a_warm_start_goes_on_from_coefficients(name, method):
    X, kernel = rows(n=120), Kernel("rbf", gamma=0.4)
    case = CASES[name]
    y = case.target(X)
    model = case.make(kernel=kernel, rank=LowRank(40, "random", 0), method=method, warm_start=True, tol=1e-6)
    before = case.refit(model, X, y).solution_.primal
    case.refit(model.set_params(rank=LowRank(40, "random", 1)), X, y)
    cold = case.refit(clone(model).set_params(warm_start=False), X, y)
    assert model.solution_.primal == pytest.approx(cold.solution_.primal, rel=1e-4)
    assert model.solution_.primal != pytest.approx(before, rel=1e-9)
    if method == "likelihood":
        assert model.solution_.n_iter <= cold.solution_.n_iter
    assert case.refit(model.set_params(kernel="linear", rank=None), X, y).kernel_ is None


def test_classes_without_examples_are_predicted_with_a_kernel():
    X = rows(n=200)
    y = CASES["MulticlassSVC"].target(X)
    described = mm.DescribedClasses([0, 1, 2, 3], np.eye(4)[:, :3] + np.array([[0, 0, 0]] * 3 + [[0.5, 0.5, 0.0]]))
    model = mm.MulticlassSVC(output_features=described, kernel="rbf", C=10.0).fit(X, y)
    scores = model.decision_function(X, classes="all")
    np.testing.assert_allclose(scores[:, 3], 0.5 * (scores[:, 0] + scores[:, 1]))
    np.testing.assert_allclose(scores[:, :3], model.decision_function(X))
    assert model.score(X, y) > 0.8


def test_a_perceptron_with_a_linear_kernel_makes_the_same_steps():
    X, case = rows(), CASES["ChainSVC"]
    y, lengths = case.target(X), case.lengths(X)
    explicit = mm.ChainPerceptron(passes=5).fit(X, y, **lengths)
    kernel = mm.ChainPerceptron(passes=5, kernel=linear).fit(X, y, **lengths)
    np.testing.assert_allclose(case.scores(kernel, X), case.scores(explicit, X), rtol=1e-9, atol=1e-9)
    with pytest.raises(mm.Unsupported, match="partial_fit has no kernels"):
        mm.ChainPerceptron(kernel="rbf").partial_fit(X, y, classes=[0, 1, 2], **lengths)


@pytest.mark.parametrize("make", [mm.ChainSVC, mm.ChainCRF, mm.ChainPerceptron])
def test_chains_of_text_have_kernels(make, tmp_path):
    X, y = make_sentences(60)
    model = make(kernel=Kernel("poly", degree=2, gamma=1.0), rank=50, templates="tagging", window=1).fit(X[:40], y[:40])
    assert model.score(X[40:], y[40:]) > 0.6
    assert sp.issparse(model.kernel_.rows)
    model.save(tmp_path / "model")
    loaded = mm.load(tmp_path / "model")
    assert loaded.predict(X) == model.predict(X)
    assert model.predict_kbest(X[:1], 2)[0][0].output == model.predict(X[:1])[0]
    shown = next(found for found in model.top_features(9) if found.feature != "(constant)")
    token = next(
        token for token in model.support_ if shown.feature == f"token {token.position} of sequence {token.sequence}"
    )
    assert token.coefficients[shown.label] == pytest.approx(shown.weight)
    explained = model.explain(X[50], 0)
    assert sum(part.amount for part in explained.contributions) == pytest.approx(explained.difference)
    assert any(part.name == f"score of {explained.label}" for part in explained.contributions)


def test_chains_choose_methods_and_calibrate_with_kernels():
    X, y = make_sentences(80)
    model = mm.ChainSVC(kernel="poly", rank=60, templates="tagging").fit(X[:60], y[:60])
    assert model.score(X[60:], y[60:]) > 0.6
    model = mm.ChainSVC(kernel="poly", rank=60, method="structural", templates="tagging").fit(X[:60], y[:60])
    model.calibrate(X[:60], y[:60])
    np.testing.assert_allclose(model.predict_marginals(X[60:])[0].sum(axis=1), 1.0)


def large_column(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 4))
    y = (X[:, 0] * X[:, 1] > 0.0).astype(int)
    X[:, 2] = 1e6 * X[:, 2] + 1e7
    return X, y


def test_a_column_that_outweighs_the_others_is_named() -> None:
    """A number for gamma is in the units of the columns; chance level without a word would be worse than a warning."""
    with pytest.warns(UserWarning, match=r"Column 2 of X is 1e\+06 times as large"):
        mm.MulticlassSVC(kernel=mm.Kernel("rbf", gamma=0.2)).fit(*large_column())


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("rank", [None, 100, mm.LowRank(200, "fourier")])
def test_columns_are_brought_together_by_default(form: Any, rank: Any, tmp_path: Path) -> None:
    X, y = large_column()
    X = form(X)
    for model in (mm.MulticlassSVC(kernel="rbf", rank=rank), mm.MeasureSVC("error_rate", kernel="rbf", rank=rank)):
        model.fit(X[:200], y[:200])
        assert model.score(X[200:], y[200:]) > 0.8
        model.save(tmp_path / "model")
        again = mm.load(tmp_path / "model")
        assert again.decision_function(X) == pytest.approx(model.decision_function(X), rel=1e-9, abs=1e-9)


def test_rare_events_are_not_made_large() -> None:
    """A standardised column that hardly ever moves has a small mean deviation; its few cells would decide distances."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(300, 3)), rng.random((300, 3)) < 0.01]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = mm.MulticlassSVC(kernel="rbf").fit(X, (X[:, 0] > 0.0).astype(int))
    assert model.kernel_.brought is None or model.kernel_.brought.factor.max() <= 1.0 + 1e-9


def test_a_warm_start_sees_columns_alike() -> None:
    X, y = large_column()
    model = mm.MulticlassSVC(kernel="rbf", rank=50, method="structural", tol=1e-4, warm_start=True).fit(X, y)
    before = model.solution_.primal
    assert model.fit(X, y).solution_.primal == pytest.approx(before, rel=1e-2)
    X[:, 0] *= 100.0  # other columns, so that the earlier coefficients mean something else
    assert model.fit(X, y).score(X, y) > 0.8


@cases
@pytest.mark.parametrize("asked", [{"kernel": "rbf"}, {"kernel": "rbf", "rank": 6}], ids=["exact", "rank"])
def test_entries_of_the_same_cell_are_added_up(case, asked):
    X = sp.csr_array(rows())
    twice = sp.csr_array((np.repeat(X.data / 2.0, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)
    once, double = case.fit(X, **asked), case.fit(twice, **asked)
    assert twice.nnz == 2 * X.nnz
    np.testing.assert_array_equal(case.scores(double, twice), case.scores(once, X))
