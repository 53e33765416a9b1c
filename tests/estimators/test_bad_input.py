"""Bad data and bad settings: one clear sentence that names the place and the remedy, before any training."""

from __future__ import annotations

import re
import warnings
from inspect import signature

import numpy as np
import pytest
import scipy.sparse as sp

from estimator_cases import CASES
from maxmargin import BlockCoordinate, ChainCRF, ChainPerceptron, ChainSVC, MulticlassSVC, NSlack, StructuralSVM
from maxmargin.fitting.parameters import ANYTHING, check_parameters

RNG = np.random.default_rng(0)
X = RNG.standard_normal((30, 4))
Y = np.arange(30) % 3
NAN, INF = float("nan"), float("inf")


class Signs:
    """A good problem with two outputs, for settings that are bad."""

    def joint_feature(self, x, y):
        return y * x

    def loss(self, y_true, y):
        return float(y_true != y)

    def argmax(self, x, w, y_true=None):
        return max((-1, 1), key=lambda y: y * (x @ w) + (0.0 if y_true is None else self.loss(y_true, y)))


def untouched(record):
    raise AssertionError("training began")


def complaint(call, *words, error=ValueError, sentences=2):
    """The message of the error that ``call()`` must raise: short, whole, and with the words in it."""
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert all(re.search(word, text) for word in words), text
    if sentences:
        assert "\n" not in text
        assert len(text) < 300, text
        assert text.endswith("."), text
        assert len(re.findall(r"[.!?](?= [A-Z]|$)", text)) <= sentences, text
    return text


def fit(given=X, labels=Y, sample_weight=None, **params):
    model = MulticlassSVC(**params, callback=untouched)
    try:
        return model.fit(given, labels, sample_weight=sample_weight)
    finally:
        assert not hasattr(model, "coef_")


def fit_signs(sample_weight=None, **params):
    labels = np.where(X[:, 0] > 0, 1, -1).tolist()
    return StructuralSVM(Signs(), **params, callback=untouched).fit(list(X), labels, sample_weight=sample_weight)


SETTINGS = [
    *[
        ("C", value, ["C must be a positive", re.escape(repr(value))])
        for value in (-1, 0, 0.0, NAN, INF, True, None, "big", 1j)
    ],
    *[("tol", value, ["tol must be a positive"]) for value in (0, -1e-3, NAN, "tight", None, True)],
    *[("max_iter", value, ["max_iter must be"]) for value in (0, -5, NAN, 2.5, "ten", True)],
    *[("max_time", value, ["max_time must be a positive"]) for value in (0, -1.0, NAN, "long")],
    *[("n_jobs", value, ["n_jobs must be", "None, -1 or a positive integer"]) for value in (0, -2, 1.5, "2", True)],
    *[
        ("rescaling", value, ["rescaling must be one of", "'margin'", "'slack'", "'none'"])
        for value in ("slak", None, 1, ["margin"])
    ],
    *[
        ("slack", value, ["slack must be one of", "'linear'", "'squared'", "'hard'"])
        for value in ("quadratic", None, ["hard"])
    ],
    ("solver", "smo", ["solver must be one of", "'one-slack'", "'n-slack'", "'bcfw'", "'auto'", "'smo'"]),
]


def refused(kind, sample_weight=None, **params):
    """A fit of an estimator that must not begin to train, and leaves nothing behind."""
    case = CASES[kind]
    watched = {"callback": untouched} if "callback" in signature(case.make).parameters else {}
    model = case.make(**params, **watched)
    before = set(vars(model))
    try:
        return case.refit(model, case.matrix(), sample_weight)
    finally:
        assert set(vars(model)) == before


REFUSED = [
    pytest.param(kind, name, value, words, id=f"{name}={value!r}-{kind}")
    for kind, case in CASES.items()
    for name, value, words in SETTINGS
    if name in case.make().get_params()
]


@pytest.mark.parametrize(("kind", "name", "value", "words"), REFUSED)
def test_settings(kind, name, value, words):
    if kind in ("ChainCRF", "ProgramCRF", "AlignmentCRF", "GrammarCRF") and name == "solver":
        dual = ["'dual'"] if kind == "ChainCRF" else []
        words = ["solver must be", "'auto'", *dual, "'lbfgs'", "'smo'"]
    complaint(lambda: refused(kind, **{name: value}), *words, sentences=1)


@pytest.mark.parametrize("kind", CASES)
def test_every_parameter_says_what_it_may_be(kind):
    model = CASES[kind].make()
    assert set(model.get_params(deep=False)) <= set(model._parameters)
    check_parameters(model)


WRONG = object()
CHECKED = [
    (kind, name)
    for kind, case in CASES.items()
    for name, allowed in case.make()._parameters.items()
    if allowed != ANYTHING and name in case.make().get_params(deep=False)
]


@pytest.mark.parametrize(("kind", "name"), CHECKED)
def test_parameters_are_checked_before_data_are_read(kind, name):
    model = CASES[kind].make().set_params(**{name: WRONG})
    with pytest.raises(ValueError, match=f"^{name} must be .*, not <object object at .*>\\.$"):
        model.fit(None, None)
    assert vars(model).keys() == vars(CASES[kind].make()).keys()


@pytest.mark.parametrize("run", [fit, fit_signs], ids=["MulticlassSVC", "StructuralSVM"])
@pytest.mark.parametrize("solver", [3, None, NSlack, ["bcfw"]], ids=repr)
def test_solvers_that_are_none(run, solver):
    complaint(lambda: run(solver=solver), "solver must be one of", "or a solver object", error=TypeError, sentences=1)


@pytest.mark.parametrize("run", [fit, fit_signs], ids=["MulticlassSVC", "StructuralSVM"])
def test_random_state(run):
    complaint(lambda: run(random_state="seed"), "seed", sentences=0)


def test_numpy_numbers_are_numbers():
    numbers = {"C": np.float32(0.1), "tol": np.float64(0.1), "max_iter": np.int64(50), "n_jobs": np.int32(1)}
    model = MulticlassSVC(**numbers, max_time=np.float64(60.0)).fit(X, Y)
    assert pytest.approx(0.1) == model.C_


SOLVER_SETTINGS = [
    (lambda: NSlack(update="some"), ["update must be", "'all'", "'block'"]),
    (lambda: NSlack(batch=0), ["batch must be at least 1"]),
    (lambda: fit(solver=BlockCoordinate(sampling="all")), ["sampling must be one of", "'focus'"]),
    (lambda: fit(solver=BlockCoordinate(step="long")), ["step must be", "'exact'", "'line-search'"]),
    (lambda: fit(solver=BlockCoordinate(capacity=0)), ["capacity must be"]),
    (lambda: fit(solver=BlockCoordinate(cached_passes="many")), ["cached_passes must be"]),
]


@pytest.mark.parametrize(("call", "words"), SOLVER_SETTINGS)
def test_settings_of_solvers(call, words):
    complaint(call, *words, sentences=1)


@pytest.mark.parametrize("scaling", [0, -1.0, NAN, INF, "one", True])
def test_intercept_scaling(scaling):
    complaint(lambda: fit(intercept_scaling=scaling), "intercept_scaling must be a positive number", sentences=1)


COSTS = [
    (np.ones((2, 2)) - np.eye(2), [r"cost has shape \(2, 2\)", "3 classes", r"\(3, 3\)"]),
    (np.ones(3), [r"cost has shape \(3,\)", r"\(3, 3\)"]),
    (np.array([[0, 1, 1], [1, 0, -2], [1, 1, 0]]), [r"cost\[1, 2\] is -2", "at least 0"]),
    (np.array([[0, 1, 1], [1, 0, NAN], [1, 1, 0]]), [r"cost\[1, 2\] is nan", "finite"]),
    (np.array([[0, 1, INF], [1, 0, 1], [1, 1, 0]]), [r"cost\[0, 2\] is inf", "finite"]),
    (np.ones((3, 3)), [r"cost\[0, 0\] is 1", "right answer must cost 0"]),
    ("zero-one", ["cost"]),
    ([[0, 1], [1, 0, 1], [1]], ["cost"]),
]


@pytest.mark.parametrize(("cost", "words"), COSTS, ids=range(len(COSTS)))
def test_cost_matrices(cost, words):
    complaint(lambda: fit(cost=cost, C=1.0), *words, sentences=1)


CLASS_WEIGHTS = [
    ({0: -1.0}, ["class_weight", "at least 0"]),
    ({0: NAN}, ["class_weight", "finite"]),
    ({0: INF}, ["class_weight", "finite"]),
    ({0: 0.0, 1: 0, 2: 0}, ["weight", "zero"]),
    ({0: "heavy"}, ["class_weight"]),
]


@pytest.mark.parametrize(("weight", "words"), CLASS_WEIGHTS, ids=[repr(weight) for weight, _ in CLASS_WEIGHTS])
def test_class_weights(weight, words):
    complaint(lambda: fit(class_weight=weight), *words)


@pytest.mark.parametrize("weight", [{0: 1.0, 7: 1.0}, "even", [1.0, 2.0, 3.0]], ids=repr)
def test_class_weights_of_the_wrong_kind(weight):
    complaint(lambda: fit(class_weight=weight), "class_weight", sentences=0)  # in scikit-learn's words


def test_weights_that_cancel():
    """Every example has weight 0 only after the product of the two."""
    kept = (Y > 0).astype(float)
    complaint(lambda: fit(class_weight={1: 0.0, 2: 0.0}, sample_weight=kept), "weight", "zero")


def with_weight(at, value):
    weight = np.ones(30)
    weight[at] = value
    return weight


SAMPLE_WEIGHTS = [
    (with_weight(4, -0.5), ["example 4", "-0.5", "at least 0"]),
    (with_weight(7, NAN), ["example 7", "nan", "finite"]),
    (with_weight(29, INF), ["example 29", "inf", "finite"]),
    (np.ones(29), [r"sample_weight has shape \(29,\)", "30 examples"]),
    (np.ones((30, 2)), [r"sample_weight has shape \(30, 2\)", "30 examples"]),
    (np.zeros(30), ["weight", "zero", "positive"]),
    (["a"] * 30, ["sample_weight"]),
    (2.0, ["sample_weight"]),
]


@pytest.mark.parametrize("run", [fit, fit_signs], ids=["MulticlassSVC", "StructuralSVM"])
@pytest.mark.parametrize(("weight", "words"), SAMPLE_WEIGHTS, ids=range(len(SAMPLE_WEIGHTS)))
def test_sample_weights(run, weight, words):
    complaint(lambda: run(sample_weight=weight), *words, sentences=1)


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("weight", [-0.5, NAN, INF, 0.0, "heavy"], ids=repr)
def test_sample_weights_of_every_estimator(kind, weight):
    complaint(lambda: refused(kind, sample_weight=[weight] * CASES[kind].n), "weight", sentences=1)


@pytest.mark.parametrize("kind", CASES)
def test_sample_weights_of_another_length(kind):
    complaint(lambda: refused(kind, sample_weight=np.ones(CASES[kind].n + 1)), "sample_weight", sentences=1)


def spoiled(row, column, value, dtype=np.float64):
    given = X.astype(dtype)
    given[row, column] = value
    return given


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize(("value", "remedy"), [(NAN, "[Ii]mpute"), (INF, "[Rr]escale"), (-INF, "[Rr]escale")])
def test_values_that_are_not_finite(form, value, remedy, dtype):
    given = form(spoiled(17, 2, value, dtype))
    complaint(lambda: fit(given), "NaN|infinity", "row 17", "column 2", remedy)
    model = MulticlassSVC(C=0.1).fit(X, Y)
    complaint(lambda: model.predict(given), "NaN|infinity", sentences=0)  # in scikit-learn's words


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_values_too_large_to_square(form):
    complaint(lambda: fit(form(spoiled(5, 3, 1e200))), "too large", "row 5", "column 3", r"1e\+200", "rescale")


@pytest.mark.parametrize("density", [0.1, 0.4])
def test_spoiled_rows_among_many_zeros(density):
    given = np.where(RNG.random((30, 40)) < density, 1.0, 0.0)
    given[11, 39] = NAN
    complaint(lambda: fit(given), "row 11", "column 39")


def test_data_in_the_words_of_scikit_learn():
    """These come from scikit-learn's validation, which every user has met."""
    cases = [
        (lambda: fit(X[:, 0]), ["Expected 2D array, got 1D array", "Reshape"]),
        (lambda: fit(np.zeros((0, 4)), []), ["0 sample"]),
        (lambda: fit(np.zeros((30, 0))), [r"0 feature\(s\)"]),
        (lambda: fit(X, Y[:29]), ["inconsistent numbers of samples", "30", "29"]),
        (lambda: fit(X, None), ["requires y to be passed"]),
        (lambda: fit(X, np.where(Y > 0, NAN, 0.0)), ["NaN"]),
        (lambda: fit(X, X), ["y should be a 1d array|multioutput|Unknown label type"]),
        (lambda: fit(X, X[:, 0]), ["Unknown label type: continuous"]),
        (lambda: fit(X + 1j), ["Complex data not supported"]),
        (lambda: fit([["a", "b"]] * 30), ["could not convert string to float"]),
        (lambda: fit(X.reshape(30, 2, 2)), ["dim 3|expected <= 2"]),
    ]
    for call, words in cases:
        complaint(call, *words, sentences=0)


@pytest.mark.parametrize("label", [0, "only", 2.0, True])
def test_one_class(label):
    complaint(
        lambda: fit(X, np.full(30, label)), "one class only", "only" if label == "only" else str(label), "at least two"
    )


def test_unseen_label_at_score_counts_as_wrong():
    model = MulticlassSVC(C=0.1).fit(X, Y)
    right = model.predict(X)
    labels = right.copy()
    labels[:3] = 99
    assert model.score(X, labels) == pytest.approx(0.9)
    names = MulticlassSVC(C=0.1).fit(X, np.array(["a", "b", "c"])[Y])
    labels = names.predict(X).astype(object)
    labels[:6] = "unseen"
    assert names.score(X, labels) == pytest.approx(0.8)


def test_a_complaint_leaves_the_fitted_model():
    """A refused second fit does not spoil the first."""
    model = MulticlassSVC(C=0.1).fit(X, Y)
    expected = model.decision_function(X)
    calls = [
        lambda: model.set_params(C=-1.0).fit(X, Y),
        lambda: model.set_params(C=0.1).fit(spoiled(3, 3, NAN), Y),
        lambda: model.fit(X, Y, sample_weight=np.zeros(30)),
    ]
    for call in calls:
        with pytest.raises(ValueError):
            call()
        np.testing.assert_array_equal(model.decision_function(X), expected)


@pytest.mark.parametrize("model", [ChainSVC, ChainCRF, ChainPerceptron])
def test_more_weights_than_memory_is_said_before_work(model, monkeypatch):
    monkeypatch.setattr("os.sysconf", lambda name: 1000)  # a machine of 1000 pages of 1000 bytes
    tokens, labels = [[{"word": "a"}, {"word": "b"}]] * 3, [["x", "y"]] * 3
    with pytest.raises(MemoryError, match=r"65,536 weights, which take 0 GB in training, and this machine has 0"):
        model(hashing=2**16).fit(tokens, labels)
    model(hashing=2**8).fit(tokens, labels)


def test_no_warning_on_the_way():
    """The complaint is the only thing that the user sees."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        complaint(lambda: fit(spoiled(0, 0, INF)), "row 0")
        complaint(lambda: fit(cost=np.full((3, 3), NAN)), "cost")
    assert not caught
