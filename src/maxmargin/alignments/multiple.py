"""Several sequences in one alignment, such as the families that databases keep, and the pairs in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from maxmargin.alignments.alignment import GAPS, Alignment
from maxmargin.core.input_checks import quoted


@dataclass(frozen=True)
class MultipleAlignment:
    """Rows of one length, a sequence each, with gaps written as ``-`` or ``.``: a column is what belongs together.

    Parameters
    ----------
    names : of the sequences
    rows : as strings of one length
    lower : whether lower-case letters are aligned. In A3M and in many Stockholm files they are insertions that belong
        to no column, in others they mark columns that are not reliable; in all these cases the value is False
    name : of the alignment, for messages
    """

    names: tuple[str, ...]
    rows: tuple[str, ...]
    lower: bool = True
    name: str = field(default="The alignment", compare=False)

    def __init__(
        self, names: Sequence[str], rows: Sequence[str], *, lower: bool = True, name: str = "The alignment"
    ) -> None:
        values = {"names": tuple(names), "rows": tuple(rows), "lower": bool(lower), "name": name}
        for key, value in values.items():
            object.__setattr__(self, key, value)
        if len(self.names) != len(self.rows) or not self.rows:
            raise ValueError(f"{name} has {len(self.names)} names and {len(self.rows)} rows; give a name per row.")
        for number, row in enumerate(self.rows):
            if len(row) != len(self.rows[0]):
                raise ValueError(
                    f"{name} has rows of different lengths: {quoted(self.names[0])} has {len(self.rows[0])} columns "
                    f"and {quoted(self.names[number])} has {len(row)}. Rows must be aligned, with gaps written out."
                )
            if not row.strip(GAPS):
                raise ValueError(f"{name} has no letters in row {quoted(self.names[number])}; leave it out.")

    @cached_property
    def sequences(self) -> tuple[str, ...]:
        """The sequences without gaps, in capital letters."""
        return tuple(row.translate(_NO_GAPS).upper() for row in self.rows)

    def alignment(self, a: int, b: int, *, lower: bool | None = None) -> Alignment:
        """The alignment of the sequences number a and b.

        Parameters
        ----------
        a, b : numbers of rows
        lower : whether pairs of which a letter is lower-case count; None takes what the rows are known to mean
        """
        place, upper = self._places
        pairs = (place[a] >= 0) & (place[b] >= 0)
        if not (self.lower if lower is None else lower):
            pairs &= upper[a] & upper[b]
        return Alignment(
            np.stack([place[a][pairs], place[b][pairs]], axis=1), (len(self.sequences[a]), len(self.sequences[b]))
        )

    def pairs(self, most: int | None = None, *, seed: int = 0) -> list[tuple[int, int]]:
        """Numbers of two rows each, a < b: all, or ``most`` of them drawn at random."""
        found = list(combinations(range(len(self.rows)), 2))
        if most is None or len(found) <= most:
            return found
        chosen = np.random.default_rng(seed).choice(len(found), size=most, replace=False)
        return [found[at] for at in sorted(chosen.tolist())]

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def _places(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Of each row and column: the position in the sequence or -1, and whether the letter is a capital."""
        text = np.array([list(row) for row in self.rows])
        letters = ~np.isin(text, list(GAPS))
        place = np.where(letters, np.cumsum(letters, axis=1) - 1, -1)
        return place, np.char.isupper(text)


_NO_GAPS = str.maketrans("", "", GAPS)
