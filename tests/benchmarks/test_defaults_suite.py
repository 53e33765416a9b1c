"""The tasks of the suite of defaults: how many there are, what they cover, which are held out, how they are scored."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from defaults.ours import OURS, names_of
from defaults.scores import SCORES
from defaults.spread import TASKS_OF
from defaults.store import Store
from defaults.suite import FIRST_LIST, FRESH, OLDER, TASKS, peers_of, select
from defaults.task import FAMILIES, PARTS, Split, Task
from defaults.work import check, folds, retime_peers, timed

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
    assert len(TASKS) == len(OLDER) + len(FRESH)
    for tasks, least in ((FIRST_LIST, 60), (FRESH, 50)):
        assert len(tasks) >= least
        assert sum("data folder" not in task.tags for task in tasks) >= least, "Enough without the data folder, too."
    assert len({Store(task)._path for task in TASKS.values()}) == len(TASKS), "Each has a file of its own."


def test_all_families_estimators_and_properties_occur():
    assert {task.family for task in TASKS.values()} == set(FAMILIES) == set(OURS)
    assert {name for task in TASKS.values() for name in names_of(task)} == {n for some in OURS.values() for n in some}
    assert {tag for task in OLDER for tag in task.tags} >= WANTED_TAGS
    assert WANTED_TAGS - {tag for task in FRESH for tag in task.tags} <= {"separable", "length 10,000"}
    assert {task.family for task in FRESH} == set(FAMILIES)
    assert {task.score for task in TASKS.values()} == set(SCORES)
    assert all(peers_of(task) for task in TASKS.values())


def test_a_third_is_held_out_by_a_fixed_rule():
    held_out = [task for task in OLDER if task.part == "held-out"]
    assert 0.25 < len(held_out) / len(OLDER) < 0.4
    assert {task.family for task in held_out} == set(FAMILIES)
    assert {name: TASKS[name].part for name in ("iris", "wine, raw", "digits", "30 rows")} == {
        "iris": "open",
        "wine, raw": "held-out",
        "digits": "open",
        "30 rows": "held-out",
    }


def test_the_newest_list_is_held_out_as_a_whole():
    assert {task.name for task in select(parts=["fresh"])} == {task.name for task in FRESH}
    assert {task.part for task in OLDER} == {"open", "held-out"}
    # What a task of the list will be when there is a newer one depends on its name alone.
    assert {task.part for task in FRESH} == {"open", "held-out"}
    assert all(TASKS[task.name].part == "fresh" for task in FRESH)


def test_only_open_tasks_are_selected_unless_others_are_asked_for():
    assert {task.part for task in select()} == {"open"}
    assert {task.part for task in select(parts=["held-out"])} == {"held-out"}
    assert [task.name for task in select("IRIS", "classes")] == ["iris", "iris, sepals only"]
    assert len(select(parts=PARTS)) == len(TASKS)


def test_seeds_are_tried_on_tasks_that_may_be_looked_at():
    assert set(TASKS_OF) == {name for some in OURS.values() for name in some}
    assert all(
        TASKS[name].part == "open" and estimator in names_of(TASKS[name]) for estimator, name in TASKS_OF.items()
    )


@pytest.mark.parametrize(
    "name",
    [
        "iris",
        "wine, ordinal costs",
        "tree 2 x 2 x 2",
        "zero-one: counts, 5 labels",
        "f1: 100 rows",
        "symbols, 20 strings",
        "ordered grades, squared costs",
        "comb of depth 10",
        "hamming: two opposed labels, 60 rows",
        "fbeta(0.5): spectra x 1e-4, 10 %",
        "2 features, 8 queries",
        "stages in order, 5 sequences",
        "shares of a whole, synonyms",
        "only children, 60 rows",
        "hamming: bits of a table, 90 rows",
        "prbep: nines by sums",
        "wards of twelve patients",
        "invented names of one to three words",
    ],
)
def test_everybody_runs_on_a_slice(name):
    assert check(name) == {"failed": {}}


def test_short_fits_are_timed_three_times_and_a_quick_first_one_once_more(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("defaults.work.time.process_time", lambda: clock.now)
    # The first fit is a warm-up; then 0.03, 0.05 and 0.01 s, whose median counts, and the model of the first of them.
    assert timed(clock.fits(0.4, 0.03, 0.05, 0.01), True) == (1, pytest.approx(0.03))
    assert timed(clock.fits(0.09, 0.02, 0.04), False) == (0, pytest.approx(0.04))
    assert timed(clock.fits(0.3, 0.2), True) == (1, pytest.approx(0.2))
    assert timed(clock.fits(0.2), False) == (0, pytest.approx(0.2))
    assert timed(clock.fits(2.0), True) == (0, pytest.approx(2.0))


class Clock:
    """A clock that goes on with every fit by as much as is told; all of the fits must be made."""

    def __init__(self) -> None:
        self.now = 0.0
        self.left: list[tuple[int, float]] = []

    def fits(self, *seconds: float):
        assert not self.left
        self.left = list(enumerate(seconds))
        return self._fit

    def _fit(self) -> int:
        number, seconds = self.left.pop(0)
        self.now += seconds
        return number


def test_peers_are_timed_again_at_their_settings_until_a_second_is_spent(monkeypatch):
    found = retime_peers("iris", {"RidgeClassifier": {"default": {}, "tuned": {"alpha": 0.5}}})
    assert {kind: entry["setting"] for kind, entry in found["RidgeClassifier"].items()} == {
        "default": {},
        "tuned": {"alpha": 0.5},
    }
    assert list(found) == ["RidgeClassifier"]
    assert len(found["RidgeClassifier"]["tuned"]["scores"]) == TASKS["iris"].splits
    monkeypatch.setattr("defaults.work.ENOUGH", 1e-9)
    again = retime_peers("iris", {"RidgeClassifier": {"default": {}}})["RidgeClassifier"]["default"]
    assert again["scores"] == found["RidgeClassifier"]["default"]["scores"][:1]


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
