"""Files that commands read and write."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maxmargin.chains.base import ChainEstimator
from maxmargin.classes.multiclass_svc import MulticlassSVC
from maxmargin.classes.taxonomy_svc import TaxonomySVC
from maxmargin.console import make_console
from maxmargin.fitting.loading import load
from maxmargin.grammars.base import GrammarEstimator
from maxmargin.io.labelled import LabelledData
from maxmargin.io.read import read_data
from maxmargin.measures.measure_svc import MeasureSVC
from maxmargin.rankings.ranking_svm import RankingSVM


@dataclass(frozen=True)
class Source:
    """A file of examples and how to read it."""

    path: Path
    format: str | None
    label_column: str | None
    zero_based: bool
    comment: str | None = None  # what lines of a file of sequences that are left out start with

    @property
    def table_options(self) -> dict[str, bool]:
        """Which of the options that only tables have are given."""
        return {"--label-column": self.label_column is not None, "--zero-based": self.zero_based}

    def read(self, **options: Any) -> LabelledData:
        return read_data(
            self.path, format=self.format, label_column=self.label_column, zero_based=self.zero_based, **options
        )

    def read_for(self, model: MulticlassSVC | TaxonomySVC | MeasureSVC, *, labelled: bool) -> LabelledData:
        """The examples with the features and the kind of labels that a model knows."""
        names = take_names(model)
        data = self.read(
            feature_names=names,
            n_features=model.n_features_in_,
            labelled=labelled,
            text_labels=model.classes_.dtype.kind in "US",
        )
        if data.ignored_features:
            make_console(stderr=True).print(
                f"note: {data.ignored_features} features of {data.path} are beyond the {model.n_features_in_} "
                "that the model was trained with and are ignored."
            )
        return data


Model = MulticlassSVC | TaxonomySVC | MeasureSVC | RankingSVM | ChainEstimator | GrammarEstimator


def load_model(path: Path, n_jobs: int) -> Model:
    """A model that the command line works with."""
    model = load(path)
    if not isinstance(model, Model):
        raise ValueError(
            f"{path} holds a {type(model).__name__}; the command line works with MulticlassSVC, TaxonomySVC, "
            "MeasureSVC, RankingSVM, models of sequences and parsers."
        )
    model.n_jobs = n_jobs
    return model


def take_names(model: MulticlassSVC | TaxonomySVC | MeasureSVC | RankingSVM) -> list[str] | None:
    """The names of a model's features if it has them.

    The names leave the model: columns are chosen by name when a file is read, and scikit-learn would warn about
    each matrix that comes without them.
    """
    if not hasattr(model, "feature_names_in_"):
        return None
    names = list(model.feature_names_in_)
    del model.feature_names_in_
    return names


def option(name: str) -> str:
    """How an option is written on the command line."""
    return {"c": "--C", "kind": "--model"}.get(name, "--" + name.replace("_", "-"))


def refuse(options: dict[str, bool], path: Path, what: str) -> None:
    """Raises for the first option that is given though such a model ignores it."""
    for name, given in options.items():
        if given:
            raise ValueError(f"{name} has no meaning for {path}, {what}; leave it out.")


def check_output(path: Path, *inputs: Path) -> None:
    """Raises before any work is done if ``path`` cannot be written or is one of the inputs."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file to write to.")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"{path} cannot be written: the folder {path.absolute().parent} does not exist.")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise ValueError(f"{path} cannot be written: permission denied.")
    for other in inputs:
        if path.exists() and other.exists() and path.samefile(other):
            raise ValueError(f"{path} is the file to be read; name another one to write to.")
