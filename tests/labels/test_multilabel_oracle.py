"""The native oracle of label vectors: cuts, planes, online steps, threads; and ``Multilabel`` as a plain Problem."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from label_cases import CASES, FORMULATIONS, losses_of, make_case
from maxmargin import Formulation, _core, check_problem
from maxmargin.core.points import Explicit
from maxmargin.labels.loss import label_losses
from maxmargin.labels.multilabel import Multilabel
from maxmargin.oracles.base import OnlineWalk
from maxmargin.oracles.from_problem import ProblemOracle

QUICK = settings(max_examples=60)


class Listed:
    """The structure with its Python face only, every search by ``outputs``."""

    def __init__(self, structure):
        self.joint_feature, self.loss, self.outputs = structure.joint_feature, structure.loss, structure.outputs
        self.structure = structure

    def argmax(self, x, w, y_true=None):
        scores = {y: self.joint_feature(x, y) @ w for y in self.outputs(x)}
        if y_true is not None:
            scores = {y: score + self.loss(y_true, y) for y, score in scores.items()}
        return max(scores, key=scores.__getitem__)

    def kbest(self, x, w, k):
        return sorted(self.outputs(x), key=lambda y: -(self.joint_feature(x, y) @ w))[:k]


def plain(case, formulation):
    return ProblemOracle(Listed(case.structure), list(case.X), [tuple(y) for y in case.Y], formulation, case.weight)


def dense_cut(cut, case):
    a = cut.a if isinstance(cut.a, np.ndarray) else np.bincount(cut.a.index, cut.a.value, case.native.size)
    return case.structure.public_weights(a)


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS[:-1]))
@QUICK
def test_cut(case, formulation):
    cut = case.bind(formulation).cut(case.native)
    slack = case.slacks(formulation)
    np.testing.assert_allclose(cut.slack, slack, atol=1e-11)
    weight = np.ones(case.n) if case.weight is None else case.weight
    risk = float(weight @ formulation.risk(slack))
    assert cut.b - dense_cut(cut, case) @ case.w == pytest.approx(risk, abs=1e-9)
    other = np.random.default_rng(0).standard_normal(case.w.size)  # and a lower bound everywhere else
    there = float(weight @ formulation.risk(case.slacks(formulation, other)))
    assert cut.b - dense_cut(cut, case) @ other <= there + 1e-9


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS))
@QUICK
def test_planes(case, formulation):
    planes = case.bind(formulation).planes(case.native, case.everyone)
    np.testing.assert_allclose(np.maximum(0.0, planes.value(case.native)), case.slacks(formulation), atol=1e-11)
    other = np.random.default_rng(1).standard_normal(case.w.size)
    bound = case.slacks(formulation, other)
    there = case.structure.from_public(other, case.X.shape[1])
    assert (planes.value(there) <= bound + 1e-10).all()


@given(case=CASES, squared=st.booleans(), first=st.integers(0, 5), numerator=st.sampled_from([0.0, 0.7]))
@QUICK
def test_online_passes(case, squared, first, numerator):
    """``accumulate`` adds planes one after the other; the Python loop does the same where no two outputs tie."""
    formulation = (
        Formulation(mistakes=True) if numerator == 0.0 else Formulation("slack", "squared" if squared else "linear")
    )
    rng = np.random.default_rng(first)
    start = case.w + 0.01 * rng.standard_normal(case.w.size)
    order = rng.permutation(case.n).astype(np.int32)
    native = OnlineWalk(case.structure.from_public(start, case.X.shape[1]), np.zeros(case.native.size), first)
    python = OnlineWalk(start.copy(), np.zeros(case.w.size), first)
    added = [case.bind(formulation).accumulate(native, part, numerator) for part in np.array_split(order, 2)]
    expected = [plain(case, formulation).accumulate(python, part, numerator) for part in np.array_split(order, 2)]
    if not case.X.any(axis=1).all():
        return  # all label vectors of an empty row are tied
    assert added == expected
    sums = [walk.sum(Explicit(walk.v.size), 1.0) for walk in (native, python)]
    for ours, theirs in ((native.v, python.v), (native.late, python.late), sums):
        np.testing.assert_allclose(case.structure.public_weights(ours), theirs, rtol=1e-9, atol=1e-9)


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS))
@settings(max_examples=40)
def test_three_threads(case, formulation):
    one, three = case.bind(formulation, 1), case.bind(formulation, 3)
    np.testing.assert_array_equal(three.slacks(case.native), one.slacks(case.native))
    if formulation.slack != "hard":
        first, second = one.cut(case.native), three.cut(case.native)
        assert second.b == pytest.approx(first.b, rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(dense_cut(second, case), dense_cut(first, case), atol=1e-12)


@given(case=CASES)
@settings(max_examples=60)
def test_as_a_plain_problem(case):
    structure, truths = case.structure, [tuple(int(label) for label in y) for y in case.Y]
    check_problem(structure, list(case.X), truths)
    for x, y in zip(case.X, truths):
        listed = Listed(structure)
        mine = structure.argmax(x, case.w)
        assert structure.joint_feature(x, mine) @ case.w == pytest.approx(
            structure.joint_feature(x, listed.argmax(x, case.w)) @ case.w, abs=1e-11
        )
        worst, expected = structure.argmax(x, case.w, y), listed.argmax(x, case.w, y)
        values = [structure.joint_feature(x, z) @ case.w + structure.loss(y, z) for z in (worst, expected)]
        assert values[0] == pytest.approx(values[1], abs=1e-11)
        ranked = structure.kbest(x, case.w, 3)
        best = [structure.joint_feature(x, z) @ case.w for z in listed.kbest(x, case.w, 3)]
        np.testing.assert_allclose([structure.joint_feature(x, z) @ case.w for z in ranked], best, atol=1e-11)


@given(case=CASES)
@settings(max_examples=60)
def test_losses(case):
    rng = np.random.default_rng(0)
    Y = (rng.random(case.Y.shape) < 0.5).astype(np.uint8)
    expected = [losses_of(case.structure, truth, y[None, :])[0] for truth, y in zip(case.Y, Y)]
    np.testing.assert_allclose(case.structure.losses(case.Y, Y), expected, atol=1e-14)
    np.testing.assert_array_equal(case.structure.losses(case.Y, case.Y), 0.0)


def test_the_losses_are_those_of_scikit_learn():
    from sklearn.metrics import accuracy_score, f1_score, hamming_loss

    rng = np.random.default_rng(0)
    Y, Z = ((rng.random((200, 4)) < 0.3).astype(int) for _ in range(2))
    assert (Y.sum(axis=1) == 0).any()
    assert ((Y.sum(axis=1) == 0) & (Z.sum(axis=1) == 0)).any()
    one = np.ones((4, 2))
    assert label_losses("hamming", one, Y, Z).mean() / 4 == pytest.approx(hamming_loss(Y, Z))
    assert label_losses("zero-one", one, Y, Z).mean() == pytest.approx(1 - accuracy_score(Y, Z))
    assert 1 - label_losses("f1", one, Y, Z).mean() == pytest.approx(
        f1_score(Y, Z, average="samples", zero_division=1.0)
    )


def test_layouts_round_trip():
    rng = np.random.default_rng(0)
    for labels in (1, 3, 4, 9):
        pairs = np.stack(np.triu_indices(labels, 1), axis=1)
        structure = Multilabel(labels, pairs)
        w = rng.standard_normal(labels * 5 + len(pairs))
        native = structure.from_public(w, 5)
        assert native.size == 5 * _core.padded(labels) + _core.padded(len(pairs))
        np.testing.assert_array_equal(structure.public_weights(native), w)


def test_the_native_edge_checks_its_arguments():
    case = make_case("full", 4, n=5)
    oracle = case.bind(FORMULATIONS[0])
    core, w, everyone = oracle.core, case.native, case.everyone
    truths, pairs, loss = case.Y, case.structure.pairs, oracle.loss

    def labels(truths=truths, labels=4, pairs=pairs, method="list", goal="augmented", **changed):
        given_ = {name: getattr(loss, name) for name in ("costs", "units", "margin", "scale", "table_start")} | changed
        return _core.Labels(case.rows, truths, labels, pairs, 1.0, method, goal, *given_.values())

    labels()
    wrong = [
        lambda: core.worst(w[:-1].copy(), everyone, 1),
        lambda: core.worst(w.astype(np.float32), everyone, 1),
        lambda: core.worst(w, everyone + 1, 1),
        lambda: core.cut(w, everyone, np.ones(3), False, w.copy(), 1),
        lambda: core.cut(w, everyone, None, False, w[:-1].copy(), 1),
        lambda: core.slacks(w[:-1].copy(), everyone, 1),
        lambda: core.rows(everyone, truths[:-1].ravel()),
        lambda: core.rows(everyone, 2 - truths.ravel()),
        lambda: core.rows(everyone + 1, truths.ravel()),
        lambda: case.structure.core(case.rows).rows(everyone, truths.ravel()),
        lambda: core.accumulate(w, w[:-1].copy(), everyone, None, False, 0, 0, 1.0),
        lambda: core.decode_lists(w, 0, 1),
        lambda: case.structure.core(case.rows).worst(w, everyone, 1),
        lambda: labels(truths=truths[:-1].copy()),
        lambda: labels(truths=truths + np.uint8(2)),
        lambda: labels(labels=5),
        lambda: labels(pairs=np.array([[0, 4]], np.int32)),
        lambda: labels(pairs=np.array([[1, 1]], np.int32)),
        lambda: labels(pairs=np.zeros((1, 3), np.int32)),
        lambda: labels(method="forest"),
        lambda: labels(method="guess"),
        lambda: labels(goal="guess"),
        lambda: labels(goal="errors", units=np.ones(4, np.int32)),
        lambda: labels(goal="errors", units=np.ones(8, np.int32)),
        lambda: labels(goal="counts"),
        lambda: labels(goal="errors", method="branch"),
        lambda: labels(costs=np.ones(3)),
        lambda: _core.LabelEngine(core, "soft", 1.0, None),
        lambda: _core.LabelEngine(core, "linear", 1.0, np.ones(3)),
        lambda: _core.SeparateLabelEngine(core, 1.0, None),
        lambda: _core.LabelEngine(core, "linear", 1.0, None).restore(everyone, truths[:2].ravel(), np.ones(5)),
        lambda: _core.LabelEngine(core, "linear", 1.0, None).restore(everyone[::-1].copy(), truths.ravel(), np.ones(5)),
        lambda: _core.LabelEngine(core, "linear", 1.0, None).restore(everyone, 2 - truths.ravel(), np.ones(5)),
    ]
    accepted = []
    for number, call in enumerate(wrong):
        try:
            call()
        except (TypeError, ValueError, IndexError):
            continue
        accepted.append(number)
    assert accepted == []
