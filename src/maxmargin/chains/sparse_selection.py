"""Which coordinates of a kernel a sparse model has: chosen a few at a time, where the objective is steepest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.chains.sparse_greedy import SparseGreedy
from maxmargin.chains.sparse_likelihood import CoordinateLikelihood, ScoredTokens
from maxmargin.fitting.method_choice import Deadline
from maxmargin.rows.kernel_cache import BLOCK, KernelCache
from maxmargin.solvers.base import Run
from maxmargin.solvers.lbfgs import LBFGS

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

_GROWTH = 1.1  # by which the coordinates have grown when the weights beside them are optimised again
_SMALL_TOL, _SMALL_STEPS = 1e-3, 30  # of these optimisations
_HALVINGS = 8  # of a step that does not lower the objective
_THRESHOLD = 1e-3  # of slopes, unless another is asked for
_RIDGE = 1e-10  # of the diagonal of second derivatives


class SupportColumns:
    """Rows of the kernel matrix for the tokens chosen so far, with room to grow.

    They are float64 where those of ``most`` tokens fit into ``limit`` bytes and they are not ``rough``, else float32.
    """

    def __init__(self, n: int, most: int, limit: int, rough: bool) -> None:
        self.limit, self.size = limit, 0
        exact = 8 * most * n <= limit and not rough
        self._values = np.empty((min(most, 64), n), dtype=np.float64 if exact else np.float32)
        self._rows = np.empty(most, dtype=np.intp)
        self._place = np.full(n, -1, dtype=np.intp)

    @property
    def rows(self) -> Places:
        return self._rows[: self.size]

    @property
    def values(self) -> npt.NDArray[np.float32] | Floats:
        """Shape (size, n)."""
        return self._values[: self.size]

    def add(self, row: int, values: npt.NDArray[np.float32] | Floats) -> None:
        """Keeps the row of a token, unless it is there already."""
        if self._place[row] >= 0:
            return
        if self.size == len(self._values):
            grown = np.empty((min(2 * self.size, self._rows.size), self._values.shape[1]), dtype=self._values.dtype)
            self._check(grown.nbytes)
            grown[: self.size] = self._values
            self._values = grown
        self._place[row], self._rows[self.size], self._values[self.size] = self.size, row, values
        self.size += 1

    def _check(self, wanted: int) -> None:
        if self.size * self._values.itemsize * self._values.shape[1] >= self.limit:
            raise ValueError(
                f"The kernel of the {self.size} tokens chosen so far takes up {self.limit:,} bytes, which is all that "
                f"cache allows: give Kernel(..., cache={2 * wanted}), or a smaller share of SparseGreedy."
            )


@dataclass(eq=False)
class Selection:
    """Coordinates with coefficients and, from these, the scores of all tokens; ``run`` changes them in place.

    Parameters
    ----------
    tokens : the likelihood of scores
    cache : the kernel between all tokens
    truth : the label of every token, -1 of those that do not take part, shape (n,)
    weight : of every token, shape (n,)
    sequences : the numbers of the tokens of each sequence
    C, l2 : of the objective ``l2/2 (|f|^2 + |beside|^2) + C * likelihood``
    """

    tokens: ScoredTokens
    cache: KernelCache
    truth: npt.NDArray[np.int32]
    weight: Floats
    sequences: list[Places]
    C: float
    l2: float

    def __post_init__(self) -> None:
        n, k = self.tokens.n, self.tokens.labels
        self.chosen: Mask = np.zeros((n, k), dtype=bool)
        self.coefficients, self.scores = np.zeros((n, k)), np.zeros((n, k))
        self.beside: Floats = np.zeros(self.tokens.beside)
        self.residual: Floats = np.zeros((n, k))  # slopes of the likelihood by scores
        self.square = 0.0  # |f|^2
        self.objective = np.inf
        self.truths = np.zeros((n, k))
        used = np.flatnonzero(self.truth >= 0)
        self.truths[used, self.truth[used]] = 1.0

    @property
    def count(self) -> int:
        return int(np.count_nonzero(self.chosen))

    def run(self, asked: SparseGreedy, columns: SupportColumns, run: Run, late: Deadline) -> bool:
        """Chooses coordinates until there are as many as asked for, no slope reaches the threshold, or it is late, and
        says whether that cut the choice off."""
        threshold = _THRESHOLD if asked.threshold is None else asked.threshold
        budget = max(1, round(asked.share * sum(part.size for part in self.sequences) * self.tokens.labels))
        self._settle(run, late)
        settled = self.count
        for part in self._parts(asked):
            if self.count >= budget:
                return False
            if late():
                return True
            rows, labels, kernel = self._steepest(part, min(asked.step, budget - self.count), threshold)
            if not rows.size:
                continue
            for row, values in zip(rows.tolist(), kernel):
                columns.add(row, values)
            self.chosen[rows, labels] = True
            self._move(rows, labels, kernel.astype(np.float64, copy=False))
            if self.count > _GROWTH * settled:
                self._settle(run, late)
                settled = self.count
        return False

    def _parts(self, asked: SparseGreedy) -> Iterator[Places]:
        """Sequences to take coordinates from; ends where none has any."""
        rng = np.random.default_rng(asked.seed)
        owner = np.full(self.tokens.n, -1)
        for i, part in enumerate(self.sequences):
            owner[part] = i
        used = np.flatnonzero(owner >= 0)
        while True:
            before = self.count
            if asked.selection == "steepest":
                tops = self._slopes(used).max(axis=1)
                yield self.sequences[owner[used[int(tops.argmax())]]]
            else:
                for i in rng.permutation(len(self.sequences)):
                    yield self.sequences[i]
            if self.count == before:
                return

    def _slopes(self, part: Places) -> Floats:
        """``|res + l2/C coefficient|`` of the coordinates of some tokens, 0 of those chosen, shape (len(part), labels).

        With ``res`` the slopes of the likelihood by scores, the gradient of the objective in the space of the kernel is
        ``C res + l2 coefficient`` times the coordinates: at the optimum of the dense kernel all of it is 0.
        """
        slopes: Floats = np.abs(self.residual[part] + (self.l2 / self.C) * self.coefficients[part])
        slopes[self.chosen[part]] = 0.0
        return slopes

    def _steepest(
        self, part: Places, most: int, threshold: float
    ) -> tuple[Places, Places, npt.NDArray[np.float32] | Floats]:
        """Up to ``most`` coordinates of these tokens: their tokens, labels and rows of the kernel matrix."""
        slopes = self._slopes(part)
        order = np.argsort(-slopes, axis=None, kind="stable")[:most]
        order = order[slopes.ravel()[order] > threshold]
        places, labels = np.unravel_index(order, slopes.shape)
        numbers, place = np.unique(part[places], return_inverse=True)
        blocks = [self.cache.rows(numbers[at : at + BLOCK].astype(np.int32)) for at in range(0, numbers.size, BLOCK)]
        kernel: Any = np.concatenate(blocks)[place] if blocks else np.zeros((0, self.tokens.n))
        return part[places], labels, kernel

    def _move(self, rows: Places, labels: Places, kernel: Floats) -> None:
        """Gives new coordinates their coefficients, by Newton's method in which tokens do not depend on each other."""
        same = labels[:, None] == labels
        own = kernel[:, rows] * same
        slopes = self.C * (kernel * self.residual[:, labels].T).sum(axis=1) + self.l2 * self.scores[rows, labels]
        probability = self._probabilities()[:, labels]
        weighted = kernel * (self.weight[:, None] * probability).T
        second = self.C * ((weighted @ kernel.T) * same - weighted @ (kernel * probability.T).T) + self.l2 * own
        second[np.diag_indices_from(second)] *= 1.0 + _RIDGE
        step = -np.linalg.lstsq(second, slopes, rcond=None)[0]
        before = self.scores.copy(), self.square, self.objective, self.residual
        for _ in range(_HALVINGS):
            np.add.at(self.scores.T, labels, step[:, None] * kernel)
            self.square = before[1] + float(step @ (2.0 * before[0][rows, labels] + own @ step))
            self._ask()
            if self.objective <= before[2]:
                np.add.at(self.coefficients, (rows, labels), step)
                return
            self.scores[:], step = before[0], 0.5 * step
        self.square, self.objective, self.residual = before[1:]

    def _probabilities(self) -> Floats:
        """Of all labels of all tokens; of those that do not take part 0."""
        weight = np.where(self.weight > 0.0, self.weight, 1.0)[:, None]
        found: Floats = self.residual / weight + self.truths
        return found

    def _ask(self) -> None:
        value, self.residual, _ = self.tokens.at(self.scores, self.beside)
        self.objective = 0.5 * self.l2 * (self.square + float((self.beside**2).sum())) + self.C * value

    def _settle(self, run: Run, late: Deadline) -> None:
        """Optimises the weights beside the kernel, with the scores as they are."""
        n, k = self.tokens.n, self.tokens.labels
        nothing = np.zeros(0, dtype=np.intp)
        problem = CoordinateLikelihood(
            self.tokens, nothing, np.zeros((0, n)), np.zeros((n, k), dtype=bool), self.scores
        )
        small = replace(run, tol=_SMALL_TOL, max_iter=_SMALL_STEPS, max_time=None, verbose=0, callback=None, rough=True)
        found = LBFGS()(problem, self.C, 0.0, self.l2, late.cut(small), self.beside.ravel())
        self.beside = found.w.reshape(self.tokens.beside)
        self._ask()
