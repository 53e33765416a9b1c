"""Templates: how the attributes of a token are made of the columns around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maxmargin.chains.features.string_functions import FLAG_NAMES, Change, Flag, Lower, Prefix, Shape, Suffix

_FARTHEST = 2**31 - 1


@dataclass(frozen=True)
class Field:
    """The string in a column of the token ``offset`` places from the current one, or what ``change`` makes of it."""

    offset: int = 0
    column: int = 0
    change: Change | None = None

    def __post_init__(self) -> None:
        if not -_FARTHEST <= self.offset <= _FARTHEST:
            raise ValueError(f"The offset {self.offset} is beyond {_FARTHEST} tokens; no sequence is as long.")
        if not 0 <= self.column <= _FARTHEST:
            raise ValueError(f"The column {self.column} is not from 0 to {_FARTHEST}; columns count from 0.")


@dataclass(frozen=True)
class Template:
    """One attribute of every token: texts and fields, joined.

    ``Template(("w[-1]|w[0]=", Field(-1), "|", Field(0)))`` gives ``w[-1]|w[0]=the|dog``. Where a field is beyond the
    ends of the sequence, the token lacks the attribute; with ``marks`` the field is ``_B-1`` one token before the
    first, ``_B-2`` two before, and ``_B+1`` one after the last. Templates that give the same text are the same
    attribute.
    """

    parts: tuple[str | Field, ...]
    marks: bool = False

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(part for part in self.parts if isinstance(part, Field))

    @property
    def literals(self) -> list[str]:
        """The texts before, between and after the fields, one more than those."""
        found = [""]
        for part in self.parts:
            if isinstance(part, Field):
                found.append("")
            else:
                found[-1] += part
        return found


@dataclass(frozen=True, repr=False)
class Templates:
    """A set of templates; ``a + b`` is both sets.

    Parameters
    ----------
    token_templates : attributes that are weighed with the label of the token
    pair_templates : attributes that are weighed with the labels of the token and of the one before it
    transitions : whether pairs of labels are to be weighed by themselves, whatever the tokens
    """

    token_templates: tuple[Template, ...] = ()
    pair_templates: tuple[Template, ...] = ()
    transitions: bool = True

    def __add__(self, other: Templates) -> Templates:
        return Templates(
            self.token_templates + other.token_templates,
            self.pair_templates + other.pair_templates,
            self.transitions or other.transitions,
        )

    def __len__(self) -> int:
        return len(self.token_templates) + len(self.pair_templates)

    def __repr__(self) -> str:
        pairs = f", {len(self.pair_templates)} of pairs" if self.pair_templates else ""
        transitions = "" if self.transitions else ", no transitions"
        return f"<Templates: {len(self.token_templates)} of tokens{pairs}{transitions}>"


def window(
    column: int = 0, offsets: Sequence[int] = range(-2, 3), *, together: int = 1, name: str | None = None
) -> Templates:
    """The strings of a column around a token, ``together`` neighbours at a time: ``w[-1]|w[0]=the|dog``.

    ``name`` stands for the column in the attribute, ``x`` and its number by default.
    """
    if together < 1:
        raise ValueError(f"together must be at least 1, not {together}.")
    title = _name(column, name)
    templates = []
    for first in range(len(offsets) - together + 1):
        group = offsets[first : first + together]
        head = "|".join(f"{title}[{offset}]" for offset in group) + "="
        parts: list[str | Field] = [head, Field(group[0], column)]
        for offset in group[1:]:
            parts += ["|", Field(offset, column)]
        templates.append(Template(tuple(parts)))
    return Templates(tuple(templates))


def changed(change: Change, label: str, column: int = 0, offset: int = 0, *, name: str | None = None) -> Templates:
    """What ``change`` makes of a string: ``w[0]:label=...``.

    ``change`` takes a string and returns one, or None where the token is to lack the attribute. It is called once for
    each distinct string. For a vectoriser that is to be pickled it must be a function of a module, not a lambda.
    """
    equals = "" if isinstance(change, Flag) else "="
    return Templates((Template((f"{_name(column, name)}[{offset}]:{label}{equals}", Field(offset, column, change))),))


def prefixes(longest: int, column: int = 0, offset: int = 0, *, name: str | None = None) -> Templates:
    """The first 1, 2, ..., ``longest`` characters, of strings that have as many: ``w[0]:prefix2=un``."""
    found = (changed(Prefix(n), f"prefix{n}", column, offset, name=name) for n in range(1, longest + 1))
    return sum(found, Templates())


def suffixes(longest: int, column: int = 0, offset: int = 0, *, name: str | None = None) -> Templates:
    """The last 1, 2, ..., ``longest`` characters, of strings that have as many: ``w[0]:suffix2=ed``."""
    found = (changed(Suffix(n), f"suffix{n}", column, offset, name=name) for n in range(1, longest + 1))
    return sum(found, Templates())


def shape(column: int = 0, offset: int = 0, *, name: str | None = None) -> Templates:
    """Runs of capitals as X, of other letters as x, of digits as d: ``w[0]:shape=Xx-d``."""
    return changed(Shape(), "shape", column, offset, name=name)


def lower(column: int = 0, offset: int = 0, *, name: str | None = None) -> Templates:
    """The string in lower case: ``w[0]:lower=the``."""
    return changed(Lower(), "lower", column, offset, name=name)


def flags(
    names: Sequence[str] = ("digit", "hyphen", "capital"), column: int = 0, offset: int = 0, *, name: str | None = None
) -> Templates:
    """Properties that a string has or lacks: ``w[0]:digit``.

    ``digit``: a digit in it; ``number``: digits and no letters; ``hyphen``: a hyphen in it; ``capital``: starts with a
    capital; ``capitals``: all its letters are capitals; ``punctuation``: neither letter nor digit in it.
    """
    strange = [flag for flag in names if flag not in FLAG_NAMES]
    if strange:
        raise ValueError(f"There is no flag {strange[0]!r}; choose from {', '.join(FLAG_NAMES)}.")
    return sum((changed(Flag(flag), flag, column, offset, name=name) for flag in names), Templates())


def _name(column: int, name: str | None) -> str:
    return f"x{column}" if name is None else name
