"""Measures that search all groups at once: many small groups cost one call instead of one each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.groups.base import Violation, check_lengths

Floats = npt.NDArray[np.float64]
Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Violations:
    """One output of every group: ``coefficients`` of the rows in its ``psi``, shape (n,), and its ``loss``, shape (g,).

    ``found`` is false, shape (g,), for a group in which nothing is violated; its coefficients are 0 then.
    """

    coefficients: Floats
    loss: Floats
    found: npt.NDArray[np.bool_]

    def values(self, scores: Floats, offsets: Offsets, formulation: Formulation) -> Floats:
        """``margin - scale * <w, psi>`` of every group, 0 where nothing was found."""
        psi = group_sums(self.coefficients * scores, offsets)
        value = formulation.margin(self.loss) - formulation.scale(self.loss) * psi
        return np.where(self.found, value, 0.0)


def group_sums(numbers: Floats, offsets: Offsets) -> Floats:
    """Sums over the rows of each group; no group is empty."""
    sums: Floats = np.add.reduceat(numbers, offsets[:-1])
    return sums


class GroupedMeasure(ABC):
    """A ``Measure`` whose subclass prepares and searches all groups in one call."""

    @abstractmethod
    def prepare_groups(self, truth: npt.NDArray[Any], offsets: Offsets, names: Sequence[str]) -> Any:
        """The same as ``prepare`` for rows ``offsets[g]`` to ``offsets[g + 1]`` of every group ``g``."""

    @abstractmethod
    def search_groups(self, scores: Floats, target: Any, formulation: Formulation, threads: int = 1) -> Violations:
        """The same as ``search`` for every group."""

    def prepare(self, truth: npt.NDArray[Any], where: str = "the sample") -> Any:
        truth = np.asarray(truth)
        if truth.ndim != 1:
            raise ValueError(f"The truth of {where} has {truth.ndim} dimensions; one label per row is needed.")
        return self.prepare_groups(truth, np.array([0, truth.size], dtype=np.int64), [where])

    def search(self, scores: Floats, target: Any, formulation: Formulation) -> Violation | None:
        check_lengths(scores, target.n)
        found = self.search_groups(scores, target, formulation)
        return Violation(found.coefficients, float(found.loss[0])) if found.found[0] else None
