"""An alignment of two sequences, and the forms in which people keep one: index pairs, gapped rows, CIGAR."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.alignments.alphabet import check_letters
from maxmargin.alignments.pictures import Scores, html_picture, text_picture
from maxmargin.core.input_checks import quoted

Pairs = npt.NDArray[np.int64]

GAPS = "-."
_OPERATION = re.compile(r"(\d+)([MIDNSHP=X])")
_CIGAR = re.compile(r"(?:\d+[MIDNSHP=X])*")


@dataclass(frozen=True, eq=False)
class Alignment:
    """Which positions of a sequence x (length m) and of a sequence y (length n) belong together.

    ``pairs`` has one row (i, j) per aligned pair, with i and j both strictly increasing from row to row, shape (L, 2).
    Positions in no pair are unaligned; between two pairs those of x come first, then those of y, so each set of pairs
    is one path through the grid of x and y. The constructor checks all of it, and raises a ``ValueError`` that names
    the pair.

    Parameters
    ----------
    pairs : the aligned positions, counted from 0; no pairs at all are an empty list or an array of shape (0, 2)
    lengths : of x and of y
    """

    pairs: Pairs
    lengths: tuple[int, int]

    def __init__(self, pairs: npt.ArrayLike, lengths: tuple[int, int]) -> None:
        checked = checked_pairs(pairs, lengths)
        checked.setflags(write=False)
        object.__setattr__(self, "pairs", checked)
        object.__setattr__(self, "lengths", (int(lengths[0]), int(lengths[1])))

    @classmethod
    def trusted(cls, pairs: Pairs, lengths: tuple[int, int]) -> Alignment:
        """From pairs that are known to be an alignment, without checks: a read-only array of int64, shape (L, 2)."""
        made = object.__new__(cls)
        object.__setattr__(made, "pairs", pairs)
        object.__setattr__(made, "lengths", lengths)
        return made

    @classmethod
    def from_pairs(cls, pairs: npt.ArrayLike, m: int, n: int) -> Alignment:
        """From rows (i, j), for sequences of the lengths m and n."""
        return cls(pairs, (m, n))

    @classmethod
    def from_gapped(cls, x: Sequence[Any], y: Sequence[Any], *, gaps: str = GAPS) -> Alignment:
        """From two rows of one length in which gaps are written out: strings, or lists with a gap symbol or None.

        Columns with a gap in both rows, as rows of a multiple alignment have them, are left out.
        """
        for row in (x, y):
            check_letters(row, "A gapped row")
        if len(x) != len(y):
            raise ValueError(
                f"Gapped rows must have the same length, not {len(x)} and {len(y)}: give two rows of one alignment."
            )
        in_x, in_y = _letters(x, gaps), _letters(y, gaps)
        both = in_x & in_y
        pairs = np.stack([np.cumsum(in_x)[both] - 1, np.cumsum(in_y)[both] - 1], axis=1)
        return cls(pairs, (int(in_x.sum()), int(in_y.sum())))

    @classmethod
    def from_cigar(
        cls, cigar: str, lengths: tuple[int, int] | None = None, *, start: tuple[int, int] = (0, 0)
    ) -> Alignment:
        """From a CIGAR string with x as the query and y as the reference.

        ``M``, ``=`` and ``X`` align positions, ``I`` and ``S`` skip positions of x, ``D`` and ``N`` those of y, ``H``
        and ``P`` nothing.

        Parameters
        ----------
        cigar : such as ``'3M1I2M'``; ``'*'`` or ``''`` has no pairs
        lengths : of x and of y; None takes them from the operations
        start : the positions of x and of y at which the operations begin, for local alignments
        """
        text = "" if cigar == "*" else cigar
        if not isinstance(text, str) or not _CIGAR.fullmatch(text):
            raise ValueError(
                f"The CIGAR {quoted(cigar)} must be numbers, each followed by one of M, I, D, N, S, H, P, = and X."
            )
        i, j = start
        runs = [np.empty((0, 2), dtype=np.int64)]
        for count, operation in ((int(count), operation) for count, operation in _OPERATION.findall(text)):
            if operation in "M=X":
                runs.append(np.stack([np.arange(i, i + count), np.arange(j, j + count)], axis=1))
            i += count if operation in "M=XIS" else 0
            j += count if operation in "M=XDN" else 0
        if lengths is not None and (i > lengths[0] or j > lengths[1]):
            raise ValueError(
                f"The CIGAR {quoted(cigar)} from {start} goes to position {i} of x and {j} of y, and the lengths are "
                f"{lengths[0]} and {lengths[1]}: x is the query, y the reference."
            )
        return cls(np.concatenate(runs), (i, j) if lengths is None else lengths)

    def gapped(self, x: Sequence[Any], y: Sequence[Any], *, gap: Any = "-", ends: bool = True) -> tuple[Any, Any]:
        """The two sequences as rows of one length, with gaps written out.

        Parameters
        ----------
        x, y : the sequences, of the lengths of the alignment
        gap : the symbol of a gap
        ends : whether what is before the first and after the last pair is written as well

        Returns
        -------
        two strings where both sequences are strings, else two lists
        """
        self._check_sequences(x, y)
        columns = self.columns(ends=ends)
        rows = [
            [gap if at < 0 else sequence[at] for at in column.tolist()] for sequence, column in zip((x, y), columns.T)
        ]
        if isinstance(x, str) and isinstance(y, str) and isinstance(gap, str):
            return "".join(rows[0]), "".join(rows[1])
        return rows[0], rows[1]

    def columns(self, *, ends: bool = True) -> Pairs:
        """The path: one row per column of the gapped form, with -1 in the place of a gap, shape (columns, 2).

        Parameters
        ----------
        ends : whether what is before the first and after the last pair is part of it
        """
        m, n = self.lengths
        stops = [(m, n)] if ends else []
        i, j = (0, 0) if ends or not len(self) else self.start
        parts: list[list[tuple[int, int]]] = []
        for next_i, next_j in chain(self.pairs.tolist(), stops):
            parts.append([(at, -1) for at in range(i, next_i)])
            parts.append([(-1, at) for at in range(j, next_j)])
            parts.append([(next_i, next_j)])
            i, j = next_i + 1, next_j + 1
        if ends:
            parts.pop()  # the pair of ends, which is beyond both sequences
        return np.array(list(chain.from_iterable(parts)), dtype=np.int64).reshape(-1, 2)

    def cigar(self, x: Sequence[Any] | None = None, y: Sequence[Any] | None = None, *, clip: bool = False) -> str:
        """The CIGAR with x as the query and y as the reference; ``from_cigar`` with the same lengths reads it back.

        Parameters
        ----------
        x, y : if given, pairs are written as ``=`` where the letters are equal and as ``X`` where not; else as ``M``
        clip : write the ends of x as ``S`` and those of y not at all, as SAM does; ``start`` has the position of y
        """
        operations: Any = np.full(len(self), "M")
        if x is not None and y is not None:
            self._check_sequences(x, y)
            operations = ["=" if x[i] == y[j] else "X" for i, j in self.pairs.tolist()]
        pair = iter(operations)
        inside = ["I" if j < 0 else "D" if i < 0 else next(pair) for i, j in self.columns(ends=not clip).tolist()]
        if clip:
            m = self.lengths[0]
            first, last = (self.start[0], int(self.pairs[-1, 0])) if len(self) else (m, m - 1)
            inside = ["S"] * first + inside + ["S"] * (m - 1 - last)
        runs: list[tuple[str, int]] = []
        for operation in inside:
            if runs and runs[-1][0] == operation:
                runs[-1] = (operation, runs[-1][1] + 1)
            else:
                runs.append((operation, 1))
        return "".join(f"{count}{operation}" for operation, count in runs)

    @property
    def start(self) -> tuple[int, int]:
        """The first pair; (0, 0) where there are no pairs."""
        return (int(self.pairs[0, 0]), int(self.pairs[0, 1])) if len(self) else (0, 0)

    def partners(self) -> Pairs:
        """For each position of x the position of y that it is aligned with, or -1, shape (m,)."""
        found = np.full(self.lengths[0], -1, dtype=np.int64)
        found[self.pairs[:, 0]] = self.pairs[:, 1]
        return found

    def swapped(self) -> Alignment:
        """The alignment of y and x."""
        return Alignment(self.pairs[:, ::-1], self.lengths[::-1])

    def identity(self, x: Sequence[Any], y: Sequence[Any]) -> float:
        """The share of the pairs that have equal letters; 0 where there are no pairs."""
        self._check_sequences(x, y)
        return sum(bool(x[i] == y[j]) for i, j in self) / max(len(self), 1)

    def text(self, x: Sequence[Any], y: Sequence[Any], *, scores: Scores = None, width: int = 60) -> str:
        """A picture of plain text, in blocks of three lines: x, a mark per pair, y.

        The mark is ``|`` for equal letters, ``:`` for others with a positive score, and ``.`` for the rest.

        Parameters
        ----------
        x, y : the sequences
        scores : of the pairs, shape (L,), or of all positions, shape (m, n)
        width : columns in a block
        """
        self._check_sequences(x, y)
        return text_picture(self.columns(), self.pairs, x, y, scores, width)

    def html(self, x: Sequence[Any], y: Sequence[Any], *, scores: Scores = None, width: int = 60) -> str:
        """A piece of HTML that shows the alignment, pairs coloured by their scores (equal letters without scores).

        Green is a positive score, red a negative one, and the strongest colour is the largest size of a score.

        Parameters
        ----------
        x, y : the sequences
        scores : of the pairs, shape (L,), or of all positions, shape (m, n), such as a learned model gives them
        width : columns in a block
        """
        self._check_sequences(x, y)
        return html_picture(self.columns(), self.pairs, x, y, scores, width)

    def _check_sequences(self, x: Sequence[Any], y: Sequence[Any]) -> None:
        if (len(x), len(y)) != self.lengths:
            raise ValueError(
                f"The sequences have the lengths {len(x)} and {len(y)}, and the alignment is of sequences of the "
                f"lengths {self.lengths[0]} and {self.lengths[1]}; give the two that it aligns, without gaps."
            )

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((i, j) for i, j in self.pairs.tolist())

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.pairs, dtype=dtype) if copy or dtype is not None else self.pairs

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Alignment):
            return NotImplemented
        return self.lengths == other.lengths and np.array_equal(self.pairs, other.pairs)

    def __hash__(self) -> int:
        return hash((self.lengths, self.pairs.tobytes()))

    def __repr__(self) -> str:
        return f"Alignment({len(self)} pairs, lengths={self.lengths}, cigar={quoted(self.cigar())})"


def checked_pairs(pairs: Any, lengths: tuple[int, int], what: str = "The alignment") -> Pairs:
    """Index pairs as a new array of shape (L, 2), or a ``ValueError`` that names the pair.

    Parameters
    ----------
    pairs : an ``Alignment``, or rows (i, j)
    lengths : of x and of y; both sequences need at least one position
    what : begins the message, such as ``'The alignment of example 3'``
    """
    for name, length in zip("xy", lengths, strict=True):
        if length < 1:
            raise ValueError(f"{what} has an empty sequence {name}: leave the example out.")
    if isinstance(pairs, Alignment) and pairs.lengths != tuple(lengths):
        raise ValueError(
            f"{what} is of sequences of the lengths {pairs.lengths[0]} and {pairs.lengths[1]}, and these have the "
            f"lengths {lengths[0]} and {lengths[1]}."
        )
    found = np.asarray(pairs)
    if found.size == 0 and found.shape in ((0,), (0, 2)):
        return np.empty((0, 2), dtype=np.int64)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise ValueError(
            f"{what} must be rows (i, j) of whole numbers, an array of shape (pairs, 2), not "
            f"{found.dtype} of shape {found.shape}; gapped rows and CIGAR become one by Alignment.from_gapped and "
            "Alignment.from_cigar."
        )
    outside = np.flatnonzero(((found < 0) | (found >= np.array(lengths))).any(axis=1))
    if outside.size:
        at = int(outside[0])
        raise ValueError(
            f"{what} goes past the end: pair {at} is ({found[at, 0]}, {found[at, 1]}), and the sequences have "
            f"positions 0 to {lengths[0] - 1} and 0 to {lengths[1] - 1}."
        )
    found = found.astype(np.int64)
    back = np.flatnonzero((np.diff(found, axis=0) <= 0).any(axis=1))
    if back.size:
        at = int(back[0]) + 1
        raise ValueError(
            f"{what} goes backwards: pair {at} is ({found[at, 0]}, {found[at, 1]}) after "
            f"({found[at - 1, 0]}, {found[at - 1, 1]}); both positions must increase from pair to pair."
        )
    return found


def _letters(row: Sequence[Any], gaps: str) -> npt.NDArray[np.bool_]:
    return np.fromiter(
        (not (letter is None or (isinstance(letter, str) and letter in gaps)) for letter in row), np.bool_, len(row)
    )
