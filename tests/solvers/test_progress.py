"""Progress of a run: a changing line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sklearn.datasets import load_iris

import toy_problems as problems
from maxmargin import BlockCoordinate, Formulation, MulticlassSVC, NSlack, OneSlack, Perceptron, Subgradient
from maxmargin.oracles.bind import bind
from maxmargin.solvers import monitor
from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.base import Run

CHAIN = problems.Chain()
X, Y = problems.sample(CHAIN, 12, noise=1.0)
SOLVERS = [BlockCoordinate(), NSlack(), OneSlack(), Automatic(), Subgradient(), Perceptron()]
all_solvers = pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)


def train(solver: Any, **options: Any) -> Any:
    mistakes = isinstance(solver, Perceptron)
    return solver(bind(CHAIN, X, Y, Formulation(mistakes=mistakes)), 0.5, Run(tol=1e-2, **options))


@all_solvers
def test_progress_is_plain_lines_where_there_is_no_terminal(solver, capfd, monkeypatch):
    monkeypatch.setattr(monitor, "_QUIET_SECONDS", 0.0)
    solution = train(solver, verbose=1)
    out, err = capfd.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert len(lines) >= 2
    assert all(re.match(r"[\w-]+: pass \d+, \S+ s, \d+ planes", line) for line in lines)
    assert lines[-1].endswith(f": {solution.status.name}")
    assert "\x1b" not in err
    train(solver, verbose=0)
    assert capfd.readouterr() == ("", "")


def test_a_quick_fit_tells_its_end_only(capfd):
    MulticlassSVC(method="structural", verbose=1).fit(*load_iris(return_X_y=True))
    assert [line.rpartition(": ")[2] for line in capfd.readouterr().err.splitlines()] == ["CONVERGED"]


def test_lines_become_rarer(capfd, monkeypatch):
    clock = iter(range(10_000))
    monkeypatch.setattr(monitor.time, "perf_counter", lambda: float(next(clock)))
    with monitor.Monitor(Run(verbose=1), "test") as watch:
        for _ in range(1000):
            watch.tick(oracle_calls=0)
    assert 5 <= len(capfd.readouterr().err.splitlines()) <= 25


def test_progress_shows_the_gap_on_a_terminal(monkeypatch):
    texts: list[str] = []

    class Terminal:
        def __init__(self, **options: Any) -> None: ...
        def status(self, text: str) -> Terminal:
            return self

        def start(self) -> None: ...
        def stop(self) -> None:
            texts.append("stopped")

        def update(self, text: str) -> None:
            texts.append(text)

    monkeypatch.setattr(monitor, "_QUIET_SECONDS", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("rich.console.Console", Terminal)
    train(OneSlack(), verbose=1)
    assert "one-slack" in texts[0]
    assert "gap" in texts[1]
    assert texts[-1] == "stopped"
    texts.clear()
    train(OneSlack(), verbose=0)
    assert texts == []
