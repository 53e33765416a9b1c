"""Margins or likelihood of ``TaxonomySVC``: which is chosen, and what follows from it."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from maxmargin import MulticlassSVC, TaxonomySVC, load
from maxmargin.classes.taxonomies import taxonomy_losses
from maxmargin.classes.taxonomy_training import TaxonomyTraining
from maxmargin.datasets import make_taxonomy
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Status


def overlapping(n, seed=0, far=0.6):
    """Normal clusters at the leaves of a tree whose places have nothing to do with it."""
    rng, names = np.random.default_rng(seed), np.array([f"{a}/{b}" for a in range(4) for b in range(4)])
    centres = far * np.random.default_rng(99).standard_normal((16, 12))
    leaf = rng.integers(16, size=n)
    return centres[leaf] + rng.standard_normal((n, 12)), names[leaf]


def loss_of(model, X, y):
    return taxonomy_losses(model.taxonomy_, y.tolist(), model.predict(X).tolist()).mean()


def test_the_likelihood_where_classes_overlap_and_margins_where_the_tree_helps():
    (X, y), (X_test, y_test) = overlapping(400), overlapping(4000, 1)
    model, margins = TaxonomySVC().fit(X, y), TaxonomySVC(method="structural").fit(X, y)
    assert (model.method_, margins.method_) == ("likelihood", "structural")
    assert loss_of(model, X_test, y_test) < loss_of(margins, X_test, y_test)
    texts, labels = make_taxonomy(600, branching=(4, 4, 3), n_features=500, noise=0.5, seed=3)
    assert TaxonomySVC().fit(texts, labels).method_ == "structural"


def test_margins_are_not_tried_where_examples_say_that_classes_overlap(monkeypatch):
    tried = []
    solve = TaxonomyTraining.solve

    def noted(self, candidate, *arguments):
        tried.append(candidate.method)
        return solve(self, candidate, *arguments)

    monkeypatch.setattr(TaxonomyTraining, "solve", noted)
    for rows, far, margins in ((400, 0.6, False), (150, 0.6, True), (400, 6.0, True)):  # 13 weights for each of 16
        tried.clear()
        model = TaxonomySVC().fit(*overlapping(rows, far=far))
        assert ("structural" in tried) == margins
        assert tried[-1] == model.method_, "The last one is trained on all examples."


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("loss", ["height", "zero-one", "matrix"])
def test_the_likelihood_has_probabilities_and_decides_by_them(tmp_path, wide, loss):
    X, y = overlapping(200)
    if wide:  # more columns than rows: flat classes
        X = sp.csr_array(np.hstack([X, np.random.default_rng(2).standard_normal((200, 300)) > 1.5]))
    y[::5] = [name.partition("/")[0] for name in y[::5]]  # inner nodes are classes, too
    matrix = np.random.default_rng(0).random((20, 20)) * (1 - np.eye(20))
    model = TaxonomySVC(0.1, taxonomy="/", method="likelihood", loss=matrix if loss == "matrix" else loss).fit(X, y)
    assert model.decision_ == ("score" if loss == "zero-one" else "expected-cost")
    probability, classes = model.predict_proba(X), model.classes_.tolist()
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    if loss == "height":
        matrix = np.array([taxonomy_losses(model.taxonomy_, [truth] * len(classes), classes) for truth in classes])
    cost = 1.0 - np.eye(20) if loss == "zero-one" else matrix
    np.testing.assert_array_equal(model.predict(X), model.classes_[np.argmin(probability @ cost, axis=1)])
    scored = model.predict(X, decision="score")
    np.testing.assert_array_equal(scored, model.classes_[probability.argmax(axis=1)])
    model.save(tmp_path / "tree.mm")
    again = load(tmp_path / "tree.mm")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert (again.method_, again.decision_) == (model.method_, model.decision_)


def test_weights_of_nodes_give_the_scores_of_flat_classes():
    """In many columns classes share nothing: the likelihood is that of ``MulticlassSVC``."""
    from maxmargin import MulticlassSVC

    rng = np.random.default_rng(5)
    X, y = sp.csr_array((rng.random((80, 400)) < 0.05).astype(float)), rng.integers(4, size=80)
    names = np.array(["a", "a/x", "a/y", "b"])[y]
    tree = TaxonomySVC(0.5, taxonomy="/", method="likelihood", tol=1e-7).fit(X, names)
    flat = MulticlassSVC(0.5, method="likelihood", tol=1e-7).fit(X, names)
    scores, others = tree._all_scores(X), flat._all_scores(X)
    np.testing.assert_allclose(scores - scores[:, :1], others - others[:, :1], atol=2e-3)


def test_a_method_that_cannot_be_had_is_refused():
    X, y = overlapping(100)
    with pytest.raises(ValueError, match="method must be one of"):
        TaxonomySVC(method="best").fit(X, y)
    for setting in ({"slack": "squared"}, {"rescaling": "slack"}, {"solver": "one-slack"}):
        with pytest.raises(Unsupported, match="method='likelihood' cannot be had with"):
            TaxonomySVC(method="likelihood", **setting).fit(X, y)
        assert TaxonomySVC(**setting).fit(X, y).method_ == "structural"
    for few in (TaxonomySVC().fit(X[:50], y[:50]), TaxonomySVC(1.0).fit(X, y), TaxonomySVC(warm_start=True).fit(X, y)):
        assert few.method_ == "structural"


def test_the_order_of_the_rows_and_doubled_rows_do_not_matter():
    X, y = overlapping(150)
    order = np.random.default_rng(1).permutation(150)
    model, other = TaxonomySVC().fit(X, y), TaxonomySVC().fit(X[order], y[order])
    assert pytest.approx(other.C_) == model.C_
    np.testing.assert_allclose(model.coef_, other.coef_, atol=2e-2 * np.abs(model.coef_).max())
    assert model.method_ == other.method_
    weighted = TaxonomySVC().fit(X, y, sample_weight=np.r_[np.full(100, 2.0), np.ones(50)])
    doubled = TaxonomySVC().fit(np.r_[X, X[:100]], np.r_[y, y[:100]])
    assert pytest.approx(weighted.C_) == doubled.C_
    assert (weighted.method_, weighted.decision_) == (doubled.method_, doubled.decision_)
    assert pytest.approx(weighted.temperature_, rel=0.05) == doubled.temperature_


def one_row_per_class(columns):
    names = np.array([f"{i // 10}.{i % 10}" for i in range(100)])
    return np.random.default_rng(0).standard_normal((100, columns)), names


def test_classes_of_one_row_each_are_told_apart():
    X, y = one_row_per_class(5)
    model = TaxonomySVC().fit(X, y)
    assert np.unique(model.predict(X)).size > 80
    assert -model.score(X, y) < 0.2


@pytest.mark.parametrize("alone", [100, 99])
def test_probabilities_where_no_fold_knows_the_classes_of_another(alone):
    X, y = one_row_per_class(30)
    y[alone:] = y[0]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        model = MulticlassSVC().fit(X, y)
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[probability.argmax(axis=1)], model.predict(X))


@pytest.mark.parametrize("after", [1, 2])
def test_an_interrupted_trial_is_the_end(monkeypatch, after):
    """Nothing is trained after Ctrl-C, and the answer is what was trained last."""
    X, y = overlapping(400)
    solve, calls = TaxonomyTraining.solve, []

    def interrupted(self, *given):
        calls.append(solve(self, *given))
        return replace(calls[-1], status=Status.INTERRUPTED) if len(calls) == after else calls[-1]

    monkeypatch.setattr(TaxonomyTraining, "solve", interrupted)
    with pytest.warns(ConvergenceWarning, match="Interrupted; this is the best solution so far"):
        model = TaxonomySVC().fit(X, y)
    assert len(calls) == after
    assert model.solution_.status is Status.INTERRUPTED
    assert model.solution_.gap is None
    np.testing.assert_array_equal(model.solution_.w, calls[-1].w)
