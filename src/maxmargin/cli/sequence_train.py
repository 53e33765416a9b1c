"""``maxmargin train`` on files of sequences."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from maxmargin.chains.base import ChainEstimator
from maxmargin.chains.calibration import CalibratedChain
from maxmargin.chains.features.template_sets import TEMPLATE_SETS
from maxmargin.cli.files import check_output
from maxmargin.cli.sequence_files import SequenceFile, read_training
from maxmargin.cli.sequence_options import check_options, labels_of, make_estimator
from maxmargin.cli.train import kernel_rows
from maxmargin.cli.warned import noted_warnings, tell
from maxmargin.console import make_console, number, print_table
from maxmargin.solvers.base import Solution, Status


def train_sequences(data_path: Path, format: str, path: Path, kind: str, given: Mapping[str, Any]) -> None:
    """Reads, fits, saves, and prints what came out; ``given`` are the options on the command line by name."""
    check_options(data_path, format, kind, given)
    others = [given["cost"]] if given.get("cost") is not None else []
    if given.get("templates") not in (None, *TEMPLATE_SETS):
        others.append(Path(given["templates"]))
    check_output(path, data_path, *others)
    data = read_training(data_path, format, given.get("comment"))
    model = make_estimator(kind, given, labels_of(data.labels))
    begin = time.perf_counter()
    with data.naming_lines(), noted_warnings() as caught:
        model.fit(data.X, data.labels)
        if isinstance(model, CalibratedChain) and given.get("calibrate") is not None:
            model.calibrate(data.X, data.labels, folds=given["calibrate"])
    seconds = time.perf_counter() - begin
    solution = getattr(model, "solution_", None)
    if solution is not None and solution.status is Status.INFEASIBLE:
        raise ValueError(_infeasible(solution, data))
    tell(caught)
    model.save(path)
    _print_summary(model, data, path, seconds)


def _infeasible(solution: Solution, data: SequenceFile) -> str:
    text = solution.status.message
    if solution.certificate is not None:
        text += f" The sequence that begins on {data.place(solution.certificate.example)} is part of it."
    return f"{text} No model was written; use --slack linear."


def _print_summary(model: ChainEstimator, data: SequenceFile, path: Path, seconds: float) -> None:
    rows = [
        ("sequences", str(len(data.labels))),
        ("tokens", str(sum(map(len, data.labels)))),
        ("features", str(model.n_features_in_)),
        *kernel_rows(model),
        ("labels", str(model.classes_.size)),
        ("estimator", type(model).__name__),
    ]
    chosen = getattr(model, "C_", getattr(model, "C", None))
    if chosen is not None:
        rows.append(("C", number(chosen)))
    solution = getattr(model, "solution_", None)
    if solution is not None:
        rows += [
            ("objective", number(solution.primal, 8)),
            ("gap", number(solution.gap, 3)),
            ("status", solution.status.name.lower().replace("_", " ")),
        ]
    if getattr(model, "calibrated_", False):
        rows.append(("temperature", number(model.temperature_)))
    rows += [("seconds", f"{seconds:.3f}"), ("model", str(path))]
    print_table(make_console(), "", ("", ""), rows, text_columns=2)
