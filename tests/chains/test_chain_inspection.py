"""What models say about themselves: strongest weights, and differences of scores that add up."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from maxmargin import ChainCRF, ChainHMM, ChainPerceptron, ChainSVC
from maxmargin.chains.features import suffixes, tagging_templates, window
from maxmargin.chains.weight_parts import chain_parts
from maxmargin.datasets import make_sentences
from maxmargin.plots.weights import draw_features, draw_transitions

PAIRS = "U00:%x[0,0]\nU01:%x[-1,0]\nB\nB01:%x[0,0]\n"
MODELS = [
    ChainSVC(templates=tagging_templates()),
    ChainCRF(templates=tagging_templates(), eta=0.5),
    ChainPerceptron(passes=3, templates=PAIRS),
    ChainPerceptron(passes=3, order=3, templates=window(0, range(1)), window=1, eta=2.0),
    ChainPerceptron(passes=3, ends=False, fit_intercept=False, hashing=1024, templates=suffixes(2)),
    ChainHMM(alpha=0.1, order=2, templates=suffixes(3)),
]


@pytest.fixture(scope="module")
def sentences():
    return make_sentences(60, seed=5)


@pytest.fixture(scope="module")
def fitted(sentences):
    return [clone(model).fit(*sentences) for model in MODELS]


@pytest.fixture(scope="module")
def numbers():
    """A model of rows of numbers with a window."""
    rng = np.random.default_rng(0)
    X = [rng.standard_normal((length, 3)) for length in (4, 5, 6, 3)]
    Y = [[int(row[0] > 0) + int(row[1] > 1) for row in x] for x in X]
    return ChainPerceptron(passes=5, window=1).fit(X, Y), X


def score(model, x, labels):
    return model.decision_value([x], [labels])[0]


@pytest.mark.parametrize("others", ["kept", "free"])
@pytest.mark.parametrize("number", range(len(MODELS)))
def test_contributions_add_up_to_the_difference(fitted, sentences, number, others):
    model = fitted[number]
    for x in sentences[0][:6]:
        for t in range(len(x)):
            found = model.explain(x, t, others=others)
            total = sum(part.amount for part in found.contributions)
            assert total == pytest.approx(found.difference, rel=1e-9, abs=1e-9)
            assert found.difference == pytest.approx(
                score(model, x, found.labels) - score(model, x, found.runner_up_labels), rel=1e-9, abs=1e-9
            )
            assert found.difference > -1e-9
            assert found.labels.tolist() == model.predict([x])[0]
            assert found.runner_up_labels[t] == found.runner_up != found.label == found.labels[t]
            amounts = [abs(part.amount) for part in found.contributions]
            assert amounts == sorted(amounts, reverse=True)


@pytest.mark.parametrize("number", range(len(MODELS)))
def test_the_runner_up_is_the_best_of_the_others(fitted, sentences, number):
    model, x, t = fitted[number], sentences[0][0], 2
    labels = model.predict([x])[0]
    kept = {}
    for label in model.classes_:
        other = labels.copy()
        other[t] = label
        kept[label] = score(model, x, other)
    second = max((label for label in kept if label != labels[t]), key=kept.get)
    assert model.explain(x, t, others="kept").runner_up == second
    free = {
        label: model.predict_kbest([x], 1, known=[[label if s == t else None for s in range(len(x))]])[0][0].score
        for label in model.classes_
        if label != labels[t]
    }
    found = model.explain(x, t)
    assert found.runner_up == max(free, key=free.get)
    assert score(model, x, labels) - found.difference == pytest.approx(max(free.values()))
    chosen = min(kept, key=kept.get)
    against = model.explain(x, t, chosen, others="kept")
    assert against.runner_up == chosen
    assert against.difference == pytest.approx(kept[labels[t]] - kept[chosen])


def test_names_of_contributions(fitted, sentences, numbers):
    x = sentences[0][0]
    found = fitted[0].explain(x, 1, others="kept")
    features = [part for part in found.contributions if part.kind == "feature"]
    assert f"w[0]={x[1]}" in {part.name for part in features}
    assert {part.token for part in features} == {1}
    steps = {part.name for part in found.contributions if part.kind == "step"}
    assert all(" -> " in name and ", not " in name for name in steps)
    assert f"Token 1 is {found.label}, not {found.runner_up}, by {found.difference:.4f}" in str(found)
    assert any(part.kind == "pair" and part.name.startswith("B01:") for part in fitted[2].explain(x, 1).contributions)
    assert {part.kind for part in fitted[0].explain(x, 0, others="kept").contributions} >= {
        "feature",
        "constant",
        "start",
        "step",
    }
    model, X = numbers
    names = {part.name for part in model.explain(X[0], 1, others="kept").contributions if part.kind == "feature"}
    assert names <= {f"feature {j}{place}" for j in range(3) for place in ("", "[-1]", "[+1]")}
    assert len(names) == 9


def test_explaining_copies_neither_weights_nor_names():
    """A model of many features answers in about a millisecond, since it looks at those of the sequence only."""
    words = [[f"word{i}-{t}" for t in range(50)] for i in range(100)]
    model = ChainPerceptron(passes=1, templates=tagging_templates()).fit(words, [["a", "b", "c", "d", "e"] * 10] * 100)
    names = model.reader_.vectorizer.attributes_
    assert model.weights_.nbytes > 1_000_000
    tracemalloc.start()
    model.explain(words[7], 3)
    model.top_transitions(5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000
    assert [names.name(column) for column in range(len(names))] == names.names()
    for column in (-1, len(names)):
        with pytest.raises(IndexError, match="no such column"):
            names.name(column)


def test_strongest_features_of_all_labels(fitted):
    model = fitted[0]
    emissions = chain_parts(model.chain_, model.coef_).emissions
    names = model.reader_.vectorizer.get_feature_names_out().tolist()
    table = model.top_features(7)
    assert len(table) == 7
    strength = np.abs(emissions - emissions.mean(axis=1, keepdims=True))
    for row, expected in zip(table, np.sort(strength.ravel())[::-1]):
        j, k = names.index(row.feature), model.classes_.tolist().index(row.label)
        assert row.weight == emissions[j, k]
        assert strength[j, k] == pytest.approx(expected)
    lines = str(table).splitlines()
    assert lines[0].split() == ["feature", "label", "weight"]
    assert len({len(line) for line in lines}) == 1
    assert len(table[:2]) == 2


def test_strongest_features_of_one_label_and_of_pairs(fitted):
    found = fitted[0].top_features(5, "NOUN")
    assert {row.label for row in found} == {"NOUN"}
    emissions = chain_parts(fitted[0].chain_, fitted[0].coef_).emissions
    code = fitted[0].classes_.tolist().index("NOUN")
    strength = np.sort(np.abs(emissions[:, code] - emissions.mean(axis=1)))[::-1]
    names = fitted[0].reader_.vectorizer.get_feature_names_out().tolist()
    for row, expected in zip(found, strength):
        j = names.index(row.feature)
        assert row.weight == emissions[j, code]
        assert abs(row.weight - emissions[j].mean()) == pytest.approx(expected)
    assert any(isinstance(row.label, tuple) for row in fitted[2].top_features(10_000))
    assert all(row.feature.startswith(("feature ", "(const")) for row in fitted[4].top_features(5))
    constants = [row for row in fitted[0].top_features(1_000_000) if row.feature == "(constant)"]
    assert len(constants) == fitted[0].classes_.size


def test_strongest_transitions(fitted):
    model = fitted[3]
    parts = chain_parts(model.chain_, 2.0 * model.coef_)
    codes = {label: code for code, label in enumerate(model.classes_.tolist())}
    table = model.top_transitions(40)
    assert len(table) == 40
    for row in table:
        if not row.before:
            expected = parts.start[codes[row.after]]
        elif row.after is None:
            expected = parts.end[codes[row.before[0]]]
        else:
            places = tuple(codes[label] for label in (*row.before, row.after))
            expected = parts.steps[len(row.before) - 1][places]
        assert row.weight == expected
    every = model.top_transitions(10_000)
    assert {len(row.before) for row in every} == {0, 1, 2, 3}
    assert "(start)" in str(every)
    assert "(end)" in str(every)
    assert all(row.before and row.after is not None for row in fitted[4].top_transitions(1000))


def test_the_tables_of_a_hidden_markov_model_ignore_what_all_labels_share(fitted):
    """A rare feature has low probability under every label: that is no reason to list it."""
    hmm = fitted[5]
    row = hmm.top_features(1)[0]
    emissions = chain_parts(hmm.chain_, hmm.coef_).emissions
    assert row.weight > emissions.min()


@given(st.integers(0, 1000), st.integers(0, 4), st.sampled_from(["kept", "free"]))
@settings(max_examples=30)
def test_rows_of_numbers_add_up(numbers, seed, t, others):
    model, _ = numbers
    x = np.random.default_rng(seed).standard_normal((5, 3))
    found = model.explain(x, t, others=others)
    assert sum(part.amount for part in found.contributions) == pytest.approx(found.difference, abs=1e-9)


def test_what_is_asked_for_must_exist(fitted, sentences):
    model, x = fitted[0], sentences[0][0]
    with pytest.raises(ValueError, match=rf"t must be the position of a token, 0 to {len(x) - 1}, not {len(x)}"):
        model.explain(x, len(x))
    with pytest.raises(ValueError, match="'PRON' was not seen in training; the labels are ADJ, ADV"):
        model.explain(x, 0, "PRON")
    with pytest.raises(ValueError, match="is the predicted one"):
        model.explain(x, 0, model.predict([x])[0][0])
    with pytest.raises(ValueError, match="others must be 'kept' or 'free'"):
        model.explain(x, 0, others="all")
    with pytest.raises(ValueError, match="'PRON' was not seen"):
        model.top_features(3, "PRON")
    for n in (0, 1.5, True):
        with pytest.raises(ValueError, match="n must be a whole number of at least 1"):
            model.top_transitions(n)
    with pytest.raises(ValueError, match="one label only"):
        ChainPerceptron().fit([np.eye(2)], [[1, 1]]).explain(np.eye(2), 0)


def test_pictures_without_matplotlib(fitted, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for draw in (draw_transitions, draw_features):
        with pytest.raises(
            ImportError, match=r"Pictures need matplotlib; install it, or maxmargin with the extra \[report\]"
        ):
            draw(fitted[0], tmp_path / "a.png")


@pytest.mark.parametrize("number", [0, 3, 4])
def test_pictures(fitted, tmp_path, number):
    draw_transitions(fitted[number], tmp_path / "steps.png")
    draw_features(fitted[number], tmp_path / "features.png", 8, "NOUN")
    for name in ("steps.png", "features.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
