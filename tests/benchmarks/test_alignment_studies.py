"""The comparisons of learned alignments with the papers and with BLOSUM62, on next to nothing."""

from __future__ import annotations

import numpy as np
import pytest

from alignments import homology, proteins
from maxmargin.alignments import MultipleAlignment


def test_homology_has_a_row_per_size_and_bars_for_both_losses(monkeypatch):
    monkeypatch.setattr(homology, "PAPER", {2: homology.PAPER[2]})
    monkeypatch.setattr(homology, "SAMPLES", {2: 2})
    monkeypatch.setattr(homology, "TEST", 4)
    monkeypatch.setattr(homology, "EPSILONS", (1.0,))
    monkeypatch.setattr(homology, "_constraints", lambda n, eps, samples: float(n**0.5))
    found = homology.run()
    assert [row[0] for row in found["rows"]] == ["2", "constraints, n", "constraints, eps"]
    assert {claim for claim, *_ in found["bars"]} == {
        "test error, squared slack, n = 2",
        "test error, Q-loss, n = 2",
        "constraints grow as n to the power",
    }
    assert found["bars"][-1][1] == "0.50"


def test_the_homolog_is_where_the_output_says():
    X, y = homology.sample(5, 3)
    places = [at for at, _ in y]
    assert len(set(places)) > 1
    for (native, row), (at, alignment) in zip(X, y):
        equal = [
            np.mean([(ord(one[j]) - ord(native[i])) % 20 in (0, 1) for i, j in alignment if j < len(one)])
            for one in row
        ]
        assert np.argmax(equal) == at
        assert equal[at] == 1.0


def test_constraints_are_counted():
    assert homology._constraints(2, 1.0, 1) >= 1.0


def test_settings_are_chosen_on_the_other_parts():
    part = np.array([0, 0, 1, 1, 2, 2])
    first, second = np.zeros((6, 2)), np.zeros((6, 2))
    first[part == 0], second[part != 0] = 1.0, 0.4
    chosen, best = proteins.tuned([first, second], part)
    assert chosen[:, 0].tolist() == [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert best[:, 0].tolist() == [1.0, 1.0, 0.4, 0.4, 0.4, 0.4]


def test_profiles_leave_both_sequences_out():
    rows = ["ACDEFGHIKL", "ACDEFGHIKM", "WCDEFGHIKL", "ACDEFGHIKL"]
    tracks = proteins.Tracks([MultipleAlignment("abcd", rows)])
    found = tracks.of(0, 0, 2)
    profile = found["profile"]
    assert profile.shape == (10, 21)
    np.testing.assert_allclose(profile.sum(axis=1), 1.0)
    assert profile[0, proteins.LETTERS.index("W")] == 0.0  # of the partner
    assert profile[9, proteins.LETTERS.index("M")] == pytest.approx(0.25)  # one of two others, and its own letter once
    assert len(found["hydrophobicity"]) == len(found["surroundings"]) == 10
