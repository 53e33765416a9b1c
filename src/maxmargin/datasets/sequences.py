"""Sets of labelled sequences."""

from __future__ import annotations

from collections.abc import Collection
from os import PathLike
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxmargin.datasets.local import data_file

LabelledMatrices: TypeAlias = tuple[list[npt.NDArray[np.float64]], list[npt.NDArray[np.int64]]]


def load_ocr_letters(
    folds: Collection[int] | None = None, folder: str | PathLike[str] | None = None
) -> LabelledMatrices:
    """Handwritten words: for each word its letters as rows of 128 binary pixels, and as numbers 0..25.

    Reads ``ocr_letters/ocr_letters.npz``: ``pixels`` (letters, 16) packed bits, ``labels`` (letters,), ``offsets``
    (words + 1,) and ``folds`` (words,).

    Parameters
    ----------
    folds : which of the folds 0..9 to keep; None keeps all 6877 words
    """
    with np.load(data_file("ocr_letters/ocr_letters.npz", folder)) as stored:
        pixels = np.unpackbits(stored["pixels"], axis=1).astype(np.float64)
        labels, offsets, fold_of = stored["labels"].astype(np.int64), stored["offsets"], stored["folds"]
    kept = [i for i, fold in enumerate(fold_of) if folds is None or int(fold) in folds]
    parts = [slice(int(offsets[i]), int(offsets[i + 1])) for i in kept]
    return [pixels[part] for part in parts], [labels[part] for part in parts]
