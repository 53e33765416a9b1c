"""Labelled examples as they come out of a file, whatever its format."""

from __future__ import annotations

import gzip
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import quoted

_EXACT_INTEGERS = 2.0**53


@dataclass(frozen=True, eq=False)
class LabelledData:
    """Examples and where each of them came from.

    Parameters
    ----------
    path : the file
    X : array or CSR matrix of shape (n, n_features)
    labels : array of shape (n,), whole numbers or strings; None where labels were not wanted or not there
    lines : line of the file in which each example ends, counted from 1
    feature_names : names of the columns, None where the format has none
    ignored_features : features beyond the number asked for, which were dropped
    """

    path: str
    X: Any
    labels: npt.NDArray[Any] | None
    lines: Sequence[int]
    feature_names: tuple[str, ...] | None = None
    ignored_features: int = 0

    @property
    def targets(self) -> npt.NDArray[Any]:
        """The labels, or a complaint that there are none."""
        if self.labels is None:
            raise ValueError(f"{self.path} has no labels; add a column of labels to it.")
        return self.labels

    def check_known(self, classes: npt.NDArray[Any]) -> None:
        """Raises for the first label that is not one of ``classes``."""
        strange = np.flatnonzero(~np.isin(self.targets, classes))
        if strange.size:
            row = int(strange[0])
            raise ValueError(
                f"{self.path}, line {self.lines[row]}: the label {quoted(self.targets[row].item())} is not a class "
                "of the "
                f"model ({shortened(classes)}); correct it, or train again with examples of it."
            )


def shortened(items: Any, limit: int = 10) -> str:
    """The first items for a message, on one line."""
    lines = (" ".join(str(item)[:200].split()) for item in list(items)[: limit + 1])
    names = [name if len(name) <= 40 else f"{name[:37]}..." for name in lines]
    return ", ".join([*names[:limit], "..."] if len(names) > limit else names)


@contextmanager
def open_data(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Opens a file for reading bytes, after a byte order mark of UTF-8 if there is one, through gzip if its name ends
    in ``.gz``; a damaged archive is a sentence."""
    name = fspath(path)
    if not name.lower().endswith(".gz"):
        with open(name, "rb") as file:
            yield _after_mark(file)
        return
    try:
        with gzip.open(name, "rb") as archive:
            yield _after_mark(archive)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{name} is not a whole gzip file ({error}); copy or download it again.") from error


def _after_mark(file: Any) -> IO[bytes]:
    if file.peek(len(BOM_UTF8)).startswith(BOM_UTF8):  # a pipe cannot be rewound
        file.read(len(BOM_UTF8))
    return cast(IO[bytes], file)


def whole_labels(path: str, values: npt.NDArray[np.float64], lines: Sequence[int]) -> npt.NDArray[np.int64]:
    """Labels that are numbers, as integers; a complaint names the line of one that is not whole."""
    bad = np.flatnonzero(~(np.isfinite(values) & (np.abs(values) < _EXACT_INTEGERS) & (values == np.round(values))))
    if bad.size:
        raise ValueError(
            f"{path}, line {lines[bad[0]]}: the label {values[bad[0]]} is not a whole number; "
            "number the classes 0, 1, 2 and so on."
        )
    return values.astype(np.int64)


def is_number(text: str) -> bool:
    """Whether a field is written as a number, infinities and NaN included."""
    try:
        float(text)
    except ValueError:
        return False
    return True
