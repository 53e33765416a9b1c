"""Things that are no sequences: a sentence each, before any work."""

from __future__ import annotations

from typing import Any

import pytest

from maxmargin import AlignmentSVM
from maxmargin.alignments import Aligner, Alignment, Alphabet


def aligner() -> Aligner:
    return Aligner("BLOSUM62", open=-11.0, extend=-1.0)


@pytest.mark.parametrize("wrong", [b"ACG", 3, None])
def test_a_sequence_is_letters(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"Sequence|sequence"):
        aligner().align(wrong, "ACG")
    with pytest.raises((TypeError, ValueError), match=r"example 0"):
        AlignmentSVM().fit([(wrong, "ACG")], [[(0, 0)]])


@pytest.mark.parametrize("wrong", [b"A-G", 3])
def test_a_gapped_row_is_letters(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="A gapped row"):
        Alignment.from_gapped(wrong, "ACG")


@pytest.mark.parametrize("wrong", [b"ACG", 4])
def test_an_alphabet_is_letters(wrong: Any) -> None:
    with pytest.raises(TypeError, match="An alphabet must be"):
        Alphabet(wrong)


def test_many_pairs_are_two_lists() -> None:
    with pytest.raises(TypeError, match="X must be a list of sequences"):
        aligner().align_all("ACG", "ACG")
