"""Trees of sentences as a structure that every solver can train."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.grammars.lexicon import Ints
from maxmargin.grammars.loss import bound_loss
from maxmargin.grammars.oracle import TreeOracle

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeStructure:
    """``F(x, y; w)`` is the sum of the scores of the rules of the tree ``y`` at their places in ``x``.

    ``sentences`` are packed with their features, ``derivations`` are the rules of their true trees.
    """

    sentences: _core.Sentences
    derivations: Sequence[Ints]
    loss: str = "f1"
    beam: float | None = None

    def targets(self) -> _core.TreeTargets:
        """The true trees in the core."""
        first = np.cumsum([0, *map(len, self.derivations)], dtype=np.int64)
        return _core.TreeTargets(
            self.sentences, first, np.concatenate([np.zeros((0, 4), np.int32), *self.derivations]).astype(np.int32)
        )

    def bind(
        self, X: Any, Y: Any, formulation: Formulation, *, sample_weight: Floats | None = None, threads: int = 1
    ) -> TreeOracle:
        """The native oracle for sentences and their trees."""
        loss = bound_loss(self.loss, self.sentences, self.targets(), formulation)
        lengths = np.array([len(x) for x in X], dtype=np.int32)
        return TreeOracle(self.sentences, lengths, loss, sample_weight, threads, self.beam)
