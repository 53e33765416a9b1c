"""The generic estimator: any problem that somebody can write down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from maxmargin.core.joint_kernel import JointKernel, has_kernel_only
from maxmargin.core.kernel_checking import check_some_pairs
from maxmargin.core.problem import Unsupported, as_examples, check_methods
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.parameters import ANYTHING, MARGINS, TRAINING, Allowed
from maxmargin.fitting.training import job_count, train
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.problems.calibration import CalibratedProblem
from maxmargin.solvers.base import Record


@saved
@dataclass(eq=False, repr=False)
class StructuralSVM(CalibratedProblem):
    """Structural support vector machine for a user's :class:`~maxmargin.Problem`.

    Minimises ``1/2 |w|^2 + C * sum_i s_i * risk_i(w)``.

    Parameters
    ----------
    problem : the Problem: joint features or a kernel between them, loss, search
    C : weight of the sum of the risks; the papers' C is ``n * C``. ``'scale'`` measures the joint features and the loss
        on up to 50 examples, so that neither's unit matters (``plane_c``)
    approximate : allow a search that may miss the most violated output; no gap is reported then
    rescaling : ``'margin'``, ``'slack'``, or ``'none'`` for the zero-one loss
    slack : ``'linear'``, ``'squared'``, or ``'hard'`` for a hard margin (then C and rescaling are ignored)
    solver : ``'auto'``, ``'one-slack'``, ``'n-slack'``, ``'bcfw'``, ``'subgradient'``, ``'perceptron'``, or an object
    tol : stop when the gap is at most ``C * sum(s) * tol``, in units of the loss; ``'auto'`` stops when it is at most a
        tenth of ``1/2 |w|^2``, whatever the units are (a hard margin: 1e-3)
    max_iter, max_time : passes and seconds after which training stops with a ConvergenceWarning
    n_jobs : processes that search, at training and in ``predict`` (the problem must be picklable); -1 is all cores
    warm_start : start from the previous solution
    random_state : seed of the order of visits
    callback : called with a Record after every pass; returning True stops
    verbose : 1 shows progress after two seconds, and how it ended

    Attributes
    ----------
    coef_ : weights, shape (dimension,); with a kernel in place of joint features coefficients of ``support_``
    support_ : with such a kernel the pairs ``(x, y)`` that the weights are made of
    C_ : the value that was used
    solution_ : the Solution: objective, dual, gap, status, trace, dual variables and planes
    n_iter_ : passes made
    temperature_ : what scores are divided by in probabilities: 1, or what ``calibrate`` found
    """

    needs = "problem"
    _parameters: ClassVar[Mapping[str, Allowed]] = {**TRAINING, **MARGINS, "problem": ANYTHING, "approximate": (bool,)}

    problem: Any  # a Problem
    C: float | str = "scale"
    _: KW_ONLY
    approximate: bool = False
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

    def fit(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> StructuralSVM:
        """Learns from inputs ``X`` and their outputs ``y``, two sequences of one length."""
        with self._fitting():
            check_methods(self.problem)
            if not hasattr(self.problem, "bind"):
                X, y = as_examples(X, y)
            weight = check_sample_weight(sample_weight, len(y))
            problem = self.problem
            if has_kernel_only(problem):
                if self.warm_start:
                    raise Unsupported("A problem with a kernel for joint_feature starts anew; use warm_start=False.")
                if job_count(self.n_jobs) > 1:
                    raise Unsupported(
                        "A problem with a kernel for joint_feature is asked in one process; use n_jobs=1."
                    )
                X = list(X)  # rows of an array are other objects each time
                check_some_pairs(problem, X, y)
                problem = JointKernel.of(problem, X)
            self._keep(train(self, problem, X, y, len(y), self.C, weight, approximate=self.approximate))
            self._conclude(problem)
            self.temperature_, self.calibrated_ = 1.0, False
        return self

    def _conclude(self, problem: Any) -> None:
        """Sets the weights, or with a kernel the pairs and their coefficients."""
        own: dict[str, Any] = self.__dict__
        own.pop("support_", None)
        w = self.solution_.w
        if isinstance(problem, JointKernel):
            self.support_, self.coef_ = problem.concluded(w)
        else:
            translate = getattr(problem, "public_weights", None)
            self.coef_ = w if translate is None else translate(w)
