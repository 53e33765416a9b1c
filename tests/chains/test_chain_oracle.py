"""The native oracle of labelled chains: planes, cuts and online passes against brute force and against plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain_cases import CASES, FORMULATIONS, make_case
from maxmargin import Formulation, Unsupported, _core
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.oracles.base import OnlineWalk
from maxmargin.oracles.engine import DualState
from maxmargin.oracles.from_problem import ProblemOracle
from maxmargin.oracles.loss_units import whole_units

QUICK = settings(max_examples=60)


class Loop:
    """``Chain`` with its Python face only."""

    def __init__(self, chain):
        self.joint_feature, self.loss = chain.joint_feature, chain.loss
        self.argmax, self.outputs = chain.argmax, chain.outputs


def python_oracle(case, formulation):
    X = [case.problem_input(i) for i in range(case.n)]
    return ProblemOracle(Loop(case.chain), X, [tuple(y.tolist()) for y in case.Y], formulation, case.weight)


def summed(cut, case):
    """``a`` of a cut in the layout of ``Chain``, whichever form it has."""
    native = cut.a if isinstance(cut.a, np.ndarray) else np.bincount(cut.a.index, cut.a.value, case.native.size)
    return case.chain.public_weights(native)


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS))
@QUICK
def test_planes_are_expanded_rightly(case, formulation):
    oracle = case.bind(formulation)
    planes = oracle.planes(case.native, case.everyone)
    assert planes.a.shape == (case.n, oracle.dimension)
    np.testing.assert_allclose(np.maximum(0.0, planes.value(case.native)), case.slacks(formulation), atol=1e-10)
    padding = planes.a.toarray().reshape(case.n, case.chain.rows, -1)[:, :, case.chain.n_labels :]
    assert not padding.any()
    other = case.chain.from_public(np.random.default_rng(0).standard_normal(case.w.size))
    bound = case.slacks(formulation, case.chain.public_weights(other))
    assert (planes.value(other) <= bound + 1e-10).all()  # a lower bound everywhere, tight where it was found


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS[:6]))
@settings(max_examples=30)
def test_cuts(case, formulation):
    """The cut is the weighted sum of the planes, and for squared slack of their tangents; as in plain Python."""
    oracle = case.bind(formulation)
    cut = oracle.cut(case.native)
    slack = case.slacks(formulation)
    np.testing.assert_allclose(cut.slack, slack, atol=1e-10)
    planes = oracle.planes(case.native, case.everyone)
    weight = np.ones(case.n) if case.weight is None else case.weight
    factor = weight * (slack if formulation.slack == "squared" else slack > 0.0)
    np.testing.assert_allclose(summed(cut, case), case.chain.public_weights(planes.combine(factor)), atol=1e-9)
    half = 0.5 * slack if formulation.slack == "squared" else 0.0
    assert cut.b == pytest.approx(float(factor @ (planes.b - half)), abs=1e-9)
    python = python_oracle(case, formulation).cut(case.w.ravel())
    np.testing.assert_allclose(python.slack, slack, atol=1e-10)


@given(case=CASES, squared=st.booleans(), first=st.integers(0, 5), numerator=st.sampled_from([0.0, 0.7]))
@QUICK
def test_online_passes(case, squared, first, numerator):
    """``accumulate`` adds planes one after the other; plain sums over the list of outputs do the same."""
    slack = "squared" if squared else "linear"
    formulation = Formulation(mistakes=True) if numerator == 0.0 else Formulation("slack", slack)
    if np.array_equal(case.w, np.round(case.w)):
        case.w = case.w + 1e-3 * np.random.default_rng(1).standard_normal(case.w.shape)  # no ties
    order = np.random.default_rng(first).permutation(case.n).astype(np.int32)
    walk = OnlineWalk(case.native.copy(), np.zeros(case.native.size), first)
    oracle = case.bind(formulation)
    added = sum(oracle.accumulate(walk, part, numerator) for part in np.array_split(order, 2))
    slots, total = case.w.ravel().copy(), case.w.ravel().copy()  # a walk that does not start at 0 counts its start too
    expected = 0
    for t, i in enumerate(order):
        w = slots if numerator == 0.0 else numerator / max(1, first + t) * slots
        weight = 1.0 if case.weight is None else case.weight[i]
        value = case.values(i, formulation, w)
        worst = int((value if numerator else case.scores(i, w)).argmax())
        wrong = not (case.outputs(i)[worst] == case.Y[i]).all() and (not numerator or value[worst] > 0.0)
        if weight > 0.0 and wrong:
            truth = case.chain.joint_feature(case.problem_input(i), tuple(case.Y[i]))
            psi = truth - case.chain.joint_feature(case.problem_input(i), tuple(case.outputs(i)[worst]))
            factor = weight * (value[worst] if squared and numerator else 1.0)
            slots += factor * float(formulation.scale(case.losses(i)[worst])) * psi.toarray().ravel()
            expected += 1
        total += slots
    np.testing.assert_allclose(case.chain.public_weights(walk.v), slots, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(case.chain.public_weights(walk.sum(oracle.space, 1.0)), total, rtol=1e-9, atol=1e-8)
    assert (added, walk.done) == (expected, case.n)


@pytest.mark.parametrize("order", [1, 2])
def test_three_threads(order):
    case = make_case(
        labels=4, lengths=tuple(np.random.default_rng(0).integers(1, 4, 90).tolist()), order=order, pairs=1
    )
    for formulation in FORMULATIONS[:4]:
        one, three = case.bind(formulation), case.bind(formulation, 3)
        np.testing.assert_array_equal(three.slacks(case.native), one.slacks(case.native))
        first, second, again = one.cut(case.native), three.cut(case.native), three.cut(case.native)
        assert second.b == pytest.approx(first.b, rel=1e-12)
        np.testing.assert_allclose(summed(second, case), summed(first, case), rtol=1e-10, atol=1e-11)
        np.testing.assert_array_equal(summed(again, case), summed(second, case))
        labels = [oracle.core.worst(case.native, case.everyone, t)[1] for oracle, t in ((one, 1), (three, 7))]
        np.testing.assert_array_equal(*labels)
    core = case.core()
    for k in (1, 3):
        some = [core.decode(case.native, k, None, None, threads) for threads in (1, 3, 64)]
        assert all(np.array_equal(some[0][0], other[0]) and np.array_equal(some[0][1], other[1]) for other in some[1:])
    some = [core.marginals(case.native, 0.5, None, None, threads) for threads in (1, 3, 64)]
    assert all(np.array_equal(some[0][0], other[0]) and np.array_equal(some[0][1], other[1]) for other in some[1:])
    gradients = [np.zeros(case.native.size) for _ in range(2)]
    values = [core.likelihood(case.native, None, g, None, threads) for g, threads in zip(gradients, (1, 3))]
    assert values[0] == pytest.approx(values[1], rel=1e-12)
    np.testing.assert_allclose(*gradients, rtol=1e-10, atol=1e-11)


def test_states_that_do_not_belong_here_are_refused():
    oracle = make_case().bind(FORMULATIONS[0])
    with pytest.raises(ValueError, match="no outputs"):
        oracle.expand(DualState(np.zeros(1, np.int32), np.zeros(1, np.int32), np.ones(1)))


def test_the_fingerprint_changes_with_everything_that_planes_depend_on():
    case, pairs = make_case(), make_case(pairs=1)
    wider = ChainInput.of([np.hstack([x, np.zeros((len(x), 1))]) for x in case.tokens])
    options = [
        {"order": 2},
        {"eta": 0.5},
        {"ends": False},
        {"constant": 1.0},
        {"constant": 2.0},
        {"cost": 2.0 * case.chain.costs},
    ]
    oracles = [replace(case.chain, **option).bind(case.X, case.codes, FORMULATIONS[0]) for option in options]
    oracles += [case.bind(formulation) for formulation in FORMULATIONS]
    oracles.append(Chain(3, 4).bind(wider, case.codes, FORMULATIONS[0]))
    oracles.append(case.chain.bind(case.X, case.codes[::-1].copy(), FORMULATIONS[0]))
    oracles.append(case.chain.bind(case.X, case.codes, FORMULATIONS[0], sample_weight=np.array([1.0, 2.0, 1.0])))
    oracles += [pairs.bind(FORMULATIONS[0]), make_case(seed=1).bind(FORMULATIONS[0])]
    assert len({oracle.fingerprint() for oracle in oracles}) == len(oracles)
    assert case.bind(FORMULATIONS[0], 2).fingerprint() == make_case().bind(FORMULATIONS[0]).fingerprint()


@pytest.mark.parametrize(
    ("costs", "unit"),
    [
        ([0, 1, 2], 1.0),
        ([0, 0.5, 0.75], 0.25),
        ([0, 0.1, 0.3], 0.1),
        ([0, 6, 4], 2.0),
        ([0, 0, 0], 1.0),
        ([0, 7, 7], 7.0),
    ],
)
def test_costs_as_whole_numbers_of_a_unit(costs, unit):
    found, units = whole_units(np.array([costs], dtype=float))
    assert found == pytest.approx(unit)
    np.testing.assert_allclose(found * units[0], costs)


def test_losses_without_a_unit_or_with_too_many_values_are_refused():
    chain = Chain(2, 1, cost=[[0.0, 1.0], [np.pi, 0.0]])
    with pytest.raises(Unsupported, match="no common unit"):
        chain.bind([np.ones((1, 1))], [0], Formulation("slack", "linear"))
    assert chain.bind([np.ones((1, 1))], [0], Formulation("margin", "linear")).n == 1
    fine = Chain(2, 1, cost=[[0.0, 1.0], [0.001, 0.0]])
    with pytest.raises(Unsupported, match="21,000"):
        fine.bind([np.ones((21, 1))], [0] * 21, Formulation("margin", "squared"))


def test_the_native_edge_checks_its_arguments():
    """No conversion in silence, and no reading past the end."""
    case = make_case(pairs=1)
    oracle, core, everyone, w = case.bind(FORMULATIONS[1]).core, case.core(), case.everyone, case.native
    allowed, steps = np.ones((7, 3), np.uint8), np.ones((4, 4), np.uint8)
    tokens = _core.Rows(np.ones((7, 3)), 0.0, False)
    offsets = case.X.tokens.offsets
    costs, table = np.ones((3, 3)), np.ones(5)
    units = np.ones((3, 3), np.int32)
    unlabelled = case.chain.core(case.X)
    engine = _core.ChainEngine(oracle, "linear", 1.0, None)
    wrong = [
        lambda: core.decode(w[:-1].copy(), 1, None, None, 1),
        lambda: core.decode(w, 0, None, None, 1),
        lambda: core.decode(w, 1, allowed[:-1].copy(), None, 1),
        lambda: core.decode(w, 1, allowed[:, :2].copy(), None, 1),
        lambda: core.decode(w, 1, None, steps[:3].copy(), 1),
        lambda: core.decode(w, 1, allowed.astype(bool), None, 1),
        lambda: core.marginals(w.astype(np.float32), 1.0, None, None, 1),
        lambda: core.marginals(w, 0.0, None, None, 1),
        lambda: core.marginals(w, float("nan"), None, None, 1),
        lambda: core.likelihood(w, np.ones(2), None, None, 1),
        lambda: core.likelihood(w, None, np.zeros(3), None, 1),
        lambda: core.likelihood(w, None, None, np.zeros(2), 1),
        lambda: unlabelled.likelihood(w, None, None, None, 1),
        lambda: core.path_scores(w, np.zeros(6, np.int32)),
        lambda: core.path_scores(w, np.full(7, 3, np.int32)),
        lambda: oracle.worst(w, everyone + 1, 1),
        lambda: oracle.worst(w, -everyone - 1, 1),
        lambda: oracle.worst(w, everyone.astype(np.int64), 1),
        lambda: oracle.cut(w, everyone, np.ones(2), False, w.copy(), 1),
        lambda: oracle.cut(w, everyone, None, False, w[:-1].copy(), 1),
        lambda: oracle.slacks(w[:-1].copy(), everyone, 1),
        lambda: oracle.rows(everyone, np.zeros(6, np.int32)),
        lambda: oracle.rows(everyone, np.full(7, 3, np.int32)),
        lambda: oracle.rows(everyone + 1, np.zeros(9, np.int32)),
        lambda: oracle.accumulate(w[:-1].copy(), w, everyone, None, False, 0, 0, 1.0),
        lambda: oracle.accumulate(w, w[:-1].copy(), everyone, None, False, 0, 0, 1.0),
        lambda: _core.Chain(tokens, None, offsets[:-1].copy(), None, 3, 1, 1.0, True),
        lambda: _core.Chain(tokens, None, np.array([0, 8, 7]), None, 3, 1, 1.0, True),
        lambda: _core.Chain(tokens, None, np.array([0, 0, 7]), np.zeros(7, np.int32), 3, 1, 1.0, True),
        lambda: _core.Chain(tokens, None, offsets, np.full(7, 3, np.int32), 3, 1, 1.0, True),
        lambda: _core.Chain(tokens, None, offsets, np.zeros(6, np.int32), 3, 1, 1.0, True),
        lambda: _core.Chain(tokens, None, offsets, None, 0, 1, 1.0, True),
        lambda: _core.Chain(tokens, None, offsets, None, 3, 4, 1.0, True),
        lambda: _core.Chain(tokens, _core.Rows(np.ones((6, 1)), 0.0, False), offsets, None, 3, 1, 1.0, True),
        lambda: _core.Chain(None, None, offsets, None, 3, 1, 1.0, True),
        lambda: _core.ChainOracle(core, "best", costs, None, table, table),
        lambda: _core.ChainOracle(core, "augmented", costs[:2].copy(), None, table, table),
        lambda: _core.ChainOracle(core, "augmented", costs, None, table, table[:4].copy()),
        lambda: _core.ChainOracle(core, "by_loss", costs, None, table, table),
        lambda: _core.ChainOracle(core, "by_loss", costs, -units, table, table),
        lambda: _core.ChainOracle(core, "by_loss", costs, 2 * units, table, table),
        lambda: _core.ChainOracle(unlabelled, "augmented", costs, None, table, table),
        lambda: _core.ChainEngine(oracle, "linear", 1.0, np.ones(2)),
        lambda: _core.ChainEngine(oracle, "soft", 1.0, None),
        lambda: engine.merge(everyone, 0),
        lambda: engine.merge(everyone + 1, 1),
        lambda: engine.restore(np.array([3], np.int32), np.zeros(9, np.int32), np.ones(1)),
        lambda: engine.restore(np.array([2, 1], np.int32), np.zeros(9, np.int32), np.ones(2)),
        lambda: engine.restore(np.array([2], np.int32), np.zeros(3, np.int32), np.ones(1)),
        lambda: engine.restore(np.array([2], np.int32), np.full(4, 3, np.int32), np.ones(1)),
        lambda: engine.restore(np.array([2], np.int32), np.zeros(4, np.int32), np.ones(0)),
    ]
    accepted = []
    for number, call in enumerate(wrong):
        try:
            call()
        except (TypeError, ValueError, IndexError):
            continue
        accepted.append(number)
    assert accepted == []


def battery():
    """Answers of chains of several shapes, as one vector."""
    found = []
    for labels, order, pairs, kind in (
        (3, 1, 0, "float64"),
        (9, 2, 1, "float32"),
        (25, 1, 0, "binary"),
        (4, 3, 0, "float64"),
    ):
        case = make_case(labels, (1, 2, 3, 2) * 5, order, pairs=pairs, kind=kind, constant=1.0, eta=0.7, seed=labels)
        core = case.core()
        gradient = np.zeros(case.native.size)
        found += [core.decode(case.native, 2, None, None, 1)[1], *core.marginals(case.native, 1.0, None, None, 2)[:2]]
        found += [[core.likelihood(case.native, None, gradient, None, 2)], gradient]
        for formulation in FORMULATIONS[:4]:
            oracle = case.bind(formulation, 2)
            cut = oracle.cut(case.native)
            engine = oracle.engine(0.5)
            engine.visit(case.everyone, _core.VisitSettings())
            found += [oracle.slacks(case.native), summed(cut, case), [cut.b], engine.weights, [engine.dual]]
    return np.concatenate(found)


def test_every_instruction_set_gives_the_same_answers(tmp_path):
    here, answers = os.path.dirname(os.path.abspath(__file__)), str(tmp_path / "answers.npy")
    support = os.path.join(os.path.dirname(here), "support")
    program = (
        f"import sys; sys.path[:0] = [{here!r}, {support!r}]; import numpy as np; "
        f"import test_chain_oracle as t; assert t._core.isa() == 'baseline'; np.save({answers!r}, t.battery())"
    )
    environment = {**os.environ, "MAXMARGIN_ISA": "baseline"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, timeout=120)
    np.testing.assert_allclose(battery(), np.load(answers), rtol=1e-11, atol=1e-11)


def test_layouts_round_trip():
    for labels in (1, 3, 8, 9):
        chain = Chain(labels, 4, order=2, n_pair_features=1, constant=1.0)
        w = np.random.default_rng(0).standard_normal(chain.rows * labels)
        native = chain.from_public(w)
        assert native.size == chain.rows * _core.padded(labels)
        np.testing.assert_array_equal(chain.public_weights(native), w)
        assert chain.core(ChainInput.of_one((np.ones((2, 4)), np.ones((2, 1))))).weight_count == native.size
