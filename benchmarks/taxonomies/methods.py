"""What the benchmark of taxonomies compares: the four machines of the paper's table, and HiClass.

All of ours have squared slack and margin rescaling (SVM2 delta-m of the paper; with the zero-one loss that is SVM2),
and nodes of height h weigh 0.25 ** h: in cross validation within training rows this was within a standard error of the
best of both rescalings, both slacks and several weights (``studies/choice.py`` prints that).
A method is a grid of settings and a function from a setting to an estimator; the setting is chosen by cross validation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.svm import LinearSVC

from maxmargin import MulticlassSVC, Taxonomy, TaxonomySVC
from maxmargin.classes.taxonomies import taxonomy_losses

FLAT, RIVAL = "flat 0/1", "HiClass"
OURS = "tax tree"
SETTINGS_OF_C = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
_NODE_WEIGHT = 0.25
_OURS = {"slack": "squared", "rescaling": "margin"}


@dataclass(frozen=True)
class Method:
    """``make(setting, taxonomy, classes)`` gives an estimator with ``fit`` and ``predict``."""

    make: Callable[[dict[str, Any], Taxonomy, npt.NDArray[Any]], Any]
    grid: dict[str, list[Any]]
    needs: str | None = None

    def settings(self, quick: bool) -> list[dict[str, Any]]:
        values = [choices[2:3] or choices[:1] if quick else choices for choices in self.grid.values()]
        return [dict(zip(self.grid, chosen)) for chosen in product(*values)]

    @property
    def missing(self) -> bool:
        return self.needs is not None and find_spec(self.needs) is None


def flat(tree_loss: bool) -> Callable[[dict[str, Any], Taxonomy, npt.NDArray[Any]], Any]:
    def make(setting: dict[str, Any], taxonomy: Taxonomy, classes: npt.NDArray[Any]) -> MulticlassSVC:
        cost = None
        if tree_loss:
            cost = np.array([taxonomy_losses(taxonomy, [truth] * classes.size, classes.tolist()) for truth in classes])
        return MulticlassSVC(cost=cost, decision="score", **setting, **_OURS)

    return make


def tax(loss: str) -> Callable[[dict[str, Any], Taxonomy, npt.NDArray[Any]], Any]:
    def make(setting: dict[str, Any], taxonomy: Taxonomy, classes: npt.NDArray[Any]) -> TaxonomySVC:
        return TaxonomySVC(taxonomy=taxonomy, loss=loss, node_weight=_NODE_WEIGHT, **setting, **_OURS)

    return make


class HiClass:
    """HiClass' local classifiers, one per node that has children, with the names of leaves as labels."""

    def __init__(self, setting: dict[str, Any], taxonomy: Taxonomy, classes: npt.NDArray[Any]) -> None:
        from hiclass import LocalClassifierPerParentNode

        ways = [[str(node) for node in taxonomy.ancestors(label)[1:]] for label in classes.tolist()]
        longest = max(map(len, ways))
        self._levels = {label: [*way, *[""] * (longest - len(way))] for label, way in zip(classes.tolist(), ways)}
        self._model = LocalClassifierPerParentNode(local_classifier=LinearSVC(random_state=0, **setting), n_jobs=1)

    def fit(self, X: Any, y: npt.NDArray[Any]) -> HiClass:
        self._model.fit(X, np.array([self._levels[label] for label in y.tolist()], dtype=object))
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        return np.array([[node for node in way if node != ""][-1] for way in self._model.predict(X)])


METHODS: dict[str, Method] = {
    FLAT: Method(flat(False), {"C": SETTINGS_OF_C}),
    "tax 0/1": Method(tax("zero-one"), {"C": SETTINGS_OF_C}),
    "flat tree": Method(flat(True), {"C": SETTINGS_OF_C}),
    OURS: Method(tax("height"), {"C": SETTINGS_OF_C}),
    RIVAL: Method(HiClass, {"C": SETTINGS_OF_C, "class_weight": [None, "balanced"]}, needs="hiclass"),
}
