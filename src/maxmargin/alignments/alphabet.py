"""Letters as numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import quoted


@dataclass(frozen=True)
class Alphabet:
    """The letters that sequences may have, in an order: letter number a is ``letters[a]``.

    Parameters
    ----------
    letters : a string, or any hashable symbols; no letter twice
    unknown : the letter of the alphabet that stands for all that are not in it; None rejects them
    """

    letters: tuple[Hashable, ...]
    unknown: Hashable | None = None
    _codes: dict[Hashable, int] = field(repr=False, compare=False, default_factory=dict)
    _table: npt.NDArray[np.int32] | None = field(repr=False, compare=False, default=None)

    def __init__(self, letters: Iterable[Hashable], *, unknown: Hashable | None = None) -> None:
        if isinstance(letters, bytes | bytearray) or not isinstance(letters, Iterable):
            raise TypeError(f"An alphabet must be a string or a list of letters, not {quoted(letters)}.")
        found = tuple(letters)
        codes = {letter: code for code, letter in enumerate(found)}
        if not found or len(codes) != len(found):
            twice = next((letter for letter in found if found.count(letter) > 1), None)
            raise ValueError(
                "An alphabet needs at least one letter."
                if not found
                else f"The alphabet has the letter {quoted(twice)} twice; name each letter once."
            )
        if unknown is not None and unknown not in codes:
            raise ValueError(f"unknown must be a letter of the alphabet {self.named(found)}, not {quoted(unknown)}.")
        table = None
        if all(isinstance(letter, str) and len(letter) == 1 and ord(letter) < 128 for letter in found):
            table = np.full(128, -1 if unknown is None else codes[unknown], dtype=np.int32)
            for letter, code in codes.items():
                table[ord(str(letter))] = code
        for name, value in (("letters", found), ("unknown", unknown), ("_codes", codes), ("_table", table)):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, sequences: Iterable[Sequence[Any]]) -> Alphabet:
        """The letters that occur, sorted (by their text where they do not compare)."""
        found = set().union(*(_listed(sequence) for sequence in sequences))
        try:
            return cls(sorted(found))
        except TypeError:
            return cls(sorted(found, key=str))

    def encode(self, sequence: Sequence[Any], what: str = "The sequence") -> npt.NDArray[np.int32]:
        """The numbers of the letters, shape (length,); raises for a letter outside, and for an empty sequence.

        Parameters
        ----------
        sequence : a string, or a list or an array of letters
        what : begins the message, such as ``'Sequence x of example 3'``
        """
        check_letters(sequence, what)
        if not len(sequence):
            raise ValueError(f"{what} is empty: leave it out, or give it at least one letter.")
        codes: npt.NDArray[np.int32]
        if isinstance(sequence, str) and self._table is not None and sequence.isascii():
            codes = self._table[np.frombuffer(sequence.encode("ascii"), dtype=np.uint8)]
        else:
            other = -1 if self.unknown is None else self._codes[self.unknown]
            listed = _listed(sequence)
            codes = np.fromiter((self._codes.get(letter, other) for letter in listed), np.int32, len(listed))
        wrong = np.flatnonzero(codes < 0)
        if wrong.size:
            at = int(wrong[0])
            raise ValueError(
                f"{what} has the letter {quoted(_listed(sequence)[at])} at position {at}, which is not in the alphabet "
                f"{self.named(self.letters)}{self._remedy(sequence, at)}"
            )
        return codes

    def decode(self, codes: npt.ArrayLike) -> Any:
        """The letters of numbers: a string where all letters are strings of length 1, else a list."""
        found = [self.letters[code] for code in np.asarray(codes).tolist()]
        return "".join(map(str, found)) if self.is_text else found

    @property
    def is_text(self) -> bool:
        """Whether every letter is one character."""
        return all(isinstance(letter, str) and len(letter) == 1 for letter in self.letters)

    def __len__(self) -> int:
        return len(self.letters)

    def _remedy(self, sequence: Sequence[Any], at: int) -> str:
        letter = sequence[at]
        if isinstance(letter, str) and letter.upper() in self._codes:
            return "; it has capital letters only: use .upper()."
        if letter in ("-", "."):
            return "; take the gaps out: Alignment.from_gapped reads gapped rows."
        return "; give an alphabet that has it, or one with unknown= the letter that stands for others."

    @staticmethod
    def named(letters: tuple[Hashable, ...]) -> str:
        """Letters for a message."""
        if all(isinstance(letter, str) and len(letter) == 1 for letter in letters):
            return quoted("".join(map(str, letters)))
        return quoted(list(letters))


def check_letters(sequence: Any, what: str) -> None:
    """Raises where something is no string and no list of letters; ``what`` begins the message."""
    if isinstance(sequence, bytes | bytearray):
        raise TypeError(f"{what} must be a string or a list of letters, not bytes: use .decode().")
    if not hasattr(sequence, "__len__") or not hasattr(sequence, "__iter__") or getattr(sequence, "shape", None) == ():
        raise TypeError(f"{what} must be a string or a list of letters, not {quoted(sequence)}.")


def _listed(sequence: Any) -> list[Any]:
    return sequence.tolist() if isinstance(sequence, np.ndarray) else list(sequence)


PROTEIN = Alphabet("ARNDCQEGHILKMFPSTWYV")
DNA = Alphabet("ACGT")
