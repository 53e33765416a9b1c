"""Schemes by which labels of single tokens mark chunks: ``B-x`` begins a chunk of kind x, ``O`` is outside of any.

===============  ==========================================================================================
BIO, IOB2        ``B-x`` begins a chunk, ``I-x`` goes on with it
IOB1             ``I-x`` is any token of a chunk; ``B-x`` its first where a chunk of the same kind ends before it
IOBES, BIOES     ``B-x`` first, ``I-x`` inside, ``E-x`` last, ``S-x`` a chunk of one token
BILOU            the same with ``L-x`` for the last and ``U-x`` for a chunk of one token
===============  ==========================================================================================

Chunks may be of one kind without a name; then labels are the letters alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

SCHEMES = {"BIO": "BI", "IOB2": "BI", "IOB1": "BI", "IOBES": "BIES", "BIOES": "BIES", "BILOU": "BILU"}
"""The letters of each scheme, but for O."""

Mark = tuple[str, str]
"""Letter (B, I, E, S or O, whatever the scheme calls the last two of a chunk) and kind."""

_COMMON = {"L": "E", "U": "S"}


class StrangeLabel(ValueError):
    """A label that a scheme does not have."""

    def __init__(self, text: str, label: Any = None) -> None:
        super().__init__(text)
        self.label = label


def scheme_named(name: Any) -> str:
    """The scheme in capitals, or a complaint."""
    if not isinstance(name, str) or name.upper() not in SCHEMES:
        raise ValueError(f"scheme must be one of {', '.join(SCHEMES)} or 'auto', not {name!r}.")
    return name.upper()


def scheme_of(labels: Iterable[Any]) -> str | None:
    """The scheme that labels are written in (BIO for all that have B and I only), None where they mark no chunks."""
    letters = {_split(label)[0] for label in labels} - {"O"}
    if letters:
        for scheme in ("BIO", "IOBES", "BILOU"):
            if letters <= set(SCHEMES[scheme]):
                return scheme
    return None


def chosen_scheme(scheme: str, labels: Iterable[Any]) -> str:
    """``scheme`` itself, or what ``'auto'`` means for labels; None and O alone are taken for BIO."""
    if scheme != "auto":
        return scheme_named(scheme)
    seen = dict.fromkeys(labels)
    found = scheme_of(seen)
    if found is not None or all(_split(label)[0] == "O" for label in seen):
        return found or "BIO"
    letters = {_split(label)[0] for label in seen}
    if "" not in letters:
        raise ValueError("The labels mix the schemes IOBES (E-x, S-x) and BILOU (L-x, U-x); write them in one.")
    strange = next(label for label in seen if not _split(label)[0])
    raise StrangeLabel(
        f"The label {strange!r} is of no scheme of chunks (O, B-x, I-x, E-x, S-x, L-x, U-x), so chunks cannot be told; "
        "give labels that mark chunks, with O for what is outside.",
        strange,
    )


def mark_of(label: Any, scheme: str) -> Mark:
    """What a label says in a scheme; None, of a token without an answer, is outside."""
    letter, kind = _split(label)
    if letter != "O" and letter not in set(SCHEMES[scheme]):
        raise StrangeLabel(
            f"The label {label!r} is not of the scheme {scheme}, whose labels are {_listed(scheme)}.", label
        )
    return _COMMON.get(letter, letter), kind


def may_follow(before: Mark | None, after: Mark | None, scheme: str) -> bool:
    """Whether a label may come after another in a valid labelling; None is the start or the end of the sequence."""
    first, second = before or ("O", ""), after or ("O", "")
    same = first[1] == second[1]
    in_chunk = first[0] in "BI" and same
    if scheme == "IOB1":
        return second[0] != "B" or in_chunk
    if SCHEMES[scheme] == "BI":
        return second[0] != "I" or in_chunk
    return in_chunk if second[0] in "IE" else first[0] not in "BI"


def _split(label: Any) -> Mark:
    """The letter, empty where the label has none, and the kind."""
    if label is None:
        return "O", ""
    letter, dash, kind = str(label).partition("-")
    if letter == "O" and dash:
        return "", ""
    return (letter, kind) if letter in set("OBIESLU") else ("", "")


def _listed(scheme: str) -> str:
    return "O, " + ", ".join(f"{letter}-x" for letter in SCHEMES[scheme])
