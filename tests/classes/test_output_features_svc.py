"""MulticlassSVC(output_features=...): the identity, learning across classes, and classes without examples."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

import maxmargin
from maxmargin import DescribedClasses, MulticlassSVC
from maxmargin.classes.output_features import OutputFeatures
from reference import enumerate_planes, solve

RNG = np.random.default_rng(0)
ATTRIBUTES = {
    "cat": [1.0, 0.0, 0.0, 1.0],
    "dog": [1.0, 1.0, 0.0, 0.0],
    "eagle": [0.0, 1.0, 1.0, 0.0],
    "gull": [0.0, 0.0, 1.0, 0.0],
    "bat": [1.0, 0.0, 1.0, 1.0],
}


def animals(n, labels, seed=0):
    """x is a noisy linear function of the attributes of its class."""
    rng = np.random.default_rng(seed)
    mixing = np.random.default_rng(5).standard_normal((4, 12))
    y = rng.choice(labels, n)
    X = np.array([ATTRIBUTES[label] for label in y]) @ mixing + 0.4 * rng.standard_normal((n, 12))
    return X, y


@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack"])
@pytest.mark.parametrize(("rescaling", "slack"), [("margin", "linear"), ("slack", "squared"), ("none", "linear")])
@pytest.mark.parametrize("features", ["dense", "sparse"])
def test_the_identity_gives_the_flat_optimum(solver, rescaling, slack, features):
    X, y = animals(60, sorted(ATTRIBUTES))
    cost = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    identity = np.eye(5) if features == "dense" else sp.eye_array(5, format="csr")
    options = {"cost": cost, "rescaling": rescaling, "slack": slack, "solver": solver, "tol": 1e-6, "decision": "score"}
    flat = MulticlassSVC(0.2, **options).fit(X, y)
    same = MulticlassSVC(0.2, output_features=identity, **options).fit(X, y)
    assert same.solution_.primal == pytest.approx(flat.solution_.primal, rel=1e-5)
    np.testing.assert_allclose(same.coef_, flat.coef_, atol=0.02 * np.abs(flat.coef_).max())
    assert MulticlassSVC(output_features=identity).fit(X, y).C_ == MulticlassSVC(slack="linear").fit(X, y).C_


@pytest.mark.parametrize("matrix", [RNG.standard_normal((5, 3)), sp.csr_array(np.diag(np.arange(5.0))[:, 1:])])
def test_the_optimum_is_that_of_a_general_solver(matrix):
    X, y = animals(20, sorted(ATTRIBUTES))
    model = MulticlassSVC(0.2, output_features=matrix, fit_intercept=False, tol=1e-6).fit(X, y)
    structure = OutputFeatures(matrix)
    planes = enumerate_planes(structure, list(X), np.searchsorted(model.classes_, y).tolist(), "margin", "linear")
    best = solve(planes, 0.2)
    assert best.low * (1 - 1e-9) <= model.solution_.primal <= best.value + 0.2 * 20 * 1e-6
    assert planes.primal(model.output_coef_.ravel(), 0.2) == pytest.approx(model.solution_.primal)
    np.testing.assert_allclose(model.coef_, np.asarray(matrix @ model.output_coef_), atol=1e-12)


def test_classes_without_examples_are_known_by_their_attributes():
    rng = np.random.default_rng(0)
    traits = {f"c{k:02}": row for k, row in enumerate(np.sign(rng.standard_normal((16, 6))))}
    mixing = rng.standard_normal((6, 12))
    y = rng.choice(sorted(traits), 600)
    X = np.array([traits[label] for label in y]) @ mixing + 2.0 * rng.standard_normal((600, 12))
    unseen = ["c12", "c13", "c14", "c15"]
    known = ~np.isin(y, unseen)
    model = MulticlassSVC(output_features=traits).fit(X[known], y[known])
    assert model.classes_.size == 12
    assert not np.isin(model.predict(X), unseen).any()
    new, truth = X[~known], y[~known]
    assert np.mean(model.predict(new, classes=unseen) == truth) > 0.8
    assert np.mean(model.predict(new, classes="all") == truth) > 0.3  # among sixteen
    scores = model.decision_function(new, classes=unseen)
    assert scores.shape == (len(new), 4)
    best = np.array(unseen)[scores.argmax(axis=1)]
    assert [few[0].output for few in model.predict_kbest(new, 2, classes=unseen)] == best.tolist()
    others = DescribedClasses(unseen, [traits[label] for label in unseen])
    np.testing.assert_array_equal(model.predict(new, classes=others), best)
    everything = model.decision_function(X, classes=model.classes_)
    np.testing.assert_allclose(everything, model.decision_function(X), atol=1e-9)


GROUPS = {
    "hockey": "ice hockey stick puck goal team game",
    "tennis": "tennis racket ball net game set",
    "cooking": "kitchen pan oven recipe salt dish",
    "baking": "oven bread flour recipe dough cake",
}
TEXTS = [
    ("the puck slid over the ice to the goal", "hockey"),
    ("a team of six with sticks on ice", "hockey"),
    ("her racket hit the ball over the net", "tennis"),
    ("game set and match with a racket", "tennis"),
    ("salt in the pan and a dish on the table", "cooking"),
    ("a kitchen needs a pan and salt", "cooking"),
]


def test_a_class_without_examples_is_known_by_its_description():
    words = CountVectorizer(binary=True)
    X = words.fit_transform([text for text, _ in TEXTS] + list(GROUPS.values()))[: len(TEXTS)].astype(float)
    y = [label for _, label in TEXTS]
    described = DescribedClasses.from_texts(GROUPS, CountVectorizer(binary=True))
    model = MulticlassSVC(10.0, output_features=described.with_identity(0.5)).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.predict(X, classes="all").tolist() == y
    new = described.with_identity(0.5).more({"curling": "ice stone team game", "frying": "pan salt oil"})
    answers = model.predict(words.transform(["the team on the ice", "salt in the pan"]).astype(float), classes=new)
    assert answers.tolist() == ["curling", "frying"]
    plain = MulticlassSVC(10.0, output_features=GROUPS).fit(X, y)  # tf-idf of the texts
    assert plain.described_.matrix.shape == (4, 22)


def test_similar_classes_learn_from_each_other():
    """With two examples per class and many classes that share traits, similarities help."""
    rng = np.random.default_rng(0)
    traits = np.sign(rng.standard_normal((30, 6)))
    mixing = rng.standard_normal((6, 20))
    y = np.concatenate([np.repeat(np.arange(30), 2), rng.integers(0, 30, 400)])
    X = traits[y] @ mixing + 2.0 * rng.standard_normal((y.size, 20))
    similarity = traits @ traits.T / 6.0 + 0.05 * np.eye(30)
    described = DescribedClasses.from_similarity(similarity, np.arange(30))
    np.testing.assert_allclose(described.matrix @ described.matrix.T, similarity, atol=1e-12)
    shared = MulticlassSVC(output_features=described).fit(X[:60], y[:60]).score(X[60:], y[60:])
    alone = MulticlassSVC().fit(X[:60], y[:60]).score(X[60:], y[60:])
    assert shared > alone + 0.05


@pytest.mark.parametrize("form", ["matrix", "sparse", "mapping", "described", "texts"])
def test_files_pickles_and_clones(tmp_path, form):
    X, y = animals(60, ["cat", "dog", "eagle", "gull"])
    rows = np.array([ATTRIBUTES[label] for label in ["cat", "dog", "eagle", "gull"]])
    given = {
        "matrix": rows,
        "sparse": sp.csr_matrix(rows),
        "mapping": {label: {f"a{k}": v for k, v in enumerate(row)} for label, row in ATTRIBUTES.items()},
        "described": DescribedClasses(ATTRIBUTES, list(ATTRIBUTES.values())),
        "texts": {
            "cat": "fur four legs",
            "dog": "fur loud",
            "eagle": "loud wings",
            "gull": "wings white",
            "bat": "fur wings",
        },
    }[form]
    model = MulticlassSVC(output_features=given).fit(X, y)
    model.save(tmp_path / "m.zip")
    loaded = maxmargin.load(tmp_path / "m.zip")
    asked = "all" if form in ("mapping", "described", "texts") else ["gull", "cat"]
    for twin in (loaded, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(twin.decision_function(X), model.decision_function(X))
        np.testing.assert_array_equal(twin.predict(X, classes=asked), model.predict(X, classes=asked))
        np.testing.assert_array_equal(twin.output_coef_, model.output_coef_)
    assert loaded.fit(X, y).solution_.primal == pytest.approx(model.solution_.primal)
    assert not hasattr(clone(model), "output_coef_")
    flat = model.set_params(output_features=None).fit(X, y)
    assert not hasattr(flat, "output_coef_")
    assert not hasattr(flat, "described_")


def test_a_loaded_model_says_that_files_keep_no_vectoriser(tmp_path):
    X, y = animals(30, LABELS)
    described = DescribedClasses.from_texts(dict.fromkeys(LABELS, "fur") | {"gull": "wings"})
    MulticlassSVC(output_features=described).fit(X, y).save(tmp_path / "m.zip")
    with pytest.raises(ValueError, match="a model file keeps none"):
        maxmargin.load(tmp_path / "m.zip").output_features.more({"bat": "fur wings"})


def test_data_frames_are_read_by_their_index():
    X, y = animals(60, LABELS)
    frame = pd.DataFrame.from_dict(ATTRIBUTES, orient="index", columns=["a", "b", "c", "d"])
    turned = frame.iloc[::-1]
    expected = MulticlassSVC(output_features=ATTRIBUTES, tol=1e-6).fit(X, y)
    for given in (frame, turned, DescribedClasses.from_attributes(turned)):
        model = MulticlassSVC(output_features=given, tol=1e-6).fit(X, y)
        np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-2)
    kinds = DescribedClasses.from_attributes(
        pd.DataFrame({"kind": ["tree", "pet"], "legs": [0, 4]}, index=["elm", "cat"])
    )
    assert kinds.rows(["cat"]).toarray().tolist() == [[1.0, 0.0, 4.0]]
    assert kinds.more({"ash": {"kind": "tree"}}).matrix.toarray().tolist() == [[0.0, 1.0, 0.0]]


Q = [[2.0, 1.0, 0.0, 0.0], [1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 3.0], [0.0, 0.0, 3.0, 1.0]]
LABELS = ["cat", "dog", "eagle", "gull"]
BAD = [
    (
        lambda: DescribedClasses.from_similarity(Q, LABELS),
        "eigenvalue -2 is negative, and '(eagle|gull)' has the largest",
    ),
    (
        lambda: DescribedClasses.from_similarity([[1, 2], [0, 1]], ["a", "b"]),
        "similarity of 'a' to 'b' is 2, and the other way round 0",
    ),
    (lambda: DescribedClasses.from_similarity(np.eye(3), ["a", "b"]), "2 classes must be a square matrix"),
    (lambda: DescribedClasses(["a", "a"], np.eye(2)), "The class 'a' is described twice"),
    (lambda: DescribedClasses(["a"], np.eye(2)), r"There are 1 classes, and their features have shape \(2, 2\)"),
    (lambda: DescribedClasses(["a"], [["x"]]), "must be numbers"),
    (lambda: DescribedClasses.from_texts({"a": 3}), "The description of 'a' is 3"),
    (lambda: DescribedClasses.from_attributes({"a": {"x": 1}, "b": [1]}), "attributes of 'b' are not a mapping"),
    (lambda: DescribedClasses.from_attributes({"a": [1, 2], "b": [1]}), "'a' has 2 attributes and 'b' has 1"),
    (lambda: DescribedClasses(["a"], [[1.0]]).with_identity(0.0), "must be a positive number, not 0.0"),
    (lambda: DescribedClasses(["a"], [[1.0]]).more({"b": "x"}), "have no vectoriser, so others cannot"),
    (lambda: DescribedClasses.from_texts({"a": "red fox"}).more({}), "No class is described"),
    (lambda: DescribedClasses.from_similarity(np.full((2, 2), np.nan), ["a", "b"]), "similarity of 'a' to 'a' is nan"),
    (lambda: DescribedClasses.from_similarity(np.zeros((0, 0)), []), "There are no classes"),
    (lambda: DescribedClasses.from_texts(["a b"]), "{label: description}, not by a value of type list"),
    (lambda: DescribedClasses.from_texts({}), "No class is described"),
    (lambda: DescribedClasses.from_texts({"x": "a", "y": "b"}), "cannot be vectorised: empty vocabulary.*two letters"),
    (lambda: DescribedClasses.from_attributes([[1.0]]), "not by a value of type list"),
    (lambda: DescribedClasses.from_attributes({}), "No class is described"),
    (lambda: DescribedClasses.from_attributes({"a": 1.0}), "The attributes of 'a' are 1.0; give a mapping"),
    (lambda: DescribedClasses.from_attributes({"a": {"x": None}}), "The attribute 'x' of 'a' is None"),
    (lambda: DescribedClasses.from_attributes(pd.DataFrame([[1], [2]], index=["a", "a"])), "'a' is described twice"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_descriptions(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.eye(3), r"output_features has shape \(3, 3\); y has 4 classes"),
        (np.ones(4), r"output_features has shape \(4,\)"),
        (np.full((4, 2), np.nan), "class number 0 contain NaN"),
        ({"cat": [1.0], "dog": [2.0]}, "The class 'eagle' has no output features"),
        ({"life": {"animal": {"cat": None}}}, "attribute 'animal' of 'life' is .* A taxonomy is for TaxonomySVC"),
        ({"cat": "fur", "dog": None}, "The description of 'dog' is None; a description is a string"),
        (DescribedClasses(["cat"], [[1.0]]), "The class 'dog' has no output features"),
    ],
)
def test_bad_output_features(given, message):
    X, y = animals(30, LABELS)
    with pytest.raises(ValueError, match=message):
        MulticlassSVC(output_features=given).fit(X, y)


def test_bad_classes_at_prediction():
    X, y = animals(30, LABELS)
    with pytest.raises(ValueError, match="has no output features, so it knows the classes of its training data only"):
        MulticlassSVC().fit(X, y).predict(X, classes="all")
    model = MulticlassSVC(output_features=ATTRIBUTES).fit(X, y)
    with pytest.raises(ValueError, match="The class 'cow' has no output features"):
        model.predict(X, classes=["cow"])
    for nothing in ([], np.array([])):
        with pytest.raises(ValueError, match="classes holds no class"):
            model.predict(X, classes=nothing)
    with pytest.raises(ValueError, match="classes must be 'all', a list of labels, or DescribedClasses, not 3"):
        model.predict(X, classes=3)
    with pytest.raises(ValueError, match="classes must be 'all'"):
        model.predict(X, classes="every")
    with pytest.raises(ValueError, match="have 1 features, those of the model 4"):
        model.predict(X, classes=DescribedClasses(["cow"], [[1.0]]))
    assert {len(few) for few in model.predict_kbest(X, 3, classes=["cat", "bat"])} == {2}
