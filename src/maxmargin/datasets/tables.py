"""Classification sets that are one table of numbers."""

from __future__ import annotations

import gzip
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.datasets.local import data_file

Floats = npt.NDArray[np.float64]
Folder = str | PathLike[str] | None

_IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def load_covtype(folder: Folder = None) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Forest cover types: X of shape (581012, 54) unscaled, and classes 1 to 7.

    Reads ``covtype/covtype.npz``: ``quantitative`` (10, n), ``wilderness`` (n,) in 0..3, ``soil`` (n,) in 0..39 and
    ``label`` (n,). The two index columns become 4 and 40 indicator columns.
    """
    with np.load(data_file("covtype/covtype.npz", folder)) as stored:
        quantitative, label = stored["quantitative"], stored["label"]
        groups = ((stored["wilderness"], 4), (stored["soil"], 40))
    n, first = label.size, quantitative.shape[0]
    X = np.zeros((n, first + sum(size for _, size in groups)))
    X[:, :first] = quantitative.T
    for index, size in groups:
        X[np.arange(n), first + index.astype(np.intp)] = 1.0
        first += size
    return X, label.astype(np.int64)


def load_mnist(split: str = "train", folder: Folder = None) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Handwritten digits: X of shape (60000 or 10000, 784) with values 0..255, and the digits.

    Reads the idx files ``mnist/{train,t10k}-{images-idx3,labels-idx1}-ubyte.gz``.

    Parameters
    ----------
    split : ``'train'`` or ``'test'``
    """
    prefix = {"train": "train", "test": "t10k"}[_checked(split)]
    images = _idx(data_file(f"mnist/{prefix}-images-idx3-ubyte.gz", folder))
    labels = _idx(data_file(f"mnist/{prefix}-labels-idx1-ubyte.gz", folder))
    return images.reshape(images.shape[0], -1), labels.astype(np.int64)


def load_optdigits(split: str = "train", folder: Folder = None) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Digits as 64 counts 0..16; reads ``optdigits/optdigits.{tra,tes}.gz``.

    Parameters
    ----------
    split : ``'train'`` (3823 rows) or ``'test'`` (1797 rows)
    """
    ending = {"train": "tra", "test": "tes"}[_checked(split)]
    with gzip.open(data_file(f"optdigits/optdigits.{ending}.gz", folder), "rt") as file:
        table = np.loadtxt(file, delimiter=",", ndmin=2)
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(np.int64)


def load_uci_letter(split: str = "train", folder: Folder = None) -> tuple[Floats, npt.NDArray[np.str_]]:
    """Letters A to Z as 16 numbers 0..15; reads ``uci_letter/letter-recognition.data.gz``.

    Parameters
    ----------
    split : ``'train'`` (the first 80 % of the rows: 16000) or ``'test'`` (the rest)
    """
    _checked(split)
    with gzip.open(data_file("uci_letter/letter-recognition.data.gz", folder), "rt") as file:
        rows = [line.strip().split(",") for line in file if line.strip()]
    letters, X = np.array([row[0] for row in rows]), np.array([row[1:] for row in rows], dtype=np.float64)
    part = slice(None, len(rows) * 4 // 5) if split == "train" else slice(len(rows) * 4 // 5, None)
    return X[part], letters[part]


def _checked(split: str) -> str:
    if split not in ("train", "test"):
        raise ValueError(f"split must be 'train' or 'test', not {split!r}.")
    return split


def _idx(path: PathLike[str]) -> npt.NDArray[Any]:
    """An array in the idx format: two zero bytes, type, number of axes, sizes, values; all big-endian."""
    with gzip.open(path, "rb") as file:
        content = file.read()
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _IDX_TYPES:
        raise ValueError(f"{path} is not an idx file.")
    axes = content[3]
    shape = tuple(int(size) for size in np.frombuffer(content, ">u4", axes, 4))
    values = np.frombuffer(content, _IDX_TYPES[content[2]], offset=4 + 4 * axes)
    if values.size != int(np.prod(shape)):
        raise ValueError(f"{path} holds {values.size} values, but its header says {shape}.")
    return values.reshape(shape)
