"""Errors among the answers that a model is surest of."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from maxmargin import ChainCRF
from maxmargin.datasets import make_sentences
from maxmargin.metrics import abstention_curve
from maxmargin.plots.abstention import draw_abstention


def test_every_threshold_by_counting():
    rng = np.random.default_rng(0)
    confidence, right = rng.integers(0, 12, 60) / 12.0, rng.random(60) < 0.7
    curve = abstention_curve(confidence, right)
    np.testing.assert_array_equal(curve.threshold, np.unique(confidence))
    for k, threshold in enumerate(curve.threshold):
        kept = confidence >= threshold
        assert curve.answered[k] == pytest.approx(kept.mean())
        assert curve.precision[k] == pytest.approx(accuracy_score(np.ones(kept.sum()), right[kept]))
        assert curve.error[k] == pytest.approx(1.0 - curve.precision[k])
        assert curve.recall[k] == pytest.approx((kept & right).mean())
    assert curve.at(1.0) == pytest.approx(1.0 - right.mean())
    assert curve.at(0.5) == curve.error[np.flatnonzero(curve.answered >= 0.5)[-1]]


def test_the_predictions_of_a_chain_that_abstain(tmp_path):
    X, y = make_sentences(80)
    model = ChainCRF(templates="tagging").fit(X[:30], y[:30])
    probability = np.concatenate(model.predict_marginals(X[30:]))
    truth = np.concatenate([np.array(labels) for labels in y[30:]])
    curve = abstention_curve(probability.max(axis=1), model.classes_[probability.argmax(axis=1)] == truth)
    answers = model.predict(X[30:], decode="marginal", abstain=0.8)
    found = np.concatenate([np.array(labels, dtype=object) for labels in answers])
    made = np.flatnonzero([label is not None for label in found])
    k = int(np.flatnonzero(curve.threshold >= 0.8)[0])
    assert made.size / truth.size == pytest.approx(curve.answered[k])
    assert (found[made] == truth[made]).mean() == pytest.approx(curve.precision[k])
    for kind in ("error", "precision-recall"):
        pytest.importorskip("matplotlib")
        path = tmp_path / f"{kind}.png"
        draw_abstention({"CRF": curve}, path, title="tags", kind=kind)
        assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("confidence", "right", "words"),
    [
        ([0.5], [True, False], "There are 1 confidences and 2 predictions"),
        ([], [], "There are no predictions"),
        ([np.nan, 0.5], [True, False], "The confidence of prediction 0 is not finite"),
        ([0.5, 0.6], [1, 2], "right must hold True or False"),
    ],
)
def test_bad_input(confidence, right, words):
    with pytest.raises(ValueError, match=words):
        abstention_curve(confidence, right)


def test_bad_pictures(tmp_path):
    curve = abstention_curve([0.5, 0.6], [True, False])
    with pytest.raises(ValueError, match="kind must be 'error' or 'precision-recall', not 'roc'"):
        draw_abstention({"a": curve}, tmp_path / "a.png", kind="roc")
    with pytest.raises(ValueError, match="There is no curve to draw"):
        draw_abstention({}, tmp_path / "a.png")


def test_no_more_than_everything_is_answered():
    curve = abstention_curve([0.9, 0.2], [True, False])
    assert curve.at(1.0) == 0.5
    with pytest.raises(ValueError, match="at most 1, not"):
        curve.at(1.5)
