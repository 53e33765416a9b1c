"""``DiversityRanker`` in model files."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

from maxmargin.diversity.levels import checked_levels, checked_shares
from maxmargin.diversity.words import WordFeatures
from maxmargin.fitting.estimator import FileParts
from maxmargin.fitting.model_parts import ModelArrays, ModelValues

_VECTORIZERS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (CountVectorizer, HashingVectorizer, TfidfVectorizer)
}


def ranker_parts(ranker: Any) -> FileParts:
    """Weights, the features of words, and of the vectoriser its class and settings."""
    features: WordFeatures = ranker.features_
    arrays = {"coef_": ranker.coef_}
    if features.vocabulary:
        arrays["vocabulary"] = np.array(list(features.vocabulary), dtype=object if _are_texts(features) else np.int64)
    structure = {
        "fields": ranker.fields_,
        "levels": [[level.field, level.least] for level in features.levels],
        "shares": list(features.shares),
        "own_weight": features.own_weight,
        "vectorizer": _vectorizer_as_json(ranker.vectorizer),
    }
    return FileParts(arrays, structure, without=("vectorizer",))


def restore_ranker(model: Any, arrays: ModelArrays, head: ModelValues) -> None:
    """Fills a ranker that has its parameters."""
    model.vectorizer = _vectorizer_from_json(head["vectorizer"])
    words = arrays.labels("vocabulary", least=1).tolist() if "vocabulary" in arrays else []
    names = head["fields"]
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError("fields must be texts")
    levels = tuple(level for name, least in head["levels"] for level in checked_levels({name: (least,)}, names))
    if not levels:
        raise ValueError("there must be a level")
    shares = checked_shares(head["shares"])
    vocabulary = {word: number for number, word in enumerate(words)}
    model.features_ = WordFeatures(levels, shares, vocabulary, head.number("own_weight", least=0.0))
    model.fields_ = names
    model.coef_ = arrays.floats("coef_", model.features_.length)


def _are_texts(features: WordFeatures) -> bool:
    return isinstance(next(iter(features.vocabulary)), str)


def _vectorizer_as_json(vectorizer: Any) -> Any:
    if vectorizer is None:
        return None
    name = type(vectorizer).__name__
    if _VECTORIZERS.get(name) is not type(vectorizer):
        raise ValueError(
            f"The vectorizer is a {name}, which a model file cannot keep: it keeps {', '.join(_VECTORIZERS)}."
        )
    usual = _VECTORIZERS[name]().get_params()
    settings = {key: value for key, value in vectorizer.get_params().items() if not _same(value, usual[key])}
    for key, value in settings.items():
        if not _is_plain(value):
            raise ValueError(
                f"The setting {key} of the vectorizer is a {type(value).__name__}, which a model file cannot keep: "
                "use a plain value."
            )
    return {"name": name, "settings": {k: list(v) if isinstance(v, tuple) else v for k, v in settings.items()}}


def _vectorizer_from_json(given: Any) -> Any:
    if given is None:
        return None
    settings = dict(given["settings"])
    if "ngram_range" in settings:
        settings["ngram_range"] = tuple(settings["ngram_range"])
    return _VECTORIZERS[given["name"]](**settings)


def _same(value: Any, usual: Any) -> bool:
    return value is usual or (type(value) is type(usual) and bool(value == usual))


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)
