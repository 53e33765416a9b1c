"""Least squares of classes beside scikit-learn's ridge regression, and as a method of TaxonomySVC."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

import maxmargin
from maxmargin import TaxonomySVC, _core
from maxmargin.classes.squares import LeastSquares
from maxmargin.datasets import make_taxonomy
from maxmargin.metrics import tree_loss
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.matrices import as_rows
from maxmargin.solvers.base import Run, Status

LEAVES = np.array([f"{top}/{middle}/{leaf}" for top in range(3) for middle in range(2) for leaf in range(2)])


def catalogue(n: int, seed: int = 0, columns: int = 400) -> tuple[sp.csr_array, Any]:
    """Rows with the features of their leaf and of the nodes above, among many features that say nothing."""
    rng = np.random.default_rng(seed)
    labels = np.resize(np.arange(LEAVES.size), n)
    owners = np.random.default_rng(1).integers(0, 4 * LEAVES.size, columns)
    cells = rng.random((n, columns)) < np.where(owners == labels[:, None], 0.35, 0.08)
    return sp.csr_array(cells.astype(float)), LEAVES[labels]


@pytest.mark.parametrize("sparse", [False, True])
@given(seed=st.integers(0, 2**16), n=st.integers(2, 12), columns=st.integers(1, 15), log_c=st.floats(-3, 4))
def test_the_optimum_is_that_of_ridge_regression(sparse: bool, seed: int, n: int, columns: int, log_c: float) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, columns)) * (rng.random((n, columns)) < (0.2 if sparse else 1.0))
    targets, weight, C = rng.standard_normal((n, 3)), rng.integers(0, 3, n).astype(float), 10.0**log_c
    weight[0] = 1.0
    rows = as_rows(sp.csr_array(X) if sparse else X, 0.0, True)
    found = LeastSquares(rows, 0.0).solve(targets, C, weight, 1e-12, Run(tol=1e-12, max_iter=2000))
    w = found.w.reshape(columns, _core.padded(3))[:, :3]
    peer = Ridge(alpha=1.0 / C, fit_intercept=False, solver="svd").fit(X, targets, sample_weight=weight)
    objective = _objective(w, X, targets, weight, C)
    best = _objective(peer.coef_.T, X, targets, weight, C)
    assert found.status in (Status.CONVERGED, Status.STALLED)
    assert found.primal == pytest.approx(objective, rel=1e-6, abs=1e-9)
    assert objective - best <= found.gap * (1 + 1e-6) + 1e-9 * (1 + best)
    np.testing.assert_allclose(X @ w, peer.predict(X).reshape(n, 3), atol=1e-3)


def test_the_gap_of_an_unfinished_run_is_at_least_what_is_missing() -> None:
    X, _ = catalogue(60)
    targets = np.random.default_rng(0).standard_normal((60, 4))
    problem = LeastSquares(as_rows(X, 0.0, True), 0.0)
    exact = problem.solve(targets, 10.0, None, 1e-12, Run(max_iter=1000))
    for steps in (2, 4, 8):
        part = problem.solve(targets, 10.0, None, 1e-12, Run(max_iter=steps))
        assert part.status is Status.MAX_ITER
        assert part.n_iter == steps
        assert 0.0 < part.primal - exact.primal <= part.gap
        assert part.dual <= exact.primal


def test_a_constant_feature_has_the_means_of_the_targets() -> None:
    targets = np.array([[3.0, -1.0], [5.0, 1.0], [100.0, 100.0]])
    rows = as_rows(np.zeros((3, 2)), 2.0, True)
    found = LeastSquares(rows, 2.0).solve(targets, 1.0, np.array([1.0, 1.0, 0.0]), "auto", Run())
    np.testing.assert_allclose(found.w.reshape(3, -1)[:, :2], [[0, 0], [0, 0], [2.0, 0.0]], atol=1e-12)


def _objective(w: Any, X: Any, targets: Any, weight: Any, C: float) -> float:
    return 0.5 * float(np.sum(w**2)) + 0.5 * C * float(weight @ np.sum((targets - X @ w) ** 2, axis=1))


def test_scores_are_minus_expected_losses() -> None:
    X, y = catalogue(48)
    model = TaxonomySVC(C=0.1, method="squares", intercept_scaling=1.0, tol=1e-10).fit(X, y)
    loss = np.array([[tree_loss([truth], [answer], "/") for answer in model.classes_] for truth in y])
    dense = np.column_stack([X.toarray(), np.ones(48)])
    # The means of the targets are the constant's, and what the targets lack of them is fitted.
    peer = Ridge(alpha=10.0, fit_intercept=False).fit(dense, loss.mean(axis=0) - loss)
    np.testing.assert_allclose(model.decision_function(X), peer.predict(dense) - loss.mean(axis=0), atol=1e-4)
    assert model.method_ == "squares"
    assert model.decision_ == "score"
    assert model.solution_.details["solver"] == "conjugate-gradients"


def test_auto_takes_least_squares_where_folds_say_so(tmp_path: Path) -> None:
    texts, labels = make_taxonomy(2500, branching=(4, 4, 3), n_features=800, noise=0.5, seed=4)
    X, y, X_test, y_test = texts[:400], labels[:400], texts[400:], labels[400:]
    model = TaxonomySVC().fit(X, y)
    assert model.method_ == "squares"
    others = [TaxonomySVC(method=method).fit(X, y).score(X_test, y_test) for method in ("structural", "likelihood")]
    assert model.score(X_test, y_test) > max(others)
    probability = model.predict_proba(X_test)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    assert (model.classes_[probability.argmax(axis=1)] == model.predict(X_test)).all()
    model.save(tmp_path / "catalogue.mm")
    again = maxmargin.load(tmp_path / "catalogue.mm")
    assert again.method_ == "squares"
    assert (again.predict(X_test) == model.predict(X_test)).all()


def test_least_squares_are_no_candidate_where_examples_outnumber_columns() -> None:
    X, y = catalogue(300, columns=100)
    assert TaxonomySVC().fit(X, y).method_ != "squares"


def test_what_only_margins_have_is_refused() -> None:
    X, y = catalogue(60)
    with pytest.raises(Unsupported, match="method='squares' cannot be had with rescaling='slack'"):
        TaxonomySVC(method="squares", rescaling="slack").fit(X, y)


def test_repeated_rows_are_rows_of_twice_the_weight() -> None:
    X, y = catalogue(72)
    twice = TaxonomySVC(C=0.3, method="squares", tol=1e-10).fit(sp.vstack([X, X], format="csr"), np.concatenate([y, y]))
    heavy = TaxonomySVC(C=0.3, method="squares", tol=1e-10).fit(X, y, sample_weight=np.full(72, 2.0))
    np.testing.assert_allclose(twice.coef_, heavy.coef_, atol=1e-5)
