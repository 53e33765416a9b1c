"""Model files with altered arrays and values whose checksums fit: refused in a sentence, or a model that predicts.

Every mutated file is loaded and used in this process: a pointer that is not checked would end it.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import warnings
import zipfile

import numpy as np
import pytest

import maxmargin
from estimator_cases import CASES
from maxmargin import (
    ChainCRF,
    ChainHMM,
    ChainPerceptron,
    ChainSVC,
    DiversityRanker,
    ModelFileError,
    MulticlassSVC,
    MultilabelSVC,
)
from maxmargin.classes import DescribedClasses

RNG = np.random.default_rng(0)
X = RNG.standard_normal((24, 4))
CLASSES = np.array(["a.b", "a.c", "d.e"])[np.arange(24) % 3]
WORDS = [["the", "dog", "barks"], ["a", "cat"], ["the", "cat", "sleeps"]]
TAGS = [["D", "N", "V"], ["D", "N"], ["D", "N", "V"]]
COLUMNS = [[(word, word[-1]) for word in words] for words in WORDS]
ATTRIBUTES = [[[word, word[-1]] for word in words] for words in WORDS]
PARTS = ([X[:3], X[3:7]], [list("aba"), list("abab")])
DESCRIBED = DescribedClasses(["a.b", "a.c", "d.e", "new"], np.eye(4)[:, :3] + np.diag([1.0, 0, 2, 0])[:, :3])
DOCUMENTS = [["red apple", "green apple", "red car"], ["blue car", "green car", "red sky"]]
SUBTOPICS = [[{1}, {2}, {1, 3}], [{1}, {2}, {3}]]


def use_table(model):
    model.predict(X)


def use_chain(model):
    model.predict(COLUMNS)


def use_attributes(model):
    model.predict(ATTRIBUTES)


def use_numbers(model):
    model.predict([X[:3], X[3:7]])


def use_described(model):
    model.predict(X)
    model.predict(X, classes="all")


MODELS = {
    "multiclass": (lambda: MulticlassSVC(cost=1.0 - np.eye(3)).fit(X, CLASSES), use_table),
    "described": (lambda: MulticlassSVC(output_features=DESCRIBED).fit(X, CLASSES), use_described),
    "multilabel": (lambda: MultilabelSVC(interactions="full").fit(X, (X[:, :3] > 0).astype(int)), use_table),
    "chain words": (lambda: ChainSVC().fit(ATTRIBUTES, TAGS), use_attributes),
    "chain templates": (lambda: ChainSVC(templates="U:%x[0,0]\nB:%x[-1,1]\nB\n").fit(COLUMNS, TAGS), use_chain),
    "chain numbers": (lambda: ChainCRF(order=2).fit(*PARTS), use_numbers),
    "chain perceptron": (lambda: ChainPerceptron(window=1).fit(*PARTS), use_numbers),
    "chain hmm": (lambda: ChainHMM().fit(ATTRIBUTES, TAGS), use_attributes),
    "diversity": (lambda: DiversityRanker(2).fit(DOCUMENTS, SUBTOPICS), lambda model: model.predict(DOCUMENTS)),
    **{name: (case.fitted, case.predict) for name, case in CASES.items()},
}
VALUES = (
    *(-1, 0, 1, 2, 3, 7, 10**6, 2**31 - 1, 2**31, 2**32 + 1, 2**63, -(2**63), 10**400, 0.5, -0.5, 1e308, 1e-308),
    *(None, True, False, "", "x", "x" * 5000, "\x00", "\ud800", [], [[]], {}, {"a": 1}, [0, 1], "scale", "auto"),
)
DTYPES = (np.int32, np.int64, np.uint8, np.float32, np.float64, np.complex128, ">f8")
NUMBERS = (-1, 0, 1, 2, 3, 5, 100, 2**31 - 1, -(2**31))


@pytest.fixture(scope="module", params=MODELS)
def saved(request, tmp_path_factory):
    """The name of a model, the parts of its file, how it is used, and a path."""
    folder = tmp_path_factory.mktemp("models")
    fit, use = MODELS[request.param]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit().save(folder / "model.zip")
    with zipfile.ZipFile(folder / "model.zip") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return request.param, parts, use, folder / "mutated.zip"


def changed_value(value, rng):
    """Another value, or the same with a change somewhere inside."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        if rng.random() < 0.1:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: changed_value(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        if rng.random() < 0.2:
            return value[:at] + value[at + 1 :] if rng.random() < 0.5 else [*value, value[at]]
        return [*value[:at], changed_value(value[at], rng), *value[at + 1 :]]
    return rng.choice(VALUES)


def changed_array(array, rng):
    """Another element, dtype, shape or length."""
    array = array.copy()
    kind = rng.randrange(9)
    if kind < 4 and array.size:
        at = rng.randrange(array.size)
        flat = array.reshape(-1)
        if array.dtype.kind == "f":
            flat[at] = rng.choice((np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0))
        elif array.dtype.kind in "iu":
            info = np.iinfo(array.dtype)
            flat[at] = min(max(rng.choice(NUMBERS), int(info.min)), int(info.max))
        elif array.dtype.kind == "U":
            flat[at] = rng.choice(("", "x", str(flat[at - 1])))
        return flat.reshape(array.shape)
    if kind == 4:
        return array[:-1] if array.ndim and len(array) else array.reshape(-1)[:0]
    if kind == 5:
        return np.concatenate([array, array]) if array.ndim else array
    if kind == 6:
        return array.reshape(-1) if rng.random() < 0.5 else array.reshape(1, *array.shape)
    if kind == 7 and array.dtype.kind in "iuf":
        with np.errstate(invalid="ignore"):
            return array.astype(rng.choice(DTYPES))
    if kind == 8 and array.size > 1:
        return array[::-1]
    return np.sort(array, axis=None).reshape(array.shape) if array.dtype.kind != "U" else array


def mutated(parts, rng):
    """Parts with one or two changes, and checksums that fit them."""
    whole, parts = parts, dict(parts)
    head = json.loads(parts["model.json"])
    for _ in range(rng.choice((1, 1, 2))):
        arrays = [name for name in parts if name.endswith(".npy")]
        if rng.random() < 0.55 and arrays:
            name = rng.choice(arrays)
            buffer = io.BytesIO()
            if rng.random() < 0.85:
                np.save(buffer, changed_array(np.load(io.BytesIO(whole[name])), rng))
                data = buffer.getvalue()
            else:
                data = bytearray(parts[name])
                data[rng.randrange(len(data))] = rng.randrange(256)
            parts[name] = bytes(data)
            head["members"][name[:-4]] = hashlib.sha256(parts[name]).hexdigest()
        else:
            digests = head.pop("members")
            head = changed_value(head, rng)
            head = dict(head) if isinstance(head, dict) else {"format": "maxmargin-model"}
            head["members"] = digests
            if rng.random() < 0.95:
                head["format"], head["version"] = "maxmargin-model", 1
    parts["model.json"] = json.dumps(head).encode()
    parts["model.sha256"] = hashlib.sha256(parts["model.json"]).hexdigest().encode()
    return parts


def check(saved, seed):
    name, parts, use, path = saved
    with zipfile.ZipFile(path, "w") as archive:
        for part, data in mutated(parts, random.Random(f"{name} {seed}")).items():
            archive.writestr(part, data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = ""
        try:
            use(CASES[name].load(path) if name in CASES else maxmargin.load(path))
        except ModelFileError as error:
            text = str(error)
        except ValueError as error:  # input that does not fit a model of another size
            text = str(error)
    assert len(text) < 700 + len(str(path)), text


def test_a_few_altered_files(saved):
    for seed in range(120):
        try:
            check(saved, seed)
        except BaseException as error:
            raise AssertionError(f"{saved[0]}: seed {seed}") from error


@pytest.mark.slow
def test_many_altered_files(saved):
    for seed in range(120, 8_000):
        try:
            check(saved, seed)
        except BaseException as error:
            raise AssertionError(f"{saved[0]}: seed {seed}") from error
