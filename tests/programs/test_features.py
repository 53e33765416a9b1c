"""Features of edges: rows of a matrix times blocks, against the same written out."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.programs import Program, Rows, Topology
from maxmargin.programs.packed import PackedPrograms
from maxmargin.programs.targets import packed_targets
from program_cases import program_cases


@st.composite
def row_parts(draw, n_edges):
    """A part with ranges, blocks, values and edges that occur in many entries or none."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    rows, columns, blocks = draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    matrix = (rng.random((rows, columns)) < 0.6).astype(float)
    if draw(st.booleans()):
        matrix *= np.round(4 * rng.standard_normal(matrix.shape)) / 4
    entries = draw(st.integers(0, 8))
    ranges = draw(st.booleans())
    row = rng.integers(0, rows + ranges, entries)
    stop = np.array([rng.integers(first, rows + 1) for first in row], dtype=int) if ranges else None
    block = rng.integers(0, blocks, entries) if draw(st.booleans()) else None
    given_matrix = sp.csr_array(matrix) if draw(st.booleans()) else matrix
    return Rows(given_matrix, rng.integers(0, n_edges, entries), row, stop, block, blocks)


@st.composite
def featured_programs(draw):
    """Two programs with the same columns, and their features written out."""
    cases = [draw(program_cases(extremes=False, forbidden=False)) for _ in range(2)]
    first = [draw(row_parts(cases[0].topology.n_edges)) for _ in range(draw(st.integers(1, 2)))]
    second = []
    for part in first:
        rng = np.random.default_rng(draw(st.integers(0, 10_000)))
        edges = cases[1].topology.n_edges
        matrix = rng.standard_normal((3, part.n_columns))
        second.append(Rows(matrix, rng.integers(0, edges, 3), block=np.zeros(3, int), n_blocks=part.n_blocks))
    return cases, [Program.of(case.topology, parts) for case, parts in zip(cases, (first, second))]


def written_out(program):
    return np.hstack([part.toarray(program.n_edges) for part in program.parts])


@given(featured_programs(), st.integers(0, 1000))
def test_scores_and_sums_of_features_are_those_written_out(drawn, seed):
    _, programs = drawn
    packed = PackedPrograms(programs)
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(packed.n_weights)
    assert packed.core.weight_count == packed.n_weights == w.size
    for i, program in enumerate(programs):
        features = written_out(program)
        np.testing.assert_allclose(packed.core.scores(w, i), features @ w, rtol=1e-12, atol=1e-12)
        coefficient, into = rng.standard_normal(program.n_edges), w.copy()
        packed.core.expected(i, coefficient, into)
        np.testing.assert_allclose(into, w + features.T @ coefficient, rtol=1e-12, atol=1e-12)
        has = np.zeros(program.n_edges, bool)
        for part in program.parts:
            has[part.edge] = True
        offset = sum(each.n_edges for each in programs[:i])
        np.testing.assert_array_equal(packed.core.featured()[offset : offset + program.n_edges], has)


@given(program_cases(extremes=False, forbidden=False), st.integers(0, 1000))
def test_every_output_is_a_derivation_and_little_else_is(case, seed):
    topology = case.topology
    packed = PackedPrograms([Program.of(topology, np.ones((topology.n_edges, 1)))])
    rng = np.random.default_rng(seed)
    for output in case.outputs[:20]:
        packed_targets(packed, [rng.permutation(np.array(output, dtype=np.int32))])
    for _ in range(20):
        edges = np.sort(rng.integers(0, topology.n_edges, rng.integers(0, 5))).astype(np.int32)
        if tuple(edges.tolist()) in case.outputs:
            continue
        with pytest.raises(ValueError, match=r"The output of example 0 is not in its space: .* cell \d+"):
            packed_targets(packed, [edges])


CHAIN = Topology([0, 0, 1, 1], [-1, -1, 0, 0])


def test_a_part_is_a_matrix_a_row_per_edge():
    program = Program.of(CHAIN, np.eye(4))
    assert [part.n_weights for part in program.parts] == [4]
    assert program.parts[0].values is None  # all of them are one
    np.testing.assert_array_equal(written_out(program), np.eye(4))
    two = Program.of(CHAIN, [np.eye(4), Rows(np.full((1, 2), 0.5), [1, 1], [0, 0], block=[0, 2], n_blocks=3)])
    np.testing.assert_array_equal(written_out(two)[1], [0, 1, 0, 0, 0.5, 0, 0.5, 0.5, 0, 0.5])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Program.of(CHAIN, np.eye(3)), "The features have 3 rows and the program has 4 edges"),
        (lambda: Program.of(CHAIN, Rows(np.eye(2), [0, 4])), "Entry 1 of the features belongs to edge 4"),
        (lambda: Rows(np.eye(2), [0, -1]), "edge of entry 1 is -1"),
        (lambda: Rows(np.eye(2), [0, 1], [0, 2]), "row of entry 1 is 2; it must be from 0 to 1"),
        (lambda: Rows(np.eye(2), [0, 1], [0, 1], [1, 3]), "stop of entry 1 is 3; it must be from 0 to 2"),
        (lambda: Rows(np.eye(2), [0, 1], [0, 1], [1, 0]), "Entry 1 ends at row 0, before it starts, at row 1"),
        (lambda: Rows(np.eye(2), [0, 1], [0]), "edge has 2 entries and row has 1"),
        (lambda: Rows(np.eye(2), [0, 1], stop=[1]), "stop has 1 entries, and edge has 2"),
        (lambda: Rows(np.eye(2), row=[0, 1]), "edge must be given too"),
        (lambda: Rows(np.eye(2), block=[0, 1]), "block of entry 1 is 1; it must be from 0 to 0"),
        (lambda: Rows(np.eye(2), n_blocks=0), "n_blocks must be a whole number of at least 1"),
        (lambda: Rows(np.eye(2), [0.0, 1.0]), "edge must be a list of whole numbers"),
        (lambda: Rows([1.0, 2.0]), "not of 1 dimensions"),
        (lambda: Rows([[1.0, np.nan]]), "row 0, column 1 is nan"),
        (lambda: Rows(sp.csr_array([[0.0, 1.0], [np.inf, 0.0]])), "row 1, column 0 is inf"),
        (lambda: Rows([["a"]]), "must be a matrix of numbers"),
    ],
)
def test_features_that_make_no_sense(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_features_of_another_type():
    with pytest.raises(TypeError, match=r"features must be a matrix, a Rows, or a sequence of them, not int"):
        Program.of(CHAIN, 3)


def test_programs_with_different_columns():
    programs = [Program.of(CHAIN, np.eye(4)), Program.of(CHAIN, np.ones((4, 3)))]
    with pytest.raises(
        ValueError, match=r"Example 1 has features in 1 part, of 3 columns, and example 0 has .* 4 columns"
    ):
        PackedPrograms(programs)
    with pytest.raises(
        ValueError, match=r"Example 0 has .* the model was trained with features in 1 part, of 4 columns"
    ):
        PackedPrograms(programs[1:], ((4, 1),))


def test_the_core_refuses_what_does_not_fit():
    packed = PackedPrograms([Program.of(CHAIN, np.eye(4))])
    with pytest.raises(ValueError, match=r"wrong length"):
        packed.core.scores(np.zeros(3), 0)
    with pytest.raises(IndexError):
        packed.core.scores(np.zeros(4), 1)
    with pytest.raises(TypeError):
        packed.core.scores(np.zeros(4, np.float32), 0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array, sp.coo_array])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64, np.float32, np.float64])
def test_numbers_of_any_type_are_taken_as_they_are(form, dtype):
    matrix = np.array([[0, 1, 3], [2, 0, 0]]).astype(dtype)
    np.testing.assert_array_equal(Rows(form(matrix)).toarray(2), matrix.astype(float))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_complex_features_are_refused(form):
    with pytest.raises(ValueError, match=r"real numbers, not of dtype complex128"):
        Rows(form(np.array([[1j, 2.0]])))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_features_that_are_not_finite_are_named(dtype, value):
    with pytest.raises(ValueError, match=r"row 1, column 0 is"):
        Rows(sp.csr_array(np.array([[0.0, 1.0], [value, 0.0]], dtype=dtype)))
