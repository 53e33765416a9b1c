"""DiversityRanker in model files: the same predictions, settings of vectorisers, and damaged files."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import maxmargin
from maxmargin import DiversityRanker, ModelFileError, OneSlack
from maxmargin.datasets import make_subtopics

X, Y = make_subtopics(12, n_documents=10, n_subtopics=5)
QUICK = {"k": 3, "importance": (0.1, 0.4), "tol": 1e-2, "min_sets": 5}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"min_sets": None},
        {"levels": {"text": (1, 2), "title": 1}, "solver": OneSlack(cache=0), "weighting": "equal"},
        {"vectorizer": CountVectorizer(ngram_range=(1, 2), stop_words=["q0x0"], lowercase=False)},
        {"vectorizer": TfidfVectorizer(norm=None, use_idf=False)},
    ],
)
def test_a_model_comes_back_as_it_was(tmp_path, options):
    model = DiversityRanker(**{**QUICK, **options}).fit(X, Y)
    model.save(tmp_path / "ranker.mm")
    again = maxmargin.load(tmp_path / "ranker.mm")
    assert isinstance(again, DiversityRanker)
    assert (again.predict(X, k=10) == model.predict(X, k=10)).all()
    assert np.array_equal(again.coef_, model.coef_)
    assert again.features_ == model.features_
    assert again.fields_ == model.fields_
    assert again.solution_.status is model.solution_.status
    assert repr(again.vectorizer) == repr(model.vectorizer)
    assert again.score(X, Y) == model.score(X, Y)


def test_columns_as_vocabulary(tmp_path):
    rng = np.random.default_rng(0)
    counts = [rng.poisson(0.5, (6, 9)) for _ in range(8)]
    labels = [[{int(t)} for t in rng.integers(3, size=6)] for _ in range(8)]
    model = DiversityRanker(2, shared_columns=True, min_sets=4, tol=1e-2).fit(counts, labels)
    model.save(tmp_path / "ranker.mm")
    again = maxmargin.load(tmp_path / "ranker.mm")
    assert again.features_.vocabulary == model.features_.vocabulary
    assert (again.predict(counts) == model.predict(counts)).all()


def test_code_is_refused(tmp_path):
    class Own(CountVectorizer):
        pass

    for vectorizer, message in (
        (Own(), "is a Own, which a model file cannot keep"),
        (CountVectorizer(tokenizer=str.split, token_pattern=None), "setting tokenizer of the vectorizer"),
    ):
        model = DiversityRanker(**QUICK, vectorizer=vectorizer).fit(X, Y)
        with pytest.raises(ValueError, match=message):
            model.save(tmp_path / "ranker.mm")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "change",
    [
        lambda head: head["structure"].pop("levels"),
        lambda head: head["structure"].update(levels=[]),
        lambda head: head["structure"].update(levels=[["anchor", 1]]),
        lambda head: head["structure"].update(shares=[0.1]),
        lambda head: head["structure"].update(vectorizer={"name": "system", "settings": {}}),
        lambda head: head["structure"].update(vectorizer={"name": "CountVectorizer", "settings": {"no": 1}}),
        lambda head: head["params"].update(nonsense=1),
        lambda head: head.pop("structure"),
    ],
)
def test_forged_files(tmp_path, change):
    path = tmp_path / "ranker.mm"
    DiversityRanker(**QUICK).fit(X, Y).save(path)
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(parts["model.json"])
    change(head)
    parts["model.json"] = json.dumps(head).encode()
    parts["model.sha256"] = hashlib.sha256(parts["model.json"]).hexdigest().encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(ModelFileError, match="damaged"):
        maxmargin.load(path)


def test_a_message_does_not_repeat_all_of_a_long_value():
    model = DiversityRanker(**QUICK).fit(X, Y)
    with pytest.raises(ValueError, match="k must be a positive integer, not") as caught:
        model.predict(X, k="x" * 5000)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 200
