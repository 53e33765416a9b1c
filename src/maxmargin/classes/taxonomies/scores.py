"""Scores of predicted classes that are nodes of a taxonomy.

``taxonomy`` is a ``Taxonomy`` or anything that stands for one (``as_taxonomy``), such as the separator of dotted names
or a fitted ``TaxonomySVC``; labels with one column per level need none.
With ``sklearn.metrics.make_scorer(tree_loss, taxonomy=..., greater_is_better=False)`` they serve in a grid search.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.classes.taxonomies.graph import Taxonomy
from maxmargin.classes.taxonomies.losses import taxonomy_losses
from maxmargin.classes.taxonomies.paths import label_paths, path_losses
from maxmargin.classes.taxonomies.reading import AUTO, as_taxonomy


class HierarchicalScore(NamedTuple):
    """Shares of nodes between 0 and 1; ``support`` counts the nodes that should have been found."""

    precision: float
    recall: float
    f1: float
    support: int


def tree_loss(
    y_true: Any, y_pred: Any, taxonomy: Any = None, *, loss: str = "height", sample_weight: Any = None
) -> float:
    """Mean loss in the taxonomy: the height of the first common ancestor of truth and answer, or with ``loss='path'``
    the number of edges between them.

    Labels that spell out their nodes, because ``taxonomy`` is a separator or because they have one column per level,
    are compared two at a time, so that the loss of a pair is the same whatever else is scored with it: the height is
    the number of levels from the last node they share down to the deeper of the two, which is the height in the tree
    wherever all leaves are equally deep. Any other taxonomy has heights of its own, those of all its nodes; so has a
    fitted ``TaxonomySVC``, which stands for its ``taxonomy_``.
    """
    separator = taxonomy if isinstance(taxonomy, str) and taxonomy != AUTO else None
    truths, answers = label_paths(y_true, separator), label_paths(y_pred, separator)
    if truths is not None and answers is not None:
        losses = path_losses(truths, answers, loss)
    else:
        labels, found = _labels(y_true), _labels(y_pred)
        losses = taxonomy_losses(_taxonomy(taxonomy, [*labels, *found]), labels, found, loss)
    if not losses.size:
        raise ValueError("There are no labels to score.")
    return float(np.average(losses, weights=sample_weight))


def hierarchical_score(y_true: Any, y_pred: Any, taxonomy: Any = None) -> HierarchicalScore:
    """Precision, recall and F1 over nodes, each label standing for its node and all above it (Kiritchenko et al.).

    ``precision = sum_i |A(answer_i) & A(truth_i)| / sum_i |A(answer_i)|``, recall the same over ``|A(truth_i)|``, where
    ``A`` gives the node and its ancestors. A root that is above all nodes is known beforehand, so it does not count.
    """
    truths, answers = label_paths(y_true, None), label_paths(y_pred, None)
    if truths is not None and answers is not None:  # one column per level: a node is its path
        graph = Taxonomy({(path[:end], path[: end + 1]) for path in {*truths, *answers} for end in range(len(path))})
    else:
        truths, answers = _labels(y_true), _labels(y_pred)
        graph = _taxonomy(taxonomy, [*truths, *answers])
    first, second = graph.numbers(truths), graph.numbers(answers)
    if first.size != second.size:
        raise ValueError(f"There are {first.size} true and {second.size} predicted labels; they must match.")
    above = {z: _counted(graph, z) for z in np.unique(np.concatenate([first, second])).tolist()}
    pairs, counts = np.unique(np.stack([first, second]), axis=1, return_counts=True)
    right = true = predicted = 0
    for (truth, answer), count in zip(pairs.T.tolist(), counts.tolist()):
        right += count * len(above[truth] & above[answer])
        true += count * len(above[truth])
        predicted += count * len(above[answer])
    precision = right / predicted if predicted else 0.0
    recall = right / true if true else 0.0
    both = precision + recall
    return HierarchicalScore(precision, recall, 2.0 * precision * recall / both if both else 0.0, true)


def hierarchical_precision(y_true: Any, y_pred: Any, taxonomy: Any = None) -> float:
    """Share of the nodes answered, with all above them, that are right."""
    return hierarchical_score(y_true, y_pred, taxonomy).precision


def hierarchical_recall(y_true: Any, y_pred: Any, taxonomy: Any = None) -> float:
    """Share of the true nodes, with all above them, that are found."""
    return hierarchical_score(y_true, y_pred, taxonomy).recall


def hierarchical_f1(y_true: Any, y_pred: Any, taxonomy: Any = None) -> float:
    """Harmonic mean of the two."""
    return hierarchical_score(y_true, y_pred, taxonomy).f1


def _counted(taxonomy: Taxonomy, node: int) -> frozenset[int]:
    """Numbers of a node and its ancestors, without the only root."""
    only_root = set(taxonomy.roots.tolist()) if taxonomy.roots.size == 1 else set()
    return frozenset(taxonomy.above([node]).tolist()) - only_root


def _taxonomy(given: Any, labels: list[Any]) -> Taxonomy:
    if given is None or (isinstance(given, str) and given == AUTO):
        raise ValueError(
            "The labels are scored in a taxonomy; give it as taxonomy=, for instance the separator of their names or a "
            "fitted TaxonomySVC. It is left out only where labels have one column per level."
        )
    return as_taxonomy(given, labels)


def _labels(given: Iterable[Any] | npt.NDArray[Any]) -> list[Any]:
    return given.tolist() if isinstance(given, np.ndarray) else list(given)
