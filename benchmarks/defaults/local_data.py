"""Sets of the data folder, read once per process, as every split of a task needs them again."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_files

from maxmargin.chains.formats.conll import parse_conll, split_labels
from maxmargin.datasets import (
    data_file,
    load_conll2000,
    load_covtype,
    load_imclef07a,
    load_mnist,
    load_mq2008,
    load_newsgroups20,
    load_ocr_letters,
    load_optdigits,
    load_reuters21578,
    load_uci_letter,
    load_ud_ewt,
)

conll2000 = cache(load_conll2000)
mq2008 = cache(load_mq2008)
newsgroups20 = cache(load_newsgroups20)
reuters21578 = cache(load_reuters21578)
ud_ewt = cache(load_ud_ewt)
xrays = cache(load_imclef07a)


@cache
def covtype(n: int = 60_000) -> tuple[Any, Any]:
    """Random rows of covertype; classes 0 to 6."""
    X, y = load_covtype()
    rows = np.random.default_rng(0).permutation(y.size)[:n]
    return X[rows], y[rows] - 1


@cache
def mnist() -> tuple[Any, Any]:
    X, y = load_mnist("train")
    return X[:12_000].astype(np.float64), y[:12_000]


@cache
def letters() -> tuple[Any, Any]:
    return _joined(load_uci_letter)


@cache
def optical_digits() -> tuple[Any, Any]:
    return _joined(load_optdigits)


@cache
def words() -> tuple[Any, Any]:
    """Handwritten words of three folds."""
    return load_ocr_letters([0, 1, 2])


@cache
def svm_example() -> list[Any]:
    """Training and test part of the example that comes with SVM-multiclass."""
    files = [str(data_file(f"svm_multiclass_example/7class_example4_{part}.light.gz")) for part in ("train", "test")]
    return list(load_svmlight_files(files))


@cache
def spanish_names(part: str) -> tuple[Any, Any]:
    """Sentences of CoNLL 2002 as tokens (word, part of speech), and their tags."""
    with zipfile.ZipFile(data_file("conll2002/conll2002.zip")) as archive:
        text = archive.read(f"conll2002/{part}").decode("utf-8")
    lines = (line.rstrip("\n") for line in io.StringIO(text) if not line.startswith("-DOCSTART-"))
    return split_labels(parse_conll(part, enumerate(lines, 1), separator=" "))


def _joined(load: Any) -> tuple[Any, Any]:
    (X, y), (X_test, y_test) = load("train"), load("test")
    return np.concatenate([X, X_test]), np.concatenate([y, y_test])
