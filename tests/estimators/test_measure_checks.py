"""MeasureSVC keeps scikit-learn's contract, with no expected failures."""

from __future__ import annotations

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import MeasureSVC

CONFIGURATIONS = [
    MeasureSVC(),
    MeasureSVC("error_rate"),
    MeasureSVC("roc_area"),
    MeasureSVC("prbep", rescaling="slack", fit_intercept=False),
    MeasureSVC("average_precision"),
]


@pytest.mark.filterwarnings("ignore:All weights are 0")  # some of the checks have nothing but noise to learn from
@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learn_check(estimator, check):
    if "sample_weight_equivalence" in str(check):  # compares to 1e-7, and distance goes like the root of the gap
        estimator = clone(estimator).set_params(tol=1e-13, C=0.1)
    check(estimator)
