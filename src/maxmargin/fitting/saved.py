"""Estimators that model files keep: each says what its arrays are and how it comes back; ``load`` knows no names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, ClassVar, TypeVar

from sklearn.utils.validation import check_is_fitted

from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.models import save_model


@dataclass(frozen=True, eq=False)
class FileParts:
    """What a model file keeps of a fitted estimator besides its parameters.

    ``arrays`` has numbers and texts by name, ``structure`` plain values that tell how they belong together, and
    ``without`` the parameters that are not written because the arrays say as much.
    """

    arrays: Mapping[str, Any]
    structure: Mapping[str, Any]
    without: tuple[str, ...] = ()


class Saved(ABC):
    """Gives an estimator ``save``, and ``load`` the way back: ``_file_parts`` of a fitted model, and ``_restore``.

    ``_restore`` sets what ``fit`` had set, on an estimator that has its parameters. What it does not accept is a
    KeyError, TypeError or ValueError, which ``load`` reports as a damaged file.
    """

    needs_problem: ClassVar[bool] = False  # code that a file cannot hold, the first argument of the estimator
    has_solution: ClassVar[bool] = True  # a solver was run, and ``solution_`` comes back in part

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a model file that ``maxmargin.load`` reads."""
        check_is_fitted(self)
        parts = self._file_parts()
        names = {"feature_names_in_": self.feature_names_in_} if hasattr(self, "feature_names_in_") else {}
        save_model(path, self, {**parts.arrays, **names}, parts.without, parts.structure)

    @abstractmethod
    def _file_parts(self) -> FileParts: ...

    @abstractmethod
    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None: ...


SAVED: dict[str, type[Saved]] = {}
Kind = TypeVar("Kind", bound=type[Saved])


def saved(kind: Kind) -> Kind:
    """Decorates the estimators that ``load`` can bring back."""
    SAVED[kind.__name__] = kind
    return kind


def restore_features(model: Any, arrays: ModelArrays, count: int) -> None:
    """The number of features, and their names where there are any."""
    model.n_features_in_ = count
    names = arrays.feature_names(count)
    if names is not None:
        model.feature_names_in_ = names
