"""Accuracy that floating point cannot give: every estimator with every solver ends soon, and says what it reached.

Work is counted in calls of the search, not in seconds.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from maxmargin import (
    ChainCRF,
    ChainSVC,
    DiversityRanker,
    MeasureSVC,
    MulticlassSVC,
    MultilabelSVC,
    RankingSVM,
    Status,
    StructuralSVM,
    TaxonomySVC,
)
from maxmargin.datasets import make_subtopics

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
    "multiclass": lambda slack="linear", **settings: MulticlassSVC(slack=slack, **settings).fit(X, Y),
    "taxonomy": lambda **settings: TaxonomySVC(taxonomy="/", **settings).fit(X, NAMES),
    "labels": lambda **settings: MultilabelSVC(**settings).fit(X, VECTORS),
    "label pairs": lambda **settings: MultilabelSVC(interactions="full", loss="f1", **settings).fit(X, VECTORS),
    "error rate": lambda **settings: MeasureSVC("error_rate", method="structural", **settings).fit(X, VECTORS[:, 0]),
    "f1": lambda **settings: MeasureSVC("f1", method="structural", **settings).fit(X, VECTORS[:, 0]),
    "ranking": lambda **settings: RankingSVM(**settings).fit(X, Y, groups=[10, 10]),
    "average precision": lambda **settings: RankingSVM(measure="average_precision", **settings).fit(
        X, Y, groups=[10, 10]
    ),
    "chain": lambda **settings: ChainSVC(**settings).fit(*PARTS),
    "python": lambda **settings: StructuralSVM(Classes(), **settings).fit(X, Y),
}
SOLVERS = ("auto", "bcfw", "n-slack", "one-slack")
DOCUMENTS, SUBTOPICS = make_subtopics(20, n_documents=8, n_subtopics=4)
DEFAULTS = {  # methods of their own, not one of the solvers
    "classes": lambda **settings: MulticlassSVC(**settings).fit(X, Y),
    "likelihood of classes": lambda **settings: MulticlassSVC(method="likelihood", **settings).fit(X, Y),
    "crf": lambda **settings: ChainCRF(**settings).fit(*PARTS),
    "crf, lbfgs": lambda **settings: ChainCRF(solver="lbfgs", **settings).fit(*PARTS),
    "crf, order 2": lambda **settings: ChainCRF(order=2, **settings).fit(*PARTS),
    "measure": lambda **settings: MeasureSVC("f1", **settings).fit(X, VECTORS[:, 0]),
    "label vectors": lambda **settings: MultilabelSVC(**settings).fit(X, VECTORS),
    "diversity": lambda **settings: DiversityRanker(k=2, **settings).fit(DOCUMENTS, SUBTOPICS),
}


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


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_tolerance_below_rounding_at_the_defaults(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = DEFAULTS[name](tol=1e-300, max_iter=3000).solution_
    assert solution.status in (Status.STALLED, Status.CONVERGED, Status.INEXACT), solution.status
    assert solution.oracle_calls < 3000 * 20
    if solution.status is not Status.INEXACT:
        assert -1e-9 * solution.primal <= solution.gap <= 1e-4 * solution.primal


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", [name for name in FITS if name not in ("average precision", "python")])
def test_squared_slack_below_rounding(name, solver):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = FITS[name](solver=solver, slack="squared", tol=1e-300, max_iter=3000).solution_
    assert solution.status in (Status.STALLED, Status.CONVERGED), solution.status
    assert solution.oracle_calls < 3000 * 20
    assert -1e-9 * solution.primal <= solution.gap <= 1e-4 * solution.primal


@pytest.mark.parametrize("C", [1e25, 1e300])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", FITS)
def test_a_c_too_large_for_squares(name, solver, C):
    with pytest.raises(ValueError, match=r"C is 1e\+\d+, too large for floating point with \d+ examples"):
        FITS[name](solver=solver, C=C)


@pytest.mark.parametrize("C", [1e25, 1e300])
@pytest.mark.parametrize("name", [name for name in DEFAULTS if name != "diversity"])
def test_a_c_too_large_at_the_defaults(name, C):
    with pytest.raises(ValueError, match=r"C is 1e\+\d+, too large for floating point with \d+ examples"):
        DEFAULTS[name](C=C)


@pytest.mark.parametrize("slack", ["linear", "squared"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_c_that_leaves_a_few_digits(solver, slack):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = FITS["multiclass"](solver=solver, slack=slack, C=1e15, max_iter=3000).solution_
    assert solution.status in (Status.STALLED, Status.CONVERGED), solution.status
    less = FITS["multiclass"](solver="auto", slack=slack, C=1e6, tol=1e-8).solution_  # the norm of w is nothing there
    assert 0.999 * 1e9 * less.dual <= solution.primal
    assert 0.0 <= solution.gap <= (0.2 if solver == "n-slack" else 1e-3) * solution.primal


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


def test_a_search_that_leaves_the_loss_out_is_an_error():
    class Forgetful(Classes):
        """Leaves the loss out, so that its planes are too low and its slacks too small."""

        def argmax(self, x, w, y_true=None):
            return super().argmax(x, w)

    with pytest.raises(ValueError, match=r"argmax is not a maximum: for example \d+ .* gave .* but .* has"):
        StructuralSVM(Forgetful(), C=10.0).fit(X, Y)
