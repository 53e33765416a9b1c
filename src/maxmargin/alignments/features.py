"""What the score of aligning two positions, and of leaving one out, depends on.

Parts are added: ``Simple("residue", "structure") + Window("hydrophobicity", width=3) + Profile() + Gaps("residue")``.
Each part of pairs is one or more *components*, bilinear forms ``phi(x, i)' W phi(y, j)`` between features of a position
of x and of a position of y; the entries of ``W`` are weights, with ``W[a, b] = W[b, a]`` unless ``symmetric=False``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from maxmargin.core.input_checks import quoted

if TYPE_CHECKING:
    from maxmargin.alignments.known import Known

RESIDUE = "residue"
"""The track of a sequence that is given as letters alone."""
PROFILE = "profile"
"""The track of a sequence that is given as a matrix alone."""


@dataclass(frozen=True)
class Codes:
    """Features of a position that come from tracks of letters.

    With one track the feature is the letter; with several it is the tuple of their letters. ``offset`` looks at the
    position so many further on, with a letter of its own beyond the ends. ``across``: one feature for each track
    instead of one for all together.
    """

    tracks: tuple[str, ...]
    offset: int = 0
    across: bool = False


@dataclass(frozen=True)
class Numbers:
    """Features of a position that are a row of a matrix. ``diagonal``: column a of x meets column a of y only."""

    track: str
    diagonal: bool = False


@dataclass(frozen=True)
class Component:
    """One bilinear form; with ``known`` scores it has one weight, their factor."""

    source: Codes | Numbers
    symmetric: bool = True
    known: Known | None = None


KINDS: dict[str, type[Part]] = {}
"""The kinds of parts by their names."""


class Part(ABC):
    """A part of the features; parts are added to each other."""

    def __init_subclass__(cls) -> None:
        KINDS[cls.__name__] = cls

    @abstractmethod
    def components(self) -> Iterator[Component]:
        """The bilinear forms, in the order of their weights."""

    def __add__(self, other: Any) -> Features:
        return Features((self, *Features.of(other).parts))


@dataclass(frozen=True)
class Features:
    """A sum of parts. Without ``Gaps`` among them gaps have a constant opening and a constant extension score."""

    parts: tuple[Part, ...]

    @classmethod
    def of(cls, given: Any) -> Features:
        """A part or a sum of parts; None is ``Simple()``."""
        if given is None:
            given = Simple()
        if isinstance(given, Features):
            return given
        if isinstance(given, Part):
            return cls((given,))
        raise TypeError(
            f"features must be Simple(...), Window(...) and the like, added to each other, not {quoted(given)}."
        )

    def __add__(self, other: Any) -> Features:
        return Features(self.parts + Features.of(other).parts)

    def components(self) -> list[Component]:
        return [each for part in self.parts for each in part.components()]

    @property
    def gaps(self) -> list[Gaps]:
        found = [part for part in self.parts if isinstance(part, Gaps)]
        return found or [Gaps()]

    def letters(self) -> list[str]:
        """The tracks of letters, each once."""
        found = [track for each in self.components() if isinstance(each.source, Codes) for track in each.source.tracks]
        return list(dict.fromkeys([*found, *(track for gap in self.gaps for track in gap.tracks)]))

    def numbers(self) -> list[str]:
        """The tracks of numbers, each once."""
        found = [each.source.track for each in self.components() if isinstance(each.source, Numbers)]
        return list(dict.fromkeys([*found, *(track for gap in self.gaps for track in gap.context)]))

    def to_plain(self) -> list[dict[str, Any]]:
        """For a model file."""
        return [part_to_plain(part) for part in self.parts]

    @classmethod
    def from_plain(cls, given: Any) -> Features:
        """What ``to_plain`` gave."""
        if not isinstance(given, list) or not given:
            raise ValueError("the features are no list of parts")
        return cls(tuple(part_from_plain(each) for each in given))


@dataclass(frozen=True, init=False)
class Simple(Part):
    """One substitution matrix per track: the score of a pair is the sum over tracks of ``W[letter of x, letter of y]``.

    Parameters
    ----------
    tracks : names of tracks of letters; none is ``"residue"``
    across : one matrix over the letters of all tracks together, so that letters of different tracks meet as well
        (a residue of x and a loop of y)
    symmetric : whether ``W[a, b]`` and ``W[b, a]`` are one weight
    """

    tracks: tuple[str, ...]
    across: bool
    symmetric: bool

    def __init__(self, *tracks: str, across: bool = False, symmetric: bool = True) -> None:
        set_fields(self, tracks=checked_tracks(tracks, RESIDUE), across=bool(across), symmetric=bool(symmetric))

    def components(self) -> Iterator[Component]:
        if self.across:
            yield Component(Codes(self.tracks, across=True), self.symmetric)
        else:
            for track in self.tracks:
                yield Component(Codes((track,)), self.symmetric)


@dataclass(frozen=True, init=False)
class Anova2(Part):
    """``Simple``, and a matrix for each pair of tracks over the pairs of their letters.

    Parameters
    ----------
    tracks : names of at least two tracks of letters
    symmetric : whether ``W[a, b]`` and ``W[b, a]`` are one weight
    """

    tracks: tuple[str, ...]
    symmetric: bool

    def __init__(self, *tracks: str, symmetric: bool = True) -> None:
        set_fields(self, tracks=checked_tracks(tracks, least=2), symmetric=bool(symmetric))

    def components(self) -> Iterator[Component]:
        yield from Simple(*self.tracks, symmetric=self.symmetric).components()
        for pair in combinations(self.tracks, 2):
            yield Component(Codes(pair), self.symmetric)


@dataclass(frozen=True, init=False)
class Tensor(Part):
    """One matrix over the tuples of letters of all tracks together.

    Parameters
    ----------
    tracks : names of at least two tracks of letters
    symmetric : whether ``W[a, b]`` and ``W[b, a]`` are one weight
    """

    tracks: tuple[str, ...]
    symmetric: bool

    def __init__(self, *tracks: str, symmetric: bool = True) -> None:
        set_fields(self, tracks=checked_tracks(tracks, least=2), symmetric=bool(symmetric))

    def components(self) -> Iterator[Component]:
        yield Component(Codes(self.tracks), self.symmetric)


@dataclass(frozen=True, init=False)
class Window(Part):
    """The neighbourhood of a position: a matrix per track and offset from ``-width`` to ``width``, over the letters at
    that distance from both positions, with a letter of its own beyond the ends.

    Parameters
    ----------
    tracks : names of tracks of letters; none is ``"residue"``
    width : positions to each side
    centre : whether offset 0 is one of them; False where another part has the letters of the position itself
    symmetric : whether ``W[a, b]`` and ``W[b, a]`` are one weight
    """

    tracks: tuple[str, ...]
    width: int
    centre: bool
    symmetric: bool

    def __init__(self, *tracks: str, width: int = 2, centre: bool = True, symmetric: bool = True) -> None:
        if isinstance(width, bool) or not isinstance(width, int) or not 1 <= width <= 1000:
            raise ValueError(f"width must be a whole number from 1 to 1000, not {quoted(width)}.")
        own = checked_tracks(tracks, RESIDUE)
        set_fields(self, tracks=own, width=int(width), centre=bool(centre), symmetric=bool(symmetric))

    def components(self) -> Iterator[Component]:
        for track in self.tracks:
            for offset in range(-self.width, self.width + 1):
                if offset or self.centre:
                    yield Component(Codes((track,), offset), self.symmetric)


@dataclass(frozen=True, init=False)
class Profile(Part):
    """Columns of numbers, such as the letter frequencies of related sequences: ``row(x, i)' W row(y, j)``.

    Parameters
    ----------
    track : name of a track that is a matrix with one row per position
    diagonal : one weight per column, on the product of both values; else one per pair of columns
    symmetric : whether ``W[a, b]`` and ``W[b, a]`` are one weight
    """

    track: str
    diagonal: bool
    symmetric: bool

    def __init__(self, track: str = PROFILE, *, diagonal: bool = False, symmetric: bool = True) -> None:
        set_fields(self, track=checked_tracks((track,))[0], diagonal=bool(diagonal), symmetric=bool(symmetric))

    def components(self) -> Iterator[Component]:
        yield Component(Numbers(self.track, self.diagonal), self.symmetric)


@dataclass(frozen=True, init=False)
class Gaps(Part):
    """Scores of positions without a partner: a constant, one per letter of the position for each of the tracks, and
    one per column of the numbers that the position has, times their value.

    Parameters
    ----------
    tracks : names of tracks of letters
    context : names of tracks of numbers, such as means over a window around each position
    affine : whether the first position of a run has weights of its own; else every position scores alike
    tied : whether gaps of x and gaps of y have the same weights
    """

    tracks: tuple[str, ...]
    context: tuple[str, ...]
    affine: bool
    tied: bool

    def __init__(self, *tracks: str, context: str | Sequence[str] = (), affine: bool = True, tied: bool = True) -> None:
        own = checked_tracks(tracks) if tracks else ()
        numbers = (context,) if isinstance(context, str) else tuple(context)
        numbers = checked_tracks(numbers) if numbers else ()
        set_fields(self, tracks=own, context=numbers, affine=bool(affine), tied=bool(tied))

    def components(self) -> Iterator[Component]:
        return iter(())


def part_to_plain(part: Part) -> dict[str, Any]:
    return {"kind": type(part).__name__, **{name: _plain(value) for name, value in vars(part).items()}}


def part_from_plain(given: Any) -> Part:
    if not isinstance(given, dict) or given.get("kind") not in KINDS:
        raise ValueError("the features have a part of an unknown kind")
    options = {name: value for name, value in given.items() if name != "kind"}
    tracks = options.pop("tracks", None)
    for own in (tracks, options.get("context")):
        if own is not None and not isinstance(own, list):
            raise ValueError("the tracks of a part of the features are no list")
    for name in ("across", "symmetric", "centre", "diagonal", "affine", "tied"):
        if name in options and not isinstance(options[name], bool):
            raise ValueError(f"{name} of a part of the features is neither true nor false")
    return KINDS[given["kind"]](*(tracks or ()), **options)


def checked_tracks(given: tuple[Any, ...], default: str | None = None, least: int = 1) -> tuple[str, ...]:
    """Names of tracks, each once."""
    tracks = given if given or default is None else (default,)
    bad = next((track for track in tracks if not isinstance(track, str) or not track), None)
    if bad is not None:
        raise TypeError(f"A track is known by its name, a string, not {quoted(bad)}.")
    if len(set(tracks)) < len(tracks):
        raise ValueError(f"Name each track once, not {', '.join(map(repr, tracks))}.")
    if len(tracks) < least:
        raise ValueError(f"At least {least} track{'s are' if least > 1 else ' is'} needed, not {len(tracks)}.")
    return tuple(tracks)


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def set_fields(part: Part, **values: Any) -> None:
    """Sets fields of a part, which is frozen, in its constructor."""
    for name, value in values.items():
        object.__setattr__(part, name, value)
