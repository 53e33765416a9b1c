"""Labelled examples from a file of any format that the library reads."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath

from maxmargin.core.input_checks import quoted
from maxmargin.io.labelled import LabelledData
from maxmargin.io.svmlight import read_svmlight
from maxmargin.io.table import read_table

TABLE_FORMATS = ("svmlight", "csv", "tsv")
SEQUENCE_FORMATS = ("conll", "crfsuite", "svmhmm")
RANKING_FORMATS = ("letor",)
TREE_FORMATS = ("brackets",)
FORMATS = (*TABLE_FORMATS, *SEQUENCE_FORMATS, *RANKING_FORMATS, *TREE_FORMATS)
_EXTENSIONS = {
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".conll": "conll",
    ".bio": "conll",
    ".iob": "conll",
    ".crfsuite": "crfsuite",
    ".svmhmm": "svmhmm",
    ".letor": "letor",
    ".mrg": "brackets",
    ".ptb": "brackets",
    ".trees": "brackets",
}


def format_of(path: str | PathLike[str], format: str | None = None) -> str:
    """The format asked for, else the one that the file's name tells (before ``.gz``)."""
    if format is not None:
        if format not in FORMATS:
            raise ValueError(f"The format must be one of {', '.join(FORMATS)}, not {quoted(format)}.")
        return format
    told = told_format(path)
    if told is not None:
        return told
    raise ValueError(
        f"The format of {fspath(path)} cannot be inferred from its name (known endings: {', '.join(_EXTENSIONS)}); "
        f"name the format: {', '.join(FORMATS)}."
    )


def told_format(path: str | PathLike[str]) -> str | None:
    """The format that a file's name tells, None if it tells none."""
    name = fspath(path).lower().removesuffix(".gz")
    return next((known for extension, known in _EXTENSIONS.items() if name.endswith(extension)), None)


def read_data(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    label_column: str | None = None,
    feature_names: Sequence[str] | None = None,
    n_features: int | None = None,
    zero_based: bool = False,
    labelled: bool = True,
    text_labels: bool | None = None,
) -> LabelledData:
    """Reads a file in svmlight, csv or tsv format; see ``read_svmlight`` and ``read_table`` for the options.

    Options that a format does not have are refused where they would change what is read.
    """
    kind = format_of(path, format)
    if kind in SEQUENCE_FORMATS:
        raise ValueError(f"{fspath(path)} is a {kind} file, which holds sequences; give svmlight, csv or tsv text.")
    if kind in RANKING_FORMATS:
        raise ValueError(f"{fspath(path)} is a {kind} file, which holds rankings; give svmlight, csv or tsv text.")
    if kind in TREE_FORMATS:
        raise ValueError(f"{fspath(path)} is a {kind} file, which holds trees; give svmlight, csv or tsv text.")
    if kind == "svmlight":
        if label_column is not None:
            raise ValueError(f"{fspath(path)} is svmlight text, whose columns have no names; leave label_column out.")
        return read_svmlight(path, n_features=n_features, zero_based=zero_based, labelled=labelled)
    if zero_based:
        raise ValueError(f"{fspath(path)} is a {kind} file, which has no feature indices; leave zero_based out.")
    return read_table(
        path,
        delimiter="," if kind == "csv" else "\t",
        label_column=label_column,
        feature_names=feature_names,
        n_features=n_features,
        labelled=labelled,
        text_labels=text_labels,
    )
