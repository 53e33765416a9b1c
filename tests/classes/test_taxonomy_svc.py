"""TaxonomySVC: what it minimises, the forms of taxonomies, prediction of inner nodes, confidence, and model files."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV

import maxmargin
from maxmargin import MulticlassSVC, Taxonomy, TaxonomySVC, Unsupported
from maxmargin.classes.placed_classes import PlacedClasses, node_weights
from maxmargin.classes.taxonomies import taxonomy_losses
from maxmargin.datasets import make_taxonomy
from maxmargin.fitting.calibration import NotCalibratedWarning
from maxmargin.metrics import tree_loss
from reference import enumerate_planes, solve

NAMES = ["a.x", "a.y", "b.u.p", "b.u.q", "b.v"]


@pytest.fixture(scope="module")
def texts():
    X, y = make_taxonomy(240, branching=(2, 3, 2), n_features=60, n_words=25, topic_words=4, seed=1)
    return X, y


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(0)
    return rng.standard_normal((14, 3)), np.array(NAMES)[np.arange(14) % 5]


@pytest.mark.parametrize("loss", ["height", "path", "zero-one", "matrix"])
@pytest.mark.parametrize(("rescaling", "slack"), [("margin", "linear"), ("slack", "linear"), ("slack", "squared")])
@pytest.mark.parametrize("node_weight", [None, 0.5, {"b.u": 2.0, "a": 0.0}])
def test_the_optimum_is_that_of_a_general_solver(small, loss, rescaling, slack, node_weight):
    X, y = small
    given = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0))) if loss == "matrix" else loss
    options = {"rescaling": rescaling, "slack": slack, "node_weight": node_weight, "tol": 1e-6}
    model = TaxonomySVC(0.3, taxonomy=".", loss=given, fit_intercept=False, **options).fit(X, y)
    taxonomy = Taxonomy.from_names(NAMES)
    structure = PlacedClasses(taxonomy, NAMES).structure(given, node_weight)
    planes = enumerate_planes(structure, list(X), [NAMES.index(label) for label in y], rescaling, slack)
    best = solve(planes, 0.3)
    assert best.low * (1 - 1e-9) <= model.solution_.primal <= best.value + 0.3 * 14 * 1e-6
    assert planes.primal(np.asarray(model.coef_).ravel(), 0.3) == pytest.approx(model.solution_.primal)


def test_one_level_is_the_flat_machine(texts):
    X, y = texts
    flat = MulticlassSVC(0.5, slack="linear", tol=1e-6).fit(X, y)
    level = TaxonomySVC(0.5, taxonomy=None, tol=1e-6).fit(
        X, y
    )  # the loss of one level is zero-one, and its root learns nothing
    assert level.solution_.primal == pytest.approx(flat.solution_.primal, rel=1e-4)
    np.testing.assert_allclose(level.decision_function(X), flat.decision_function(X), atol=0.05)
    assert not level.coef_[0].any()


def test_classes_below_unlike_nodes_share_what_they_learn(texts):
    """With two examples of each class the tree costs less in the tree than no tree, all else being equal."""
    X, y = texts
    rng = np.random.default_rng(0)
    kept = np.concatenate([rng.permutation(np.flatnonzero(y == label))[:2] for label in np.unique(y)])
    rest = np.setdiff1d(np.arange(len(y)), kept)
    tree = TaxonomySVC(taxonomy=".").fit(X[kept], y[kept])
    flat = MulticlassSVC(slack="linear").fit(X[kept], y[kept])
    losses = [tree_loss(y[rest], model.predict(X[rest]), ".") for model in (tree, flat)]
    assert losses[0] < 0.9 * losses[1]


def test_every_form_of_the_taxonomy_gives_the_same_model(texts):
    X, y = texts
    taxonomy = Taxonomy.from_names(np.unique(y).tolist())
    forms = [
        taxonomy,
        ".",
        taxonomy.edges(),
        {child: parent for parent, child in taxonomy.edges()},
        Taxonomy([*taxonomy.edges(), ("root", "elsewhere"), ("elsewhere", "nowhere")]),  # no class is there
    ]
    models = [TaxonomySVC(0.1, taxonomy=form).fit(X, y) for form in forms]
    for model in models[1:]:
        assert model.solution_.primal == pytest.approx(models[0].solution_.primal, rel=1e-2)
        assert set(model.nodes_.tolist()) == set(models[0].nodes_.tolist())
        assert np.mean(model.predict(X) == models[0].predict(X)) > 0.98


def test_shapes_and_kinds_of_input(texts):
    X, y = texts
    model = TaxonomySVC(0.1, taxonomy=".", tol=1e-5).fit(X, y)
    k, nodes = np.unique(y).size, len(Taxonomy.from_names(np.unique(y).tolist()))
    assert model.coef_.shape == (nodes, 60)
    assert model.intercept_.shape == (nodes,)
    assert model.decision_function(X).shape == (240, k)
    best = model.predict_kbest(X, 3)
    assert {len(few) for few in best} == {3}
    assert [few[0].output for few in best] == model.predict(X).tolist()
    np.testing.assert_allclose([few[0].score for few in best], model.decision_function(X).max(axis=1))
    placed = PlacedClasses(model.taxonomy_, model.classes_.tolist())
    features = placed.features(0.5).matrix
    by_hand = (X @ model.coef_.T + model.intercept_) @ features.T.toarray()
    np.testing.assert_allclose(model.decision_function(X), by_hand, atol=1e-9)
    for other in (X.toarray(), X.astype(np.float32), sp.csr_matrix(X)):
        again = TaxonomySVC(0.1, taxonomy=".", tol=1e-5).fit(other, y)
        assert again.solution_.primal == pytest.approx(model.solution_.primal, rel=1e-3)
        np.testing.assert_array_equal(model.predict(other), model.predict(X))


def test_node_weights_go_down_to_a_quarter_whatever_the_height():
    deep = Taxonomy.from_names(["a.b.c.d.e", "a.b.c.d.f", "g.h", "i"])
    weight = dict(zip(deep.nodes, node_weights(deep, "scale")))
    steps = [weight[name] for name in ("a.b.c.d.e", "a.b.c.d", "a.b.c", "a.b", "a")]
    np.testing.assert_allclose(steps, 0.25 ** (np.arange(5) / 4))
    assert weight["i"] == weight["g.h"] == 1.0
    np.testing.assert_allclose(node_weights(Taxonomy.from_names(["a", "b"]), "scale")[1:], 1.0)  # the root has no say


def test_two_classes(texts):
    X, y = texts
    pair = np.isin(y, ["0.0.0", "1.2.1"])
    model = TaxonomySVC(taxonomy=".").fit(X[pair], y[pair])
    values = model.decision_function(X[pair])
    assert values.shape == (pair.sum(),)
    np.testing.assert_array_equal(model.predict(X[pair]), model.classes_[(values > 0).astype(int)])


def test_inner_nodes_are_classes_where_the_data_stop_there(texts):
    X, y = texts
    stopped = np.array([label.rpartition(".")[0] if number % 3 == 0 else label for number, label in enumerate(y)])
    model = TaxonomySVC(taxonomy=".").fit(X, stopped)
    assert {label.count(".") for label in model.classes_} == {1, 2}
    assert {label.count(".") for label in model.predict(X)} == {1, 2}
    assert taxonomy_losses(model.taxonomy_, ["0.0"], ["0.0.1"])[0] == 1.0
    assert np.mean(model.predict(X) == stopped) > 0.7


def test_a_graph_with_several_parents(texts):
    X, y = texts
    edges = [*Taxonomy.from_names(np.unique(y).tolist()).edges(), ("1.0", "0.0.0"), ("0.1", "1.1")]
    model = TaxonomySVC(taxonomy=edges, loss="path").fit(X, y)
    assert not model.taxonomy_.is_tree
    assert set(model.taxonomy_.ancestors("0.0.0")) == {"root", "0", "0.0", "1", "1.0", "0.0.0"}
    assert np.mean(model.predict(X) == y) > 0.8
    with pytest.warns(NotCalibratedWarning):
        together = model.node_probability(X[:20])
    place = {label: number for number, label in enumerate(model.nodes_.tolist())}
    np.testing.assert_allclose(together[:, place["root"]], 1.0)
    assert (together[:, place["1.0"]] >= together[:, place["0.0.0"]]).all()


def test_until_stops_where_the_confidence_is_reached(texts):
    X, y = texts
    model = TaxonomySVC(taxonomy=".").fit(X[:120], y[:120]).calibrate(X[:120], y[:120])
    assert model.calibrated_
    together = model.node_probability(X)
    place = {label: number for number, label in enumerate(model.nodes_.tolist())}
    leaves = model.predict(X)
    np.testing.assert_array_equal(model.predict(X, until=0.0), leaves)
    assert (together[np.arange(240), [place[node] for node in model.predict(X, until=1.0)]] >= 1.0 - 1e-8).all()
    for until in (0.5, 0.8, 0.95):
        answers = model.predict(X, until=until)
        for i, (answer, leaf) in enumerate(zip(answers, leaves)):
            way = model.taxonomy_.ancestors(leaf)
            assert answer in way
            assert together[i, place[answer]] >= until - 1e-9
            lower = way[way.index(answer) + 1 :]
            assert not lower or together[i, place[lower[0]]] < until
    sure = np.array([answer == leaf for answer, leaf in zip(model.predict(X[120:], until=0.8), leaves[120:])])
    right = leaves[120:] == y[120:]
    assert right[sure].mean() > right[~sure].mean()
    with pytest.raises(ValueError, match="between 0 and 1, not 2"):
        model.predict(X, until=2)


@pytest.mark.parametrize("loss", ["height", "path", "zero-one", "matrix"])
def test_the_answer_of_lowest_expected_loss(texts, loss):
    X, y = texts
    stopped = np.array([label.rpartition(".")[0] if number % 3 == 0 else label for number, label in enumerate(y)])
    k = np.unique(stopped).size
    matrix = np.random.default_rng(0).random((k, k)) * (1 - np.eye(k))
    model = TaxonomySVC(taxonomy=".", loss=matrix if loss == "matrix" else loss, method="structural").fit(X, stopped)
    assert not hasattr(model, "predict_proba")
    model.calibrate(X, stopped)
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    classes = model.classes_.tolist()
    if loss != "matrix":
        matrix = np.array([taxonomy_losses(model.taxonomy_, [truth] * k, classes, loss) for truth in classes])
    np.testing.assert_allclose(model._expected_loss(model._all_scores(X)), probability @ matrix, atol=1e-9)
    answers = model.predict(X, decision="expected-cost")
    np.testing.assert_array_equal(answers, model.classes_[np.argmin(probability @ matrix, axis=1)])
    with pytest.raises(ValueError, match="two rules for one answer"):
        model.predict(X, until=0.5, decision="expected-cost")
    with pytest.raises(ValueError, match="decision must be 'auto', 'score' or 'expected-cost', not 'best'"):
        model.predict(X, decision="best")


@pytest.mark.parametrize("as_frame", [False, True])
def test_a_fold_may_lack_a_class_of_a_matrix_of_losses(as_frame):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((31, 4)), np.array(["a.a", "a.b", "c.d", "c.e"])[np.append(np.arange(30) % 3, 3)]
    loss = np.array([[0, 1, 2, 2], [1, 0, 2, 2], [2, 2, 0, 1], [3, 2, 1, 0]], dtype=float)
    names = sorted(set(y))
    given = pd.DataFrame(loss, names, names).iloc[[2, 0, 3, 1], [1, 3, 2, 0]] if as_frame else loss
    model = TaxonomySVC(taxonomy=".", loss=given, method="structural").fit(X, y)
    plain = TaxonomySVC(taxonomy=".", loss=loss, method="structural").fit(X, y).calibrate(X, y)
    assert model.calibrate(X, y).temperature_ == plain.temperature_
    np.testing.assert_array_equal(
        model.predict(X, decision="expected-cost"), plain.predict(X, decision="expected-cost")
    )
    assert model.score(X, y) == plain.score(X, y)


def test_probabilities_warn_until_they_are_calibrated(texts):
    X, y = texts
    model = TaxonomySVC(taxonomy=".", method="structural").fit(X, y)
    with pytest.warns(NotCalibratedWarning, match="calibrate"):
        model.predict(X, until=0.5)
    model.calibrate(X, y, folds=2)
    assert model.temperature_ > 0.0
    model.predict(X, until=0.5)
    with pytest.raises(ValueError, match="folds must be a whole number from 2"):
        model.calibrate(X, y, folds=1)
    with pytest.raises(ValueError, match="No class has examples in two folds"):
        TaxonomySVC().fit(X[:4], [0, 1, 2, 3]).calibrate(X[:4], [0, 1, 2, 3], folds=2)


def test_calibration_with_weights(texts):
    X, y = texts
    model = TaxonomySVC(0.1, taxonomy=".").fit(X, y)
    plain = model.calibrate(X, y).temperature_
    assert model.calibrate(X, y, sample_weight=np.ones(len(y))).temperature_ == plain
    weight = np.ones(len(y))
    weight[:30] = 0.0
    without = model.calibrate(X[30:], y[30:]).temperature_
    assert model.calibrate(X, y, sample_weight=weight).temperature_ == pytest.approx(without, rel=1e-9)
    assert without != plain
    with pytest.raises(ValueError, match="sample_weight has shape"):
        model.calibrate(X, y, sample_weight=[1.0])


def test_in_a_grid_search(texts):
    X, y = texts
    scorer = make_scorer(tree_loss, taxonomy=".", greater_is_better=False)
    grid = {"C": [1e-4, 1.0], "node_weight": [None, 0.5], "loss": ["height", "zero-one"]}
    search = GridSearchCV(TaxonomySVC(taxonomy="."), grid, scoring=scorer, cv=2).fit(X, y)
    assert search.best_params_["C"] == 1.0
    assert -1.5 < search.best_score_ <= 0.0


@pytest.mark.parametrize("form", [".", "edges", "graph", "numbers", "mixed"])
def test_files_pickles_and_clones(texts, tmp_path, form):
    X, y = texts
    taxonomy = Taxonomy.from_names(np.unique(y).tolist())
    given = form
    if form == "edges":
        given = taxonomy.edges()
    elif form == "graph":
        networkx = pytest.importorskip("networkx", reason="networkx, of the extra [test], makes the graph")
        given = networkx.DiGraph(taxonomy.edges())
    elif form == "numbers":
        given = [-1, *(int(p[0]) for p in map(taxonomy.parents_of, range(1, len(taxonomy))))]
        y = taxonomy.numbers(y)
    elif form == "mixed":  # classes are numbers and the nodes above them have names
        code = {label: number for number, label in enumerate(np.unique(y).tolist())}
        given = {code.get(child, child): parent for parent, child in taxonomy.edges()}
        y = np.array([code[label] for label in y.tolist()])
    model = TaxonomySVC(taxonomy=given, node_weight=0.5, slack="squared", rescaling="slack").fit(X, y)
    model.calibrate(X, y, folds=2)
    model.save(tmp_path / "m.zip")
    loaded = maxmargin.load(tmp_path / "m.zip")
    twins = [loaded, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    for twin in twins:
        np.testing.assert_array_equal(twin.decision_function(X), model.decision_function(X))
        np.testing.assert_array_equal(twin.predict(X), model.predict(X))
        np.testing.assert_array_equal(twin.predict(X, until=0.7), model.predict(X, until=0.7))
        np.testing.assert_array_equal(twin.coef_, model.coef_)
        assert twin.taxonomy_ == model.taxonomy_
        assert twin.C_ == model.C_
        assert twin.solution_.primal == model.solution_.primal
    loaded.fit(X, y)
    assert loaded.solution_.primal == pytest.approx(model.solution_.primal)
    assert not hasattr(clone(model), "weights_")


def test_labels_that_no_file_can_keep(tmp_path):
    X, y = np.eye(4), [0, 1, 2, 3]
    model = TaxonomySVC(taxonomy=[(("r", 1), label) for label in y]).fit(X, y)
    with pytest.raises(ValueError, match=r"The node \('r', 1\) of the taxonomy is a tuple.*use str or numbers"):
        model.save(tmp_path / "m.zip")


def test_a_warm_start_goes_on(texts):
    X, y = texts
    model = TaxonomySVC(0.5, taxonomy=".", warm_start=True, tol=1e-4).fit(X, y)
    first = model.n_iter_
    model.fit(X, y)
    assert model.n_iter_ < first


BAD = [
    ({"taxonomy": [("r", "a"), ("a", "r")]}, r"a cycle, 'a' -> 'r' -> 'a'|a cycle, 'r' -> 'a' -> 'r'"),
    ({"taxonomy": [("r", "a.x"), ("s", "a.y")]}, "The class 'b.u.p' is not a node of the taxonomy"),
    ({"taxonomy": [("r", n) for n in NAMES[:2]] + [("s", n) for n in NAMES[2:]]}, "2 roots, 'r' and 's' among them"),
    ({"taxonomy": 3}, "none of the forms"),
    ({"taxonomy": ".", "loss": "depth"}, "loss must be one of 'height', 'path', 'zero-one' or a matrix"),
    ({"taxonomy": ".", "loss": np.ones((5, 5))}, "must cost 0"),
    ({"taxonomy": ".", "loss": np.zeros((4, 4))}, "there are 5 classes"),
    ({"taxonomy": ".", "loss": np.ones((2, 2))}, "loss has shape"),
    ({"taxonomy": ".", "fit_intercept": "no"}, "fit_intercept must be True or False, not 'no'."),
    ({"taxonomy": ".", "random_state": "a"}, "random_state must be a whole number from 0 .* or None, not 'a'"),
    ({"taxonomy": ".", "node_weight": 0.0}, "node_weight must be 'scale', None, a positive number"),
    ({"taxonomy": ".", "node_weight": {"c": 1.0}}, "'c' is not a node of the taxonomy"),
    ({"taxonomy": ".", "node_weight": {"a": -1.0}}, "node_weight of 'a' is -1.0"),
    ({"taxonomy": ".", "C": -1.0}, "C must be a positive number"),
]


@pytest.mark.parametrize(("params", "message"), BAD, ids=lambda value: str(value)[:40])
def test_what_is_wrong_is_said_and_leaves_the_model_as_it_was(small, params, message):
    X, y = small
    model = TaxonomySVC(**params)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert not hasattr(model, "classes_")


def test_a_forest_needs_no_root_for_losses_without_ancestors(small):
    X, y = small
    edges = [("r", n) for n in NAMES[:2]] + [("s", n) for n in NAMES[2:]]
    model = TaxonomySVC(1.0, taxonomy=edges, loss="zero-one").fit(X, y)
    assert model.nodes_.tolist()[:2] == ["r", "s"]
    with pytest.warns(NotCalibratedWarning):
        assert set(model.predict(X, until=1.0)) <= {"r", "s"}


def test_the_perceptron_takes_no_costs(small):
    X, y = small
    with pytest.raises(Unsupported, match="perceptron has no loss"):
        TaxonomySVC(taxonomy=".", loss=1.0 - np.eye(5), solver="perceptron").fit(X, y)
    TaxonomySVC(taxonomy=".", solver="perceptron").fit(X, y)


def test_a_separator_that_divides_nothing_is_refused(texts):
    X, y = texts
    plain = np.array([label.replace(".", "-") for label in y])
    with pytest.raises(ValueError, match=r"The taxonomy is the separator 'edges.csv', and no label has it, such as"):
        TaxonomySVC(taxonomy="edges.csv").fit(X, plain)
    with pytest.raises(ValueError, match="until is a probability between 0 and 1, not 'a'"):
        TaxonomySVC(taxonomy=".").fit(X, y).predict(X, until="a")


def test_a_data_frame_of_edges(texts):
    X, y = texts
    edges = [(label.rpartition(".")[0], label) for label in np.unique(y)]
    edges += [(up.rpartition(".")[0] or "all", up) for up in {above for above, _ in edges}]
    edges += [("all", top) for top in {up for up, _ in edges} - {down for _, down in edges} - {"all"}]
    given = pd.DataFrame(edges, columns=["parent", "child"])
    by_frame = TaxonomySVC(0.1, taxonomy=given).fit(X, y)
    np.testing.assert_array_equal(by_frame.predict(X), TaxonomySVC(0.1, taxonomy=edges).fit(X, y).predict(X))
