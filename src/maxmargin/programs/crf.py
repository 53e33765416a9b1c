"""Conditional random fields over the outputs of dynamic programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from maxmargin.core.problem import as_examples
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.likelihood_training import train_sum_likelihood
from maxmargin.fitting.parameters import ANYTHING, NOT_NEGATIVE, SOLVER, TRAINING, Allowed
from maxmargin.fitting.training import job_count
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.programs.base import ProgramEstimator
from maxmargin.programs.likelihood import program_likelihood
from maxmargin.programs.space import Space, check_methods, pack_programs
from maxmargin.programs.targets import packed_targets, true_edges
from maxmargin.solvers.base import Record


@saved
@dataclass(eq=False, repr=False)
class ProgramCRF(ProgramEstimator):
    """Conditional random field over outputs of programs: ``p(y | x) = exp F(x, y; w) / sum_y' exp F(x, y'; w)``.

    ``F(x, y; w)`` is the sum of the scores of the edges of ``y``. Minimises
    ``l2/2 |w|^2 + l1 |w|_1 - C * sum_i s_i log p(y_i | x_i)``.

    Parameters
    ----------
    space : the ``Space`` of outputs: programs of inputs and edges of outputs; costs are ignored in training
    C : weight of the negative log-likelihood; ``'scale'`` is ``max(5, 40 * sqrt(d / T))`` over the mean squared length
        of the features of a true edge, with d columns that occur and T true edges
    l1, l2 : penalties; ``l1 > 0`` sets weights to exactly zero
    solver : ``'sgd'``, a stochastic step per example; ``'lbfgs'`` (with orthants where there is an L1 penalty); or
        ``'auto'``, which is the first and then the second where there are 300 examples or more, else the second
    tol : training stops when the objective is known to within ``tol`` times ``C * sum(s)`` or times itself, whichever
        is larger; ``'auto'`` is 1e-3
    max_iter, max_time : as in StructuralSVM
    n_jobs : threads for training and prediction; -1 is all cores
    warm_start : whether ``fit`` starts from the weights of the fit before
    random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    coef_ : weights, the parts of the features one after the other
    shape_ : columns and blocks of every part
    C_, solution_, n_iter_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **TRAINING,
        "solver": ("auto", "lbfgs", "sgd", SOLVER),
        "space": ANYTHING,
        "l1": (NOT_NEGATIVE,),
        "l2": (NOT_NEGATIVE,),
    }

    space: Space
    C: float | str = "scale"
    _: KW_ONLY
    l1: float = 0.0
    l2: float = 1.0
    solver: Any = "auto"
    tol: float | str = "auto"
    max_iter: int | None = 1000
    max_time: float | None = None
    n_jobs: int | None = None
    warm_start: bool = False
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def fit(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> ProgramCRF:
        """Learns from inputs ``X`` and their outputs ``y``, two sequences of one length."""
        with self._fitting():
            check_methods(self.space)
            X, y = as_examples(X, y)
            weight = check_sample_weight(sample_weight, len(y))
            programs = pack_programs(self.space, X)
            targets = packed_targets(programs, true_edges(self.space, programs.topologies, X, y))
            problem = program_likelihood(programs, targets, weight, job_count(self.n_jobs))
            before = getattr(self, "coef_", None) if self.warm_start else None
            self._keep(train_sum_likelihood(self, problem, before))
            self.coef_, self.shape_ = self.solution_.w, programs.shape
            self.temperature_ = 1.0
        return self
