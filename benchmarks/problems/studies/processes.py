"""What worker processes save: a problem whose search takes a given time in Python, trained with one job and with two.

    python benchmarks/problems/studies/processes.py [milliseconds of a search, 1.0] [--sleep] [--runs 5]

With ``--sleep`` the search waits in place of counting: no other program can be in its way, so that the clock shows what
the library adds. Prints seconds (the median of some pairs of runs, after the worker was started), their ratio, and the
CPU seconds of this process and of the worker: where other programs run as well, the share of the worker tells more than
the clock.
Reads /proc, so it needs Linux.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np

from maxmargin import StructuralSVM
from maxmargin.oracles.workers import POOL
from shared.tables import console, new_table


class SlowClasses:
    """Three classes, with a search that counts (or sleeps) for a while before it answers."""

    def __init__(self, milliseconds: float, sleeps: bool) -> None:
        self.rounds, self.seconds = 0, 1e-3 * milliseconds if sleeps else 0.0
        if sleeps:
            return
        start = time.process_time()
        while time.process_time() - start < 1e-3 * milliseconds:
            self.rounds += 1000
            count(1000)

    def joint_feature(self, x: np.ndarray, y: int) -> np.ndarray:
        return np.kron(np.eye(3)[y], x)

    def loss(self, y_true: int, y: int) -> float:
        return float(y_true != y)

    def argmax(self, x: np.ndarray, w: np.ndarray, y_true: int | None = None) -> int:
        if self.seconds:
            time.sleep(self.seconds)
        count(self.rounds)
        scores = w.reshape(3, -1) @ x
        return int((scores if y_true is None else scores + (np.arange(3) != y_true)).argmax())


def count(rounds: int) -> int:
    total = 0
    for number in range(rounds):
        total += number
    return total


def worker_seconds() -> float:
    """CPU time of the worker so far, from the system's table of processes."""
    with open(f"/proc/{POOL.take(1)[0].process.pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100.0


def measure(problem: SlowClasses, solver: str, n_jobs: int, X: Any, Y: Any) -> tuple[float, float, float]:
    """Seconds, and CPU seconds of this process and of the worker."""
    start, own, other = time.perf_counter(), time.process_time(), worker_seconds()
    StructuralSVM(problem, C=1.0, tol=1e-2, solver=solver, n_jobs=n_jobs).fit(X, Y)
    return time.perf_counter() - start, time.process_time() - own, worker_seconds() - other


def main() -> None:
    parser = argparse.ArgumentParser(description="one process and two")
    parser.add_argument("milliseconds", type=float, nargs="?", default=1.0)
    parser.add_argument("--sleep", action="store_true")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4))
    Y = (X @ rng.standard_normal((4, 3)) + 0.3 * rng.standard_normal((200, 3))).argmax(axis=1)
    problem = SlowClasses(given.milliseconds, given.sleep)
    StructuralSVM(problem, C=1.0, tol=1e-2, n_jobs=2).fit(X, Y)
    columns = ["solver", "1 job", "2 jobs", "ratio", "CPU of 1 job", "CPU of 2 jobs, here", "in the worker"]
    table = new_table("Seconds with one job and with two", columns)
    for solver in ("one-slack", "bcfw"):
        runs = [[measure(problem, solver, jobs, X, Y) for jobs in (1, 2)] for _ in range(given.runs)]
        one, two = (np.median([run[jobs] for run in runs], axis=0) for jobs in (0, 1))
        ratio = np.median([run[0][0] / run[1][0] for run in runs])
        table.add_row(solver, *(f"{number:.2f}" for number in (one[0], two[0], ratio, one[1], two[1], two[2])))
    console.print(table)


if __name__ == "__main__":
    main()
