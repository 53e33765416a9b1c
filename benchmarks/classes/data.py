"""The workloads of the multiclass benchmark: prepared once, stored, read by every measured process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from maxmargin.datasets import MissingDataError, load_covtype, load_mnist, load_newsgroups20, make_multiclass

Labels = npt.NDArray[np.int64]
_CHUNK = 20_000


@dataclass(frozen=True)
class Workload:
    """What to train on, at which C, and by which factor LinearSVC is to be beaten."""

    read: Callable[[], tuple[Any, Labels]]
    generate: Callable[[], tuple[Any, Labels]]
    Cs: tuple[float, ...]
    factor: float
    quick_rows: int


def _covtype() -> tuple[Any, Labels]:
    X, y = load_covtype()
    rows = np.random.default_rng(0).permutation(y.size)[:522_911]
    return _unit_scaled(X[rows]), y[rows]


def _mnist() -> tuple[Any, Labels]:
    X, y = load_mnist("train")
    return X / 255.0, y


def _newsgroups() -> tuple[Any, Labels]:
    texts, groups = load_newsgroups20("train")
    return TfidfVectorizer().fit_transform(texts), np.unique(groups, return_inverse=True)[1].astype(np.int64)


def _unit_scaled(X: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Every feature moved and scaled to [0, 1]; a constant one becomes 0."""
    low, high = X.min(axis=0), X.max(axis=0)
    X -= low
    X /= np.where(high > low, high - low, 1.0)
    return X


def _clusters(n: int, d: int, k: int, density: float = 1.0) -> tuple[Any, Labels]:
    X, y = make_multiclass(n, d, k, density=density, noise=1.0 if density == 1.0 else 30.0)
    return (_unit_scaled(X) if density == 1.0 else normalize(X)), y


WORKLOADS = {
    "covtype": Workload(_covtype, lambda: _clusters(100_000, 54, 7), (0.01, 1.0), 3.0, 30_000),
    "mnist": Workload(_mnist, lambda: _clusters(20_000, 784, 10), (0.01, 0.1), 3.0, 6_000),
    "newsgroups20": Workload(_newsgroups, lambda: _clusters(5_000, 50_000, 20, 0.002), (1.0,), 1.0, 2_000),
}


def prepare(name: str, folder: Path, quick: bool) -> dict[str, Any]:
    """Stores X and y of a workload in ``folder``; returns a description of them."""
    workload = WORKLOADS[name]
    try:
        (X, y), note = workload.read(), ""
    except MissingDataError as missing:
        (X, y), note = workload.generate(), f"{name} is not available, generated clusters instead. {missing}"
    if quick:
        X, y = X[: workload.quick_rows], y[: workload.quick_rows]
    if sp.issparse(X):
        sp.save_npz(folder / "X.npz", sp.csr_matrix(X), compressed=False)
    else:
        np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    facts = {"name": name, "rows": y.size, "features": X.shape[1], "classes": np.unique(y).size, "note": note}
    (folder / "facts.json").write_text(json.dumps(facts))
    return facts


def stored(folder: Path, form: str, rows: int | None = None) -> tuple[Any, Labels]:
    """X and y as stored (``form='given'``) or X turned into ``'dense'`` or ``'csr'``; the first ``rows`` of them."""
    X: Any = sp.load_npz(folder / "X.npz") if (folder / "X.npz").exists() else np.load(folder / "X.npy")
    X, y = X[:rows], np.load(folder / "y.npy")[:rows]
    if form == "csr":
        X = sp.csr_matrix(X)
    elif form == "dense" and sp.issparse(X):
        X = X.toarray()
    return X, y


def size_in_bytes(X: Any) -> int:
    """Bytes of the values of a matrix, and of its indices if it is CSR."""
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) if sp.issparse(X) else int(X.nbytes)


def objective(coef: npt.NDArray[np.float64], X: Any, y: Labels, C: float) -> float:
    """``1/2 |W|^2 + C sum_i max_k [k != y_i] - <w_{y_i}, x_i> + <w_k, x_i>`` for class numbers ``y``, in chunks."""
    risk = 0.0
    for first in range(0, y.size, _CHUNK):
        scores = np.asarray(X[first : first + _CHUNK] @ coef.T)
        rows, truth = np.arange(scores.shape[0]), y[first : first + _CHUNK]
        right = scores[rows, truth].copy()
        scores += 1.0
        scores[rows, truth] -= 1.0
        risk += float((scores.max(axis=1) - right).sum())
    return 0.5 * float((coef * coef).sum()) + C * risk
