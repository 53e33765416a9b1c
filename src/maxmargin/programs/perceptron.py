"""The averaged perceptron for outputs of dynamic programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from maxmargin.core.formulation import Formulation
from maxmargin.core.problem import as_examples
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.parameters import ANYTHING, TRAINING, Allowed, whole
from maxmargin.fitting.training import train
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.programs.calibration import CalibratedProgram
from maxmargin.programs.space import Space, check_methods, pack_programs
from maxmargin.programs.structure import ProgramStructure
from maxmargin.solvers.base import Record
from maxmargin.solvers.online import Perceptron


@saved
@dataclass(eq=False, repr=False)
class ProgramPerceptron(CalibratedProgram):
    """Averaged perceptron for outputs of programs (Collins): a baseline without C, loss or tolerance.

    Visits the examples in random order and adds ``s_i (Psi(x_i, y_i) - Psi(x_i, prediction))`` to the weights wherever
    the prediction is wrong; ``coef_`` is the mean of the weights along the way. Stops after a pass without mistakes.

    Parameters
    ----------
    space : the ``Space`` of outputs: programs of inputs and edges of outputs
    passes : over the training set at most
    max_time : as in StructuralSVM
    n_jobs : threads for prediction; -1 is all cores
    random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    coef_ : weights, the parts of the features one after the other
    shape_ : columns and blocks of every part
    solution_, n_iter_, temperature_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **{name: TRAINING[name] for name in ("max_time", "n_jobs", "random_state", "callback", "verbose")},
        "space": ANYTHING,
        "passes": (whole(1),),
    }

    space: Space
    _: KW_ONLY
    passes: int = 20
    max_time: float | None = None
    n_jobs: int | None = None
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def fit(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> ProgramPerceptron:
        """Learns from inputs ``X`` and their outputs ``y``, two sequences of one length."""
        with self._fitting():
            check_methods(self.space)
            X, y = as_examples(X, y)
            weight = check_sample_weight(sample_weight, len(y))
            programs = pack_programs(self.space, X)
            structure, solver = ProgramStructure(self.space, programs), Perceptron(int(self.passes))
            self._keep(train(self, structure, X, y, len(y), 1.0, weight, formulation=Formulation(), solver=solver))
            self.coef_, self.shape_ = self.solution_.w, programs.shape
            self.temperature_, self.calibrated_ = 1.0, False
        return self
