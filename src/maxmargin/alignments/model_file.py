"""Features and alphabets in model files."""

from __future__ import annotations

from typing import Any

from maxmargin.alignments.alphabet import Alphabet
from maxmargin.alignments.features import Features, Part, part_from_plain, part_to_plain
from maxmargin.alignments.layout import Layout
from maxmargin.fitting.model_parts import ModelValues
from maxmargin.fitting.models import keep_values


def alphabet_to_plain(alphabet: Alphabet) -> dict[str, Any]:
    """Letters that are strings or whole numbers."""
    for letter in (*alphabet.letters, alphabet.unknown):
        if isinstance(letter, bool) or not isinstance(letter, str | int | None):
            raise ValueError(
                f"The letter {letter!r:.80} is a {type(letter).__name__}, which a model file cannot keep; use strings "
                "or whole numbers."
            )
    return {"letters": list(alphabet.letters), "unknown": alphabet.unknown}


def alphabet_from_plain(given: Any) -> Alphabet:
    """What ``alphabet_to_plain`` gave."""
    if not isinstance(given, dict) or not isinstance(given.get("letters"), list):
        raise ValueError("an alphabet is no list of letters")
    for letter in (*given["letters"], given.get("unknown")):
        if isinstance(letter, bool) or not isinstance(letter, str | int | None):
            raise ValueError("a letter is neither a string nor a whole number")
    return Alphabet(given["letters"], unknown=given.get("unknown"))


def layout_to_plain(layout: Layout) -> dict[str, Any]:
    """Features, and what their tracks have."""
    return {
        "parts": layout.features.to_plain(),
        "alphabets": {name: alphabet_to_plain(own) for name, own in layout.alphabets.items()},
        "columns": layout.columns,
    }


def layout_from_plain(given: ModelValues) -> Layout:
    """What ``layout_to_plain`` gave; raises where its parts do not fit."""
    features = Features.from_plain(given["parts"])
    alphabets = {name: alphabet_from_plain(own) for name, own in given["alphabets"].items()}
    columns = given["columns"]
    if set(alphabets) != set(features.letters()) or set(columns) != set(features.numbers()):
        raise ValueError("the features need other tracks than those that are there")
    for count in columns.values():
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ValueError("a number of columns is no whole number")
    return Layout(features, alphabets, columns)


keep_values("alignment_features", Features, Features.to_plain, Features.from_plain)
keep_values("alignment_part", Part, part_to_plain, part_from_plain)
keep_values("alphabet", Alphabet, alphabet_to_plain, alphabet_from_plain)
