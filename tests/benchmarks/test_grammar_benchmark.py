"""Parts of the benchmark of grammars that are no measurements."""

import pytest

from grammars.comparison import f1, mcnemar, shown
from maxmargin.metrics import BracketCounts

GOOD, BAD = BracketCounts(4, 4, 4, 0), BracketCounts(4, 4, 2, 1)


def test_scores_add_up_over_sentences():
    assert f1([GOOD, BAD]) == pytest.approx(6 / 8)
    assert shown([GOOD, BracketCounts(4, 2, 2, 0)]) == ["50.0", "100.0", "75.0", "85.7"]


def test_sentences_that_differ_are_coins():
    assert mcnemar([GOOD] * 8 + [BAD] + [GOOD] * 5, [BAD] * 8 + [GOOD] + [GOOD] * 5) == (8, 1, pytest.approx(20 / 2**9))
    assert mcnemar([GOOD], [GOOD]) == (0, 0, 1.0)
