"""Equality of outputs of any Python type."""

from __future__ import annotations

import reprlib
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp


def shown(y: Any) -> str:
    """An output for a message: on one line and not too long."""
    return " ".join(reprlib.repr(y).split())


_PLAIN = frozenset({int, str, bool, bytes, frozenset})  # equality is what it seems to be


def same_output(a: Any, b: Any) -> bool:
    """Whether two outputs are equal; containers and dataclasses are compared piece by piece."""
    if a is b:
        return True
    if type(a) is type(b) and type(a) in _PLAIN:
        return bool(a == b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    if sp.issparse(a) and sp.issparse(b):
        return bool(a.shape == b.shape and (a != b).nnz == 0)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same_output, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_output(a[key], b[key]) for key in a)
    if is_dataclass(a) and type(a) is type(b):
        return all(same_output(getattr(a, field.name), getattr(b, field.name)) for field in fields(a) if field.compare)
    if type(a) is type(b) and callable(getattr(a, "equals", None)):
        return bool(a.equals(b))
    try:
        return bool(a == b)
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"Outputs of type {type(a).__name__} cannot be compared; give it an __eq__ that returns True or False."
        ) from error
