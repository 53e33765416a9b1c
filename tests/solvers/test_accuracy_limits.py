"""Accuracy that floating point cannot give: every estimator with every solver ends soon, and says what it reached.

Work is counted in calls of the search, not in seconds.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from maxmargin import (
    ChainSVC,
    MeasureSVC,
    MulticlassSVC,
    MultilabelSVC,
    RankingSVM,
    Status,
    StructuralSVM,
    TaxonomySVC,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((20, 3))
Y = np.arange(20) % 3
NAMES = np.array(["a/b", "a/c", "d/e"])[Y]
VECTORS = (X + RNG.standard_normal((20, 3)) > 0.0).astype(int)
PARTS = ([X[:7], X[7:14], X[14:]], [Y[:7].astype(str), Y[7:14].astype(str), Y[14:].astype(str)])


class Classes:
    """Three classes, as a problem in Python."""

    def joint_feature(self, x, y):
        psi = np.zeros((3, 3))
        psi[y] = x
        return psi.ravel()

    def loss(self, y_true, y):
        return float(y_true != y)

    def argmax(self, x, w, y_true=None):
        scores = w.reshape(3, 3) @ x
        return int((scores if y_true is None else scores + (np.arange(3) != y_true)).argmax())


FITS = {
    "multiclass": lambda **settings: MulticlassSVC(slack="linear", **settings).fit(X, Y),
    "taxonomy": lambda **settings: TaxonomySVC(taxonomy="/", **settings).fit(X, NAMES),
    "labels": lambda **settings: MultilabelSVC(**settings).fit(X, VECTORS),
    "label pairs": lambda **settings: MultilabelSVC(interactions="full", loss="f1", **settings).fit(X, VECTORS),
    "error rate": lambda **settings: MeasureSVC("error_rate", method="structural", **settings).fit(X, VECTORS[:, 0]),
    "f1": lambda **settings: MeasureSVC("f1", method="structural", **settings).fit(X, VECTORS[:, 0]),
    "ranking": lambda **settings: RankingSVM(**settings).fit(X, Y, [10, 10]),
    "average precision": lambda **settings: RankingSVM(measure="average_precision", **settings).fit(X, Y, [10, 10]),
    "chain": lambda **settings: ChainSVC(**settings).fit(*PARTS),
    "python": lambda **settings: StructuralSVM(Classes(), **settings).fit(X, Y),
}
SOLVERS = ("auto", "bcfw", "n-slack", "one-slack")


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", FITS)
def test_a_tolerance_below_rounding(name, solver):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = FITS[name](solver=solver, tol=1e-300, max_iter=3000).solution_
    assert solution.status in (Status.STALLED, Status.CONVERGED), solution.status
    assert solution.oracle_calls < 3000 * 20
    assert solution.gap <= 1e-4 * solution.primal
    assert solution.gap >= -1e-9 * solution.primal


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", FITS)
def test_a_c_too_large_for_squares(name, solver):
    with pytest.raises(ValueError, match=r"C is 1e\+300, too large for floating point with \d+ examples"):
        FITS[name](solver=solver, C=1e300)


def test_the_message_names_a_c_that_works():
    with pytest.raises(ValueError, match="Use a C of at most") as caught:
        MulticlassSVC(C=1e300, slack="linear").fit(X, Y)
    most = float(str(caught.value).partition("at most ")[2].partition(",")[0])
    assert (
        MulticlassSVC(C=0.4 * most, slack="linear", solver="bcfw", max_iter=1)
        .set_params(tol=1e300)
        .fit(X, Y)
        .coef_.size
        == 9
    )


def test_a_dual_above_the_primal_is_an_error():
    class Forgetful(Classes):
        """Leaves the loss out, so that its planes are too low and its slacks too small."""

        def argmax(self, x, w, y_true=None):
            return super().argmax(x, w)

    with pytest.raises(ValueError, match=r"The dual objective .* is above the primal"):
        StructuralSVM(Forgetful(), C=10.0).fit(X, Y)
