"""The oracle of a measure over groups against the enumeration of all labellings."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import BlockCoordinate, Formulation, NSlack, OneSlack, Status
from maxmargin.groups.sample import Sample, SampleInput
from maxmargin.measures import ErrorRate
from maxmargin.oracles.bind import bind
from maxmargin.rows.matrices import as_rows
from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.base import Run


def groups_of(ids):
    return [np.flatnonzero(ids == g).astype(np.int32) for g in np.unique(ids)]


@pytest.mark.parametrize("solver", [OneSlack(), NSlack(), BlockCoordinate(), Automatic()], ids=lambda s: s.name)
@pytest.mark.parametrize("sparse", [False, True])
def test_error_rate_over_groups_is_the_sum_of_hinge_losses(solver, sparse):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 5))
    y = X[:, 0] + rng.standard_normal(40) > 0
    rows = as_rows(sp.csr_array(X) if sparse else X, 1.0, True)
    members = groups_of(rng.integers(0, 4, 40))
    weight = np.array([group.size for group in members], dtype=float)
    oracle = bind(Sample(ErrorRate()), SampleInput(rows, members), y, Formulation(), sample_weight=weight)
    solution = solver(oracle, 0.3, Run(tol=1e-7, max_iter=5000))
    assert solution.status is Status.CONVERGED
    sign = np.where(y, 1, -1)
    hinge = np.maximum(0, 1 - sign * (X @ solution.w[:5] + solution.w[5])).sum()
    assert solution.primal == pytest.approx(solution.w @ solution.w / 2 + 0.3 * hinge, rel=1e-9)
    from sklearn.svm import LinearSVC

    peer = LinearSVC(loss="hinge", C=0.3, tol=1e-9, max_iter=200_000, random_state=0).fit(X, sign)
    w = np.append(peer.coef_[0], peer.intercept_)
    best = w @ w / 2 + 0.3 * np.maximum(0, 1 - sign * (X @ w[:5] + w[5])).sum()
    assert solution.primal == pytest.approx(best, rel=1e-5)
