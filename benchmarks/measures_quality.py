"""Test scores of one method on every class of a set, its settings chosen by cross validation on the training rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from measures_data import Classes, Truth, load
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from maxmargin import MeasureSVC
from maxmargin.measures import as_measure

Floats = npt.NDArray[np.float64]
Setting = tuple[float, ...]
Model = Callable[[Any], Floats]

MEASURES = ("f1", "prbep", "roc_area")
FACTORS = (1.0, 0.3, 3.0, 0.1, 10.0)  # of the default C
COSTS = sorted(product((0.1, 1.0, 10.0, 100.0), (1.0, 3.0, 10.0, 30.0, 100.0)), key=lambda c: abs(np.log10(c)).sum())
FOLDS = 2


def own(measure: str) -> Callable[[Any, Truth, Setting], Model]:
    """``MeasureSVC`` trained for the measure; the setting is the factor of C."""

    def train(X: Any, y: Truth, setting: Setting) -> Model:
        default = MeasureSVC(measure, max_iter=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            default.fit(X, y)
        return MeasureSVC(measure, setting[0] * default.C_, threshold_for=None).fit(X, y).decision_function

    return train


def conventional(X: Any, y: Truth, setting: Setting) -> Model:
    """``LinearSVC`` with the hinge loss; the setting is C and the weight of a positive row."""
    C, ratio = setting
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LinearSVC(loss="hinge", C=C, class_weight={True: ratio}, max_iter=3000, random_state=0).fit(X, y)
    return model.decision_function


def value(measure: str, scores: Floats, truth: Truth) -> float:
    chosen = as_measure(measure)
    return chosen.value(scores, chosen.prepare(truth, "the test rows"))


def test_all(name: str, method: str, quick: bool) -> dict[str, Any]:
    """For each measure the test score and the setting of every class, and the CPU seconds of all fits."""
    data = load(name, quick)
    begin = time.process_time()
    if method == "MeasureSVC":
        found = {measure: _all_classes(data, own(measure), [(f,) for f in FACTORS], (measure,)) for measure in MEASURES}
        merged = {measure: found[measure][measure] for measure in MEASURES}
    else:
        merged = _all_classes(data, conventional, COSTS, MEASURES)
    sizes = {name: (int(train.sum()), int(test.sum())) for name, (train, test) in data.truths.items()}
    return {"measures": merged, "seconds": time.process_time() - begin, "sizes": sizes, "rows": data.X.shape}


def _all_classes(data: Classes, train: Any, grid: list[Setting], measures: tuple[str, ...]) -> dict[str, Any]:
    chosen: dict[str, dict[str, Setting]] = {measure: {} for measure in measures}
    for name, (truth, _) in data.truths.items():
        if min(truth.sum(), (~truth).sum()) >= FOLDS:
            validated = _validated(data.X, truth, train, grid, measures)
            for measure in measures:  # the first of the best, and the grid begins in the middle
                chosen[measure][name] = grid[int(np.argmax(validated[measure]))]
    for measure in measures:  # a class of one row cannot be divided: the middle of what the others chose
        usual = tuple(np.exp(np.median(np.log(list(chosen[measure].values())), axis=0)).tolist())
        for name in data.truths:
            chosen[measure].setdefault(name, usual)
    return {
        measure: {
            name: {"setting": chosen[measure][name], "score": value(measure, scores, data.truths[name][1])}
            for name, scores in _tested(data, train, chosen[measure]).items()
        }
        for measure in measures
    }


def _validated(X: Any, truth: Truth, train: Any, grid: list[Setting], measures: tuple[str, ...]) -> dict[str, Floats]:
    """The mean over the folds, shape (settings,), of each measure."""
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, truth))
    found = np.zeros((len(measures), len(grid)))
    for (inside, outside), (s, setting) in product(folds, enumerate(grid)):
        scores = train(X[inside], truth[inside], setting)(X[outside])
        found[:, s] += [value(measure, scores, truth[outside]) / len(folds) for measure in measures]
    return dict(zip(measures, found))


def _tested(data: Classes, train: Any, chosen: dict[str, Setting]) -> dict[str, Floats]:
    return {name: train(data.X, data.truths[name][0], setting)(data.X_test) for name, setting in chosen.items()}
