"""Brackets that predicted trees must have, or must not have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from maxmargin import _core
from maxmargin.core.input_checks import quoted
from maxmargin.grammars.grammar import Grammar


def add_limits(core: _core.Sentences, grammar: Grammar, lengths: Sequence[int], forbidden: Any, required: Any) -> None:
    """Gives packed sentences their limits: for each of them None, or brackets ``(label, start, end)``."""
    if forbidden is None and required is None:
        return
    labels = {label: number for number, label in enumerate(grammar.bracket_labels)}
    rows: list[list[tuple[int, int, int, int]]] = [[] for _ in lengths]
    for name, given in (("forbidden", forbidden), ("required", required)):
        if given is None:
            continue
        if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != len(lengths):
            raise ValueError(
                f"{name} must be a list with one entry for each of the {len(lengths)} sentences: None, or a list of "
                "brackets (label, start, end)."
            )
        for i, own in enumerate(given):
            if isinstance(own, str) or not isinstance(own, Iterable | None):
                raise ValueError(f"Example {i}: {name} must be None or a list of brackets, not {quoted(own)}.")
            for bracket in [] if own is None else own:
                number, start, end = _checked(bracket, labels, lengths[i], f"Example {i}: the {name} bracket")
                rows[i].append((number, start, end, int(name == "required")))
    first = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    flat = np.array([row for own in rows for row in own], dtype=np.int32).reshape(-1, 4)
    core.set_limits(first, flat)


def _checked(bracket: Any, labels: dict[str, int], length: int, name: str) -> tuple[int, int, int]:
    parts = tuple(bracket) if isinstance(bracket, tuple | list) else ()
    if len(parts) != 3 or not all(isinstance(part, Integral) for part in parts[1:]):
        raise TypeError(f"{name} must be a label, the first word and one past the last, not {quoted(bracket)}.")
    label, start, end = parts
    if not isinstance(label, str) or label not in labels:
        raise ValueError(
            f"{name} {quoted(bracket)} has a label that the grammar does not have above tags. Tags are no brackets; "
            "Tree.brackets has those of a tree."
        )
    if not 0 <= start < end <= length:
        raise ValueError(f"{name} {quoted(bracket)} is not within the sentence, which has {length} words.")
    return labels[label], int(start), int(end)
