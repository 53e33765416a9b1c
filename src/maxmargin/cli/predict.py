"""``maxmargin predict``."""

from __future__ import annotations

import csv
import sys
import warnings
from pathlib import Path
from typing import IO, Any

import numpy as np

from maxmargin.chains.base import ChainEstimator
from maxmargin.classes.multiclass_svc import MulticlassSVC
from maxmargin.classes.taxonomy_svc import TaxonomySVC
from maxmargin.cli.files import Source, check_output, load_model, refuse
from maxmargin.cli.measure import answer_rows
from maxmargin.cli.ranking import predict_ranking
from maxmargin.cli.sequence_predict import Answers, predict_sequences
from maxmargin.console import make_console
from maxmargin.measures.measure_svc import MeasureSVC
from maxmargin.rankings.ranking_svm import RankingSVM


def predict_file(
    model_path: Path,
    source: Source,
    output: Path | None,
    top_k: int,
    until: float | None,
    answers: Answers,
    n_jobs: int,
) -> None:
    """Writes ``top_k`` classes a line, each followed by its score if that is wanted; of sequences a token a line."""
    if output is not None:
        check_output(output, model_path, source.path)
    model = load_model(model_path, n_jobs)
    if isinstance(model, ChainEstimator):
        only = {"--top-k": top_k != 1, "--until": until is not None, **source.table_options}
        refuse(only, model_path, "a model of sequences")
        predict_sequences(model, model_path, source.path, source.format, output, answers)
        return
    only = {
        "--steps": answers.steps is not None,
        "--kbest": answers.kbest is not None,
        "--decode": answers.decode != "auto",
        "--confidence": answers.confidence,
    }
    if isinstance(model, RankingSVM):
        refuse(
            {"--top-k": top_k != 1, "--scores": answers.scores, **only, **source.table_options}, model_path, "a ranking"
        )
        predict_ranking(model, source.path, source.format, output)
        return
    refuse(only, model_path, "a classifier")
    if isinstance(model, MeasureSVC):
        refuse({"--top-k": top_k != 1}, model_path, "a classifier of two classes")
    X = source.read_for(model, labelled=False).X
    if until is not None:
        rows = _stopped(model, model_path, X, until, {"--top-k": top_k != 1, "--scores": answers.scores})
    elif isinstance(model, MeasureSVC):
        rows = answer_rows(model, X, answers.scores)
    else:
        rows = _rows(model, X, top_k, answers.scores)
    if output is None:
        _write(sys.stdout, rows, "\t")
        return
    with open(output, "w", encoding="utf-8", newline="") as file:
        _write(file, rows, "," if output.suffix.lower() == ".csv" else "\t")


def _stopped(
    model: MulticlassSVC | TaxonomySVC, path: Path, X: Any, until: float, others: dict[str, bool]
) -> list[list[Any]]:
    """The lowest nodes of a taxonomy that are probable enough."""
    if not isinstance(model, TaxonomySVC):
        raise ValueError(f"--until is for classes in a taxonomy, and {path} has none; leave it out.")
    refuse(others, path, "with --until")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nodes = model.predict(X, until=until)
    for warning in caught:
        make_console(stderr=True).print(f"warning: {' '.join(str(warning.message).split())}")
    return [[node] for node in nodes.tolist()]


def _rows(model: MulticlassSVC | TaxonomySVC, X: Any, top_k: int, scores: bool) -> list[list[Any]]:
    best = model.predict_topk(X, top_k)
    if not scores:
        rows: list[list[Any]] = best.tolist()
        return rows
    values = np.asarray(X @ model.coef_.T) + model.intercept_
    if isinstance(model, TaxonomySVC):  # so far of the nodes
        values = np.asarray((model.features_.matrix @ values.T).T)
    values = np.take_along_axis(values, np.searchsorted(model.classes_, best), axis=1)
    return [
        [cell for label, value in zip(labels, row) for cell in (label, f"{value:.9g}")]
        for labels, row in zip(best.tolist(), values.tolist())
    ]


def _write(file: IO[str], rows: list[list[Any]], delimiter: str) -> None:
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
