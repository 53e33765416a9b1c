r"""The text format of CRFsuite: ``label TAB attribute TAB attribute:weight ...``, blank lines between sequences.

A colon inside a name is written ``\:`` and a backslash ``\\``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, TypeAlias

from maxmargin.core.input_checks import quoted
from maxmargin.io.text import numbered_lines, starts_with_mark, text_writer

Token: TypeAlias = list[str] | dict[str, float]
"""Attributes of weight 1, or a dict of weights where some have another."""

_NAME = re.compile(r"(?:[^:\\]|\\.)*")
_ESCAPED = re.compile(r"\\(.)")


def iter_crfsuite(
    path: str | PathLike[str], *, encoding: str = "utf-8", lines: list[int] | None = None
) -> Iterator[tuple[list[Token], list[str]]]:
    """Sequences as (tokens, labels), one after the other; the file is read as they are taken.

    A token is the list of its attributes, or a dict from attribute to weight if one of its weights is written out;
    ``SequenceVectorizer`` takes both. Weights of an attribute that comes twice in such a token are added.
    The line of each token, counted from 1, is appended to ``lines`` where that is given.
    """
    name = fspath(path)
    tokens: list[Token] = []
    labels: list[str] = []
    empty, blanks, has_attributes = True, 0, False
    for number, line in numbered_lines(name, encoding):
        if not line:
            if labels:
                yield tokens, labels
                tokens, labels = [], []
            continue
        empty = False
        try:
            label, token = _parsed(line)
        except ValueError as error:
            raise ValueError(f"{name}, line {number}: {error}") from error
        has_attributes = has_attributes or bool(token)
        if not blanks and " " in label:
            blanks = number
        tokens.append(token)
        labels.append(label)
        if lines is not None:
            lines.append(number)
    if labels:
        yield tokens, labels
    if blanks and not has_attributes:
        raise ValueError(
            f"{name}, line {blanks} has blanks, but no line of the file has a tab; divide label and attributes by tabs."
        )
    if empty:
        raise ValueError(f"{name} holds no sequences; each line must be a label and attributes, divided by tabs.")


def read_crfsuite(
    path: str | PathLike[str], *, encoding: str = "utf-8", lines: list[int] | None = None
) -> tuple[list[list[Token]], list[list[str]]]:
    """All sequences of a file and their labels; see ``iter_crfsuite``."""
    X: list[list[Token]] = []
    Y: list[list[str]] = []
    for tokens, labels in iter_crfsuite(path, encoding=encoding, lines=lines):
        X.append(tokens)
        Y.append(labels)
    return X, Y


def write_crfsuite(
    path: str | PathLike[str],
    X: Iterable[Sequence[Sequence[str] | Mapping[str, float]]],
    Y: Iterable[Sequence[Any]],
    *,
    encoding: str = "utf-8",
) -> None:
    """Writes sequences of tokens, lists of attributes or dicts from attribute to weight, and their labels."""
    with text_writer(path, encoding) as file:
        for i, (tokens, labels) in enumerate(zip(X, Y, strict=True)):
            if len(tokens) != len(labels) or not len(tokens):
                raise ValueError(
                    f"Sequence {i} has {len(tokens)} tokens and {len(labels)} labels; give each token one label."
                )
            for t, (token, label) in enumerate(zip(tokens, labels, strict=True)):
                where = f"Sequence {i}, token {t}"
                if not str(label) or (i == t == 0 and starts_with_mark(str(label))):
                    raise ValueError(
                        f"{where}: the label {quoted(str(label))} cannot be written; give it another name."
                    )
                fields = [_written(str(label), where), *_attributes(token, where)]
                file.write("\t".join(fields) + "\n")
            file.write("\n")


def _parsed(line: str) -> tuple[str, Token]:
    label, *fields = line.split("\t")
    if ":" not in line and "\\" not in line:
        return label, fields
    name, weight = _field(label)
    if weight is not None:
        raise ValueError(
            f"the label {quoted(label)} holds a colon; write it as {quoted(label.replace(':', chr(92) + ':'))}."
        )
    pairs = [_field(field) for field in fields]
    if all(weight is None for _, weight in pairs):
        return name, [attribute for attribute, _ in pairs]
    weights: dict[str, float] = {}
    for attribute, weight in pairs:
        weights[attribute] = weights.get(attribute, 0.0) + (1.0 if weight is None else weight)
    return name, weights


def _field(field: str) -> tuple[str, float | None]:
    """Name and weight; None where no weight is written."""
    match = _NAME.match(field)
    name = match[0] if match else ""
    rest = field[len(name) :]
    if rest == "\\":
        raise ValueError(f"{quoted(field)} ends with a backslash; write it as two.")
    unescaped = _ESCAPED.sub(r"\1", name) if "\\" in name else name
    if not rest:
        return unescaped, None
    try:
        weight = float(rest[1:])
    except ValueError:
        raise ValueError(
            f"the weight {quoted(rest[1:])} of the attribute {quoted(unescaped)} is not a number; write a colon of a "
            "name as '\\:'."
        ) from None
    if not math.isfinite(weight):
        raise ValueError(f"the weight of the attribute {quoted(unescaped)} is {weight}; give a finite number.")
    return unescaped, weight


def _attributes(token: Sequence[str] | Mapping[str, float], where: str) -> list[str]:
    if isinstance(token, Mapping):
        return [f"{_written(name, where)}:{_number(name, weight, where)!r}" for name, weight in token.items()]
    if isinstance(token, str):
        raise ValueError(f"{where} is a string; give a list of its attributes.")
    return [_written(name, where) for name in token]


def _number(name: str, weight: Any, where: str) -> float:
    try:
        number = float(weight)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{where}: the weight of {quoted(name)} is {quoted(weight)}; give a finite number.")
    return number


def _written(name: str, where: str) -> str:
    if any(character in name for character in "\t\r\n"):
        raise ValueError(
            f"{where}: {quoted(name)} holds a tab or the end of a line, which the file cannot; replace it."
        )
    return name.replace("\\", "\\\\").replace(":", "\\:")
