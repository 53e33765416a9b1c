"""``maxmargin train``, ``predict`` and ``evaluate`` on rankings."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from copy import copy
from pathlib import Path
from typing import Any

from maxmargin.cli.files import check_output, option, take_names
from maxmargin.cli.train import kernel_rows, parse_c, parse_kernel, parse_tol
from maxmargin.cli.warned import noted_warnings, tell
from maxmargin.console import make_console, number, print_table
from maxmargin.io.read import RANKING_FORMATS, format_of, told_format
from maxmargin.io.text import text_writer
from maxmargin.rankings.letor import RankingData, read_letor
from maxmargin.rankings.ranking_svm import RankingSVM
from maxmargin.solvers.base import Status

RANKING_ONLY = frozenset({"relevant", "gain"})
_SAME = frozenset(
    {"measure", "relevant", "gain", "rank", "rescaling", "slack", "solver", "max_iter", "max_time", "n_jobs"}
)
_CHANGED: dict[str, Callable[[Any], tuple[str, Any]]] = {
    "c": lambda text: ("C", parse_c(text)),
    "tol": lambda text: ("tol", parse_tol(text)),
    "kernel": lambda text: ("kernel", parse_kernel(text)),
    "seed": lambda seed: ("random_state", seed),
    "verbose": lambda flag: ("verbose", int(flag)),
}
_MEASURES = ("swapped_pairs", "average_precision", "mrr", "ndcg(1)", "ndcg(3)", "ndcg(5)", "ndcg(10)", "ndcg")


def train_ranking(data_path: Path, path: Path, given: Mapping[str, Any]) -> None:
    """Reads, fits, saves, and prints what came out; ``given`` are the options on the command line by name."""
    parameters = {name: value for name, value in given.items() if name in _SAME}
    for name in given:
        if name not in _SAME and name not in _CHANGED and name != "format":
            raise ValueError(f"{option(name)} has no meaning for {data_path}, a file of rankings; leave it out.")
    for name, change in _CHANGED.items():
        if name in given:
            parameter, value = change(given[name])
            parameters[parameter] = value
    check_output(path, data_path)
    data = read_letor(data_path)
    model = RankingSVM(**parameters)
    begin = time.perf_counter()
    with noted_warnings() as caught:
        model.fit(data.X, data.grades, groups=data.queries)
    seconds = time.perf_counter() - begin
    if model.solution_.status is Status.INFEASIBLE:
        raise ValueError(f"{model.solution_.status.message} No model was written; use --slack linear.")
    tell(caught)
    model.save(path)
    rows = [
        ("queries", str(len(set(data.queries.tolist())))),
        ("of them left out", str(model.n_uninformative_)),
        ("documents", str(len(data.grades))),
        ("features", str(model.n_features_in_)),
        *kernel_rows(model),
        ("measure", str(model.measure)),
        ("C", number(model.C_)),
        ("objective", number(model.solution_.primal, 8)),
        ("gap", number(model.solution_.gap, 3)),
        ("status", model.solution_.status.name.lower().replace("_", " ")),
        ("seconds", f"{seconds:.3f}"),
        ("model", str(path)),
    ]
    print_table(make_console(), "", ("", ""), rows, text_columns=2)


def predict_ranking(model: RankingSVM, data_path: Path, format: str | None, output: Path | None) -> None:
    """Writes the score of each document, one per line, in the order of the file."""
    scores = model.predict(_read_for(model, data_path, format).X)
    lines = [f"{score:.9g}\n" for score in scores.tolist()]
    if output is None:
        sys.stdout.writelines(lines)
        return
    with text_writer(output) as file:
        file.writelines(lines)


def evaluate_ranking(model: RankingSVM, data_path: Path, format: str | None, as_json: bool) -> None:
    """Prints the measures of rankings, means over the queries that have documents of different grades."""
    data = _read_for(model, data_path, format)
    results: dict[str, Any] = {"queries": len(set(data.queries.tolist())), "documents": len(data.grades)}
    for name in _MEASURES:
        judge = copy(model).set_params(measure=name)
        results[name] = judge.score(data.X, data.grades, groups=data.queries)
    if as_json:
        json.dump(results, sys.stdout, indent=1)
        sys.stdout.write("\n")
        return
    rows = [(name, str(results[name])) for name in ("queries", "documents")]
    rows += [(name, f"{results[name]:.4f}") for name in _MEASURES]
    print_table(make_console(), "", ("", ""), rows)


def _read_for(model: RankingSVM, path: Path, format: str | None) -> RankingData:
    """The documents with the features that a model knows."""
    found = format_of(path, format) if format is not None else told_format(path) or "letor"
    if found not in RANKING_FORMATS:
        raise ValueError(f"{path} is a {found} file, but the model ranks; give a letor file.")
    take_names(model)  # the features of such files have numbers, no names
    data = read_letor(path, n_features=model.n_features_in_)
    if data.ignored_features:
        make_console(stderr=True).print(
            f"note: {data.ignored_features} features of {data.path} are beyond the {model.n_features_in_} "
            "that the model was trained with and are ignored."
        )
    return data
