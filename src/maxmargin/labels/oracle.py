"""Planes of label vectors from the native core: the oracle of :class:`~.multilabel.Multilabel`, and its engine for
labels that do not know each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.labels.loss import LabelLoss
from maxmargin.oracles.engine import DualState, Engine
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.native import NativeEngine, NativeOracle, Outputs, WorkingSetEngine, csr_planes

if TYPE_CHECKING:
    from maxmargin.labels.multilabel import Multilabel

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Vectors = npt.NDArray[np.uint8]


class MultilabelOracle(NativeOracle):
    """Planes of label vectors from the native core."""

    core: _core.Labels

    def __init__(
        self,
        structure: Multilabel,
        rows: _core.Rows,
        truths: Vectors,
        loss: LabelLoss,
        formulation: Formulation,
        sample_weight: Floats | None,
        threads: int,
    ) -> None:
        self.structure, self.rows, self.truths, self.loss = structure, rows, truths, loss
        core = structure.core(rows, truths, loss)
        cost = rows.cells / rows.n * _core.padded(structure.n_labels) + len(structure.pairs)
        super().__init__(core, rows.n, formulation, sample_weight, threads, cost)

    def outputs_of(self, state: DualState) -> Outputs | None:
        return None if state.handles is None else np.array(state.handles, dtype=np.uint8).ravel()

    def handles_of(self, examples: Indices, outputs: Outputs) -> list[Vectors]:
        return list(outputs.reshape(-1, self.structure.n_labels))

    def rows_of(self, examples: Indices, outputs: Outputs) -> Planes:
        return csr_planes(self.core.rows(examples, outputs), examples, self.dimension, self.exact)

    def moved(self, state: DualState, codes: Indices) -> DualState:
        same = np.array_equal(codes, np.arange(self.structure.n_labels))
        return state.take(np.arange(state.alpha.size if same else 0))

    def fingerprint(self) -> str:
        structure = self.structure
        kind = (self.formulation, structure.loss_name, structure.eta, self.rows.columns, self.rows.fingerprint())
        return digest(*kind, self.truths, structure.pairs, structure.costs, self.sample_weight)

    @property
    def separate(self) -> bool:
        """Whether every label can be trained for itself: no pairs, costs that add up, linear slack."""
        return self.loss.goal == "augmented" and not len(self.structure.pairs) and self.formulation.slack == "linear"

    def engine(self, C: float) -> Engine:
        if self.separate:
            return SeparateLabelEngine(self, C)
        return WorkingSetEngine(self, _core.LabelEngine(self.core, self.formulation.slack, C, self.sample_weight))


class SeparateLabelEngine(NativeEngine):
    """The dual engine where every label is trained for itself; its state is one of whole label vectors too."""

    separate = True
    core: _core.SeparateLabelEngine

    def __init__(self, oracle: MultilabelOracle, C: float) -> None:
        super().__init__(oracle, _core.SeparateLabelEngine(oracle.core, C, oracle.sample_weight))
        self._truths = oracle.truths

    def state(self) -> DualState:
        example, vectors, alpha = self.core.vectors()
        handles = self.oracle.handles_of(example, vectors)
        return DualState(example, np.zeros(example.size, np.int32), alpha, handles=handles)

    def working_sets(self) -> DualState:
        """A plane is the truth with one label changed."""
        example, label, alpha = self.core.support()
        vectors = self._truths[example]
        vectors[np.arange(label.size), label] ^= 1
        return DualState(example, label, alpha, handles=list(vectors))
