"""Which training rows a kernel model is made of: ``support_`` names them, and files keep the names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.svm import SVC

import maxmargin as mm
from kernel_cases import CASES, rows
from maxmargin import Kernel, LowRank
from maxmargin.datasets import make_sentences
from maxmargin.fitting import kernels

cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
RBF = Kernel("rbf", gamma=0.5)


def numbers(model: Any) -> np.ndarray:
    """Of the reference rows among all rows, which sequences of five tokens are."""
    places = model.kernel_.places
    return places if places.ndim == 1 else 5 * places[0] + places[1]


@cases
@pytest.mark.parametrize("rank", [None, 20, LowRank(20, "random"), LowRank(20, "greedy")])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_rows_of_a_model_are_those_of_the_training_set(case: Any, rank: Any, form: Any, tmp_path: Path) -> None:
    X = form(rows())
    model = case.fit(X, kernel=RBF, rank=rank, tol=1e-3)
    kept = model.kernel_.rows
    expected = rows()[numbers(model)]
    np.testing.assert_array_equal(kept.toarray() if sp.issparse(kept) else kept, expected)
    assert len(model.support_) <= len(expected)
    if case.chain:
        assert {(token.sequence, token.position) for token in model.support_} <= set(
            zip(*model.kernel_.places.tolist())
        )
    else:
        np.testing.assert_array_equal(model.support_, numbers(model))
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(mm.load(tmp_path / "model").kernel_.places, model.kernel_.places)


@cases
def test_over_rows_of_the_matrix(case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_FACTORED", 10)
    model = case.fit(rows(), kernel=RBF, tol=1e-3)
    np.testing.assert_array_equal(model.kernel_.rows, rows()[numbers(model)])


def test_few_rows_are_left_at_the_default_tolerance() -> None:
    """SVC has 106 support vectors; rounding alone gave nearly every row a coefficient."""
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    kernel = Kernel("rbf", gamma=0.03)
    few = mm.MulticlassSVC(1.0, slack="linear", method="structural", kernel=kernel).fit(X, y)
    assert few.kernel_.width < 200
    assert (few.predict(X) == SVC(C=2.0, gamma=0.03).fit(X, y).predict(X)).mean() > 0.99


def test_rows_without_weight_do_not_shift_the_numbers() -> None:
    X, case = rows(), CASES["MulticlassSVC"]
    weight = np.ones(len(X))
    weight[:7] = 0.0
    model = case.make(kernel=RBF, rank=LowRank(20, "random")).fit(X, case.target(X), sample_weight=weight)
    assert model.support_.min() >= 7
    np.testing.assert_array_equal(model.kernel_.rows, X[model.support_])


def test_precomputed_values_have_the_numbers_of_columns() -> None:
    X, case = rows(), CASES["MulticlassSVC"]
    for rank in (None, 20):
        model = case.fit(RBF.block(X, X), kernel="precomputed", rank=rank, tol=1e-3)
        np.testing.assert_array_equal(model.support_, model.kernel_.rows)


@cases
def test_what_has_no_training_rows(case: Any) -> None:
    for rank in (LowRank(10, "k-means"), LowRank(10, "fourier")):
        assert case.fit(rows(), kernel=RBF, rank=rank, tol=1e-3).support_ is None
    assert case.fit(rows(), tol=1e-3).support_ is None


@pytest.mark.parametrize("make", [mm.ChainSVC, mm.ChainCRF, mm.ChainPerceptron])
def test_tokens_are_named_by_sequence_and_position(make: Any, tmp_path: Path) -> None:
    X, y = make_sentences(20)
    model = make(kernel="rbf", templates="tagging").fit(X, y)
    given = model.reader_.read(X, None, model.n_features_in_)
    tokens, starts = given.tokens.matrix(), given.tokens.offsets
    coefficients = np.zeros((tokens.shape[0], model.classes_.size))
    for token in model.support_:
        assert 0 <= token.position < len(X[token.sequence])
        for label, coefficient in token.coefficients.items():
            coefficients[starts[token.sequence] + token.position, model.classes_.tolist().index(label)] = coefficient
    kernel = model.kernel_.kernel
    scores = kernel.block(tokens, tokens) @ coefficients
    np.testing.assert_allclose(model._scored_tokens(given).tokens.matrix().toarray(), scores, atol=1e-8)
    model.save(tmp_path / "model")
    assert mm.load(tmp_path / "model").support_ == model.support_
