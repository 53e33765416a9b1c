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
        "test error, zero-one loss, n = 2",
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


def test_settings_are_chosen_for_each_measure_on_both_halves(monkeypatch):
    one, other = np.arange(3), np.arange(3, 6)
    asked = []

    def scores(self, setting, train, test):
        asked.append((train[0], test[0]))
        first = float(test[0] == 3) if setting.shift == 0 else 0.6  # in Q: best on a half, worse on both
        return np.tile([first, 0.9 if setting.total == 0.3 else 0.1], (test.size, 1))

    monkeypatch.setattr(proteins.Learner, "scores", scores)
    settings = [proteins.Setting(total, shift) for total in (1.0, 0.3) for shift in (0, 4)]
    chosen = proteins.Learner(None, None, None).best(settings, one, other)
    assert chosen == [proteins.Setting(1.0, 4), proteins.Setting(0.3, 0)]
    assert asked == [(0, 3), (3, 0)] * 4


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
