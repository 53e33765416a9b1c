"""Structures over rows, each bound to features and to the linear kernel of the same rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from maxmargin import Formulation, _core
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.sequences.packed import Sequences
from maxmargin.chains.sequences.packing import pack
from maxmargin.classes.multiclass import Multiclass
from maxmargin.classes.output_features import OutputFeatures
from maxmargin.groups.sample import Sample, SampleInput
from maxmargin.groups.swapped_pairs import SwappedPairs
from maxmargin.labels.multilabel import Multilabel
from maxmargin.measures.binary_rows import BinaryRows
from maxmargin.oracles.base import Oracle
from maxmargin.rows.groups import RowGroups
from maxmargin.rows.kernel_cache import KernelCache
from maxmargin.rows.kernel_oracle import KernelOracle
from maxmargin.rows.matrices import as_rows

N, COLUMNS, CONSTANT = 90, 4, 0.5
FORMULATIONS = [
    Formulation("margin", "linear"),
    Formulation("margin", "squared"),
    Formulation("slack", "linear"),
    Formulation("slack", "squared"),
]
WHOLE = 2**30  # bytes: everything


def rows(n: int = N) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, COLUMNS))


def kept(products: np.ndarray, limit: int) -> KernelCache:
    return KernelCache(lambda rows, columns: products[rows][:, columns], products.diagonal(), limit)


def numbers(seed: int, classes: int, n: int = N) -> np.ndarray:
    rng = np.random.default_rng(seed)
    scores = rows(n) @ rng.normal(size=(COLUMNS, classes)) + rng.normal(size=(n, classes))
    return scores.argmax(axis=1).astype(np.int32)


Bound = tuple[Oracle, KernelOracle]


def bound_classes(formulation: Formulation, limit: int, n: int = N) -> Bound:
    X, y, structure = rows(n), numbers(1, 4, n), Multiclass(4)
    cache = kept(X @ X.T, limit)
    units = cache.unit_rows(CONSTANT)
    by_kernel = KernelOracle(structure.bind(units, y, formulation), units, cache, _core.padded(4))
    return structure.bind(as_rows(X, CONSTANT, True), y, formulation), by_kernel


def bound_outputs(formulation: Formulation, limit: int, n: int = N) -> Bound:
    X, y = rows(n), numbers(2, 5, n)
    structure = OutputFeatures(np.random.default_rng(3).normal(size=(5, 3)))
    cache = kept(X @ X.T, limit)
    units = cache.unit_rows(CONSTANT)
    by_kernel = KernelOracle(structure.bind(units, y, formulation), units, cache, _core.padded(3))
    return structure.bind(as_rows(X, CONSTANT, True), y, formulation), by_kernel


def bound_labels(formulation: Formulation, limit: int, n: int = N, pairs: Any = ()) -> Bound:
    X = rows(n)
    truths = (X @ np.random.default_rng(4).normal(size=(COLUMNS, 3)) > 0.4).astype(np.uint8)
    structure = Multilabel(3, pairs=pairs)
    cache = kept(X @ X.T, limit)
    units = cache.unit_rows(CONSTANT)
    by_kernel = KernelOracle(structure.bind(units, truths, formulation), units, cache, _core.padded(3))
    return structure.bind(as_rows(X, CONSTANT, True), truths, formulation), by_kernel


def bound_pairs_of_labels(formulation: Formulation, limit: int, n: int = N) -> Bound:
    return bound_labels(formulation, limit, n, [(0, 1), (1, 2)])


def bound_two_classes(formulation: Formulation, limit: int, n: int = N) -> Bound:
    X, y, structure = rows(n), numbers(5, 2, n) == 1, BinaryRows()
    cache = kept(X @ X.T, limit)
    units = cache.unit_rows(CONSTANT)
    by_kernel = KernelOracle(structure.bind(units, y, formulation), units, cache, 1)
    return structure.bind(as_rows(X, CONSTANT, True), y, formulation), by_kernel


def bound_chains(formulation: Formulation, limit: int, n: int = N) -> Bound:
    X, y = rows(n), numbers(6, 3, n)
    ends = np.cumsum([0, *np.random.default_rng(7).integers(1, 9, size=n)])
    ends = np.append(ends[ends < n], n)
    tokens = pack(np.split(X, ends[1:-1]))
    cache = kept(X @ X.T, limit)
    units = cache.unit_rows(CONSTANT)
    unit_tokens = Sequences(tokens.offsets, np.arange(n + 1, dtype=np.int64), np.arange(n, dtype=np.int32), None, 2 * n)
    chain = Chain(3, COLUMNS, constant=CONSTANT)
    base = replace(chain, n_features=2 * n).bind(ChainInput(unit_tokens, units=units), y, formulation)
    return chain.bind(tokens, y, formulation), KernelOracle(
        base, units, cache, _core.padded(3), RowGroups(np.arange(n, dtype=np.int32), tokens.offsets)
    )


def bound_rankings(formulation: Formulation, limit: int, n: int = N) -> Bound:
    """Groups whose rows are not in order, and one row that is in two of them."""
    X, y = rows(n), numbers(8, 3, n).astype(np.float64)
    order = np.random.default_rng(9).permutation(n).astype(np.int32)
    groups = np.split(order, np.arange(6, n, 6))
    groups[0] = np.append(groups[0], groups[1][0])
    for group in groups:
        y[group[:2]] = 0.0, 2.0  # every group has two grades
    cache = kept(X @ X.T, limit)
    units, structure = cache.unit_rows(), Sample(SwappedPairs())
    base = structure.bind(SampleInput(units, groups), y, formulation)
    explicit = structure.bind(SampleInput(as_rows(X, 0.0, True), groups), y, formulation)
    return explicit, KernelOracle(base, units, cache, 1, RowGroups.of(groups))


STRUCTURES: dict[str, Callable[..., Bound]] = {
    "classes": bound_classes,
    "output features": bound_outputs,
    "labels": bound_labels,
    "pairs of labels": bound_pairs_of_labels,
    "two classes": bound_two_classes,
    "chains": bound_chains,
    "rankings": bound_rankings,
}
