"""Why a token has its label: the difference of two scores, term by term."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.inspection.names import ChainNames, aligned
from maxmargin.chains.weight_parts import ChainParts, chain_parts

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

_SHOWN = 15


@dataclass(frozen=True)
class Contribution:
    """A term of a difference of scores; ``amount`` above 0 speaks for the predicted label.

    ``kind`` is ``'feature'``, ``'constant'``, ``'pair'``, ``'start'``, ``'end'`` or ``'step'``; ``token`` is where the
    term belongs (of a step: where it arrives), ``value`` that of the feature (1 for the others).
    """

    kind: str
    name: str
    token: int
    value: float
    amount: float


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why token ``token`` is ``label`` and not ``runner_up``.

    ``difference = F(x, labels) - F(x, runner_up_labels)`` is the sum of the ``amount`` of all ``contributions``, the
    largest of which come first; terms of amount 0 are left out.
    """

    token: int
    label: Any
    runner_up: Any
    difference: float
    labels: npt.NDArray[Any]
    runner_up_labels: npt.NDArray[Any]
    contributions: tuple[Contribution, ...]

    def __repr__(self) -> str:
        head = f"Token {self.token} is {self.label}, not {self.runner_up}, by {self.difference:.4f}"
        rows = [(f"token {part.token}", part.name, f"{part.amount:.4f}") for part in self.contributions[:_SHOWN]]
        rest = sum(part.amount for part in self.contributions[_SHOWN:])
        if len(self.contributions) > _SHOWN:
            rows.append(("", f"{len(self.contributions) - _SHOWN} more", f"{rest:.4f}"))
        return f"{head}\n{aligned(('where', 'what', 'amount'), rows)}"


def explain_difference(
    chain: Chain, weights: Floats, given: ChainInput, best: Codes, rival: Codes, names: ChainNames
) -> tuple[Contribution, ...]:
    """The terms of ``F(x, best) - F(x, rival)`` for one sequence, the largest first."""
    parts = chain_parts(chain, weights)
    terms = [*_tokens(chain, parts, given, best, rival, names), *_steps(chain, parts, best, rival, names)]
    if given.pairs is not None:
        terms += _pairs(parts, given, best, rival, names)
    return tuple(sorted((term for term in terms if term.amount), key=lambda term: -abs(term.amount)))


def _tokens(
    chain: Chain, parts: ChainParts, given: ChainInput, best: Codes, rival: Codes, names: ChainNames
) -> Iterator[Contribution]:
    rows = given.tokens.matrix()
    for t in np.flatnonzero(best != rival).tolist():
        for column, value in _cells(rows, t):
            gain = parts.emissions[column, best[t]] - parts.emissions[column, rival[t]]
            yield Contribution("feature", names.feature(column), t, value, value * float(gain))
        if chain.constant:
            gain = parts.constant[0, best[t]] - parts.constant[0, rival[t]]
            yield Contribution("constant", "(constant)", t, chain.constant, chain.constant * float(gain))


def _pairs(
    parts: ChainParts, given: ChainInput, best: Codes, rival: Codes, names: ChainNames
) -> Iterator[Contribution]:
    assert given.pairs is not None
    rows = given.pairs.matrix()
    for t in range(1, best.size):
        for column, value in _cells(rows, t) if _differs(best, rival, t, 1) else ():
            gain = parts.pairs[column, best[t - 1], best[t]] - parts.pairs[column, rival[t - 1], rival[t]]
            steps = _versus(best, rival, t, 1, names)
            yield Contribution("pair", f"{names.pair(column)}: {steps}", t, value, value * float(gain))


def _steps(chain: Chain, parts: ChainParts, best: Codes, rival: Codes, names: ChainNames) -> Iterator[Contribution]:
    if chain.ends:
        for kind, weights, t in (("start", parts.start, 0), ("end", parts.end, best.size - 1)):
            if best[t] != rival[t]:
                kept, lost = names.label(int(best[t])), names.label(int(rival[t]))
                step = (names.step((), kept), names.step((), lost))
                if kind == "end":
                    step = (names.step((kept,), None), names.step((lost,), None))
                gain = chain.eta * float(weights[best[t]] - weights[rival[t]])
                yield Contribution(kind, f"{step[0]}, not {step[1]}", t, 1.0, gain)
    for k, weights in enumerate(parts.steps, 1):
        for t in range(k, best.size):
            if _differs(best, rival, t, k):
                gain = weights[tuple(best[t - k : t + 1])] - weights[tuple(rival[t - k : t + 1])]
                yield Contribution("step", _versus(best, rival, t, k, names), t, 1.0, chain.eta * float(gain))


def _differs(best: Codes, rival: Codes, t: int, k: int) -> bool:
    return not np.array_equal(best[t - k : t + 1], rival[t - k : t + 1])


def _versus(best: Codes, rival: Codes, t: int, k: int, names: ChainNames) -> str:
    written = []
    for codes in (best, rival):
        labels = [names.label(code) for code in codes[t - k : t + 1].tolist()]
        written.append(names.step(labels[:-1], labels[-1]))
    return ", not ".join(written)


def _cells(rows: Any, t: int) -> list[tuple[int, float]]:
    part = slice(rows.indptr[t], rows.indptr[t + 1])
    return list(zip(rows.indices[part].tolist(), rows.data[part].tolist()))
