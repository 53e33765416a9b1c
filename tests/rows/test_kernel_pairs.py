"""Polynomial kernels over sparse rows, written out as features."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import polynomial_kernel

import maxmargin as mm
from maxmargin import Kernel
from maxmargin.datasets import make_sentences
from maxmargin.rows import kernel_pairs
from maxmargin.rows.kernel_pairs import PairFeatures


def sparse_rows(n: int = 40, columns: int = 12, seed: int = 0) -> sp.csr_array:
    """Some are empty, some have one cell."""
    rng = np.random.default_rng(seed)
    return sp.csr_array(rng.standard_normal((n, columns)) * (rng.random((n, columns)) < rng.random((n, 1)) * 0.6))


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("coef0", [0.0, 1.0, 2.5])
def test_inner_products_are_the_kernel(degree, coef0):
    X, new = sparse_rows(), sparse_rows(seed=1)
    kernel = Kernel("poly", degree=degree, gamma=0.7, coef0=coef0)
    found, features = PairFeatures.of(kernel, X)
    values = polynomial_kernel(X, X, degree=degree, gamma=0.7, coef0=coef0)
    np.testing.assert_allclose((features @ features.T).toarray(), values, atol=1e-12)
    np.testing.assert_allclose((found.features(new) @ features.T).toarray(), kernel.block(new, X), atol=1e-12)
    assert features.shape == (40, found.width)


def test_scores_in_parts(monkeypatch):
    X = sparse_rows()
    found, features = PairFeatures.of(Kernel("poly", degree=2, gamma=0.7), X)
    coef = np.random.default_rng(0).standard_normal((3, found.width))
    monkeypatch.setattr(kernel_pairs, "_PART", 40)
    np.testing.assert_allclose(found.scores(X, coef), features @ coef.T, atol=1e-12)


def test_where_they_serve():
    few = sp.csr_array(np.eye(40, 12) + np.eye(40, 12, -3))
    square = Kernel("poly", degree=2, gamma=1.0)
    assert PairFeatures.serves(square, few)
    assert not PairFeatures.serves(square, few.toarray())
    assert not PairFeatures.serves(Kernel("poly", degree=3), few)
    assert not PairFeatures.serves(Kernel("poly", degree=2, coef0=-1.0), few)
    assert not PairFeatures.serves(Kernel("rbf"), few)
    assert not PairFeatures.serves(square, sp.csr_array(np.ones((40, 12))))


@pytest.fixture
def sentences(monkeypatch):
    monkeypatch.setattr(kernel_pairs, "_CHEAPER", 10.0)
    return make_sentences(30)


def fitted(make, degree, sentences, **options):
    options = {"C": 0.5, "tol": 1e-7, "templates": "tagging", **options}
    return make(kernel=Kernel("poly", degree=degree), **options).fit(*sentences)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize(("make", "options"), [(mm.ChainCRF, {}), (mm.ChainSVC, {"method": "structural"})])
def test_chains_reach_the_optimum_of_the_factor(make, options, degree, sentences, monkeypatch):
    pairs = fitted(make, degree, sentences, **options)
    assert isinstance(pairs.kernel_, PairFeatures)
    monkeypatch.setattr(kernel_pairs, "_CHEAPER", 0.0)
    factor = fitted(make, degree, sentences, **options)
    assert not isinstance(factor.kernel_, PairFeatures)
    assert pairs.solution_.primal == pytest.approx(factor.solution_.primal, rel=1e-5)
    X, y = sentences
    np.testing.assert_allclose(pairs.decision_value(X, y), factor.decision_value(X, y), rtol=2e-2)
    assert pairs.predict(X) == factor.predict(X)


def test_the_default_c_is_that_of_the_factor(sentences, monkeypatch):
    pairs = fitted(mm.ChainCRF, 2, sentences, C="scale", tol="auto")
    monkeypatch.setattr(kernel_pairs, "_CHEAPER", 0.0)
    assert pytest.approx(fitted(mm.ChainCRF, 2, sentences, C="scale", tol="auto").C_, rel=0.05) == pairs.C_


@pytest.mark.parametrize("make", [mm.ChainCRF, mm.ChainSVC, mm.ChainPerceptron])
def test_files_and_inspection(make, sentences, tmp_path):
    X, y = sentences
    model = make(kernel=Kernel("poly", degree=2), templates="tagging").fit(X, y)
    assert isinstance(model.kernel_, PairFeatures)
    model.save(tmp_path / "model")
    loaded = mm.load(tmp_path / "model")
    assert loaded.predict(X) == model.predict(X)
    np.testing.assert_array_equal(loaded.kernel_.pairs, model.kernel_.pairs)
    names = [weight.feature for weight in model.top_features(10_000)]
    assert {"(constant of the kernel)", "w[0]:suffix1=l", "w[0]:suffix1=l^2"} <= set(names)
    assert any("w[0]:suffix1=l & " in name or " & w[0]:suffix1=l" in name for name in names)
    explained = model.explain(X[3], 0)
    assert sum(part.amount for part in explained.contributions) == pytest.approx(explained.difference)


def test_a_warm_start_goes_on(sentences):
    X, y = sentences
    model = fitted(mm.ChainCRF, 2, (X[:25], y[:25]), warm_start=True, solver="lbfgs", tol=1e-5)
    first = model.n_iter_
    assert model.fit(X[:25], y[:25]).n_iter_ < 0.5 * first
    model.fit(X, y)
    fresh = fitted(mm.ChainCRF, 2, sentences, solver="lbfgs", tol=1e-5)
    assert model.solution_.primal == pytest.approx(fresh.solution_.primal, rel=1e-3)


def test_a_changed_file_with_another_degree_is_refused(sentences, tmp_path):
    model = fitted(mm.ChainCRF, 2, sentences, tol="auto")
    model.kernel_ = dataclasses.replace(model.kernel_, kernel=dataclasses.replace(model.kernel_.kernel, degree=3))
    model.save(tmp_path / "model")
    with pytest.raises(mm.ModelFileError, match="degree 1 or 2"):
        mm.load(tmp_path / "model")
