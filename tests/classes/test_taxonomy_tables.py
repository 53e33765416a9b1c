"""Of few classes losses and products of features are read from tables; of many they are found in the taxonomy."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin.classes import losses
from maxmargin.classes.losses import TaxonomyLoss
from maxmargin.classes.output_features import OutputFeatures
from maxmargin.classes.output_maps import MatrixFeatures
from maxmargin.classes.placed_classes import PlacedClasses
from maxmargin.classes.taxonomies import Taxonomy
from maxmargin.core.formulation import Formulation
from maxmargin.solvers.base import Run
from maxmargin.solvers.block_coordinate import BlockCoordinate


def placed(classes: int) -> PlacedClasses:
    """Leaves below every third node of a chain, or below the root."""
    names = [f"leaf {k}" for k in range(classes)]
    edges = [("root", "a"), ("a", "b"), *((("root", "a", "b")[k % 3], name) for k, name in enumerate(names))]
    return PlacedClasses(Taxonomy(edges), names)


def answers(structure: OutputFeatures, labels: np.ndarray, X: np.ndarray) -> float:
    oracle = structure.bind(X, labels, Formulation())
    primal = BlockCoordinate()(oracle, 0.3, Run(tol=1e-7, max_iter=500)).primal
    assert primal is not None
    return primal


@pytest.mark.parametrize("classes", [9, 530])
@pytest.mark.parametrize("kind", ["height", "path"])
def test_optima_with_and_without_tables(classes: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, rng = placed(classes), np.random.default_rng(0)
    labels = rng.integers(0, classes, 60).astype(np.int32)
    X = rng.standard_normal((classes, 6))[labels] + 0.5 * rng.standard_normal((60, 6))
    own = tree.structure(kind, "scale")
    listed = OutputFeatures(MatrixFeatures(own.features.matrix), tree.losses(kind))
    first = answers(own, labels, X)
    assert answers(listed, labels, X) == pytest.approx(first, rel=1e-5)
    monkeypatch.setattr(losses, "_MOST_TABLED", 0 if classes == 9 else 1000)
    assert answers(tree.structure(kind, "scale"), labels, X) == pytest.approx(first, rel=1e-5)


@pytest.mark.parametrize("kind", ["height", "path"])
def test_the_table_has_the_losses_of_all_pairs(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, rng = placed(20), np.random.default_rng(1)
    loss = tree.losses(kind)
    assert isinstance(loss, TaxonomyLoss)
    truths, found = rng.integers(0, 20, (2, 50)).astype(np.int32)
    expected = np.array([loss.row(int(truth))[answer] for truth, answer in zip(truths, found)])
    np.testing.assert_array_equal(loss.table[truths, found], expected)
    np.testing.assert_array_equal(loss.of_pairs(truths, found), expected)
    monkeypatch.setattr(losses, "_MOST_TABLED", 0)
    np.testing.assert_array_equal(loss.of_pairs(truths, found), expected)
