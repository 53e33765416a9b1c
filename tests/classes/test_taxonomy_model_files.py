"""Forged and damaged files of models whose classes know each other: one error, nothing half restored."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

import numpy as np
import pytest

import maxmargin
from maxmargin import DescribedClasses, ModelFileError, MulticlassSVC, TaxonomySVC

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((24, 3)), np.array(["a.x", "a.y", "b"])[np.arange(24) % 3]


@pytest.fixture
def tree(tmp_path):
    TaxonomySVC(0.1, taxonomy=".").fit(X, Y).save(tmp_path / "tree.mm")
    return tmp_path / "tree.mm"


@pytest.fixture
def described(tmp_path):
    features = DescribedClasses(["a.x", "a.y", "b", "c"], RNG.standard_normal((4, 2)))
    MulticlassSVC(0.1, output_features=features).fit(X, Y).save(tmp_path / "described.mm")
    return tmp_path / "described.mm"


def forge(path, structure=None, **arrays):
    """Writes the file again with other parts, checksums made to fit."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(parts["model.json"])
    head.get("structure", {}).update(structure or {})
    for name, array in arrays.items():
        buffer = io.BytesIO()
        np.save(buffer, array)
        parts[f"{name}.npy"] = buffer.getvalue()
        head["members"][name] = hashlib.sha256(buffer.getvalue()).hexdigest()
    parts["model.json"] = json.dumps(head).encode()
    parts["model.sha256"] = hashlib.sha256(parts["model.json"]).hexdigest().encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


@pytest.mark.parametrize(
    "change",
    [
        {"structure": {"nodes": ["root", "a", "b", "a.x", "a.x"]}},
        {"structure": {"nodes": ["root", "a", "b", "a.x"]}},
        {"structure": {"nodes": ["root", "a", "b", "a.x", ["a.y"]]}},
        {"structure": {"nodes": ["root", "a", "c", "a.x", "a.y"]}},
        {"structure": {"constant": "much"}},
        {"structure": {"constant": -1.0}},
        {"structure": {"temperature": 0.0}},
        {"taxonomy_parents": np.array([0, 0, 1, 4], dtype=np.int32)},
        {"taxonomy_parents": np.array([0, 0, 1, -1], dtype=np.int32)},
        {"taxonomy_offsets": np.array([0, 0, 1, 2, 3], dtype=np.int64)},
        {"classes_": np.array(["a.x", "a.x", "b"])},
        {"classes_": np.array([["a.x", "a.y", "b"]])},
        {"coef_": np.zeros((4, 4))},
        {"coef_": np.full((5, 4), np.nan)},
        {"coef_": np.zeros((5, 1))},
        {"feature_names_in_": np.array(["u"])},
    ],
    ids=str,
)
def test_a_forged_taxonomy_is_refused(tree, change):
    forge(tree, **change)
    with pytest.raises(ModelFileError, match="damaged"):
        maxmargin.load(tree)


@pytest.mark.parametrize(
    "change",
    [
        {"described_labels": np.array(["a.x", "a.y", "c", "c"])},
        {"described_labels": np.array(["a.x", "a.y", "d", "c"])},
        {"described_shape": np.array([4, 1])},
        {"described_indices": np.array([9] * 8)},
        {"described_values": np.full(8, np.inf)},
        {"output_coef_": np.zeros((3, 3))},
        {"output_intercept_": np.zeros(3)},
    ],
    ids=str,
)
def test_forged_output_features_are_refused(described, change):
    forge(described, **change)
    with pytest.raises(ModelFileError, match="damaged"):
        maxmargin.load(described)


def test_files_that_are_whole_are_read(tree, described):
    forge(tree)
    assert maxmargin.load(tree).predict(X).shape == (24,)
    forge(described)
    assert set(maxmargin.load(described).predict(X, classes="all")) <= {"a.x", "a.y", "b", "c"}
