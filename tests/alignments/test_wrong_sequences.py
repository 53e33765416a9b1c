"""Things that are no sequences, and weights that are no numbers: a sentence each, before any work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from maxmargin import AlignmentSVM, HomologySVM
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


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_weights_are_numbers(wrong: float) -> None:
    """Also those that somebody puts into a trained model."""
    X, y = [("ACGT", "ACT")], [[(0, 0), (1, 1), (3, 2)]]
    model = AlignmentSVM(1.0).fit(X, y)
    finder = HomologySVM(1.0).fit([("ACGT", ["ACT", "TTT"])], [(0, y[0])])
    model.coef_[1] = finder.coef_[1] = wrong
    asks: list[Callable[[], Any]] = [
        lambda: model.predict(X),
        lambda: model.score(X, y),
        lambda: model.pair_scores(X),
        lambda: model.predict_kbest(X, 2),
        lambda: finder.predict([("ACGT", ["ACT", "TTT"])]),
        lambda: finder.rank("ACGT", ["ACT", "TTT"]),
    ]
    for ask in asks:
        with pytest.raises(ValueError, match=r"coef_\[1\] is (nan|inf), and weights must be finite numbers"):
            ask()
