"""The aligner with given scores, against Biopython, parasail and the list of all alignments."""

from __future__ import annotations

import re

import numpy as np
import parasail
import pytest
from Bio.Align import PairwiseAligner, substitution_matrices
from hypothesis import given, settings
from hypothesis import strategies as st

from all_alignments import Scores, Shape, alignments, score
from maxmargin.alignments import PROTEIN, Aligner, Alphabet

LETTERS = "ARNDCQEGHILKMFPSTWYV"
sequences = st.text(LETTERS, min_size=1, max_size=40)
modes = st.sampled_from(["global", "local", "semi-global"])
gaps = st.tuples(st.integers(1, 14), st.integers(0, 14)).map(lambda both: (both[0], min(both)))


def biopython(matrix, opening, extending, mode, ends=(True, True, True, True)):
    other = PairwiseAligner(substitution_matrix=matrix)
    other.mode = "local" if mode == "local" else "global"
    other.open_gap_score, other.extend_gap_score = opening, extending
    if mode == "semi-global":  # positions of x without partners are gaps in y, Biopython's query
        x_begin, x_end, y_begin, y_end = ends
        for free, name in (
            (x_begin, "left_deletion"),
            (x_end, "right_deletion"),
            (y_begin, "left_insertion"),
            (y_end, "right_insertion"),
        ):
            if free:
                setattr(other, f"open_{name}_score", 0.0)
                setattr(other, f"extend_{name}_score", 0.0)
    return other


@settings(max_examples=150, deadline=None)
@given(sequences, sequences, gaps, modes, st.tuples(*[st.booleans()] * 4))
def test_scores_are_those_of_biopython(x, y, gap, mode, ends):
    matrix = substitution_matrices.load("BLOSUM62")
    opening, extending = -float(gap[0]), -float(gap[1])
    ours = Aligner("BLOSUM62", open=opening, extend=extending, mode=mode, free_ends=ends)
    found = ours.align(x, y)
    assert found.score == pytest.approx(biopython(matrix, opening, extending, mode, ends).score(x, y))
    assert ours.score(x, y, found.output) == pytest.approx(found.score)


@settings(max_examples=150, deadline=None)
@given(sequences, sequences, gaps, modes)
def test_scores_are_those_of_parasail(x, y, gap, mode):
    run = {
        "global": parasail.nw_trace_striped_16,
        "local": parasail.sw_trace_striped_16,
        "semi-global": parasail.sg_trace_striped_16,
    }[mode]
    theirs = run(x, y, gap[0], gap[1], parasail.blosum62).score
    if mode != "global":  # parasail leaves out the alignment without pairs, which scores 0
        theirs = max(theirs, 0)
    assert Aligner("BLOSUM62", open=-gap[0], extend=-gap[1], mode=mode).score(x, y) == theirs


@settings(max_examples=60, deadline=None)
@given(sequences, sequences, modes, st.integers(0, 2**32 - 1))
def test_real_scores_are_those_of_biopython(x, y, mode, seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(20, 20)) * 2
    matrix = substitution_matrices.Array(LETTERS, 2, table)
    opening, extending = np.sort(-rng.exponential(size=2) * 2)
    ours = Aligner(table, open=opening, extend=extending, mode=mode)
    assert ours.score(x, y) == pytest.approx(biopython(matrix, opening, extending, mode).score(x, y))


@settings(max_examples=60, deadline=None)
@given(
    st.text("ACGT", min_size=1, max_size=5), st.text("ACGT", min_size=1, max_size=5), modes, st.integers(0, 2**32 - 1)
)
def test_queries_are_those_of_the_list(x, y, mode, seed):
    rng = np.random.default_rng(seed)
    table, (opening, extending) = rng.normal(size=(4, 4)), np.sort(-rng.exponential(size=2))
    dna = Alphabet("ACGT")
    ours = Aligner(table, dna, open=opening, extend=extending, mode=mode)
    m, n = len(x), len(y)
    match = table[np.ix_(dna.encode(x), dna.encode(y))]
    scores = Scores(match, *(np.full(k, gap) for k in (m, n) for gap in (opening, extending)))
    worth = {pairs: score(pairs, scores, Shape(mode)) for pairs in alignments(m, n)}
    best = sorted(worth.values(), reverse=True)
    assert ours.align(x, y).score == pytest.approx(best[0])
    listed = ours.kbest(x, y, 20)
    np.testing.assert_allclose([one.score for one in listed], best[:20])
    for one in listed:
        assert worth[tuple(one.output)] == pytest.approx(one.score)

    one = (int(rng.integers(m)), int(rng.integers(n)))
    with_it = {pairs: value for pairs, value in worth.items() if one in pairs}
    without = {pairs: value for pairs, value in worth.items() if one not in pairs}
    assert ours.align(x, y, required=[one]).score == pytest.approx(max(with_it.values()))
    assert ours.align(x, y, forbidden=[one]).score == pytest.approx(max(without.values()))
    for warmth in (1.0, 2.5):
        weight = {pairs: np.exp(value / warmth) for pairs, value in worth.items()}
        found = ours.marginals(x, y, temperature=warmth)
        assert found.log_sum == pytest.approx(np.log(sum(weight.values())))
        assert found.pairs[one] == pytest.approx(sum(weight[pairs] for pairs in with_it) / sum(weight.values()))
        given_it = ours.marginals(x, y, temperature=warmth, required=[one])
        assert given_it.log_sum == pytest.approx(np.log(sum(weight[pairs] for pairs in with_it)))
    drawn = ours.sample(x, y, 5, seed=3, temperature=2.5, required=[one])
    assert all(one in tuple(each.output) for each in drawn)
    assert [each.score for each in drawn] == pytest.approx([worth[tuple(each.output)] for each in drawn])


def random_pairs(count, seed=0):
    rng = np.random.default_rng(seed)
    return [["".join(rng.choice(list(LETTERS), size=rng.integers(1, 60))) for _ in range(count)] for _ in range(2)]


@pytest.mark.parametrize("n_jobs", [None, 3])
def test_many_pairs_at_once_are_those_one_by_one(n_jobs):
    X, Y = random_pairs(40)
    ours = Aligner(mode="local", n_jobs=n_jobs)
    together = ours.align_all(X, Y)
    assert together == [ours.align(x, y) for x, y in zip(X, Y)]
    assert ours.align_all([], []) == []


def test_position_specific_scores_take_the_place_of_letters():
    (x, *_), (y, *_) = random_pairs(1, 4)
    ours = Aligner("BLOSUM62", PROTEIN)
    scores = np.array([[substitution_matrices.load("BLOSUM62")[a, b] for b in LETTERS] for a in x])
    assert ours.align(scores, y) == ours.align(x, y)
    scores[0] += 3.0
    assert ours.align_all([x, scores, x], [y, y, y])[1] == ours.align(scores, y)
    assert ours.score(scores, y, ours.align(x, y).output) >= ours.score(x, y)


def test_matrices_of_all_forms_are_one():
    other = substitution_matrices.load("BLOSUM62")
    half = {(a, b): other[a, b] for at, a in enumerate(LETTERS) for b in LETTERS[at:]}
    table = np.array(other)[:20, :20]
    (x, *_), (y, *_) = random_pairs(1, 7)
    found = [Aligner(*form).align(x, y) for form in ((other,), (half,), (table,), ("blosum62",), (other, LETTERS))]
    assert found == [found[0]] * 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mode": "glocal"}, "mode must be 'global', 'local' or 'semi-global', not 'glocal'"),
        ({"free_ends": "left"}, "free_ends must be 'both', 'x' or 'y', or four truth values"),
        ({"band": -1}, "band must be None or a whole number from 0, not -1"),
        ({"open": np.nan}, "open must be a number of a size up to 1e9"),
        ({"n_jobs": 0}, "n_jobs must be None, -1 or a positive integer"),
        ({"matrix": np.eye(4)}, r"The matrix has shape \(4, 4\), and the alphabet .* has 20 letters"),
        ({"matrix": np.full((20, 20), np.nan)}, r"The matrix has nan at \(0, 0\)"),
        ({"matrix": {("A", "A"): 1.0, ("C", "C"): 1.0}}, "The matrix has no score of the letters 'A' and 'C'"),
        ({"matrix": "BLOSUM61"}, "Biopython has no matrix 'BLOSUM61'; it has"),
    ],
)
def test_bad_parameters_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        Aligner(**change)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda a: a.align("AJA", "A"), "Sequence x has the letter 'J' at position 1, which is not in the alphabet"),
        (lambda a: a.align_all(["A", "A"], ["A", ""]), "Sequence y of pair 1 is empty"),
        (lambda a: a.align_all(["A"], []), "There are 1 sequences X and 0 sequences Y"),
        (lambda a: a.score("AC", "AC", [[1, 1], [0, 0]]), "goes backwards"),
        (lambda a: a.score("AC", "AC", [[0, 2]]), "goes past the end"),
        (
            lambda a: a.align("AC", "AC", required=[[0, 0]], forbidden=[[0, 0]]),
            "forbidden and required together leave no alignment",
        ),
        (lambda a: a.align("AC", "AC", forbidden=[[0, 5]]), "forbidden names the pair (0, 5)"),
        (lambda a: a.align(np.ones((3, 4)), "AC"), "must be letters, or position-specific scores (positions, 20)"),
        (lambda a: a.marginals("AC", "AC", temperature=0), "temperature must be a positive number, not 0"),
        (lambda a: a.sample("AC", "AC", seed=-1), "seed must be a whole number"),
        (lambda a: a.kbest("AC", "AC", 0), "k must be a positive integer, not 0"),
    ],
)
def test_bad_questions_are_named(ask, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ask(Aligner(np.eye(20)))
