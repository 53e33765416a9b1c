"""The tasks of the suite of defaults: how many there are, what they cover, which are held out, how they are scored."""

from __future__ import annotations

import numpy as np
import pytest
from defaults.chain_tasks import CHAIN_TASKS
from defaults.class_tasks import CLASS_TASKS
from defaults.label_tasks import LABEL_TASKS
from defaults.measure_tasks import MEASURE_TASKS
from defaults.ours import OURS, names_of
from defaults.ranking_tasks import DIVERSITY_TASKS, RANKING_TASKS
from defaults.scores import SCORES
from defaults.spread import TASKS_OF
from defaults.suite import TASKS, peers_of, select
from defaults.task import FAMILIES, Split, Task, digest, is_held_out, shape
from defaults.taxonomy_tasks import TAXONOMY_TASKS
from defaults.work import check, data_key, folds
from sklearn.metrics import ndcg_score

WANTED_TAGS = {
    "attributes",
    "bundled",
    "classes many",
    "cost scale",
    "costs",
    "counts",
    "d large",
    "d small",
    "data folder",
    "depth",
    "heavy tails",
    "label noise",
    "labels few",
    "labels many",
    "length 1,000",
    "length 10,000",
    "length 100,000",
    "length short",
    "n large",
    "n small",
    "offset",
    "one-hot",
    "overlap",
    "positives",
    "scale",
    "separable",
    "unscaled column",
    "width",
}


def task(score: str, **options) -> Task:
    return Task("made up", "classes", lambda seed: None, score, (), options)


def test_there_are_enough_tasks_and_names_are_unique():
    every = (
        *CLASS_TASKS,
        *TAXONOMY_TASKS,
        *LABEL_TASKS,
        *MEASURE_TASKS,
        *RANKING_TASKS,
        *DIVERSITY_TASKS,
        *CHAIN_TASKS,
    )
    assert len(every) == len(TASKS) >= 60
    assert sum("data folder" not in task.tags for task in every) >= 60, "Enough without the data folder, too."


def test_all_families_estimators_and_properties_occur():
    assert {task.family for task in TASKS.values()} == set(FAMILIES) == set(OURS)
    assert {name for task in TASKS.values() for name in names_of(task)} == {n for some in OURS.values() for n in some}
    assert {tag for task in TASKS.values() for tag in task.tags} >= WANTED_TAGS
    assert {task.score for task in TASKS.values()} == set(SCORES)
    assert all(peers_of(task) for task in TASKS.values())


def test_a_third_is_held_out_by_a_fixed_rule():
    held_out = [task for task in TASKS.values() if task.held_out]
    assert 0.25 < len(held_out) / len(TASKS) < 0.4
    assert {task.family for task in held_out} == set(FAMILIES)
    assert {name: is_held_out(name) for name in ("iris", "wine, raw", "digits", "30 rows")} == {
        "iris": False,
        "wine, raw": True,
        "digits": False,
        "30 rows": True,
    }
    assert all(not task.held_out for task in select())
    assert {task.name for task in select(held_out=True)} == {task.name for task in held_out}
    assert [task.name for task in select("IRIS", "classes")] == ["iris"]
    assert len(select(held_out=None)) == len(TASKS)


def test_seeds_are_tried_on_tasks_that_may_be_looked_at():
    assert set(TASKS_OF) == {name for some in OURS.values() for name in some}
    assert all(not TASKS[name].held_out and estimator in names_of(TASKS[name]) for estimator, name in TASKS_OF.items())


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("30 rows", {"n": 30, "k": 2}),
        ("100,000 rows", {"n": 100_000}),
        ("overlap in a plane", {"d": 2}),
        ("5,000 classes", {"k": 5000}),
        ("100,000 sparse features", {"d": 100_000}),
        ("2 labels", {"k": 2}),
        ("100,000 tokens", {"n": 1}),
    ],
)
def test_tasks_are_what_their_names_say(name, wanted):
    found = shape(TASKS[name].load(0))
    assert {key: found[key] for key in wanted} == wanted


def test_hundreds_of_labels_occur_in_training():
    assert 450 < shape(TASKS["500 labels"].load(0))["k"] <= 500


def test_positives_are_as_rare_as_the_name_says():
    for name, share in (("f1: 0.5 % positives", 0.005), ("f1: 1 % positives", 0.01), ("f1: 20 % positives", 0.2)):
        split = TASKS[name].load(0)
        assert np.concatenate([split.y, split.y_test]).mean() == pytest.approx(share, rel=0.1)


@pytest.mark.parametrize("name", ["iris", "digits x 1e8", "label noise 60 %", "documents, 15 queries"])
def test_data_depend_on_the_seed_alone(name):
    load = TASKS[name].load
    assert digest(load(0)) == digest(load(0)) != digest(load(1))
    assert data_key(TASKS[name], load(0)) == f"{digest(load(0))} in {TASKS[name].splits} splits"


@pytest.mark.parametrize(
    "name",
    [
        "iris",
        "wine, ordinal costs",
        "tree 2 x 2 x 2",
        "zero-one: counts, 5 labels",
        "f1: 100 rows",
        "symbols, 20 strings",
    ],
)
def test_everybody_runs_on_a_slice(name):
    assert check(name) == {"failed": {}}


def test_folds_keep_groups_together_and_cut_a_single_sequence():
    rows = TASKS["documents, 15 queries"]
    for part in folds(rows, rows.load(0)):
        assert not set(part.groups) & set(part.groups_test)
    single = Split([np.zeros((10, 2))], [np.arange(10)], None, None)
    (half,) = folds(TASKS["100,000 tokens"], single)
    assert half.y[0].tolist() == [0, 1, 2, 3, 4]
    assert half.y_test[0].tolist() == [5, 6, 7, 8, 9]


def test_scores_of_costs_and_trees():
    truth, answer = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1])
    costs = task("cost", cost=[[0, 2, 3], [1, 0, 1], [5, 4, 0]])
    # Paid: 2 + 4. The best constant answer is 1 (2 + 2 + 0 + 4 = 8); 0 costs 0 + 0 + 1 + 5 = 6; 2 costs 3 + 3 + 1 = 7.
    assert SCORES["cost"](costs, truth, answer, None) == pytest.approx(100.0 * (1.0 - 6.0 / 6.0))
    assert SCORES["cost"](costs, truth, truth, None) == 100.0
    tree = task("tree_loss", taxonomy="/")
    names = np.array(["a/b", "a/c", "d/e", "d/e"])
    assert SCORES["tree_loss"](tree, names, names, None) == 100.0
    # One answer is two edges off; always d/e pays 4 + 4, always a/b 2 + 4 + 4.
    found = SCORES["tree_loss"](tree, names, np.array(["a/b", "a/b", "d/e", "d/e"]), None)
    assert found == pytest.approx(100.0 * (1.0 - 2.0 / 8.0))


def test_scores_of_rankings():
    rng = np.random.default_rng(0)
    truth, scores, groups = rng.integers(4, size=60), rng.standard_normal(60), np.repeat([0, 1, 2], 20)
    parts = [slice(0, 20), slice(20, 40), slice(40, 60)]
    wanted = np.mean([ndcg_score([np.exp2(truth[p]) - 1.0], [scores[p]], k=10) for p in parts])
    assert SCORES["ndcg"](task("ndcg"), truth, scores, groups) == pytest.approx(100.0 * wanted)
    binary = (truth > 2).astype(int)
    at_k = SCORES["measure"](task("measure", measure="precision_at_k(5)"), binary, scores, None)
    assert at_k == 100.0 * binary[np.argsort(-scores)[:5]].mean()
    subtopics = [[{"a", "b"}, {"a"}, set(), {"c"}]]
    assert SCORES["coverage"](task("coverage"), subtopics, [[0, 2]], None) == pytest.approx(75.0)


def test_scores_of_label_vectors_and_sequences():
    truth, answer = np.array([[1, 0], [0, 0], [1, 1], [1, 0]]), np.array([[1, 0], [0, 1], [1, 1], [1, 0]])
    assert SCORES["subset_accuracy"](task("subset_accuracy"), truth, answer, None) == 75.0
    # One of 8 wrong; the constant (1, 0) has 2 of 8.
    assert SCORES["hamming"](task("hamming"), truth, answer, None) == pytest.approx(50.0)
    assert SCORES["tokens"](task("tokens"), [[1, 2], [3]], [[1, 1], [3]], None) == pytest.approx(200.0 / 3.0)
    assert SCORES["chunks"](task("chunks"), [["B-X", "O"], ["B-Y"]], [["B-X", "O"], ["O"]], None) == pytest.approx(
        200.0 / 3.0
    )
