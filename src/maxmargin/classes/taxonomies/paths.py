"""Labels that spell out the nodes above them: names with a separator, or one column per level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.classes.taxonomies.losses import check_lengths, check_loss
from maxmargin.classes.taxonomies.sources import name_parts

Floats = npt.NDArray[np.float64]
Path = tuple[Any, ...]
SEPARATORS = ("->", "=>", "::", "/", "\\", "|", ">", ":", ".")
_MISSING = {"none": None, "empty": "", "nan": np.nan}
_JOINED_BY = ("/", "|", "->", "::", "\x1f")


def found_separator(labels: Iterable[Any]) -> str | None:
    """The string that divides names such as ``'rec.sport.hockey'``, or None where they do not look like that.

    Every label has it, or is itself the beginning of another label, and some of them, but not all, share a beginning.
    Of several such strings the first in the order of ``SEPARATORS``, with blanks around it or without.
    """
    names = list(dict.fromkeys(labels))
    if len(names) < 2 or not all(isinstance(name, str) for name in names):
        return None
    for separator in (form for plain in SEPARATORS for form in (f" {plain} ", plain)):
        paths = [tuple(name.split(separator)) for name in names]
        if all(len(path) == 1 for path in paths) or not all(all(path) for path in paths):
            continue
        above = Counter(path[:end] for path in paths for end in range(1, len(path)))
        if all(len(path) > 1 or path in above for path in paths) and any(1 < n < len(names) for n in above.values()):
            return separator
    return None


def label_paths(y: Any, separator: str | None) -> list[Path] | None:
    """The nodes from the highest down to each label: of rows with one column per level, or of names that ``separator``
    divides; None where labels spell out neither."""
    table = _table(y)
    if table is not None:
        return _paths(table)
    if separator is None:
        return None
    return [tuple(name_parts(name, separator)) for name in (y.tolist() if isinstance(y, np.ndarray) else y)]


def path_losses(y_true: Sequence[Path], y_pred: Sequence[Path], loss: str = "height") -> Floats:
    """The loss of each answer, from the two paths alone.

    ``'height'`` is the number of levels from the last node they share down to the longer of them, the height of that
    node wherever all leaves are equally deep; ``'path'`` the number of edges between them; ``'zero-one'`` 1.
    """
    check_loss(loss)
    check_lengths(len(y_true), len(y_pred))
    known: dict[tuple[Path, Path], float] = {}
    found = np.empty(len(y_true))
    for at, pair in enumerate(zip(y_true, y_pred)):
        if pair not in known:
            truth, answer = pair
            shared = 0
            while shared < min(len(truth), len(answer)) and truth[shared] == answer[shared]:
                shared += 1
            ways = len(truth) - shared, len(answer) - shared
            known[pair] = float(max(ways) if loss == "height" else sum(ways) if loss == "path" else any(ways))
        found[at] = known[pair]
    return found


@dataclass(frozen=True)
class Levels:
    """How rows of one value per level become names, and names such rows again.

    Attributes
    ----------
    separator : between the parts of a name; in no value
    values : for each level the values by the text that stands for them in names
    missing : what deeper levels hold where a label ends above them
    dtype : of the array that was given
    """

    separator: str
    values: tuple[dict[str, Any], ...]
    missing: Any
    dtype: str

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Levels:
        """From what ``plain`` gave; what is not that is a KeyError, TypeError or ValueError."""
        missing, values = _MISSING[plain["missing"]], tuple(dict(level) for level in plain["values"])
        allowed = (str, int, float, bool)
        if len(values) < 2 or not all(
            isinstance(text, str) and isinstance(value, allowed) for level in values for text, value in level.items()
        ):
            raise ValueError("the levels must hold strings or numbers by their names")
        if not isinstance(plain["separator"], str) or not plain["separator"]:
            raise ValueError("the separator of levels must be a string")
        return cls(plain["separator"], values, missing, np.dtype(plain["dtype"]).str.replace("|O", "O"))

    def plain(self) -> dict[str, Any]:
        """Strings and numbers for a model file."""
        missing = next(name for name, value in _MISSING.items() if value is self.missing or value == self.missing)
        return {
            "separator": self.separator,
            "values": [list(map(list, level.items())) for level in self.values],
            "missing": missing,
            "dtype": self.dtype,
        }

    def names(self, y: Any) -> npt.NDArray[Any]:
        """The name of each row; the inverse of ``rows``."""
        table = _table(y)
        if table is None or table.shape[1] != len(self.values):
            shape = np.shape(y) if table is None else table.shape
            raise ValueError(
                f"y has shape {shape}, and the model was trained with one column for each of {len(self.values)} levels."
            )
        return np.array([self.separator.join(map(str, path)) for path in _paths(table)], dtype=object)

    def rows(self, names: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """One row per name, shape (n, levels); a name that is no path, such as the root, has no value at any level."""
        distinct, place = np.unique(np.asarray(names, dtype=str), return_inverse=True)
        table = np.empty((distinct.size, len(self.values)), dtype=object)
        table[:] = self.missing
        for row, name in zip(table, distinct.tolist()):
            parts = name.split(self.separator)
            if all(part in known for part, known in zip(parts, self.values)):
                row[: len(parts)] = [known[part] for part, known in zip(parts, self.values)]
        found = table[place.ravel()]
        if self.dtype == "O" or (self.missing is None and any(value is None for value in found.ravel())):
            return found
        return found.astype("U" if np.dtype(self.dtype).kind == "U" else self.dtype)


def read_levels(y: Any) -> tuple[npt.NDArray[Any], Levels] | None:
    """The names of labels that are given as two or more columns, highest level first; None for other labels.

    None, NaN and the empty string end a label above the deepest level.
    """
    table = _table(y)
    if table is None:
        return None
    paths = _paths(table)
    values: list[dict[str, Any]] = [{} for _ in range(table.shape[1])]
    for row, path in enumerate(paths):
        for level, value in enumerate(path):
            known = values[level].setdefault(str(value), value)
            if known != value:
                raise ValueError(
                    f"Column {level} of y has both {known!r} and, in row {row}, {value!r}; give its values one type."
                )
    separator = next(text for text in _JOINED_BY if not any(text in part for known in values for part in known))
    kind = y.dtype.str if isinstance(y, np.ndarray) and y.dtype.kind in "Uiuf" else "O"
    ended = (value for path, row in zip(paths, table) for value in row[len(path) :])
    missing = next(ended, "" if kind[1:2] == "U" else np.nan if kind[1:2] == "f" else None)
    missing = missing if isinstance(missing, str) else np.nan if isinstance(missing, float) else None
    names = np.array([separator.join(map(str, path)) for path in paths], dtype=object)
    return names, Levels(separator, tuple(values), missing, kind)


def _table(y: Any) -> npt.NDArray[Any] | None:
    """Objects of shape (n, levels) with at least two levels, or None. Lists of paths may differ in length."""
    if hasattr(y, "columns") and hasattr(y, "to_numpy"):
        table = np.asarray(y.to_numpy(), dtype=object)
    elif isinstance(y, np.ndarray):
        table = y.astype(object) if y.dtype.kind in "OUiuf" else y
    elif isinstance(y, list | tuple) and len(y) and all(isinstance(path, list | tuple) for path in y):
        table = np.full((len(y), max(map(len, y))), None, dtype=object)
        for row, path in zip(table, y):
            row[: len(path)] = path
    else:
        return None
    return table if table.ndim == 2 and table.shape[1] > 1 else None


def _paths(table: npt.NDArray[Any]) -> list[Path]:
    """The values of each row as far as they go."""
    ends = np.array([[_is_missing(value) for value in row] for row in table], dtype=bool).reshape(table.shape)
    length = np.where(ends.any(axis=1), ends.argmax(axis=1), table.shape[1])
    if (length == 0).any():
        row = int(np.argmax(length == 0))
        raise ValueError(f"Row {row} of y has no value at its first level; give every row at least that one.")
    gap = ~ends & (np.arange(table.shape[1]) > length[:, None])
    if gap.any():
        row, column = np.argwhere(gap)[0].tolist()
        raise ValueError(
            f"Row {row} of y has a value in column {column} and none in column {length[row]} before it; a label ends "
            "at the first level without a value."
        )
    return [
        tuple(value.item() if isinstance(value, np.generic) else value for value in row[:end])
        for row, end in zip(table.tolist(), length.tolist())
    ]


def _is_missing(value: Any) -> bool:
    """None, NaN, pandas' NA and NaT, or the empty string."""
    if value is None or isinstance(value, str):
        return not value
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return type(value).__name__ in ("NAType", "NaTType")
