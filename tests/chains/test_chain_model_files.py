"""Model files of chain estimators: bit-equal predictions, the dictionary inside, damage refused in one sentence."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from sklearn.base import clone

import maxmargin
from maxmargin import ChainCRF, ChainHMM, ChainPerceptron, ChainSVC, ModelFileError, OneSlack
from maxmargin.chains.features import chunking_templates, flags, lower, tagging_templates
from maxmargin.chains.features.templates import changed
from maxmargin.datasets import make_sentences
from maxmargin.solvers.lbfgs import LBFGS

WORDS, TAGS = make_sentences(40, seed=3)
NEW_WORDS = make_sentences(12, seed=4)[0]
CRF_PLUS = "\n".join(["U00:%x[0,0]", 'U01:%t[0,0,"^\\u"]', 'U02:%M[-1,0,"..?$"]', "B", "B01:%x[0,0]"]) + "\n"
MODELS = {
    "svm": ChainSVC(templates=tagging_templates(), class_weight={"NOUN": 2.0}),
    "svm, settings": ChainSVC(0.1, templates=tagging_templates(), solver=OneSlack(cache=3), tol=0.2, order=2),
    "crf": ChainCRF(templates=tagging_templates(), tol=0.05),
    "crf, pairs": ChainCRF(templates=CRF_PLUS, solver=LBFGS(), l1=0.01, tol=0.05),
    "crf, hashed": ChainCRF(templates=lower() + flags(), hashing=256, window=1, eta=0.5, tol=0.05),
    "perceptron": ChainPerceptron(passes=3, templates=tagging_templates(), min_count=2, ends=False),
    "hmm": ChainHMM(alpha=0.1, order=3, templates="tagging"),
}


@pytest.fixture(scope="module")
def fitted():
    return {name: clone(model).fit(WORDS, TAGS) for name, model in MODELS.items()}


def assert_same(loaded, model, X):
    for own, other in zip(loaded.predict(X), model.predict(X)):
        np.testing.assert_array_equal(own, other)
        assert np.asarray(own).dtype == np.asarray(other).dtype
    for own, other in zip(loaded.predict_kbest(X, 3), model.predict_kbest(X, 3)):
        assert [ranked.score for ranked in own] == [ranked.score for ranked in other]
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    np.testing.assert_array_equal(loaded.chain_.costs, model.chain_.costs)
    assert loaded.classes_.dtype == model.classes_.dtype


@pytest.mark.parametrize("name", MODELS)
def test_round_trip_is_bit_equal(fitted, tmp_path, name):
    model = fitted[name]
    model.save(tmp_path / "m.mm")
    loaded = maxmargin.load(tmp_path / "m.mm")
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    assert_same(loaded, model, NEW_WORDS)
    assert loaded.score(WORDS, TAGS) == model.score(WORDS, TAGS)
    assert repr(loaded.top_features(5)) == repr(model.top_features(5))
    assert repr(loaded.explain(WORDS[0], 1)) == repr(model.explain(WORDS[0], 1))
    assert loaded.n_features_in_ == model.n_features_in_
    if name != "hmm":
        assert loaded.n_iter_ == model.n_iter_
        assert loaded.solution_.gap == model.solution_.gap
        np.testing.assert_array_equal(loaded.solution_.w, model.solution_.w)
    loaded.save(tmp_path / "again.mm")
    assert_same(maxmargin.load(tmp_path / "again.mm"), model, NEW_WORDS)
    assert_same(loaded.fit(WORDS, TAGS), model, NEW_WORDS)  # the parameters are good enough to train with again


def test_temperature_and_probabilities_come_back(tmp_path):
    model = ChainSVC(0.1, templates=lower(), class_weight={"DET": 3.0}).fit(WORDS, TAGS).calibrate(WORDS, TAGS, folds=2)
    model.save(tmp_path / "m.mm")
    loaded = maxmargin.load(tmp_path / "m.mm")
    assert loaded.temperature_ == model.temperature_ != 1.0
    for own, other in zip(loaded.predict_marginals(NEW_WORDS), model.predict_marginals(NEW_WORDS)):
        np.testing.assert_array_equal(own, other)
    np.testing.assert_array_equal(loaded.expected_loss(NEW_WORDS), model.expected_loss(NEW_WORDS))
    np.testing.assert_array_equal(loaded.predict_confidence(NEW_WORDS), model.predict_confidence(NEW_WORDS))


@pytest.mark.parametrize("labels", [np.array([0, 1, 2]), np.array(["a", "b", "ünï"]), np.array([-1.5, 0.0, 2.0])])
def test_rows_of_numbers(tmp_path, labels):
    rng = np.random.default_rng(0)
    X = [rng.standard_normal((length, 4)) for length in (3, 5, 2, 4)]
    Y = [labels[np.argmax(x[:, :3], axis=1)] for x in X]
    model = ChainSVC(1.0, window=1).fit(X, Y)
    model.save(tmp_path / "m.mm")
    loaded = maxmargin.load(tmp_path / "m.mm")
    assert_same(loaded, model, X)
    with pytest.raises(ValueError, match="trained on rows of numbers"):
        loaded.predict([["a"]])


def test_attributes_and_strange_names(tmp_path):
    X = [[["w=ä\0b", "", "\n"], {"length": 2.5, "kind": "x y"}], [["w=\U0001f600"]]]
    model = ChainPerceptron(passes=3).fit(X, [["A", "B"], ["A"]])
    model.save(tmp_path / "m.mm")
    loaded = maxmargin.load(tmp_path / "m.mm")
    assert loaded.reader_.vectorizer.get_feature_names_out().tolist() == [
        "w=ä\0b",
        "",
        "\n",
        "length",
        "kind=x y",
        "w=\U0001f600",
    ]
    assert_same(loaded, model, X)


def test_parameters_changed_after_fit_do_not_matter(tmp_path):
    model = ChainPerceptron(passes=3, templates=lower(), window=1).fit(WORDS, TAGS)
    expected = model.predict(NEW_WORDS)
    model.set_params(window=0, order=2, templates=None, fit_intercept=False)
    model.save(tmp_path / "m.mm")
    loaded = maxmargin.load(tmp_path / "m.mm")
    for own, other in zip(loaded.predict(NEW_WORDS), expected):
        np.testing.assert_array_equal(own, other)


def shout(text):
    return text.upper()


def test_what_cannot_be_saved_is_refused(tmp_path):
    mine = ChainPerceptron(passes=1, templates=changed(shout, "shout")).fit(WORDS, TAGS)
    with pytest.raises(ValueError, match=r"templates use <function shout.*which is code"):
        mine.save(tmp_path / "m.mm")
    pairs = ChainPerceptron(passes=1).fit([np.eye(2)], [[(0, 1), (1, 2)]])
    with pytest.raises(ValueError, match="use str or numbers"):
        pairs.save(tmp_path / "m.mm")
    nul = ChainPerceptron(passes=1).fit([np.eye(2)], [["a", "a\0"]])
    with pytest.raises(ValueError, match="ends with NUL"):
        nul.save(tmp_path / "m.mm")
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("chain") / "good.mm"
    model = ChainCRF(templates=CRF_PLUS, tol=0.5).fit(WORDS[:8], TAGS[:8])
    model.save(path)
    return model, path.read_bytes(), path.parent / "other.mm"


def refused(path, *words):
    with pytest.raises(ModelFileError) as caught:
        maxmargin.load(path)
    text = str(caught.value)
    assert str(path) in text
    assert "\n" not in text
    assert all(word in text for word in words), text


def forge(good, change=lambda head: None, **arrays):
    """Writes the model with other JSON or arrays, checksums made to fit."""
    _, content, path = good
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(parts["model.json"])
    for name, array in arrays.items():
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=True)
        parts[f"{name}.npy"] = buffer.getvalue()
        head["members"][name] = hashlib.sha256(buffer.getvalue()).hexdigest()
    change(head)
    text = json.dumps(head)
    with zipfile.ZipFile(path, "w") as archive:
        written = {**parts, "model.json": text, "model.sha256": hashlib.sha256(text.encode()).hexdigest()}
        for name, data in written.items():
            archive.writestr(name, data)
    return path


def test_a_forged_file_with_nothing_changed_is_good(good):
    assert_same(maxmargin.load(forge(good)), good[0], WORDS)


def test_truncated_and_changed_bytes(good):
    model, content, path = good
    for size in range(0, len(content), max(1, len(content) // 60)):
        path.write_bytes(content[:size])
        refused(path)
    for at in range(0, len(content), max(1, len(content) // 300)):
        damaged = bytearray(content)
        damaged[at] ^= 0x41
        path.write_bytes(damaged)
        try:
            loaded = maxmargin.load(path)
        except ModelFileError:
            continue
        assert_same(loaded, model, WORDS[:3])


def structure(**changes):
    return lambda head: head["structure"].update(changes)


def vectorizer(**changes):
    return lambda head: head["structure"]["vectorizer"].update(changes)


def first_change(value):
    def change(head):
        template = head["structure"]["vectorizer"]["templates"]["tokens"][1]
        next(part for part in template["parts"] if isinstance(part, dict))["change"] = value

    return change


def nested(depth):
    value = None
    for _ in range(depth):
        value = ["Lower", value]
    return value


HEADS = {
    "no structure": lambda head: head.pop("structure"),
    "an unknown estimator": lambda head: head.update(estimator="ChainOracle"),
    "an estimator that is a list": lambda head: head.update(estimator=["ChainCRF"]),
    "an unknown parameter": lambda head: head["params"].update(depth=3),
    "more features than weights": structure(n_features=10**6),
    "features that are no number": structure(n_features="many"),
    "no features": structure(n_features=0),
    "order 4": structure(order=4),
    "order that is a float": structure(order=1.0),
    "eta not finite": structure(eta="1"),
    "ends that are a number": structure(ends=1),
    "pair features that are not there": structure(n_pair_features=0),
    "a window below 0": structure(window=-1),
    "a window that does not fit": structure(window=1),
    "no temperature": structure(temperature=None),
    "no columns": vectorizer(columns=0),
    "columns that are no number": vectorizer(columns="1"),
    "temperature 0": structure(temperature=0.0),
    "no vectoriser for a dictionary": vectorizer(templates=3),
    "hashing that does not fit": vectorizer(hashing=2),
    "hashing of 3": vectorizer(hashing=3),
    "min_count 0": vectorizer(min_count=0),
    "an unknown change": first_change(["os.system", "ls"]),
    "a change without its pattern": first_change(["Matches"]),
    "a faulty expression": first_change(["Matches", "("]),
    "an unknown flag": first_change(["Flag", "red"]),
    "a change of another type": first_change(7),
    "no fitted part": lambda head: head.pop("fitted"),
}


@pytest.mark.parametrize("case", HEADS)
def test_json_that_does_not_fit(good, case):
    refused(forge(good, HEADS[case]))


def test_depth_is_no_danger(good):
    """Whether Python can go as deep or not, there is a model or a sentence."""
    with suppress(ModelFileError):
        maxmargin.load(forge(good, first_change(nested(400)))).predict(WORDS[:1])


ARRAYS = {
    "a weight too few": lambda model: {"coef_": model.coef_[1:]},
    "weights that are not finite": lambda model: {"coef_": np.full_like(model.coef_, np.nan)},
    "weights of text": lambda model: {"coef_": np.full(model.coef_.shape, "a")},
    "classes twice": lambda model: {"classes_": np.full(model.classes_.shape, "NOUN")},
    "a class too few": lambda model: {"classes_": model.classes_[1:]},
    "classes in two dimensions": lambda model: {"classes_": model.classes_[None]},
    "ends that descend": lambda model: {"attributes_ends": np.array([3, 1], dtype=np.int64)},
    "ends of another type": lambda model: {"attributes_ends": np.array([3.0])},
    "an attribute too few": lambda model: {
        "attributes_ends": np.array([1], dtype=np.int64),
        "attributes_text": np.frombuffer(b"a", np.uint8),
    },
    "equal attributes": lambda model: {
        "attributes_ends": np.arange(1, len(model.reader_.vectorizer.attributes_) + 1),
        "attributes_text": np.full(len(model.reader_.vectorizer.attributes_), 65, dtype=np.uint8),
    },
    "pickled classes": lambda model: {"classes_": model.classes_.astype(object)},
}


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays_that_do_not_fit(good, case):
    refused(forge(good, **ARRAYS[case](good[0])))


def test_attributes_that_are_not_text(good):
    ends = np.array(good[0].reader_.vectorizer.attributes_.__getstate__()[2])
    refused(forge(good, attributes_text=np.full(int(ends[-1]), 0xFF, dtype=np.uint8)))


def test_columns_of_a_chunker(tmp_path):
    X = [[("The", "DT"), ("dog", "NN")], [("barks", "VBZ")]]
    model = ChainCRF(templates=chunking_templates()).fit(X, [["B-NP", "I-NP"], ["B-VP"]])
    model.save(tmp_path / "m.mm")
    loaded = maxmargin.load(tmp_path / "m.mm")
    assert loaded.reader_.vectorizer.n_columns_ == 2
    assert_same(loaded, model, X)
