"""The spectrum kernel of strings: rows that are texts, compared by the substrings that they have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.input_checks import quoted

Floats = npt.NDArray[np.float64]

_DENSE = ("precomputed", "chi2", "additive_chi2")
_ODD = re.compile("[\\0\ud800-\udfff]")
_BETWEEN = "\x1f"  # of the tokens of a sequence that is no string


@dataclass(frozen=True)
class Spectrum:
    """A kernel of strings, for the parameter ``kernel`` of estimators over rows; X is a list of strings then.

    ``k(a, b) = sum_s count_a(s) count_b(s)`` over all substrings ``s`` of ``length`` letters (Leslie, Eskin and Noble,
    2002), or a kernel of these counts. The counts are sparse rows, so that the linear kernel is trained on as features:
    ``coef_`` has weights of substrings, ``substrings_`` their names.

    Parameters
    ----------
    length : of the substrings
    normalised : whether counts are divided by their length as vectors, so that ``k(a, a)`` is 1
    kernel : the name of a kernel of the counts; with ``'linear'`` they are the features
    """

    length: int = 3
    normalised: bool = True
    kernel: Any = "linear"

    def __post_init__(self) -> None:
        length: Any = self.length
        if isinstance(length, bool) or not isinstance(length, Integral) or int(length) < 1:
            raise ValueError(f"length of Spectrum must be a whole number of at least 1, not {quoted(self.length)}.")
        if self.normalised not in (True, False):
            raise ValueError(f"normalised of Spectrum must be True or False, not {quoted(self.normalised)}.")
        if not isinstance(self.kernel, str):
            raise ValueError(f"kernel of Spectrum is the name of a kernel of counts, not {quoted(self.kernel)}.")
        if self.kernel in _DENSE:
            raise ValueError(f"kernel of Spectrum cannot be {self.kernel!r}: counts of substrings are sparse rows.")

    def learned(self, texts: Sequence[Any]) -> npt.NDArray[np.str_]:
        """The substrings of some texts, sorted."""
        found = sorted({part for text in texts for part in self._parts(text)})
        if odd := next((part for part in found if _ODD.search(part)), None):
            raise ValueError(
                f"X has the substring {quoted(odd)}, with a NUL or half a surrogate pair, which no file keeps; "
                "remove such characters."
            )
        if not found:
            raise ValueError(
                f"No string of X has {self.length} letters, so that they have no substrings of that length; give "
                "Spectrum a smaller one."
            )
        return np.array(found)

    def rows(self, texts: Sequence[Any], substrings: npt.NDArray[np.str_]) -> sp.csr_array:
        """Counts of the substrings that are known, one row per text; with ``normalised`` those of others count for the
        length of the row too."""
        column = {part: k for k, part in enumerate(substrings.tolist())}
        ends, indices, values = [0], [], []
        for text in texts:
            counts = Counter(self._parts(text))
            size = float(np.sqrt(sum(count * count for count in counts.values()))) if self.normalised else 1.0
            known = sorted((column[part], count / size) for part, count in counts.items() if part in column)
            indices += [at for at, _ in known]
            values += [value for _, value in known]
            ends.append(len(indices))
        shape = (len(ends) - 1, len(column))
        return sp.csr_array((np.array(values), np.array(indices, np.int32), np.array(ends, np.int32)), shape=shape)

    def _parts(self, text: Any) -> list[str]:
        parts = range(len(text) - self.length + 1)
        if isinstance(text, str):
            return [text[k : k + self.length] for k in parts]
        return [_BETWEEN.join(text[k : k + self.length]) for k in parts]


def as_texts(X: Any) -> Sequence[Any]:
    """X as a list of strings or of lists of strings; raises for anything else."""
    if sp.issparse(X) or (isinstance(X, np.ndarray) and X.ndim != 1):
        what = "a sparse matrix" if sp.issparse(X) else "an array"
        raise ValueError(
            f"Spectrum takes a list of strings, not {what} of shape {X.shape}; for rows of numbers choose another "
            "kernel, such as kernel='linear'."
        )
    if hasattr(X, "columns"):
        raise ValueError("Spectrum takes a list of strings; of a data frame give the column that has them.")
    if isinstance(X, str) or not hasattr(X, "__iter__"):
        raise ValueError(f"Spectrum takes a list of strings, not {quoted(X)}.")
    texts = list(X)
    for i, text in enumerate(texts):
        sequence = isinstance(text, list | tuple) and all(isinstance(part, str) for part in text)
        if not isinstance(text, str) and not sequence:
            raise ValueError(f"Row {i} of X is {quoted(text)}; Spectrum takes strings, or lists of strings.")
    return texts
