"""Runs of the chain benchmark: each in a fresh process, repeated where it is short."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chains.methods import Settings
from shared.harness import run_job
from shared.tables import console

LIMIT = 3600.0  # seconds of one process
_SHORT = 20.0  # seconds of a training that is repeated


@dataclass(frozen=True)
class Run:
    """What one method did at one setting: the first of its runs, with medians of the seconds of all."""

    name: str
    found: dict[str, Any]
    pack: float
    train: float
    predict: float
    predict_all: float

    @property
    def total(self) -> float:
        """CPU seconds from lists of strings to a model."""
        return self.pack + self.train

    @property
    def score(self) -> float:
        return float(self.found["score"])

    @property
    def peak(self) -> float:
        """Megabytes beyond the lists of strings."""
        return float(self.found["peak"]) / 1e6

    @property
    def speed(self) -> float:
        """Tokens a second of prediction from lists of strings."""
        return float(self.found["test_tokens"]) / self.predict_all

    @property
    def first_speed(self) -> float:
        """The same for the first call in a process."""
        seconds = self.found["first_reading"]["cpu"] + self.found["first_predicting"]["cpu"]
        return float(self.found["test_tokens"]) / seconds

    @property
    def packed_speed(self) -> float:
        """Tokens a second of prediction once the strings are packed."""
        return float(self.found["test_tokens"]) / self.predict

    def reached(self, objective: float) -> float:
        """CPU seconds of training at which the method's own log is first at or below an objective; NaN if never."""
        seconds = [point[0] for point in self.found["log"] if point[1] <= objective]
        return min(seconds, default=float("nan"))


def run(
    folder: Path,
    facts: dict[str, Any],
    method: str,
    settings: Settings,
    *,
    repeat: int = 1,
    name: str = "",
    **more: Any,
) -> Run:
    """Fits once, and again where that is short; ``more`` goes to ``chains.fit.fit``."""
    arguments = {"folder": str(folder), "method": method, "settings": settings, "chunks": facts["chunks"], **more}
    every: list[dict[str, Any]] = []
    while len(every) < repeat and (not every or every[0]["training"]["cpu"] < _SHORT):
        answer = run_job("chains.fit", "fit", arguments, LIMIT)
        if answer is None:
            raise RuntimeError(f"{method} with {settings} took more than {LIMIT:g} seconds.")
        every.append(answer)

    def seconds(*steps: str) -> float:
        return statistics.median(sum(found[step]["cpu"] for step in steps) for found in every)

    done = Run(
        name or method,
        every[0] | {"peak": max(found["peak"] for found in every), "runs": every[1:]},
        seconds("packing"),
        seconds("training"),
        seconds("predicting"),
        seconds("reading", "predicting"),
    )
    console.print(f"  {done.name} {settings}: {done.pack:.2f} + {done.train:.2f} s, {done.score:.2f}", highlight=False)
    return done
