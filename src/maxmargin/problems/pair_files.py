"""Pairs of inputs and outputs as text for model files: what is made of numbers, strings, lists, tuples and arrays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from maxmargin.core.input_checks import quoted
from maxmargin.core.joint_kernel import Pair


def written_pairs(pairs: Sequence[Pair]) -> bytes:
    """Raises for a pair that has something else in it."""
    return json.dumps([_plain(pair) for pair in pairs], allow_nan=False).encode()


def read_pairs(text: bytes, count: int) -> list[Pair]:
    """The other way; what is no list of so many pairs is a ValueError."""
    pairs = [_restored(each) for each in json.loads(text)]
    if len(pairs) != count or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise ValueError("there must be a pair of an input and an output for each coefficient")
    return pairs


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and np.isfinite(value):
        return value
    if isinstance(value, np.generic) and value.dtype.kind in "biufU":
        return _plain(value.item())
    if isinstance(value, list | tuple):
        return {"tuple" if isinstance(value, tuple) else "list": [_plain(each) for each in value]}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": [[key, _plain(each)] for key, each in value.items()]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufU":
        values = [_plain(each) for each in value.ravel().tolist()]
        return {
            "array": values,
            "type": "U" if value.dtype.kind == "U" else value.dtype.str,
            "shape": list(value.shape),
        }
    raise ValueError(
        f"A model file keeps the inputs and outputs that its weights are made of, and these have {quoted(value)} in "
        "them; it keeps numbers, strings, lists, tuples, dicts and arrays. pickle keeps everything."
    )


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        if "array" in value:
            kind = np.dtype(value["type"])
            if kind.kind not in "biufU" or (kind.kind == "U" and kind.itemsize):  # strings are as long as they are
                raise ValueError("an array of pairs has numbers, or strings of no given length")
            return np.array(value["array"], dtype=kind).reshape(value["shape"])
        if "tuple" in value:
            return tuple(_restored(each) for each in value["tuple"])
        if "list" in value:
            return [_restored(each) for each in value["list"]]
        return {key: _restored(each) for key, each in value["dict"]}
    return value
