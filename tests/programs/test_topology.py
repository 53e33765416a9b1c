"""Topologies: what they say about themselves, and one sentence for everything that is wrong with the edges."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from maxmargin.programs import Program, Topology, queries


def test_defaults():
    topology = Topology([0, 1, 1, 2], [-1, 0, 0, 1])
    assert (topology.n_cells, topology.n_edges, topology.goal, topology.longest) == (3, 4, 2, 3)
    assert topology.tail.shape == (4, 1)
    assert repr(topology) == "Topology(3 cells, 4 edges, goal 2)"


def test_arrays_of_the_caller_are_copied_and_ours_are_read_only():
    head = np.array([0, 1], dtype=np.int32)
    topology = Topology(head, [[-1], [0]])
    head[1] = 7
    assert topology.head.tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        topology.head[0] = 3


def test_pickles():
    topology = Topology([2, 0, 1], [[0, 1], [-1, -1], [-1, -1]], goal=2)
    again = pickle.loads(pickle.dumps(topology))
    assert again.tail.tolist() == topology.tail.tolist()
    assert queries.best(again, [1.0, 2.0, 3.0]).output.tolist() == [0, 1, 2]


def test_a_topology_is_shared_by_programs():
    topology = Topology([0, 1], [-1, 0])
    features = np.eye(2)
    program = Program.of(topology, features)
    assert program.topology is topology
    assert (program.n_cells, program.n_edges) == (2, 2)


WRONG = {
    "a tail after its head": (
        ([0, 1, 2], [-1, 2, 1]),
        {},
        "Edge 1 into cell 1 comes from cell 2, which is not before it",
    ),
    "a cell into itself": (([0, 1], [-1, 1]), {}, "Edge 1 into cell 1 comes from cell 1"),
    "a second tail after its head": (([0, 1], [[-1, -1], [0, 1]]), {}, "Edge 1 into cell 1 comes from cell 1"),
    "a tail that is no cell": (([0, 1], [-1, -2]), {}, "Edge 1 into cell 1 has tail -2; a tail is a cell, or -1"),
    "a head that is no cell": (([0, 3], [-1, 0]), {"cells": 2}, "Edge 1 leads into cell 3, and the cells are 0 to 1"),
    "a negative head": (([0, -1], [-1, 0]), {"cells": 2}, "Edge 1 leads into cell -1"),
    "a cell that nothing reaches": (([0, 2], [-1, 0]), {}, "No edge leads into cell 1: nothing can reach it"),
    "a goal that nothing reaches": (([0, 1], [-1, 0]), {"cells": 3}, "No edge leads into the goal, cell 2"),
    "a goal that is no cell": (([0, 1], [-1, 0]), {"goal": 2}, "The goal is cell 2, and the cells are 0 to 1"),
    "a goal that is no number": (([0, 1], [-1, 0]), {"goal": "end"}, "goal must be a whole number, not 'end'"),
    "no edges": (([], []), {}, r"at least one edge, not \(0,\)"),
    "too few tails": (([0, 1], [-1]), {}, "There are 2 heads, and tails of 1 edges"),
    "three tails": (([0], [[-1, -1, -1]]), {}, r"tail must have shape \(E,\), \(E, 1\) or \(E, 2\), not \(1, 3\)"),
    "fractions": (([0.0, 1.0], [-1, 0]), {}, "head must be whole numbers, not float64"),
    "a number beyond 32 bits": (
        ([0, 2**40], [-1, 0]),
        {},
        "head of edge 1 is 1099511627776; numbers go up to",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_a_sentence(name):
    (head, tail), keywords, sentence = WRONG[name]
    with pytest.raises((ValueError, TypeError), match=sentence) as caught:
        Topology(head, tail, **keywords)
    assert str(caught.value).endswith(".") or "(" in str(caught.value)


def test_outputs_that_double_at_every_cell():
    cells = np.arange(40)
    tail = np.stack([cells - 1, cells - 1], axis=1)
    with pytest.raises(ValueError, match="more than 2147483646 edges"):
        Topology(cells, tail)


@pytest.mark.parametrize(("score", "said"), [(np.nan, "nan"), (np.inf, "inf"), (1e301, "1"), (-1e301, "-1")])
def test_scores_that_are_refused(score, said):
    topology = Topology([1, 0], [0, -1])
    for ask in (queries.best, queries.sums):
        with pytest.raises(
            ValueError, match=f"The score of edge 1 is {said}.*scores are numbers of a size up to 1e300"
        ):
            ask(topology, [0.0, score])


def test_a_score_too_few():
    with pytest.raises(ValueError, match="The program has 2 edges, and there are 1 scores"):
        queries.best(Topology([0, 1], [-1, 0]), [1.0])
    with pytest.raises(
        ValueError, match=r"scores must be one number per edge, not an array of float64 of shape \(1, 2\)"
    ):
        queries.best(Topology([0, 1], [-1, 0]), [[1.0, 2.0]])
