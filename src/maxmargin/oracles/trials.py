"""Questions to a user's problem whose answers are known in part: before training, and about its result.

A certificate is as good as the search behind it. Nobody can prove that a search in Python is exact, but each of its
answers is an output, and no other answer may be worse than that output where it counts. A few such comparisons tell a
search that forgets the loss, has the wrong sign, halves it, remembers, guesses or takes short cuts. What it never finds
at any weights cannot be seen, unless the problem can list its outputs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from maxmargin.core.outputs import shown
from maxmargin.core.problem import has_power
from maxmargin.core.rivals import HEURISTIC, Rivals, cross_examine
from maxmargin.core.vectors import dot

if TYPE_CHECKING:
    from maxmargin.oracles.from_problem import ProblemOracle

Floats = npt.NDArray[np.float64]

TOLERANCE = 1e-6
"""Of the numbers that are added up: by how much an answer may be worse than another; scores may be float32."""

_FIRST = 8  # examples tried before training
_FIRST_SECONDS = 0.2
_MOST_OUTPUTS = 200  # of an example, where they can be listed
_LAST = 200  # questions about the result, or a twentieth of those of the training where that is more
_LAST_SECONDS = 0.3  # or a twentieth of those of the training
_LEAST = 60  # of these questions, or a tenth of those of the training, whatever time they take
_PER_EXAMPLE = 6
_NOISE = (0.1, 1.0)  # relative to the weights


@dataclass(frozen=True)
class Limit:
    """Seconds of the processor, which other programs do not change, in each process that asks; and the time of day at
    which all of them end, for searches that wait."""

    seconds: float
    end: float

    @classmethod
    def after(cls, seconds: float) -> Limit:
        return cls(seconds, time.time() + 2.0 * seconds)


def try_out(oracle: ProblemOracle) -> int:
    """Asks a few examples at a few weights, and compares the answers; returns the number of questions."""
    before, late = oracle.asked, _clock(Limit.after(_FIRST_SECONDS))
    examples = np.unique(np.linspace(0, oracle.n - 1, min(oracle.n, _FIRST)).astype(int))
    for i in examples.tolist():
        if i != examples[0] and late():
            break
        rivals = oracle.rivals(i)
        if has_power(oracle.problem, "outputs"):
            for y in islice(oracle.problem.outputs(rivals.x), _MOST_OUTPUTS):  # type: ignore[attr-defined]
                rivals.add(y)
        rng = np.random.default_rng(i)
        weights = [np.zeros(oracle.dimension), _scaled(rng.standard_normal(oracle.dimension), rivals)]
        asked = cross_examine(rivals, _searching(oracle, i), weights, oracle.formulation, late)
        oracle.asked += 2 * len(asked)
        if oracle.exact:
            for answer in asked:
                answer.compare(rivals, oracle.formulation, "loss-augmented argmax", HEURISTIC)
        rivals.check_unchanged()
    return oracle.asked - before


def try_result(oracle: ProblemOracle, w: Floats, slack: Floats | None, seconds: float) -> int:
    """Asks at the weights that training returns, and near them; returns the number of questions.

    Raises if an answer there, or one of ``slack``, is worse than another answer, or is not given twice.
    """
    budget, least = max(_LAST, oracle.asked // 20), min(_LEAST, oracle.asked // 10)
    order = np.random.default_rng(0).permutation(oracle.n)[: max(1, budget // _PER_EXAMPLE)].tolist()
    sure = max(1, least // _PER_EXAMPLE)
    asked = sum(oracle.spread(_try_examples, (w, slack, None), order[:sure]))
    if order[sure:]:
        limit = Limit.after(max(_LAST_SECONDS, 0.05 * seconds))
        asked += sum(oracle.spread(_try_examples, (w, slack, limit), order[sure:]))
    return asked


def _try_examples(
    oracle: ProblemOracle, common: tuple[Floats, Floats | None, Limit | None], examples: Sequence[int]
) -> int:
    w, slack, limit = common
    before, size = oracle.asked, float(np.linalg.norm(w)) / max(1.0, np.sqrt(w.size))
    late = _clock(limit)
    for i in examples:
        if late():
            break
        rivals = oracle.rivals(i)
        rng = np.random.default_rng(i)
        near = [w + share * size * rng.standard_normal(w.size) for share in _NOISE]
        asked = []
        for at in (*near, w):
            asked += cross_examine(rivals, _searching(oracle, i), [at], oracle.formulation, late, only=True)
        oracle.asked += 2 * len(asked)
        for answer in asked:
            answer.compare(rivals, oracle.formulation, "loss-augmented argmax", HEURISTIC)
        if slack is not None and asked[-1].w is w:
            _check_repeated(oracle, rivals, w, asked[-1].violated, float(slack[i]))
        rivals.check_unchanged()
    return oracle.asked - before


def _check_repeated(oracle: ProblemOracle, rivals: Rivals, w: Floats, found: object, slack: float) -> None:
    a, b = rivals.plane(rivals.add(found), oracle.formulation)
    value = max(0.0, b - dot(a, w))
    size = 1.0 + b + slack + 2.0 * abs(dot(rivals.vectors[0], w))
    if abs(value - slack) > 10.0 * TOLERANCE * size:
        raise ValueError(
            f"{rivals.name} answered one question in two ways: for example {rivals.i} it gave {shown(found)} with "
            f"value {value:.6g} where it had given an output of value {slack:.6g}; answers may depend on x, w and "
            "y_true only."
        )


def _searching(oracle: ProblemOracle, i: int) -> Callable[[Floats], object]:
    return lambda w: oracle.answer(i, w)


def _scaled(direction: Floats, rivals: Rivals) -> Floats:
    """So that scores have the size of the features: the loss is neither all that counts nor nothing."""
    size = abs(dot(rivals.vectors[0], direction))
    return direction / size if size > 0.0 else direction


def _clock(limit: Limit | None) -> Callable[[], bool]:
    """Whether the time is over; never for None."""
    if limit is None:
        return lambda: False
    end = time.process_time() + limit.seconds
    return lambda: time.process_time() > end or time.time() > limit.end
