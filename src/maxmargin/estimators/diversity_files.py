"""``DiversityRanker`` in model files."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

from maxmargin.coverage.levels import Level
from maxmargin.coverage.words import WordFeatures
from maxmargin.io.models import save_model

_VECTORIZERS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (CountVectorizer, HashingVectorizer, TfidfVectorizer)
}


def save_ranker(path: str | PathLike[str], ranker: Any) -> None:
    """Writes the model; of the vectoriser its class and settings."""
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
    save_model(path, ranker, arrays, without=("vectorizer",), structure=structure)


def restore_ranker(model: Any, arrays: dict[str, Any], head: dict[str, Any]) -> None:
    """Fills a ranker that has its parameters."""
    model.vectorizer = _vectorizer_from_json(head["vectorizer"])
    words = arrays["vocabulary"].tolist() if "vocabulary" in arrays else []
    levels = tuple(Level(str(name), float(least)) for name, least in head["levels"])
    vocabulary = {word: number for number, word in enumerate(words)}
    shares = tuple(float(share) for share in head["shares"])
    model.features_ = WordFeatures(levels, shares, vocabulary, float(head["own_weight"]))
    model.fields_ = [str(name) for name in head["fields"]]
    model.coef_ = arrays["coef_"]
    if not levels or any(level.field not in model.fields_ for level in levels) or len(vocabulary) != len(words):
        raise ValueError("levels, fields and words do not fit together")
    fits = model.coef_.dtype == np.float64 and model.coef_.shape == (model.features_.length,)
    if not fits or not np.isfinite(model.coef_).all():
        raise ValueError("coef_ must hold a finite number for each feature")


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
