"""``maxmargin predict``."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import IO, Any

from maxmargin.chains.base import ChainEstimator
from maxmargin.classes.multiclass_svc import MulticlassSVC
from maxmargin.classes.taxonomy_svc import TaxonomySVC
from maxmargin.cli.files import Source, check_output, load_model, refuse
from maxmargin.cli.measure import answer_rows
from maxmargin.cli.ranking import predict_ranking
from maxmargin.cli.sequence_predict import Answers, predict_sequences
from maxmargin.cli.trees import predict_trees
from maxmargin.cli.warned import noted_warnings, tell
from maxmargin.grammars.base import GrammarEstimator
from maxmargin.measures.measure_svc import MeasureSVC
from maxmargin.rankings.ranking_svm import RankingSVM


def predict_file(
    model_path: Path,
    source: Source,
    output: Path | None,
    until: float | None,
    answers: Answers,
    n_jobs: int,
) -> None:
    """Writes the classes of each example on a line, each followed by its score if wanted; of sequences the tokens."""
    answers.check()
    if output is not None:
        check_output(output, model_path, source.path)
    model = load_model(model_path, n_jobs)
    if isinstance(model, ChainEstimator):
        only = {"--until": until is not None, "--decode risk": answers.decode == "risk", **source.table_options}
        refuse(only, model_path, "a model of sequences")
        predict_sequences(model, model_path, source, output, answers)
        return
    several = answers.kbest is not None
    only = {
        "--steps": answers.steps is not None,
        "--decode": answers.decode != "auto",
        "--confidence": answers.confidence,
        "--comment": source.comment is not None,
    }
    if isinstance(model, RankingSVM):
        refuse(
            {"--kbest": several, "--scores": answers.scores, **only, **source.table_options}, model_path, "a ranking"
        )
        predict_ranking(model, source.path, source.format, output)
        return
    if isinstance(model, GrammarEstimator):
        only |= {"--until": until is not None, "--decode": answers.decode not in ("auto", "risk")}
        refuse({**only, **source.table_options}, model_path, "a parser")
        predict_trees(model, source.path, source.format, output, answers)
        return
    refuse(only, model_path, "a classifier")
    if isinstance(model, MeasureSVC):
        refuse({"--kbest": several}, model_path, "a classifier of two classes")
    X = source.read_for(model, labelled=False).X
    if until is not None:
        rows = _stopped(model, model_path, X, until, {"--kbest": several, "--scores": answers.scores})
    elif isinstance(model, MeasureSVC):
        rows = answer_rows(model, X, answers.scores)
    else:
        rows = _rows(model, X, answers)
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
    with noted_warnings() as caught:
        nodes = model.predict(X, until=until)
    tell(caught)
    return [[node] for node in nodes.tolist()]


def _rows(model: MulticlassSVC | TaxonomySVC, X: Any, answers: Answers) -> list[list[Any]]:
    if answers.kbest is None and not answers.scores:
        return [[label] for label in model.predict(X).tolist()]
    ranked = model.predict_kbest(X, answers.kbest or 1)
    if not answers.scores:
        return [[label for _, label in best] for best in ranked]
    return [[cell for score, label in best for cell in (label, f"{score:.9g}")] for best in ranked]


def _write(file: IO[str], rows: list[list[Any]], delimiter: str) -> None:
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
