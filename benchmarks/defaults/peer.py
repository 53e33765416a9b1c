"""What a peer is, and the settings among which cross validation chooses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp

from defaults.task import Split, Task

Setting = dict[str, Any]
Answer = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Peer:
    """A method of somebody else.

    Parameters
    ----------
    name : for the tables
    fit : ``fit(setting, task, split)`` trains, which is what is timed, and gives a function from X to answers; the
        empty setting is the method as it comes
    grid : ``grid(task, split)``, the settings to choose from
    needs : (module, distribution), without which it is left out
    prepare : ``prepare(task, X)`` brings X into the form that the method reads, which is not timed
    """

    name: str
    fit: Callable[[Setting, Task, Split], Answer]
    grid: Callable[[Task, Split], list[Setting]]
    needs: tuple[str, str] = ("sklearn", "scikit-learn")
    prepare: Callable[[Task, Any], Any] = lambda task, X: X

    @property
    def missing(self) -> bool:
        return find_spec(self.needs[0]) is None

    @property
    def version(self) -> str:
        return version(self.needs[1])


def size_of(X: Any) -> float:
    """The squared length of a typical row around the mean, without the columns that are much larger than others."""
    if sp.issparse(X):
        return float(X.multiply(X).sum() / X.shape[0]) or 1.0
    variance = np.asarray(X, dtype=np.float64).var(axis=0)
    varying = variance[variance > 0.0]
    return float(np.median(varying) * varying.size) if varying.size else 1.0


def around(name: str, factors: tuple[float, ...], power: int = -1) -> Callable[[Task, Split], list[Setting]]:
    """A grid for the parameter: ``factor * size_of(X) ** power``, so that it means the same at every scale of X."""
    return lambda task, split: [{name: factor * size_of(split.X) ** power} for factor in factors]


def crossed(*grids: Callable[[Task, Split], list[Setting]]) -> Callable[[Task, Split], list[Setting]]:
    """Every choice of the one grid with every choice of the next."""

    def grid(task: Task, split: Split) -> list[Setting]:
        found: list[Setting] = [{}]
        for each in grids:
            found = [{**one, **other} for one in found for other in each(task, split)]
        return found

    return grid


def values(name: str, *choices: Any) -> Callable[[Task, Split], list[Setting]]:
    return lambda task, split: [{name: choice} for choice in choices]


DECADES = (0.3, 3.0, 30.0, 300.0)
C_GRID = around("C", DECADES)
