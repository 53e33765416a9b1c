"""Templates as JSON and back; only changes of this library can be kept, a function of the user's cannot."""

from __future__ import annotations

import re
from typing import Any

from maxmargin.chains.features.string_functions import (
    FLAG_NAMES,
    Change,
    Flag,
    Lower,
    Matched,
    Matches,
    Prefix,
    Shape,
    Suffix,
)
from maxmargin.chains.features.templates import Field, Template, Templates
from maxmargin.core.input_checks import quoted
from maxmargin.fitting.models import keep_values

_CHANGES: dict[str, type[Any]] = {kind.__name__: kind for kind in (Prefix, Suffix, Flag, Matches, Matched)}


def templates_as_json(templates: Templates) -> dict[str, Any]:
    """A dict of plain values; complains about changes that are functions of the user's own."""
    return {
        "tokens": [_template_as_json(template) for template in templates.token_templates],
        "pairs": [_template_as_json(template) for template in templates.pair_templates],
        "transitions": templates.transitions,
    }


def templates_from_json(value: dict[str, Any]) -> Templates:
    """The other way; a value that does not describe templates is a KeyError, TypeError or ValueError."""
    tokens, pairs = (tuple(map(_template_from_json, value[part])) for part in ("tokens", "pairs"))
    return Templates(tokens, pairs, _is(bool, value["transitions"]))


def _template_as_json(template: Template) -> dict[str, Any]:
    parts: list[Any] = []
    for part in template.parts:
        if isinstance(part, Field):
            change = None if part.change is None else _change_as_json(part.change)
            parts.append({"offset": int(part.offset), "column": int(part.column), "change": change})
        else:
            parts.append(part)
    return {"parts": parts, "marks": template.marks}


def _template_from_json(value: dict[str, Any]) -> Template:
    parts = tuple(part if isinstance(part, str) else _field_from_json(part) for part in value["parts"])
    return Template(parts, _is(bool, value["marks"]))


def _field_from_json(value: dict[str, Any]) -> Field:
    change = None if value["change"] is None else _change_from_json(value["change"])
    return Field(_is(int, value["offset"]), _is(int, value["column"]), change)


def _change_as_json(change: Change) -> list[Any]:
    """The name of the change and its argument, if it has one."""
    match change:
        case Lower():
            return ["Lower", None if change.after is None else _change_as_json(change.after)]
        case Shape():
            return ["Shape"]
        case Prefix() | Suffix():
            return [type(change).__name__, int(change.length)]
        case Flag():
            return ["Flag", change.name]
        case Matches() | Matched():
            return [type(change).__name__, change.pattern]
    raise ValueError(
        f"The templates use {quoted(change)}, which is code; a model file keeps only the changes of maxmargin.features."
    )


def _change_from_json(value: list[Any]) -> Change:
    name, *rest = value
    if name == "Shape":
        return Shape()
    (argument,) = rest
    if name == "Lower":
        return Lower(None if argument is None else _change_from_json(argument))
    if name in ("Prefix", "Suffix"):
        _is(int, argument)
    elif name == "Flag" and argument not in FLAG_NAMES:
        raise ValueError(f"there is no flag {quoted(argument)}")
    elif name in ("Matches", "Matched"):
        try:
            re.compile(_is(str, argument))
        except re.error as error:
            raise ValueError(f"the expression {quoted(argument)} is faulty: {error}") from error
    change: Change = _CHANGES[name](argument)
    return change


def _is(kind: type[Any], value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"{quoted(value)} should be of type {kind.__name__}")
    return value


keep_values("templates", Templates, templates_as_json, templates_from_json)
