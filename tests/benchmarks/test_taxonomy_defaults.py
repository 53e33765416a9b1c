"""The program that judges the defaults of taxonomies: what it chooses, from results that were made up."""

from __future__ import annotations

from taxonomies.studies.defaults import DEFAULT, FLAT, PEERS, families, left_out_choice
from taxonomies.studies.trees import tasks

FIRST, SECOND = "margin, linear, 1 C, nodes 1", "slack, linear, 1 C, nodes 1"


def results():
    others = {name: [3.0, 50.0, 0.1] for name in (DEFAULT, FLAT, *PEERS)}
    made = {"a": (1.0, 2.0), "b": (2.0, 1.0), "c": (2.0, 1.5)}
    return {
        f"{family} {number}": {"family": family, FIRST: [first, 60.0, 0.1], SECOND: [second, 70.0, 0.1], **others}
        for family, (first, second) in made.items()
        for number in (0, 1)
    }


def test_a_family_has_no_say_in_its_own_choice():
    assert left_out_choice(results(), "a") == SECOND
    assert left_out_choice(results(), "b") == FIRST
    columns, rows = families(results())
    assert columns[1] == DEFAULT
    assert [row[0] for row in rows] == ["a", "b", "c", "mean"]
    assert rows[0][2] == "2.0, 70.0"  # of the candidate that was best elsewhere, which here is the worse one


def test_tasks_train_and_test_on_nodes_of_their_tree():
    found = list(tasks(quick=True))
    assert {task.family for task in found} == {"texts", "grown"}
    for task in found:
        assert task.X.shape[0] == len(task.y) >= 30
        assert task.X_test.shape[0] == len(task.y_test) > 500
        assert all(label in task.taxonomy for label in {*task.y.tolist(), *task.y_test.tolist()})
