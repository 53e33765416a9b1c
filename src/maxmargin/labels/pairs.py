"""Which pairs of labels interact: none, a tree of the most informative ones, all, or those that are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from maxmargin import _core

Floats = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.int32]

INTERACTIONS = ("auto", "independent", "tree", "full")
FEW = 8  # labels of which all pairs cost little more than a tree
MANY = 16  # labels from which on a tree says little more about single labels than the features do
NO_PAIRS: Pairs = np.zeros((0, 2), np.int32)


def choose_pairs(
    interactions: Any,
    Y: npt.NDArray[Any],
    names: npt.NDArray[Any],
    weight: Floats | None = None,
    *,
    one_by_one: bool = False,
) -> Pairs:
    """The pairs of labels, shape (pairs, 2), smaller number first.

    Parameters
    ----------
    interactions : ``'independent'``; ``'tree'``; ``'full'``; ``'auto'``, full for at most ``FEW`` labels, independent
        for more than ``MANY`` that are predicted one by one, else a tree; or pairs of labels by name
    Y : label vectors of the training set, shape (n, n_labels); only the tree looks at them
    names : of the labels, shape (n_labels,)
    weight : of the examples
    one_by_one : whether each label is predicted by its own probability, and mistakes at labels add up
    """
    n_labels = len(names)
    if isinstance(interactions, str):
        if interactions == "auto":
            many = "independent" if one_by_one and n_labels > MANY else "tree"
            interactions = "full" if n_labels <= FEW else many
        if interactions == "independent" or (interactions in INTERACTIONS and n_labels < 2):
            return NO_PAIRS
        if interactions == "tree":
            return tree_of(mutual_information(Y, weight))
        if interactions == "full":
            return np.stack(np.triu_indices(n_labels, 1), axis=1).astype(np.int32)
        raise ValueError(
            f"interactions must be one of {', '.join(map(repr, INTERACTIONS))} or a list of pairs of labels, "
            f"not {interactions!r}."
        )
    return _named_pairs(interactions, names)


def mutual_information(Y: npt.NDArray[Any], weight: Floats | None = None, smoothing: float = 1.0) -> Floats:
    """``I(y_j; y_k)`` of every two labels in nats, shape (n_labels, n_labels), zero on the diagonal.

    ``smoothing`` examples are added to each of the four states of a pair (Laplace), so that labels that are hardly ever
    set do not look informative.
    """
    on = np.asarray(Y, dtype=np.float64)
    weighted = on if weight is None else on * weight[:, None]
    total = float(len(on) if weight is None else weight.sum())
    both = weighted.T @ on
    single = np.diag(both)
    states = {
        (1, 1): both,
        (1, 0): single[:, None] - both,
        (0, 1): single[None, :] - both,
        (0, 0): total - single[:, None] - single[None, :] + both,
    }
    share = {state: (np.maximum(count, 0.0) + smoothing) / (total + 4.0 * smoothing) for state, count in states.items()}
    information = np.zeros_like(both)
    for (j, k), joint in share.items():
        first, second = joint + share[j, 1 - k], joint + share[1 - j, k]
        information += joint * np.log(joint / (first * second))
    np.fill_diagonal(information, 0.0)
    return np.maximum(information, 0.0)


def tree_of(information: Floats) -> Pairs:
    """The spanning tree of largest total mutual information (Chow and Liu, 1968)."""
    cost = 1.0 + information.max() - information  # positive: a zero would mean no edge
    tree = sp.coo_array(minimum_spanning_tree(np.triu(cost, 1)))
    pairs = np.stack(tree.coords, axis=1)
    return np.ascontiguousarray(pairs[np.lexsort(pairs.T[::-1])], dtype=np.int32)


def search_method(n_labels: int, pairs: Pairs) -> str:
    """How the best label vector is found: ``'forest'``, ``'list'`` or ``'branch'``; see labels/search.hpp."""
    graph = sp.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n_labels, n_labels))
    trees = int(connected_components(graph, directed=False)[0])
    if len(pairs) == n_labels - trees:
        return "forest"
    return "list" if n_labels <= _core.MOST_LISTED else "branch"


def _named_pairs(given: Any, names: npt.NDArray[Any]) -> Pairs:
    number = {name: k for k, name in enumerate(names.tolist())}
    found: dict[tuple[int, int], int] = {}
    try:
        listed = [tuple(pair) for pair in given]
    except TypeError as error:
        raise ValueError(
            f"interactions must be one of {', '.join(map(repr, INTERACTIONS))} or a list of pairs of labels, "
            f"not {given!r}."
        ) from error
    for place, pair in enumerate(listed):
        if len(pair) != 2:
            raise ValueError(f"interactions[{place}] is {pair!r}; a pair of two labels is needed.")
        for label in pair:
            if label not in number:
                raise ValueError(
                    f"interactions[{place}] names the label {label!r}, which is none of the {len(names)} labels of y."
                )
        j, k = sorted(number[label] for label in pair)
        if j == k:
            raise ValueError(
                f"interactions[{place}] pairs the label {pair[0]!r} with itself; name two different labels."
            )
        if (j, k) in found:
            raise ValueError(f"interactions[{place}] repeats the pair of interactions[{found[j, k]}]; name it once.")
        found[j, k] = place
    return np.array(list(found), dtype=np.int32).reshape(-1, 2)
