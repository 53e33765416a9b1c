"""The log-odds baseline against its formula, written out letter by letter."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import maxmargin as mm
from maxmargin.alignments import Aligner, Alignment, GenerativeAligner
from maxmargin.datasets import make_homologs
from maxmargin.datasets.alignments import LETTERS

HOMOLOGS = make_homologs(12, decoys=4, seed=5)
X = [(native, row[0]) for native, row in zip(HOMOLOGS.natives, HOMOLOGS.candidates)]
Y = HOMOLOGS.alignments


def written_out(pairs, alignments, letters, alpha, symmetric, weights):
    counts = {(a, b): alpha for a in letters for b in letters}
    seen = dict.fromkeys(letters, alpha)
    for (x, y), alignment, weight in zip(pairs, alignments, weights):
        for i, j in alignment:
            counts[x[i], y[j]] += weight
            if symmetric:
                counts[y[j], x[i]] += weight
        for letter in x + y:
            seen[letter] += weight
    total, every = sum(counts.values()), sum(seen.values())
    return np.array(
        [[np.log(counts[a, b] / total / (seen[a] / every) / (seen[b] / every)) for b in letters] for a in letters]
    )


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 2.0, len(Y))])
def test_the_matrix_is_the_formula(symmetric, weights):
    model = GenerativeAligner(open=-0.7, extend=-0.3, alpha=0.5, symmetric=symmetric, alphabet=LETTERS)
    model.fit(X, Y, sample_weight=weights)
    own = np.ones(len(Y)) if weights is None else weights
    expected = written_out(X, Y, LETTERS, 0.5, symmetric, own)
    np.testing.assert_allclose(model.substitution_matrix(), expected, rtol=1e-12)
    np.testing.assert_array_equal(model.gap_scores(), [[-0.7, -0.3], [-0.7, -0.3]])


def test_it_aligns_as_the_aligner_with_its_matrix():
    model = GenerativeAligner(open=-0.8, symmetric=False, alphabet=LETTERS).fit(X, Y)
    aligner = Aligner(model.substitution_matrix(), LETTERS, open=-0.8, extend=-0.8, mode="local")
    found = aligner.align_all(*zip(*X))
    assert model.predict(X) == [one.output for one in found]
    np.testing.assert_allclose(model.decision_value(X, model.predict(X)), [one.score for one in found])
    scores = model.pair_scores(X[:1])[0]
    x, y = X[0]
    assert scores.shape == (50, 50)
    assert scores[3, 7] == model.substitution_matrix()[LETTERS.index(x[3]), LETTERS.index(y[7])]


def test_candidates_are_ranked_by_their_best_alignment():
    model = GenerativeAligner(open=-0.8, symmetric=False, alphabet=LETTERS).fit(X, Y)
    inputs = list(zip(HOMOLOGS.natives, HOMOLOGS.candidates))
    scores = model.decision_function(inputs)
    aligner = Aligner(model.substitution_matrix(), LETTERS, open=-0.8, extend=-0.8, mode="local")
    for (native, candidates), own in zip(inputs, scores):
        np.testing.assert_allclose(own, [aligner.score(native, one) for one in candidates])
        ranking = model.rank(native, candidates)
        assert [one.candidate for one in ranking] == np.argsort(-own, kind="stable").tolist()
        assert [one.score for one in ranking] == sorted(own.tolist(), reverse=True)
        best = ranking[0]
        assert best.alignment == aligner.align(native, candidates[best.candidate]).output
    assert [order.tolist() for order in model.predict_ranking(inputs)] == [np.argsort(-own).tolist() for own in scores]
    assert model.predict_ranking([]) == model.decision_function([]) == []
    with pytest.raises(ValueError, match="Example 0 has no candidates"):
        model.rank("AB", [])


def test_it_is_kept_in_a_file(tmp_path):
    model = GenerativeAligner(open=-0.8, symmetric=False).fit(X, Y)
    path = tmp_path / "model"
    model.save(path)
    loaded = mm.load(path)
    assert isinstance(loaded, GenerativeAligner)
    assert loaded.get_params() == model.get_params() == clone(model).get_params()
    assert loaded.predict(X) == model.predict(X)
    (x, y), *_ = X
    assert loaded.rank(x, [y, x]) == model.rank(x, [y, x])


def test_bad_parameters_and_input_are_sentences():
    with pytest.raises(ValueError, match="open must be a finite number, not nan"):
        GenerativeAligner(open=float("nan")).fit(X, Y)
    with pytest.raises(ValueError, match="alpha must be a positive number"):
        GenerativeAligner(alpha=0).fit(X, Y)
    with pytest.raises(ValueError, match="The alignment of example 0 goes past the end"):
        GenerativeAligner().fit([("AC", "AC")], [[[0, 2]]])
    with pytest.raises(ValueError, match="Sequence y of example 0 has the letter 'B' at position 1"):
        GenerativeAligner(alphabet="AC").fit([("AC", "AB")], [Alignment([], (2, 2))])
    with pytest.raises(ValueError, match="Sequence x of example 0 is empty"):
        GenerativeAligner().fit([("", "AB")], [[]])
