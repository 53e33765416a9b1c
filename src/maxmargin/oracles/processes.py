"""A user's Problem asked in several processes: ``w`` goes out, planes come back, data stay where they are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.oracles.from_problem import ProblemOracle, Result
from maxmargin.oracles.plane_by_plane import Plane
from maxmargin.oracles.workers import Crew, chunked, pickled
from maxmargin.problem import Problem
from maxmargin.rescaling import Formulation
from maxmargin.rivals import read_only

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_PORTION = 0.3  # seconds of a pass, after which limits are looked at
_ALONE = 0.3  # seconds of predictions before other processes are asked to help


class SharedOracle(ProblemOracle):
    """A ``ProblemOracle`` whose examples are asked for in ``n_jobs`` processes, this one among them.

    Every other process gets the data once. Steps that change ``w`` after each example ask for ``batch`` examples at
    one ``w`` and then take a step for each: what was found a few steps ago is still a plane, if not always the most
    violated one. So the path to the optimum depends on ``n_jobs``, the certificate does not.
    """

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
        super().__init__(problem, X, Y, formulation, sample_weight, approximate)
        self.batch = max(n_jobs, min(self.n // 10, 16 * n_jobs))
        alone = ProblemOracle.__new__(ProblemOracle)
        vars(alone).update({name: value for name, value in vars(self).items() if name != "batch"})
        self._n_jobs = n_jobs
        self._crew = Crew(pickled(alone, f"a {type(problem).__name__} and data"), n_jobs - 1)

    def ask(self, examples: Indices, w: Floats) -> list[Plane | None]:
        before = self.asked
        found = self.spread(_planes, np.array(w), examples.tolist())
        self.asked = before + examples.size
        return [plane for planes in found for plane in planes]

    def spread(self, function: Callable[..., Result], common: Any, examples: list[int]) -> list[Result]:
        chunks = chunked(examples, self._n_jobs)
        found: list[Result] = self._crew.run(chunks, function, common, lambda chunk: function(self, common, chunk))
        return found

    def ask_all(self, w: Floats) -> Iterator[tuple[int, Plane | None]]:
        """In portions that take some tenths of a second, so that limits are kept inside a pass."""
        first, size = 0, self.batch
        while first < self.n:
            begin = time.perf_counter()
            part = np.arange(first, min(first + size, self.n), dtype=np.int32)
            yield from zip(part.tolist(), self.ask(part, w))
            first += size
            seconds = time.perf_counter() - begin
            size = max(self.batch, int(size * min(4.0, _PORTION / max(seconds, 1e-9))))


def _planes(oracle: ProblemOracle, w: Floats, examples: Sequence[int]) -> list[Plane | None]:
    return [oracle.plane(i, w) for i in examples]


def predict_in_processes(problem: Problem, X: Sequence[Any], w: Floats, n_jobs: int) -> list[Any]:
    """``argmax`` of every input; other processes help where it takes long."""
    w = read_only(w)
    found: list[Any] = []
    begin = time.perf_counter()
    while len(found) < len(X) and (n_jobs == 1 or time.perf_counter() - begin < _ALONE):
        found.append(problem.argmax(X[len(found)], w))
    rest = range(len(found), len(X))
    if rest:
        crew = Crew(pickled(problem, f"a {type(problem).__name__}"), n_jobs - 1)
        chunks = [[X[i] for i in part] for part in chunked(rest, 2 * n_jobs)]
        for part in crew.run(chunks, _outputs, np.array(w), lambda chunk: _outputs(problem, w, chunk)):
            found += part
    return found


def _outputs(problem: Problem, w: Floats, inputs: Sequence[Any]) -> list[Any]:
    w = read_only(w)
    return [problem.argmax(x, w) for x in inputs]
