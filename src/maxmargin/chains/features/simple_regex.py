"""The regular expressions of Wapiti's patterns as those of Python."""

from __future__ import annotations

import re
import string

from maxmargin.core.input_checks import quoted

_CLASSES = {
    "d": "0-9",
    "a": "A-Za-z",
    "w": "A-Za-z0-9",
    "l": "a-z",
    "u": "A-Z",
    "p": re.escape(string.punctuation),
}


def as_python(pattern: str) -> str:
    r"""Translates ``.``, ``*``, ``?``, a leading ``^``, a final ``$`` and the classes ``\d \a \w \l \u \p`` (capitals:
    the complement); every other character, and any after a backslash, stands for itself."""
    found: list[str] = []
    repeatable = False
    characters = iter(enumerate(pattern))
    for place, character in characters:
        if character in "*?":
            if not repeatable:
                raise ValueError(
                    f"{quoted(character)} in the expression {quoted(pattern)} has nothing to repeat; quote it with \\."
                )
            found.append(character)
            repeatable = False
            continue
        if character == "^" and place == 0:
            found.append(r"\A")
            continue
        if character == "$" and place == len(pattern) - 1:
            found.append(r"\Z")
            continue
        if character == "\\":
            _, letter = next(characters, (place, ""))
            if not letter:
                raise ValueError(
                    f"The expression {quoted(pattern)} ends with a backslash; name the character to quote."
                )
            found.append(_class_of(letter))
        else:
            found.append("." if character == "." else re.escape(character))
        repeatable = True
    return "".join(found)


def _class_of(letter: str) -> str:
    members = _CLASSES.get(letter.lower())
    if members is None:
        return re.escape(letter)
    return f"[{'^' if letter.isupper() else ''}{members}]"
