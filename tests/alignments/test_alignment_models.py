"""Model files, warm starts, threads and refusals of the estimators of alignments."""

from __future__ import annotations

import numpy as np
import pytest

import maxmargin
from alignment_cases import LETTERS, pairs_of_letters
from maxmargin import AlignmentCRF, AlignmentSVM, HomologySVM, Unsupported
from maxmargin.alignments import Alphabet, Anova2, Gaps, Profile, Simple, Window

EXAMPLES = pairs_of_letters(seed=11, n=8, decoys=2)
X = [(x, own[0]) for x, own, _ in EXAMPLES]
Y = [np.array(truth) for *_, truth in EXAMPLES]
HOMOLOGS = [(x, own) for x, own, _ in EXAMPLES], [(0, truth) for truth in Y]


@pytest.mark.parametrize(
    ("features", "alphabet"),
    [
        (None, None),
        (Simple(symmetric=False) + Gaps("residue", affine=False), "abc"),
        (Window(width=1) + Gaps(tied=False), Alphabet("abx", unknown="x")),
        (Simple(), {"residue": ["a", "b"]}),
    ],
    ids=["plain", "letters", "unknown", "mapping"],
)
@pytest.mark.parametrize("kind", [AlignmentSVM, AlignmentCRF])
def test_models_come_back_from_files(kind, features, alphabet, tmp_path):
    model = kind(0.5, features=features, alphabet=alphabet, mode="semi-global", free_ends="x").fit(X, Y)
    model.save(tmp_path / "model.zip")
    loaded = maxmargin.load(tmp_path / "model.zip")
    assert loaded.layout_.alphabets == model.layout_.alphabets
    assert loaded.layout_.features == model.layout_.features
    assert loaded.predict(X) == model.predict(X)
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    np.testing.assert_array_equal(loaded.gap_scores(), model.gap_scores())


def test_letters_that_no_file_can_keep(tmp_path):
    model = AlignmentSVM(0.5).fit([([("a", 1), ("b", 2)], [("a", 1)])], [[(0, 0)]])
    with pytest.raises(ValueError, match=r"The letter \('a', 1\) is a tuple, which a model file cannot keep"):
        model.save(tmp_path / "model.zip")


def test_letters_may_be_words_and_numbers(tmp_path):
    texts = [(["the", "cat"], ["the", "black", "cat"]), ([3, 1], np.array([3, 1]))]
    for pair, truth in zip(texts, ([(0, 0), (1, 2)], [(0, 0), (1, 1)])):
        model = AlignmentSVM(0.5).fit([pair], [truth])
        model.save(tmp_path / "model.zip")
        assert maxmargin.load(tmp_path / "model.zip").predict([pair]) == model.predict([pair])
    with pytest.raises(ValueError, match="Sequence y of example 0 has the letter 4 at position 1"):
        model.predict([([3, 1], [3, 4])])


def test_tracks_of_a_mapping_need_no_alphabet():
    tracks = [({"residue": x, "length": [len(x)] * len(x)}, {"residue": y, "length": [len(y)] * len(y)}) for x, y in X]
    model = AlignmentSVM(0.5, features=Anova2("residue", "length")).fit(tracks, Y)
    assert set(model.layout_.alphabets) == {"residue", "length"}
    assert model.layout_.alphabets["residue"].letters == ("a", "b")


@pytest.mark.parametrize("solver", ["one-slack", "n-slack", "bcfw"])
def test_a_warm_start_goes_on_from_the_solution(solver):
    model = AlignmentSVM(0.5, alphabet=LETTERS, solver=solver, warm_start=True, tol=1e-6, max_iter=5000).fit(X, Y)
    first, calls = model.solution_.primal, model.solution_.oracle_calls
    model.fit(X, Y)
    assert model.solution_.primal == pytest.approx(first, rel=1e-5)
    assert model.solution_.oracle_calls < calls
    homology = HomologySVM(0.5, alphabet=LETTERS, solver=solver, warm_start=True, tol=1e-6, max_iter=5000)
    calls = homology.fit(*HOMOLOGS).solution_.oracle_calls
    assert homology.fit(*HOMOLOGS).solution_.oracle_calls < calls


def test_threads_find_the_same_optimum():
    found = [
        AlignmentSVM(0.5, alphabet=LETTERS, solver="one-slack", n_jobs=n, tol=1e-6, max_iter=5000).fit(X, Y)
        for n in (1, 3)
    ]
    assert found[0].solution_.primal == pytest.approx(found[1].solution_.primal, rel=1e-5)
    found[1].coef_ = found[0].coef_
    assert found[0].predict(X) == found[1].predict(X)
    for a, b in zip(found[0].predict_kbest(X, 3), found[1].predict_kbest(X, 3)):
        assert a == b


def test_examples_of_weight_zero_do_not_count():
    weight = np.array([1.0, 0.0, 2.0, 1.0, 0.0, 0.0, 1.0, 1.0])
    model = AlignmentSVM(0.5, alphabet=LETTERS, tol=1e-6, max_iter=5000).fit(X, Y, sample_weight=weight)
    repeated = [i for i, count in enumerate(weight) for _ in range(int(count))]
    other = AlignmentSVM(0.5, alphabet=LETTERS, tol=1e-6, max_iter=5000)
    other.fit([X[i] for i in repeated], [Y[i] for i in repeated])
    assert model.solution_.primal == pytest.approx(other.solution_.primal, rel=1e-4)


def test_scale_of_homology_is_by_the_features_of_true_pairs():
    candidates, truths = HOMOLOGS
    pairs = np.array([len(truth) for _, truth in truths], dtype=float)
    plain = HomologySVM(loss="zero-one", alphabet=LETTERS).fit(*HOMOLOGS)
    weight = np.array([1.0, 0.0, 2.0, 1.0, 0.0, 0.0, 1.0, 1.0])
    weighted = HomologySVM(loss="zero-one", alphabet=LETTERS).fit(*HOMOLOGS, sample_weight=weight)

    def tracks(text):
        return {"residue": text, "profile": np.full((len(text), 1), 3.0)}  # 3 * 3 per pair, besides the letters

    rows = [(tracks(x), [tracks(each) for each in own]) for x, own in candidates]
    model = HomologySVM(loss="zero-one", features=Simple() + Profile(), alphabet=LETTERS).fit(rows, truths)
    squares = [pairs.mean(), np.average(pairs, weights=weight), pairs.mean() * (1.0 + 9.0**2)]
    found = [own.C_ for own in (plain, weighted, model)]
    assert found == pytest.approx([2.0 / each for each in squares])


def test_searches_that_would_take_too_much_are_refused(monkeypatch):
    pair, truth = ("ab" * 600, "ba" * 600), np.stack([np.arange(1200)] * 2, axis=1)
    with pytest.raises(Unsupported, match="have 1,442,401 numbers of hits and pairs; use rescaling='margin'"):
        AlignmentSVM(loss="f1").fit([pair], [truth])
    monkeypatch.setattr("maxmargin.oracles.listed.MOST_BYTES", 1 << 20)
    with pytest.raises(Unsupported, match=r"for example 1 that takes .* GiB in each of 1 threads, and .* is the most"):
        AlignmentSVM(rescaling="slack").fit([X[0], ("ab" * 30, "ba" * 30)], [Y[0], truth[:60]])


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([("ab", "ba")], [(0, [(0, 0)])], "The candidates of example 0 must be a list of sequences, not 'ba'."),
        ([("ab", [])], [(0, [(0, 0)])], "Example 0 has no candidates; give it at least one."),
        ([("ab", ["ab"])], [(0, [(0, 0)])], "Example 0 has no candidate besides its homolog"),
        ([("ab", ["ab", "ba"])], [(2, [(0, 0)])], "The homolog of example 0 must be one of its candidates, by its"),
        ([("ab", ["ab", "ba"])], [0], "The output of example 0 must be a pair: the number of the homolog"),
        ([("ab", ["ab", ""])], [(0, [(0, 0)])], "Candidate 1 of example 0 is empty"),
        ([("ab", ["ab", "ba"])], [(1, [(0, 2)])], "The alignment of example 0 goes past the end"),
    ],
)
def test_refused_homologs(X, y, words):
    with pytest.raises((TypeError, ValueError)) as refused:
        HomologySVM().fit(X, y)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mode": "glocal"}, "mode must be one of 'global', 'local', 'semi-global', not 'glocal'."),
        ({"free_ends": "z"}, "free_ends must be 'both', 'x' or 'y', or four truth values"),
        ({"band": -1}, "band must be None or a whole number of at least 0, not -1."),
        ({"shift": 0.5}, "shift must be a whole number of at least 0, not 0.5."),
        ({"loss": "q4"}, "loss must be one of 'q', 'f1', 'zero-one', not 'q4'."),
        ({"features": 3}, "features must be Simple(...)"),
    ],
)
def test_refused_settings(options, words):
    with pytest.raises((TypeError, ValueError)) as refused:
        AlignmentSVM(**options).fit(X, Y)
    assert words in str(refused.value)
