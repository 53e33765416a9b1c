"""A user's Problem asked in several processes: ``w`` goes out, planes come back, data stay where they are."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.core.problem import Problem, has_power, predicted
from maxmargin.core.rivals import read_only
from maxmargin.oracles.from_problem import ProblemOracle, Result
from maxmargin.oracles.plane_sums import Plane
from maxmargin.oracles.workers import Crew, chunked, pickled

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_PARTS = 20  # of many inputs, that argmax_many is asked for one after the other
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
        self._n_jobs = n_jobs
        self._called()

    def _learn(self, targets: Sequence[Any]) -> None:
        super()._learn(targets)
        self._crew: Crew | None = None

    def _called(self) -> Crew:
        """The other processes, with the data as it is now."""
        if self._crew is None:
            alone = ProblemOracle.__new__(ProblemOracle)
            kept = {name: value for name, value in vars(self).items() if name not in ("batch", "_crew", "_n_jobs")}
            vars(alone).update(kept)
            data = pickled(alone, f"a {type(self.problem).__name__} and data")
            self._crew = Crew(data, self._n_jobs - 1)
        return self._crew

    def ask(self, examples: Indices, w: Floats) -> list[Plane | None]:
        before = self.asked
        found = self.spread(_planes, np.array(w), examples.tolist())
        self.asked = before + examples.size
        return [plane for planes in found for plane in planes]

    def spread(self, function: Callable[..., Result], common: Any, examples: list[int]) -> list[Result]:
        chunks = chunked(examples, self._n_jobs)
        found: list[Result] = self._called().run(chunks, function, common, lambda chunk: function(self, common, chunk))
        return found


def _planes(oracle: ProblemOracle, w: Floats, examples: Sequence[int]) -> list[Plane | None]:
    return list(ProblemOracle.ask(oracle, np.array(examples, dtype=np.int32), w))


def predict_in_processes(problem: Problem, X: Sequence[Any], w: Floats, n_jobs: int) -> list[Any]:
    """``argmax`` of every input; other processes help where it takes long."""
    w = read_only(w)
    found: list[Any] = []
    begin = time.perf_counter()
    step = max(1, len(X) // _PARTS) if has_power(problem, "argmax_many") else 1
    while len(found) < len(X) and (n_jobs == 1 or time.perf_counter() - begin < _ALONE):
        found += predicted(problem, X[len(found) : len(found) + step], w, len(found))
    rest = range(len(found), len(X))
    if rest:
        crew = Crew(pickled(problem, f"a {type(problem).__name__}"), n_jobs - 1)
        chunks = [(part[0], X[part[0] : part[-1] + 1]) for part in chunked(rest, 2 * n_jobs)]
        for part in crew.run(chunks, _outputs, np.array(w), lambda chunk: _outputs(problem, w, chunk)):
            found += part
    return found


def _outputs(problem: Problem, w: Floats, chunk: tuple[int, Sequence[Any]]) -> list[Any]:
    first, inputs = chunk
    return predicted(problem, inputs, read_only(w), first)
