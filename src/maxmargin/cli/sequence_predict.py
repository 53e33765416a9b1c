"""``maxmargin predict`` with models of sequences."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.chains.base import ChainEstimator, Labelling
from maxmargin.cli.files import Source
from maxmargin.cli.sequence_files import SequenceFile, read_for
from maxmargin.cli.warned import noted_warnings, tell, told
from maxmargin.core.ranked import Ranked
from maxmargin.fitting.calibration import NotCalibratedWarning
from maxmargin.io.text import text_writer

HEAD = "#="
"""How a line before a labelling begins; ``read_conll(path, comment="#=")`` leaves such lines out."""


@dataclass(frozen=True)
class Answers:
    """What is to be written of each example or sequence.

    Parameters
    ----------
    scores : of sequences the probability of each label, of other examples the score of each class, after it
    kbest : number of answers, of sequences each with its rank and score in a line before it; None for one without
    confidence : the probability of each labelling as a whole, in a line before it
    decode, steps : as in ``ChainEstimator.predict``; for trees ``'risk'`` as in ``GrammarEstimator.predict``
    """

    scores: bool = False
    kbest: int | None = None
    confidence: bool = False
    decode: str = "auto"
    steps: str | None = None

    def check(self) -> None:
        """Raises, before anything is read, for options that do not go together."""
        if self.kbest is not None and self.kbest < 1:
            raise ValueError(f"--kbest must be at least 1, not {self.kbest}.")
        if self.decode not in ("auto", "viterbi", "marginal", "risk"):
            raise ValueError(f"--decode must be auto, viterbi or marginal, or risk for trees, not {self.decode!r}.")
        for option, given in (("--kbest", self.kbest is not None), ("--confidence", self.confidence)):
            if self.decode == "marginal" and given:
                raise ValueError(
                    f"{option} is about whole labellings, and --decode marginal chooses the label of each token by "
                    "itself; leave one of them out."
                )


def predict_sequences(
    model: ChainEstimator,
    model_path: Path,
    source: Source,
    output: Path | None,
    answers: Answers,
) -> None:
    """Writes the columns of each token with its label added, and what else ``answers`` asks for."""
    data = read_for(source, model, model_path)
    with data.naming_lines(), noted_warnings() as caught:
        lines = list(_lines(model, data, answers))
    tell(caught, _told)
    if output is None:
        sys.stdout.writelines(lines)
        return
    with text_writer(output) as file:
        file.writelines(lines)


def _told(warning: warnings.WarningMessage) -> str:
    if warning.category is NotCalibratedWarning:
        return (
            "These probabilities are a softmax of scores that were not fitted to be probabilities; train with "
            "--calibrate 3, or with --model crf."
        )
    return told(warning)


def _lines(model: ChainEstimator, data: SequenceFile, answers: Answers) -> Iterator[str]:
    place = {label: code for code, label in enumerate(model.classes_.tolist())}
    found = _found(model, data.X, answers)
    marginals: Any = [None] * len(found)
    if answers.scores:
        marginals = model.predict_marginals(data.X, steps=answers.steps)
    decode = answers.decode if answers.kbest is None else "viterbi"
    sure = np.ones(len(found))
    if answers.confidence:
        sure = model.predict_confidence(data.X, decode=decode, steps=answers.steps)
    for i, (columns, ranked, probability) in enumerate(zip(data.columns, found, marginals, strict=True)):
        for rank, (score, labels) in enumerate(ranked):
            head = []
            if answers.kbest is not None:
                head += [f"rank={rank}", f"score={score:.6f}"]
            if answers.confidence:
                share = float(sure[i] * np.exp((score - ranked[0].score) / model.temperature_))
                head.append(f"probability={share:.6g}")
            if head:
                yield " ".join([HEAD, f"sequence={i}", *head]) + "\n"
            for t, (before, label) in enumerate(zip(columns, labels, strict=True)):
                after = [] if probability is None else [f"{probability[t, place[label]]:.6f}"]
                yield data.separator.join([*before, str(label), *after]) + "\n"
            yield "\n"


def _found(model: ChainEstimator, X: Any, answers: Answers) -> list[list[Ranked[Labelling]]]:
    """The labellings of each sequence; without ``kbest`` one, whose score is not asked for."""
    if answers.kbest is not None:
        return model.predict_kbest(X, answers.kbest, steps=answers.steps)
    labellings = model.predict(X, decode=answers.decode, steps=answers.steps)
    return [[Ranked(0.0, labels)] for labels in labellings]
