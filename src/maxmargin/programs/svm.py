"""Structural support vector machines for outputs of dynamic programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from maxmargin.core.formulation import Formulation
from maxmargin.core.problem import as_examples
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.parameters import ANYTHING, MARGINS, TRAINING, Allowed
from maxmargin.fitting.training import train
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.programs.calibration import CalibratedProgram
from maxmargin.programs.loss import LOSSES
from maxmargin.programs.space import Space, check_methods, pack_programs
from maxmargin.programs.structure import ProgramStructure
from maxmargin.solvers.base import Record


@saved
@dataclass(eq=False, repr=False)
class ProgramSVM(CalibratedProgram):
    """Large-margin learning of the outputs of dynamic programs.

    Minimises ``1/2 |w|^2 + C * sum_i s_i * risk_i``, where ``F(x, y; w)`` is the sum of the scores of the edges of
    ``y``; for margin rescaling and linear slack ``risk_i = max_y loss(y_i, y) - F(x_i, y_i) + F(x_i, y)``.

    Parameters
    ----------
    space : the ``Space`` of outputs: programs of inputs, edges of outputs, and what mistakes cost
    C : weight of the sum of the risks; ``'scale'`` is measured on the most violated outputs of some examples at
        ``w = 0`` (``plane_c``): 5 times their loss over the squared length of what tells them from the truth
    loss : ``'cost'`` is what the space says that an output costs; ``'zero-one'`` is 1 for every output but the true one
    rescaling, slack, solver : as in StructuralSVM
    tol, max_iter, max_time : as in StructuralSVM
    n_jobs : threads for one-slack training and prediction; -1 is all cores
    warm_start, random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    coef_ : weights, the parts of the features one after the other
    shape_ : columns and blocks of every part
    C_, solution_, n_iter_, temperature_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {**TRAINING, **MARGINS, "space": ANYTHING, "loss": LOSSES}

    space: Space
    C: float | str = "scale"
    _: KW_ONLY
    loss: str = "cost"
    rescaling: str = "margin"
    slack: str = "linear"
    solver: Any = "auto"
    tol: float | str = "auto"
    max_iter: int | None = 1000
    max_time: float | None = None
    n_jobs: int | None = None
    warm_start: bool = False
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def fit(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> ProgramSVM:
        """Learns from inputs ``X`` and their outputs ``y``, two sequences of one length."""
        with self._fitting():
            check_methods(self.space)
            X, y = as_examples(X, y)
            weight = check_sample_weight(sample_weight, len(y))
            programs = pack_programs(self.space, X)
            formulation = Formulation("none" if self.loss == "zero-one" else self.rescaling, self.slack)
            structure = ProgramStructure(self.space, programs)
            self._keep(train(self, structure, X, y, len(y), self.C, weight, formulation=formulation))
            self.coef_, self.shape_ = self.solution_.w, programs.shape
            self.temperature_, self.calibrated_ = 1.0, False
        return self
