"""Planes: value, Gram matrix and combination, for dense and sparse rows, and as oracles make them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from maxmargin import Formulation, Planes
from maxmargin.classes.multiclass import Multiclass
from maxmargin.oracles.bind import bind
from maxmargin.rows.matrices import as_rows

QUICK = settings(max_examples=25)
NUMBERS = st.floats(-10.0, 10.0, allow_subnormal=False).map(lambda v: round(v, 2))
KINDS = {
    "array": np.asarray,
    "csr_array": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
}


@st.composite
def planes_and_more(draw):
    """Rows, offsets, another set of rows, weights and multipliers of sizes that fit."""
    m, other, d = draw(st.integers(0, 5)), draw(st.integers(1, 4)), draw(st.integers(1, 6))

    def numbers(*shape):
        return draw(hnp.arrays(np.float64, shape, elements=st.one_of(st.just(0.0), NUMBERS)))

    return numbers(m, d), numbers(m), numbers(other, d), numbers(d), numbers(m)


@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize("first", KINDS)
@given(given_=planes_and_more())
@QUICK
def test_operations_are_those_of_matrices(first, second, given_):
    a, b, other, w, alpha = given_
    examples = np.arange(len(b), dtype=np.int32)
    planes = Planes(KINDS[first](a), b, examples)
    rivals = Planes(KINDS[second](other), np.zeros(len(other)), np.zeros(len(other), np.int32))
    assert len(planes) == len(b)
    assert planes.exact
    np.testing.assert_allclose(planes.value(w), b - a @ w, atol=1e-9)
    np.testing.assert_allclose(planes.gram(), a @ a.T, atol=1e-9)
    np.testing.assert_allclose(planes.gram(rivals), a @ other.T, atol=1e-9)
    np.testing.assert_allclose(planes.combine(alpha), alpha @ a, atol=1e-9)
    for result, shape in (
        (planes.value(w), (len(b),)),
        (planes.gram(), (len(b), len(b))),
        (planes.gram(rivals), (len(b), len(other))),
        (planes.combine(alpha), (a.shape[1],)),
    ):
        assert type(result) is np.ndarray
        assert result.shape == shape


@given(given_=planes_and_more())
@QUICK
def test_the_three_operations_agree(given_):
    """``value`` of ``combine`` is the Gram matrix at work: the identity that a dual solver lives on."""
    a, b, _, _, alpha = given_
    for kind in KINDS.values():
        planes = Planes(kind(a), b, np.arange(len(b), dtype=np.int32))
        np.testing.assert_allclose(planes.value(planes.combine(alpha)), b - planes.gram() @ alpha, atol=1e-6)


def test_planes_do_not_change():
    planes = Planes(np.eye(2), np.ones(2), np.arange(2, dtype=np.int32), exact=False)
    with pytest.raises(AttributeError):
        planes.b = np.zeros(2)
    assert not planes.exact


class Letters:
    """Three outputs; dense or sparse features."""

    def __init__(self, sparse):
        self.sparse = sparse

    def joint_feature(self, x, y):
        row = np.kron(np.eye(3)[y], x)
        return sp.csr_array(row[None, :]) if self.sparse else row

    def loss(self, y_true, y):
        return abs(y_true - y) / 2

    def outputs(self, x):
        return range(3)

    def argmax(self, x, w, y_true=None):
        return int(np.argmax(w.reshape(3, -1) @ x + (0.0 if y_true is None else np.abs(np.arange(3) - y_true) / 2)))


def all_planes(x, y_true, formulation):
    """Every plane of an example in slot layout, by the table of the formulations."""
    rows, offsets = [], []
    for y in range(3):
        if y != y_true:
            loss = abs(y_true - y) / 2
            psi = np.kron(np.eye(3)[y_true] - np.eye(3)[y], x)
            rows.append(float(formulation.scale(loss)) * psi)
            offsets.append(float(formulation.margin(loss)))
    return Planes(np.array(rows), np.array(offsets), np.zeros(2, np.int32))


FORMULATIONS = [Formulation(r, s) for r in ("margin", "slack", "none") for s in ("linear", "squared")]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("formulation", FORMULATIONS, ids=str)
def test_oracles_give_the_highest_plane(formulation, sparse):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((8, 2)), rng.integers(0, 3, 8)
    cost = np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 2
    structure = Multiclass(3, cost)
    native = structure.bind(as_rows(X, 0.0, True), Y.astype(np.int32), formulation)
    python = bind(Letters(sparse), list(X), [int(y) for y in Y], formulation)
    everyone = np.arange(8, dtype=np.int32)
    for _ in range(5):
        w = rng.standard_normal(6)
        expected = np.array([max(0.0, all_planes(x, y, formulation).value(w).max()) for x, y in zip(X, Y)])
        native_w = structure.from_coef(w.reshape(3, 2))
        np.testing.assert_allclose(native.slacks(native_w), expected, atol=1e-12)
        np.testing.assert_allclose(python.slacks(w), expected, atol=1e-12)
        for oracle, point in ((native, native_w), (python, w)):
            planes = oracle.planes(point, everyone)
            assert planes.a.shape == (8, oracle.dimension)
            np.testing.assert_array_equal(planes.example, everyone)
            np.testing.assert_allclose(np.maximum(0.0, planes.value(point)), expected, atol=1e-12)
            cut = oracle.cut(point)
            risk = formulation.risk(expected).sum()
            a = cut.a if isinstance(cut.a, np.ndarray) else np.bincount(cut.a.index, cut.a.value, oracle.dimension)
            assert cut.b - a @ point == pytest.approx(risk, abs=1e-12)
            # a cut is a lower bound of the risk everywhere
            elsewhere = point + 0.5 * rng.standard_normal(point.size) * (point != 0.0)
            assert cut.b - a @ elsewhere <= formulation.risk(oracle.slacks(elsewhere)).sum() + 1e-9


def test_features_may_share_a_buffer():
    """A joint_feature that fills the same array at every call is as good as one that makes new ones."""

    class Buffered(Letters):
        buffer = np.zeros(6)

        def joint_feature(self, x, y):
            self.buffer[:] = super().joint_feature(x, y)
            return self.buffer

    rng = np.random.default_rng(1)
    X, Y = list(rng.standard_normal((8, 2))), [0, 1, 2, 0, 1, 2, 0, 1]
    w = rng.standard_normal(6)
    for formulation in FORMULATIONS:
        expected = bind(Letters(False), X, Y, formulation).slacks(w)
        np.testing.assert_allclose(bind(Buffered(False), X, Y, formulation).slacks(w), expected, atol=1e-12)
