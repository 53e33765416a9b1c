"""The tables of docs/vocabulary.md, all estimators side by side.

``python tests/support/vocabulary_table.py`` writes them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin

import maxmargin
from estimator_cases import CASES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "vocabulary.md"
START = "<!-- written by tests/support/vocabulary_table.py -->\n"
ESTIMATORS: tuple[type[Any], ...] = tuple(getattr(maxmargin, name) for name in CASES)
PURPOSE = ("problem", "space", "measure", "k")  # what a model is for, where there is such a thing
SHARED = (
    *PURPOSE,
    *("C", "method", "l1", "l2", "passes", "loss", "cost", "decision", "shift"),
    *("features", "prior", "grammar", "horizontal", "vertical", "input", "chains", "rare", "beam"),
    *("alpha", "alphabet", "mode", "free_ends", "band"),
    *("order", "eta", "ends", "window", "templates", "min_count", "hashing"),
    *("kernel", "rank", "class_weight", "rescaling", "slack", "solver", "fit_intercept", "intercept_scaling"),
    *("tol", "max_iter", "max_time", "n_jobs", "warm_start", "random_state", "callback", "verbose"),
)
METHODS = (
    *("fit", "partial_fit", "calibrate", "predict", "predict_kbest", "predict_proba", "predict_marginals"),
    *(
        "predict_confidence",
        "expected_loss",
        "sample",
        "decision_function",
        "decision_value",
        "predict_ranking",
        "rank",
        "score",
        "chunk_score",
    ),
    *("top_features", "top_transitions", "explain", "substitution_matrix", "gap_scores", "pair_scores", "save"),
)
KEYWORDS = ("classes", "folds", "groups", "group", "qid", "lengths", "sample_weight")


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Those of a constructor or a method, by name."""
    return {name: each for name, each in inspect.signature(function).parameters.items() if name != "self"}


def positional(function: Callable[..., Any]) -> list[str]:
    """Names of the arguments that may be given by position."""
    return [name for name, each in parameters(function).items() if each.kind is each.POSITIONAL_OR_KEYWORD]


def methods(kind: type[Any]) -> list[str]:
    """Public methods of an estimator that are not scikit-learn's."""
    theirs = {*dir(BaseEstimator), *dir(ClassifierMixin)} - {"score"}
    own = [name for name in dir(kind) if name not in theirs and not name.startswith("_") and not _is_request(name)]
    return [name for name in own if callable(getattr(kind, name))]


def markdown() -> str:
    """Parameters, methods, and what one estimator has alone."""
    names = [f"`{kind.__name__}`" for kind in ESTIMATORS]
    lines = ["## Parameters", "", *_head(["", *names])]
    used = [name for name in SHARED if any(name in parameters(kind) for kind in ESTIMATORS)]
    lines += [_row([f"`{name}`", *(_default(kind, name) for kind in ESTIMATORS)]) for name in used]
    lines += ["", "## Methods", "", *_head(["", *names])]
    for name in METHODS:
        first = next(getattr(kind, name) for kind in ESTIMATORS if callable(getattr(kind, name, None)))
        head = f"`{name}({', '.join(positional(first))})`"
        lines.append(_row([head, *(_keywords(kind, name, positional(first)) for kind in ESTIMATORS)]))
    lines += ["", "## What one of them has beyond that", "", *_head(["", "parameters", "methods"])]
    for kind, name in zip(ESTIMATORS, names):
        own = [f"`{each}={_shown(found.default)}`" for each, found in parameters(kind).items() if each not in SHARED]
        more = [f"`{each}`" for each in methods(kind) if each not in METHODS]
        lines.append(_row([name, ", ".join(own), ", ".join(more)]))
    return "\n".join(lines) + "\n"


def _is_request(name: str) -> bool:
    """Whether a method is one that scikit-learn adds for its metadata routing."""
    return name.startswith("set_") and name.endswith("_request")


def _default(kind: type[Any], name: str) -> str:
    found = parameters(kind).get(name)
    if found is None:
        return ""
    return "required" if found.default is found.empty else f"`{_shown(found.default)}`"


def _keywords(kind: type[Any], name: str, usual: list[str]) -> str:
    method = getattr(kind, name, None)
    if not callable(method):
        return ""
    own = [each for each, found in parameters(method).items() if found.kind is found.KEYWORD_ONLY]
    own = own if positional(method) == usual else [*positional(method), *own]
    return ", ".join(f"`{each}`" for each in own) or "yes"


def _shown(default: Any) -> str:
    return f'"{default}"' if isinstance(default, str) else repr(default)


def _head(parts: list[str]) -> list[str]:
    return [_row(parts), _row(["---"] * len(parts))]


def _row(parts: list[str]) -> str:
    return f"| {' | '.join(parts)} |"


def written(page: str) -> str:
    """The page with its tables as they should be."""
    return page[: page.index(START)] + START + "\n" + markdown()


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
