"""Products of the planes of one sequence: from products of tokens, or through a dense vector."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import Formulation
from maxmargin._core import VisitSettings
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.oracle import ChainOracle
from maxmargin.chains.sequences import pack

# length, features, share of cells that are not zero, labels: few cells and short, many cells and long, rows that are as
# wide as the weights of a few labels, so many labels that only those asked for are worth a look
SHAPES = [
    (6, 300, 0.05, 5),
    (9, 4, 1.0, 3),
    (150, 4, 1.0, 3),
    (300, 40, 0.3, 4),
    (40, 2000, 0.01, 90),
    (120, 3, 1.0, 60),
]


def _oracle(
    length: int,
    features: int,
    density: float,
    labels: int,
    formulation: Formulation,
    pairs: int = 0,
    **settings: object,
) -> ChainOracle:
    rng = np.random.default_rng(length + labels)
    lengths = [length, max(1, length // 2), 1]

    def tokens(columns: int, share: float) -> list[sp.csr_array]:
        return [
            sp.random_array((n, columns), density=share, rng=rng, format="csr", data_sampler=rng.standard_normal)
            for n in lengths
        ]

    X = ChainInput(pack(tokens(features, density)), pack(tokens(pairs, 0.7)) if pairs else None)
    Y = rng.integers(0, labels, sum(lengths)).astype(np.int32)
    chain = Chain(labels, features, n_pair_features=pairs, **settings)  # type: ignore[arg-type]
    return chain.bind(X, Y, formulation)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("settings", "formulation"),
    [
        ({}, Formulation()),
        ({"ends": False, "constant": False}, Formulation("slack")),
        ({"order": 2, "eta": 0.5}, Formulation("none")),
        ({"pairs": 3}, Formulation()),
    ],
)
def test_products_are_those_of_the_rows(
    shape: tuple[int, int, float, int], settings: dict[str, object], formulation: Formulation
) -> None:
    length, features, density, labels = shape
    labels = min(labels, 12) if "order" in settings else labels
    oracle = _oracle(length, features, density, labels, formulation, **settings)  # type: ignore[arg-type]
    engine = oracle.engine(0.3)
    for _ in range(12):  # several planes in each block, with products of both kinds on the way
        engine.visit(np.arange(3, dtype=np.int32), VisitSettings(keep_idle=100))
    offsets, index, value, b = engine.core.planes()
    rows = sp.csr_array((value, index, offsets), shape=(b.size, oracle.dimension))
    example = engine.core.support()[0]
    assert np.bincount(example, minlength=3).max() >= 3
    for i in range(3):
        own = rows[np.flatnonzero(example == i)]
        expected = (own @ own.T).toarray()
        found = engine.core.gram(i).reshape(expected.shape)
        np.testing.assert_allclose(found, expected, rtol=0, atol=3e-6 * max(1.0, np.abs(expected).max()))


def test_the_work_of_a_visit_grows_with_the_tokens_only() -> None:
    """Eight times the tokens take about eight times as long; a product of all pairs of tokens would take 64 times."""
    seconds = []
    for length in (2_000, 16_000):
        oracle = _oracle(length, 10, 1.0, 3, Formulation())
        engine = oracle.engine(0.01)
        begin = time.process_time()
        for _ in range(10):
            engine.visit(np.arange(3, dtype=np.int32), VisitSettings(keep_idle=100))
        seconds.append(time.process_time() - begin)
    assert seconds[1] < 24 * seconds[0]
