"""All estimators speak one vocabulary: the same names, in the same order, by the same kind of argument."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_multilabel_classification

from maxmargin import (
    ChainCRF,
    ChainHMM,
    ChainPerceptron,
    ChainSVC,
    DiversityRanker,
    MeasureSVC,
    MulticlassSVC,
    MultilabelSVC,
    RankingSVM,
    StructuralSVM,
    TaxonomySVC,
)
from maxmargin.chains.chain import Chain
from maxmargin.datasets import make_ranking, make_sentences, make_subtopics
from maxmargin.metrics import token_accuracy

ESTIMATORS = (
    MulticlassSVC,
    TaxonomySVC,
    MultilabelSVC,
    MeasureSVC,
    RankingSVM,
    DiversityRanker,
    ChainSVC,
    ChainCRF,
    ChainPerceptron,
    ChainHMM,
    StructuralSVM,
)
POSITIONAL = {
    MeasureSVC: ["measure", "C"],
    RankingSVM: ["measure", "C"],
    DiversityRanker: ["k", "C"],
    StructuralSVM: ["problem", "C"],
    ChainPerceptron: [],
    ChainHMM: [],
}
SHARED = [
    "C",
    "method",
    "loss",
    "cost",
    "decision",
    "order",
    "eta",
    "ends",
    "window",
    "templates",
    "min_count",
    "hashing",
    "class_weight",
    "rescaling",
    "slack",
    "solver",
    "fit_intercept",
    "intercept_scaling",
    "tol",
    "max_iter",
    "max_time",
    "n_jobs",
    "warm_start",
    "random_state",
    "callback",
    "verbose",
]
METHODS = {
    "fit": ["X", "y"],
    "partial_fit": ["X", "y"],
    "calibrate": ["X", "y"],
    "score": ["X", "y"],
    "chunk_score": ["X", "y"],
    "predict": ["X"],
    "predict_proba": ["X"],
    "predict_marginals": ["X"],
    "predict_confidence": ["X"],
    "predict_kbest": ["X", "k"],
    "expected_loss": ["X"],
    "decision_function": ["X"],
    "rank": ["X"],
}
KEYWORDS = ["classes", "folds", "groups", "group", "qid", "lengths", "sample_weight"]

estimators = pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)


def parameters(function) -> dict[str, inspect.Parameter]:
    return {name: each for name, each in inspect.signature(function).parameters.items() if name != "self"}


def in_order(names, order) -> bool:
    known = [name for name in names if name in order]
    return known == sorted(known, key=order.index)


@estimators
def test_constructors(kind):
    found = parameters(kind)
    positional = [name for name, each in found.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    assert positional == POSITIONAL.get(kind, ["C"])
    assert in_order(found, SHARED)


@estimators
def test_docstrings_have_all_parameters_in_the_order_of_the_signature(kind):
    section = inspect.getdoc(kind).split("Parameters\n----------\n")[1].split("\n\n")[0]
    heads = re.findall(r"^(\w+(?:, \w+)*) :", section, re.MULTILINE)
    assert [name for head in heads for name in head.split(", ")] == list(parameters(kind))


@estimators
def test_methods(kind):
    for name, positional in METHODS.items():
        method = getattr(kind, name, None)
        if method is None:
            continue
        found = parameters(inspect.unwrap(method.fn if hasattr(method, "fn") else method))
        assert [each for each, kept in found.items() if kept.kind is kept.POSITIONAL_OR_KEYWORD] == positional, name
        assert in_order(found, KEYWORDS), name
    for name in ("fit", "score"):
        assert "sample_weight" in parameters(getattr(kind, name)), name


def _repeated(data, times):
    return (
        data.repeat(times, axis=0)
        if isinstance(data, np.ndarray)
        else [x for x, t in zip(data, times) for _ in range(t)]
    )


WORDS, TAGS = make_sentences(40)
IRIS = load_iris(return_X_y=True)
WEIGHED = {
    "classes": (MulticlassSVC(C=0.01), IRIS),
    "taxonomy": (TaxonomySVC(C=0.01), IRIS),
    "labels": (MultilabelSVC(C=0.01), make_multilabel_classification(60, n_classes=3, random_state=0)),
    "F1": (MeasureSVC("f1"), (IRIS[0][:, :2], IRIS[1] == 1)),
    "average precision": (MeasureSVC("average_precision"), (IRIS[0][:, :2], IRIS[1] == 1)),
    "precision at k": (MeasureSVC("precision_at_k(9)"), (IRIS[0][:, :2], IRIS[1] == 1)),
    "subtopics": (DiversityRanker(2, 0.1, min_sets=None), make_subtopics(8)),
    "chains, margins": (ChainSVC(templates="tagging"), (WORDS, TAGS)),
    "chains, likelihood": (ChainCRF(0.01, templates="tagging"), (WORDS, TAGS)),
    "chains, counts": (ChainHMM(alpha=50.0, templates="tagging"), (WORDS, TAGS)),
    "a problem": (
        StructuralSVM(Chain(3, 2), 0.01),
        (
            list(np.random.default_rng(0).normal(size=(9, 4, 2))),
            [tuple(row) for row in np.random.default_rng(1).integers(0, 3, (9, 4)).tolist()],
        ),
    ),
}


@pytest.mark.parametrize("name", WEIGHED)
def test_a_weight_of_two_in_score_is_an_example_that_is_there_twice(name):
    model, (X, y) = WEIGHED[name]
    model.fit(X[: len(X) // 2], y[: len(X) // 2]) if name.startswith("chains") else model.fit(X, y)
    times = np.random.default_rng(0).integers(0, 4, len(X))
    expected = model.score(_repeated(X, times), _repeated(y, times))
    assert model.score(X, y, sample_weight=times) == pytest.approx(expected, rel=1e-12)
    assert model.score(X, y, sample_weight=np.ones(len(X))) == pytest.approx(model.score(X, y), rel=1e-12)
    with pytest.raises(ValueError, match=r"sample_weight has shape \(1,\)"):
        model.score(X, y, sample_weight=[1.0])


def test_weights_of_rows_in_groups():
    X, y = IRIS[0][:, :2], IRIS[1] == 1
    groups = np.arange(150) % 5
    model = MeasureSVC("f1").fit(X, y)
    times = np.random.default_rng(0).integers(0, 3, 150) * (groups != 3)  # nothing is left of a group
    expected = model.score(X.repeat(times, axis=0), y.repeat(times), groups=groups.repeat(times))
    assert model.score(X, y, groups=groups, sample_weight=times) == pytest.approx(expected, rel=1e-12)


def test_ranking_measure_comes_first():
    X, y, groups = make_ranking(20)
    assert RankingSVM("ndcg(3)", 0.1).fit(X, y, groups=groups).C_ == 0.1
    with pytest.raises(TypeError, match="positional"):
        RankingSVM("ndcg(3)", 0.1).fit(X, y, groups)


def test_token_accuracy_weighs_sequences():
    truth, found = [["a", "b"], ["a"], []], [["a", "a"], ["b"], []]
    assert token_accuracy(truth, found) == pytest.approx(1 / 3)
    assert token_accuracy(truth, found, [3.0, 1.0, 9.0]) == pytest.approx(3 / 7)
    with pytest.raises(ValueError, match="no tokens"):
        token_accuracy(truth, found, [0.0, 0.0, 9.0])
