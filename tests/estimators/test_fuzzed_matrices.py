"""Sparse matrices damaged at random: every estimator takes them or says what is wrong, and never crashes.

A few run always; ``-m slow`` runs many.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from estimator_cases import CASES, D, N, matrix

EDGES = [0, 1, D - 1, D, D + 1, N, 255, 65_535, 65_536, 2**31 - 1, 2**31, 2**32 + 1, 2**62]
NUMBERS = [*EDGES, *(-edge - 1 for edge in EDGES)]
VALUES = [0.0, -0.0, 1.0, -1.0, 1e-320, 1e-160, 1e30, 1e99, 1e154, 1e308, np.inf, -np.inf, np.nan]


def damaged(rng: np.random.Generator) -> sp.csr_array:
    """A matrix of the form that estimators expect with one to four things in it changed."""
    X = matrix()
    X.data = X.data.astype(rng.choice([np.float64, np.float32]))
    kind = rng.choice([np.int32, np.int64])
    X.indices, X.indptr = X.indices.astype(kind), X.indptr.astype(kind)
    for _ in range(int(rng.integers(1, 5))):
        what = rng.choice(["index", "pointer", "value", "short", "long", "swap", "repeat", "empty row", "shape"])
        if what in ("index", "pointer"):
            array = X.indices if what == "index" else X.indptr
            number = int(rng.choice(NUMBERS))
            if array.size:
                array[rng.integers(array.size)] = number if abs(number) <= np.iinfo(array.dtype).max else -1
        elif what == "value" and X.data.size:
            with np.errstate(over="ignore"):
                X.data[rng.integers(X.data.size)] = rng.choice(VALUES)
        elif what == "short":
            name = str(rng.choice(["data", "indices", "indptr"]))
            setattr(X, name, getattr(X, name)[: -int(rng.integers(1, 6))].copy())
        elif what == "long":
            X.data = np.concatenate([X.data, X.data[:3]])
            X.indices = np.concatenate([X.indices, X.indices[:3]])
        elif what == "swap" and X.indices.size:
            i, j = rng.integers(X.indices.size, size=2)
            X.indices[[i, j]] = X.indices[[j, i]]
        elif what == "repeat" and X.indices.size:
            X.indices[rng.integers(X.indices.size)] = X.indices[0]
        elif what == "empty row" and X.indptr.size > 6:
            X.indptr[5] = X.indptr[4]
        elif what == "shape":
            X._shape = (X.shape[0], int(rng.choice([0, 1, D - 1, D + 1, 1000, 2**31, 2**40])))
    return X


def check(name: str, seed: int, models: dict[str, object]) -> None:
    rng = np.random.default_rng(seed)
    X = damaged(rng)
    case = CASES[name]
    said = "nothing"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if name != "StructuralSVM" and rng.random() < 0.4:
                case.predict(models.setdefault(name, case.fitted()), X)
            else:
                case.fit(X)
        except (ValueError, MemoryError) as error:
            said = str(error)
    assert 0 < len(said) < 700, said


def run(name: str, seeds: range) -> None:
    models: dict[str, object] = {}
    for seed in seeds:
        try:
            check(name, seed, models)
        except BaseException as error:
            raise AssertionError(f"{name}: seed {seed}") from error


OF_NUMBERS = [name for name, case in CASES.items() if not case.texts]


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_a_few_damaged_matrices(name):
    run(name, range(40))


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_many_damaged_matrices(name):
    run(name, range(40, 8_000))
