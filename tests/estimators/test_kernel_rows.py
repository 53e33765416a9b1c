"""Exact kernels trained over rows of their matrix: the same optimum as over features of the kernel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import DescribedClasses, Kernel, MeasureSVC, MulticlassSVC, MultilabelSVC, TaxonomySVC, load
from maxmargin.fitting import kernels
from maxmargin.rows.kernel_space import KernelSpace
from maxmargin.solvers.base import Status
from maxmargin.solvers.certify import check_order

N, COLUMNS = 120, 5


def data(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, COLUMNS))
    return X, (X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=N) > 0.8).astype(int) + (X[:, 2] > 0.7)


def fitted(monkeypatch: pytest.MonkeyPatch, by_rows: bool, X: Any, y: Any, **settings: Any) -> MulticlassSVC:
    monkeypatch.setattr(kernels, "_FACTORED", 10 if by_rows else N)
    return MulticlassSVC(method="structural", tol=1e-6, **settings).fit(X, y)


@pytest.mark.parametrize("slack", ["linear", "squared"])
@pytest.mark.parametrize("solver", ["auto", "bcfw", "n-slack", "one-slack"])
def test_rows_and_features_have_one_optimum(monkeypatch: pytest.MonkeyPatch, solver: str, slack: str) -> None:
    X, y = data()
    settings = {"kernel": "rbf", "C": 2.0, "solver": solver, "slack": slack, "intercept_scaling": 0.7}
    features, rows = (fitted(monkeypatch, by_rows, X, y, **settings) for by_rows in (False, True))
    assert rows.solution_.primal == pytest.approx(features.solution_.primal, rel=1e-5)
    assert rows.decision_function(X) == pytest.approx(features.decision_function(X), abs=2e-2)
    assert rows.kernel_.width == rows.coef_.shape[1] <= N


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_forms_of_input(monkeypatch: pytest.MonkeyPatch, form: Any, tmp_path: Path) -> None:
    X, y = data()
    model = fitted(monkeypatch, True, form(X), y, kernel="rbf")
    assert model.score(form(X), y) > 0.9
    features = fitted(monkeypatch, False, form(X), y, kernel="rbf")
    assert pytest.approx(3.0 * features.C_, rel=1e-6) == model.C_  # the classes of many rows are apart
    model.save(tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict(form(X)), model.predict(form(X)))


def test_precomputed_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their eigenvalues have to be looked at, so they are trained on as features."""
    X, y = data()
    gamma = 0.2
    given = fitted(monkeypatch, True, rbf_kernel(X, gamma=gamma), y, kernel="precomputed", C=1.0, intercept_scaling=1.0)
    named = fitted(monkeypatch, True, X, y, kernel=Kernel("rbf", gamma=gamma), C=1.0, intercept_scaling=1.0)
    assert given.decision_function(rbf_kernel(X, gamma=gamma)) == pytest.approx(named.decision_function(X), abs=5e-3)


def test_costs_and_output_features(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data()
    described = DescribedClasses(sorted(set(y.tolist())), np.eye(3) + 0.5)
    for settings in ({"output_features": described}, {"cost": 2.0 * (1.0 - np.eye(3)), "decision": "score"}):
        features, rows = (
            fitted(monkeypatch, by_rows, X, y, kernel="rbf", C=1.0, intercept_scaling=1.0, **settings)
            for by_rows in (False, True)
        )
        assert rows.solution_.primal == pytest.approx(features.solution_.primal, rel=1e-5)


def test_a_matrix_larger_than_its_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are computed again rather than kept; the default method is margins then."""
    from maxmargin.rows import kernel_cache, kernel_oracle

    for module in (kernel_cache, kernel_oracle):
        monkeypatch.setattr(module, "BLOCK", 16)
    X, y = data()
    small = MulticlassSVC(kernel=Kernel("rbf", cache=4 * N * 40), C=1.0, intercept_scaling=1.0, tol=1e-4).fit(X, y)
    assert small.method_ == "structural"
    whole = fitted(monkeypatch, False, X, y, kernel="rbf", C=1.0, intercept_scaling=1.0)
    assert small.solution_.primal == pytest.approx(whole.solution_.primal, rel=1e-3)


@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack"])
def test_a_warm_start_goes_on(monkeypatch: pytest.MonkeyPatch, solver: str) -> None:
    """From all working sets, of which there are several."""
    from maxmargin.rows import kernel_cache, kernel_oracle

    for module in (kernel_cache, kernel_oracle):
        monkeypatch.setattr(module, "BLOCK", 16)
    X, y = data()
    model = fitted(monkeypatch, True, X, y, kernel="rbf", C=1.0, solver=solver, warm_start=True)
    before = model.solution_
    again = model.fit(X, y).solution_
    assert again.n_iter <= 0.4 * before.n_iter
    assert again.primal == pytest.approx(before.primal, rel=1e-5)
    moved = model.fit(1.5 * X, y).solution_
    fresh = fitted(monkeypatch, True, 1.5 * X, y, kernel="rbf", C=1.0, solver=solver).solution_
    assert moved.primal == pytest.approx(fresh.primal, rel=1e-5)


def test_the_default_of_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Margins over rows where classes are apart, else a likelihood over features as long as these fit."""
    X, y = data()
    monkeypatch.setattr(kernels, "_FACTORED", 50)
    apart = MulticlassSVC(kernel="rbf").fit(X, y)
    assert apart.method_ == "structural"
    assert not hasattr(apart, "predict_proba")
    assert apart.calibrate(X, y).predict_proba(X).shape == (N, 3)
    noise = np.random.default_rng(1).integers(0, 3, size=N)
    assert MulticlassSVC(kernel=Kernel("rbf", gamma=0.02)).fit(X, noise).method_ == "likelihood"
    assert MulticlassSVC(kernel=Kernel("rbf", gamma=0.02, cache=10_000)).fit(X, noise).method_ == "structural"


def test_float32_values_serve_the_default_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data()
    monkeypatch.setattr(kernels, "_FACTORED", 50)
    rough, exact = (MulticlassSVC(3.0, kernel="rbf", method="structural", tol=tol).fit(X, y) for tol in ("auto", 1e-6))
    assert exact.solution_.primal <= rough.solution_.primal <= 1.1 * exact.solution_.primal
    assert rough.solution_.gap <= 0.1 * rough.solution_.primal


def other_estimators(**settings: Any) -> list[tuple[Any, Any]]:
    X, y = data()
    vectors = np.c_[X[:, 0] * X[:, 1] > 0.0, X[:, 2] ** 2 + X[:, 3] > 1.0, X[:, 4] > 0.3].astype(int)
    names = np.array(["a/x", "a/y", "b"])[y]
    return [
        (MultilabelSVC(C=2.0, kernel="rbf", **settings), vectors),
        (MultilabelSVC(C=2.0, kernel="rbf", interactions="tree", **settings), vectors),
        (TaxonomySVC(C=2.0, kernel="rbf", **settings), names),
        (MeasureSVC("error_rate", 2.0, kernel="rbf", **settings), vectors[:, 0]),
    ]


@pytest.mark.parametrize("case", range(4))
def test_other_estimators_over_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, case: int) -> None:
    X, _ = data()
    found = []
    for factored in (N, 10):
        monkeypatch.setattr(kernels, "_FACTORED", factored)
        model, y = other_estimators(method="structural", tol=1e-6)[case]
        found.append(model.fit(X, y))
    features, rows = found
    assert rows.solution_.primal == pytest.approx(features.solution_.primal, rel=1e-4)
    assert np.mean(rows.predict(X) == features.predict(X)) > 0.99
    rows.save(tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict(X), rows.predict(X))


@pytest.mark.parametrize("case", range(3))
def test_other_estimators_whose_features_do_not_fit(case: int) -> None:
    """Margins over rows are the default then; a likelihood that was asked for is refused."""
    X, _ = data()
    model, y = other_estimators()[case]
    model.set_params(kernel=Kernel("rbf", cache=4 * N * 40)).fit(X, y)
    assert model.method_ == "structural"
    with pytest.raises(ValueError, match="cache allows"):
        model.set_params(method="likelihood").fit(X, y)


def test_kernels_of_few_dimensions_and_hard_margins_have_features(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps over rows would crawl there, and the features are few, or needed all at once."""
    X, y = data()
    monkeypatch.setattr(kernels, "_FACTORED", 50)
    few = MulticlassSVC(kernel=Kernel("poly", degree=2), method="structural").fit(X, y)
    assert few.kernel_.width <= Kernel("poly", degree=2).dimensions(COLUMNS) == 21
    hard = MulticlassSVC(kernel="rbf", method="structural", slack="hard").fit(X, y)
    assert (hard.score(X, y), hard.solution_.status) == (1.0, Status.CONVERGED)


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ({"tol": 1e-6}, np.float64),
        ({"tol": 1e-3}, np.float32),
        ({"tol": "auto"}, np.float32),
        ({"tol": 1e-3, "C": 1e5}, np.float64),
        ({"tol": "auto", "C": 1e5}, np.float64),
    ],
)
def test_values_that_do_not_all_fit_are_rounded_only_where_that_does_not_show(settings: Any, kept: Any) -> None:
    X, _ = data()
    model = MulticlassSVC(kernel=Kernel("laplacian", cache=4 * N * N), method="structural", **settings)
    rows = model._kernel_rows(X, None, True)
    assert rows is not None
    assert rows.cache.dtype == kept


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["auto", "n-slack", "one-slack"])
def test_no_dual_is_above_the_optimum(solver: str) -> None:
    """Values of this kernel are all within 0.03 of 1, and C makes the difference of large numbers of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, COLUMNS))
    y = np.digitize(X[:, 0] * X[:, 1], [-0.3, 0.3])
    settings = {"method": "structural", "slack": "squared", "intercept_scaling": 1.0, "tol": 1e-4}
    best = MulticlassSVC(1e4, kernel=Kernel("rbf", gamma=0.003), **settings).fit(X, y).solution_.primal
    small = Kernel("rbf", gamma=0.003, cache=4 * N * N)
    found = MulticlassSVC(1e4, kernel=small, solver=solver, max_iter=200, **settings).fit(X, y).solution_
    assert found.dual <= best * (1.0 + 1e-9)


def test_a_dual_above_the_primal_is_rounding_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data()
    model = fitted(monkeypatch, True, X, y, kernel="rbf", C=1.0)
    rows = model._kernel_rows(X, None, True)
    assert rows is not None
    oracle = SimpleNamespace(space=KernelSpace(rows.cache, 3, 6 * N), exact=True)
    good = model.solution_
    assert check_order(oracle, good) is good
    found = check_order(oracle, replace(good, dual=1.1 * good.primal))
    assert (found.status, found.dual, found.gap) == (Status.STALLED, None, None)
