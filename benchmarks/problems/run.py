"""How often the solvers ask a user's Problem before the relative gap is 0.1 %: a chain model in plain NumPy.

Calls are counted inside the user's class. All solvers start from w = 0. Two counts are given: ``certified``, when the
solver itself stops with a proof, the passes for the proof included; and, for block-coordinate solvers, ``reached``, the
calls after which the better of last iterate and average has that gap, the passes for finding it out not included.
The second is found by running again with fewer passes, which gives the same path because the seed is the same.

    python benchmarks/problems/run.py [--words 626] [--C 0.1] [--limit 500] [--solvers plain,default]
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from sklearn.exceptions import ConvergenceWarning

from maxmargin import BlockCoordinate, NSlack, OneSlack, StructuralSVM
from maxmargin.datasets import MissingDataError, load_ocr_letters, make_chain
from maxmargin.solvers import Solution
from problems.chain import Chain
from shared.harness import save
from shared.tables import console, new_table

RELATIVE = 1e-3
BAR = 5.0
SOLVERS: dict[str, tuple[str, Any]] = {
    "default": ("BlockCoordinate(), cached passes", BlockCoordinate()),
    "n-slack": ("NSlack()", NSlack()),
    "one-slack": ("OneSlack(cache=10)", OneSlack()),
    "one-slack-0": ("OneSlack(cache=0)", OneSlack(cache=0)),
    "plain": ("BlockCoordinate.plain(), BCFW", BlockCoordinate.plain()),
}


@dataclass
class Count:
    """Calls of one solver until the gap is small, None if that took too long; ``made`` are those before the proof."""

    name: str
    made: int
    certified: int | None
    seconds: float
    primal: float
    gap: float
    planes: int
    reached: int | None = None
    at_least: int | None = None


class Setting:
    """The data and C, and a way to run a solver on them."""

    def __init__(self, X: list[Any], Y: list[Any], C: float, limit: int) -> None:
        self.X, self.Y, self.C, self.limit = X, Y, C, limit
        self.n = len(Y)
        self.n_labels, self.n_features = 1 + max(int(y.max()) for y in Y), X[0].shape[1]

    def solve(self, solver: Any, tol: float, passes: int | None) -> tuple[Solution, int, float]:
        """The solution, the calls counted by the problem, and CPU seconds."""
        problem = Chain(self.n_labels, self.n_features)
        model = StructuralSVM(problem, C=self.C, solver=solver, tol=tol, max_iter=passes)
        begin = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(self.X, self.Y)
        return model.solution_, problem.calls, time.process_time() - begin

    def count(self, name: str, tol: float) -> Count:
        """Runs until the solver certifies the gap, or the limit of passes."""
        solver = SOLVERS[name][1]
        rounds = 10 * self.limit if isinstance(solver, OneSlack) else self.limit  # it also counts rounds without calls
        solution, calls, seconds = self.solve(solver, tol, rounds)
        assert solution.primal is not None
        assert solution.gap is not None
        certified = calls if solution.gap <= self.C * self.n * tol else None
        planes = max(record.planes for record in solution.trace)
        made = solution.trace[-1].oracle_calls
        return Count(name, made, certified, seconds, solution.primal, solution.gap, planes)

    def reached(self, name: str, target: float, start: int, most: int, precision: float) -> tuple[int | None, int]:
        """Calls after which the gap is at most ``target``, and calls after which it is known to be larger."""

        def gap_after(passes: int) -> tuple[bool, int]:
            solution, _, _ = self.solve(SOLVERS[name][1], 1e-13, passes)
            assert solution.gap is not None
            return solution.gap <= target, solution.trace[-1].oracle_calls

        return bracket(gap_after, start, most, precision)


def bracket(
    small_after: Callable[[int], tuple[bool, int]], start: int, most: int, precision: float
) -> tuple[int | None, int]:
    """Doubles the passes from ``start`` until the gap is small, then halves the interval to ``precision``."""
    low, low_calls, passes = 0, 0, max(1, min(start, most))
    while True:
        small, calls = small_after(passes)
        if small:
            break
        low, low_calls = passes, calls
        if passes >= most:
            return None, low_calls
        passes = min(2 * passes, most)
    high, high_calls = passes, calls
    while high - low > max(1.0, precision * high):
        middle = (low + high) // 2
        small, calls = small_after(middle)
        if small:
            high, high_calls = middle, calls
        else:
            low, low_calls = middle, calls
    return high_calls, low_calls


def data(words: int) -> tuple[list[Any], list[Any], str]:
    try:
        X, Y = load_ocr_letters([0])
        return X[:words], Y[:words], "OCR letters, fold 0"
    except MissingDataError as missing:
        X, Y = make_chain(words)
        return X, Y, f"generated digit strings ({missing})"


def show(counts: list[Count], n: int, optimum: float, title: str) -> None:
    columns = [
        "solver",
        "certified",
        "calls/word",
        "reached",
        "calls/word",
        "CPU s",
        "objective",
        "relative gap",
        "planes",
    ]
    table = new_table(title, columns)
    for count in counts:
        reached = f"> {count.at_least:,}" if count.at_least is not None else "-"
        per_word = f"> {count.at_least / n:.1f}" if count.at_least is not None else "-"
        table.add_row(
            SOLVERS[count.name][0],
            "not in the limit" if count.certified is None else f"{count.certified:,}",
            "-" if count.certified is None else f"{count.certified / n:.1f}",
            reached if count.reached is None else f"{count.reached:,}",
            per_word if count.reached is None else f"{count.reached / n:.1f}",
            f"{count.seconds:.3g}",
            f"{count.primal:.6g}",
            f"{count.gap / optimum:.4%}",
            f"{count.planes:,}",
        )
    console.print(table)


def verdict(counts: dict[str, Count]) -> dict[str, Any]:
    """Plain BCFW against the default, by both counts; the smaller of the two ratios is held against the bar."""
    plain, ours = counts["plain"], counts["default"]
    few = plain.reached if plain.reached is not None else plain.at_least
    assert few is not None
    ratios = {}
    if ours.reached:
        ratios["reached"] = few / ours.reached
    if ours.certified and plain.certified:
        ratios["certified"] = plain.certified / ours.certified
    holds = bool(ratios) and min(ratios.values()) >= BAR
    bound = "at least " if plain.reached is None else ""
    for kind, ratio in ratios.items():
        print(f"Calls of plain BCFW to calls of the default, {kind}: {bound if kind == 'reached' else ''}{ratio:.1f}")
    print(f"At least {BAR:g} times fewer calls: {'yes' if holds else 'NO'}")
    return {"ratios": ratios, "lower_bound": plain.reached is None, "holds": holds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=626, help="training words")
    parser.add_argument("--C", type=float, default=0.1, help="C of one word")
    parser.add_argument("--limit", type=int, default=500, help="passes after which a solver is stopped")
    parser.add_argument("--precision", type=float, default=0.1, help="relative precision of the calls reached")
    parser.add_argument("--solvers", default=",".join(SOLVERS), help="names with commas between: " + ", ".join(SOLVERS))
    arguments = parser.parse_args()
    X, Y, source = data(arguments.words)
    setting = Setting(X, Y, arguments.C, arguments.limit)
    best, _, _ = setting.solve(BlockCoordinate(), 1e-5, 1000)
    assert best.primal is not None
    target = RELATIVE * best.primal
    tol = target / (setting.C * setting.n)
    counts: dict[str, Count] = {}
    for name in arguments.solvers.split(","):
        counts[name] = count = setting.count(name, tol)
        if isinstance(SOLVERS[name][1], BlockCoordinate) and count.certified is None:
            count.at_least = count.made
        elif isinstance(SOLVERS[name][1], BlockCoordinate):
            ours = counts["default"].certified if "default" in counts and name != "default" else None
            start = round(BAR * ours / setting.n) if ours else 4  # where the bar would be decided
            count.reached, count.at_least = setting.reached(name, target, start, setting.limit, arguments.precision)
    asked = f"a gap of {RELATIVE:.1%} of {best.primal:.6g} is tol = {tol:.3g}"
    title = f"{source}: {setting.n} words, C = {setting.C:g}; {asked}"
    show(list(counts.values()), setting.n, best.primal, title)
    results: dict[str, Any] = {"source": source, "words": setting.n, "C": setting.C, "tol": tol, "optimum": best.primal}
    if {"plain", "default"} <= counts.keys():
        results["verdict"] = verdict(counts)
    results["counts"] = [asdict(count) for count in counts.values()]
    print(f"Saved as {save('oracle_calls', results)}.")


if __name__ == "__main__":
    main()
