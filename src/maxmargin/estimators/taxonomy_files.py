"""``TaxonomySVC`` to model files and back."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from maxmargin.io.models import save_model
from maxmargin.structures.multiclass import feature_major
from maxmargin.structures.taxonomy import PlacedClasses
from maxmargin.taxonomies import AUTO, Levels, Taxonomy


def save_taxonomy_model(path: str | PathLike[str], model: Any) -> None:
    """Weights, classes and the taxonomy; a loaded model has that as its parameter, whatever form it had, unless it was
    trained with one column per level."""
    taxonomy: Taxonomy = model.taxonomy_
    arrays = {
        "coef_": model._columns().T,
        "classes_": model.classes_,
        "taxonomy_offsets": taxonomy.parent_offsets,
        "taxonomy_parents": taxonomy.parent_numbers,
    }
    if hasattr(model, "feature_names_in_"):
        arrays["feature_names_in_"] = model.feature_names_in_
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
        "separator": model.separator_,
        "levels": None if model.levels_ is None else model.levels_.plain(),
    }
    save_model(path, model, arrays, without=("taxonomy",), structure=structure)


def restore_taxonomy_model(model: Any, arrays: dict[str, Any], structure: dict[str, Any]) -> None:
    """Gives an estimator with its parameters what ``fit`` had given to the one that was saved.

    Parts that do not fit together are a KeyError, TypeError or ValueError.
    """
    nodes, classes, coef = structure["nodes"], arrays["classes_"], arrays["coef_"]
    if not all(isinstance(node, str | int | float) for node in nodes):
        raise ValueError("the nodes must be strings or numbers")
    if classes.ndim != 1 or classes.size < 2 or len(set(classes.tolist())) != classes.size:
        raise ValueError("classes_ must be different labels")
    taxonomy = Taxonomy.from_arrays(nodes, arrays["taxonomy_offsets"], arrays["taxonomy_parents"])
    placed = PlacedClasses(taxonomy, classes.tolist())
    constant, temperature = structure["constant"], structure["temperature"]
    if not (isinstance(constant, float) and 0.0 <= constant < np.inf):
        raise ValueError("the constant feature must be a number")
    if not (isinstance(temperature, float) and 0.0 < temperature < np.inf):
        raise ValueError("the temperature must be a positive number")
    features = coef.shape[1] - (constant != 0.0) if coef.ndim == 2 else 0
    if coef.dtype != np.float64 or len(coef) != placed.nodes.size or features < 1 or not np.isfinite(coef).all():
        raise ValueError("coef_ must hold finite numbers and fit the nodes")
    levels, separator = structure["levels"], structure["separator"]
    if separator is not None and not (isinstance(separator, str) and separator):
        raise ValueError("the separator must be a string")
    model.separator_ = separator
    model.levels_ = None if levels is None else Levels.from_plain(levels)
    model.taxonomy = AUTO if levels is not None else taxonomy
    model.classes_, model.n_features_in_, model.intercept_scaling_ = classes, features, constant
    model._place(placed, placed.features(model.node_weight))
    model.weights_ = feature_major(coef)
    model.temperature_, model.calibrated_ = temperature, bool(structure["calibrated"])
    if "feature_names_in_" in arrays:
        model.feature_names_in_ = arrays["feature_names_in_"].astype(object)
        if model.feature_names_in_.shape != (features,):
            raise ValueError("one feature name a feature is needed")
