"""Training over rows of a kernel matrix: with the linear kernel it is training on the features themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from kernel_oracle_cases import FORMULATIONS, STRUCTURES, WHOLE, N, bound_classes, bound_rankings, kept, numbers, rows
from maxmargin import BlockCoordinate, Formulation, NSlack, OneSlack, Perceptron, _core
from maxmargin.classes.multiclass import Multiclass
from maxmargin.core.vectors import SparseVector
from maxmargin.oracles.plane_by_plane import add_plane
from maxmargin.oracles.search import Unsupported
from maxmargin.rows import kernel_cache, kernel_oracle
from maxmargin.rows.kernel_oracle import KernelOracle
from maxmargin.rows.matrices import as_rows
from maxmargin.solvers.base import Run, Status

C = 0.3
SOLVERS = [BlockCoordinate(), NSlack(), OneSlack()]
LITTLE = 4 * N * 40  # bytes: little more than the rows of a working set


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several working sets, though there are few rows."""
    for module in (kernel_cache, kernel_oracle):
        monkeypatch.setattr(module, "BLOCK", 32)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda own: f"{own.rescaling}-{own.slack}")
@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_linear_kernel_is_the_features(structure: str, formulation: Formulation, solver: Any) -> None:
    explicit, by_kernel = STRUCTURES[structure](formulation, WHOLE)
    run = Run(tol=1e-6 if solver.name == "one-slack" else 1e-7, max_iter=20_000)
    reference, found = solver(explicit, C, run), solver(by_kernel, C, run)
    assert found.status is Status.CONVERGED
    assert found.primal == pytest.approx(reference.primal, rel=3e-6)
    assert found.dual <= found.primal * (1.0 + 1e-9)
    assert found.slack == pytest.approx(reference.slack, abs=1e-2)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
@pytest.mark.parametrize("structure", ["classes", "chains"])
def test_rows_that_do_not_fit_are_computed_again(structure: str, solver: Any) -> None:
    formulation = Formulation("margin", "squared")
    explicit, by_kernel = STRUCTURES[structure](formulation, LITTLE)
    assert by_kernel.cache.capacity < N
    run = Run(tol=1e-4, max_iter=20_000)
    reference, found = solver(explicit, C, run), solver(by_kernel, C, run)
    assert found.status is Status.CONVERGED
    assert found.primal == pytest.approx(reference.primal, rel=1e-3)
    assert by_kernel.cache.computed > N


def test_points_have_the_inner_products_of_the_features() -> None:
    """The weights that come out, written out as features, are what the features give."""
    explicit, by_kernel = bound_classes(Formulation("margin", "squared"), WHOLE)
    run = Run(tol=1e-9, max_iter=20_000)
    reference, found = NSlack()(explicit, C, run), NSlack()(by_kernel, C, run)
    space = by_kernel.space
    written = np.vstack([rows().T @ space.coefficients(found.w), space.explicit_part(found.w).reshape(1, -1)])
    assert written == pytest.approx(reference.w.reshape(written.shape), abs=1e-4)
    assert space.square(found.w) == pytest.approx(float(reference.w @ reference.w), rel=1e-5)


def test_two_rows_that_contradict_each_other_are_found() -> None:
    """A hard margin over equal rows of different classes cannot be met, whatever the kernel."""
    X, y = rows()[:25], numbers(1, 4)[:25]
    X[1], y[0], y[1] = X[0], 0, 1
    cache = kept(rbf_kernel(X, gamma=0.5), WHOLE)
    units, structure = cache.unit_rows(), Multiclass(4)
    oracle = KernelOracle(structure.bind(units, y, Formulation("none", "hard")), units, cache, _core.padded(4))
    found = NSlack()(oracle, 1.0, Run(tol=1e-3, max_iter=20_000))
    assert found.status is Status.INFEASIBLE
    assert found.certificate is not None
    assert set(found.certificate.examples[:2]) == {0, 1}


def test_planes_of_groups_need_the_products_of_their_rows() -> None:
    """A plane that is taken in without them would have wrong ones."""
    _, by_kernel = bound_rankings(Formulation(), WHOLE)
    engine = by_kernel.base.engine(C)
    some = np.arange(5, dtype=np.int32)
    by_kernel.set_patch(some, by_kernel.cache.patch(some), np.zeros((1, 5)))
    plane = SparseVector(np.array([4, 7], dtype=np.int32), np.array([1.0, -1.0]))
    with pytest.raises(RuntimeError, match="outside the patch"):
        add_plane(engine.core, 0, plane, 1.0)


def test_online_solvers_are_refused() -> None:
    _, by_kernel = bound_classes(Formulation("none", "linear", mistakes=True), WHOLE)
    with pytest.raises(Unsupported, match="rank="):
        Perceptron()(by_kernel, C, Run(max_iter=2))


@pytest.mark.parametrize("solver", [BlockCoordinate(), NSlack()], ids=lambda solver: solver.name)
@pytest.mark.parametrize(("slack", "C"), [("squared", 1e5), ("linear", 1e5), ("hard", 1.0)])
def test_a_large_c_is_solved_over_all_planes_at_once(slack: Any, C: float, solver: Any) -> None:
    """Steps of one example after the other take more than a limit of passes here; features are the judge."""
    X, y, structure = rows(50), numbers(1, 3, 50), Multiclass(3)
    products = rbf_kernel(X, gamma=0.3)
    formulation = Formulation("none" if slack == "hard" else "margin", slack)
    units_cache = kept(products, WHOLE)
    units = units_cache.unit_rows()
    by_kernel = KernelOracle(structure.bind(units, y, formulation), units, units_cache, _core.padded(3))
    explicit = structure.bind(as_rows(np.linalg.cholesky(products), 0.0, True), y, formulation)
    run = Run(tol=1e-3, max_iter=2000) if slack == "hard" else Run(tol=1e-12, relative=1e-3, max_iter=2000)
    reference, found = NSlack()(explicit, C, run), solver(by_kernel, C, run)
    assert reference.status is Status.CONVERGED
    assert found.status is Status.CONVERGED
    assert found.primal == pytest.approx(reference.primal, rel=5e-3)
    assert found.dual == pytest.approx(reference.dual, rel=5e-3)
