"""What the exact solvers share that work on a block of planes for each example."""

from __future__ import annotations

from collections.abc import Iterator

from maxmargin.core.points import Point
from maxmargin.oracles.base import Oracle, Stop
from maxmargin.oracles.engine import DualState, Engine
from maxmargin.solvers.base import Run, Solution, Solver
from maxmargin.solvers.certify import Suspicion, evaluate, find_contradiction, is_solved
from maxmargin.solvers.loop import ExactLoop
from maxmargin.solvers.together import Moved, Together


class BlockLoop(ExactLoop):
    """A run over the dual engine of the oracle; ``together`` moves all blocks at once, None where that is no use."""

    def __init__(self, solver: Solver, oracle: Oracle, C: float, run: Run) -> None:
        super().__init__(solver, oracle, C, run)
        self.engine: Engine = oracle.engine(C)
        self.together: Together | None = Together(oracle, C)
        self.sharp: Point | None = None  # weights that the last move of all blocks at once has found
        self.started = False  # from something other than zero
        self._suspicion = Suspicion(oracle)

    @property
    def dual_side(self) -> Engine:
        return self.engine

    def init(self, start: Solution | None) -> None:
        if start is not None and start.state is not None and not start.state.cuts:
            self.engine.restore(start.state)
            if self.engine.dual < 0.0:  # nothing is a better start
                self.engine = self.oracle.engine(self.C)
            self.started = True

    def state(self) -> DualState:
        return self.engine.state()

    def contradicted(self, unbounded: bool = False) -> bool:
        """Looks for a proof that a hard margin cannot be met, where the dual has no bound or grows as if it had
        none."""
        if unbounded or self._suspicion.raised(self.engine):
            self.contradiction = find_contradiction(self.oracle, self.engine.state())
        return self.contradiction is not None

    def move_together(self) -> Moved | None:
        """Moves all blocks at once; None where that failed."""
        assert self.together is not None
        moved = self.together.move(self.engine, self.monitor.stop)
        self.sharp = self.sharp if moved is None else moved.w
        return moved

    def within(self, moved: Moved, share: float) -> bool:
        """Whether the gap over the working sets is at most a share of what the run asks for."""
        unit = 2.0 * (moved.gap + self.engine.dual) if self.hard else 1.0
        return moved.gap <= share * unit * self.goal.of(self.engine)

    def candidates(self) -> Iterator[Point]:
        """Weights that may be good enough."""
        yield self.engine.weights
        if self.sharp is not None:
            yield self.sharp

    def certify(self, stop: Stop) -> bool:
        self.engine.sharpen()
        dual, target = self.engine.dual, self.goal.of(self.engine)
        for w in self.candidates():
            candidate = evaluate(self.oracle, self.C, w, stop)
            self.calls += self.oracle.n
            solved = is_solved(self.oracle, candidate, dual, target)
            if solved or self.best is None or candidate.primal < self.best.primal:
                self.best = candidate
            if solved:
                return True
        return False
