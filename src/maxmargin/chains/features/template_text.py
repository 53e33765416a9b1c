"""Template files of CRF++ and Wapiti."""

from __future__ import annotations

import re

from maxmargin.chains.features.simple_regex import as_python
from maxmargin.chains.features.string_functions import Change, Lower, Matched, Matches
from maxmargin.chains.features.templates import Field, Template, Templates
from maxmargin.core.input_checks import quoted

_START = re.compile(r"%[xXtTmM]")
_MACRO = re.compile(r"%([xXtTmM])\[\s*(@?)([-+]?\d+)\s*,\s*(\d+)\s*(?:,\s*\"((?:[^\"\\]|\\.)*)\"\s*)?\]")


def parse_templates(text: str) -> Templates:
    r"""Templates in the syntax of CRF++, with what Wapiti adds to it.

    One template per line; lines that are blank or start with ``#`` are skipped. The first letter tells what it is for:
    ``U`` the label of a token, ``B`` the labels of a token and the one before it, ``*`` both. The attribute is the
    whole line, in which ``%x[-1,0]`` is replaced by column 0 of the token before; beyond the ends of the sequence that
    is ``_B-1``, ``_B-2``, ... and ``_B+1``, ... A ``B`` line without ``%x`` asks for the plain transitions.

    ``%t[0,0,"regexp"]`` is ``true`` or ``false``, whether the expression is found; ``%m[0,0,"regexp"]`` the part that
    it matches. Capitals (``%X``, ``%M``) give lower case. Expressions know ``.``, ``*``, ``?``, ``^``, ``$`` and the
    classes ``\d``, ``\a``, ``\w``, ``\l``, ``\u``, ``\p`` (ASCII digits, letters, both, lower case, capitals,
    punctuation), in upper case their complements. Marks beyond the ends are left as they are by all of these.
    """
    tokens: list[Template] = []
    pairs: list[Template] = []
    transitions = False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        kind, rest = line[0], line[1:]
        if kind not in "UuBb*":
            raise ValueError(
                f"Template line {number} ({quoted(line)}) starts with {quoted(kind)}; "
                "start it with U, B or *, or with # for a comment."
            )
        if kind in "Uu*":
            tokens.append(Template(_parts(("u" if kind == "*" else kind) + rest, number), marks=True))
        if kind in "Bb*":
            template = Template(_parts(("b" if kind == "*" else kind) + rest, number), marks=True)
            if template.fields:
                pairs.append(template)
            else:
                transitions = True
    if not tokens and not pairs:
        raise ValueError("The text holds no templates for tokens; give lines such as 'U00:%x[0,0]'.")
    return Templates(tuple(tokens), tuple(pairs), transitions)


def _parts(line: str, number: int) -> tuple[str | Field, ...]:
    parts: list[str | Field] = []
    done = 0
    while start := _START.search(line, done):
        macro = _MACRO.match(line, start.start())
        if macro is None:
            raise ValueError(
                f"Template line {number}: {quoted(line[start.start() : start.start() + 20])} is not a field; "
                'write it like %x[-1,0], %t[0,0,"^\\u"] or %m[0,0,"..?$"].'
            )
        parts += [line[done : start.start()], _field(macro, number)]
        done = macro.end()
    return (*parts, line[done:])


def _field(macro: re.Match[str], number: int) -> Field:
    command, absolute, offset, column, pattern = macro.groups()
    if absolute:
        raise ValueError(
            f"Template line {number}: {quoted(macro[0])} asks for a fixed place of the sequence; only offsets from "
            "the current "
            "token are known, write it without @."
        )
    if (pattern is None) != (command in "xX"):
        raise ValueError(
            f"Template line {number}: {quoted(macro[0])} {'has a' if command in 'xX' else 'lacks its'} regular "
            "expression; "
            "%x takes none, %t and %m take one in quotes."
        )
    change: Change | None = None
    if pattern is not None:
        try:
            expression = as_python(pattern)
        except ValueError as error:
            raise ValueError(f"Template line {number}: {error}") from error
        change = Matches(expression) if command in "tT" else Matched(expression)
    if max(len(offset), len(column)) > 15:
        raise ValueError(f"Template line {number}: {quoted(macro[0])} names a token or column far beyond any there is.")
    try:
        return Field(int(offset), int(column), Lower(change) if command.isupper() else change)
    except ValueError as error:
        raise ValueError(f"Template line {number}: {error}") from error
