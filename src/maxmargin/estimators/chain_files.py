"""Chain estimators to model files and back."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from maxmargin import _core
from maxmargin.estimators.chain_input import InputReader
from maxmargin.features import SequenceVectorizer
from maxmargin.io.models import save_model
from maxmargin.io.template_json import templates_as_json, templates_from_json
from maxmargin.structures.chain import Chain

_SHAPE: dict[str, type[Any]] = {
    "n_features": int,
    "order": int,
    "eta": float,
    "ends": bool,
    "n_pair_features": int,
    "constant": float,
}
_DICTIONARIES = ("attributes", "pair_attributes")


class Saved:
    """The method of a chain estimator that writes a model file."""

    chain_: Chain
    weights_: npt.NDArray[np.float64]
    classes_: npt.NDArray[Any]
    reader_: InputReader
    temperature_: float

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a model file that ``maxmargin.load`` reads, with the dictionary of attributes where there is one."""
        check_is_fitted(self)
        arrays: dict[str, Any] = {"coef_": self.chain_.public_weights(self.weights_), "classes_": self.classes_}
        if self.chain_.cost is not None:
            arrays["token_cost"] = self.chain_.cost
        structure: dict[str, Any] = {name: kind(getattr(self.chain_, name)) for name, kind in _SHAPE.items()}
        structure["window"] = int(self.reader_.window)
        structure["temperature"] = float(self.temperature_)
        structure["calibrated"] = bool(getattr(self, "calibrated_", False))
        vectorizer = self.reader_.vectorizer
        structure["vectorizer"] = None if vectorizer is None else _vectorizer_head(vectorizer)
        if vectorizer is not None:
            arrays |= _dictionaries(vectorizer)
        save_model(path, self, arrays, structure=structure)


def restore_chain(model: Any, arrays: dict[str, Any], structure: dict[str, Any]) -> None:
    """Gives an estimator with its parameters what ``fit`` had given to the one that was saved.

    Parts that do not fit together are a KeyError, TypeError or ValueError.
    """
    classes, coef = arrays["classes_"], arrays["coef_"]
    if classes.ndim != 1 or not classes.size or len(set(classes.tolist())) != classes.size:
        raise ValueError("classes_ must be different labels")
    shape = {name: structure[name] for name in _SHAPE}
    if any(type(shape[name]) is not kind for name, kind in _SHAPE.items()) or shape["n_features"] < 1:
        raise TypeError("the sizes of the chain must be numbers")
    chain = Chain(n_labels=classes.size, cost=arrays.get("token_cost"), **shape)
    if coef.dtype != np.float64 or coef.shape != (chain.rows * chain.n_labels,) or not np.isfinite(coef).all():
        raise ValueError("coef_ must hold finite numbers and fit the labels")
    vectorizer = None
    if structure["vectorizer"] is not None:
        vectorizer = _vectorizer(structure["vectorizer"], arrays)
    window, temperature = structure["window"], structure["temperature"]
    if type(window) is not int or window < 0 or not (isinstance(temperature, float) and 0.0 < temperature < np.inf):
        raise ValueError("window and temperature must be numbers that can be")
    if vectorizer is not None:
        pairs = len(vectorizer.pair_attributes_) if _has_pairs(vectorizer) else 0
        if (len(vectorizer.attributes_) * (2 * window + 1), pairs) != (chain.n_features, chain.n_pair_features):
            raise ValueError("the dictionary must fit the weights")
    model.classes_, model.weights_, model.chain_ = classes, chain.from_public(coef), chain
    model.n_features_in_ = chain.n_features
    model.reader_ = InputReader(vectorizer, window)
    model.temperature_ = temperature
    if not model.probabilistic:
        model.calibrated_ = bool(structure["calibrated"])


def _vectorizer_head(vectorizer: SequenceVectorizer) -> dict[str, Any]:
    templates = vectorizer.templates_
    return {
        "templates": None if templates is None else templates_as_json(templates),
        "min_count": int(vectorizer.min_count),
        "hashing": None if vectorizer.hashing is None else int(vectorizer.hashing),
        "columns": vectorizer.n_columns_,
    }


def _dictionaries(vectorizer: SequenceVectorizer) -> dict[str, Any]:
    """The strings of each dictionary as the bytes of all and the end of each."""
    arrays = {}
    for name in _DICTIONARIES:
        _, text, ends = getattr(vectorizer, f"{name}_").__getstate__()
        arrays[f"{name}_text"], arrays[f"{name}_ends"] = np.frombuffer(text, np.uint8), ends
    return arrays


def _vectorizer(head: dict[str, Any], arrays: dict[str, Any]) -> SequenceVectorizer:
    templates = None if head["templates"] is None else templates_from_json(head["templates"])
    vectorizer = SequenceVectorizer(templates=templates, min_count=head["min_count"], hashing=head["hashing"])
    vectorizer._check_params()
    vectorizer.templates_ = templates
    for name in _DICTIONARIES:
        text, ends = arrays[f"{name}_text"], arrays[f"{name}_ends"]
        if text.dtype != np.uint8 or ends.dtype != np.int64 or text.ndim != 1 or ends.ndim != 1:
            raise TypeError(f"{name} must be bytes and their ends")
        attributes = _core.Attributes.__new__(_core.Attributes)
        attributes.__setstate__((head["hashing"] or 0, text.tobytes(), np.ascontiguousarray(ends)))
        attributes.names()  # complains about text that is not UTF-8
        setattr(vectorizer, f"{name}_", attributes)
    vectorizer.n_features_out_ = len(vectorizer.attributes_)
    columns = head["columns"]
    if (type(columns) is not int or columns < 1) if templates is not None else columns is not None:
        raise ValueError("the number of columns must be one that templates can have")
    vectorizer.n_columns_ = columns
    return vectorizer


def _has_pairs(vectorizer: SequenceVectorizer) -> bool:
    return vectorizer.templates_ is not None and bool(vectorizer.templates_.pair_templates)
