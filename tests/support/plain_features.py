"""Plain Python versions of what the native vectoriser does, written from the descriptions."""

from __future__ import annotations

from collections import Counter

import numpy as np

from maxmargin.chains.features import Field

TUTORIAL = (
    *([("w", offset)] for offset in range(-2, 3)),
    [("w", -1), ("w", 0)],
    [("w", 0), ("w", 1)],
    *([("pos", offset)] for offset in range(-2, 3)),
    [("pos", -2), ("pos", -1)],
    [("pos", -1), ("pos", 0)],
    [("pos", 0), ("pos", 1)],
    [("pos", 1), ("pos", 2)],
    [("pos", -2), ("pos", -1), ("pos", 0)],
    [("pos", -1), ("pos", 0), ("pos", 1)],
    [("pos", 0), ("pos", 1), ("pos", 2)],
)


def tutorial_attributes(sentence):
    """The attributes of every (word, pos) of a sentence as CRFsuite's tutorial makes them."""
    column = {"w": 0, "pos": 1}
    found = []
    for place in range(len(sentence)):
        attributes = []
        for template in TUTORIAL:
            if all(0 <= place + offset < len(sentence) for _, offset in template):
                names = "|".join(f"{name}[{offset}]" for name, offset in template)
                values = "|".join(sentence[place + offset][column[name]] for name, offset in template)
                attributes.append(f"{names}={values}")
        found.append(attributes)
    return found


def template_attributes(templates, sentence):
    """The attributes of every token; a token is a tuple of strings."""
    found = []
    for place in range(len(sentence)):
        attributes = []
        for template in templates:
            texts = [_text(part, sentence, place, template.marks) for part in template.parts]
            if None not in texts:
                attributes.append("".join(texts))
        found.append(attributes)
    return found


def _text(part, sentence, place, marks):
    if not isinstance(part, Field):
        return part
    there = place + part.offset
    if 0 <= there < len(sentence):
        text = sentence[there][part.column]
        return text if part.change is None else part.change(text)
    if not marks:
        return None
    return f"_B{there}" if there < 0 else f"_B+{there - len(sentence) + 1}"


def numbered(sequences):
    """Names in order of first sight, and for each token a dict from name to its value, for lists of strings."""
    names = {}
    for sequence in sequences:
        for token in sequence:
            for attribute in token:
                names.setdefault(attribute, len(names))
    return list(names), [[Counter(token) for token in sequence] for sequence in sequences]


def as_counters(packed, names):
    """The same from packed sequences."""
    found = []
    for matrix in packed:
        rows = []
        for row in range(matrix.shape[0]):
            part = slice(matrix.indptr[row], matrix.indptr[row + 1])
            columns, values = matrix.indices[part], matrix.data[part]
            assert np.all(np.diff(columns) > 0)
            rows.append(Counter({names[j]: value for j, value in zip(columns, values, strict=True)}))
        found.append(rows)
    return found
