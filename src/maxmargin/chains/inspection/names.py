"""How the weights of a chain are written: their names, and tables of them as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from maxmargin import _core


@dataclass(frozen=True, eq=False)
class ChainNames:
    """Features and labels by name; a feature without one is known by its column.

    Parameters
    ----------
    classes : the labels, shape (n_labels,)
    n_features : columns of a token before the window was laid around it
    window : how many tokens before and after lend their features
    features, pairs : dictionaries with the names of the columns, or None where they have none
    kind : what a column without a name is; one for each label where it is ``'score of'``
    places : sequences and positions of training tokens that columns without a name stand for, shape (2, n_features)
    """

    classes: npt.NDArray[Any]
    n_features: int
    window: int = 0
    features: _core.Attributes | None = None
    pairs: _core.Attributes | None = None
    kind: str = "feature"
    places: npt.NDArray[Any] | None = None

    def label(self, code: int) -> Any:
        """The label itself, a plain Python object where it is a number or a string."""
        label = self.classes[code]
        return label.item() if hasattr(label, "item") else label

    def feature(self, column: int) -> str:
        """``name``, or ``name[+1]`` for the same feature of the next token."""
        place, own = divmod(column, self.n_features)
        if self.places is not None:
            name = f"token {self.places[1, own]} of sequence {self.places[0, own]}"
        elif self.features is None:
            name = f"{self.kind} {self.label(own) if self.kind == 'score of' else own}"
        else:
            name = self.features.name(own)
        return name if place == self.window else f"{name}[{place - self.window:+d}]"

    def pair(self, column: int) -> str:
        return f"pair feature {column}" if self.pairs is None else self.pairs.name(column)

    def step(self, before: Sequence[Any], after: Any) -> str:
        """``DET, ADJ -> NOUN``; nothing before is the start of a sequence, None after is its end."""
        left = ", ".join(map(str, before)) if before else "(start)"
        return f"{left} -> {'(end)' if after is None else after}"


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns under their heads; the last one, numbers, is set right, the others left."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column == len(head) - 1 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        )
        for line in lines
    )
