"""MultilabelSVC: optima against LIBLINEAR, predictions, label sets, weights, warm starts, model files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer, StandardScaler
from sklearn.svm import LinearSVC

import maxmargin
from label_cases import every_vector
from maxmargin import MulticlassSVC, MultilabelSVC, NSlack, Status, Unsupported
from maxmargin.rows.feature_scale import FeatureScale, packed

RNG = np.random.default_rng(0)
X, Y = make_multilabel_classification(120, 8, n_classes=5, n_labels=2, random_state=1)
X = StandardScaler().fit_transform(X)


def one_of_three(n=300, seed=0):
    """Two groups of three labels of which exactly one is set: which one is not a matter of each label for itself."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    angles = 2 * np.pi * np.arange(3) / 3
    directions = np.c_[np.cos(angles), np.sin(angles)].T
    groups = [X[:, part] @ directions + 0.2 * rng.standard_normal((n, 3)) for part in (slice(0, 2), slice(2, 4))]
    return X, np.concatenate([np.eye(3, dtype=int)[scores.argmax(axis=1)] for scores in groups], axis=1)


def scores(model, x):
    """``F`` of every label vector by the formula of the class docstring."""
    every = every_vector(model.classes_.size)
    total = every @ (model.coef_ @ x + model.intercept_)
    for (j, k), weight in zip(model.pairs_, model.interaction_):
        total = total + weight * (every[:, j] & every[:, k])
    return every, total


@pytest.mark.parametrize("scaling", [None, 1.0, 3.0])
@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack"])
@pytest.mark.parametrize("sparse", [False, True])
def test_independent_labels_are_binary_hinge_machines(solver, scaling, sparse):
    """Without interactions and with the Hamming loss: K times LinearSVC, the same C, objective and weights."""
    C, options = 0.1, {"fit_intercept": scaling is not None, "intercept_scaling": scaling or 1.0}
    data = sp.csr_array(X) if sparse else X
    expected, coef, intercept = 0.0, [], []
    for column in Y.T:
        judge = LinearSVC(C=C, loss="hinge", dual=True, tol=1e-10, max_iter=10**6, random_state=0, **options)
        judge.fit(X, column)
        coef.append(judge.coef_[0])
        intercept.append(float(np.ravel(judge.intercept_)[0]) if scaling else 0.0)
        hinge = np.maximum(0.0, 1.0 - (2 * column - 1) * (X @ coef[-1] + intercept[-1]))
        bias = intercept[-1] / scaling if scaling else 0.0
        expected += 0.5 * coef[-1] @ coef[-1] + 0.5 * bias**2 + C * hinge.sum()
    tol = 1e-9 if solver == "bcfw" else 1e-6
    model = MultilabelSVC(C, interactions="independent", solver=solver, tol=tol, max_iter=5000, **options)
    model.fit(data, Y)
    assert model.solution_.dual <= expected * (1 + 1e-9)
    assert model.solution_.primal == pytest.approx(expected, rel=1e-7 if solver == "bcfw" else 1e-5)
    if solver == "bcfw":
        np.testing.assert_allclose(model.coef_, coef, atol=1e-5)
        np.testing.assert_allclose(model.intercept_, intercept, atol=1e-5)


@pytest.mark.parametrize("interactions", ["independent", "tree", "full", [(0, 3), (3, 4), (0, 4)]])
def test_predictions_are_the_highest_scores(interactions):
    model = MultilabelSVC(0.1, interactions=interactions, method="structural").fit(X, Y)
    predicted, margins = model.predict(X), model.decision_function(X)
    best = model.predict_kbest(X, 4)
    ranked = np.array([[entry.output for entry in few] for few in best])
    ranked_scores = np.array([[entry.score for entry in few] for few in best])
    assert (predicted.dtype, predicted.shape, ranked.shape) == (np.int64, Y.shape, (len(X), 4, 5))
    np.testing.assert_array_equal(ranked[:, 0], predicted)
    np.testing.assert_array_equal(predicted, margins > 0)
    for i in range(0, len(X), 10):
        every, total = scores(model, X[i])
        np.testing.assert_array_equal(every[np.argmax(total)], predicted[i])
        np.testing.assert_allclose(ranked_scores[i], np.sort(total)[::-1][:4], atol=1e-10)
        best = [total[every[:, k] == 1].max() - total[every[:, k] == 0].max() for k in range(5)]
        np.testing.assert_allclose(margins[i], best, atol=1e-10)


def test_interactions_help_where_labels_exclude_each_other():
    (train_X, train_Y), (test_X, test_Y) = one_of_three(), one_of_three(seed=1)
    alone, tree, full = (
        MultilabelSVC(interactions=interactions).fit(train_X, train_Y)
        for interactions in ("independent", "tree", "full")
    )
    within = [j // 3 == k // 3 for j, k in tree.pairs_]
    assert sum(within) == 4  # a tree of six labels has five pairs, and one of them joins the groups
    assert tree.interaction_[within].max() < 0.0
    inside = np.array([j // 3 == k // 3 for j, k in full.pairs_])
    assert full.interaction_[inside].max() < full.interaction_[~inside].min()
    right = [model.score(test_X, test_Y) for model in (alone, tree, full)]
    assert right[1] > right[0]
    assert right[2] > right[0] + 0.2


def test_the_f1_loss_pays_in_f1():
    rng = np.random.default_rng(3)
    data = rng.standard_normal((400, 5))
    rare = (data @ rng.standard_normal((5, 6)) + 2 * rng.standard_normal((400, 6)) > 2.5).astype(int)
    found = {}
    for loss in ("hamming", "f1"):
        model = MultilabelSVC(0.05, loss=loss, interactions="independent").fit(data[:200], rare[:200])
        found[loss] = f1_score(rare[200:], model.predict(data[200:]), average="micro")
    assert found["f1"] > found["hamming"] + 0.05


def test_label_sets_are_the_binariser_of_scikit_learn():
    names = np.array(["air", "sea", "earth", "fire", "void"])
    sets = [{str(names[k]) for k in np.flatnonzero(row)} for row in Y]
    binarizer = MultiLabelBinarizer().fit(sets)
    model = MultilabelSVC(0.1).fit(X, sets)
    np.testing.assert_array_equal(model.classes_, binarizer.classes_)
    same = MultilabelSVC(0.1).fit(X, binarizer.transform(sets))
    np.testing.assert_array_equal(model.coef_, same.coef_)
    assert model.predict_sets(X) == binarizer.inverse_transform(model.predict(X))
    assert model.score(X, sets) == same.score(X, binarizer.transform(sets))
    assert model.score(X, [sorted(row) for row in sets]) == model.score(X, pd.Series(sets))
    numbers = MultilabelSVC(0.1).fit(X, [set(np.flatnonzero(row).tolist()) for row in Y])
    assert numbers.classes_.dtype.kind == "i"
    np.testing.assert_array_equal(numbers.coef_, MultilabelSVC(0.1).fit(X, Y).coef_)


@pytest.mark.parametrize(
    "given",
    [sp.csr_array(Y), sp.csr_matrix(Y), sp.coo_array(Y), Y.astype(bool), Y.astype(float), Y.tolist(), pd.DataFrame(Y)],
    ids=["csr_array", "csr_matrix", "coo", "bool", "float", "lists", "frame"],
)
def test_kinds_of_matrices(given):
    model = MultilabelSVC(0.1).fit(X, given)
    np.testing.assert_array_equal(model.coef_, MultilabelSVC(0.1).fit(X, Y).coef_)
    np.testing.assert_array_equal(model.classes_, np.arange(5))
    assert model.score(X, given) == model.score(X, Y)


def test_frames_name_labels_and_features():
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(8)])
    model = MultilabelSVC(0.1, interactions=[("a", "c")], label_weight={"b": 2.0}).fit(
        frame, pd.DataFrame(Y, columns=list("abcde"))
    )
    assert model.classes_.tolist() == list("abcde")
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.pairs_.tolist() == [[0, 2]]
    assert set().union(*model.predict_sets(frame)) <= set("abcde")


def test_sample_weight_is_repetition():
    times = np.random.default_rng(1).integers(0, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), times)
    for interactions in ("independent", "tree"):
        options = {"interactions": interactions, "tol": 1e-8, "interaction_scaling": 1.0, "intercept_scaling": 1.0}
        weighted = MultilabelSVC(0.1, **options).fit(X, Y, sample_weight=times)
        plain = MultilabelSVC(0.1, **options).fit(X[repeated], Y[repeated])
        np.testing.assert_array_equal(weighted.pairs_, plain.pairs_)
        assert weighted.solution_.primal == pytest.approx(plain.solution_.primal, rel=1e-6)
        np.testing.assert_allclose(weighted.coef_, plain.coef_, atol=1e-3)


def test_label_weights():
    """A label of weight 0 is not learned; a label of weight 3 needs a margin of 3."""
    model = MultilabelSVC(0.1, label_weight=[1, 1, 0, 1, 1], interactions="independent", tol=1e-8).fit(X, Y)
    np.testing.assert_allclose(model.coef_[2], 0.0, atol=1e-9)
    heavy = MultilabelSVC(0.1, label_weight={1: 3.0}, interactions="independent", tol=1e-9).fit(X, Y)
    scaled = MultilabelSVC(0.1, interactions="independent", method="structural", tol=1e-9).fit(X, Y)
    np.testing.assert_allclose(np.delete(heavy.coef_, 1, 0), np.delete(scaled.coef_, 1, 0), atol=1e-5)
    hinge = np.maximum(0.0, 3.0 - (2 * Y[:, 1] - 1) * heavy.decision_function(X)[:, 1]).sum()
    w = np.r_[heavy.coef_[1], heavy.intercept_[1] / heavy.intercept_scaling_]
    worse = np.maximum(0.0, 3.0 - (2 * Y[:, 1] - 1) * scaled.decision_function(X)[:, 1]).sum()
    v = np.r_[scaled.coef_[1], scaled.intercept_[1] / scaled.intercept_scaling_]
    assert 0.5 * w @ w + 0.1 * hinge < 0.5 * v @ v + 0.1 * worse


def test_class_weights_are_margins_of_the_two_states():
    """Independent labels: the objective of the docstring, which scipy cannot improve."""
    costs = {1: {0: 0.5, 1: 3.0}, 3: 2.0}
    options = {"interactions": "independent", "method": "structural", "fit_intercept": False, "tol": 1e-9}
    model = MultilabelSVC(0.1, class_weight=costs, **options).fit(X, Y)
    for label, (low, high) in enumerate([(1.0, 1.0), (0.5, 3.0), (1.0, 1.0), (1.0, 2.0), (1.0, 1.0)]):
        sign, margin = 2.0 * Y[:, label] - 1.0, np.where(Y[:, label] == 1, high, low)

        def objective(w, sign=sign, margin=margin):
            return 0.5 * w @ w + 0.1 * np.maximum(0.0, margin - sign * (X @ w)).sum()

        better = minimize(objective, model.coef_[label], method="Nelder-Mead", options={"maxiter": 2000})
        assert better.fun >= objective(model.coef_[label]) * (1 - 1e-6)
    total = sum(0.5 * w @ w for w in model.coef_)
    paid = np.where(Y == 1, [1, 3, 1, 2, 1], [1, 0.5, 1, 1, 1])
    hinge = np.maximum(0.0, paid - (2 * Y - 1) * model.decision_function(X)).sum()
    assert model.solution_.primal == pytest.approx(total + 0.1 * hinge)
    both = MultilabelSVC(0.1, class_weight={1: {0: 2.0, 1: 2.0}}, **options).fit(X, Y)
    np.testing.assert_allclose(
        both.coef_, MultilabelSVC(0.1, label_weight={1: 2.0}, **options).fit(X, Y).coef_, atol=1e-5
    )


@pytest.mark.parametrize("method", ["likelihood", "structural"])
@pytest.mark.parametrize("interactions", ["independent", "tree", "full"])
def test_balanced_weights_find_rare_labels(interactions, method):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 5))
    Y = (X @ rng.standard_normal((5, 4)) + 1.5 * rng.standard_normal((400, 4)) > [2.0, 4.0, 2.0, 4.0]).astype(int)
    plain = MultilabelSVC(interactions=interactions, method=method).fit(X, Y)
    balanced = MultilabelSVC(interactions=interactions, method=method, class_weight="balanced").fit(X, Y)
    assert balanced.predict(X).sum() > 1.05 * plain.predict(X).sum()
    assert f1_score(Y, balanced.predict(X), average="macro") > f1_score(Y, plain.predict(X), average="macro")


def test_class_weights_of_classes_are_weights_of_examples():
    y = Y[:, 0] + Y[:, 1]
    weight = np.array([1.0, 2.0, 0.5])
    weighed = MultilabelSVC(0.1, class_weight=dict(enumerate(weight)), tol=1e-8).fit(X, y)
    given = MultilabelSVC(0.1, tol=1e-8).fit(X, y, sample_weight=weight[y])
    np.testing.assert_allclose(weighed.coef_, given.coef_, atol=1e-4)


def test_one_label_has_the_c_of_two_classes():
    """Weight vectors w and -w of MulticlassSVC with C are one of twice the size with 2 C."""
    y = Y[:, 0]
    options = {"method": "structural", "slack": "linear", "fit_intercept": False, "tol": 1e-7}
    label = MultilabelSVC(**options).fit(X, y[:, None])
    assert pytest.approx(2.0 * FeatureScale(packed(X), None).regularisation) == label.C_
    classes = MulticlassSVC(0.5 * label.C_, **options).fit(X, y)
    np.testing.assert_allclose(label.coef_[0], classes.coef_[1] - classes.coef_[0], atol=1e-3)


def test_few_labels_have_all_pairs():
    assert len(MultilabelSVC().fit(X, Y).pairs_) == 10
    assert len(MultilabelSVC().fit(X, np.c_[Y, Y]).pairs_) == 9  # a tree


@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack"])
@pytest.mark.parametrize("interactions", ["independent", "tree", "full"])
def test_a_warm_start_saves_work(solver, interactions):
    model = MultilabelSVC(0.1, interactions=interactions, solver=solver, tol=1e-3, warm_start=True).fit(X, Y)
    first, primal = model.solution_.oracle_calls, model.solution_.primal
    model.fit(X, Y)
    assert model.solution_.oracle_calls < first
    assert model.solution_.primal == pytest.approx(primal, rel=1e-2)
    cold = MultilabelSVC(0.2, interactions=interactions, solver=solver, tol=1e-3).fit(X, Y)
    warm = model.set_params(C=0.2).fit(X, Y)
    assert warm.solution_.primal == pytest.approx(cold.solution_.primal, rel=1e-2)
    assert warm.solution_.status is Status.CONVERGED


@pytest.mark.parametrize("interactions", ["independent", "tree", "full", [(1, 2)]])
@pytest.mark.parametrize("names", [None, ["a", "b", "ünï", "d", "e"]])
def test_model_files(tmp_path, interactions, names):
    if names is not None and not isinstance(interactions, str):
        interactions = [(names[j], names[k]) for j, k in interactions]
    given = Y if names is None else pd.DataFrame(Y, columns=names)
    model = MultilabelSVC(0.1, interactions=interactions, loss="f1", solver=NSlack()).fit(X, given)
    model.save(tmp_path / "m.zip")
    loaded = maxmargin.load(tmp_path / "m.zip")
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.predict_sets(X) == model.predict_sets(X)
    assert (loaded.C_, loaded.n_features_in_) == (model.C_, 8)
    assert loaded.solution_.gap == model.solution_.gap
    loaded.save(tmp_path / "again.zip")
    np.testing.assert_array_equal(maxmargin.load(tmp_path / "again.zip").interaction_, model.interaction_)


@pytest.mark.slow
def test_a_model_whose_search_gives_up_claims_nothing():
    """Labels without rhyme or reason, all pairs, and a C that lets the pairs grow as they like."""
    rng = np.random.default_rng(0)
    noise = (rng.random((60, 60)) < 0.5).astype(int)
    model = MultilabelSVC(100.0, interactions="full", fit_intercept=False, max_iter=3, tol=0.5)
    with pytest.warns(maxmargin.fitting.training.ConvergenceWarning):
        model.fit(np.ones((60, 1)), noise)
    solution = model.solution_
    assert (solution.primal, solution.dual, solution.gap) == (None, None, None)


def test_searches_that_gave_up_are_counted_in_a_warning(monkeypatch):
    model = MultilabelSVC(0.1, method="structural").fit(X, Y)

    class GaveUp:
        def decode(self, w, threads):
            return np.zeros(Y.size, np.uint8), 2

        def margins(self, w, threads):
            return np.zeros(Y.size), 3

    monkeypatch.setattr(model, "_opened", lambda X: (GaveUp(), None))
    with pytest.warns(UserWarning, match="2 of 120 searches for the best label vector gave up"):
        model.predict(X)
    with pytest.warns(UserWarning, match="3 of 600 searches for the best label vector gave up"):
        model.decision_function(X)


def test_one_label_and_labels_that_never_vary():
    one = MultilabelSVC(0.1).fit(X, Y[:, :1])
    assert one.predict(X).shape == (len(X), 1)
    assert one.pairs_.shape == (0, 2)
    constant = np.c_[Y, np.zeros(len(X), int), np.ones(len(X), int)]
    model = MultilabelSVC(0.1).fit(X, constant)
    np.testing.assert_array_equal(model.predict(X)[:, 5:], constant[:, 5:])


def test_threads_and_single_precision_change_nothing_that_matters():
    model = MultilabelSVC(0.1, method="structural", tol=1e-3).fit(X, Y)
    threaded = MultilabelSVC(0.1, tol=1e-3, n_jobs=2, solver="one-slack").fit(X, Y)
    assert threaded.solution_.primal == pytest.approx(model.solution_.primal, rel=1e-2)
    np.testing.assert_array_equal(threaded.predict(X), threaded.set_params(n_jobs=1).predict(X))
    single = MultilabelSVC(0.1, method="structural", tol=1e-3).fit(X.astype(np.float32), Y)
    assert single.solution_.primal == pytest.approx(model.solution_.primal, rel=1e-3)


def test_too_many_labels_for_a_search_by_loss_are_refused():
    rng = np.random.default_rng(0)
    many = (rng.random((40, 20)) < 0.3).astype(int)
    for options in ({"loss": "f1"}, {"rescaling": "slack"}, {"slack": "squared"}):
        with pytest.raises(Unsupported, match="interactions='tree'"):
            MultilabelSVC(interactions="full", **options).fit(X[:40], many)
    full = MultilabelSVC(0.01, interactions="full").fit(X[:40], many)
    assert full.solution_.status is Status.CONVERGED
    with pytest.raises(Unsupported, match="interactions='tree'"):
        full.predict_kbest(X, 2)
    for options in ({"loss": "zero-one"}, {"rescaling": "none"}):
        rough = MultilabelSVC(0.01, interactions="full", tol=0.1, **options).fit(X[:40], many)
        assert rough.solution_.gap is not None
