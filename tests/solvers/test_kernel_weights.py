"""The dual engine never looks inside w: a second policy of weights, beta with a kernel, trains with the same code.

The judge is LIBLINEAR on features whose products are the kernel, a Cholesky factor of it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import LinearSVC

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("tests/native/kernel_weights.cpp", "native/src/simd/dispatch.cpp", "native/src/simd/kernels_baseline.cpp")
COMPILER = shutil.which(os.environ.get("CXX", "c++"))


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    if COMPILER is None:
        pytest.skip("there is no C++ compiler named c++, or as CXX says")
    target = tmp_path_factory.mktemp("kernel") / "kernel_weights"
    command = [COMPILER, "-std=c++20", "-O1", "-Wall", "-Wextra", "-pthread", f"-I{ROOT / 'native/include'}"]
    subprocess.run([*command, *(str(ROOT / source) for source in SOURCES), "-o", str(target)], check=True)
    return target


@pytest.mark.slow  # it compiles the engine
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_classes_with_a_kernel_reach_the_optimum(program, C):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3] - X.mean(axis=0), y[::3]
    n, classes = len(y), 3
    kernel = rbf_kernel(X, gamma=0.5) + 1e-3 * np.eye(n)

    given = f"{n} {classes} {C}\n{' '.join(map(str, y))}\n" + " ".join(map(repr, kernel.ravel().tolist()))
    answer = subprocess.run([program], input=given, capture_output=True, text=True, check=True).stdout.splitlines()
    dual, kept_square, square = map(float, answer[:3])
    beta = np.array(answer[3].split(), dtype=float).reshape(n, classes)

    def primal(scores, square):
        rivals = scores + 1.0
        rivals[np.arange(n), y] -= 1.0
        return 0.5 * square + C * (rivals.max(axis=1) - scores[np.arange(n), y]).sum()

    features = np.linalg.cholesky(kernel)
    judge = LinearSVC(C=C, multi_class="crammer_singer", fit_intercept=False, tol=1e-8, max_iter=1_000_000)
    coef = judge.fit(features, y).coef_
    best = primal(features @ coef.T, (coef**2).sum())
    assert dual == pytest.approx(best, rel=1e-5)
    assert primal(kernel @ beta, square) == pytest.approx(best, rel=1e-5)
    assert kept_square == pytest.approx(square, rel=1e-9)
    assert square == pytest.approx(np.einsum("rk,rs,sk->", beta, kernel, beta), rel=1e-9)
