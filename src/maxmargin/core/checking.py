"""``check_problem``: does a user's Problem keep its promises on data?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.core.joint_kernel import has_kernel_only
from maxmargin.core.kernel_checking import check_kernel
from maxmargin.core.outputs import same_output, shown
from maxmargin.core.probability_checks import check_probabilities
from maxmargin.core.problem import (
    Problem,
    as_examples,
    check_many,
    check_methods,
    check_truths,
    has_power,
    is_exact,
    joint_loss,
    targets_of,
)
from maxmargin.core.rivals import Rivals, cross_examine, read_only
from maxmargin.core.vectors import as_vector, dot

Floats = npt.NDArray[np.float64]
MARGIN = Formulation()
_SLACK = 1e-9  # relative; sums may be taken in another order


def check_problem(problem: Problem, X: Sequence[Any], Y: Sequence[Any], *, trials: int = 3, seed: int = 0) -> None:
    """Raises ``ValueError`` or ``TypeError`` with one sentence if a promise is broken.

    The loss is 0 at the truth and never negative; joint features are finite and have one length. At zero and at random
    weights, and at weights that nearly tell an output from the truth, ``argmax`` with and without the truth is at least
    as good as the truth, as its own answers at all other weights, as the answers of the other searches and, where
    ``outputs`` exists, as every output; ``kbest`` and ``argmax_by_loss`` are then compared with the enumeration too,
    and so are ``log_partition`` and ``expected_loss``; without it they are held against the outputs that are known,
    and ``minimum_risk`` against ``expected_loss``. ``restricted`` without limits changes no answer. The same question
    has the same answer, and neither ``w`` nor the example is changed by it. Where the problem says that it is not
    exact, only the losses and features are looked at. A kernel in place of joint features is symmetric and has no
    negative eigenvalue.
    """
    check_methods(problem)
    X, Y = as_examples(X, Y)
    targets = targets_of(problem, X, Y)
    check_truths(problem, Y, targets)
    if has_kernel_only(problem):
        check_kernel(problem, list(zip(X, Y, targets)), np.random.default_rng(seed), trials)
        return
    dimension = as_vector(problem.joint_feature(X[0], targets[0]), "joint_feature of example 0")[1]
    for i, (x, target) in enumerate(zip(X, targets)):
        found = as_vector(problem.joint_feature(x, target), f"joint_feature of example {i}")[1]
        if found != dimension:
            raise ValueError(
                f"{type(problem).__name__}.joint_feature of example {i} has length {found}, that of example 0 "
                f"{dimension}."
            )
    rng = np.random.default_rng(seed)
    sizes = (1.0, 0.1)  # large scores show other mistakes than small ones, beside which the loss counts
    random = [sizes[k % 2] * rng.standard_normal(dimension) for k in range(max(trials - 1, 0))]
    weights = [np.zeros(dimension), *random][:trials]
    checks = []
    for i, (x, y, target) in enumerate(zip(X, Y, targets)):
        check = _ExampleCheck(Rivals(problem, i, x, y, target, dimension))
        check.at(weights)
        if has_power(problem, "argmax_many") and is_exact(problem):
            checks.append(check)
    if checks:
        for w in weights:
            _check_many(problem, X, Y, checks, read_only(checks[0].rivals.within(w)))


def _check_many(problem: Any, X: Sequence[Any], Y: Sequence[Any], checks: Sequence[_ExampleCheck], w: Floats) -> None:
    """Many at once are as good as one by one."""
    for labels, formulation in ((None, None), (Y, MARGIN)):
        found = list(problem.argmax_many(X, w) if labels is None else problem.argmax_many(X, w, labels))
        check_many(problem, found, len(X))
        for check, y in zip(checks, found):
            check.rivals.compare(y, w, "argmax_many", formulation)


def _exceeds(value: float, bound: float) -> bool:
    return value > bound + _SLACK * (1.0 + abs(bound))


class _ExampleCheck:
    def __init__(self, rivals: Rivals) -> None:
        self.rivals, self.problem, self.i, self.x = rivals, rivals.problem, rivals.i, rivals.x
        self.y_true, self.target, self.name = rivals.y_true, rivals.target, rivals.name
        self.exact = is_exact(self.problem)

    def at(self, weights: list[Floats]) -> None:
        outputs = self._outputs()
        for y in outputs:
            self.rivals.add(y)
        asked = cross_examine(self.rivals, self._augmented, weights)
        for w in weights:
            if has_power(self.problem, "argmax_by_loss"):
                self._by_loss(w, outputs, self._scorer(w))
            if has_power(self.problem, "kbest"):
                self._kbest(w, outputs, self._scorer(w))
        if self.exact:
            for answer in asked:
                answer.compare(self.rivals, MARGIN, "loss-augmented argmax")
            for w in weights:
                check_probabilities(self.rivals, outputs, w)
        self.rivals.check_unchanged()

    def _augmented(self, w: Floats) -> Any:
        return self.problem.argmax(self.x, w, self.y_true)

    def _scorer(self, w: Floats) -> Callable[[Any], float]:
        return lambda y: dot(self.rivals.vectors[self.rivals.add(y)], w)

    def loss(self, y: Any) -> float:
        return joint_loss(self.problem, self.y_true, y, self.i)

    def _outputs(self) -> list[Any]:
        if not has_power(self.problem, "outputs"):
            return []
        outputs = list(self.problem.outputs(self.x))
        if not any(same_output(y, self.target) for y in outputs):
            raise ValueError(
                f"{self.name}.outputs of example {self.i} does not contain its truth {shown(self.target)}."
            )
        return outputs

    def _by_loss(self, w: Floats, outputs: list[Any], score: Callable[[Any], float]) -> None:
        best: dict[float, float] = {}
        for loss, y in self.problem.argmax_by_loss(self.x, read_only(w), self.y_true):
            actual = self.loss(y)
            if abs(actual - loss) > _SLACK * (1.0 + actual):
                raise ValueError(
                    f"{self.name}.argmax_by_loss of example {self.i} says that {shown(y)} has loss {loss}, "
                    f"but its loss is {actual}."
                )
            best[actual] = max(score(y), best.get(actual, -np.inf))
        for y in outputs if self.exact else []:
            loss = self.loss(y)
            held = max(
                (value for at, value in best.items() if abs(at - loss) <= _SLACK * (1.0 + loss)), default=-np.inf
            )
            if not same_output(y, self.target) and (held == -np.inf or _exceeds(score(y), held)):
                raise ValueError(
                    f"{self.name}.argmax_by_loss of example {self.i} misses {shown(y)}, the best output of loss "
                    f"{loss}, whose score is {score(y):.6g}."
                )

    def _kbest(self, w: Floats, outputs: list[Any], score: Callable[[Any], float]) -> None:
        found = list(self.problem.kbest(self.x, read_only(w), 2))
        for y in found:
            self.rivals.add(y)
        if not self.exact:
            return
        if len(found) > 1 and same_output(found[0], found[1]):
            raise ValueError(f"{self.name}.kbest of example {self.i} gave the same output twice.")
        if len(found) > 1 and _exceeds(score(found[1]), score(found[0])):
            raise ValueError(f"{self.name}.kbest of example {self.i} is not in descending order.")
        if len(found) < min(2, len(outputs)):
            raise ValueError(f"{self.name}.kbest of example {self.i} gave {len(found)} outputs where two exist.")
        for y in outputs:
            if not any(same_output(y, held) for held in found) and _exceeds(score(y), score(found[-1])):
                raise ValueError(
                    f"{self.name}.kbest of example {self.i} misses {shown(y)}, whose score {score(y):.6g} is among the "
                    "two highest."
                )
