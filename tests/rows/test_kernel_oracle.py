"""Training over rows of a kernel matrix: with the linear kernel it is training on the features themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import BlockCoordinate, Formulation, NSlack, OneSlack, Perceptron, _core
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.sequences.packed import Sequences
from maxmargin.chains.sequences.packing import pack
from maxmargin.classes.multiclass import Multiclass
from maxmargin.classes.output_features import OutputFeatures
from maxmargin.labels.multilabel import Multilabel
from maxmargin.measures.binary_rows import BinaryRows
from maxmargin.oracles.base import Oracle
from maxmargin.oracles.search import Unsupported
from maxmargin.rows import kernel_cache, kernel_oracle
from maxmargin.rows.kernel_cache import KernelCache
from maxmargin.rows.kernel_oracle import KernelOracle
from maxmargin.rows.matrices import as_rows
from maxmargin.solvers.base import Run, Status

N, COLUMNS, CONSTANT, C = 90, 4, 0.5, 0.3
SOLVERS = [BlockCoordinate(), NSlack(), OneSlack()]
FORMULATIONS = [
    Formulation("margin", "linear"),
    Formulation("margin", "squared"),
    Formulation("slack", "linear"),
    Formulation("slack", "squared"),
]
WHOLE, LITTLE = 2**30, 4 * N * 40  # bytes: everything, and little more than the rows of a working set


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several working sets, though there are few rows."""
    for module in (kernel_cache, kernel_oracle):
        monkeypatch.setattr(module, "BLOCK", 32)


def rows(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(N, COLUMNS))


def kept(products: np.ndarray, limit: int) -> KernelCache:
    return KernelCache(lambda rows, columns: products[rows][:, columns], products.diagonal(), limit)


def numbers(seed: int, classes: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    scores = rows() @ rng.normal(size=(COLUMNS, classes)) + rng.normal(size=(N, classes))
    return scores.argmax(axis=1).astype(np.int32)


Bound = tuple[Oracle, KernelOracle]


def bound_classes(formulation: Formulation, limit: int) -> Bound:
    X, y, structure = rows(), numbers(1, 4), Multiclass(4)
    cache = kept(X @ X.T, limit)
    units = cache.unit_rows(CONSTANT)
    by_kernel = KernelOracle(structure.bind(units, y, formulation), units, cache, _core.padded(4))
    return structure.bind(as_rows(X, CONSTANT, True), y, formulation), by_kernel


def bound_outputs(formulation: Formulation, limit: int) -> Bound:
    X, y = rows(), numbers(2, 5)
    structure = OutputFeatures(np.random.default_rng(3).normal(size=(5, 3)))
    cache = kept(X @ X.T, limit)
    units = cache.unit_rows(CONSTANT)
    by_kernel = KernelOracle(structure.bind(units, y, formulation), units, cache, _core.padded(3))
    return structure.bind(as_rows(X, CONSTANT, True), y, formulation), by_kernel


def bound_labels(formulation: Formulation, limit: int, pairs: Any = ()) -> Bound:
    X = rows()
    truths = (X @ np.random.default_rng(4).normal(size=(COLUMNS, 3)) > 0.4).astype(np.uint8)
    structure = Multilabel(3, pairs=pairs)
    cache = kept(X @ X.T, limit)
    units = cache.unit_rows(CONSTANT)
    by_kernel = KernelOracle(structure.bind(units, truths, formulation), units, cache, _core.padded(3))
    return structure.bind(as_rows(X, CONSTANT, True), truths, formulation), by_kernel


def bound_pairs_of_labels(formulation: Formulation, limit: int) -> Bound:
    return bound_labels(formulation, limit, [(0, 1), (1, 2)])


def bound_two_classes(formulation: Formulation, limit: int) -> Bound:
    X, y, structure = rows(), numbers(5, 2) == 1, BinaryRows()
    cache = kept(X @ X.T, limit)
    units = cache.unit_rows(CONSTANT)
    by_kernel = KernelOracle(structure.bind(units, y, formulation), units, cache, 1)
    return structure.bind(as_rows(X, CONSTANT, True), y, formulation), by_kernel


def bound_chains(formulation: Formulation, limit: int) -> Bound:
    X, y = rows(), numbers(6, 3)
    ends = np.cumsum([0, *np.random.default_rng(7).integers(1, 9, size=N)])
    ends = np.append(ends[ends < N], N)
    tokens = pack(np.split(X, ends[1:-1]))
    cache = kept(X @ X.T, limit)
    units = cache.unit_rows(CONSTANT)
    unit_tokens = Sequences(tokens.offsets, np.arange(N + 1, dtype=np.int64), np.arange(N, dtype=np.int32), None, 2 * N)
    chain = Chain(3, COLUMNS, constant=CONSTANT)
    base = replace(chain, n_features=2 * N).bind(ChainInput(unit_tokens, units=units), y, formulation)
    return chain.bind(tokens, y, formulation), KernelOracle(base, units, cache, _core.padded(3), tokens.offsets)


STRUCTURES: dict[str, Callable[[Formulation, int], Bound]] = {
    "classes": bound_classes,
    "output features": bound_outputs,
    "labels": bound_labels,
    "pairs of labels": bound_pairs_of_labels,
    "two classes": bound_two_classes,
    "chains": bound_chains,
}


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


def test_online_solvers_are_refused() -> None:
    _, by_kernel = bound_classes(Formulation("none", "linear", mistakes=True), WHOLE)
    with pytest.raises(Unsupported, match="rank="):
        Perceptron()(by_kernel, C, Run(max_iter=2))
