"""Known scores as a part of the features: one weight for a whole matrix and its gaps."""

from __future__ import annotations

import numpy as np
import pytest
from Bio.Align import substitution_matrices

import maxmargin as mm
from maxmargin import AlignmentCRF, AlignmentSVM, HomologySVM
from maxmargin.alignments import Aligner, Alphabet, Gaps, Known, Simple, read_matrix, write_matrix
from maxmargin.alignments.features import Features
from maxmargin.alignments.layout import Layout
from maxmargin.datasets import make_homologs
from maxmargin.metrics import alignment_q

LETTERS = "ACDE"
TABLE = np.array([[4.0, 0.0, -2.0, -1.0], [0.5, 9.0, -3.0, -4.0], [-2.0, -3.0, 6.0, 2.0], [-1.0, -4.0, 2.0, 5.0]])


def pairs(n: int = 8, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = [tuple("".join(rng.choice(list(LETTERS), size)) for size in rng.integers(4, 9, 2)) for _ in range(n)]
    return X, [[(k, k) for k in range(min(map(len, pair)))] for pair in X]


@pytest.mark.parametrize("make", [AlignmentSVM, AlignmentCRF])
def test_the_factor_of_known_scores_alone_gives_their_alignments(make):
    known = Aligner(TABLE, LETTERS, open=-5.0, extend=-0.7)
    X, _ = pairs(40)
    y = [known.align(*pair).output for pair in X]
    model = make(C=10.0, features=Known(known), alphabet=LETTERS).fit(X, y)
    # The constant scores of gaps that every model has are zero at best: the factor explains everything.
    factor = model.substitution_matrix()[0, 0] / TABLE[0, 0]
    assert factor > 0.0
    np.testing.assert_allclose(model.substitution_matrix(), factor * TABLE, atol=1e-12)
    assert alignment_q(y, model.predict(X, decode="best")) > 0.95


@pytest.mark.parametrize("make", [AlignmentSVM, AlignmentCRF])
def test_what_is_learned_does_not_depend_on_the_unit_of_known_scores(make):
    X, y = pairs()
    found = []
    for unit in (1.0, 1e-4):
        known = Known(unit * TABLE, alphabet=LETTERS, open=-3.0 * unit, extend=-unit)
        found.append(make(C=0.1, tol=1e-6, features=Simple(symmetric=False) + known, alphabet=LETTERS).fit(X, y))
    np.testing.assert_allclose(found[0].coef_, found[1].coef_, atol=1e-5)
    np.testing.assert_allclose(found[0].gap_scores(), found[1].gap_scores(), atol=1e-5)


def test_scores_of_pairs_and_gaps_are_the_sum_of_what_is_known_and_learned():
    X, y = pairs()
    features = Simple() + Known(TABLE, alphabet=LETTERS, open=-3.0, extend=-1.0) + Gaps()
    model = AlignmentSVM(C=0.5, features=features, alphabet=LETTERS).fit(X, y)
    coef = np.random.default_rng(1).standard_normal(model.coef_.size)
    model.coef_ = coef
    unit = np.sqrt(np.mean(TABLE**2))
    upper = np.zeros((4, 4))
    upper[np.triu_indices(4)] = coef[:10]
    matrix = upper + np.triu(upper, 1).T + coef[10] * TABLE / unit
    gaps = coef[11:] + coef[10] * np.array([-3.0, -1.0]) / unit
    np.testing.assert_allclose(model.substitution_matrix(), matrix)
    np.testing.assert_allclose(model.gap_scores(), np.tile(gaps, (2, 1)))
    judge = Aligner(matrix, LETTERS, open=gaps[0], extend=gaps[1])
    for pair, own, value in zip(X, model.predict(X), model.decision_value(X, y)):
        assert judge.score(*pair, own) == pytest.approx(judge.score(*pair))
        assert judge.score(*pair, y[X.index(pair)]) == pytest.approx(value)


def test_few_examples_leave_known_scores_as_they_are_where_nothing_was_seen():
    X, y = [("ACAC", "ACAC")], [[(0, 0), (1, 1), (2, 2), (3, 3)]]
    learned = AlignmentSVM(C=1.0, features=Simple(), alphabet=LETTERS).fit(X, y).substitution_matrix()
    known = AlignmentSVM(C=1.0, features=Simple() + Known(TABLE, alphabet=LETTERS), alphabet=LETTERS).fit(X, y)
    assert learned[2, 2] == learned[2, 3] == 0.0
    seen = known.substitution_matrix()
    np.testing.assert_allclose(seen[2:, 2:] / seen[2, 2], TABLE[2:, 2:] / TABLE[2, 2])


def test_homologs_start_from_known_scores():
    natives, candidates, alignments = make_homologs(30, seed=3)
    X, y = list(zip(natives, candidates)), [(0, own) for own in alignments]
    letters = "ABCDEFGHIJKLMNOPQRST"
    shares = np.arange(1, 21) / 210
    kept, moved = np.eye(20) / 3, np.roll(np.eye(20), 1, axis=1) * 2 / 3
    table = np.log((0.9 * (kept + moved) * shares[:, None] + 0.1 * np.outer(shares, shares)) / np.outer(shares, shares))
    linear = Simple(symmetric=False) + Gaps(affine=False)
    scores = [
        HomologySVM(features=features, alphabet=letters, tol=0.1).fit(X[:2], y[:2]).score(X[2:], y[2:])
        for features in (linear, linear + Known(table, alphabet=letters, open=-1.0))
    ]
    assert scores[1] > scores[0] + 0.1


def test_a_model_file_and_a_matrix_keep_the_sum(tmp_path):
    X, y = pairs()
    model = AlignmentSVM(features=Simple() + Known(TABLE, alphabet=LETTERS, open=-3.0), alphabet=LETTERS).fit(X, y)
    model.save(tmp_path / "model")
    again = mm.load(tmp_path / "model")
    assert again.layout_.features == model.layout_.features
    np.testing.assert_array_equal(again.coef_, model.coef_)
    np.testing.assert_array_equal(again.substitution_matrix(), model.substitution_matrix())
    write_matrix(tmp_path / "learned.txt", again.substitution_matrix(), LETTERS, whole=False)
    np.testing.assert_allclose(read_matrix(tmp_path / "learned.txt")[0], model.substitution_matrix(), rtol=1e-5)


def test_known_scores_come_in_all_forms(tmp_path):
    write_matrix(tmp_path / "table.txt", TABLE, LETTERS, whole=False)
    forms = [
        Known(TABLE, alphabet=LETTERS),
        Known({(a, b): TABLE[i, j] for i, a in enumerate(LETTERS) for j, b in enumerate(LETTERS)}),
        Known(tmp_path / "table.txt"),
        Known(substitution_matrices.Array(LETTERS, dims=2, data=TABLE)),
    ]
    assert all(own == forms[0] for own in forms)
    assert Known("BLOSUM62") == Known(substitution_matrices.load("BLOSUM62"))
    assert Known(Aligner("BLOSUM62")) == Known("BLOSUM62", open=-11.0, extend=-1.0)
    assert Known(Aligner("BLOSUM62"), extend=-2.0) == Known("BLOSUM62", open=-11.0, extend=-2.0)
    assert Aligner(tmp_path / "table.txt").score("ACDE", "ACDE") == 24.0
    assert len(repr(forms[0])) < 100
    own = Features.of(forms[0] + Gaps())
    assert Features.from_plain(own.to_plain()) == own


def test_learning_goes_on_from_an_earlier_model():
    X, y = pairs()
    model = AlignmentCRF(C=1.0, alphabet=LETTERS).fit(X, y)
    known = Known(model)
    np.testing.assert_array_equal(known.scores, model.substitution_matrix())
    assert [known.open, known.extend] == model.gap_scores()[0].tolist()
    own = Known(model, extend=-0.25)
    assert (own.open, own.extend) == (model.gap_scores()[0, 0], -0.25)
    untied = AlignmentCRF(C=1.0, features=Simple() + Gaps(tied=False), alphabet=LETTERS).fit(X, y)
    with pytest.raises(ValueError, match="different scores in this model: give open and extend"):
        Known(untied)
    assert (Known(untied, open=-1.0).open, Known(untied, open=-1.0).extend) == (-1.0, -1.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Known("BLOSUM1"), "Biopython has no matrix 'BLOSUM1'"),
        (lambda: Known("table.txt"), "For a file give its pathlib.Path."),
        (lambda: Known(Simple()), r"A substitution matrix must be an array, a dict of pairs of letters, .* not Simple"),
        (lambda: Known(np.zeros((20, 20))), "Known scores must be finite numbers, and not all of them zero."),
        (lambda: Known(np.full((20, 20), -np.inf)), "Known scores must be finite numbers"),
        (lambda: Known(TABLE), r"The matrix has shape \(4, 4\), and the alphabet"),
        (lambda: Known("BLOSUM62", open="x"), "open must be a finite number or None, not 'x'."),
        (lambda: Known("BLOSUM62", extend=-1), "give open, that of the first, as well"),
        (lambda: Known("BLOSUM62", track=""), "A track is known by its name"),
    ],
)
def test_refused_scores(make, words):
    with pytest.raises((TypeError, ValueError), match=words):
        make()


def test_letters_without_known_scores_are_named():
    known = Known(TABLE, alphabet=LETTERS)
    with pytest.raises(ValueError, match=r"none of the letter 'X' of the track 'residue'; they have those of 'ACDE'\."):
        AlignmentSVM(features=known).fit([("ACX", "ACX")], [[(0, 0)]])
    with pytest.raises(ValueError, match=r"none of the letter 'a' .* Use \.upper\(\)\."):
        AlignmentSVM(features=known).fit([("acx", "ac")], [[(0, 0)]])
    with pytest.raises(ValueError, match="are all zero, so that there is nothing to learn"):
        Layout(Features.of(Known(np.diag([1.0, 0.0]), alphabet="AC")), {"residue": Alphabet("C")}, {})
