"""What it costs to answer one class where another is true: a table, 1 for every mistake, or a place in a taxonomy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.classes.taxonomies.graph import Taxonomy
from maxmargin.core.formulation import Formulation

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_MOST_TABLED = 512  # classes whose losses are kept as a table, of at most 2 MB


class ClassLosses(Protocol):
    """The loss between classes ``0 .. n_classes - 1``."""

    @property
    def n_classes(self) -> int: ...
    @property
    def zero_one(self) -> bool:
        """Whether every mistake costs 1."""
        ...

    @property
    def table(self) -> Floats:
        """``table[truth, answer]``, shape (n_classes, n_classes)."""
        ...

    def row(self, truth: int) -> Floats:
        """The loss of every class where ``truth`` is true."""
        ...

    def native(self, formulation: Formulation) -> _core.ClassLoss:
        """Margins and scales of the planes, for the core."""
        ...

    def of_pairs(self, truths: Indices, answers: Indices) -> Floats:
        """The loss of each answer."""
        ...


@dataclass(frozen=True)
class UniformLoss:
    """1 for every wrong answer."""

    n_classes: int
    zero_one = True

    @property
    def table(self) -> Floats:
        return 1.0 - np.eye(self.n_classes)

    def row(self, truth: int) -> Floats:
        loss = np.ones(self.n_classes)
        loss[truth] = 0.0
        return loss

    def native(self, formulation: Formulation) -> _core.ClassLoss:
        levels = np.arange(2.0)
        return _core.ClassLoss.uniform(self.n_classes, formulation.margin(levels), formulation.scale(levels))

    def of_pairs(self, truths: Indices, answers: Indices) -> Floats:
        return np.asarray(truths != answers, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class CostTable:
    """``cost[truth, answer]``, shape (n_classes, n_classes), zero on the diagonal."""

    cost: Floats
    zero_one = False

    @property
    def n_classes(self) -> int:
        return len(self.cost)

    @property
    def table(self) -> Floats:
        return self.cost

    def row(self, truth: int) -> Floats:
        row: Floats = self.cost[truth]
        return row

    def native(self, formulation: Formulation) -> _core.ClassLoss:
        return _core.ClassLoss.table(*padded_tables(self.cost, formulation))

    def of_pairs(self, truths: Indices, answers: Indices) -> Floats:
        return self.cost[truths, answers]


@dataclass(frozen=True, eq=False)
class TaxonomyLoss:
    """The height of the first common ancestor, or the length of the way over one, of nodes of a taxonomy.

    Parameters
    ----------
    taxonomy : with one root
    class_node : number of the node of every class, shape (n_classes,)
    kind : ``'height'`` or ``'path'``
    """

    taxonomy: Taxonomy
    class_node: Indices
    kind: str = "height"
    zero_one = False

    def __post_init__(self) -> None:
        if self.kind not in ("height", "path"):
            raise ValueError(f"kind must be 'height' or 'path', not {self.kind!r}.")
        self.taxonomy.check_one_root(f"the loss {self.kind!r}")

    @property
    def n_classes(self) -> int:
        return self.class_node.size

    def row(self, truth: int) -> Floats:
        row: Floats = self._plain.rows(truth)[0]
        return row

    def native(self, formulation: Formulation) -> _core.ClassLoss:
        """From a table where that is small, which visits read; otherwise through the taxonomy."""
        if self._is_tabled:
            return _core.ClassLoss.table(*padded_tables(self.table, formulation))
        return self._by_graph(formulation)

    @cached_property
    def table(self) -> Floats:
        return np.asarray(self._plain.margins().reshape(self.n_classes, -1))

    @property
    def _is_tabled(self) -> bool:
        return self.n_classes <= _MOST_TABLED

    def _by_graph(self, formulation: Formulation) -> _core.ClassLoss:
        highest = int(self.taxonomy.heights.max())
        levels = np.arange(highest + 1.0 if self.kind == "height" else 2.0 * highest + 1.0)
        return self._with(formulation.margin(levels), formulation.scale(levels))

    def of_pairs(self, truths: Indices, answers: Indices) -> Floats:
        if self._is_tabled:
            return np.asarray(self.table[truths, answers])
        found = np.empty(truths.size)
        for truth in np.unique(truths):
            asked = truths == truth
            found[asked] = self.row(int(truth))[answers[asked]]
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {"taxonomy": self.taxonomy, "class_node": self.class_node, "kind": self.kind}

    @cached_property
    def _plain(self) -> _core.ClassLoss:
        """The losses themselves as margins."""
        return self._by_graph(Formulation("margin", "linear"))

    def _with(self, margin: Floats, scale: Floats) -> _core.ClassLoss:
        graph = self.taxonomy
        return _core.ClassLoss.graph(
            self.kind, margin, scale, graph.parent_offsets, graph.parent_numbers, graph.heights, self.class_node
        )


def class_losses(cost: Any, n_classes: int) -> ClassLosses:
    """Of a checked cost matrix, or None for the zero-one loss."""
    return UniformLoss(n_classes) if cost is None else CostTable(cost)


def loss_size(losses: ClassLosses, labels: Indices, weight: Floats | None) -> float:
    """The mean loss of a wrong answer: over the examples by weight, and over all wrong classes alike; 1 if it is 0."""
    if losses.zero_one:
        return 1.0
    share = np.bincount(labels, weights=weight, minlength=losses.n_classes)
    total = sum(share[k] * float(losses.row(int(k)).sum()) for k in np.flatnonzero(share))
    size = float(total / (share.sum() * (losses.n_classes - 1)))
    return size if 0.0 < size < np.inf else 1.0


def padded_row(n_classes: int, formulation: Formulation) -> tuple[Floats, Floats]:
    """Margin and scale of the zero-one loss for all truths, as tables of one row; the truth's own entries are not 0."""
    room = (0, _core.padded(n_classes) - n_classes)
    one = np.ones(n_classes)
    margin = np.pad(formulation.margin(one), room, constant_values=-np.inf)
    return margin[None, :], np.pad(formulation.scale(one), room)[None, :]


def padded_tables(costs: Floats, formulation: Formulation) -> tuple[Floats, Floats]:
    """Margin and scale for all pairs of classes: zero on the diagonal, rows padded with what is never chosen."""
    off = 1.0 - np.eye(len(costs))
    room = ((0, 0), (0, _core.padded(len(costs)) - len(costs)))
    margin = np.pad(off * formulation.margin(costs), room, constant_values=-np.inf)
    return margin, np.pad(off * formulation.scale(costs), room)
