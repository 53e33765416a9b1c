"""What all estimators are: parameters that are checked in one place, fits that succeed or change nothing, what a
solver leaves behind, slim pickles, and model files.

An estimator is a dataclass of its parameters: scikit-learn reads them from the signature that ``dataclass`` writes. It
says which values they may have, what its arrays are and how it comes back from a file; ``load`` knows no names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, ClassVar, TypeVar

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.models import save_model
from maxmargin.fitting.parameters import Allowed, check_parameters
from maxmargin.solvers.base import Solution


@dataclass(frozen=True, eq=False)
class FileParts:
    """What a model file keeps of a fitted estimator besides its parameters.

    ``arrays`` has numbers and texts by name, ``structure`` plain values that tell how they belong together, and
    ``without`` the parameters that are not written because the arrays say as much.
    """

    arrays: Mapping[str, Any]
    structure: Mapping[str, Any]
    without: tuple[str, ...] = ()


class Estimator(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all estimators.

    A subclass lists in ``_parameters`` what its parameters may be (``maxmargin.fitting.parameters``), fits within
    ``_fitting()``, hands what a solver found to ``_keep``, and says by ``_file_parts`` and ``_restore`` what a model
    file holds.
    """

    _parameters: ClassVar[Mapping[str, Allowed]]
    needs: ClassVar[str | None] = None  # code that a file cannot hold: the name of the first argument of the estimator
    solution_: Solution
    n_iter_: int

    @contextmanager
    def _fitting(self) -> Iterator[None]:
        """Checks the parameters before anything else; where a fit is refused, the estimator is unchanged: fitted as
        before, or not at all."""
        check_parameters(self)
        own = self.__dict__
        before = dict(own)
        try:
            yield
        except BaseException:
            own.clear()
            own.update(before)
            raise

    def _keep(self, solution: Solution) -> None:
        """Sets the attributes that every fit leaves behind; ``C_`` is that of the problem that was solved."""
        self.solution_ = solution
        self.n_iter_ = solution.n_iter
        if hasattr(self, "C"):
            self.C_ = solution.details["C"]

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out of pickles and deep copies what only a warm start needs.

        Dual variables, their planes and the slacks of the examples grow with the training data, not with the model.
        With ``warm_start=True`` they are kept; else ``solution_`` comes back with ``state``, ``aggregate``, ``blocks``
        and ``slack`` None, and with everything else, the objective and the gap among it.
        """
        state: dict[str, Any] = super().__getstate__()
        solution = state.get("solution_")
        if isinstance(solution, Solution) and not getattr(self, "warm_start", False):
            state = {**state, "solution_": replace(solution, state=None, aggregate=None, slack=None, blocks=None)}
        return state

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a model file that ``maxmargin.load`` reads."""
        check_is_fitted(self)
        parts = self._saved_parts()
        names = {"feature_names_in_": self.feature_names_in_} if hasattr(self, "feature_names_in_") else {}
        save_model(path, self, {**parts.arrays, **names}, parts.without, parts.structure)

    @staticmethod
    def _check_needed(given: Any) -> None:
        """Raises where what ``needs`` names was given to ``load`` and lacks methods."""

    def _saved_parts(self) -> FileParts:
        """``_file_parts`` and what a base of several estimators adds to them."""
        return self._file_parts()

    @abstractmethod
    def _file_parts(self) -> FileParts:
        """What a model file keeps of a fitted model."""

    @abstractmethod
    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        """Sets what ``fit`` had set, on an estimator that has its parameters.

        What it does not accept is a KeyError, TypeError or ValueError, which ``load`` reports as a damaged file.
        """


SAVED: dict[str, type[Estimator]] = {}
Kind = TypeVar("Kind", bound=type[Estimator])


def saved(kind: Kind) -> Kind:
    """Decorates the estimators that ``load`` can bring back."""
    SAVED[kind.__name__] = kind
    return kind


def restore_features(model: Any, arrays: ModelArrays, count: int) -> None:
    """The number of features, and their names where there are any; ``count`` is that of the columns of weights, which
    with a kernel are its reference rows."""
    kernel = getattr(model, "kernel_", None)
    if kernel is not None:
        if kernel.width != count:
            raise ValueError("there must be a coefficient per reference row of the kernel")
        count = kernel.columns
    model.n_features_in_ = count
    names = arrays.feature_names(count)
    if names is not None:
        model.feature_names_in_ = names
