"""The text format of SVM-HMM: ``TAG qid:NUMBER index:value index:value ... # comment``, one token per line."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.chains.sequences.labels import pack_labels
from maxmargin.chains.sequences.packed import Sequences
from maxmargin.chains.sequences.packing import pack
from maxmargin.io.grouped_lines import Words, read_grouped_lines
from maxmargin.io.text import text_writer

_WORDS = Words("sequences", "tag", "token", "sequence", "number the tags", "3 qid:1 7:0.5")


@dataclass(frozen=True, eq=False)
class LabelledSequences:
    """Sequences and where each of their tokens came from.

    Parameters
    ----------
    path : the file
    X : the sequences
    Y : list of arrays, the tags of each sequence
    lines : int64 array of shape (n_tokens,), the line of each token, counted from 1
    ignored_features : features beyond the number asked for, which were dropped
    """

    path: str
    X: Sequences
    Y: list[npt.NDArray[np.int64]]
    lines: npt.NDArray[np.int64]
    ignored_features: int = 0


def read_svmhmm(path: str | PathLike[str], *, n_features: int | None = None) -> LabelledSequences:
    """Reads a file; tokens that follow each other with the same number after ``qid:`` are a sequence.

    Tags and the numbers are whole, the numbers ascend from sequence to sequence, and indices count from 1.
    ``n_features`` fixes the number of columns: features beyond it are dropped and counted, since a model that never saw
    them gives them no weight. Values of zero are not stored.
    """
    name = fspath(path)
    tags, numbers, lines, (indptr, indices, values) = read_grouped_lines(name, _WORDS)
    falls = np.flatnonzero(numbers[1:] < numbers[:-1])
    if falls.size:
        raise ValueError(
            f"{name}, line {lines[falls[0] + 1]}: qid:{numbers[falls[0] + 1]} follows qid:{numbers[falls[0]]}; "
            "put the tokens of a sequence together and number the sequences in ascending order."
        )
    width = int(indices.max(initial=-1)) + 1 if n_features is None else n_features
    beyond = indices >= width
    ignored = int(np.unique(indices[beyond]).size)
    if ignored:
        indptr = np.concatenate([[0], np.cumsum(~beyond)])[indptr]
        indices, values = indices[~beyond], None if values is None else values[~beyond]
    starts = np.flatnonzero(np.diff(numbers)) + 1
    offsets = np.concatenate([[0], starts, [len(tags)]])
    X = Sequences(offsets, indptr, indices, values, width)
    return LabelledSequences(name, X, np.split(tags, starts), lines, ignored)


def write_svmhmm(path: str | PathLike[str], X: Any, Y: Any) -> None:
    """Writes sequences, packed or as ``pack`` takes them, and their tags, whole numbers; sequences count from 1."""
    packed = pack(X)
    classes, codes = pack_labels(Y, packed)
    if classes.dtype.kind not in "iub":
        raise ValueError(f"The tags are {classes[:3].tolist()}, ...; number them, the format has whole numbers only.")
    tags = classes.astype(np.int64)[codes].tolist()
    offsets, indptr, indices = packed.offsets.tolist(), packed.indptr.tolist(), (packed.indices + 1).tolist()
    values = None if packed.values is None else packed.values.tolist()
    with text_writer(path) as file:
        for i in range(len(packed)):
            for t in range(offsets[i], offsets[i + 1]):
                part = slice(indptr[t], indptr[t + 1])
                if values is None:
                    cells = [f" {index}:1" for index in indices[part]]
                else:
                    cells = [f" {index}:{value!r}" for index, value in zip(indices[part], values[part], strict=True)]
                file.write(f"{tags[t]} qid:{i + 1}{''.join(cells)}\n")
