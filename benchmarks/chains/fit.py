"""One fit of the chain benchmark, made in its own process by the harness."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from chains.data import Strings, Tags, stored, tokens
from chains.methods import METHODS, Settings
from chains.objective import Weights, hinge_objective, likelihood_objective
from chains.score import scores
from maxmargin import ChainSVC
from maxmargin.chains.features import SequenceVectorizer, chunking_templates
from maxmargin.chains.sequences import Sequences, pack_labels
from shared.harness import measure, median, resident

_WARM = 20
_AGAIN = 3


def fit(
    folder: str,
    method: str,
    settings: Settings,
    parts: tuple[str, str] = ("train", "test"),
    share: float = 1.0,
    chunks: bool = False,
    hinge_C: float | None = None,
    c2: float | None = None,
) -> dict[str, Any]:
    """Packs, trains and predicts once; returns what each step cost, the scores, and the objectives asked for.

    ``peak`` is the most memory in use from before packing to after training, beyond what was there before: the lists
    of strings are not in it, what the method made of them is. ``input`` is what was there before, the interpreter and
    its libraries included. Prediction is made several times; the first is slower where memory is touched anew.
    """
    X, Y = stored(Path(folder), parts[0], share)
    X_test, Y_test = stored(Path(folder), parts[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a limit of rounds is what a curve asks for
        _warm_up(method, settings, X, Y)
        made = METHODS[method].make(settings)
        before = resident()
        packed, packing = measure(lambda: made.pack(X, Y))
        held = resident() - before
        model, training = measure(lambda: made.train(packed))
    reading, predicting = [], []
    for _ in range(_AGAIN):
        given, cost = measure(lambda: model.pack(X_test))
        reading.append(cost)
        found, cost = measure(partial(model.predict, given))
        predicting.append(cost)
    answer = {
        "method": method,
        "settings": settings,
        "sequences": len(X),
        "packing": asdict(packing),
        "training": asdict(training),
        "peak": max(packing.peak, held + training.peak),
        "input": before,
        "reading": asdict(median(reading)),
        "predicting": asdict(median(predicting)),
        "first_reading": asdict(reading[0]),
        "first_predicting": asdict(predicting[0]),
        "test_tokens": sum(map(len, Y_test)),
        **scores(Y_test, found, chunks),
        **model.facts(),
    }
    if hinge_C is not None:
        answer["hinge"] = hinge_objective(*_common(model.weights(), X, Y), hinge_C)
    if c2 is not None:
        answer["likelihood"] = likelihood_objective(*_common(model.weights(), X, Y), c2)
    return answer


def fit_words(folder: str) -> dict[str, Any]:
    """Packs words and tags by ``chunking_templates()``, and trains ChainSVC on them; no attribute is ever a string."""
    X, Y = tokens(Path(folder))
    ChainSVC(templates=chunking_templates()).fit(X[:_WARM], Y[:_WARM])
    packed, packing = measure(lambda: SequenceVectorizer(templates=chunking_templates()).fit_transform(X))
    tokens_read = packed.tokens
    del packed
    before = resident()
    _, training = measure(lambda: ChainSVC(templates=chunking_templates()).fit(X, Y))
    return {"packing": asdict(packing), "training": asdict(training), "input": before, "tokens": tokens_read}


def _warm_up(method: str, settings: Settings, X: Strings, Y: Tags) -> None:
    """What is loaded at the first use is loaded here."""
    made = METHODS[method].make(settings)
    model = made.train(made.pack(X[:_WARM], Y[:_WARM]))
    model.predict(model.pack(X[:_WARM]))


def _common(
    found: tuple[Weights, list[str], list[str]], X: Strings, Y: Tags
) -> tuple[Weights, Sequences, np.ndarray[Any, np.dtype[np.int32]]]:
    """Weights, sequences and label numbers with columns in one order, whatever order the method has."""
    w, names, labels = found
    vectorizer = SequenceVectorizer()
    packed = vectorizer.fit_transform(X)
    column = {name: number for number, name in enumerate(vectorizer.get_feature_names_out())}
    state = np.zeros((packed.n_features, len(labels)))
    state[[column[name] for name in names]] = w.state
    codes = pack_labels(Y, packed, classes=np.array(labels))[1]
    return Weights(state, w.transition, w.intercept, w.start, w.end), packed, codes
