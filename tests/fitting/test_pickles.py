"""Pickles hold the model, not the training data; and what a solution looks like when it is printed."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_multilabel_classification

from maxmargin import (
    ChainCRF,
    ChainHMM,
    ChainPerceptron,
    ChainSVC,
    MeasureSVC,
    MulticlassSVC,
    MultilabelSVC,
    RankingSVM,
    TaxonomySVC,
)
from maxmargin.chains.features import tagging_templates
from maxmargin.datasets import make_ranking, make_sentences, make_taxonomy

DIGITS = load_digits(return_X_y=True)
SENTENCES = make_sentences(60)
RANKING = make_ranking(120, noise=0.5)
WORDS = {"templates": tagging_templates()}
CASES = [
    (MulticlassSVC(), DIGITS),
    (MulticlassSVC(solver="one-slack"), DIGITS),
    (TaxonomySVC(taxonomy="."), make_taxonomy(200, branching=(3, 3))),
    (MultilabelSVC(), make_multilabel_classification(300, n_classes=6, random_state=0)),
    (MeasureSVC(), (DIGITS[0], DIGITS[1] == 8)),
    (RankingSVM(), RANKING),
    *((kind(**WORDS), SENTENCES) for kind in (ChainSVC, ChainCRF, ChainPerceptron, ChainHMM)),
]
cases = pytest.mark.parametrize(("estimator", "data"), CASES, ids=lambda item: type(item).__name__)


def fitted(estimator, data):
    X, y, *groups = data
    return estimator.fit(X, y, **({"groups": groups[0]} if groups else {}))


@cases
def test_a_pickle_is_of_the_size_of_the_model(estimator, data, tmp_path):
    model = fitted(estimator, data)
    model.save(tmp_path / "model")
    assert len(pickle.dumps(model)) < 16 * (tmp_path / "model").stat().st_size + 20_000
    twin = pickle.loads(pickle.dumps(model))
    assert np.array_equal(
        np.concatenate(twin.predict(data[0]), axis=None), np.concatenate(model.predict(data[0]), axis=None)
    )


def test_a_pickle_does_not_grow_with_the_training_data():
    X, y = DIGITS
    small = MulticlassSVC(max_iter=50).fit(X[:400], y[:400])
    large = MulticlassSVC(max_iter=50).fit(np.tile(X, (4, 1)), np.tile(y, 4))
    assert len(pickle.dumps(large)) < len(pickle.dumps(small)) + 20_000


def test_a_model_that_goes_on_keeps_its_dual_variables():
    for warm in (False, True):
        model = MulticlassSVC(method="structural", warm_start=warm).fit(*DIGITS)
        twin = pickle.loads(pickle.dumps(model))
        assert (twin.solution_.state is not None) == warm
        assert twin.solution_.gap == model.solution_.gap
        assert model.solution_.state is not None
    assert twin.fit(*DIGITS).n_iter_ < model.n_iter_


@cases
def test_a_solution_is_printed_on_one_line(estimator, data):
    model = fitted(estimator, data)
    if hasattr(model, "solution_"):
        text = repr(model.solution_)
        assert len(text) < 200
        assert model.solution_.status.name in text
        assert "\n" not in text
