"""What a call spends its CPU seconds on, by clocks around the functions that do the work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

Parts = Mapping[str, tuple[tuple[Any, str], ...]]
"""Functions by what they do, each a name in a class or a module; none of them calls another one."""


@contextmanager
def clocked(parts: Parts, clock: Callable[[], float] = time.process_time) -> Iterator[dict[str, float]]:
    """The seconds that each part has taken while the context is open; what is in none of them is not in the sum."""
    spent = dict.fromkeys(parts, 0.0)
    with ExitStack() as stack:
        for name, functions in parts.items():
            for owner, function in functions:
                stack.enter_context(patch.object(owner, function, _timed(getattr(owner, function), name, spent, clock)))
        yield spent


def _timed(function: Callable[..., Any], name: str, spent: dict[str, float], clock: Callable[[], float]) -> Any:
    @wraps(function)
    def timed(*arguments: Any, **options: Any) -> Any:
        began = clock()
        try:
            return function(*arguments, **options)
        finally:
            spent[name] += clock() - began

    return timed
