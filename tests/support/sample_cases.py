"""Samples for ``solver_cases``: rows with a sign, and groups of rows with a measure.

Names are ``'rows <kind>'`` for binary rows and ``'sample <measure>'`` or ``'sample <measure> <kind>'`` for groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

import solver_cases
from brute_force import wrong_outputs
from maxmargin import Formulation
from maxmargin.groups.sample import Sample, SampleInput
from maxmargin.measures import as_measure
from maxmargin.measures.binary_rows import SignedOracle
from maxmargin.rows.matrices import as_rows
from reference import EveryPlane, dense, plane_of


def matrix(kind: str, n: int, seed: int) -> Any:
    """The storage kinds of the native core."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    X[rng.random(X.shape) < {"dense": 0.0, "masked": 0.6, "coded": 0.85, "csr": 0.5}[kind.rstrip("32")]] = 0.0
    X = X.astype(np.float32) if kind.endswith("32") else X
    return sp.csr_array(X) if kind.startswith("csr") else X


@dataclass(frozen=True, eq=False)
class RowsCase(solver_cases.Case):
    """Binary classification of single rows."""

    def planes(self, rescaling: str, slack: str) -> EveryPlane:
        signs = np.where(self.Y, 1.0, -1.0)
        X = self.X.toarray() if sp.issparse(self.X) else self.X
        return EveryPlane(signs[:, None] * X, np.ones(self.n), np.arange(self.n), self.n, slack)

    def bind(self, formulation: Formulation, weight: np.ndarray | None) -> Any:
        return SignedOracle(as_rows(self.X, 0.0, True), self.Y, formulation, weight, 1)


@dataclass(frozen=True, eq=False)
class SampleCase(solver_cases.Case):
    """Groups of rows; ``problem`` is the name of the measure."""

    groups: list[np.ndarray] = field(default_factory=list)

    @property
    def n(self) -> int:
        return len(self.groups)

    def planes(self, rescaling: str, slack: str) -> EveryPlane:
        rows, heights, example = [], [], []
        X = self.X.toarray() if sp.issparse(self.X) else np.asarray(self.X, dtype=float)
        for g, group in enumerate(self.groups):
            for output in wrong_outputs(self.Y[group], self.problem):
                a, b = plane_of(dense(X[group].T @ output.coefficients), output.loss, rescaling, slack)
                rows.append(a), heights.append(b), example.append(g)
        return EveryPlane(np.array(rows), np.array(heights), np.array(example), self.n, slack)

    def bind(self, formulation: Formulation, weight: np.ndarray | None) -> Any:
        sample = Sample(as_measure(self.problem))
        given = SampleInput(as_rows(self.X, 0.0, True), self.groups)
        return sample.bind(given, self.Y, formulation, sample_weight=weight)


def rows_case(name: str) -> RowsCase:
    X = matrix(name.split()[1], 20, 3)
    scores = X @ np.array([1.0, -1.0, 0.5, 0.25])
    return RowsCase(None, X, scores + 0.7 * np.random.default_rng(4).standard_normal(20) > 0)


def sample_case(name: str) -> SampleCase:
    """Four groups of four to six rows, each with both kinds of rows; the groups do not lie together."""
    _, measure, kind = (*name.split(), "dense")[:3]
    owner = np.repeat([0, 1, 2, 3], [5, 4, 6, 5])[np.random.default_rng(5).permutation(20)]
    groups = [np.flatnonzero(owner == g).astype(np.int32) for g in range(4)]
    truth = np.zeros(20, dtype=bool)
    for group, count in zip(groups, (2, 1, 3, 2)):
        truth[group[:count]] = True
    return SampleCase(measure, matrix(kind, 20, 6), truth, groups=groups)


solver_cases.MORE_CASES.update(rows=rows_case, sample=sample_case)
