"""Classification sets whose classes are the nodes of a tree."""

from __future__ import annotations

import gzip
from os import PathLike

import numpy as np
import numpy.typing as npt

from maxmargin.datasets.local import data_file

Floats = npt.NDArray[np.float64]


def load_imclef07a(
    split: str = "train", folder: str | PathLike[str] | None = None
) -> tuple[Floats, npt.NDArray[np.str_]]:
    """X-ray images as 80 numbers, and what they show: one of 63 leaves of a tree of 96 nodes, such as ``'2/1/3'``.

    Reads ``hierarchical/ImCLEF07A_{Train,Test}.arff.gz``.

    Parameters
    ----------
    split : ``'train'`` (10000 rows), ``'test'`` (1006 rows) or ``'all'``
    """
    if split not in ("train", "test", "all"):
        raise ValueError(f"split must be 'train', 'test' or 'all', not {split!r}.")
    parts = [
        _read_paths(data_file(f"hierarchical/ImCLEF07A_{name}.arff.gz", folder))
        for name in ("Train", "Test")
        if split in ("all", name.lower())
    ]
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def _read_paths(path: PathLike[str]) -> tuple[Floats, npt.NDArray[np.str_]]:
    """ARFF whose last column holds the nodes of a class, ``@`` between them and the lowest one last."""
    rows: list[list[str]] = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            text = line.strip()
            if text and not text.startswith(("@", "%")):
                rows.append(text.split(","))
    if not rows:
        raise ValueError(f"{path} holds no rows after its header; it is not a table of examples.")
    odd = next((number for number, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if odd is not None:
        raise ValueError(f"Row {odd} of {path} has {len(rows[odd])} columns, and row 0 has {len(rows[0])}.")
    X = np.array([row[:-1] for row in rows], dtype=np.float64)
    return X, np.array([max(row[-1].split("@"), key=lambda node: node.count("/")) for row in rows])
