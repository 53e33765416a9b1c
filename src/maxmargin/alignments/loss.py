"""Losses of alignments, in the form that a search needs.

With L true pairs, of which h are hit by an alignment of g pairs:

``'q'``         ``1 - h / L``: the share of true pairs that are missed
``'f1'``        ``1 - 2 h / (L + g)``
``'zero-one'``  1 unless the alignment is the true one

A true pair (i, j) is hit where the alignment has (i, j'), with ``|j - j'|`` at most ``shift``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.alignments.packed import PackedAlignments, offsets
from maxmargin.core.formulation import Formulation, Search
from maxmargin.oracles.search import Unsupported

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]

LOSSES = ("q", "f1", "zero-one")
_MOST_STRATA = 1_000_000  # of an example
_PRICED = 6.0  # searches with prices of hits and pairs, roughly
_NONE: Ints = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class AlignmentLoss:
    """A loss bound to true alignments and a formulation; see ``alignments/targets.hpp`` for the fields."""

    formulation: Formulation
    targets: _core.AlignmentTargets
    goal: str
    candidates_only: bool
    counts_pairs: bool = False
    unit: Floats = field(default_factory=lambda: np.zeros(0))
    margin: Floats = field(default_factory=lambda: np.zeros(0))
    scale: Floats = field(default_factory=lambda: np.zeros(0))
    first: Ints = field(default_factory=lambda: _NONE)
    stride: Ints = field(default_factory=lambda: _NONE)
    searches: float = 1.0  # for the best alignment of the true candidate, that one for the most violated costs

    def oracle(self) -> _core.AlignmentOracle:
        margin, scale = float(self.formulation.margin(1.0)), float(self.formulation.scale(1.0))
        tables = self.unit, self.margin, self.scale, self.first, self.stride
        return _core.AlignmentOracle(
            self.targets, self.goal, self.candidates_only, self.counts_pairs, margin, scale, *tables
        )

    def arrays(self) -> tuple[Any, ...]:
        """By what the loss is recognised in a later fit."""
        numbers = self.unit, self.margin, self.scale, self.first, self.stride
        return self.goal, self.candidates_only, self.counts_pairs, *numbers, self.targets.fingerprint()


def bound_loss(
    loss: str,
    shift: int,
    packed: PackedAlignments,
    truths: Sequence[Indices],
    formulation: Formulation,
    *,
    candidates_only: bool = False,
) -> AlignmentLoss:
    """A loss on a training set. ``candidates_only``: all alignments of the true candidate are right."""
    targets = packed.targets(truths, shift)
    if formulation.search is Search.PREDICTION:
        return AlignmentLoss(formulation, targets, "prediction", candidates_only)
    if candidates_only or loss == "zero-one" or formulation.search is Search.SECOND:
        return AlignmentLoss(formulation, targets, "second", candidates_only)
    true_pairs = np.array([len(own) for own in truths])
    empty = np.flatnonzero(true_pairs == 0)
    if loss == "q" and empty.size:
        raise ValueError(
            f"The alignment of example {empty[0]} has no pairs, so that no share of them can be missed; leave the "
            "example out, or use loss='f1' or 'zero-one'."
        )
    if loss == "q" and formulation.search is Search.AUGMENTED:
        return AlignmentLoss(formulation, targets, "augmented", False, unit=1.0 / true_pairs)
    counted = loss == "f1"
    most = np.array([min(packed.given.lengths(i)) for i in range(packed.n)]) if counted else np.zeros_like(true_pairs)
    sizes = (true_pairs + 1) * (most + 1)
    worst = int(np.argmax(sizes))
    if sizes[worst] > _MOST_STRATA:
        raise Unsupported(
            f"{formulation} of loss={loss!r} looks at every value of the loss, and the alignments of example {worst} "
            f"have {sizes[worst]:,} numbers of hits and pairs; use rescaling='margin' with slack='linear' and "
            "loss='q', or shorter sequences."
        )
    losses = [_by_total(loss, int(count), int(high)) for count, high in zip(true_pairs, most)]
    table = np.concatenate(losses)
    return AlignmentLoss(
        formulation,
        targets,
        "totals",
        False,
        counts_pairs=counted,
        margin=formulation.margin(table),
        scale=formulation.scale(table),
        first=offsets(sizes.tolist())[:-1],
        stride=(true_pairs + 1).astype(np.int64),
        searches=_PRICED,
    )


def _by_total(loss: str, true_pairs: int, most: int) -> Floats:
    """The loss at each total: hits, plus ``true_pairs + 1`` for each pair where pairs count."""
    hits = np.arange(true_pairs + 1.0)
    if loss == "q":
        return np.asarray(1.0 - hits / true_pairs)
    pairs = np.arange(most + 1.0)[:, None]
    together = true_pairs + pairs
    return np.where(together > 0, 1.0 - 2.0 * hits / np.maximum(together, 1.0), 0.0).clip(0.0).ravel()


def losses_of(loss: str, shift: int, truths: Sequence[Indices], found: Sequence[Indices]) -> Floats:
    """The loss of alignments, shape (n,)."""
    return np.array([loss_of(loss, shift, truth, own) for truth, own in zip(truths, found)], dtype=np.float64)


def loss_of(loss: str, shift: int, truth: Indices, found: Indices) -> float:
    """The loss of one alignment."""
    if loss == "zero-one":
        return float(not np.array_equal(truth, found))
    hits = hits_of(truth, found, shift)
    if loss == "q":
        return 1.0 - hits / len(truth) if len(truth) else 0.0
    return 1.0 - 2.0 * hits / (len(truth) + len(found)) if len(truth) + len(found) else 0.0


def hits_of(truth: Indices, found: Indices, shift: int) -> int:
    """How many true pairs an alignment hits."""
    _, own, other = np.intersect1d(truth[:, 0], found[:, 0], assume_unique=True, return_indices=True)
    return int((np.abs(truth[own, 1].astype(np.int64) - found[other, 1]) <= shift).sum())
