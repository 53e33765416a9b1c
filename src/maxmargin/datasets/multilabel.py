"""Sets of examples with several labels each."""

from __future__ import annotations

import gzip
from os import PathLike
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.datasets.local import data_file

SETS = ("emotions", "scene", "enron", "medical")


class LabelledTable(NamedTuple):
    """``X`` of shape (n, n_features), dense or CSR; ``Y`` of 0 and 1, shape (n, n_labels); the names of the labels."""

    X: Any
    Y: npt.NDArray[np.int64]
    labels: list[str]


def load_multilabel(name: str, split: str = "train", folder: str | PathLike[str] | None = None) -> LabelledTable:
    """A set of the Mulan collection: reads ``multilabel/<name>-<split>.arff.gz`` and the labels of ``<name>.xml``.

    Parameters
    ----------
    name : ``'emotions'`` (music, 72 features, 6 labels), ``'scene'`` (images, 294, 6), ``'enron'`` (mails, 1001, 53) or
        ``'medical'`` (reports, 1449, 45); the last two are sparse
    split : ``'train'`` or ``'test'``
    """
    if name not in SETS:
        raise ValueError(f"name must be one of {', '.join(map(repr, SETS))}, not {name!r}.")
    if split not in ("train", "test"):
        raise ValueError(f"split must be 'train' or 'test', not {split!r}.")
    tree = ElementTree.parse(data_file(f"multilabel/{name}.xml", folder))
    labels = [str(node.get("name")) for node in tree.getroot().iter() if node.tag.endswith("}label")]
    path = data_file(f"multilabel/{name}-{split}.arff.gz", folder)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        attributes, table = read_arff(file, str(path))
    place = {attribute: k for k, attribute in enumerate(attributes)}
    missing = [label for label in labels if label not in place]
    if missing:
        raise ValueError(f"{path} has no attribute {missing[0]!r}, which {name}.xml names as a label.")
    columns = [place[label] for label in labels]
    features = np.setdiff1d(np.arange(len(attributes)), columns)
    Y = table[:, columns]
    dense = Y.toarray() if sp.issparse(Y) else Y
    X = table[:, features]
    if sp.issparse(X):  # scikit-learn's LinearSVC takes 32-bit indices only
        X = sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    return LabelledTable(X, dense.astype(np.int64), labels)


def read_arff(lines: Any, source: str) -> tuple[list[str], Any]:
    """Names of the attributes and the numbers of an ARFF file: dense, or CSR where rows are ``{index value, ...}``."""
    attributes: list[str] = []
    rows: list[list[str]] = []
    sparse, in_data = False, False
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if not in_data:
            keyword = text.split(None, 1)[0].lower()
            if keyword == "@attribute":
                attributes.append(_attribute_name(text.split(None, 1)[1]))
            in_data = keyword == "@data"
            continue
        sparse = sparse or text.startswith("{")
        if text.startswith("{") != sparse or (sparse and not text.endswith("}")):
            raise ValueError(f"{source}, line {number}: a row must be numbers, or all rows {{index value, ...}}.")
        cells = text.strip("{}").split(",") if text.strip("{}") else []
        if not sparse and len(cells) != len(attributes):
            raise ValueError(f"{source}, line {number}: {len(cells)} values for {len(attributes)} attributes.")
        rows.append(cells)
    try:
        return attributes, _sparse_table(rows, len(attributes)) if sparse else np.array(rows, dtype=np.float64)
    except ValueError as error:
        raise ValueError(f"{source} holds a value that is no number ({error}).") from error


def _attribute_name(text: str) -> str:
    for quote in "'\"":
        if text.startswith(quote):
            return text[1 : text.index(quote, 1)]
    return text.split()[0]


def _sparse_table(rows: list[list[str]], width: int) -> sp.csr_array:
    cells = [cell.split() for row in rows for cell in row]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    indices = np.array([cell[0] for cell in cells], dtype=np.int64)
    values = np.array([cell[1] for cell in cells], dtype=np.float64)
    return sp.csr_array((values, indices, indptr), shape=(len(rows), width))
