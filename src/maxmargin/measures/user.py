"""Any function of the contingency table as a loss."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.groups.base import Violation
from maxmargin.groups.binary import BinaryTarget
from maxmargin.measures.contingency import Contingency
from maxmargin.measures.table_search import Tables, search_everywhere

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class UserMeasure(Contingency):
    """A loss of the user's own, ``function(tp, fp, fn, tn)``: arrays of counts in, an array of losses out.

    It must be 0 at the truth, finite and at least 0 elsewhere, and should be at most 1. As nothing is known about its
    shape, a search looks at all ``(P + 1) * (N + 1)`` tables.
    """

    function: Callable[[Any, Any, Any, Any], Any]

    def __post_init__(self) -> None:
        try:
            inspect.signature(self.function).bind(0, 0, 0, 0)
        except TypeError as error:
            raise ValueError(
                f"The measure {self.name} does not take the four counts (tp, fp, fn, tn) of a contingency table; it "
                "must answer arrays of them with an array of losses. A metric of labels, as in scikit-learn, is none."
            ) from error
        except ValueError:  # a builtin without a signature: the first call will tell
            return

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def loss(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):  # what comes of it is looked at below
            losses = np.asarray(self.function(tp, fp, fn, tn), dtype=np.float64)
        if losses.shape != np.shape(tp):
            raise ValueError(
                f"The measure {self.name} gave an array of shape {losses.shape} for counts of shape {np.shape(tp)}; "
                "it must answer arrays with an array of the same shape, so use np.where and the like in it."
            )
        bad = ~(np.isfinite(losses) & (losses >= 0.0))
        if bad.any():
            where = tuple(np.argwhere(bad)[0])
            cell = ", ".join(
                f"{key}={np.asarray(count)[where]:g}"
                for key, count in zip(("tp", "fp", "fn", "tn"), np.broadcast_arrays(tp, fp, fn, tn))
            )
            raise ValueError(
                f"The measure {self.name} is {losses[where]:g} at {cell}; a loss must be finite and at least 0."
            )
        return losses

    def prepare(self, truth: npt.NDArray[Any], where: str = "the sample") -> BinaryTarget:
        target = super().prepare(truth, where)
        P, N = float(target.positives.size), float(target.negatives.size)
        at_truth = float(self.loss(np.array([P]), np.zeros(1), np.zeros(1), np.array([N]))[0])
        if abs(at_truth) > 1e-12:
            raise ValueError(
                f"The measure {self.name} is {at_truth:g} at the truth of {where}, tp={P:g}, fp=0, fn=0, tn={N:g}; "
                "a loss must be 0 there. Return 1 - score to train for a score."
            )
        return target

    def most_violated(self, tables: Tables) -> Violation | None:
        return search_everywhere(tables)
