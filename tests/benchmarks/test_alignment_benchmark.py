"""The comparison of alignments with other libraries, on a few short pairs."""

from __future__ import annotations

import pytest

from alignments.speed import run


@pytest.fixture(scope="module")
def found():
    return run(pairs=6, length=40)


def test_every_mode_has_a_row_with_all_columns(found):
    assert [row[0] for row in found["rows"]] == ["global", "local", "semi-global"]
    assert all(len(row) == len(found["columns"]) for row in found["rows"])


def test_scores_are_those_of_the_other_libraries(found):
    equal = [holds for claim, _, _, holds in found["bars"] if claim.endswith("scores are Biopython's and parasail's")]
    assert equal == [True] * 3
