"""How far an answer is from the truth in a taxonomy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.classes.taxonomies.graph import Taxonomy

Floats = npt.NDArray[np.float64]
LOSSES = ("height", "path", "zero-one")


def taxonomy_losses(taxonomy: Taxonomy, y_true: Iterable[Any], y_pred: Iterable[Any], loss: str = "height") -> Floats:
    """The loss of each answer, zero where it is the truth.

    Parameters
    ----------
    taxonomy : with one root, unless the loss is ``'zero-one'``
    y_true, y_pred : labels, leaves or not
    loss : ``'height'``, the height of the first common ancestor, i.e. of the lowest node that is above both (a node
        counts as above itself); ``'path'``, the number of edges of the shortest way from one to the other over a common
        ancestor; ``'zero-one'``, 1 for every wrong answer
    """
    check_loss(loss)
    truths, answers = taxonomy.numbers(y_true), taxonomy.numbers(y_pred)
    check_lengths(truths.size, answers.size)
    if loss == "zero-one":
        return np.asarray(truths != answers, dtype=np.float64)
    taxonomy.check_one_root(f"the loss {loss!r}")
    pairs, place = np.unique(np.stack([truths, answers]), axis=1, return_inverse=True)
    up: dict[int, dict[int, int]] = {z: taxonomy.distances_up(z) for z in np.unique(pairs).tolist()}
    heights = taxonomy.heights
    found = np.zeros(pairs.shape[1])
    for at, (truth, answer) in enumerate(pairs.T.tolist()):
        if truth == answer:
            continue
        common = up[truth].keys() & up[answer].keys()
        if loss == "height":
            found[at] = min(heights[z] for z in common)
        else:
            found[at] = min(up[truth][z] + up[answer][z] for z in common)
    return found[place.ravel()]


def check_loss(loss: Any) -> None:
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))}, not {loss!r}.")


def check_lengths(truths: int, answers: int) -> None:
    if truths != answers:
        raise ValueError(f"There are {truths} true and {answers} predicted labels; they must match.")
