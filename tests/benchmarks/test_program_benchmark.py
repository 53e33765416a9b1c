"""Parts of the benchmark of dynamic programs that are no measurements."""

import numpy as np
import pytest

from programs.chunks import segments_of
from programs.trees import attachment, is_projective


@pytest.mark.parametrize(
    ("tags", "segments"),
    [
        ("OBIOB", [(1, 3, "NP"), (4, 5, "NP")]),
        ("IIBIO", [(0, 2, "NP"), (2, 4, "NP")]),
        ("OOI", [(2, 3, "NP")]),
        ("OO", []),
    ],
)
def test_tags_mark_segments(tags, segments):
    assert segments_of([tag if tag == "O" else f"{tag}-NP" for tag in tags]) == segments


@pytest.mark.parametrize(
    ("heads", "projective"),
    [([0], True), ([2, 0, 2], True), ([3, 0, 2, 1], False), ([3, 4, 0, 3], False), ([4, 0, 2, 2], False)],
)
def test_crossing_arcs_are_seen(heads, projective):
    assert is_projective(np.array(heads)) is projective


def test_attachment_counts_words():
    truths, found = [np.array([0, 1]), np.array([0])], [np.array([0, 0]), np.array([0])]
    assert attachment(truths, found) == pytest.approx(2 / 3)
    assert attachment(truths, found, [np.array([False, True]), np.array([True])]) == pytest.approx(1 / 2)
