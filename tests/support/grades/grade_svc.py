"""The estimator of grades."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from maxmargin.fitting.estimator import Estimator, FileParts, restore_features, saved
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.parameters import MARGINS, TRAINING, Allowed
from maxmargin.fitting.training import train
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.rows.table_input import encode_labels, read_new, read_table
from maxmargin.solvers.base import Record

from .structure import Grades


@saved
@dataclass(eq=False, repr=False)
class GradeSVC(Estimator):
    """Rows to ordered classes; a mistake costs the number of classes between."""

    _parameters: ClassVar[Mapping[str, Allowed]] = {**TRAINING, **MARGINS}

    C: float | str = "scale"
    _: KW_ONLY
    rescaling: str = "margin"
    slack: str = "linear"
    solver: Any = "auto"
    tol: float | str = "auto"
    max_iter: int | None = 1000
    max_time: float | None = None
    n_jobs: int | None = None
    warm_start: bool = False
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None) -> GradeSVC:
        with self._fitting():
            X, y = read_table(self, X, y=y)
            self.classes_, grades = encode_labels(y)
            weight = check_sample_weight(sample_weight, grades.size)
            problem = Grades(self.classes_.size, self.n_features_in_)
            rows = X.toarray() if sp.issparse(X) else X
            self._keep(train(self, problem, list(rows), grades.tolist(), grades.size, self.C, weight))
            self.weights_ = self.solution_.w
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        check_is_fitted(self)
        X = read_new(self, X)
        grades = Grades(self.classes_.size, self.n_features_in_)
        scores = grades.scores(X.toarray() if sp.issparse(X) else X, self.weights_)
        predicted: npt.NDArray[Any] = self.classes_[np.argmax(scores, axis=1)]
        return predicted

    def _file_parts(self) -> FileParts:
        return FileParts({"weights_": self.weights_, "classes_": self.classes_}, {})

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        self.classes_ = arrays.labels()
        self.weights_ = arrays.floats("weights_", None)
        features = self.weights_.size - (self.classes_.size - 1)
        if features < 1:
            raise ValueError(f"there are {self.weights_.size} weights and {self.classes_.size} grades")
        restore_features(self, arrays, features)
