"""Truncated, damaged, forged and unrelated files: one clear error each, and nothing is run."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import tempfile
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import maxmargin
from maxmargin import ModelFileError, MulticlassSVC, MultilabelSVC, RankingSVM
from maxmargin.classes import DescribedClasses
from maxmargin.fitting import model_archive, models

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A model, the bytes of its file, and a path to write other bytes to."""
    folder = tmp_path_factory.mktemp("model")
    model = MulticlassSVC(C=0.1, cost=2.0 * (1 - np.eye(3))).fit(X, Y)
    model.save(folder / "iris.zip")
    return model, (folder / "iris.zip").read_bytes(), folder / "other.zip"


def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path, parts):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def forge(good, change=lambda head: None, **arrays):
    """Writes the model with other JSON or arrays, checksums made to fit."""
    _, content, path = good
    parts = members(content)
    head = json.loads(parts["model.json"])
    for name, array in arrays.items():
        data = npy(array)
        parts[f"{name}.npy"] = data
        head["members"][name] = hashlib.sha256(data).hexdigest()
    change(head)
    text = json.dumps(head)
    write(path, {**parts, "model.json": text, "model.sha256": hashlib.sha256(text.encode()).hexdigest()})
    return path


def refused(path, *words):
    with pytest.raises(ModelFileError) as caught:
        maxmargin.load(path)
    text = str(caught.value)
    assert str(path) in text, text
    assert all(word in text for word in words), text
    assert "\n" not in text


def test_truncated_anywhere(good):
    _, content, path = good
    for size in range(0, len(content), 7):
        path.write_bytes(content[:size])
        refused(path, "maxmargin model")


def test_a_changed_byte_anywhere(good):
    """Either it is refused, or it was one that carries no meaning and the model is the same."""
    model, content, path = good
    expected = model.decision_function(X)
    kept = 0
    for at in range(len(content)):
        damaged = bytearray(content)
        damaged[at] ^= (0x01, 0x10, 0x80)[at % 3]
        path.write_bytes(damaged)
        try:
            loaded = maxmargin.load(path)
        except ModelFileError:
            continue
        kept += 1
        np.testing.assert_array_equal(loaded.decision_function(X), expected)
        np.testing.assert_array_equal(loaded.cost, model.cost)
    assert kept < len(content) // 2


@given(st.binary(max_size=300))
@settings(max_examples=60)
def test_noise(noise):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "noise.zip")
        for content in (noise, b"PK\x03\x04" + noise, b"\x80\x04" + noise):
            with open(path, "wb") as file:
                file.write(content)
            refused(path)


def test_an_unrelated_zip(good):
    path = good[2]
    write(path, {"readme.txt": "hello"})
    refused(path, "not a maxmargin model file")
    write(path, {"model.json": json.dumps({"format": "something else"})})
    refused(path, "not a maxmargin model file")
    for text in ("[]", "null", "3", '"maxmargin-model"', "{", "\xff", "[" * 100_000):
        write(path, {"model.json": text})
        refused(path, "not a maxmargin model file")


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def test_a_pickle_inside_is_not_run(good, tmp_path):
    target = str(tmp_path / "executed")
    objects = np.empty(3, dtype=object)
    objects[:] = [Bomb(target)] * 3
    refused(forge(good, classes_=objects))
    refused(forge(good, coef_=objects.reshape(1, 3)))
    good[2].write_bytes(pickle.dumps(Bomb(target)))
    refused(good[2])
    assert not os.path.exists(target)
    pickle.loads(pickle.dumps(Bomb(target))).close()
    assert os.path.exists(target)  # it would have been


@pytest.mark.parametrize("version", [0, 2, 99, "1", None])
def test_other_versions(good, version):
    refused(forge(good, lambda head: head.update(version=version)), f"version {version}", "reads version 1")


def test_checksums_guard_every_part(good):
    _, content, path = good
    parts = members(content)
    write(path, {**parts, "model.json": parts["model.json"].replace(b'"C": 0.1', b'"C": 0.2')})
    refused(path, "checksum", "model.json")
    write(path, {**parts, "coef_.npy": npy(np.ones((3, 4)))})
    refused(path, "checksum", "coef_")
    del parts["coef_.npy"]
    write(path, parts)
    refused(path, "coef_")


HEADS = {
    "unknown estimator": lambda head: head.update(estimator="Oracle"),
    "no estimator": lambda head: head.pop("estimator"),
    "no parameters": lambda head: head.pop("params"),
    "parameters of another type": lambda head: head.update(params=[1]),
    "an unknown parameter": lambda head: head["params"].update(depth=3),
    "no fitted part": lambda head: head.pop("fitted"),
    "an unknown status": lambda head: head["fitted"].update(status="DONE"),
    "passes that are no number": lambda head: head["fitted"].update(n_iter_="many"),
    "an objective that is no number": lambda head: head["fitted"].update(primal="low"),
    "an unknown solver": lambda head: head["params"].update(solver={"solver": "os.system", "settings": {}}),
    "a solver with bad settings": lambda head: head["params"].update(
        solver={"solver": "NSlack", "settings": {"batch": 0}}
    ),
    "unhashable keys": lambda head: head["params"].update(class_weight={"pairs": [[[], 1]]}),
    "no members": lambda head: head.update(members={}),
    "members of another type": lambda head: head.update(members=[1, 2]),
    "another member": lambda head: head["members"].update({"../x": "0"}),
    "a ragged array": lambda head: head["params"].update(cost={"array": [[1], [1, 2]]}),
}


@pytest.mark.parametrize("case", HEADS)
def test_json_that_does_not_fit(good, case):
    refused(forge(good, HEADS[case]))


def test_a_loss_of_label_vectors_that_there_is_not(tmp_path):
    """It is needed at prediction only, and found at load; the message does not repeat all of it."""
    path = tmp_path / "labels.zip"
    model = MultilabelSVC().fit(X, np.eye(3, dtype=int)[Y])
    model.save(path)
    path = forge((model, path.read_bytes(), path), lambda head: head["params"].update(loss="x" * 5000))
    refused(path, "loss", "xxx")
    with pytest.raises(ModelFileError) as caught:
        maxmargin.load(path)
    assert len(str(caught.value)) < 400 + len(str(path))


ARRAYS = {
    "weights of one dimension": {"coef_": np.ones(12)},
    "too few weights": {"coef_": np.ones((2, 4))},
    "weights of text": {"coef_": np.full((3, 4), "a")},
    "complex weights": {"coef_": np.ones((3, 4), dtype=complex)},
    "weights that are not finite": {"coef_": np.full((3, 4), np.nan)},
    "an intercept too few": {"intercept_": np.zeros(2)},
    "an intercept of text": {"intercept_": np.array(["a", "b", "c"])},
    "classes in two dimensions": {"classes_": np.zeros((3, 1))},
    "one class twice": {"classes_": np.array([0, 0, 1])},
    "too many feature names": {"feature_names_in_": np.array(["a"] * 5)},
    "structured classes": {"classes_": np.zeros(3, dtype=[("a", float)])},
}


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays_that_do_not_fit(good, case):
    refused(forge(good, **ARRAYS[case]))


def test_a_forged_file_of_good_parts_still_loads(good):
    """The forger of these tests does not break files by itself."""
    model = good[0]
    loaded = maxmargin.load(forge(good, coef_=model.coef_, intercept_=model.intercept_))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def described(folder):
    """A model with sparse output features, and the parts of its file."""
    features = DescribedClasses(["a", "b", "c", "d"], sp.csr_array(np.eye(4)))
    model = MulticlassSVC(C=0.1, output_features=features).fit(X, np.array(["a", "b", "c"])[Y])
    model.save(folder / "described.zip")
    return model, (folder / "described.zip").read_bytes(), folder / "other.zip"


POINTERS = {
    "a pointer that goes down": {"described_indptr": np.array([0, 3, 1, 3, 4])},
    "a negative pointer": {"described_indptr": np.array([0, -1, 2, 3, 4])},
    "a pointer beyond the values": {"described_indptr": np.array([0, 1, 2, 3, 400])},
    "a pointer too few": {"described_indptr": np.array([0, 1, 2, 4])},
    "an index beyond the columns": {"described_indices": np.array([0, 1, 2, 4])},
    "a negative index": {"described_indices": np.array([0, 1, -2, 3])},
    "an index beyond 32 bits": {"described_indices": np.array([0, 1, 2**32, 3])},
    "indices of another dtype": {"described_indices": np.array([0, 1, 2, 3], dtype=np.int32)},
    "values that are not finite": {"described_values": np.array([1.0, 1.0, np.inf, 1.0])},
    "a shape too large": {"described_shape": np.array([4, 2**40])},
    "a negative shape": {"described_shape": np.array([4, -4])},
}


@pytest.mark.parametrize("case", POINTERS)
def test_a_sparse_matrix_that_points_elsewhere(tmp_path, case):
    refused(forge(described(tmp_path), **POINTERS[case]), "described")


def test_a_small_file_that_would_fill_the_memory(good):
    """3 MB that claim to be 3 GB: refused by what is stated, before anything is read."""
    _, content, path = good
    zeros = b"\0" * (1 << 28)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members(content).items():
            archive.writestr(name, data)
        archive.writestr("large.npy", zeros)
    assert path.stat().st_size < 2**20
    refused(path, "more than 100 times")


def test_json_has_a_limit(good, monkeypatch):
    monkeypatch.setattr(model_archive, "MOST_TEXT", 1000)
    model, _, path = good
    refused(forge(good, lambda head: head.update(remark="x" * 1000)), "model.json")
    monkeypatch.setattr(models, "MOST_TEXT", 100)
    with pytest.raises(ValueError, match="keeps at most 100"):
        model.save(path)


def test_models_of_zeros_are_stored_so_that_they_can_be_read(tmp_path):
    model = RankingSVM().fit(np.c_[X, np.zeros((150, 1))], Y, group=[75, 75])
    model.coef_ = np.zeros(3_000_000)
    model.save(tmp_path / "zeros.zip")
    assert maxmargin.load(tmp_path / "zeros.zip").coef_.shape == (3_000_000,)


def test_large_parameters_are_arrays(tmp_path):
    """A cost matrix of many classes would be many bytes of JSON."""
    classes = np.arange(120)
    cost = np.abs(classes[:, None] - classes) / 7.0
    model = MulticlassSVC(C=0.1, cost=cost).fit(np.tile(np.eye(120), (3, 1)), np.tile(classes, 3))
    model.save(tmp_path / "model.zip")
    assert len(members((tmp_path / "model.zip").read_bytes())["model.json"]) < 5000
    np.testing.assert_array_equal(maxmargin.load(tmp_path / "model.zip").cost, cost)


@pytest.mark.parametrize("where", ["member", "json"])
def test_text_that_is_not_unicode(good, tmp_path, where):
    if where == "json":
        _, content, path = good
        text = members(content)["model.json"].replace(b'"linear"', b'"line\xff"')
        write(path, {**members(content), "model.json": text, "model.sha256": hashlib.sha256(text).hexdigest()})
        refused(path, "utf-8")
        return
    model = maxmargin.ChainSVC().fit([[["the"], ["dog"]], [["dogs"]]], [["D", "N"], ["N"]])
    model.save(tmp_path / "chain.zip")
    whole = (model, (tmp_path / "chain.zip").read_bytes(), tmp_path / "other.zip")
    text = np.load(io.BytesIO(members(whole[1])["attributes_text.npy"]))
    text[1] = 0xFF
    refused(forge(whole, attributes_text=text), "not UTF-8")
