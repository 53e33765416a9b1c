"""The benchmark of kernel sequence models on data that take no time."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from kernels import accents, entities, models, processes, run, sentences
from maxmargin.datasets import make_sentences


def made(count, longest, seed):
    X, Y = make_sentences(40)
    return [sentences.attributes(words) for words in X], Y


def test_attributes_are_words_and_spellings_in_windows():
    rows = sentences.attributes(["En", "Madrid", ",", "1998"])
    assert {"0:word=en", "0:capital", "-1:none", "1:word=madrid", "1:suffix=rid"} <= set(rows[0])
    assert {"0:sign", "1:digit", "-1:ending=id"} <= set(rows[2])
    assert "1:none" in rows[3]


def test_generated_labels_depend_on_products():
    X, Y = accents.accents(200, 0)
    tokens, labels = np.concatenate(X), np.concatenate(Y)
    sign = 2.0 * labels - 1.0
    assert tokens.shape == (labels.size, 6)
    assert np.corrcoef(tokens[:, 0] * tokens[:, 1], sign)[0, 1] > 0.4
    assert abs(np.corrcoef(tokens[:, 0], sign)[0, 1]) < 0.1


def test_figures(monkeypatch):
    kept = {name: accents.MODELS[name] for name in ("CRF", "DGPS1", "DGPS2")}
    for name, value in {"SEQUENCES": 40, "SHARES": (0.1,), "MODELS": kept}.items():
        monkeypatch.setattr(accents, name, value)
    monkeypatch.setattr(models, "MULTIPLES", (3.0,))
    found = accents.run()
    figure = {row[0]: row[1] for row in found["tables"][0][2]}
    assert set(figure) == set(kept)
    assert [row[0] for row in found["tables"][1][2]] == ["10 %", "dense"]
    assert len(found["bars"]) == 2


@pytest.mark.parametrize("part", [entities, processes])
def test_tables(part, monkeypatch):
    monkeypatch.setattr(part, "sample", made)
    monkeypatch.setattr(models, "MULTIPLES", (3.0,))
    found = part.run()
    papers = entities.TABLE2 if part is entities else processes.TABLE
    assert [row[0] for row in found["tables"][0][2]] == list(papers)
    assert all(len(row) == len(columns) for _, columns, rows in found["tables"] for row in rows)
    if part is entities:
        losses = [float(row[-1].split()[0]) for row in found["tables"][1][2]]
        assert all(loss >= 1.0 for loss in losses)  # a constraint has a mistake


def test_parts_exist():
    assert all(callable(import_module(f"kernels.{part}").run) for part in run.PARTS)
