"""Warnings on the command line: lines of stderr, not Python's own form."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from maxmargin.console import make_console

Warned = list[warnings.WarningMessage]


@contextmanager
def noted_warnings() -> Iterator[Warned]:
    """Collects every warning of what runs inside, for ``tell``."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def told(warning: warnings.WarningMessage) -> str:
    """The text of a warning on one line."""
    return " ".join(str(warning.message).split())


def tell(caught: Warned, words: Callable[[warnings.WarningMessage], str] = told) -> None:
    """Prints each text once."""
    for text in dict.fromkeys(map(words, caught)):
        make_console(stderr=True).print(f"warning: {text}")
