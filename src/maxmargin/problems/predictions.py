"""What a fitted problem answers: outputs, the best few, probabilities, decisions, scores; and its model file."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from itertools import islice
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from maxmargin.core.input_checks import random_generator
from maxmargin.core.joint_kernel import JointKernel, KernelWeights, Pair, has_kernel_only
from maxmargin.core.problem import Unsupported, as_examples, asked, by_position, check_methods, has_power, own_copy
from maxmargin.core.ranked import Ranked, checked_k
from maxmargin.core.rivals import read_only
from maxmargin.core.vectors import as_vector, dot
from maxmargin.fitting.calibration import say_not_calibrated
from maxmargin.fitting.estimator import Estimator, FileParts
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.training import check_probability, job_count
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.oracles.processes import predict_in_processes
from maxmargin.problems.pair_files import read_pairs, written_pairs

Floats = npt.NDArray[np.float64]


def asks(power: str) -> Any:
    """For methods that an estimator has if its problem has the optional method ``power``."""

    def check(model: Any) -> bool:
        if not has_power(model.problem, power):
            raise AttributeError(f"{type(model.problem).__name__} has no method {power}.")
        return True

    return available_if(check)


class ProblemPredictions(Estimator):
    """Predictions of an estimator of problems, by the methods that its problem has.

    A subclass sets ``coef_``, ``temperature_`` and ``calibrated_`` in ``fit``. The probability of an output is
    ``exp(score / temperature_) / Z``, the score ``<w, Psi(x, y)>``.
    """

    needs = "problem"

    problem: Any  # a Problem
    n_jobs: int | None
    coef_: Floats
    support_: list[Pair]
    temperature_: float
    calibrated_: bool

    def predict(
        self,
        X: Sequence[Any],
        *,
        decode: str = "best",
        forbidden: Any = None,
        required: Any = None,
        abstain: float | None = None,
    ) -> list[Any]:
        """The output of each input.

        Parameters
        ----------
        X : inputs, as the problem takes them
        decode : ``'best'`` for the output of highest score; ``'risk'`` for that of least expected loss, by the
            problem's method ``minimum_risk(x, w)``
        forbidden, required : for each example None, or the parts that its output must not have, or must have, as the
            problem's method ``restricted(x, forbidden, required)`` takes them
        abstain : outputs whose probability as a whole is below this are None; the problem needs ``log_partition(x, w)``
        """
        if abstain is not None:
            check_probability("abstain", abstain)
            self._check_power("log_partition(x, w)", "knows no probabilities")
        inputs = self._read(X, forbidden, required)
        found = self._decoded(inputs, decode)
        if abstain is None:
            return found
        return [y if p >= abstain else None for y, p in zip(found, self._confidence(inputs, found))]

    def predict_kbest(
        self, X: Sequence[Any], k: int, *, forbidden: Any = None, required: Any = None
    ) -> list[list[Ranked[Any]]]:
        """The ``k`` best outputs of each input, best first, fewer where there are fewer.

        The problem needs ``kbest``, or ``outputs`` to choose from.
        """
        k = checked_k(k)
        inputs = self._read(X, forbidden, required)
        problem: Any = self.problem
        if has_power(problem, "kbest"):
            w = self._weights()
            lists = (islice(asked(problem, "kbest", i, x, w, k), k) for i, x in enumerate(inputs))
            return [[Ranked(self._value(x, y), y) for y in found] for x, found in zip(inputs, lists)]
        if not has_power(problem, "outputs"):
            raise Unsupported(
                f"{type(problem).__name__} cannot list its best outputs: add the method kbest(x, w, k) or outputs(x)."
            )
        scored = ((Ranked(self._value(x, y), y) for y in problem.outputs(x)) for x in inputs)
        return [nlargest(k, each, key=attrgetter("score")) for each in scored]

    @asks("marginals")  # type: ignore[untyped-decorator]
    def predict_marginals(self, X: Sequence[Any], *, forbidden: Any = None, required: Any = None) -> list[Any]:
        """What ``problem.marginals(x, w)`` gives for each input: probabilities of the parts of an output."""
        return self._ask("marginals", self._read(X, forbidden, required))

    @asks("log_partition")  # type: ignore[untyped-decorator]
    def predict_confidence(
        self, X: Sequence[Any], *, decode: str = "best", forbidden: Any = None, required: Any = None
    ) -> Floats:
        """Probability of the output that ``predict`` gives, as a whole, shape (n,).

        Where ``forbidden`` or ``required`` exclude outputs, those that are left share the probability.
        """
        inputs = self._read(X, forbidden, required)
        return self._confidence(inputs, self._decoded(inputs, decode))

    @asks("expected_loss")  # type: ignore[untyped-decorator]
    def expected_loss(
        self, X: Sequence[Any], *, decode: str = "best", forbidden: Any = None, required: Any = None
    ) -> Floats:
        """The loss to be expected of the output that ``predict`` gives, by ``problem.expected_loss(x, w, y)``,
        shape (n,)."""
        inputs = self._read(X, forbidden, required)
        return np.array(self._ask("expected_loss", inputs, self._decoded(inputs, decode)), dtype=np.float64)

    @asks("sample")  # type: ignore[untyped-decorator]
    def sample(
        self,
        X: Sequence[Any],
        *,
        n_samples: int = 1,
        forbidden: Any = None,
        required: Any = None,
        random_state: Any = 0,
    ) -> list[list[Any]]:
        """Outputs drawn from their probabilities by ``problem.sample(x, w, n, random_state)``, ``n_samples`` for each
        input."""
        n, rng = checked_k(n_samples, "n_samples"), random_generator(random_state)
        inputs = self._read(X, forbidden, required)
        return [list(found) for found in self._ask("sample", inputs, [n] * len(inputs), [rng] * len(inputs))]

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

    def _read(self, X: Any, forbidden: Any = None, required: Any = None) -> Sequence[Any]:
        """The inputs, those with limits in the form that has fewer outputs."""
        check_is_fitted(self, "coef_")
        inputs = by_position(X)
        limits = []
        for name, given in (("forbidden", forbidden), ("required", required)):
            lists = [None] * len(inputs) if given is None else by_position(given, name)
            if len(lists) != len(inputs):
                raise ValueError(
                    f"{name} has {len(lists)} entries, and X has {len(inputs)} examples; give a list of parts per "
                    "example, or None for an example without."
                )
            limits.append([None if own is None or (hasattr(own, "__len__") and not len(own)) else own for own in lists])
        if all(own is None for lists in limits for own in lists):
            return inputs
        self._check_power("restricted(x, forbidden, required)", "cannot exclude outputs")
        return [
            x if out is None and within is None else asked(self.problem, "restricted", i, x, out, within)
            for i, (x, out, within) in enumerate(zip(inputs, *limits))
        ]

    def _decoded(self, inputs: Sequence[Any], decode: str) -> list[Any]:
        """The outputs that ``predict`` gives."""
        if decode not in ("best", "risk"):
            raise ValueError(f"decode must be 'best' or 'risk', not {decode!r}.")
        if decode == "risk":
            self._check_power("minimum_risk(x, w)", "knows no probabilities")
            return self._ask("minimum_risk", inputs)
        if has_kernel_only(self.problem):
            joint, w = JointKernel.of(self.problem), self._weights()
            return [own_copy(asked(joint, "argmax", i, x, w)) for i, x in enumerate(inputs)]
        found = predict_in_processes(self.problem, inputs, self.coef_, job_count(self.n_jobs))
        if found:
            self._value(inputs[0], found[0])  # a problem with features of another length was passed to load
        return found

    def _ask(self, power: str, inputs: Sequence[Any], *more: Sequence[Any]) -> list[Any]:
        """What a method of the problem says about each input at the weights of probabilities."""
        if not self.calibrated_:
            known = has_power(self.problem, "log_partition")
            name = type(self.problem).__name__
            say_not_calibrated(self, "" if known else f"give {name} the method log_partition(x, w), then ")
        w = self._weights(self.temperature_)
        return [asked(self.problem, power, i, x, w, *given) for i, (x, *given) in enumerate(zip(inputs, *more))]

    def _confidence(self, inputs: Sequence[Any], found: Sequence[Any]) -> Floats:
        log_sums = np.array(self._ask("log_partition", inputs), dtype=np.float64)
        scores = np.array([self._value(x, y) for x, y in zip(inputs, found)], dtype=np.float64)
        return np.asarray(np.exp(np.minimum(0.0, scores / self.temperature_ - log_sums)))

    def _check_power(self, method: str, lacks: str) -> None:
        if not has_power(self.problem, method.partition("(")[0]):
            raise Unsupported(f"{type(self.problem).__name__} {lacks}: add the method {method}.")

    def _weights(self, temperature: float = 1.0) -> Any:
        """What the methods of the problem get as ``w``, divided by a temperature."""
        w = self.coef_ / temperature
        return KernelWeights(self.problem.kernel, self.support_, w) if has_kernel_only(self.problem) else read_only(w)

    def _value(self, x: Any, y: Any) -> float:
        if has_kernel_only(self.problem):
            return float(self._weights().score(x, y))
        vector, length = as_vector(self.problem.joint_feature(x, y), "joint_feature")
        if length != self.coef_.size:
            raise ValueError(f"joint_feature has length {length}, but the model was trained with {self.coef_.size}.")
        return dot(vector, self.coef_)

    @staticmethod
    def _check_needed(given: Any) -> None:
        check_methods(given)

    def _file_parts(self) -> FileParts:
        kept = {
            "problem": type(self.problem).__name__,
            "temperature": float(self.temperature_),
            "calibrated": bool(self.calibrated_),
        }
        arrays: dict[str, Any] = {"coef_": self.coef_}
        if has_kernel_only(self.problem):
            arrays["support"] = np.frombuffer(written_pairs(self.support_), dtype=np.uint8)
        return FileParts(arrays, kept, without=("problem",))

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        self.coef_ = arrays.floats("coef_", None)
        if has_kernel_only(self.problem) != ("support" in arrays):
            raise ValueError("a problem with a kernel in place of joint features needs pairs, and others have none")
        if "support" in arrays:
            self.support_ = read_pairs(arrays.whole("support", np.uint8, None, below=256).tobytes(), self.coef_.size)
        dimension = getattr(self.problem, "dimension", self.coef_.size)
        if dimension != self.coef_.size:
            raise ValueError(
                f"the problem has joint features of length {dimension!r:.80}, and there are {self.coef_.size} weights"
            )
        self.temperature_, self.calibrated_ = structure.number("temperature", above=0.0), structure.flag("calibrated")
