"""What the parameters of estimators may be: listed as data by each estimator, and checked here before any work is done.

An estimator has ``_parameters``, a mapping of the name of every parameter to what is allowed, each either a word or a
number as it stands, None, ``bool``, or a ``Kind`` of values::

    _parameters = {**TRAINING, **MARGINS, "C": SCALED, "method": METHODS, "order": (1, 2, 3), "cost": ANYTHING}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from maxmargin.core.formulation import RESCALINGS, SLACKS
from maxmargin.core.input_checks import is_whole, quoted
from maxmargin.solvers.choose import BY_NAME


class InvalidParameterError(ValueError, TypeError):
    """A parameter is none of what is allowed."""


@dataclass(frozen=True)
class Kind:
    """Values that ``holds`` is true of; ``words`` says in a message what they are."""

    words: str
    holds: Callable[[Any], bool]


Allowed = tuple[Any, ...]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def whole(least: int) -> Kind:
    """Whole numbers from ``least`` on."""
    return Kind(f"a whole number of at least {least}", lambda value: is_whole(value) and value >= least)


def _is_solver(value: Any) -> bool:
    return callable(value) and not isinstance(value, type | str)


def _is_seed(value: Any) -> bool:
    return isinstance(value, np.random.RandomState) or (is_whole(value) and 0 <= value < 2**32)


POSITIVE = Kind("a positive number", lambda value: _is_number(value) and 0.0 < float(value) < np.inf)
NOT_NEGATIVE = Kind("a number of at least 0", lambda value: _is_number(value) and 0.0 <= float(value) < np.inf)
COUNT = Kind("a positive integer", lambda value: is_whole(value) and value >= 1)
SOLVER = Kind("a solver object", _is_solver)
SEED = Kind("a whole number from 0 to 2**32 - 1, a RandomState", _is_seed)
FUNCTION = Kind("a function", callable)
LEVEL = Kind("a whole number of at least 0", lambda value: isinstance(value, Integral | np.bool_) and int(value) >= 0)

ANYTHING: Allowed = (Kind("anything", lambda value: True),)
"""What is checked together with the data that it belongs to."""

SCALED: Allowed = (POSITIVE, "scale")
METHODS: Allowed = ("auto", "likelihood", "structural")
MARGINS: Mapping[str, Allowed] = {
    "rescaling": RESCALINGS,
    "slack": SLACKS,
    "solver": ("auto", *BY_NAME, SOLVER),
}
MARGINS_OR_LIKELIHOOD: Mapping[str, Allowed] = {
    **MARGINS,
    "method": METHODS,
    "solver": ("auto", *BY_NAME, "dual", "lbfgs", SOLVER),
}
LIKELIHOOD: Mapping[str, Allowed] = {"solver": ("auto", "dual", "lbfgs", SOLVER)}
TRAINING: Mapping[str, Allowed] = {
    "C": SCALED,
    "tol": (POSITIVE, "auto"),
    "max_iter": (COUNT, None),
    "max_time": (POSITIVE, None),
    "n_jobs": (None, -1, COUNT),
    "warm_start": (bool,),
    "random_state": (SEED, None),
    "callback": (FUNCTION, None),
    "verbose": (LEVEL,),
}
INTERCEPT: Mapping[str, Allowed] = {"fit_intercept": (bool,), "intercept_scaling": SCALED}


def check_parameters(estimator: Any) -> None:
    """Raises, with one sentence, for the first parameter that is none of what is allowed."""
    for name, allowed in estimator._parameters.items():
        value = getattr(estimator, name)
        if not any(_is(value, each) for each in allowed):
            raise InvalidParameterError(f"{name} must be {described(allowed)}, not {quoted(value)}.")


def described(allowed: Allowed) -> str:
    """The alternatives in the words of a message."""
    words = [_words(each) for each in allowed]
    if len(words) > 1 and all(isinstance(each, str) for each in allowed):
        return f"one of {', '.join(words)}"
    one_of = "one of " if sum(isinstance(each, str) for each in allowed) > 3 else ""
    return one_of + " or ".join([*([", ".join(words[:-1])] if words[1:] else []), words[-1]])


def _words(allowed: Any) -> str:
    if allowed is bool:
        return "True or False"
    return allowed.words if isinstance(allowed, Kind) else repr(allowed)


def _is(value: Any, allowed: Any) -> bool:
    if isinstance(allowed, Kind):
        return allowed.holds(value)
    if allowed is bool:
        return isinstance(value, bool | np.bool_)
    if allowed is None:
        return value is None
    if isinstance(allowed, str):
        return isinstance(value, str) and value == allowed
    return is_whole(value) and value == allowed
