"""What is asked of a word: at which level a document covers it, and in how many documents it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from maxmargin.diversity.candidates import TEXT


class Level(NamedTuple):
    """A document covers a word at this level if the word occurs at least ``least`` times in the field."""

    field: str
    least: float

    def __str__(self) -> str:
        return f"{self.field}>={self.least:g}"


def checked_shares(given: Iterable[Any]) -> tuple[float, ...]:
    """Thresholds of importance: ascending shares above 0 and at most 1."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"importance must be shares of documents such as (0.1, 0.3), not {given!r}.")
    shares = list(given)
    for share in shares:
        if isinstance(share, bool) or not isinstance(share, Real) or not 0.0 < float(share) <= 1.0:
            raise ValueError(
                f"importance holds {share!r}; a threshold is a share of the documents, above 0 and at most 1."
            )
    return tuple(sorted({float(share) for share in shares}))


def checked_levels(given: Any, fields: Sequence[str]) -> tuple[Level, ...]:
    """The levels of coverage of a model whose candidate sets have these fields.

    ``given`` is None (at least 1, 2 and 3 times in the field ``'text'``, or in the first if there is none of that name;
    at least once in others), numbers that hold for all fields, or a dict of fields to numbers.
    """
    main = TEXT if TEXT in fields else fields[0]
    if given is None:
        wanted: dict[str, Any] = {name: (1, 2, 3) if name == main else (1,) for name in fields}
    elif isinstance(given, Mapping):
        unknown = [name for name in given if name not in fields]
        if unknown:
            raise ValueError(
                f"levels names the field {unknown[0]!r}, which the candidate sets do not have; "
                f"they have {', '.join(map(repr, fields))}."
            )
        wanted = dict(given)
    else:
        wanted = dict.fromkeys(fields, given)
    levels = [Level(name, least) for name, numbers in wanted.items() for least in _numbers(name, numbers)]
    if not levels:
        raise ValueError("levels is empty; at least one level is needed, such as {'text': (1,)}.")
    return tuple(levels)


def _numbers(name: str, given: Any) -> list[float]:
    numbers = [given] if isinstance(given, Real) else given
    if isinstance(numbers, str) or not isinstance(numbers, Iterable):
        raise ValueError(f"levels of the field {name!r} must be numbers such as (1, 3), not {given!r}.")
    found = list(numbers)
    for number in found:
        if isinstance(number, bool) or not isinstance(number, Real) or not 0.0 < float(number) < np.inf:
            raise ValueError(f"levels of the field {name!r} hold {number!r}; a level is a least count above 0.")
    return sorted({float(number) for number in found})
