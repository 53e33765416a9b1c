"""The generic estimator: any problem that somebody can write down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from heapq import nlargest
from itertools import islice
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from maxmargin.core.problem import Problem, as_examples, check_methods, has_power
from maxmargin.core.ranked import Ranked, checked_k
from maxmargin.core.rivals import read_only
from maxmargin.core.vectors import as_vector, dot
from maxmargin.fitting.estimator import Estimator, FileParts, saved
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.parameters import ANYTHING, MARGINS, TRAINING, Allowed
from maxmargin.fitting.training import job_count, train
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.oracles.processes import predict_in_processes
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Record

Floats = npt.NDArray[np.float64]


def _asks(power: str) -> Any:
    """For methods that an estimator has if its problem has the optional method ``power``."""
    return available_if(lambda model: has_power(model.problem, power))


@saved
@dataclass(eq=False, repr=False)
class StructuralSVM(Estimator):
    """Structural support vector machine for a user's :class:`~maxmargin.Problem`.

    Minimises ``1/2 |w|^2 + C * sum_i s_i * risk_i(w)``.

    Parameters
    ----------
    problem : the Problem: joint features, loss, search
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
    coef_ : weights, shape (dimension,)
    C_ : the value that was used
    solution_ : the Solution: objective, dual, gap, status, trace, dual variables and planes
    n_iter_ : passes made
    """

    needs = "problem"
    _parameters: ClassVar[Mapping[str, Allowed]] = {**TRAINING, **MARGINS, "problem": ANYTHING, "approximate": (bool,)}

    problem: Problem
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
            self._keep(train(self, self.problem, X, y, len(y), self.C, weight, approximate=self.approximate))
            translate = getattr(self.problem, "public_weights", None)
            self.coef_ = self.solution_.w if translate is None else translate(self.solution_.w)
        return self

    def predict(self, X: Sequence[Any], *, decode: str = "best") -> list[Any]:
        """The output of each input.

        Parameters
        ----------
        X : inputs, as the problem takes them
        decode : ``'best'`` for the output of highest score; ``'risk'`` for that of least expected loss where an output
            has the probability ``exp(score) / Z``, by the problem's method ``minimum_risk(x, w)``
        """
        check_is_fitted(self, "coef_")
        inputs = X if isinstance(X, list | tuple | np.ndarray) else list(X)
        if decode not in ("best", "risk"):
            raise ValueError(f"decode must be 'best' or 'risk', not {decode!r}.")
        if decode == "risk":
            if not has_power(self.problem, "minimum_risk"):
                raise Unsupported(
                    f"{type(self.problem).__name__} knows no probabilities: add the method minimum_risk(x, w)."
                )
            return [self.problem.minimum_risk(x, read_only(self.coef_)) for x in inputs]  # type: ignore[attr-defined]
        found = predict_in_processes(self.problem, inputs, self.coef_, job_count(self.n_jobs))
        if found:
            self._value(inputs[0], found[0])  # a problem with features of another length was passed to load
        return found

    def predict_kbest(self, X: Sequence[Any], k: int) -> list[list[Ranked[Any]]]:
        """The ``k`` best outputs of each input, best first, fewer where there are fewer.

        The problem needs ``kbest``, or ``outputs`` to choose from.
        """
        check_is_fitted(self, "coef_")
        k = checked_k(k)
        problem: Any = self.problem
        w = read_only(self.coef_)
        if has_power(problem, "kbest"):
            return [[Ranked(self._value(x, y), y) for y in islice(problem.kbest(x, w, k), k)] for x in X]
        if not has_power(problem, "outputs"):
            raise Unsupported(
                f"{type(problem).__name__} cannot list its best outputs: add the method kbest(x, w, k) or outputs(x)."
            )
        scored = ((Ranked(self._value(x, y), y) for y in problem.outputs(x)) for x in X)
        return [nlargest(k, each, key=attrgetter("score")) for each in scored]

    @_asks("marginals")  # type: ignore[untyped-decorator]
    def predict_marginals(self, X: Sequence[Any]) -> list[Any]:
        """What ``problem.marginals(x, w)`` gives for each input: probabilities of the parts of an output.

        An output has the probability ``exp(score) / Z``. Margins fix no scale of scores, so these are often
        overconfident.
        """
        check_is_fitted(self, "coef_")
        w = read_only(self.coef_)
        return [self.problem.marginals(x, w) for x in X]  # type: ignore[attr-defined]

    @_asks("sample")  # type: ignore[untyped-decorator]
    def sample(self, X: Sequence[Any], *, n_samples: int = 1, random_state: Any = 0) -> list[list[Any]]:
        """Outputs drawn by ``problem.sample(x, w, n, random_state)`` with the probability ``exp(score) / Z``,
        ``n_samples`` for each input."""
        check_is_fitted(self, "coef_")
        n, w, rng = checked_k(n_samples, "n_samples"), read_only(self.coef_), np.random.default_rng(random_state)
        return [list(self.problem.sample(x, w, n, rng)) for x in X]  # type: ignore[attr-defined]

    def decision_value(self, X: Sequence[Any], y: Sequence[Any]) -> Floats:
        """The score ``<w, Psi(x, y)>`` of one output of each input, shape (n,)."""
        check_is_fitted(self, "coef_")
        X, y = as_examples(X, y)
        return np.array([self._value(x, output) for x, output in zip(X, y)], dtype=np.float64)

    def score(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> float:
        """Minus the mean loss of the predictions, so that larger is better."""
        X, y = as_examples(X, y)
        weight = check_sample_weight(sample_weight, len(y))
        losses = [self.problem.loss(truth, found) for truth, found in zip(y, self.predict(X), strict=True)]
        return -float(np.average(losses, weights=weight))

    def _value(self, x: Any, y: Any) -> float:
        vector, length = as_vector(self.problem.joint_feature(x, y), "joint_feature")
        if length != self.coef_.size:
            raise ValueError(f"joint_feature has length {length}, but the model was trained with {self.coef_.size}.")
        return dot(vector, self.coef_)

    @staticmethod
    def _check_needed(given: Any) -> None:
        check_methods(given)

    def _file_parts(self) -> FileParts:
        return FileParts({"coef_": self.coef_}, {"problem": type(self.problem).__name__}, without=("problem",))

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        self.coef_ = arrays.floats("coef_", None)
        dimension = getattr(self.problem, "dimension", self.coef_.size)
        if dimension != self.coef_.size:
            raise ValueError(
                f"the problem has joint features of length {dimension!r:.80}, and there are {self.coef_.size} weights"
            )
