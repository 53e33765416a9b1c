"""Chain estimators to model files and back."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.chains.chain import Chain
from maxmargin.chains.features.vectorizer import SequenceVectorizer
from maxmargin.chains.formats.template_json import templates_as_json, templates_from_json
from maxmargin.chains.input import InputReader
from maxmargin.chains.kernel_tokens import KernelTokens
from maxmargin.fitting.estimator import FileParts, restore_features
from maxmargin.fitting.model_parts import ModelArrays, ModelValues

_SHAPE: dict[str, type[Any]] = {
    "n_features": int,
    "order": int,
    "eta": float,
    "ends": bool,
    "n_pair_features": int,
    "constant": float,
}
_DICTIONARIES = ("attributes", "pair_attributes")


class SavedChain(KernelTokens):
    """What model files keep of a chain estimator, with the dictionary of attributes where there is one."""

    classes_: npt.NDArray[Any]
    reader_: InputReader
    temperature_: float
    decode_: str
    method_: str

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        restore_chain(self, arrays, structure)

    def _file_parts(self) -> FileParts:
        arrays: dict[str, Any] = {"coef_": self.chain_.public_weights(self.weights_), "classes_": self.classes_}
        if self.chain_.cost is not None:
            arrays["token_cost"] = self.chain_.cost
        structure: dict[str, Any] = {name: kind(getattr(self.chain_, name)) for name, kind in _SHAPE.items()}
        structure["window"] = int(self.reader_.window)
        structure["temperature"] = float(self.temperature_)
        structure["decode"] = self.decode_
        if hasattr(self, "method_"):
            structure["method"] = self.method_
        structure["calibrated"] = bool(getattr(self, "calibrated_", False))
        vectorizer = self.reader_.vectorizer
        structure["vectorizer"] = None if vectorizer is None else _vectorizer_head(vectorizer)
        if vectorizer is not None:
            arrays |= _dictionaries(vectorizer)
        return FileParts(arrays, structure)


def restore_chain(model: Any, arrays: ModelArrays, structure: ModelValues) -> None:
    """Gives an estimator with its parameters what ``fit`` had given to the one that was saved.

    Parts that do not fit together are a KeyError, TypeError or ValueError.
    """
    classes = arrays.labels(least=1)
    k = classes.size
    chain = Chain(
        n_labels=k,
        n_features=structure.count("n_features", least=1),
        cost=arrays.floats("token_cost", k, k) if "token_cost" in arrays else None,
        order=structure.count("order", least=1),
        eta=structure.number("eta", least=0.0),
        ends=structure.flag("ends"),
        n_pair_features=structure.count("n_pair_features"),
        constant=structure.number("constant"),
    )
    coef = arrays.floats("coef_", chain.rows * chain.n_labels)
    vectorizer = None
    if structure["vectorizer"] is not None:
        vectorizer = _vectorizer(ModelValues(structure["vectorizer"]), arrays)
    window = structure.count("window")
    restore_features(model, arrays, chain.n_features)
    columns: int = model.n_features_in_
    if vectorizer is not None:
        pairs = len(vectorizer.pair_attributes_) if _has_pairs(vectorizer) else 0
        if (len(vectorizer.attributes_) * (2 * window + 1), pairs) != (columns, chain.n_pair_features):
            raise ValueError("the dictionary must fit the weights")
    elif columns % (2 * window + 1):
        raise ValueError("the window must fit the weights")
    model.classes_, model.weights_, model.chain_ = classes, chain.from_public(coef), chain
    model.reader_ = InputReader(vectorizer, window)
    model.temperature_ = structure.number("temperature", above=0.0)
    model.decode_ = structure.one_of("decode", ("viterbi", "marginal"))
    if not model.probabilistic:
        model.calibrated_ = structure.flag("calibrated")
    if "method" in signature(type(model)).parameters:
        model.method_ = structure.one_of("method", ("likelihood", "structural"))


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


def _vectorizer(head: ModelValues, arrays: ModelArrays) -> SequenceVectorizer:
    templates = None if head["templates"] is None else templates_from_json(head["templates"])
    vectorizer = SequenceVectorizer(templates=templates, min_count=head["min_count"], hashing=head["hashing"])
    vectorizer._check_params()
    vectorizer.templates_ = templates
    for name in _DICTIONARIES:
        text = arrays.whole(f"{name}_text", np.uint8, None, below=256)
        ends = arrays.whole(f"{name}_ends", np.int64, None, below=text.size + 1)
        _check_utf8(name, text, ends)
        attributes = _core.Attributes.__new__(_core.Attributes)
        attributes.__setstate__((head["hashing"] or 0, text.tobytes(), np.ascontiguousarray(ends)))
        setattr(vectorizer, f"{name}_", attributes)
    vectorizer.n_features_out_ = len(vectorizer.attributes_)
    if templates is None and head["columns"] is not None:
        raise ValueError("there are columns without templates")
    vectorizer.n_columns_ = None if templates is None else head.count("columns", least=1)
    return vectorizer


def _check_utf8(name: str, text: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]) -> None:
    """Strings that are whole characters, one after the other."""
    starts = text[ends[ends < text.size]]
    try:
        text.tobytes().decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} holds text that is not UTF-8") from error
    if ((starts & 0xC0) == 0x80).any():
        raise ValueError(f"{name} holds text that is not UTF-8: a string ends within a character")


def _has_pairs(vectorizer: SequenceVectorizer) -> bool:
    return vectorizer.templates_ is not None and bool(vectorizer.templates_.pair_templates)
