"""A user's Problem asked in several processes: ``w`` goes out, planes come back, data stay where they are.

Only questions about many examples at one ``w`` can be shared (``slacks``, ``cut``); steps that
change ``w`` after every example stay in this process.
"""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.oracles.from_problem import ProblemOracle
from maxmargin.oracles.plane_by_plane import Plane
from maxmargin.problem import Problem
from maxmargin.rescaling import Formulation

Floats = npt.NDArray[np.float64]

_worker: ProblemOracle | None = None


def _start(*arguments: Any) -> None:
    global _worker
    _worker = ProblemOracle(*arguments)


def _answer(w: Floats, examples: range) -> list[Plane | None]:
    assert _worker is not None
    return [_worker.plane(i, w) for i in examples]


class SharedOracle(ProblemOracle):
    """A ``ProblemOracle`` whose passes over all examples run in ``n_jobs`` processes, each with a copy of the data."""

    def __init__(
        self,
        problem: Problem,
        X: Sequence[Any],
        Y: Sequence[Any],
        formulation: Formulation,
        sample_weight: Floats | None,
        approximate: bool,
        n_jobs: int,
    ) -> None:
        arguments = (problem, X, Y, formulation, sample_weight, approximate)
        super().__init__(*arguments)
        try:
            pickle.dumps(problem)
        except Exception as error:
            raise ValueError(
                f"n_jobs needs a Problem that other processes can import: define {type(problem).__name__} in a module."
            ) from error
        self._shares = [range(self.n * k // n_jobs, self.n * (k + 1) // n_jobs) for k in range(n_jobs)]
        self._pool = ProcessPoolExecutor(n_jobs, get_context("spawn"), _start, arguments)
        weakref.finalize(self, self._pool.shutdown, wait=False, cancel_futures=True)

    def ask_all(self, w: Floats) -> Iterator[tuple[int, Plane | None]]:
        answers = [self._pool.submit(_answer, np.array(w), share) for share in self._shares]
        for share, answer in zip(self._shares, answers):
            yield from zip(share, answer.result())
