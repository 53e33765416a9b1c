"""The native oracle of binary rows beside plain NumPy, and what its native edge refuses."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import Formulation, _core
from maxmargin.core.vectors import SparseVector
from maxmargin.measures.binary_rows import BinaryRows
from maxmargin.oracles.base import OnlineWalk
from maxmargin.rows.matrices import as_rows


def make(n=30, d=6, sparse=False, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.5)
    rows = as_rows(sp.csr_array(X) if sparse else X, 1.0, True)
    return rows, np.c_[X, np.ones(n)], rng.random(n) < 0.4, rng.standard_normal(d + 1), rng.random(n)


def dense(a, dimension):
    if not isinstance(a, SparseVector):
        return a
    found = np.zeros(dimension)
    found[a.index] = a.value
    return found


@pytest.mark.parametrize("slack", ["linear", "squared"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_slacks_and_cuts(slack, sparse, threads):
    rows, X, positive, w, weight = make(sparse=sparse)
    oracle = BinaryRows().bind(rows, positive, Formulation(slack=slack), sample_weight=weight, threads=threads)
    planes = np.where(positive, 1.0, -1.0)[:, None] * X
    expected = np.maximum(0.0, 1.0 - planes @ w)
    np.testing.assert_allclose(oracle.slacks(w), expected, atol=1e-14)
    cut = oracle.cut(w)
    factor = weight * (expected if slack == "squared" else expected > 0.0)
    np.testing.assert_allclose(cut.slack, expected, atol=1e-14)
    np.testing.assert_allclose(dense(cut.a, w.size), factor @ planes, atol=1e-13)
    half = 0.5 * expected if slack == "squared" else 0.0
    assert cut.b == pytest.approx(float(np.sum(factor * (1.0 - half))), rel=1e-13)
    some = np.array([4, 2, 2], np.int32)
    found, signs = oracle.worst(w, some)
    np.testing.assert_array_equal(found, oracle.slacks(w)[some])
    np.testing.assert_array_equal(signs > 0, positive[some] ^ (found > 0.0))


def test_subgradient_steps():
    rows, X, positive, _, weight = make()
    oracle = BinaryRows().bind(rows, positive, Formulation(), sample_weight=weight)
    walk, order = OnlineWalk(np.zeros(7), np.zeros(7), 2), np.random.default_rng(1).permutation(30).astype(np.int32)
    added = sum(oracle.accumulate(walk, part, 9.0) for part in np.array_split(order, 3))
    planes, v, late, expected = np.where(positive, 1.0, -1.0)[:, None] * X, np.zeros(7), np.zeros(7), 0
    for t, i in enumerate(order):
        if 1.0 - 9.0 / (2 + t) * float(planes[i] @ v) > 0.0:
            v = v + weight[i] * planes[i]
            late += (t + 1) * weight[i] * planes[i]
            expected += 1
    np.testing.assert_allclose(walk.v, v, atol=1e-12)
    np.testing.assert_allclose(walk.late, late, atol=1e-11)
    assert (added, walk.done) == (expected, 30)


def test_the_native_edge_checks_its_arguments():
    rows, _, positive, w, _ = make(n=5)
    core, everyone = BinaryRows().bind(rows, positive, Formulation()).core, np.arange(5, dtype=np.int32)
    engine = _core.BinaryRowsEngine(core, "linear", 1.0, None)
    none, signs = np.zeros(5, np.int32), np.ones(5, np.int8)
    wrong = [
        lambda: core.slacks(w[:-1].copy(), everyone, 1),
        lambda: core.worst(w, everyone + 1, 1),
        lambda: core.worst(w, -everyone - 1, 1),
        lambda: core.cut(w, everyone, np.ones(3), False, w.copy(), 1),
        lambda: core.cut(w, everyone, None, False, w[:-1].copy(), 1),
        lambda: core.accumulate(w, w[:-1].copy(), everyone, None, False, 0, 0, 1.0),
        lambda: _core.BinaryRowsEngine(core, "soft", 1.0, None),
        lambda: _core.BinaryRowsEngine(core, "linear", 1.0, np.ones(3)),
        lambda: engine.restore(everyone, none + 1, np.ones(5)),
        lambda: engine.restore(none, none, np.ones(5)),
        lambda: engine.restore(everyone + 1, none, np.ones(5)),
        lambda: engine.restore(everyone, none, np.ones(4)),
        lambda: _core.BinaryRows(rows, signs[:3].copy(), 1.0),
        lambda: _core.BinaryRows(rows, 2 * signs, 1.0),
    ]
    for call in wrong:
        with pytest.raises((TypeError, ValueError, IndexError)):
            call()
