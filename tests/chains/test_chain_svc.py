"""ChainSVC: every form of input gives the same model, and the parts of scikit-learn treat it as their own."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from maxmargin import BlockCoordinate, ChainSVC, SequenceVectorizer, Status, StructuralSVM
from maxmargin.chains.chain import Chain
from maxmargin.chains.features import window
from maxmargin.chains.sequences import pack
from maxmargin.metrics import chunk_f1

LENGTHS = [1, 3, 2, 4, 5, 2, 3, 4]


def numbers():
    """Sequences of rows that float32 holds exactly, labels that follow them."""
    rng = np.random.default_rng(0)
    X = [np.round(8 * rng.standard_normal((length, 3))) / 8 * (rng.random((length, 3)) < 0.8) for length in LENGTHS]
    return X, [x[:, :2].argmax(axis=1) + 2 * (x[:, 2] > 0.7) for x in X]


def sentences():
    """Words and BIO tags: capitals are names, of one kind or the other by their first letter."""
    words = ["the", "a", "Anna", "Alan", "Bonn", "Bern", "sees", "in"]
    rng = np.random.default_rng(1)
    X = [[words[k] for k in rng.integers(0, 8, length)] for length in LENGTHS]
    Y = []
    for sentence in X:
        tags, before = [], "O"
        for word in sentence:
            kind = {"A": "PER", "B": "LOC"}.get(word[0], "")
            tags.append("O" if not kind else f"I-{kind}" if before.endswith(kind) else f"B-{kind}")
            before = tags[-1]
        Y.append(tags)
    return X, Y


X, Y = numbers()
WORDS, TAGS = sentences()
MATRIX = np.concatenate(X)
FORMS = {
    "list of arrays": (X, None),
    "tuple of arrays": (tuple(X), None),
    "lists of lists": ([x.tolist() for x in X], None),
    "list of float32": ([x.astype(np.float32) for x in X], None),
    "list of CSR": ([sp.csr_array(x) for x in X], None),
    "list of CSC matrices": ([sp.csc_matrix(x) for x in X], None),
    "array of objects": (np.array([*X, None], dtype=object)[:-1], None),
    "Sequences": (pack(X), None),
    "one matrix": (MATRIX, LENGTHS),
    "one CSR matrix": (sp.csr_array(MATRIX), np.array(LENGTHS)),
}
LABELS = {
    "arrays": Y,
    "lists": [y.tolist() for y in Y],
    "one array": np.concatenate(Y),
    "one list": np.concatenate(Y).tolist(),
}


@pytest.fixture(scope="module")
def model():
    return ChainSVC(C=0.5, tol=1e-3).fit(X, Y)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_numbers_gives_the_same_model(form, model):
    given, lengths = FORMS[form]
    other = ChainSVC(C=0.5, tol=1e-3).fit(given, Y, lengths=lengths)
    np.testing.assert_array_equal(other.coef_, model.coef_)
    np.testing.assert_array_equal(other.classes_, model.classes_)
    for a, b in zip(other.predict(given, lengths=lengths), model.predict(X), strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(other.decision_value(given, Y, lengths=lengths), model.decision_value(X, Y))
    assert other.score(given, Y, lengths=lengths) == model.score(X, Y)


@pytest.mark.parametrize("form", LABELS)
def test_every_form_of_labels_gives_the_same_model(form, model):
    other = ChainSVC(C=0.5, tol=1e-3).fit(X, LABELS[form])
    np.testing.assert_array_equal(other.coef_, model.coef_)
    assert other.score(X, LABELS[form]) == model.score(X, Y)


TEXTS = {
    "lists of attributes": [[[word, f"first={word[0]}"] for word in sentence] for sentence in WORDS],
    "tuples of attributes": [tuple((word, f"first={word[0]}") for word in sentence) for sentence in WORDS],
    "dicts of values": [[{word: 1.0, "first": word[0]} for word in sentence] for sentence in WORDS],
}


@pytest.mark.parametrize("form", TEXTS)
def test_every_form_of_text_gives_the_same_model(form):
    packed = SequenceVectorizer().fit_transform(TEXTS["lists of attributes"])
    judge = ChainSVC(C=0.5).fit(packed, TAGS)
    other = ChainSVC(C=0.5).fit(TEXTS[form], TAGS)
    np.testing.assert_array_equal(other.coef_, judge.coef_)
    assert [list(y) for y in other.predict(TEXTS[form])] == [list(y) for y in judge.predict(packed)]
    again = make_pipeline(SequenceVectorizer(), ChainSVC(C=0.5)).fit(TEXTS[form], TAGS)
    np.testing.assert_array_equal(again[-1].coef_, judge.coef_)
    assert [list(y) for y in again.predict(TEXTS[form])] == [list(y) for y in judge.predict(packed)]


def test_words_with_templates_are_the_attributes_that_the_templates_make():
    templates = window(0, range(-1, 2), name="w")
    vectorizer = SequenceVectorizer(templates=templates)
    judge = ChainSVC(C=0.5).fit(vectorizer.fit_transform(WORDS), TAGS)
    model = ChainSVC(C=0.5, templates=templates).fit(WORDS, TAGS)
    np.testing.assert_array_equal(model.coef_, judge.coef_)
    assert model.score(WORDS, TAGS) == judge.score(vectorizer.transform(WORDS), TAGS) > 0.9
    unseen = model.predict([["Xanten", "sees", "Anna"]])
    assert unseen[0][2] == "B-PER"


def test_templates_of_pairs_of_labels():
    text = "U00:%x[0,0]\nB\nB01:%x[0,0]\n"
    model = ChainSVC(C=1.0, templates=text).fit(WORDS, TAGS)
    assert model.chain_.n_pair_features == len({word for sentence in WORDS for word in sentence})
    assert model.score(WORDS, TAGS) > 0.9
    assert model.solution_.status is Status.CONVERGED


def test_a_token_without_attributes_may_come_first():
    given = [[[], ["a"]], [["b"], ["a"]], [[], ["b"]]]
    model = ChainSVC(C=1.0).fit(given, [[0, 1], [2, 1], [0, 2]])
    assert model.predict(given) == [[0, 1], [2, 1], [0, 2]]
    assert len(model.predict([[[], []]])[0]) == 2


def test_a_window_is_the_features_of_the_neighbours():
    wide = [np.hstack([np.vstack([np.zeros((1, 3)), x[:-1]]), x, np.vstack([x[1:], np.zeros((1, 3))])]) for x in X]
    model = ChainSVC(C=0.5, window=1).fit(X, Y)
    np.testing.assert_array_equal(model.coef_, ChainSVC(C=0.5).fit(wide, Y).coef_)
    assert model.score(X, Y) >= 0.5


def test_a_structural_svm_of_the_chain_is_the_same_machine(model):
    codes = [tuple(np.searchsorted(model.classes_, y).tolist()) for y in Y]
    chain = Chain(model.classes_.size, 3, constant=1.0)
    judge = StructuralSVM(chain, C=0.5, tol=1e-3).fit(X, codes)
    np.testing.assert_allclose(chain.public_weights(judge.solution_.w), model.coef_, atol=1e-12)
    assert judge.predict(X[:3]) == [tuple(np.searchsorted(model.classes_, y).tolist()) for y in model.predict(X[:3])]


def test_parameters_clones_and_pickles():
    model = ChainSVC(C=2.0, order=2, eta=0.5, window=1, class_weight={0: 2.0})
    assert model.get_params()["eta"] == 0.5
    assert clone(model).get_params() == model.get_params()
    assert "window=1" in repr(model)
    for estimator, given, labels in [
        (model.set_params(order=1), X, Y),
        (ChainSVC(templates=window(0, [0], name="w")), WORDS, TAGS),
        (ChainSVC(hashing=64), TEXTS["lists of attributes"], TAGS),
    ]:
        fitted = estimator.fit(given, labels)
        back = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(back.coef_, fitted.coef_)
        assert [list(y) for y in back.predict(given)] == [list(y) for y in fitted.predict(given)]


def test_grid_search_and_cross_validation():
    search = GridSearchCV(ChainSVC(), {"C": [0.01, 1.0], "eta": [0.0, 1.0]}, cv=2).fit(X, Y)
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    packed = GridSearchCV(ChainSVC(), {"C": [0.01, 1.0], "eta": [0.0, 1.0]}, cv=2).fit(pack(X), Y)
    np.testing.assert_array_equal(packed.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"])
    pipeline = make_pipeline(SequenceVectorizer(), ChainSVC())
    tuned = GridSearchCV(pipeline, {"chainsvc__C": [0.1, 1.0]}, cv=2, scoring=make_scorer(chunk_f1))
    tuned.fit(TEXTS["lists of attributes"], TAGS)
    assert tuned.best_score_ > 0.3
    assert cross_val_score(ChainSVC(), X, Y, cv=4).shape == (4,)


def objective(model, given, labels, weight):
    """``1/2 |w|^2 + C sum of s_i * risk_i`` by the list of all labellings."""
    chain, w = model.chain_, model.coef_
    total = 0.5 * float(w @ w)
    for x, y, s in zip(given, labels, weight, strict=True):
        truth = tuple(np.searchsorted(model.classes_, y).tolist())
        scores = {z: float((chain.joint_feature(x, z) @ w)[0]) for z in chain.outputs(x)}
        total += model.C_ * s * max(chain.loss(truth, z) + score - scores[truth] for z, score in scores.items())
    return total


def test_sample_weight_means_repetition():
    some, labels = X[:5], Y[:5]
    weight = [2, 1, 0, 3, 1]
    repeated = [[part[i] for i in np.repeat(np.arange(5), weight)] for part in (some, labels)]
    model = ChainSVC(C=0.3, tol=1e-6).fit(some, labels, sample_weight=weight)
    judge = ChainSVC(C=0.3, tol=1e-6).fit(*repeated)
    assert model.solution_.primal == pytest.approx(judge.solution_.primal, rel=1e-5)
    np.testing.assert_allclose(model.coef_, judge.coef_, atol=1e-2)
    assert model.solution_.primal == pytest.approx(objective(model, some, labels, weight), rel=1e-9)
    assert judge.solution_.primal == pytest.approx(objective(judge, *repeated, np.ones(7)), rel=1e-9)


def test_class_weights_multiply_the_rows_of_the_costs():
    cost = np.array([[0, 1, 2, 1], [1, 0, 1, 3], [2, 1, 0, 1], [1, 1, 1, 0.0]])
    weights = {0: 2.0, 3: 0.5}
    rows = np.array([2.0, 1.0, 1.0, 0.5])[:, None]
    options = {"C": 0.3, "tol": 1e-3}
    for given, expected in [
        ({"class_weight": weights}, rows * (1 - np.eye(4))),
        ({"class_weight": weights, "cost": cost}, rows * cost),
        ({"class_weight": {}}, 1 - np.eye(4)),
    ]:
        model = ChainSVC(**given, **options).fit(X, Y)
        np.testing.assert_array_equal(model.chain_.costs, expected)
        np.testing.assert_array_equal(model.coef_, ChainSVC(cost=expected, **options).fit(X, Y).coef_)
        assert model.solution_.primal == pytest.approx(objective(model, X, Y, np.ones(8)), rel=1e-9)


def test_balanced_weights_count_tokens():
    options = {"C": 0.3, "tol": 1e-3}
    weight = np.arange(1.0, 9.0)
    for given in (None, weight):
        counts = np.bincount(np.concatenate(Y), np.repeat(np.ones(8) if given is None else given, [len(y) for y in Y]))
        expected = {label: counts.sum() / (4 * count) for label, count in enumerate(counts)}
        model = ChainSVC(class_weight="balanced", **options).fit(X, Y, sample_weight=given)
        other = ChainSVC(class_weight=expected, **options).fit(X, Y, sample_weight=given)
        np.testing.assert_allclose(model.chain_.costs, other.chain_.costs, rtol=1e-12)
        np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-9)


def test_balanced_weights_of_labels_that_are_known_in_part():
    partly = [[None, *y[1:].tolist()] for y in Y]
    counts = np.bincount(np.concatenate([y[1:] for y in Y]), minlength=4)
    model = ChainSVC(0.3, class_weight="balanced").fit(X, partly)
    expected = counts.sum() / (model.classes_.size * counts[model.classes_])
    np.testing.assert_allclose(model.chain_.costs.max(axis=1), expected)


def test_the_zero_one_loss_counts_whole_sequences():
    options = {"C": 0.3, "tol": 1e-4}
    model = ChainSVC(loss="zero-one", **options).fit(X, Y)
    np.testing.assert_array_equal(model.coef_, ChainSVC(rescaling="none", **options).fit(X, Y).coef_)
    chain, w = model.chain_, model.coef_
    risk = 0.0
    for x, y in zip(X, Y):
        truth = tuple(y.tolist())
        scores = {z: float((chain.joint_feature(x, z) @ w)[0]) for z in chain.outputs(x)}
        best = max(score for z, score in scores.items() if z != truth)
        risk += max(0.0, 1.0 + best - scores[truth])
    assert model.solution_.primal == pytest.approx(0.5 * float(w @ w) + 0.3 * risk, rel=1e-9)


@pytest.mark.parametrize("solver", ["auto", "bcfw", "n-slack", "one-slack", BlockCoordinate(capacity=2)])
def test_warm_start(solver):
    model = ChainSVC(C=0.5, solver=solver, warm_start=True, tol=1e-3).fit(X, Y)
    cold = model.solution_
    warm = model.fit(X, Y).solution_
    assert warm.status is cold.status is Status.CONVERGED
    if not isinstance(solver, BlockCoordinate):  # merged planes have no labels to start from
        assert warm.oracle_calls < cold.oracle_calls
    assert warm.primal == pytest.approx(cold.primal, abs=0.5 * 8 * 1e-3)
    for change in ({"C": 2.0}, {"fit_intercept": False}, {"eta": 0.5}, {"cost": 2 * (1 - np.eye(4))}, {"window": 1}):
        judge = clone(model.set_params(**change)).set_params(warm_start=False).fit(X, Y).solution_
        solution = model.fit(X, Y).solution_
        assert solution.status is Status.CONVERGED
        assert solution.primal == pytest.approx(judge.primal, abs=model.C_ * 8 * 1e-3)


def test_threads_give_the_same_model(model):
    for solver in ("auto", "one-slack"):
        one = ChainSVC(C=0.5, solver=solver).fit(X, Y)
        two = ChainSVC(C=0.5, solver=solver, n_jobs=2).fit(X, Y)
        np.testing.assert_allclose(two.coef_, one.coef_, atol=1e-9)
        assert [y.tolist() for y in two.predict(X)] == [y.tolist() for y in one.predict(X)]
