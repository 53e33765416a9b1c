"""Options of ``maxmargin train`` that have a meaning for models of sequences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.chains.base import ChainEstimator
from maxmargin.chains.crf import ChainCRF
from maxmargin.chains.hmm import ChainHMM
from maxmargin.chains.perceptron import ChainPerceptron
from maxmargin.chains.svc import ChainSVC
from maxmargin.classes.cost_file import read_cost
from maxmargin.cli.files import option
from maxmargin.cli.sequence_files import read_templates
from maxmargin.cli.train import parse_c, parse_class_weight, parse_kernel, parse_tol

MODELS: dict[str, type[ChainEstimator]] = {
    "svm": ChainSVC,
    "crf": ChainCRF,
    "perceptron": ChainPerceptron,
    "hmm": ChainHMM,
}
_INPUT = {"templates", "comment", "min_count", "hashing", "window", "order", "no_ends", "n_jobs", "format"}
_LEARNED = _INPUT | {"eta", "kernel", "rank", "no_intercept", "max_time", "seed", "verbose"}
_SOLVED = _LEARNED | {"c", "solver", "tol", "max_iter"}
_MEANING = {
    "svm": _SOLVED | {"rescaling", "slack", "cost", "class_weight", "calibrate"},
    "crf": _SOLVED | {"l1", "l2", "observed", "class_weight"},
    "perceptron": _LEARNED | {"passes", "calibrate"},
    "hmm": _INPUT | {"alpha"},
}
SEQUENCE_ONLY = frozenset(
    {"kind", "templates", "comment", "min_count", "hashing", "window", "order", "no_ends", "eta"}
    | {"l1", "l2", "observed", "passes", "alpha", "calibrate"}
)
_TEXT_ONLY = ("templates", "min_count", "hashing")
_SAME = frozenset(
    {"rescaling", "slack", "solver", "max_iter", "max_time", "order", "eta", "window", "min_count", "hashing"}
    | {"rank", "n_jobs", "l1", "l2", "observed", "passes", "alpha"}
)
_CHANGED: dict[str, Callable[[Any], tuple[str, Any]]] = {
    "c": lambda text: ("C", parse_c(text)),
    "tol": lambda text: ("tol", parse_tol(text)),
    "kernel": lambda text: ("kernel", parse_kernel(text)),
    "no_intercept": lambda flag: ("fit_intercept", not flag),
    "no_ends": lambda flag: ("ends", not flag),
    "seed": lambda seed: ("random_state", seed),
    "verbose": lambda flag: ("verbose", int(flag)),
    "templates": lambda name: ("templates", read_templates(name)),
}


def check_options(path: Path, format: str, kind: str, given: Mapping[str, Any]) -> None:
    """Raises, before anything is read, for options that would be ignored."""
    if kind not in MODELS:
        raise ValueError(f"--model must be one of {', '.join(MODELS)}, not {kind!r}.")
    for name in given:
        if name not in _MEANING[kind] | {"kind"}:
            raise ValueError(f"{option(name)} has no meaning for --model {kind} on a file of sequences; leave it out.")
    if format == "conll" and "templates" not in given:
        raise ValueError(
            f"{path} holds columns of text; say with --templates how to make attributes of them: entities for "
            "names, tagging for parts of speech, chunking for phrases (of words and parts of speech), or a file in the "
            "syntax of CRF++."
        )
    unused = [name for name in _TEXT_ONLY if name in given]
    if format != "conll" and "comment" in given:
        raise ValueError(f"{path} is a {format} file, and --comment is for conll; leave it out.")
    if format == "crfsuite" and "templates" in given:
        raise ValueError(f"{path} holds attributes already; leave --templates out.")
    if format == "svmhmm" and unused:
        raise ValueError(f"{path} holds numbered features; leave {option(unused[0])} out.")


def make_estimator(kind: str, given: Mapping[str, Any], classes: npt.NDArray[Any]) -> ChainEstimator:
    """The estimator that the options describe, for the labels of the data; what is not given has its default."""
    parameters = {name: value for name, value in given.items() if name in _SAME}
    for name, change in _CHANGED.items():
        if name in given:
            parameter, value = change(given[name])
            parameters[parameter] = value
    if given.get("cost") is not None:
        parameters["cost"] = read_cost(given["cost"], classes)
    if given.get("class_weight") is not None:
        parameters["class_weight"] = parse_class_weight(given["class_weight"], classes)
    return MODELS[kind](**parameters)


def labels_of(Y: list[list[Any]]) -> npt.NDArray[Any]:
    """The different labels, ascending."""
    return np.array(sorted({label for labels in Y for label in labels}))
