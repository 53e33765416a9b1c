"""What templates make of a string: each change gives another string, or None where the token then lacks the attribute.

A change is called once for each distinct string of a column, not once per token.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

Change: TypeAlias = Callable[[str], str | None]

_CLASSES = (("X", str.isupper), ("x", str.isalpha), ("d", str.isdigit))
_FLAGS: dict[str, Callable[[str], bool]] = {
    "digit": lambda text: any(map(str.isdigit, text)),
    "number": lambda text: any(map(str.isdigit, text)) and not any(map(str.isalpha, text)),
    "hyphen": lambda text: "-" in text,
    "capital": lambda text: text[:1].isupper(),
    "capitals": str.isupper,
    "punctuation": lambda text: not any(map(str.isalnum, text)),
}
FLAG_NAMES = tuple(_FLAGS)


@dataclass(frozen=True)
class Lower:
    """The string in lower case, after another change if one is given."""

    after: Change | None = None

    def __call__(self, text: str) -> str | None:
        changed = text if self.after is None else self.after(text)
        return None if changed is None else changed.lower()


@dataclass(frozen=True)
class Prefix:
    """The first ``length`` characters, of strings that have as many."""

    length: int

    def __call__(self, text: str) -> str | None:
        return text[: self.length] if len(text) >= self.length else None


@dataclass(frozen=True)
class Suffix:
    """The last ``length`` characters, of strings that have as many."""

    length: int

    def __call__(self, text: str) -> str | None:
        return text[len(text) - self.length :] if len(text) >= self.length else None


@dataclass(frozen=True)
class Shape:
    """Runs of capitals as X, of other letters as x, of digits as d; other characters stay: ``McDonald's-1990`` is
    ``XxXx'x-d``."""

    def __call__(self, text: str) -> str:
        shape: list[str] = []
        for character in text:
            kind = next((kind for kind, belongs in _CLASSES if belongs(character)), character)
            if not shape or shape[-1] != kind:
                shape.append(kind)
        return "".join(shape)


@dataclass(frozen=True)
class Flag:
    """The empty string where a property holds, None where it does not.

    ``digit``: a digit in it; ``number``: digits and no letters; ``hyphen``: a hyphen in it; ``capital``: starts with a
    capital; ``capitals``: all its letters are capitals; ``punctuation``: neither letter nor digit in it.
    """

    name: str

    def __call__(self, text: str) -> str | None:
        return "" if _FLAGS[self.name](text) else None


@dataclass(frozen=True)
class Matches:
    """``true`` or ``false``: whether a regular expression is found in the string."""

    pattern: str

    def __call__(self, text: str) -> str:
        return "true" if self._compiled.search(text) else "false"

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.DOTALL)


@dataclass(frozen=True)
class Matched:
    """The part of the string that a regular expression matches first, empty if it does not."""

    pattern: str

    def __call__(self, text: str) -> str:
        found = self._compiled.search(text)
        return found[0] if found else ""

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.DOTALL)
