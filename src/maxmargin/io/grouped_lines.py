"""Lines of numbered groups, as SVM-HMM, SVM-rank and LETOR write them: ``VALUE qid:NUMBER index:value ... # note``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from maxmargin import _core
from maxmargin.core.input_checks import quoted
from maxmargin.io.labelled import open_data
from maxmargin.io.svmlight import fault_of, fields_of, is_whole


@dataclass(frozen=True)
class Words:
    """What a format calls its parts, for messages.

    Parameters
    ----------
    content : what a file holds, such as ``'documents'``
    value : the whole number that a line starts with, such as ``'grade'``
    row : what a line stands for, such as ``'document'``
    group : what the number after ``qid:`` counts, such as ``'query'``
    numbering : how to write values that are no numbers, such as ``'number the grades 0, 1, 2 and so on'``
    example : a good line
    """

    content: str
    value: str
    row: str
    group: str
    numbering: str
    example: str


def read_grouped_lines(name: str, words: Words) -> tuple[Any, Any, Any, tuple[Any, Any, Any]]:
    """The value, the number of the group and the line of each row, and the features as the arrays of a CSR matrix.

    Columns are counted from 0. Raises a ``ValueError`` that names the first bad line.
    """
    with open_data(name) as file:
        text = file.read()
    fault, values, numbers, lines, features = _core.read_svmhmm(text)
    if fault:
        line = text.split(b"\n", fault)[fault - 1]
        raise ValueError(f"{name}, line {fault}: {_explained(fields_of(line), words)}")
    if not len(values):
        raise ValueError(
            f"{name} holds no {words.content}; each line must be {words.value.upper()} qid:NUMBER index:value ..."
        )
    return values, numbers, lines, features


def _explained(parts: list[str], words: Words) -> str:
    """What is wrong with the fields of a line."""
    first = parts[0]
    if ":" in first:
        return (
            f"there is no {words.value} before {quoted(first)}; put the {words.value} of the {words.row}, or 0 if it "
            "is unknown, first."
        )
    if not is_whole(first):
        return f"the {words.value} {quoted(first)} is not a whole number; {words.numbering}."
    if len(parts) < 2 or not parts[1].startswith("qid:"):
        return f"the {words.value} is not followed by qid:NUMBER; say to which {words.group} the {words.row} belongs."
    if not is_whole(parts[1][4:]):
        return f"{quoted(parts[1])} does not number a {words.group}; write for example qid:1."
    fault = fault_of(parts, zero_based=False)
    if fault is not None:
        return fault
    for index, _, value in (pair.partition(":") for pair in parts[2:]):
        if not math.isfinite(float(value)):
            return f"feature {index} is {float(value)}; replace it by a finite number or leave it out."
    return f"a number is too large or is not written plainly; write for example {words.example}."
