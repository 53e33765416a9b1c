"""Test scores of one method on every class of a set, its settings chosen by cross validation on the training rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
Model = Callable[[Any], Floats]

MEASURES = ("f1", "prbep", "roc_area")
FACTORS = (1.0, 0.3, 3.0, 0.1, 10.0)  # of the default C
WEIGHTS = (2.0, 4.0, 8.0, 16.0)
FOLDS = {"reuters": 2}  # 90 topics, many with few documents; elsewhere MANY
MANY = 5


@dataclass(frozen=True)
class Own:
    """``MeasureSVC`` trained for a measure, with C at a factor of its default."""

    measure: str
    factor: float = 1.0
    weight: float = 1.0

    def train(self, X: Any, y: Truth) -> Model:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            default = MeasureSVC(self.measure, max_iter=1).fit(X, y).C_
        model = MeasureSVC(self.measure, self.factor * default, positive_weight=self.weight, threshold_for=None)
        return model.fit(X, y).decision_function


@dataclass(frozen=True)
class Conventional:
    """``LinearSVC`` with the hinge loss and ``weight`` times the C on positive rows."""

    C: float = 1.0
    weight: float = 1.0

    def train(self, X: Any, y: Truth) -> Model:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LinearSVC(loss="hinge", C=self.C, class_weight={True: self.weight}, max_iter=3000, random_state=0)
            return model.fit(X, y).decision_function


def with_weight(plain: Own, weight: float) -> Own:
    """Weighted positives, which only measures of labellings have: F1 stands in for PRBEP."""
    return Own("f1", plain.factor if plain.measure == "f1" else 1.0, weight)


CONVENTIONAL = sorted(
    (Conventional(C, ratio) for C, ratio in product((0.1, 1.0, 10.0, 100.0), (1.0, 3.0, 10.0, 30.0, 100.0))),
    key=lambda setting: abs(np.log(setting.C)) + np.log(setting.weight),
)  # the first of the best is taken, so the middle comes first


def value(measure: str, scores: Floats, truth: Truth) -> float:
    chosen = as_measure(measure)
    return chosen.value(scores, chosen.prepare(truth, "the test rows"))


def test_all(name: str, method: str, quick: bool) -> dict[str, Any]:
    """For each measure the test scores of every class, and the CPU seconds of all fits.

    The methods are ``'LinearSVC'`` and ``'MeasureSVC'``; the latter gives two scores, with C alone chosen, and with the
    further settings.
    """
    data = load(name, quick)
    folds = FOLDS.get(name, MANY)
    begin = time.process_time()
    found = _conventional(data, folds) if method == "LinearSVC" else {m: _own(data, m, folds) for m in MEASURES}
    sizes = {kind: (int(train.sum()), int(test.sum())) for kind, (train, test) in data.truths.items()}
    return {"measures": found, "seconds": time.process_time() - begin, "sizes": sizes, "rows": data.X.shape}


def _conventional(data: Classes, folds: int) -> dict[str, Any]:
    kinds = [kind for kind in data.truths if _divisible(data, kind, folds)]
    means = {kind: _validated(data, kind, CONVENTIONAL, MEASURES, folds) for kind in kinds}
    found: dict[str, Any] = {}
    for measure in MEASURES:
        chosen = {kind: CONVENTIONAL[int(np.argmax(mean[measure]))] for kind, mean in means.items()}
        usual = Conventional(*(_middle([getattr(s, name) for s in chosen.values()]) for name in ("C", "weight")))
        found[measure] = {k: _tested(data, k, measure, chosen.get(k, usual)) for k in data.truths}
    return found


def _own(data: Classes, measure: str, folds: int) -> dict[str, Any]:
    plain = {kind: _best(data, kind, [Own(measure, f) for f in FACTORS], measure, folds) for kind in data.truths}
    usual = Own(measure, _middle([best[0].factor for best in plain.values() if best is not None]))
    found = {}
    for kind, best in plain.items():
        alone = usual if best is None else best[0]
        final = alone if best is None or measure == "roc_area" else _weighted(data, kind, best, measure, folds)
        found[kind] = _tested(data, kind, measure, final)
        found[kind] |= {"C alone": (found[kind] if final is alone else _tested(data, kind, measure, alone))["score"]}
    return found


def _weighted(data: Classes, kind: str, plain: tuple[Own, float], measure: str, folds: int) -> Own:
    """Weights of positives one after the other until the mean falls, then the neighbouring factors of C."""
    best = plain
    reached = plain[1]
    for weight in WEIGHTS:
        tried = _best(data, kind, [with_weight(plain[0], weight)], measure, folds)
        if tried is None or tried[1] < reached:
            break
        reached = tried[1]
        best = tried if tried[1] > best[1] else best
    if best[0].weight > 1.0:
        near = [replace(best[0], factor=best[0].factor * change) for change in (0.3, 3.0)]
        tried = _best(data, kind, near, measure, folds)
        best = tried if tried is not None and tried[1] > best[1] else best
    return best[0]


def _middle(values: Sequence[float]) -> float:
    """For classes of one row, which cannot be divided: the middle of what the others chose."""
    return float(np.exp(np.median(np.log(values))))


def _divisible(data: Classes, kind: str, folds: int) -> bool:
    truth = data.truths[kind][0]
    return bool(min(truth.sum(), (~truth).sum()) >= folds)


def _best(data: Classes, kind: str, settings: Sequence[Any], measure: str, folds: int) -> tuple[Any, float] | None:
    """The first of the settings with the best mean over the folds, and that mean; None where there is no choice."""
    if not _divisible(data, kind, folds):
        return None
    means = _validated(data, kind, settings, (measure,), folds)[measure]
    at = int(np.argmax(means))
    return settings[at], float(means[at])


def _validated(
    data: Classes, kind: str, settings: Sequence[Any], measures: Sequence[str], folds: int
) -> dict[str, Floats]:
    """The mean of each measure over the folds, shape (settings,)."""
    X, truth = data.X, data.truths[kind][0]
    parts = list(StratifiedKFold(folds, shuffle=True, random_state=0).split(X, truth))
    means = np.zeros((len(measures), len(settings)))
    for (inside, outside), (s, setting) in product(parts, enumerate(settings)):
        scores = setting.train(X[inside], truth[inside])(X[outside])
        means[:, s] += [value(measure, scores, truth[outside]) / folds for measure in measures]
    return dict(zip(measures, means))


def _tested(data: Classes, kind: str, measure: str, setting: Any) -> dict[str, Any]:
    train, test = data.truths[kind]
    score = value(measure, setting.train(data.X, train)(data.X_test), test)
    return {"score": score, "setting": repr(setting)}
