"""Test scores of one method on every class of a set, its settings chosen by cross validation on the training rows."""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from maxmargin import MeasureSVC
from maxmargin.measures import as_measure
from maxmargin.measures.threshold import Cuts
from measures.data import Classes, Truth, load

Floats = npt.NDArray[np.float64]
Model = Callable[[Any], Floats]

MEASURES = ("f1", "prbep", "roc_area")
FACTORS = (1.0, 0.3, 3.0, 0.1, 10.0)  # of the default C
WEIGHTS = (2, 4, 8, 16)
FOLDS = {"reuters": 2}  # 90 topics, many with few documents; elsewhere MANY
MANY = 5


@dataclass(frozen=True)
class Own:
    """``MeasureSVC`` trained for a measure, with C at a factor of its default and ``weight`` repetitions of positives.

    ``cut`` sets the threshold on the training rows.
    """

    measure: str
    factor: float = 1.0
    weight: int = 1
    cut: bool = False

    def train(self, X: Any, y: Truth) -> dict[Own, Model]:
        """This setting, and for F1 its twin with the other threshold, of one fit."""
        given = {"method": "structural", "class_weight": {True: self.weight}, "threshold_for": None}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            default = MeasureSVC(self.measure, max_iter=1, **given).fit(X, y).C_
        model = MeasureSVC(self.measure, self.factor * default, **given).fit(X, y)
        best = Cuts(model.decision_function(X), y).best(as_measure("f1"))[0] if self.measure == "f1" else 0.0
        cuts = {False: 0.0, True: best} if self.measure == "f1" else {False: 0.0}
        return {replace(self, cut=cut): partial(_scores, model, at) for cut, at in cuts.items()}


def _scores(model: MeasureSVC, cut: float, X: Any) -> Floats:
    scores: Floats = model.decision_function(X)
    return scores - cut


@dataclass(frozen=True)
class Conventional:
    """``LinearSVC`` with the hinge loss and ``weight`` times the C on positive rows."""

    C: float = 1.0
    weight: float = 1.0

    def train(self, X: Any, y: Truth) -> dict[Conventional, Model]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LinearSVC(loss="hinge", C=self.C, class_weight={True: self.weight}, max_iter=3000, random_state=0)
            return {self: model.fit(X, y).decision_function}


CONVENTIONAL = sorted(
    (Conventional(C, ratio) for C, ratio in product((0.01, 0.1, 1.0, 10.0, 100.0), (1.0, 3.0, 10.0, 30.0, 100.0))),
    key=lambda setting: abs(np.log(setting.C)) + np.log(setting.weight),
)  # the first of the best is taken, so the middle comes first


def value(measure: str, scores: Floats, truth: Truth) -> float:
    chosen = as_measure(measure)
    return chosen.value(scores, chosen.prepare(truth, "the test rows"))


def test_all(name: str, method: str, quick: bool) -> dict[str, Any]:
    """For each measure the test scores of every class, and the CPU seconds of all fits.

    The methods are ``'LinearSVC'``, ``'MeasureSVC'``, by its structural form, which gives two scores, with C alone
    chosen, and with the further settings, and ``'defaults'``, MeasureSVC with nothing chosen by us.
    """
    data = load(name, quick)
    folds = FOLDS.get(name, MANY)
    begin = time.process_time()
    if method == "defaults":
        found = {measure: {kind: _default(data, kind, measure) for kind in data.truths} for measure in MEASURES}
    else:
        found = _conventional(data, folds) if method == "LinearSVC" else {m: _own(data, m, folds) for m in MEASURES}
    sizes = {kind: (int(train.sum()), int(test.sum())) for kind, (train, test) in data.truths.items()}
    return {"measures": found, "seconds": time.process_time() - begin, "sizes": sizes, "rows": data.X.shape}


def _default(data: Classes, kind: str, measure: str) -> dict[str, Any]:
    train, test = data.truths[kind]
    model = MeasureSVC(measure).fit(data.X, train)
    return {"score": value(measure, model.decision_function(data.X_test), test), "setting": model.loss_}


def _conventional(data: Classes, folds: int) -> dict[str, Any]:
    kinds = [kind for kind in data.truths if _divisible(data, kind, folds)]
    means = {kind: _validated(data, kind, CONVENTIONAL, MEASURES, folds) for kind in kinds}
    found: dict[str, Any] = {}
    for measure in MEASURES:
        own = {kind: mean[measure] for kind, mean in means.items()}
        C = _common(own.values(), lambda setting: setting.C)
        macro = {s: sum(mean[s] for mean in own.values()) for s in CONVENTIONAL if s.C == C}
        usual = _highest(macro)[0]  # for classes of one row; and of equals that which does best on all classes
        chosen = {
            kind: max(macro, key=lambda s, mean=mean: (round(mean[s], 9), macro[s])) for kind, mean in own.items()
        }
        found[measure] = {k: _tested(data, k, measure, chosen.get(k, usual)) for k in data.truths}
    return found


def _own(data: Classes, measure: str, folds: int) -> dict[str, Any]:
    settings = [Own(measure, factor) for factor in FACTORS]
    plain = {kind: _means(data, kind, settings, measure, folds) for kind in data.truths}
    at_zero = [_where(means, lambda setting: not setting.cut) for means in plain.values() if means]
    alone = Own(measure, _common(at_zero, lambda setting: setting.factor))
    found = {}
    for kind, means in plain.items():
        final = _weighted(data, kind, alone, means, folds) if means and measure != "roc_area" else alone
        found[kind] = _tested(data, kind, measure, final)
        found[kind] |= {"C alone": (found[kind] if final == alone else _tested(data, kind, measure, alone))["score"]}
    return found


def _weighted(data: Classes, kind: str, alone: Own, plain: dict[Own, float], folds: int) -> Own:
    """The best threshold and weight of positives; weights are tried one after the other until the mean falls."""
    tried = _where(plain, lambda setting: setting.factor == alone.factor)
    reached = _highest(tried)[1]
    for weight in WEIGHTS:
        means = _means(data, kind, [replace(alone, weight=weight)], alone.measure, folds)
        tried |= means
        if _highest(means)[1] < reached:
            break
        reached = _highest(means)[1]
    return _highest(tried)[0]


def _common(means: Iterable[dict[Any, float]], key: Callable[[Any], float]) -> float:
    """The C (or factor) of all classes: that of the best macro average, where each class has its best weight."""
    sums: dict[float, float] = defaultdict(float)
    for of_class in means:
        for value in dict.fromkeys(map(key, of_class)):
            sums[value] += _highest(_where(of_class, lambda setting, value=value: key(setting) == value))[1]
    return _highest(sums)[0]


def _where(means: dict[Any, float], choose: Callable[[Any], bool]) -> dict[Any, float]:
    return {setting: mean for setting, mean in means.items() if choose(setting)}


def _highest(means: dict[Any, float]) -> tuple[Any, float]:
    """The first of the settings with the best mean, and that mean."""
    return max(means.items(), key=lambda item: item[1])


def _divisible(data: Classes, kind: str, folds: int) -> bool:
    truth = data.truths[kind][0]
    return bool(min(truth.sum(), (~truth).sum()) >= folds)


def _means(data: Classes, kind: str, settings: Sequence[Any], measure: str, folds: int) -> dict[Any, float]:
    """The mean of a measure over the folds for each setting; empty where there is no choice."""
    if not _divisible(data, kind, folds):
        return {}
    return _validated(data, kind, settings, (measure,), folds)[measure]


def _validated(
    data: Classes, kind: str, settings: Sequence[Any], measures: Sequence[str], folds: int
) -> dict[str, dict[Any, float]]:
    X, truth = data.X, data.truths[kind][0]
    parts = list(StratifiedKFold(folds, shuffle=True, random_state=0).split(X, truth))
    means: dict[str, dict[Any, float]] = {measure: defaultdict(float) for measure in measures}
    for setting, (inside, outside) in product(settings, parts):
        for trained, model in setting.train(X[inside], truth[inside]).items():
            scores = model(X[outside])
            for measure in measures:
                means[measure][trained] += value(measure, scores, truth[outside]) / folds
    return means


def _tested(data: Classes, kind: str, measure: str, setting: Any) -> dict[str, Any]:
    train, test = data.truths[kind]
    score = value(measure, setting.train(data.X, train)[setting](data.X_test), test)
    return {"score": score, "setting": repr(setting)}
