"""The data of the tasks of the suite of defaults: that they are what the names say, and depend on the seed alone."""

from __future__ import annotations

import numpy as np
import pytest

from defaults.suite import TASKS
from defaults.task import Split, digest, shape
from defaults.work import data_key


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
        ("iris, sepals only", {"n": 90, "d": 2, "k": 3}),
        ("topics, 80,000 words", {"n": 1200, "d": 80_000, "k": 6}),
        ("codewords of 2,000 classes", {"k": 2000}),
        ("80,000 rows of switches", {"n": 80_000}),
        ("hamming: 150 labels", {"k": 150}),
        ("comb of depth 10", {"k": 11}),
        ("two labels, single tokens", {"k": 2}),
        ("one wave of 50,000 tokens", {"n": 1, "k": 4}),
        ("petals of 15 irises", {"n": 15, "d": 2, "k": 3}),
        ("120,000 rows, products of features", {"n": 120_000}),
        ("one column of 3,000 levels", {"d": 3004}),
        ("30 pairs of twins, + 1e4", {"k": 60}),
        ("hamming: 400 labels", {"k": 400}),
        ("one switch of 70,000 tokens", {"n": 1, "k": 2}),
        ("12 sequences taken six times", {"n": 72}),
    ],
)
def test_tasks_are_what_their_names_say(name, wanted):
    found = shape(TASKS[name].load(0))
    assert {key: found[key] for key in wanted} == wanted


def test_hundreds_of_labels_and_thousands_of_classes_occur_in_training():
    for name, count in (("500 labels", 500), ("300 labels of four successors", 300), ("4,000 sparse prototypes", 4000)):
        assert 0.9 * count < shape(TASKS[name].load(0))["k"] <= count


def test_rows_repeat_where_the_name_says_so():
    rows = TASKS["rows that repeat"].load(0)
    assert len(np.unique(rows.X, axis=0)) <= 150 < len(rows.X)
    sequences = TASKS["12 sequences taken six times"].load(0)
    assert len({tokens.tobytes() for tokens in sequences.X}) == 12
    assert len({labels.tobytes() for labels in sequences.y}) == 72, "Each time other labels are wrong."


def test_users_click_on_what_is_shown_first_and_grades_are_tested():
    split = TASKS["clicks to train on, grades to test on"].load(0)
    assert split.y.max() > split.y_test.max() == 3
    assert (split.y == 0).mean() > (split.y_test == 0).mean()


def test_sensors_drift_from_the_training_to_the_test_part():
    split = TASKS["sensors that drift"].load(0)
    start, end = split.X[:500].mean(axis=0), split.X_test[-500:].mean(axis=0)
    assert np.abs(end - start).max() > 1.0


def test_positives_are_as_rare_as_the_name_says():
    for name, share in (
        ("f1: 0.5 % positives", 0.005),
        ("f1: 1 % positives", 0.01),
        ("f1: 20 % positives", 0.2),
        ("f1: 60,000 rows of switches, 0.7 %", 0.007),
        ("f1: monomials, 0.5 %", 0.005),
        ("f1: one column of many levels, 1.5 %", 0.015),
    ):
        split = TASKS[name].load(0)
        assert np.concatenate([split.y, split.y_test]).mean() == pytest.approx(share, rel=0.1)


@pytest.mark.parametrize(
    "name",
    [
        "iris",
        "digits x 1e8",
        "label noise 60 %",
        "documents, 15 queries",
        "topics, 12 classes",
        "tree that grew at random, 12 leaves",
        "f1: 80 rows of switches, 30 %",
        "2 features, 8 queries",
        "stages in order, 5 sequences",
        "strands with motifs, alarm x 300",
        "only children, 60 rows",
        "hamming: bits of a table, 90 rows",
        "f1: alarms in bursts",
        "wards of twelve patients",
        "sets of 6 to 80 documents",
        "invented names of one to three words",
    ],
)
def test_data_depend_on_the_seed_alone(name):
    load = TASKS[name].load
    assert digest(load(0)) == digest(load(0)) != digest(load(1))
    assert data_key(TASKS[name], load(0)) == f"{digest(load(0))} in {TASKS[name].splits} splits"


def test_the_content_of_sets_does_not_depend_on_their_order():
    one, other = {0, 8}, {8, 0}  # equal, in another order
    assert list(one) != list(other)
    keys = [digest(Split([{"text": ["t", "u"]}], [[items, {1}]], [], [])) for items in (one, other, {0, 9})]
    assert keys[0] == keys[1] != keys[2]
