"""Scores of alignments against their definitions, counted pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_alignment import alignments

from maxmargin.alignments import Alignment
from maxmargin.metrics import alignment_f1, alignment_q, alignment_score


@given(st.data(), st.integers(0, 3))
def test_scores_count_pairs(data, window):
    _, _, truth = data.draw(alignments())
    _, _, found = data.draw(alignments())
    near = [any(i == k and abs(j - other) <= window for k, other in found) for i, j in truth]
    expected = np.mean(near) if len(truth) else float(not len(found))
    assert alignment_q([truth], [found], window=window) == pytest.approx(expected)
    right = len(set(truth) & set(found))
    score = alignment_score([truth], [found])
    assert score.support == len(truth)
    assert score.f1 == pytest.approx(2 * right / (len(truth) + len(found)) if len(truth) or len(found) else 1.0)
    assert score.recall == pytest.approx(alignment_q([truth], [found]))
    assert score.precision == pytest.approx(right / len(found) if len(found) else float(not len(truth)))


def test_averages_are_over_examples():
    truths = [Alignment([[0, 0], [1, 1]], (2, 2)), Alignment([[0, 0]], (1, 9))]
    found = [np.array([[0, 1]]), [[0, 4]]]
    assert alignment_q(truths, found) == 0.0
    assert alignment_q(truths, found, window=1) == 0.25
    assert alignment_q(truths, found, window=4) == 0.75
    assert alignment_f1(truths, truths) == 1.0


def test_bad_input_is_a_sentence():
    truth = Alignment([[0, 0]], (2, 2))
    with pytest.raises(ValueError, match="1 true alignments and 0 predicted ones"):
        alignment_q([truth], [])
    with pytest.raises(ValueError, match="no alignments to score"):
        alignment_f1([], [])
    with pytest.raises(ValueError, match="window must be an integer that is not negative, not -1"):
        alignment_q([truth], [truth], window=-1)
    with pytest.raises(ValueError, match=r"rows \(i, j\) of whole numbers, not float64 of shape \(1, 2\)"):
        alignment_q([truth], [[[0.0, 1.0]]])
