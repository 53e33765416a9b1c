"""All estimators speak one vocabulary: the same names, in the same order, by the same kind of argument."""

from __future__ import annotations

import inspect
import re
from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_multilabel_classification

from maxmargin import (
    PCFG,
    ChainCRF,
    ChainHMM,
    ChainPerceptron,
    ChainSVC,
    DiversityRanker,
    GenerativeAligner,
    MeasureSVC,
    MulticlassSVC,
    MultilabelSVC,
    ProgramCRF,
    ProgramPerceptron,
    ProgramSVM,
    RankingSVM,
    StructuralSVM,
    TaxonomySVC,
)
from maxmargin.chains.chain import Chain
from maxmargin.datasets import make_ranking, make_sentences, make_subtopics
from maxmargin.metrics import token_accuracy
from vocabulary_table import (
    ESTIMATORS,
    KEYWORDS,
    METHODS,
    PAGE,
    SHARED,
    methods,
    parameters,
    positional,
    written,
)

POSITIONAL = {
    MeasureSVC: ["measure", "C"],
    RankingSVM: ["measure", "C"],
    DiversityRanker: ["k", "C"],
    StructuralSVM: ["problem", "C"],
    ProgramSVM: ["space", "C"],
    ProgramCRF: ["space", "C"],
    ProgramPerceptron: ["space"],
    ChainPerceptron: [],
    ChainHMM: [],
    GenerativeAligner: [],
    PCFG: [],
}
NATIVE = ["native", "candidates"]  # of estimators that rank the candidates of one sequence
OF_THE_MODEL = ("top_features", "top_transitions", "explain", "substitution_matrix", "gap_scores", "save")
LABELLED = ("fit", "partial_fit", "calibrate", "score", "chunk_score", "decision_value")

estimators = pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)


def in_order(names, order) -> bool:
    known = [name for name in names if name in order]
    return known == sorted(known, key=order.index)


@estimators
def test_constructors(kind):
    assert positional(kind) == POSITIONAL.get(kind, ["C"])
    assert in_order(parameters(kind), SHARED)


@estimators
def test_docstrings_have_all_parameters_in_the_order_of_the_signature(kind):
    section = inspect.getdoc(kind).split("Parameters\n----------\n")[1].split("\n\n")[0]
    heads = re.findall(r"^(\w+(?:, \w+)*) :", section, re.MULTILINE)
    assert [name for head in heads for name in head.split(", ")] == list(parameters(kind))


@estimators
def test_methods(kind):
    for name in (name for name in METHODS if callable(getattr(kind, name, None)) and name not in OF_THE_MODEL):
        expected = ["X", "y"] if name in LABELLED else ["X", "k"] if name == "predict_kbest" else ["X"]
        expected = NATIVE if name == "rank" else expected
        assert positional(getattr(kind, name)) == expected, name
        assert in_order(parameters(getattr(kind, name)), KEYWORDS), name
    for name in ("fit", "score"):
        assert "sample_weight" in parameters(getattr(kind, name)), name


def test_what_several_estimators_have_is_in_the_tables():
    for names, known in ((parameters, SHARED), (methods, METHODS)):
        families = Counter(name for kind in ESTIMATORS for name in {*names(kind)} - {*known})
        assert not [name for name, count in families.items() if count > 1]


def test_the_page_has_the_tables_of_today():
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page), "run python tests/support/vocabulary_table.py"


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
