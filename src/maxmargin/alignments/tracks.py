"""Sequences as tracks: what each position has, by name.

A sequence is a string or a list of letters (the track ``"residue"``), a matrix with one row per position (the track
``"profile"``), or a mapping of names to such tracks, all of one length; a Biopython record has its letters and its
``letter_annotations``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.alignments.alphabet import Alphabet, check_letters
from maxmargin.alignments.features import PROFILE, RESIDUE, Features
from maxmargin.core.input_checks import check_sparse, check_values, quoted

Floats = npt.NDArray[np.float64]


def tracks_of(given: Any, what: str) -> Mapping[str, Any]:
    """The tracks of a sequence; ``what`` begins messages."""
    if isinstance(given, Mapping):
        if not given:
            raise ValueError(f"{what} has no tracks.")
        return given
    if hasattr(given, "seq"):
        return {RESIDUE: str(given.seq), **getattr(given, "letter_annotations", {})}
    if sp.issparse(given) or (isinstance(given, np.ndarray) and given.ndim == 2):
        return {PROFILE: given}
    if isinstance(given, bytes | bytearray):
        check_letters(given, what)
    if isinstance(given, str | Sequence) or (isinstance(given, np.ndarray) and given.ndim == 1):
        return {RESIDUE: given}
    if hasattr(given, "__len__") and hasattr(given, "__iter__"):
        return {RESIDUE: str(given) if type(given).__module__.startswith("Bio.") else list(given)}
    raise TypeError(
        f"{what} must be a string, a list of letters, a matrix or a mapping of tracks, not {quoted(given)}."
    )


def length_of(given: Any) -> int:
    """The number of positions of a track."""
    return int(given.shape[0]) if hasattr(given, "shape") else len(given)


class Pool:
    """The sequences of many examples, each once, with the tracks that features need."""

    def __init__(self, features: Features) -> None:
        self._names = [*features.letters(), *features.numbers()]
        self._letters, self._numbers = features.letters(), features.numbers()
        self._places: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no identity is used twice
        self.tracks: list[Mapping[str, Any]] = []
        self.names: list[str] = []
        self.lengths: list[int] = []

    def add(self, given: Any, what: str) -> int:
        """The number of a sequence."""
        place = self._places.get(id(given))
        if place is None:
            place = self._places[id(given)] = len(self.tracks)
            self._kept.append(given)
            self._append(given, what)
        return place

    def _append(self, given: Any, what: str) -> None:
        tracks = tracks_of(given, what)
        missing = next((name for name in self._names if name not in tracks), None)
        if missing is not None:
            raise ValueError(
                f"{what} has no track {missing!r}, which the features need; it has {', '.join(map(repr, tracks))}."
            )
        sizes = {name: length_of(tracks[name]) for name in (self._names or tracks)}
        first, length = next(iter(sizes.items()))
        other = next((name for name, size in sizes.items() if size != length), None)
        if other is not None:
            raise ValueError(
                f"{what} has {length} positions in the track {first!r} and {sizes[other]} in {other!r}; all tracks "
                "need the same length."
            )
        if length == 0:
            raise ValueError(f"{what} is empty: leave it out, or give it at least one letter.")
        self.tracks.append(tracks)
        self.names.append(what)
        self.lengths.append(length)

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """The first position of each sequence among those of all, and where the last one ends."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.asarray(self.lengths, dtype=np.int64))])

    def alphabets(self, given: Any) -> dict[str, Alphabet]:
        """The letters of each track: those given, or else those that occur."""
        return {
            name: found if (found := given_alphabet(given, name)) is not None else Alphabet.of(self._all(name))
            for name in self._letters
        }

    def columns(self) -> dict[str, int]:
        """The number of columns of each track of numbers."""
        found = {}
        for name in self._numbers:
            matrices = list(self._all(name))
            if not matrices:
                raise ValueError("At least one sequence is needed.")
            found[name] = width_of(matrices[0], f"{self.names[0]}, track {name!r},")
        return found

    def codes(self, name: str, alphabet: Alphabet) -> npt.NDArray[np.int32]:
        """The numbers of the letters of all positions."""
        extra = "" if name == RESIDUE else f", track {name!r},"
        parts = [alphabet.encode(track, what + extra) for track, what in zip(self._all(name), self.names)]
        return np.concatenate([np.zeros(0, np.int32), *parts])

    def matrix(self, name: str, columns: int) -> sp.csr_array:
        """The rows of all positions."""
        parts = []
        for track, what in zip(self._all(name), self.names):
            parts.append(checked_matrix(track, columns, f"{what}, track {name!r},"))
        return sp.csr_array(sp.vstack(parts, format="csr")) if parts else sp.csr_array((0, columns))

    def _all(self, name: str) -> Iterable[Any]:
        return (tracks[name] for tracks in self.tracks)


def given_alphabet(given: Any, name: str) -> Alphabet | None:
    """What the parameter ``alphabet`` says of a track; None where the letters are those that occur."""
    if given is None:
        return None
    found = given.get(name) if isinstance(given, Mapping) else given if name == RESIDUE else None
    return found if found is None or isinstance(found, Alphabet) else Alphabet(found)


def width_of(track: Any, what: str) -> int:
    """The number of columns of a matrix."""
    shape = getattr(track, "shape", None) or np.shape(track)
    if len(shape) != 2:
        raise ValueError(f"{what} must be a matrix with one row per position, not of shape {tuple(shape)}.")
    return int(shape[1])


def checked_matrix(track: Any, columns: int, what: str) -> sp.csr_array:
    """A track of numbers as sparse rows of finite values."""
    if width_of(track, what) != columns:
        raise ValueError(f"{what} has {width_of(track, what)} columns, and {columns} are needed.")
    if sp.issparse(track):
        check_sparse(track, what)
        found = sp.csr_array(track, dtype=np.float64)
    else:
        dense = np.asarray(track)
        if dense.dtype.kind not in "biuf":
            raise ValueError(f"{what} must hold numbers, not {dense.dtype}.")
        found = sp.csr_array(dense.astype(np.float64))
    found.sum_duplicates()
    check_values(found.data, what)
    return found
