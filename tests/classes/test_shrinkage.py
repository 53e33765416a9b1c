"""Columns that are much alike: a C that suits single columns keeps their differences from being learned."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import MulticlassSVC
from maxmargin.classes.shrinkage import share_held_back
from maxmargin.rows.matrices import as_rows


def alike(n: int, spread: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Six columns of each of five kinds, which differ by noise; the classes depend on the noise."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((n, 30))
    scores = noise @ rng.standard_normal((30, 3)) / 3.0 + 0.3 * rng.gumbel(size=(n, 3))
    return np.repeat(rng.standard_normal((n, 5)), 6, axis=1) + spread * noise, scores.argmax(axis=1)


@pytest.mark.parametrize("spread", [0.02, 0.1, 0.3])
def test_differences_of_columns_that_are_alike_are_learned(spread):
    X, y = alike(2400, spread)
    model = MulticlassSVC().fit(X[:1200], y[:1200])
    apart = MulticlassSVC().fit(*alike(1200, 1.0))  # the same columns where they are not alike
    X_apart, y_apart = alike(2400, 1.0)
    assert model.score(X[1200:], y[1200:]) > apart.score(X_apart[1200:], y_apart[1200:]) - 0.06


def test_the_share_is_that_of_the_eigenvalues():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 6)) * [1.0, 1.0, 1.0, 0.01, 0.01, 0.0]
    labels, weight = rng.integers(0, 2, 400).astype(np.int32), np.ones(400)
    rows = as_rows(X, 0.0, True)
    curvature = 0.25 * (X**2).sum(axis=0)
    C = 1.0 / curvature[2]  # 0.5 lies between the columns of size 1 and those of size 0.01
    assert share_held_back(rows, labels, weight, C) == pytest.approx(2 / 6)
    assert share_held_back(rows, labels, weight, 1e6 * C) == 0.0


@pytest.mark.parametrize(("n", "columns"), [(300, 5), (4000, 70), (300, 80)])
@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
def test_whatever_way_the_products_are_summed_up(n, columns, scale):
    rng = np.random.default_rng(n + columns)
    X = rng.standard_normal((n, columns)) * rng.uniform(0.2, 1.0, columns)
    labels, weight = rng.integers(0, 3, n).astype(np.int32), rng.uniform(0.5, 1.5, n)
    step = max(1, n // max(500, 10 * columns))
    own, counted = X[::step], weight[::step]
    share = np.bincount(labels, weight) / weight.sum()
    C = scale / n
    curvature = C * step * np.mean(share * (1.0 - share)) * np.linalg.eigvalsh((counted[:, None] * own).T @ own)
    expected = np.count_nonzero(curvature < 0.5) / columns
    assert share_held_back(as_rows(X, 0.0, True), labels, weight, C) == pytest.approx(expected)


def test_few_examples_and_many_columns_have_no_share():
    assert share_held_back(as_rows(np.ones((5, 300)), 0.0, True), np.zeros(5, np.int32), np.ones(5), 1.0) == 0.0
