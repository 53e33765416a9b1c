"""``maxmargin evaluate`` with models of sequences."""

from __future__ import annotations

import json
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.metrics import precision_recall_fscore_support

from maxmargin.chains.base import ChainEstimator
from maxmargin.chains.chunk_schemes import scheme_named, scheme_of
from maxmargin.chains.scores import ChunkScore, chunk_score, chunk_scores, token_accuracy
from maxmargin.cli.files import Source
from maxmargin.cli.sequence_files import SequenceFile, read_for
from maxmargin.console import make_console, print_table

_COLUMNS = ("precision", "recall", "f1")


def evaluate_sequences(
    model: ChainEstimator,
    model_path: Path,
    source: Source,
    steps: str | None,
    scheme: str | None,
    as_json: bool,
) -> None:
    """Prints token accuracy, the share of sequences without a mistake, scores of labels, and of chunks where there
    are any."""
    if scheme not in (None, "auto"):
        scheme_named(scheme)
    data = read_for(source, model, model_path)
    truths = data.labels
    _note_new_labels(data, model)
    with data.naming_lines():
        answers = [np.asarray(labels, dtype=object).tolist() for labels in model.predict(data.X, steps=steps)]
        results = measure_sequences(truths, answers, scheme or "auto")
    if as_json:
        json.dump(results, sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        _print(make_console(), results)


def _note_new_labels(data: SequenceFile, model: ChainEstimator) -> None:
    """Says which labels the model cannot give, since they count as mistakes."""
    known = set(model.classes_.tolist())
    places = ((label, i, t) for i, labels in enumerate(data.labels) for t, label in enumerate(labels))
    first = next((place for place in places if place[0] not in known), None)
    if first is not None:
        label, i, t = first
        count = len({label for labels in data.labels for label in labels} - known)
        what = f"{count} labels of the file were" if count > 1 else "a label of the file was"
        make_console(stderr=True).print(
            f"note: {what} not seen in training and can only be mistakes; the first is {label} ({data.place(i, t)})."
        )


def measure_sequences(truths: list[list[Any]], answers: list[list[Any]], scheme: str = "auto") -> dict[str, Any]:
    """The results as JSON has them; ``scheme``, ``chunks`` and ``chunk_kinds`` only where the labels mark chunks."""
    true, predicted = list(chain.from_iterable(truths)), list(chain.from_iterable(answers))
    labels = sorted({*true, *predicted})
    scores = precision_recall_fscore_support(true, predicted, labels=labels, zero_division=0.0)
    results: dict[str, Any] = {
        "sequences": len(truths),
        "tokens": len(true),
        "token_accuracy": token_accuracy(truths, answers),
        "sequence_accuracy": float(np.mean([a == b for a, b in zip(truths, answers)])),
        "labels": [
            {"label": label, "precision": precision, "recall": recall, "f1": f1, "tokens": count}
            for label, precision, recall, f1, count in zip(labels, *(part.tolist() for part in scores))
        ],
    }
    found = scheme_of(labels) if scheme == "auto" else scheme_named(scheme)
    if found is not None:
        results["scheme"] = found
        results["chunks"] = _chunk_row(chunk_score(truths, answers, found))
        kinds = chunk_scores(truths, answers, found)
        results["chunk_kinds"] = [{"kind": kind, **_chunk_row(score)} for kind, score in kinds.items()]
    return results


def _chunk_row(score: ChunkScore) -> dict[str, Any]:
    return {"precision": score.precision, "recall": score.recall, "f1": score.f1, "chunks": score.support}


def _print(console: Console, results: dict[str, Any]) -> None:
    rows = [(name, str(results[name])) for name in ("sequences", "tokens")]
    rows += [
        ("token accuracy", f"{results['token_accuracy']:.4f}"),
        ("sequences without a mistake", f"{results['sequence_accuracy']:.4f}"),
    ]
    if "chunks" in results:
        rows.append(("scheme of chunks", results["scheme"]))
        names = ("chunk precision", "chunk recall", "chunk F1")
        rows += [(name, f"{results['chunks'][key]:.4f}") for name, key in zip(names, _COLUMNS)]
    print_table(console, "", ("", ""), rows)
    if "chunks" in results:
        console.print()
        cells = [_cells(row, "kind", "chunks") for row in results["chunk_kinds"]]
        print_table(console, "Chunks", ("kind", "precision", "recall", "F1", "chunks"), cells)
    console.print()
    cells = [_cells(row, "label", "tokens") for row in results["labels"]]
    print_table(console, "Labels", ("label", "precision", "recall", "F1", "tokens"), cells)


def _cells(row: dict[str, Any], name: str, count: str) -> tuple[str, ...]:
    return (str(row[name]), *(f"{row[key]:.4f}" for key in _COLUMNS), str(row[count]))
