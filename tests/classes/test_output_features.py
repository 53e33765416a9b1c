"""Classes with output features: the native oracle against brute force over the classes, for every kind of features and
loss, and the papers' propositions about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import Formulation, _core
from maxmargin.classes.multiclass import Multiclass
from maxmargin.classes.output_features import OutputFeatures
from maxmargin.classes.placed_classes import PlacedClasses
from maxmargin.classes.taxonomies import Taxonomy
from maxmargin.core.points import Explicit
from maxmargin.oracles.base import OnlineWalk
from maxmargin.oracles.from_problem import ProblemOracle
from maxmargin.rows.matrices import as_rows
from reference import enumerate_planes

FORMULATIONS = [Formulation(r, s) for r in ("margin", "slack", "none") for s in ("linear", "squared")]
FORMULATIONS.append(Formulation("none", "hard"))
KINDS = ("identity", "tree", "forest", "graph", "sparse", "dense")
LOSSES = ("zero-one", "height", "path", "table")
QUICK = settings(max_examples=80)


class Loop:
    """A structure with its Python face only."""

    def __init__(self, structure):
        self.joint_feature, self.loss, self.argmax = structure.joint_feature, structure.loss, structure.argmax
        self.outputs = structure.outputs


@dataclass
class Case:
    rows: _core.Rows
    X: np.ndarray  # with the constant column
    y: np.ndarray
    structure: OutputFeatures
    weight: np.ndarray | None
    w: np.ndarray  # (n_nodes, columns)

    @property
    def native(self):
        return self.structure.from_coef(self.w)

    def bind(self, formulation, threads=1):
        labels = self.y.astype(np.int32)
        return self.structure.bind(self.rows, labels, formulation, sample_weight=self.weight, threads=threads)

    def python(self, formulation):
        return ProblemOracle(Loop(self.structure), list(self.X), self.y.tolist(), formulation, self.weight)


def random_taxonomy(rng, nodes, kind):
    """Node 0 above all (but in a forest); in a graph some nodes have two or three parents."""
    edges = []
    for z in range(1, nodes):
        if kind == "forest" and rng.random() < 0.2:
            continue
        count = 1 if kind != "graph" else int(rng.integers(1, 4))
        edges += [(int(p), z) for p in set(rng.integers(0, z, count).tolist())]
    return Taxonomy(edges, range(nodes))


def random_structure(rng, kind, loss, classes):
    if kind in ("tree", "forest", "graph"):
        taxonomy = random_taxonomy(rng, 2 * classes + 3, kind)
        chosen = rng.choice(len(taxonomy), classes, replace=False)  # leaves and inner nodes
        placed = PlacedClasses(taxonomy, [taxonomy.nodes[z] for z in chosen])
        weights = {z: float(b) for z, b in zip(taxonomy.nodes, np.round(rng.random(len(taxonomy)) * 8) / 4)}
        if loss == "table" or (kind == "forest" and loss != "zero-one"):
            return placed.structure(random_cost(rng, classes), weights)
        return placed.structure(loss, weights)
    nodes = int(rng.integers(1, 12))
    matrix = np.round(rng.standard_normal((classes, nodes)) * 4) / 4
    if kind == "identity":
        matrix = np.eye(classes)
    elif kind == "sparse":
        matrix = sp.csr_array(matrix * (rng.random(matrix.shape) < 0.15))
    return OutputFeatures(matrix, None if loss == "zero-one" else random_cost(rng, classes))


def random_cost(rng, classes):
    return np.round(rng.random((classes, classes)) * 8) / 4 * (1 - np.eye(classes))


def make(kind="tree", loss="height", classes=5, n=9, d=6, sparse=False, single=False, bias=0.0, weighted=True, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((n, d)) * 4) / 8 * (rng.random((n, d)) < 0.6)
    given_ = X.astype(np.float32) if single else X
    rows = as_rows(sp.csr_array(given_) if sparse else given_, bias, True)
    columns = np.c_[X, np.full(n, bias)] if bias else X
    structure = random_structure(rng, kind, loss, classes)
    weight = rng.random(n) * (rng.random(n) < 0.8) if weighted else None
    w = rng.standard_normal((structure.n_nodes, columns.shape[1]))
    return Case(rows, columns, rng.integers(0, classes, n), structure, weight, w)


CASES = st.builds(
    make,
    kind=st.sampled_from(KINDS),
    loss=st.sampled_from(LOSSES),
    classes=st.sampled_from([2, 3, 4, 5, 9, 16, 33]),
    d=st.sampled_from([1, 6, 40]),
    sparse=st.booleans(),
    single=st.booleans(),
    bias=st.sampled_from([0.0, 1.5]),
    weighted=st.booleans(),
    seed=st.integers(0, 10**6),
)


def values(case, formulation):
    """``b - <a, w>`` of every class of every example; 0 at the truth."""
    features = case.structure.features.matrix.toarray()
    scores = case.X @ case.w.T @ features.T
    losses = np.array([[case.structure.loss(t, k) for k in range(case.structure.n_classes)] for t in case.y])
    truth = np.arange(case.structure.n_classes)[None, :] == case.y[:, None]
    value = formulation.margin(losses) - formulation.scale(losses) * (
        scores[np.arange(len(case.y)), case.y][:, None] - scores
    )
    return np.where(truth, 0.0, value)


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS))
@QUICK
def test_the_most_violated_class_is_that_of_brute_force(case, formulation):
    value = values(case, formulation)
    slack, output = case.bind(formulation).worst(case.native, np.arange(len(case.y), dtype=np.int32))
    np.testing.assert_allclose(slack, np.maximum(0.0, value.max(axis=1)), atol=1e-10)
    np.testing.assert_allclose(value[np.arange(len(output)), output], slack, atol=1e-10)
    np.testing.assert_allclose(case.python(formulation).slacks(case.w.ravel()), slack, atol=1e-10)


@given(case=CASES)
@QUICK
def test_scores_and_the_best_class_are_those_of_brute_force(case):
    expected = case.X @ case.w.T @ case.structure.features.matrix.toarray().T
    for threads in (1, 3):
        scores = case.structure.features.native.scores(case.rows, case.native, threads)
        np.testing.assert_allclose(scores.reshape(expected.shape), expected, atol=1e-10)
        best = case.structure.features.native.best(case.rows, case.native, threads)
        np.testing.assert_allclose(expected[np.arange(len(best)), best], expected.max(axis=1), atol=1e-10)


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS[:-1]))
@QUICK
def test_cuts_and_planes_are_those_of_the_problem(case, formulation):
    oracle, python = case.bind(formulation, threads=2), case.python(formulation)
    everyone = np.arange(len(case.y), dtype=np.int32)
    cut, expected = oracle.cut(case.native), python.cut(case.w.ravel())
    dense = np.zeros(oracle.dimension)
    if hasattr(cut.a, "index"):
        dense[cut.a.index] = cut.a.value
    else:
        dense = cut.a
    theirs = np.zeros(case.w.size)
    if hasattr(expected.a, "index"):
        theirs[expected.a.index] = expected.a.value
    else:
        theirs = expected.a
    ties = np.sort(values(case, formulation), axis=1)
    if (ties[:, -1] - ties[:, -2] > 1e-9).all():  # else another class may be the worst
        np.testing.assert_allclose(case.structure.public_weights(dense), theirs, atol=1e-9)
        assert cut.b == pytest.approx(expected.b, abs=1e-9)
    np.testing.assert_allclose(cut.slack, expected.slack, atol=1e-10)
    planes = oracle.planes(case.native, everyone)
    np.testing.assert_allclose(np.maximum(0.0, planes.value(case.native)), cut.slack, atol=1e-10)


@given(case=CASES, squared=st.booleans(), first=st.integers(0, 5), numerator=st.sampled_from([0.0, 0.7]))
@QUICK
def test_online_passes(case, squared, first, numerator):
    formulation = (
        Formulation(mistakes=True) if numerator == 0.0 else Formulation("slack", "squared" if squared else "linear")
    )
    order = np.random.default_rng(first).permutation(len(case.y)).astype(np.int32)
    native = OnlineWalk(case.native.copy(), np.zeros(case.native.size), first)
    python = OnlineWalk(case.w.ravel().copy(), np.zeros(case.w.size), first)
    case.bind(formulation).accumulate(native, order, numerator)
    case.python(formulation).accumulate(python, order, numerator)
    distinct = len({row.tobytes() for row in case.structure.features.matrix.toarray()}) == case.structure.n_classes
    if case.X.any(axis=1).all() and distinct and case.X.shape[1] > 1:  # else classes are tied
        ours, theirs = (walk.sum(Explicit(walk.v.size), 1.0) for walk in (native, python))
        np.testing.assert_allclose(case.structure.public_weights(ours), theirs, rtol=1e-7, atol=1e-7)


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS[:6]), coarse=st.booleans(), steps=st.booleans())
@QUICK
def test_visits_climb_and_leave_an_exact_state(case, formulation, coarse, steps):
    """w and the dual are those of alpha, computed from the rows of the planes; no visit lowers the dual."""
    oracle, order = case.bind(formulation), np.arange(len(case.y), dtype=np.int32)
    engine = oracle.engine(0.5)
    settings_ = _core.VisitSettings(step="exact" if steps else "line-search", coarse=coarse)
    before = 0.0
    for _ in range(3):
        engine.visit(order, settings_)
        assert engine.dual >= before - 1e-4 * (1.0 + abs(before))
        before = engine.dual
    rough = np.array(engine.rough_weights)
    engine.sharpen()
    state = engine.state()
    planes = oracle.expand(state)
    size = 1.0 + np.abs(state.alpha).sum()
    np.testing.assert_allclose(engine.weights, planes.combine(state.alpha), atol=1e-11 * size)
    np.testing.assert_allclose(rough, engine.weights, atol=1e-3 * size)
    again = oracle.engine(0.5)
    again.restore(state)
    np.testing.assert_allclose(again.weights, engine.weights, atol=1e-11 * size)
    assert again.dual == pytest.approx(engine.dual, abs=1e-9 * size**2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("formulation", FORMULATIONS[:6], ids=str)
def test_the_values_inside_a_block_follow_its_steps(kind, formulation):
    """After a visit the gap of each block, taken before the step, and a second look at the same w agree."""
    case = make(kind, "table", classes=7, n=12, seed=3, weighted=False)
    oracle = case.bind(formulation)
    engine = oracle.engine(0.3)
    order = np.arange(12, dtype=np.int32)
    for _ in range(3000):
        engine.visit(order, _core.VisitSettings())
    slack = oracle.slacks(np.array(engine.weights))
    risk = formulation.risk(slack).sum()
    primal = 0.5 * engine.weights @ engine.weights + 0.3 * risk
    assert primal - engine.dual <= 1e-5 * (1.0 + primal)
    assert primal - engine.dual >= -1e-10


@pytest.mark.parametrize("kind", ["tree", "graph", "sparse", "dense"])
@pytest.mark.parametrize("formulation", FORMULATIONS[:6], ids=str)
def test_steps_among_a_few_of_many_classes_reach_the_optimum(kind, formulation):
    """Above 64 classes a visit sees the planes in use and the most violated others."""
    case = make(kind, "height" if kind in ("tree", "graph") else "table", classes=80, n=12, seed=5)
    oracle, order = case.bind(formulation), np.arange(12, dtype=np.int32)
    engine = oracle.engine(0.3)
    before = 0.0
    for _ in range(600):
        engine.visit(order, _core.VisitSettings())
        assert engine.dual >= before - 1e-10 * (1.0 + before)
        before = engine.dual
    state = engine.state()
    np.testing.assert_allclose(engine.weights, oracle.expand(state).combine(state.alpha), atol=1e-9)
    risk = case.weight @ formulation.risk(oracle.slacks(np.array(engine.weights)))
    primal = 0.5 * engine.weights @ engine.weights + 0.3 * risk
    assert -1e-9 <= primal - engine.dual <= 1e-4 * (1.0 + primal)


@pytest.mark.parametrize("formulation", FORMULATIONS[:6], ids=str)
def test_identity_features_are_the_flat_problem(formulation):
    """Same slacks, same planes, same optimum as ``Multiclass``."""
    rng = np.random.default_rng(1)
    X, y, cost = rng.standard_normal((30, 4)), rng.integers(0, 5, 30).astype(np.int32), random_cost(rng, 5)
    flat, shared = Multiclass(5, cost), OutputFeatures(np.eye(5), cost)
    w = rng.standard_normal((5, 4))
    one, other = flat.bind(X, y, formulation), shared.bind(X, y, formulation)
    np.testing.assert_allclose(other.slacks(shared.from_coef(w)), one.slacks(flat.from_coef(w)), atol=1e-12)
    ends = []
    for oracle in (one, other):
        engine = oracle.engine(0.4)
        for _ in range(400):
            engine.visit(np.arange(30, dtype=np.int32), _core.VisitSettings())
        ends.append((engine.dual, np.array(engine.weights)))
    assert ends[1][0] == pytest.approx(ends[0][0], rel=1e-7)
    np.testing.assert_allclose(ends[1][1], ends[0][1], atol=1e-3)


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(KINDS[1:]))
@QUICK
def test_proposition_21_the_joint_kernel_is_a_product(seed, kind):
    rng = np.random.default_rng(seed)
    structure = random_structure(rng, kind, "zero-one", 6)
    features = structure.features.matrix.toarray()
    x, other = rng.standard_normal(5), rng.standard_normal(5)
    for y in range(6):
        for z in range(6):
            joint = structure.joint_feature(x, y) @ structure.joint_feature(other, z)
            assert joint == pytest.approx((x @ other) * (features[y] @ features[z]), abs=1e-9)


@given(seed=st.integers(0, 10**6))
@QUICK
def test_proposition_22_scores_are_sums_over_output_features(seed):
    rng = np.random.default_rng(seed)
    structure = random_structure(rng, "sparse", "zero-one", 6)
    w, x = rng.standard_normal((structure.n_nodes, 4)), rng.standard_normal(4)
    for y in range(6):
        row = structure.features.matrix[[y]].toarray().ravel()
        expected = sum(row[r] * (w[r] @ x) for r in range(structure.n_nodes))
        assert structure.joint_feature(x, y) @ w.ravel() == pytest.approx(expected, abs=1e-9)


@given(seed=st.integers(0, 10**6))
@QUICK
def test_corollary_23_more_features_can_express_no_more(seed):
    """With the identity among the output features: every w has an equal flat one, and the other way round."""
    rng = np.random.default_rng(seed)
    extra = rng.standard_normal((6, 3))
    wide, flat = OutputFeatures(np.hstack([extra, np.eye(6)])), OutputFeatures(np.eye(6))
    x, w = rng.standard_normal(4), rng.standard_normal((9, 4))
    there = extra @ w[:3] + w[3:]  # v_y = sum_r lambda_r(y) v_r
    back = np.vstack([np.zeros((3, 4)), there])
    for y in range(6):
        score = wide.joint_feature(x, y) @ w.ravel()
        assert flat.joint_feature(x, y) @ there.ravel() == pytest.approx(score, abs=1e-9)
        assert wide.joint_feature(x, y) @ back.ravel() == pytest.approx(score, abs=1e-9)


@given(seed=st.integers(0, 10**6))
@QUICK
def test_proposition_24_the_length_of_planes_is_bounded(seed):
    rng = np.random.default_rng(seed)
    structure = random_structure(rng, "tree", "zero-one", 6)
    X, y = rng.standard_normal((4, 3)), rng.integers(0, 6, 4).tolist()
    longest = np.linalg.norm(structure.features.matrix.toarray(), axis=1).max()
    planes = enumerate_planes(structure, list(X), y, "none", "linear")
    bound = 4 * (np.linalg.norm(X, axis=1).max() * longest) ** 2
    assert (planes.a**2).sum(axis=1).max() <= bound + 1e-9
    assert structure.bind(X, np.array(y), Formulation("none", "linear")).steepness() == pytest.approx(bound)


@pytest.mark.parametrize(
    ("features", "cost", "message"),
    [
        (np.ones((1, 3)), None, "At least two classes"),
        (np.ones(3), None, "one row per class"),
        (np.array([[0.0, 1.0], [np.nan, 1.0]]), None, "class number 1 contain NaN"),
        (sp.csr_array([[0.0, 1.0], [np.inf, 1.0]]), None, "class number 1 contain NaN"),
        (np.eye(3), np.ones((3, 3)), "must cost 0"),
        (np.eye(3), 1 - np.eye(4), "there are 3 classes"),
    ],
)
def test_bad_features(features, cost, message):
    with pytest.raises(ValueError, match=message):
        OutputFeatures(features, cost)


def test_the_native_edge_checks_its_arguments():
    parents, ones = np.array([-1, 0, 0], np.int32), np.ones(3)
    nodes, offsets = np.array([1, 2], np.int32), np.array([0, 0, 1, 2], np.int64)
    heights, above = np.array([1, 0, 0], np.int32), np.array([0, 0], np.int32)
    levels = np.arange(3.0)
    good = _core.OutputMap.tree(parents, ones, nodes)
    loss = _core.ClassLoss.graph("height", levels, levels, offsets, above, heights, nodes)
    rows = as_rows(np.ones((2, 2)), 0.0, True)
    labels = np.array([0, 1], np.int32)
    _core.Outputs(rows, labels, good, loss)
    wrong = [
        lambda: _core.OutputMap.tree(np.array([0, 0, 0], np.int32), ones, nodes),
        lambda: _core.OutputMap.tree(np.array([-1, 2, 0], np.int32), ones, nodes),
        lambda: _core.OutputMap.tree(parents, np.ones(2), nodes),
        lambda: _core.OutputMap.tree(parents, ones, np.array([1, 3], np.int32)),
        lambda: _core.OutputMap.tree(parents.astype(np.int64), ones, nodes),
        lambda: _core.OutputMap.sparse(offsets, np.array([0, 3], np.int32), np.ones(2), 3),
        lambda: _core.OutputMap.sparse(offsets, above, np.ones(3), 3),
        lambda: _core.OutputMap.sparse(np.array([0, 2], np.int64), np.array([1, 0], np.int32), np.ones(2), 3),
        lambda: _core.OutputMap.sparse(np.array([0, 3, 2], np.int64), np.array([1, 0], np.int32), np.ones(2), 3),
        lambda: _core.OutputMap.dense(np.ones((2, 3)), np.ones((2, 4)), 3),
        lambda: _core.OutputMap.dense(np.ones((2, 4)), np.ones((2, 2)), 3),
        lambda: _core.ClassLoss.graph("depth", levels, levels, offsets, above, heights, nodes),
        lambda: _core.ClassLoss.graph("path", levels[:2].copy(), levels[:2].copy(), offsets, above, heights, nodes),
        lambda: _core.ClassLoss.graph("height", levels, levels, offsets, above + 5, heights, nodes),
        lambda: _core.ClassLoss.graph("height", levels, levels, offsets, above, heights, nodes + 2),
        lambda: _core.ClassLoss.graph(
            "height", levels, levels, np.array([0, 0, 0, 1], np.int64), above[:1].copy(), heights, nodes
        ),
        lambda: _core.ClassLoss.uniform(2, np.ones(1), np.ones(1)),
        lambda: loss.rows(2),
        lambda: _core.Outputs(rows, labels, good, _core.ClassLoss.uniform(3, np.ones(2), np.ones(2))),
        lambda: _core.Outputs(rows, labels + 1, good, loss),
        lambda: good.scores(rows, np.ones(7), 1),
        lambda: good.best(rows, np.ones(7), 1),
    ]
    accepted = []
    for number, call in enumerate(wrong):
        try:
            call()
        except (TypeError, ValueError, IndexError):
            continue
        accepted.append(number)
    assert accepted == []
