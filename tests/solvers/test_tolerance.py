"""``tol='auto'``: a gap relative to ``1/2 |w|^2``, whatever the units of the loss and of the features are."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

import toy_problems as problems
from maxmargin import ChainSVC, MeasureSVC, MulticlassSVC, MultilabelSVC, StructuralSVM
from maxmargin.fitting.training import RELATIVE_GAP
from maxmargin.solvers.base import Status
from maxmargin.solvers.certify import Target

X, Y = load_digits(n_class=4, return_X_y=True)
X, Y = X[:200], Y[:200]
SOLVERS = ["auto", "bcfw", "one-slack", "n-slack"]


def assert_relative(solution):
    half = 0.5 * float(solution.w @ solution.w)
    assert solution.status is Status.CONVERGED
    # The target belongs to the dual's w; the returned one may be an average, as far away as the gap allows.
    assert solution.gap <= 1.5 * RELATIVE_GAP * max(half, 0.01 * solution.dual)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_the_gap_is_small_against_the_weights(solver, slack):
    assert_relative(MulticlassSVC(solver=solver, slack=slack).fit(X, Y).solution_)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_error_of_w_is_bounded(solver):
    """Strong convexity: |w - w*|^2 / 2 is at most the gap."""
    loose = MulticlassSVC(C=1e-3, solver=solver).fit(X, Y).solution_
    exact = MulticlassSVC(C=1e-3, solver=solver, tol=1e-7).fit(X, Y).solution_
    assert 0.5 * np.sum((loose.w - exact.w) ** 2) <= loose.gap + exact.gap
    assert np.linalg.norm(loose.w - exact.w) < np.sqrt(1.5 * RELATIVE_GAP) * np.linalg.norm(exact.w)


@pytest.mark.parametrize("solver", ["bcfw", "one-slack", "n-slack"])
def test_units_of_the_loss_do_not_matter(solver):
    """Losses and C times k: the same problem for w / k, and the same stopping point."""
    cost = 1.0 - np.eye(4)
    one = MulticlassSVC(C=1e-3, cost=cost, solver=solver).fit(X, Y).solution_
    many = MulticlassSVC(C=1.024, cost=1024.0 * cost, solver=solver).fit(X, Y).solution_
    assert many.n_iter == one.n_iter
    np.testing.assert_allclose(many.w, 1024.0 * one.w, rtol=1e-9, atol=1e-6 * np.abs(many.w).max())


def test_units_of_the_features_do_not_matter():
    one = MulticlassSVC(C=2.0**-10, fit_intercept=False, solver="bcfw").fit(X, Y).solution_
    small = MulticlassSVC(C=2.0**-4, fit_intercept=False, solver="bcfw").fit(X / 8.0, Y).solution_
    assert small.n_iter == one.n_iter
    np.testing.assert_allclose(small.w, 8.0 * one.w, rtol=1e-6, atol=1e-6 * np.abs(small.w).max())


def test_all_families():
    chain = ChainSVC().fit([X[i : i + 5] for i in range(0, 100, 5)], [Y[i : i + 5] for i in range(0, 100, 5)])
    labels = MultilabelSVC().fit(X, np.column_stack([k == Y for k in range(4)]).astype(int))
    measure = MeasureSVC("error_rate").fit(X, (Y == 1).astype(int))
    for model in (chain, labels, measure):
        assert model.tol == "auto"
        assert_relative(model.solution_)


def test_where_nothing_can_be_gained_training_ends():
    """Labels that no feature tells: the optimum is w = 0, and the gap is compared with the dual."""
    model = MulticlassSVC(C=1e-6).fit(np.zeros((40, 3)), np.arange(40) % 2)
    assert model.solution_.status is Status.CONVERGED


def test_a_number_keeps_its_meaning_and_a_hard_margin_its_own():
    model = MulticlassSVC(C=1e-3, tol=0.05).fit(X, Y)
    assert model.solution_.gap <= 1e-3 * len(X) * 0.05
    assert MulticlassSVC(slack="hard", rescaling="none").fit(X, Y).solution_.slack.max() <= 1e-3


def test_target():
    assert Target(2.0).at(100.0, 50.0) == 2.0
    assert Target(0.0, 0.1).at(100.0, 50.0) == pytest.approx(5.0)
    assert Target(0.0, 0.1).at(100.0, 0.0) == pytest.approx(0.1)


@pytest.mark.parametrize("tol", ["loose", 0, -1.0, np.inf, None])
def test_other_tolerances_are_refused(tol):
    with pytest.raises(ValueError, match="tol must be a positive number"):
        MulticlassSVC(tol=tol).fit(X, Y)


@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_n_slack_stops_at_the_tolerance(slack):
    """Not far below it: the gap of the returned weights is a fair part of what is allowed."""
    chain = problems.Chain()
    inputs, labels = problems.sample(chain, 100, noise=1.0)
    shares = []
    for tol in (3e-2, 1e-2, 3e-3, 1e-3):
        solution = StructuralSVM(chain, 0.5, solver="n-slack", slack=slack, tol=tol).fit(inputs, labels).solution_
        assert solution.status is Status.CONVERGED
        shares.append(solution.gap / (0.5 * 100 * tol))
    assert np.median(shares) > 0.1
