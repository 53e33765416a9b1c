"""``maxmargin predict`` with models of sequences."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from maxmargin.cli.sequence_files import SequenceFile, read_for
from maxmargin.console import make_console
from maxmargin.estimators.chain_base import ChainEstimator
from maxmargin.io.text import text_writer


def predict_sequences(
    model: ChainEstimator,
    model_path: Path,
    data_path: Path,
    format: str | None,
    output: Path | None,
    scores: bool,
    steps: str | None,
) -> None:
    """Writes the columns of each token with its label added, and its probability after that if ``scores``."""
    data = read_for(data_path, format, model, model_path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lines = list(_lines(model, data, scores, steps))
    for text in dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught):
        make_console(stderr=True).print(f"warning: {text}")
    if output is None:
        sys.stdout.writelines(lines)
        return
    with text_writer(output) as file:
        file.writelines(lines)


def _lines(model: ChainEstimator, data: SequenceFile, scores: bool, steps: Any) -> Iterator[str]:
    predicted = model.predict(data.X, steps=steps)
    place = {label: code for code, label in enumerate(model.classes_.tolist())}
    marginals = model.predict_marginals(data.X, steps=steps) if scores else [None] * len(predicted)
    for columns, labels, probability in zip(data.columns, predicted, marginals, strict=True):
        for t, (before, label) in enumerate(zip(columns, labels.tolist(), strict=True)):
            after = [] if probability is None else [f"{probability[t, place[label]]:.6f}"]
            yield data.separator.join([*before, str(label), *after]) + "\n"
        yield "\n"
