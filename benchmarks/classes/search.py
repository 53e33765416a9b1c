"""The loosest tolerance at which a method comes within 0.1 % of the best known optimum, and its cost there."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shared.harness import run_job

RIVAL = "LinearSVC"
CLOSE = 1e-3
PRECISE = 1e-4
_FINE = 4  # steps of the fine grid between two of the coarse one: 3 coarse, 12 fine in a factor of ten


def _grid(loosest: float, tightest: float) -> tuple[float, ...]:
    """Tolerances a factor of 10^(1/12) = 1.21 apart, to two digits."""
    steps = round(3 * _FINE * math.log10(loosest / tightest))
    return tuple(float(f"{loosest * 10 ** (-step / (3 * _FINE)):.1e}") for step in range(steps + 1))


GRIDS = {"ours": _grid(0.1, 1e-5), RIVAL: _grid(1.0, 5e-4)}
DENSE_LIMIT = 2_000_000_000  # bytes of a dense copy of X that is still tried
_LOADING = 30.0


@dataclass(frozen=True)
class Limits:
    """Seconds: of one fit of ours (it then stops by itself), of one process, of the search of one method."""

    fit: float
    job: float
    search: float


QUICK = Limits(10.0, 20.0, 20.0)
FULL = Limits(90.0, 240.0, 150.0)
SLOW = {"n-slack": Limits(30.0, 45.0, 45.0)}  # re-optimises all working sets after every batch: for small n
REFERENCE = Limits(300.0, 400.0, 300.0)


@dataclass
class Outcome:
    """The run of a method that counts, and whether it came close to the optimum in the time given."""

    method: str
    run: dict[str, Any] | None
    close: bool
    tried: list[dict[str, Any]] = field(default_factory=list)
    remark: str = ""

    @property
    def cpu(self) -> float:
        """Median CPU seconds; NaN where no fit ended."""
        return float("nan") if self.run is None else statistics.median(m["cpu"] for m in self.run["measurements"])

    @property
    def peak(self) -> int:
        return 0 if self.run is None else max(m["peak"] for m in self.run["measurements"])


def fit(folder: Path, limits: Limits, *, repeat: int = 1, **arguments: Any) -> dict[str, Any] | None:
    """One measured process; None if it had to be ended."""
    if limits is FULL:
        limits = SLOW.get(arguments["method"], limits)
    given = {"folder": str(folder), "repeat": repeat, "max_time": limits.fit, **arguments}
    return run_job("classes.fit", "fit", given, _LOADING + repeat * limits.job)


def reference(folder: Path, C: float, limits: Limits) -> dict[str, Any]:
    """The high-precision run of ours, from which the best known optimum and a lower bound come.

    If the optimum is so small that the first tolerance leaves a relative gap above ``PRECISE``, a second run is made.
    """
    limits = REFERENCE if limits is FULL else limits
    tol, found = 1e-5, None
    for _ in range(2):
        found = fit(folder, limits, method="auto", C=C, tol=tol)
        if found is None:
            raise RuntimeError("The high-precision run did not end; it ought to stop at its own time limit.")
        if found["gap"] <= PRECISE * found["objective"]:
            break
        tol = 0.5 * PRECISE * found["objective"] / (C * found["rows"])
    assert found is not None
    return found


def search(folder: Path, method: str, C: float, best: float, limits: Limits, repeat: int, dense_bytes: int) -> Outcome:
    """Tightens the tolerance along the coarse grid until the objective is close to ``best``, then along the fine one
    between the last two, and measures there."""
    outcome = Outcome(method, None, False)
    grid = GRIDS.get(method, GRIDS["ours"])
    spent = 0.0
    for at in range(0, len(grid), _FINE):
        run = _try(outcome, folder, limits, C, grid[at], best)
        if run is None:
            return outcome
        if outcome.close:
            break
        spent += run["measurements"][0]["wall"]
        if run.get("status") == "MAX_TIME" or spent > limits.search:
            outcome.remark = "not within 0.1 % in the time given"
            return outcome
    if not outcome.close:
        outcome.remark = "not within 0.1 % at any tolerance of the grid"
        return outcome
    coarse = outcome.run
    for tol in grid[max(0, at - _FINE + 1) : at]:
        if _try(outcome, folder, limits, C, tol, best) is not None and outcome.close:
            break
    else:
        outcome.run, outcome.close, outcome.remark = coarse, True, ""
    _measure(outcome, folder, C, limits, repeat, dense_bytes)
    return outcome


def _try(outcome: Outcome, folder: Path, limits: Limits, C: float, tol: float, best: float) -> dict[str, Any] | None:
    """One fit, noted in ``outcome``; None if it had to be ended."""
    run = fit(folder, limits, method=outcome.method, C=C, tol=tol)
    if run is None:
        outcome.remark = f"ended at the time limit at tol {tol:g}"
        return None
    outcome.tried.append(run)
    outcome.run = run
    outcome.close = run["objective"] <= best * (1.0 + CLOSE)
    return run


def _measure(outcome: Outcome, folder: Path, C: float, limits: Limits, repeat: int, dense_bytes: int) -> None:
    """All repeats at the tolerance found; the rival in the faster form of X."""
    assert outcome.run is not None
    tol, form = outcome.run["tol"], "given"
    if outcome.method == RIVAL:
        forms = ["csr"] + ["dense"] * (dense_bytes <= DENSE_LIMIT)
        runs = {form: fit(folder, limits, method=RIVAL, C=C, tol=tol, form=form) for form in forms}
        times = {form: run["measurements"][0]["cpu"] for form, run in runs.items() if run is not None}
        form = min(times, key=lambda form: times[form], default="given")
        outcome.remark = f"{form} input" + ("" if len(forms) == 2 else "; dense too large")
    final = fit(folder, limits, repeat=repeat, method=outcome.method, C=C, tol=tol, form=form)
    outcome.run = final or outcome.run
