"""Test scores of one method on every class of a set, its settings chosen by cross validation on the training rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
WEIGHTS = (2.0, 4.0)
FOLDS = 2


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


def further(best: Own) -> list[Own]:
    """What is tried after C: weighted positives, which only measures of labellings have; F1 in place of PRBEP."""
    if best.measure == "roc_area":
        return []
    return [Own("f1", best.factor if best.measure == "f1" else 1.0, weight) for weight in WEIGHTS]


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
    begin = time.process_time()
    found = {m: _conventional(data, m) if method == "LinearSVC" else _own(data, m) for m in MEASURES}
    sizes = {kind: (int(train.sum()), int(test.sum())) for kind, (train, test) in data.truths.items()}
    return {"measures": found, "seconds": time.process_time() - begin, "sizes": sizes, "rows": data.X.shape}


def _conventional(data: Classes, measure: str) -> dict[str, Any]:
    chosen = {kind: _best(data, kind, CONVENTIONAL, measure) for kind in data.truths}
    known = [best[0] for best in chosen.values() if best is not None]
    usual = Conventional(_middle([s.C for s in known]), _middle([s.weight for s in known]))
    return {kind: _tested(data, kind, measure, usual if best is None else best[0]) for kind, best in chosen.items()}


def _own(data: Classes, measure: str) -> dict[str, Any]:
    first = {kind: _best(data, kind, [Own(measure, f) for f in FACTORS], measure) for kind in data.truths}
    usual = Own(measure, _middle([best[0].factor for best in first.values() if best is not None]))
    found = {}
    for kind, best in first.items():
        plain = usual if best is None else best[0]
        more = _best(data, kind, further(plain), measure) if best is not None else None
        final = more[0] if best is not None and more is not None and more[1] > best[1] else plain
        found[kind] = _tested(data, kind, measure, final)
        alone = found[kind] if final is plain else _tested(data, kind, measure, plain)
        found[kind] |= {"C alone": alone["score"]}
    return found


def _middle(values: Sequence[float]) -> float:
    """For classes of one row, which cannot be divided: the middle of what the others chose."""
    return float(np.exp(np.median(np.log(values))))


def _best(data: Classes, kind: str, settings: Sequence[Any], measure: str) -> tuple[Any, float] | None:
    """The first of the settings with the best mean over the folds, and that mean; None where there is no choice."""
    X, truth = data.X, data.truths[kind][0]
    if not settings or min(truth.sum(), (~truth).sum()) < FOLDS:
        return None
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, truth))
    means = [
        float(np.mean([value(measure, s.train(X[a], truth[a])(X[b]), truth[b]) for a, b in folds])) for s in settings
    ]
    at = int(np.argmax(means))
    return settings[at], means[at]


def _tested(data: Classes, kind: str, measure: str, setting: Any) -> dict[str, Any]:
    train, test = data.truths[kind]
    score = value(measure, setting.train(data.X, train)(data.X_test), test)
    return {"score": score, "setting": repr(setting)}
