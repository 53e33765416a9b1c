"""``check_problem`` for problems with a kernel in place of joint features."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from maxmargin.core.joint_kernel import JointKernel, KernelWeights, Pair, value_of
from maxmargin.core.outputs import same_output, shown
from maxmargin.core.problem import Unsupported, has_power, is_exact, joint_loss, targets_of

_PAIRS = 32  # on which the kernel is looked at
_LISTED = 100  # outputs of an example that answers are compared with
_ROUNDING = 1e-8


def check_kernel(problem: Any, examples: Sequence[tuple[Any, Any, Any]], rng: Any, trials: int) -> None:
    """Raises where the kernel is not symmetric or has a negative eigenvalue on pairs of the data, or where a search is
    worse than the truth or another output that is known, at weights that are random sums over these pairs.

    ``examples`` are inputs, labels, and the outputs that stand for these.
    """
    joint = JointKernel.of(problem)
    known = [[target, *_listed(joint, x)] for x, _, target in examples]
    pairs: list[Pair] = []
    for (x, _, _), outputs in zip(examples, known):
        pairs += [(x, y) for y in outputs[: max(1, _PAIRS // len(examples))]]
    pairs = pairs[:_PAIRS]
    _check_matrix(problem, joint.name, pairs)
    if not is_exact(problem):
        return
    sizes = (0.0, 1.0, 0.1)
    weights = [
        KernelWeights(problem.kernel, pairs, sizes[k % 3] * rng.standard_normal(len(pairs))) for k in range(trials)
    ]
    for i, (x, y_true, _) in enumerate(examples):
        answers = [(w, truth, _answer(joint, i, x, w, truth)) for w in weights for truth in (None, y_true)]
        known[i] += [found for _, _, found in answers]
        for w, truth, found in answers:
            _compare(joint, i, x, w, truth, found, known[i])


def check_some_pairs(problem: Any, X: Sequence[Any], Y: Sequence[Any]) -> None:
    """The kernel on up to 32 pairs of examples that are spread over the data, before a fit: there a coordinate of one
    pair could only say that something is wrong, and not what."""
    places = np.unique(np.linspace(0, len(X) - 1, min(len(X), _PAIRS // 2)).astype(int))
    inputs = [X[i] for i in places]
    targets = targets_of(problem, inputs, [Y[i] for i in places])
    joint, pairs = JointKernel.of(problem), []
    for x, target in zip(inputs, targets):
        others = (y for y in _listed(joint, x) if not same_output(y, target))
        pairs += [(x, y) for y in (target, *islice(others, _PAIRS // len(inputs) - 1))]
    _check_matrix(problem, joint.name, pairs)


def _listed(joint: JointKernel, x: Any) -> list[Any]:
    return list(islice(joint.outputs(x), _LISTED)) if has_power(joint, "outputs") else []


def _check_matrix(problem: Any, name: str, pairs: Sequence[Pair]) -> None:
    values = np.array([[value_of(problem.kernel, a, b) for b in pairs] for a in pairs])
    size = float(np.abs(values).max())
    apart = np.abs(values - values.T)
    if apart.max() > _ROUNDING * size:
        i, j = divmod(int(apart.argmax()), len(pairs))
        raise ValueError(
            f"{name}.kernel is not symmetric: with {shown(pairs[i][1])} and {shown(pairs[j][1])} it is "
            f"{values[i, j]:g} one way round and {values[j, i]:g} the other."
        )
    smallest = float(np.linalg.eigvalsh(values)[0])
    if smallest < -_ROUNDING * size * len(pairs):
        raise Unsupported(
            f"{name}.kernel is not positive semi-definite: on {len(pairs)} pairs its smallest eigenvalue is "
            f"{smallest:.3g}; inner products have none below 0."
        )


def _answer(joint: JointKernel, i: int, x: Any, w: KernelWeights, truth: Any) -> Any:
    found = joint.argmax(x, w) if truth is None else joint.argmax(x, w, truth)
    if found is None:
        raise ValueError(f"{joint.name}.argmax gave None for example {i}; is a return missing?")
    return found


def _compare(joint: JointKernel, i: int, x: Any, w: KernelWeights, truth: Any, found: Any, known: list[Any]) -> None:
    """An answer with all outputs that are known."""

    def value(y: Any) -> float:
        return w.score(x, y) + (0.0 if truth is None else joint_loss(joint, truth, y, i))

    best = max(known, key=value)
    if value(found) < value(best) - _ROUNDING * (1.0 + abs(value(best))):
        what = "argmax" if truth is None else "loss-augmented argmax"
        raise ValueError(
            f"{what} of {joint.name} is not a maximum: for example {i} it gave {shown(found)}, of value "
            f"{value(found):.6g}, and {shown(best)} has {value(best):.6g}."
        )
