"""The comparisons of learned alignments with the papers and with BLOSUM62, on next to nothing."""

from __future__ import annotations

import numpy as np
import pytest

from alignments import homology, proteins
from alignments.studies import homology_paper
from maxmargin import HomologySVM
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


def test_c_is_chosen_for_each_measure_on_both_halves(monkeypatch):
    one, other = np.arange(3), np.arange(3, 6)
    asked = []

    class Fitted:
        def __init__(self, total, first):
            self.total, self.first = total, first

        def predict(self, inputs):
            return [(self.total, self.first)] * len(inputs)

    def fitted(self, total, train):
        asked.append((total, train[0]))
        return Fitted(total, train[0])

    def quality_of(self, found, at):
        total, first = found[0]
        in_q = float(first == 0) if total == 0.3 else 0.6 if total == 1.0 else 0.0  # 0.3: best on a half, worse on both
        return np.tile([in_q, 0.9 if total == 3.0 else 0.1], (len(found), 1))

    class Examples:
        inputs = tuple(range(6))
        of = staticmethod(lambda families: families)

    monkeypatch.setattr(proteins.Margins, "fitted", fitted)
    monkeypatch.setattr(proteins.Margins, "quality_of", quality_of)
    monkeypatch.setattr(proteins.Margins, "settings", (0.3, 1.0, 3.0))
    assert proteins.Margins(None, Examples()).best_settings(one, other) == [1.0, 3.0]
    assert asked == [(total, first) for total in (0.3, 1.0, 3.0) for first in (0, 3)]


def test_bars_are_given_for_all_families_and_for_those_that_were_not_looked_at(monkeypatch):
    monkeypatch.setattr(proteins, "SETTLED", (0, 2))
    unseen = np.random.default_rng(0).permutation(4)[2:]
    names = ("BLOSUM62", "Simple", "Window", "Window means", "Profile")
    results = {name: np.full((1, 4, 2), 0.1 * k) for k, name in enumerate(names)}
    results["Simple"][:, unseen] = 0.0  # as good as BLOSUM62 there
    found = proteins.answer(results, {"Simple": 5})
    assert [row[0] for row in found["rows"]] == list(names)
    held = {claim: holds for claim, *_, holds in found["bars"]}
    assert len(held) == 16
    assert held["Q4: Simple less BLOSUM62"]
    assert not held["Q4: Simple less BLOSUM62, families used for no choice"]
    assert held["Q: Window less Simple, families used for no choice"]


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


def test_the_algorithm_of_the_paper_has_the_optimum_of_the_library(monkeypatch):
    monkeypatch.setattr(homology_paper, "EPS", 1e-4)
    X, y = homology.sample(2, 11)
    own = homology_paper.CuttingPlanes(X, y, 0.05).train(by_pass=False)
    options = {"features": homology.FEATURES, "alphabet": homology.LETTERS}
    model = HomologySVM(0.05, **options, loss="zero-one", tol=1e-5).fit(X, y)
    np.testing.assert_allclose(own.coef_, model.coef_, atol=2e-3 * np.abs(model.coef_).max())


def test_hydropathies_of_a_window_are_zero_beyond_the_ends():
    found = proteins._shifted(np.array([1.0, 2.0, 3.0]), 1)
    assert found.tolist() == [[0.0, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0, 3.0, 0.0]]
