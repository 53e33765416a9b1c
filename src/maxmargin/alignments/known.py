"""Scores that are known before anything is learned, as a part of the features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from maxmargin.alignments.aligner import Aligner
from maxmargin.alignments.alphabet import Alphabet
from maxmargin.alignments.features import RESIDUE, Codes, Component, Part, checked_tracks, set_fields
from maxmargin.alignments.substitution import substitution_scores
from maxmargin.core.input_checks import quoted

Floats = npt.NDArray[np.float64]


@runtime_checkable
class LearnedScores(Protocol):
    """A fitted model of alignments."""

    layout_: Any

    def substitution_matrix(self, track: str) -> Floats: ...
    def gap_scores(self) -> Floats: ...


@dataclass(frozen=True, init=False, repr=False)
class Known(Part):
    """Scores that are known: ``factor * scores[letter of x, letter of y]``, with one weight, their common factor.

    ``Simple() + Known("BLOSUM62")`` learns how much the known matrix counts, and what is to be changed in it for each
    pair of letters: few alignments then move its scores little, and many as far as they ask for. Gap scores that are
    given have the same factor, and those of ``Gaps`` are added to them.

    The unit of the scores has no effect on what is learned: the weight is the factor times their root mean square over
    the pairs of letters of the track.

    Parameters
    ----------
    scores : a substitution matrix in any form that ``Aligner`` takes; or an ``Aligner`` or a fitted model of
        alignments, which also have gap scores
    alphabet : the letters of its rows, where it is an array; None: amino acids
    open, extend : scores of the first and of each later position of a gap; None for both leaves gaps to ``Gaps``, and
        an extend of None is the same as open
    track : the letters that the scores are of
    """

    scores: tuple[tuple[float, ...], ...]
    alphabet: tuple[Any, ...]
    open: float | None
    extend: float | None
    track: str

    def __init__(
        self,
        scores: Any,
        *,
        alphabet: Alphabet | Sequence[Any] | None = None,
        open: float | None = None,
        extend: float | None = None,
        track: str = RESIDUE,
    ) -> None:
        if isinstance(scores, Aligner):
            open = scores.open if open is None else open
            extend = scores.extend if extend is None else extend
            scores, alphabet = scores.matrix, scores.alphabet
        elif isinstance(scores, LearnedScores):
            (first, later), other = scores.gap_scores().tolist()
            if [first, later] != other and open is None:
                raise ValueError("The gaps of x and of y have different scores in this model: give open and extend.")
            if open is None:
                open, extend = first, later if extend is None else extend
            scores, alphabet = scores.substitution_matrix(track), scores.layout_.alphabets[track]
        table, letters = substitution_scores(scores, alphabet)
        if not np.isfinite(table).all() or not table.any():
            raise ValueError("Known scores must be finite numbers, and not all of them zero.")
        for name, value in (("open", open), ("extend", extend)):
            if value is not None and not _is_finite(value):
                raise ValueError(f"{name} must be a finite number or None, not {quoted(value)}.")
        if open is None and extend is not None:
            raise ValueError("extend is the score of later positions of a gap: give open, that of the first, as well.")
        later = open if extend is None else extend
        set_fields(
            self,
            scores=tuple(map(tuple, table.tolist())),
            alphabet=letters.letters,
            open=None if open is None else float(open),
            extend=None if later is None else float(later),
            track=checked_tracks((track,))[0],
        )

    def __repr__(self) -> str:
        gaps = "" if self.open is None else f", open={self.open:g}, extend={self.extend:g}"
        return f"Known(<scores of {Alphabet.named(self.alphabet)}>{gaps}, track={self.track!r})"

    def components(self) -> Iterator[Component]:
        yield Component(Codes((self.track,)), known=self)

    def table(self, letters: Alphabet) -> Floats:
        """The scores of the letters of an alphabet."""
        own = {letter: place for place, letter in enumerate(self.alphabet)}
        missing = next((letter for letter in letters.letters if letter not in own), None)
        if missing is not None:
            remedy = (
                "Use .upper()."
                if isinstance(missing, str) and missing.upper() in own
                else "Give an alphabet of these, with unknown= the letter that stands for others, such as "
                "Alphabet('ARNDCQEGHILKMFPSTWYVX', unknown='X')."
            )
            raise ValueError(
                f"The known scores have none of the letter {quoted(missing)} of the track {self.track!r}; they have "
                f"those of {Alphabet.named(self.alphabet)}. {remedy}"
            )
        at = [own[letter] for letter in letters.letters]
        found = np.array(self.scores)[np.ix_(at, at)]
        if not found.any():
            raise ValueError(
                f"The known scores of the letters {Alphabet.named(letters.letters)} of the track {self.track!r} are "
                "all zero, so that there is nothing to learn their factor from; leave Known out."
            )
        return found


def _is_finite(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and bool(np.isfinite(float(value)))
