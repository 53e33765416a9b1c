"""Invented homologs have the shares that they should have, and the families are those that the archive lists."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from itertools import chain

import numpy as np
import pytest

from maxmargin.datasets import load_balifam, make_homologs
from maxmargin.datasets.alignments import LETTERS


def test_homologs_follow_the_model():
    natives, candidates, alignments = make_homologs(400, seed=3)
    assert {len(sequence) for sequence in chain(natives, *candidates)} == {50}
    assert {len(row) for row in candidates} == {11}
    letters = Counter("".join(natives))
    shares = np.array([letters[letter] for letter in LETTERS]) / 20_000
    assert np.abs(shares - np.arange(1, 21) / 210).max() < 0.008
    steps = Counter()
    for native, row, alignment in zip(natives, candidates, alignments):
        for i, j in alignment:
            steps[(LETTERS.index(row[0][j]) - LETTERS.index(native[i])) % 20] += 1
    assert set(steps) == {0, 1}
    assert sum(steps.values()) / 400 == pytest.approx(30 * 0.6, abs=0.5)  # match or substitute
    assert steps[1] / sum(steps.values()) == pytest.approx(2 / 3, abs=0.02)
    spans = [alignment.pairs[-1] - alignment.pairs[0] + 1 for alignment in alignments]
    assert np.mean(spans) < 25  # 24 letters of a native are read
    starts = np.array([alignment.start for alignment in alignments])
    assert starts.min() <= 2
    assert starts.max() >= 22


def test_homologs_repeat():
    assert make_homologs(2, decoys=3, seed=1) == make_homologs(2, decoys=3, seed=1)
    assert make_homologs(1, decoys=0, length=5, operations=5, probabilities=(1, 0, 0, 0)).alignments[0].cigar() == "5M"


@pytest.mark.parametrize("given", [{"n": 0}, {"operations": 51}, {"decoys": -1}])
def test_bad_numbers_are_a_sentence(given):
    with pytest.raises(ValueError, match="n must be at least 1"):
        make_homologs(**{"n": 1, **given})
    with pytest.raises(ValueError, match="four numbers that add up to 1"):
        make_homologs(1, probabilities=(1, 1, 0, 0))


def test_families_are_read(tmp_path):
    folder = tmp_path / "balifam_alignments"
    folder.mkdir()
    with zipfile.ZipFile(folder / "balifam_ref.zip", "w") as archive:
        archive.writestr("README", "no family")
        archive.writestr("ref/PF2.fa", ">a\nAC.d\n>1abc_A\nACGd\n")
        archive.writestr("ref/PF1.fa", ">a\nAC\n>b\nAC\n")
    first, second = load_balifam(tmp_path)
    assert (first.name, second.name) == ("PF1", "PF2")
    assert second.sequences == ("ACD", "ACGD")
    assert list(second.alignment(0, 1)) == [(0, 0), (1, 1)]


@pytest.mark.slow
def test_the_real_families():
    families = load_balifam()
    assert (len(families), sum(map(len, families))) == (59, 1610)
    lengths = [len(sequence) for family in families for sequence in family.sequences]
    assert (min(lengths), max(lengths), round(np.mean(lengths))) == (22, 471, 175)
    known = [sum(re.fullmatch(r"\d[0-9a-z]{3}_\w?", name) is not None for name in family.names) for family in families]
    assert sum(count * (count - 1) // 2 for count in known) == 555  # pairs of chains with a structure
