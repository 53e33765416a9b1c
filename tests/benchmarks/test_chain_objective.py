"""The objectives by which the chain benchmark judges every method, against all labellings written out."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chains.objective import Weights, hinge_objective, likelihood_objective
from chains.ours import OursSVC
from maxmargin.chains.sequences import pack


def _random(seed: int, lengths: list[int], features: int, labels: int) -> Any:
    rng = np.random.default_rng(seed)
    X = [rng.normal(size=(length, features)) for length in lengths]
    Y = [rng.integers(labels, size=length) for length in lengths]
    shapes = [(features, labels), (labels, labels), labels, labels, labels]
    return Weights(*[rng.normal(size=shape) for shape in shapes]), X, Y


def _value(w: Weights, x: Any, y: Any) -> float:
    """F(x, y) as it is defined, token by token."""
    total = w.start[y[0]] + w.end[y[-1]]
    for t, label in enumerate(y):
        total += x[t] @ w.state[:, label] + w.intercept[label]
        total += w.transition[y[t - 1], label] if t else 0.0
    return float(total)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6), lengths=st.lists(st.integers(1, 4), min_size=1, max_size=4), labels=st.integers(1, 3)
)
def test_objectives_are_those_of_all_labellings(seed: int, lengths: list[int], labels: int) -> None:
    w, X, Y = _random(seed, lengths, 3, labels)
    codes = np.concatenate(Y).astype(np.int32)
    likelihood, hinge = 0.3 * w.squared_norm, 0.5 * w.squared_norm
    for x, y in zip(X, Y):
        every = list(product(range(labels), repeat=len(x)))
        values = np.array([_value(w, x, other) for other in every])
        wrong = np.array([np.sum(np.array(other) != y) for other in every])
        likelihood += np.log(np.exp(values).sum()) - _value(w, x, y)
        hinge += 0.7 * ((values + wrong).max() - _value(w, x, y))
    assert likelihood_objective(w, pack(X), codes, 0.3) == pytest.approx(likelihood)
    assert hinge_objective(w, pack(X), codes, 0.7) == pytest.approx(hinge)


def test_hinge_is_what_chain_svc_reports() -> None:
    X = [[["a", "b"], ["c"]], [["b"]], [["c", "a"], ["a"], ["b"]]]
    Y = [["x", "y"], ["x"], ["y", "z", "x"]]
    method = OursSVC(C=0.5, tol=1e-3)
    packed = method.pack(X, Y)
    model = method.train(packed)
    weights, names, labels = model.weights()
    assert names == ["a", "b", "c"]
    codes = np.array([labels.index(label) for sequence in Y for label in sequence], dtype=np.int32)
    found = hinge_objective(weights, packed[0], codes, 0.5)
    assert found == pytest.approx(model.facts()["primal"])
