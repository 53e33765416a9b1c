"""``TaxonomySVC`` to model files and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.classes.placed_classes import PlacedClasses
from maxmargin.classes.taxonomies.graph import Taxonomy
from maxmargin.classes.taxonomies.paths import Levels
from maxmargin.classes.taxonomies.reading import AUTO
from maxmargin.fitting.estimator import FileParts, restore_features
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.rows.matrices import feature_major


def taxonomy_parts(model: Any) -> FileParts:
    """Weights, classes and the taxonomy; a loaded model has that as its parameter, whatever form it had, unless it was
    trained with one column per level."""
    taxonomy: Taxonomy = model.taxonomy_
    arrays = {
        "coef_": model._columns().T,
        "classes_": model.classes_,
        "taxonomy_offsets": taxonomy.parent_offsets,
        "taxonomy_parents": taxonomy.parent_numbers,
    }
    odd = next((node for node in taxonomy.nodes if not isinstance(node, str | int | float)), None)
    if odd is not None:
        raise ValueError(
            f"The node {odd!r} of the taxonomy is a {type(odd).__name__}, which a model file cannot keep; use str or "
            "numbers as labels."
        )
    structure = {
        "nodes": list(taxonomy.nodes),
        "constant": float(model.intercept_scaling_),
        "temperature": float(model.temperature_),
        "calibrated": bool(model.calibrated_),
        "method": model.method_,
        "decision": model.decision_,
        "separator": model.separator_,
        "levels": None if model.levels_ is None else model.levels_.plain(),
    }
    return FileParts(arrays, structure, without=("taxonomy",))


def restore_taxonomy(model: Any, arrays: ModelArrays, structure: ModelValues) -> None:
    """Gives an estimator with its parameters what ``fit`` had given to the one that was saved.

    Parts that do not fit together are a KeyError, TypeError or ValueError.
    """
    nodes, classes = structure["nodes"], arrays.labels()
    if not isinstance(nodes, list) or not all(isinstance(node, str | int | float) for node in nodes):
        raise ValueError("the nodes must be strings or numbers")
    parents = arrays.whole("taxonomy_parents", np.int32, None, below=max(1, len(nodes)))
    offsets = arrays.offsets("taxonomy_offsets", len(nodes), parents.size)
    placed = PlacedClasses(Taxonomy.from_arrays(nodes, offsets, parents), classes.tolist())
    constant = structure.number("constant", least=0.0)
    coef = arrays.floats("coef_", placed.nodes.size, None)
    features = coef.shape[1] - (constant != 0.0)
    if features < 1:
        raise ValueError("coef_ must have a column per feature")
    if not isinstance(model.loss, str):
        placed.losses(model.loss)
    levels, separator = structure["levels"], structure["separator"]
    if separator is not None and not (isinstance(separator, str) and separator):
        raise ValueError("the separator must be a string")
    model.separator_ = separator
    model.levels_ = None if levels is None else Levels.from_plain(levels)
    model.taxonomy = AUTO if levels is not None else placed.taxonomy
    model.classes_, model.intercept_scaling_ = classes, constant
    model._place(placed, placed.features(model.node_weight))
    model.weights_ = feature_major(coef)
    model.temperature_ = structure.number("temperature", above=0.0)
    model.calibrated_ = structure.flag("calibrated")
    model.method_ = structure.one_of("method", ("likelihood", "squares", "structural"))
    model.decision_ = structure.one_of("decision", ("score", "expected-cost"))
    if model.decision_ == "expected-cost" and isinstance(model.loss, str) and not placed.taxonomy.is_tree:
        raise ValueError("expected losses need a tree")
    restore_features(model, arrays, features)
