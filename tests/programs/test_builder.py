"""Programs by name: cells are put in order, features find their columns, and faults are named."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.programs import ProgramBuilder, queries
from program_cases import program_cases


def test_a_path_in_any_order():
    builder = ProgramBuilder()
    assert builder.edge("end", ["b"], {1: 2.0}) == 0
    assert builder.edge("b", ["a"], {0: 1.0, 2: -1.0}) == 1
    assert builder.edge("a") == 2
    program = builder.program()
    assert builder.cells == ["a", "b", "end"]
    assert program.topology.head.tolist() == [2, 1, 0]
    assert program.topology.tail.ravel().tolist() == [1, 0, -1]
    assert program.features.toarray().tolist() == [[0, 2, 0], [1, 0, -1], [0, 0, 0]]
    assert queries.best(program.topology, np.zeros(3)).output.tolist() == [0, 1, 2]


@given(program_cases(), st.randoms())
def test_a_program_built_by_names_is_the_same_program(case, random):
    """Names that hide the order of the cells, and the program comes out with the same outputs."""
    topology = case.topology
    names = [f"cell {i}" for i in range(topology.n_cells)]
    random.shuffle(names)
    builder = ProgramBuilder()
    for head, tails in zip(topology.head.tolist(), topology.tail.tolist(), strict=True):
        builder.edge(names[head], [names[t] for t in tails if t >= 0])
    program = builder.program(names[topology.goal])
    assert (program.topology.tail < program.topology.head[:, None]).all()
    assert [builder.cells[cell] for cell in program.topology.head] == [names[cell] for cell in topology.head]
    if case.possible:
        found = queries.best(program.topology, case.scores)
        assert found.score == pytest.approx(queries.best(topology, case.scores).score, rel=1e-12)


def test_names_of_features():
    builder = ProgramBuilder({"bias": 2, "length": 0})
    builder.edge("goal", features={"length": 3.0, "unseen": 1.0, "bias": 1.0})
    assert builder.program().features.toarray().tolist() == [[3.0, 0.0, 1.0]]


def test_names_that_share_a_column_add_up():
    builder = ProgramBuilder({"a": 0, "b": 0, "c": 1})
    builder.edge("goal", features={"a": 1.0, "b": 2.0, "c": 4.0})
    assert builder.program().features.toarray().tolist() == [[3.0, 4.0]]


@pytest.mark.parametrize("row", [[1.0, 0.0, 2.0], np.array([[1.0, 0.0, 2.0]]), sp.csr_array([[1.0, 0.0, 2.0]])])
def test_rows_as_features(row):
    builder = ProgramBuilder()
    builder.edge("goal", [], row)
    builder.edge("goal", [], {1: 5})
    assert builder.program().features.toarray().tolist() == [[1, 0, 2], [0, 5, 0]]


def test_a_cycle_is_named():
    builder = ProgramBuilder()
    builder.edge("start")
    builder.edge("a", ["start", "c"])
    builder.edge("b", ["a"])
    builder.edge("c", ["b"])
    builder.edge("goal", ["c"])
    with pytest.raises(ValueError, match="Cells form a cycle: 'a' needs 'c' needs 'b' needs 'a'"):
        builder.program("goal")


def test_a_cycle_without_an_end_is_named():
    builder = ProgramBuilder()
    builder.edge(1, [2])
    builder.edge(2, [1])
    with pytest.raises(ValueError, match="Cells form a cycle: 1 needs 2 needs 1"):
        builder.program()


def test_a_long_path_needs_no_deep_stack():
    builder = ProgramBuilder()
    for i in reversed(range(5000)):
        builder.edge(i, [i - 1] if i else [])
    assert builder.program().topology.longest == 5000


def two_ends(builder):
    builder.edge("a")
    builder.edge("b")
    builder.program()


def unreached(builder):
    builder.edge("goal", [("token", 3)])
    builder.program()


WRONG = {
    "no edges": (lambda b: b.program(), "The program has no edges"),
    "two ends": (two_ends, "Cells 'a' and 'b' are tails of no edge: say which of them is the goal"),
    "a goal that is no cell": (lambda b: (b.edge("a"), b.program("z")), "The goal 'z' is no cell of any edge"),
    "a tail that nothing reaches": (
        unreached,
        r"Cell \('token', 3\) is a tail of edge 0 into 'goal', and no edge leads into it",
    ),
    "three tails": (lambda b: b.edge("a", [1, 2, 3]), "Edge 0 into cell 'a' has 3 tails; an edge has two at most"),
    "a tail without a list": (lambda b: b.edge("a", "bc"), "The tails of edge 0 must be a list of cells, not 'bc'"),
    "a name without columns": (lambda b: b.edge("a", [], {"x": 1.0}), "Edge 0 has a feature 'x', which is no column"),
    "a row too short": (
        lambda b: (b.edge("a", [], [1.0, 2.0]), b.edge("a", [], [1.0])),
        "Edge 1 has a row of 1 features",
    ),
    "a column too far": (lambda b: (b.edge("a", [], [1.0, 2.0]), b.edge("a", [], {7: 1.0})), "Edge 1 has column 7"),
    "a cell without a hash": (lambda b: b.edge(["a"]), r"A cell is named \['a'\], which cannot be a key of a dict"),
    "a value that is no number": (
        lambda b: b.edge("a", [], {0: "x"}),
        "The features of edge 0 must be numbers: {0: 'x'}",
    ),
    "a name as a row": (lambda b: b.edge("a", [], "x"), "Features of edge 0 must be a dict or one row .*not 'x'"),
    "a column out of range": (lambda b: b.edge("a", [], {2**40: 1.0}), "Edge 0 has column 1099511627776; columns"),
    "a list of columns": (lambda b: ProgramBuilder(["x"]), r"columns must be a dict .* not \['x'\]"),
    "two rows": (
        lambda b: b.edge("a", [], np.zeros((2, 2))),
        "Features of edge 0 must be a dict or one row of numbers",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_a_sentence(name):
    act, sentence = WRONG[name]
    with pytest.raises((ValueError, TypeError), match=sentence):
        act(ProgramBuilder())


@pytest.mark.parametrize("form", [np.array, sp.coo_array, lambda row: sp.csr_array([row]), lambda row: row])
def test_rows_in_every_form(form):
    builder = ProgramBuilder()
    builder.edge("a", [], form([0.0, 2.0, 0.0]))
    assert builder.program().parts[0].toarray(1).tolist() == [[0.0, 2.0, 0.0]]
