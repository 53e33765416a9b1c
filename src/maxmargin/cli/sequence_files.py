"""Files of labelled sequences that commands read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maxmargin.chains.base import ChainEstimator
from maxmargin.chains.features.template_sets import TEMPLATE_SETS
from maxmargin.chains.features.template_text import parse_templates
from maxmargin.chains.features.templates import Templates
from maxmargin.chains.formats.conll import read_conll, split_labels
from maxmargin.chains.formats.crfsuite import read_crfsuite
from maxmargin.chains.formats.svmhmm import read_svmhmm
from maxmargin.chains.sequences.packed import SequenceError
from maxmargin.cli.files import Source
from maxmargin.console import make_console
from maxmargin.io.read import format_of, told_format

_HOLD = {"conll": "columns of text", "crfsuite": "attributes", "svmhmm": "numbered features"}


@dataclass(frozen=True, eq=False)
class SequenceFile:
    """Sequences as an estimator takes them.

    Parameters
    ----------
    path : the file
    X : sequences of tokens
    Y : the labels of each; None where the file has none
    columns : for each token what stands before its prediction in the output
    lines : the line of each token, all sequences one after the other
    separator : what divides the columns of the output
    """

    path: Path
    X: Any
    Y: list[list[Any]] | None
    columns: list[list[tuple[str, ...]]]
    lines: Sequence[int]
    separator: str = " "

    @property
    def labels(self) -> list[list[Any]]:
        """The labels, or a complaint that there are none."""
        if self.Y is None:
            raise ValueError(f"{self.path} has no column of labels after the columns that the model reads; add it.")
        return self.Y

    def place(self, sequence: int, token: int | None = None) -> str:
        """File and line of a token, or of the first token of a sequence."""
        before = sum(map(len, self.columns[:sequence]))
        return f"{self.path}, line {self.lines[before + (token or 0)]}"

    @contextmanager
    def naming_lines(self) -> Iterator[None]:
        """Complaints about a sequence also say where in the file it is."""
        try:
            yield
        except SequenceError as error:
            raise ValueError(f"{self.place(error.sequence, error.token)}: {error}") from error


def read_training(path: Path, kind: str, comment: str | None = None) -> SequenceFile:
    """Sequences with labels, which are in the last column of CoNLL files."""
    if kind == "conll":
        lines: list[int] = []
        sentences = read_conll(path, comment=comment, lines=lines)
        if len(sentences[0][0]) < 2:
            raise ValueError(f"{path} has one column only; put words first and the label in the last column.")
        return SequenceFile(path, *split_labels(sentences), sentences, lines)
    return _with_labels(path, kind, None)


def read_for(source: Source, model: ChainEstimator, model_path: Path) -> SequenceFile:
    """Sequences in the form that a model was trained on; the format is the model's unless it is given."""
    path, format, kind = source.path, source.format, _own_format(model)
    found = format_of(path, format) if format is not None else told_format(path) or kind
    if found != kind:
        raise ValueError(
            f"{path} is a {found} file, but {model_path} was trained on {_HOLD[kind]}; give a {kind} file."
        )
    if kind != "conll":
        if source.comment is not None:
            raise ValueError(f"{path} is a {kind} file, and --comment is for conll; leave it out.")
        return _with_labels(path, kind, model)
    assert model.reader_.vectorizer is not None
    width = model.reader_.vectorizer.n_columns_
    assert width is not None
    lines: list[int] = []
    sentences = read_conll(path, comment=source.comment, lines=lines)
    columns = len(sentences[0][0])
    if columns not in (width, width + 1):
        raise ValueError(
            f"{path} has {columns} columns, but {model_path} was trained with {width} and a label; "
            f"give {width}, or {width + 1} with the label last."
        )
    if columns == width:
        return SequenceFile(path, sentences, None, sentences, lines)
    return SequenceFile(path, *split_labels(sentences), sentences, lines)


def read_templates(name: str) -> Templates:
    """A ready set of templates, or those of a file in the syntax of CRF++."""
    if name in TEMPLATE_SETS:
        return TEMPLATE_SETS[name]()
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ValueError(f"templates must be {', '.join(TEMPLATE_SETS)} or a file; there is no file {name}.") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not UTF-8 text ({error.reason}); convert it.") from error
    try:
        return parse_templates(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _with_labels(path: Path, kind: str, model: ChainEstimator | None) -> SequenceFile:
    """Files in which every token has a label, which may be a dummy where it is to be predicted."""
    if kind == "crfsuite":
        lines: list[int] = []
        X, Y = read_crfsuite(path, lines=lines)
        return SequenceFile(path, X, Y, [[(label,) for label in labels] for labels in Y], lines, separator="\t")
    own = None if model is None else model.n_features_in_ // (2 * model.reader_.window + 1)
    found = read_svmhmm(path, n_features=own)
    if found.ignored_features:
        make_console(stderr=True).print(
            f"note: {found.ignored_features} features of {path} are beyond the {own} that the model was trained with "
            "and are ignored."
        )
    tags = [labels.tolist() for labels in found.Y]
    columns: list[list[tuple[str, ...]]] = [[(str(tag),) for tag in labels] for labels in tags]
    return SequenceFile(path, found.X, tags, columns, found.lines.tolist())


def _own_format(model: ChainEstimator) -> str:
    vectorizer = model.reader_.vectorizer
    if vectorizer is None:
        return "svmhmm"
    return "crfsuite" if vectorizer.templates_ is None else "conll"
