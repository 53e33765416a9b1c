"""``maxmargin predict``."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import IO, Any

import numpy as np

from maxmargin.cli.files import Source, check_output, load_model, refuse
from maxmargin.cli.measure import answer_rows
from maxmargin.cli.ranking import predict_ranking
from maxmargin.cli.sequence_predict import Answers, predict_sequences
from maxmargin.estimators import MeasureSVC, MulticlassSVC, RankingSVM
from maxmargin.estimators.chain_base import ChainEstimator


def predict_file(
    model_path: Path,
    source: Source,
    output: Path | None,
    top_k: int,
    answers: Answers,
    n_jobs: int,
) -> None:
    """Writes ``top_k`` classes a line, each followed by its score if that is wanted; of sequences a token a line."""
    if output is not None:
        check_output(output, model_path, source.path)
    model = load_model(model_path, n_jobs)
    if isinstance(model, ChainEstimator):
        refuse({"--top-k": top_k != 1, **source.table_options}, model_path, "a model of sequences")
        predict_sequences(model, model_path, source.path, source.format, output, answers)
        return
    only = {
        "--steps": answers.steps is not None,
        "--kbest": answers.kbest is not None,
        "--decode": answers.decode != "viterbi",
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
    two = isinstance(model, MeasureSVC)
    rows = answer_rows(model, X, answers.scores) if two else _rows(model, X, top_k, answers.scores)
    if output is None:
        _write(sys.stdout, rows, "\t")
        return
    with open(output, "w", encoding="utf-8", newline="") as file:
        _write(file, rows, "," if output.suffix.lower() == ".csv" else "\t")


def _rows(model: MulticlassSVC, X: Any, top_k: int, scores: bool) -> list[list[Any]]:
    best = model.predict_topk(X, top_k)
    if not scores:
        rows: list[list[Any]] = best.tolist()
        return rows
    values = np.asarray(X @ model.coef_.T) + model.intercept_
    values = np.take_along_axis(values, np.searchsorted(model.classes_, best), axis=1)
    return [
        [cell for label, value in zip(labels, row) for cell in (label, f"{value:.9g}")]
        for labels, row in zip(best.tolist(), values.tolist())
    ]


def _write(file: IO[str], rows: list[list[Any]], delimiter: str) -> None:
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
