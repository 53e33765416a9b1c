"""Warm starts with other data than before: the optimum of the data at hand, sooner, and never a false certificate."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import toy_problems as problems
from maxmargin import (
    ChainCRF,
    ChainSVC,
    MeasureSVC,
    MulticlassSVC,
    MultilabelSVC,
    RankingSVM,
    Status,
    StructuralSVM,
    TaxonomySVC,
)
from maxmargin.classes.multiclass import Multiclass
from maxmargin.core.formulation import Formulation
from maxmargin.datasets import make_sentences
from maxmargin.oracles.bind import bind
from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.base import Solution
from maxmargin.solvers.certify import check_order

RNG = np.random.default_rng(0)
N, FEW = 300, 6
X = RNG.standard_normal((N, 8))
Y = np.argmax(X[:, :4] + 0.7 * RNG.standard_normal((N, 4)), axis=1)
NAMES = np.array(["a/x", "a/y", "b/x", "b/y"])[Y]
SETS = (X[:, :3] + 0.5 * RNG.standard_normal((N, 3)) > 0.0).astype(int)
GRADES, GROUPS = RNG.integers(0, 3, N), np.repeat(np.arange(N // FEW), FEW)
WORDS, TAGS = make_sentences(150, seed=0)
CHAIN = problems.Chain()
XS, YS = problems.sample(CHAIN, 40, noise=1.0)


def sliced(*data):
    return lambda n: tuple(part[:n] for part in data)


ESTIMATORS = {
    "classes": (MulticlassSVC, {"C": 1.0, "tol": 1e-3, "slack": "linear"}, sliced(X, Y), N),
    "classes, n-slack": (
        MulticlassSVC,
        {"C": 1.0, "tol": 1e-3, "slack": "linear", "solver": "n-slack"},
        sliced(X, Y),
        N,
    ),
    "classes, one-slack": (
        MulticlassSVC,
        {"C": 1.0, "tol": 1e-3, "slack": "linear", "solver": "one-slack"},
        sliced(X, Y),
        N,
    ),
    "classes, squared": (MulticlassSVC, {"C": 1.0, "tol": 1e-3, "slack": "squared"}, sliced(X, Y), N),
    "taxonomy": (TaxonomySVC, {"C": 1.0, "taxonomy": "/", "tol": 1e-3}, sliced(X, NAMES), N),
    "labels": (MultilabelSVC, {"C": 1.0, "tol": 1e-3}, sliced(X, SETS), N),
    "labels, pairs": (MultilabelSVC, {"C": 1.0, "tol": 1e-2, "interactions": "full"}, sliced(X, SETS), N),
    "error rate": (
        MeasureSVC,
        {"measure": "error_rate", "method": "structural", "C": 1.0, "tol": 1e-3},
        sliced(X, SETS[:, 0]),
        N,
    ),
    "F1": (MeasureSVC, {"measure": "f1", "method": "structural", "C": 1.0, "tol": 1e-3}, sliced(X, SETS[:, 0]), N),
    "rankings": (RankingSVM, {"C": 1.0, "tol": 1e-3}, sliced(X, GRADES, GROUPS), N),
    "sequences": (ChainSVC, {"templates": "tagging", "tol": 0.01}, sliced(WORDS, TAGS), len(WORDS)),
    "sequences, slack": (
        ChainSVC,
        {"templates": "tagging", "tol": 0.01, "rescaling": "slack"},
        sliced(WORDS, TAGS),
        len(WORDS),
    ),
    "a problem": (StructuralSVM, {"problem": CHAIN, "C": 0.5, "tol": 1e-2}, sliced(XS, YS), len(XS)),
    "a problem, n-slack": (
        StructuralSVM,
        {"problem": CHAIN, "C": 0.5, "tol": 1e-2, "solver": "n-slack"},
        sliced(XS, YS),
        len(XS),
    ),
    "a problem, one-slack": (
        StructuralSVM,
        {"problem": CHAIN, "C": 0.5, "tol": 1e-2, "solver": "one-slack"},
        sliced(XS, YS),
        len(XS),
    ),
}
SMALL = (problems.Ordering(), problems.Subset(), problems.Words(), problems.Patch(), problems.Classes())
PYTHON = {
    f"{type(problem).__name__}, {solver}": (
        StructuralSVM,
        {"problem": problem, "C": 0.3, "tol": 1e-2, "solver": solver},
        sliced(*problems.sample(problem, 30, noise=1.0)),
        30,
    )
    for problem in SMALL
    for solver in ("auto", "bcfw", "n-slack", "one-slack")
}
EVERY = {
    **ESTIMATORS,
    **PYTHON,
    "a structure": (StructuralSVM, {"problem": Multiclass(4), "C": 0.5, "tol": 1e-3}, sliced(X, Y), N),
    "classes, default": (MulticlassSVC, {"C": 1.0, "tol": 1e-3}, sliced(X, NAMES), N),
    "labels, structural": (MultilabelSVC, {"C": 1.0, "tol": 1e-3, "method": "structural"}, sliced(X, SETS), N),
    "rankings, one-slack": (RankingSVM, {"C": 1.0, "tol": 1e-3, "solver": "one-slack"}, sliced(X, GRADES, GROUPS), N),
    "rankings, n-slack": (RankingSVM, {"C": 1.0, "tol": 1e-3, "solver": "n-slack"}, sliced(X, GRADES, GROUPS), N),
    "NDCG": (RankingSVM, {"measure": "ndcg", "C": 1.0, "tol": 1e-3}, sliced(X, GRADES, GROUPS), N),
    "sequences, likelihood": (
        ChainCRF,
        {"templates": "tagging", "C": 1.0, "tol": 1e-4},
        sliced(WORDS, TAGS),
        len(WORDS),
    ),
}


def fitted(model, data):
    X, y, *groups = data
    return model.fit(X, y, **({"groups": groups[0]} if groups else {}))


def agree(warm: Solution, cold: Solution) -> None:
    """Both certify the same problem."""
    assert warm.status is cold.status is Status.CONVERGED
    assert warm.dual <= cold.primal * (1 + 1e-9)
    assert cold.dual <= warm.primal * (1 + 1e-9)
    assert warm.gap >= -1e-9 * warm.primal


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_few_examples_more(name):
    kind, params, part, n = ESTIMATORS[name]
    warm = fitted(fitted(kind(**params, warm_start=True), part(n - FEW)), part(n))
    cold = fitted(kind(**params), part(n))
    agree(warm.solution_, cold.solution_)
    assert warm.solution_.oracle_calls < cold.solution_.oracle_calls


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_same_examples(name):
    kind, params, part, n = ESTIMATORS[name]
    warm = fitted(fitted(kind(**params, warm_start=True), part(n)), part(n))
    cold = fitted(kind(**params), part(n))
    agree(warm.solution_, cold.solution_)
    assert warm.solution_.oracle_calls < 0.7 * cold.solution_.oracle_calls


@pytest.mark.parametrize("name", ESTIMATORS)
def test_fewer_examples_and_others(name):
    kind, params, part, n = ESTIMATORS[name]
    half = tuple(data[: n // 2] for data in part(n))
    other = tuple(data[n // 2 :][::-1] for data in part(n))
    model = fitted(kind(**params, warm_start=True), part(n))
    for data in (half, other, part(n)):
        agree(fitted(model, data).solution_, fitted(kind(**params), data).solution_)


def changed(data, seed):
    """The same data after a few random changes: rows left out, repeated, in another order, with other inputs or labels.

    Groups (of rankings) get other boundaries.
    """
    rng = np.random.default_rng(seed)
    n = len(data[0])
    order = np.arange(n)
    for change in rng.choice(3, size=2, replace=False):
        order = (rng.permutation(order), order[: n - n // 5], np.append(order, order[: n // 10]))[change]
    columns = [[column[k] for k in order] for column in data]
    few = rng.choice(len(order), size=3, replace=False)
    if seed % 2:
        for k in few:
            columns[0][k] = other_input(columns[0][k])
    for k, label in zip(few, [columns[1][k] for k in few[::-1]]):
        if not isinstance(label, list | tuple) or len(label) == len(columns[1][k]):
            columns[1][k] = label
    if len(columns) == 3:
        columns[2] = np.sort(rng.integers(0, N // FEW, len(order)))
    arrays = isinstance(data[0], np.ndarray)
    return tuple(np.asarray(column) for column in columns) if arrays else tuple(columns)


def other_input(x):
    return x[::-1].copy() if isinstance(x, np.ndarray) else x[::-1]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", EVERY)
def test_any_change(name, seed):
    """A warm fit on changed data certifies what a cold one does, each time of several in a row."""
    kind, params, part, n = EVERY[name]
    data = part(n)
    model = fitted(kind(**params, warm_start=True), data)
    for step in range(2):
        data = changed(data, 10 * seed + step)
        C = model.C if isinstance(model.C, str) else model.C * (0.3, 1.0, 3.0)[(seed + step) % 3]
        agree(fitted(model.set_params(C=C), data).solution_, fitted(kind(**{**params, "C": C}), data).solution_)


SAME_BITS = {
    "classes, n-slack",
    "classes, squared",
    "taxonomy",
    "error rate",
    "sequences",
    "sequences, slack",
    "sequences, likelihood",
    "labels, structural",
    "a problem, n-slack",
    "a problem, one-slack",
    "a structure",
}


@pytest.mark.parametrize("name", [name for name in EVERY if name not in PYTHON])
def test_the_number_of_jobs(name):
    """The same bits where nothing is summed by several threads, and the same certified optimum everywhere."""
    kind, params, part, n = EVERY[name]
    one, two, again = (fitted(kind(**params, n_jobs=jobs), part(n)).solution_ for jobs in (1, 3, 3))
    np.testing.assert_array_equal(two.w, again.w)
    agree(one, two)
    if name in SAME_BITS:
        np.testing.assert_array_equal(one.w, two.w)


def test_classes_that_come_and_go():
    model = MulticlassSVC(1.0, slack="linear", tol=1e-3, warm_start=True).fit(X, np.array(list("bdfh"))[Y])
    for names in ("abdf", "dbfh", "bbdd"):
        labels = np.array(list(names))[Y]
        agree(model.fit(X, labels).solution_, MulticlassSVC(1.0, slack="linear", tol=1e-3).fit(X, labels).solution_)


def test_labels_of_sequences_that_come_and_go():
    model = ChainSVC(templates="tagging", tol=0.01, warm_start=True).fit(WORDS, TAGS)
    renamed = [[{"NOUN": "A", "VERB": "VERB"}.get(tag, "O") for tag in tags] for tags in TAGS]
    for labels in (renamed, TAGS):
        cold = ChainSVC(templates="tagging", tol=0.01).fit(WORDS, labels)
        agree(model.fit(WORDS, labels).solution_, cold.solution_)


class Reranker:
    """``x`` is a list of candidates, a row of features each; ``y`` is (the number of the right one, its cost)."""

    def joint_feature(self, x, y):
        return np.asarray(x[y[0]], dtype=float)

    def loss(self, y_true, y):
        return 0.0 if y_true[0] == y[0] else float(y_true[1])

    def argmax(self, x, w, y_true=None):
        scores = [float(np.dot(w, row)) for row in x]
        if y_true is not None:
            scores = [score + self.loss(y_true, (k, 0)) for k, score in enumerate(scores)]
        return int(np.argmax(scores)), y_true[1] if y_true is not None else 0


SOLVERS = pytest.mark.parametrize("solver", ["auto", "bcfw", "n-slack", "one-slack"])


@SOLVERS
def test_rivals_that_are_gone_prove_nothing(solver):
    rng = np.random.default_rng(1)
    lists = [rng.standard_normal((5, 3)) for _ in range(20)]
    truths = [(0, 2)] * 20
    model = StructuralSVM(Reranker(), C=1.0, tol=1e-4, solver=solver, warm_start=True).fit(lists, truths)
    fewer = [rows[:2] for rows in lists]
    cold = StructuralSVM(Reranker(), C=1.0, tol=1e-4, solver=solver).fit(fewer, truths)
    assert cold.solution_.primal < 0.95 * model.solution_.primal
    agree(model.fit(fewer, truths).solution_, cold.solution_)


@SOLVERS
def test_a_cost_inside_the_truth_that_has_changed(solver):
    rng = np.random.default_rng(1)
    lists = [rng.standard_normal((5, 3)) for _ in range(20)]
    model = StructuralSVM(Reranker(), C=1.0, tol=1e-4, solver=solver, warm_start=True).fit(lists, [(0, 100)] * 20)
    cold = StructuralSVM(Reranker(), C=1.0, tol=1e-4, solver=solver).fit(lists, [(0, 1)] * 20)
    agree(model.fit(lists, [(0, 1)] * 20).solution_, cold.solution_)


@SOLVERS
def test_inputs_that_were_changed_in_place(solver):
    rng = np.random.default_rng(1)
    lists, truths = [rng.standard_normal((5, 3)) for _ in range(20)], [(0, 2)] * 20
    model = StructuralSVM(Reranker(), C=1.0, tol=1e-4, solver=solver, warm_start=True).fit(lists, truths)
    for rows in lists:
        rows[1:] *= 0.1
    cold = StructuralSVM(Reranker(), C=1.0, tol=1e-4, solver=solver).fit(lists, truths)
    agree(model.fit(lists, truths).solution_, cold.solution_)


def test_a_problem_of_the_same_name_that_is_defined_anew(monkeypatch):
    """As when the cell of a notebook that defines it is changed and run again: its pickle is the same."""
    rng = np.random.default_rng(1)
    lists, truths = [rng.standard_normal((5, 3)) for _ in range(20)], [(0, 2)] * 20
    first = Reranker()
    model = StructuralSVM(first, C=1.0, tol=1e-4, warm_start=True).fit(lists, truths)

    def cheaper(self, y_true, y):
        return 0.0 if y_true[0] == y[0] else 0.1 * y_true[1]

    anew = type("Reranker", (), {**vars(Reranker), "loss": cheaper})
    monkeypatch.setitem(globals(), "Reranker", anew)
    second = anew()
    assert pickle.dumps(second) == pickle.dumps(anew())
    cold = StructuralSVM(second, C=1.0, tol=1e-4).fit(lists, truths)
    assert cold.solution_.primal < 0.5 * model.solution_.primal
    agree(model.set_params(problem=second).fit(lists, truths).solution_, cold.solution_)


@pytest.mark.parametrize("measure", ["swapped_pairs", "ndcg", "average_precision"])
def test_the_same_rows_in_other_groups(measure):
    rng = np.random.default_rng(0)
    rows, grades = rng.standard_normal((60, 4)), rng.integers(0, 2, 60)
    before, after = np.repeat([0, 1], [30, 30]), np.repeat([0, 1], [5, 55])
    model = RankingSVM(measure=measure, C=1.0, tol=1e-5, warm_start=True).fit(rows, grades, groups=before)
    cold = RankingSVM(measure=measure, C=1.0, tol=1e-5).fit(rows, grades, groups=after)
    agree(model.fit(rows, grades, groups=after).solution_, cold.solution_)


def test_weights_that_fall_leave_no_cuts_behind():
    rng = np.random.default_rng(0)
    rows, grades, groups = rng.standard_normal((60, 4)), rng.integers(0, 2, 60), np.repeat([0, 1, 2], 20)
    model = RankingSVM(C=1.0, tol=1e-5, warm_start=True).fit(rows, grades, groups=groups)
    weight = np.where(groups == 0, 0.01, 1.0)
    cold = RankingSVM(C=1.0, tol=1e-5).fit(rows, grades, groups=groups, sample_weight=weight)
    agree(model.fit(rows, grades, groups=groups, sample_weight=weight).solution_, cold.solution_)


def test_after_cuts_the_examples_are_not_forgotten():
    """``auto`` may end with cuts, which hold for the old data only; what it knew of each example is kept."""
    solver = Automatic(patience=3)
    model = MulticlassSVC(1.0, slack="linear", tol=1e-3, solver=solver, warm_start=True).fit(X[:-FEW], Y[:-FEW])
    assert model.solution_.state.cuts
    assert model.solution_.blocks is not None
    agree(model.fit(X, Y).solution_, MulticlassSVC(1.0, slack="linear", tol=1e-3).fit(X, Y).solution_)


def test_a_dual_above_the_primal_is_an_error():
    false = Solution(np.zeros(1), Status.CONVERGED, 4.0, 400.0, 1, 1)
    with pytest.raises(ValueError, match=r"The dual objective 400 is above the primal 4, which cannot be"):
        check_order(bind(CHAIN, XS, YS, Formulation()), false)
