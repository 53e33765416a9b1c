"""The native multiclass oracle against brute force over the classes, for every way in which rows are kept."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import Formulation, _core
from maxmargin.classes.multiclass import Multiclass
from maxmargin.core.points import Explicit
from maxmargin.oracles.base import OnlineWalk
from maxmargin.oracles.from_problem import ProblemOracle
from maxmargin.rows.matrices import as_rows

DENSITY = {"dense": 1.0, "masked": 0.35, "coded": 0.1, "narrow": 0.1, "sparse": 0.3}
FORMULATIONS = [Formulation(r, s) for r in ("margin", "slack", "none") for s in ("linear", "squared")]
FORMULATIONS.append(Formulation("none", "hard"))


@dataclass
class Case:
    """One training set: the packed rows, what they hold, and a point to ask at."""

    kind: str
    rows: _core.Rows
    X: np.ndarray  # with the constant column
    y: np.ndarray
    structure: Multiclass
    weight: np.ndarray | None
    w: np.ndarray  # (n_classes, columns)

    @property
    def native(self):
        return self.structure.from_coef(self.w)

    def bind(self, formulation, threads=1):
        return self.structure.bind(
            self.rows, self.y.astype(np.int32), formulation, sample_weight=self.weight, threads=threads
        )

    def python(self, formulation):
        """The same through the three methods that every user writes."""
        return ProblemOracle(Loop(self.structure), list(self.X), self.y.tolist(), formulation, self.weight)


class Loop:
    """``Multiclass`` with its Python face only."""

    def __init__(self, structure):
        self.joint_feature, self.loss, self.argmax = structure.joint_feature, structure.loss, structure.argmax
        self.outputs = structure.outputs


def make(kind, single=False, bias=0.0, n=9, d=5, classes=3, costs=True, weighted=True, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "narrow":  # of more than 256 values, or they would be coded
        d = max(d, 6000 // n)
    grain = 4096 if kind == "narrow" else 4
    X = np.round(rng.standard_normal((n, d)) * grain) / (2 * grain) + 0.25 / grain  # exact in float32
    X = np.where(rng.random((n, d)) < DENSITY[kind], X, 0.0)
    given_ = X.astype(np.float32) if single else X
    rows = as_rows(sp.csr_array(given_) if kind == "sparse" else given_, bias, True)
    cost = np.round(rng.random((classes, classes)) * 8) / 4 * (1 - np.eye(classes)) if costs else None
    weight = rng.random(n) * (rng.random(n) < 0.8) if weighted else None
    columns = np.c_[X, np.full(n, bias)] if bias else X
    y = rng.integers(0, classes, n)
    return Case(
        kind, rows, columns, y, Multiclass(classes, cost), weight, rng.standard_normal((classes, columns.shape[1]))
    )


def values(case, formulation):
    """``b - <a, w>`` of every class of every example; 0 at the truth."""
    scores = case.X @ case.w.T
    psi = scores[np.arange(len(case.y)), case.y][:, None] - scores
    loss = case.structure.costs[case.y]
    value = formulation.margin(loss) - formulation.scale(loss) * psi
    value[np.arange(len(case.y)), case.y] = 0.0
    return value


def brute_cut(case, formulation):
    """The weighted sum of the highest planes, class by class."""
    value = values(case, formulation)
    a, b = np.zeros_like(case.w), 0.0
    for i, (x, truth) in enumerate(zip(case.X, case.y)):
        worst = int(np.argmax(value[i]))
        if value[i, worst] <= 0.0:
            continue
        loss = case.structure.costs[truth, worst]
        xi = value[i, worst]
        factor = (1.0 if case.weight is None else case.weight[i]) * (xi if formulation.slack == "squared" else 1.0)
        a[truth] += factor * float(formulation.scale(loss)) * x
        a[worst] -= factor * float(formulation.scale(loss)) * x
        half = 0.5 * xi if formulation.slack == "squared" else 0.0
        b += factor * (float(formulation.margin(loss)) - half)
    return a, b, np.maximum(0.0, value.max(axis=1))


def summed(cut, case):
    """``a`` of a cut as (n_classes, columns), whichever form it has."""
    size = case.native.size
    return case.structure.to_coef(
        cut.a if isinstance(cut.a, np.ndarray) else np.bincount(cut.a.index, cut.a.value, size)
    )


CASES = st.builds(
    make,
    st.sampled_from(sorted(DENSITY)),
    single=st.booleans(),
    bias=st.sampled_from([0.0, 1.0, 2.5]),
    n=st.integers(1, 12),
    d=st.sampled_from([1, 2, 7, 8, 63, 64, 65, 130]),
    classes=st.sampled_from([2, 3, 4, 5, 8, 9, 15, 16, 17, 24, 31, 40]),
    costs=st.booleans(),
    weighted=st.booleans(),
    seed=st.integers(0, 10**6),
)
QUICK = settings(max_examples=60)


@given(case=CASES)
@QUICK
def test_rows_and_scores(case):
    everyone = np.arange(len(case.y), dtype=np.int32)
    assert case.rows.n == len(case.y)
    assert case.rows.columns == case.X.shape[1]
    offsets, columns, values = case.rows.cells_of(everyone)
    np.testing.assert_array_equal(sp.csr_array((values, columns, offsets), shape=case.X.shape).toarray(), case.X)
    np.testing.assert_allclose(case.rows.squared_norms, np.sum(case.X**2, axis=1), rtol=1e-12, atol=1e-15)
    scores = case.rows.scores(case.native, case.structure.n_classes, 1).reshape(len(case.y), -1)
    np.testing.assert_allclose(scores, case.X @ case.w.T, atol=1e-12)


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS))
@QUICK
def test_worst_class(case, formulation):
    oracle = case.bind(formulation)
    value = values(case, formulation)
    slack, output = oracle.worst(case.native, np.arange(len(case.y), dtype=np.int32))
    np.testing.assert_allclose(slack, np.maximum(0.0, value.max(axis=1)), atol=1e-12)
    np.testing.assert_allclose(value[np.arange(len(output)), output], slack, atol=1e-12)
    np.testing.assert_allclose(case.python(formulation).slacks(case.w.ravel()), slack, atol=1e-12)
    some = np.array([len(case.y) - 1, 0, 0], dtype=np.int32)
    np.testing.assert_array_equal(oracle.core.worst(case.native, some, 1)[0], slack[some])


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS[:-1]))
@QUICK
def test_cut(case, formulation):
    a, b, slack = brute_cut(case, formulation)
    cut = case.bind(formulation).cut(case.native)
    np.testing.assert_allclose(summed(cut, case), a, atol=1e-11)
    assert cut.b == pytest.approx(b, abs=1e-11)
    np.testing.assert_allclose(cut.slack, slack, atol=1e-12)
    python = case.python(formulation).cut(case.w.ravel())
    assert python.b == pytest.approx(b, abs=1e-11)


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS))
@QUICK
def test_planes_are_expanded_rightly(case, formulation):
    everyone = np.arange(len(case.y), dtype=np.int32)
    planes = case.bind(formulation).planes(case.native, everyone)
    highest = np.maximum(0.0, values(case, formulation).max(axis=1))
    np.testing.assert_allclose(np.maximum(0.0, planes.value(case.native)), highest, atol=1e-12)
    padding = planes.a.toarray().reshape(len(everyone), case.X.shape[1], -1)[:, :, case.structure.n_classes :]
    assert not padding.any()


@given(case=CASES, squared=st.booleans(), first=st.integers(0, 5), numerator=st.sampled_from([0.0, 0.7]))
@QUICK
def test_online_passes(case, squared, first, numerator):
    """``accumulate`` adds planes one after the other; the Python loop does the same."""
    formulation = (
        Formulation(mistakes=True) if numerator == 0.0 else Formulation("slack", "squared" if squared else "linear")
    )
    order = np.random.default_rng(first).permutation(len(case.y)).astype(np.int32)
    native = OnlineWalk(case.native.copy(), np.zeros(case.native.size), first)
    python = OnlineWalk(case.w.ravel().copy(), np.zeros(case.w.size), first)
    added = [case.bind(formulation).accumulate(native, part, numerator) for part in np.array_split(order, 2)]
    expected = [case.python(formulation).accumulate(python, part, numerator) for part in np.array_split(order, 2)]
    assert added == expected  # ties too: the first class is predicted
    assert native.done == python.done == len(order)
    sums = [walk.sum(Explicit(walk.v.size), 1.0) for walk in (native, python)]
    for ours, theirs in ((native.v, python.v), (native.late, python.late), sums):
        np.testing.assert_allclose(case.structure.to_coef(ours), theirs.reshape(case.w.shape), rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("kind", DENSITY)
@pytest.mark.parametrize("n", [2, 3, 5000])
def test_three_threads(kind, n):
    case = make(kind, n=n, d=20, classes=7, seed=n)
    for formulation in FORMULATIONS[:4]:
        one, three = case.bind(formulation, 1), case.bind(formulation, 3)
        np.testing.assert_array_equal(three.slacks(case.native), one.slacks(case.native))
        first, second = one.cut(case.native), three.cut(case.native)
        assert second.b == pytest.approx(first.b, rel=1e-12)
        np.testing.assert_allclose(summed(second, case), summed(first, case), rtol=1e-10, atol=1e-13 * n)
        again = case.bind(formulation, 3).cut(case.native)
        np.testing.assert_array_equal(
            summed(again, case), summed(second, case)
        )  # shares are fixed, whatever the timing
    scores = [case.rows.scores(case.native, 7, threads) for threads in (1, 2, 3, 64)]
    assert all(np.array_equal(scores[0], other) for other in scores[1:])


def test_layouts_round_trip():
    for classes in (2, 3, 8, 9, 33):
        structure = Multiclass(classes)
        coef = np.random.default_rng(0).standard_normal((classes, 5))
        native = structure.from_coef(coef)
        assert native.size == 5 * _core.padded(classes)
        np.testing.assert_array_equal(structure.to_coef(native), coef)


def test_the_native_edge_checks_its_arguments():
    """No conversion in silence, and no reading past the end."""
    case = make("dense")
    oracle, everyone = case.bind(FORMULATIONS[0]).core, np.arange(9, dtype=np.int32)
    engine = _core.MulticlassEngine(oracle, "linear", 1.0, None)
    wrong = [
        lambda: oracle.worst(case.native.astype(np.float32), everyone, 1),
        lambda: oracle.worst(case.native[::2], everyone, 1),
        lambda: oracle.worst(case.native[:-1].copy(), everyone, 1),
        lambda: oracle.worst(case.native, everyone.astype(np.int64), 1),
        lambda: oracle.worst(case.native, everyone + 1, 1),
        lambda: oracle.worst(case.native, -everyone - 1, 1),
        lambda: oracle.cut(case.native, everyone, np.ones(3), False, case.native.copy(), 1),
        lambda: oracle.cut(case.native, everyone, None, False, case.native[:-1].copy(), 1),
        lambda: oracle.accumulate(case.native, case.native, everyone, np.ones(3), False, 0, 0, 1.0),
        lambda: oracle.slacks(case.native[:-1].copy(), everyone, 1),
        lambda: _core.MulticlassEngine(oracle, "linear", 1.0, np.ones(3)),
        lambda: engine.restore(everyone, everyone, np.ones(9)),
        lambda: engine.restore(everyone[::-1].copy(), np.zeros(9, np.int32), np.ones(9)),
        lambda: engine.restore(np.zeros(2, np.int32), np.zeros(2, np.int32), np.ones(2)),
        lambda: engine.restore(everyone, np.zeros(9, np.int32), np.ones(8)),
        lambda: _core.MulticlassEngine(oracle, "soft", 1.0, None),
        lambda: _core.Multiclass(case.rows, case.y.astype(np.int32)[:3].copy(), np.ones((3, 3)), np.ones((3, 3)), 3),
        lambda: _core.Multiclass(case.rows, case.y.astype(np.int32) + 3, np.ones((3, 3)), np.ones((3, 3)), 3),
        lambda: _core.Multiclass(case.rows, case.y.astype(np.int32), np.ones((3, 2)), np.ones((3, 3)), 3),
        lambda: _core.Rows(np.ones((3, 3), dtype=np.int64), 0.0, True),
        lambda: _core.Rows(np.ones(2), np.array([0, 9], np.int32), np.array([0, 2], np.int64), 5, 0.0, True),
        lambda: _core.Rows(np.ones(2), np.array([0, 1], np.int32), np.array([0, 5], np.int64), 5, 0.0, True),
        lambda: case.rows.scores(case.native[:-1].copy(), 3, 1),
    ]
    accepted = []
    for number, call in enumerate(wrong):
        try:
            call()
        except (TypeError, ValueError, IndexError):
            continue
        accepted.append(number)
    assert accepted == []


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS[:6]))
@QUICK
def test_coarse_visits_leave_an_exact_state(case, formulation):
    """w is float32 on the way; afterwards w and the dual are those of alpha, in float64, close to what they were."""
    oracle, order = case.bind(formulation), np.arange(len(case.y), dtype=np.int32)
    engine = oracle.engine(0.5)
    for _ in range(2):
        engine.visit(order, _core.VisitSettings(step="line-search", coarse=True))
    assert engine.rough_weights.dtype == np.float32
    rough_w, rough_dual = np.array(engine.rough_weights), engine.dual
    state = engine.state()
    size = 1.0 + np.abs(state.alpha).sum()
    np.testing.assert_allclose(engine.weights, oracle.expand(state).combine(state.alpha), atol=1e-12 * size)
    assert engine.rough_weights.dtype == np.float64
    np.testing.assert_allclose(rough_w, engine.weights, atol=1e-4 * size)
    assert rough_dual == pytest.approx(engine.dual, abs=1e-4 * size**2)
    assert engine.dual >= -1e-6 * size


def battery():
    """Answers of every kind of rows at several sizes, as one vector."""
    found = []
    for kind in sorted(DENSITY):
        for single, classes, d in ((False, 3, 65), (True, 9, 17), (False, 22, 130), (True, 40, 8)):
            case = make(kind, single, 1.0, n=40, d=d, classes=classes, seed=classes)
            for formulation in FORMULATIONS[:4]:
                oracle = case.bind(formulation, 2)
                cut = oracle.cut(case.native)
                engine = oracle.engine(0.5)
                engine.visit(np.arange(40, dtype=np.int32), _core.VisitSettings())
                found += [oracle.slacks(case.native), summed(cut, case).ravel(), [cut.b], engine.weights, [engine.dual]]
            found.append(case.rows.scores(case.native, classes, 1))
    return np.concatenate(found)


def test_every_instruction_set_gives_the_same_answers(tmp_path):
    here, answers = os.path.dirname(os.path.abspath(__file__)), str(tmp_path / "answers.npy")
    program = (
        f"import sys; sys.path.insert(0, {here!r}); import numpy as np; import test_multiclass_oracle as t; "
        f"assert t._core.isa() == 'baseline'; np.save({answers!r}, t.battery())"
    )
    environment = {**os.environ, "MAXMARGIN_ISA": "baseline"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, timeout=120)
    np.testing.assert_allclose(battery(), np.load(answers), rtol=1e-12, atol=1e-12)
