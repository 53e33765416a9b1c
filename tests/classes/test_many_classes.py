"""With more than 64 classes steps see a few planes only, and scores are taken row by row: the optimum is the same."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from maxmargin import MulticlassSVC
from maxmargin.classes.multiclass import Multiclass
from maxmargin.core.formulation import Formulation


def sample(classes, n, d=12, seed=0):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(classes), rng.integers(0, classes, n - classes)]
    return rng.standard_normal((classes, d))[y] + 0.7 * rng.standard_normal((n, d)), y


def objective(coef, X, y, C, classes):
    scores = X @ coef.T
    worst = (scores + (np.arange(classes) != y[:, None]) - scores[np.arange(len(y)), y][:, None]).max(axis=1)
    return 0.5 * (coef**2).sum() + C * worst.sum()


@pytest.mark.parametrize("classes", [66, 70, 131])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, np.float32])
def test_the_optimum_is_that_of_liblinear(classes, form):
    X, y = sample(classes, 400)
    X = np.asarray(X, dtype=np.float32).astype(np.float64)
    judge = LinearSVC(C=0.1, multi_class="crammer_singer", fit_intercept=False, tol=1e-6, max_iter=100_000).fit(X, y)
    model = MulticlassSVC(C=0.1, slack="linear", fit_intercept=False, tol=1e-6).fit(form(X), y)
    expected = objective(judge.coef_, X, y, 0.1, classes)
    assert objective(model.coef_, X, y, 0.1, classes) == pytest.approx(expected, rel=1e-4)
    assert model.solution_.primal == pytest.approx(expected, rel=1e-4)
    assert model.solution_.dual <= expected * (1.0 + 1e-9)


@pytest.mark.parametrize("slack", ["linear", "squared"])
@pytest.mark.parametrize("solver", ["auto", "one-slack", "n-slack"])
def test_one_row_of_costs_stands_for_the_table(slack, solver):
    """A table of ones is read row by row; the zero-one loss has one row for all."""
    X, y = sample(70, 150, d=4)
    options = {"C": 0.05, "slack": slack, "solver": solver, "tol": 1e-5, "decision": "score"}
    alike, table = MulticlassSVC(**options).fit(X, y), MulticlassSVC(cost=1.0 - np.eye(70), **options).fit(X, y)
    assert alike.solution_.primal == pytest.approx(table.solution_.primal, rel=1e-3)


def test_no_table_of_all_pairs_is_made():
    X, y = sample(70, 90)
    oracle = Multiclass(70).bind(X, y, Formulation())
    assert oracle._margin.shape == (1, 72)
