"""A taxonomy from whatever stands for one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from maxmargin.classes.taxonomies.graph import ROOT, Taxonomy
from maxmargin.classes.taxonomies.paths import found_separator
from maxmargin.core.input_checks import quoted

AUTO = "auto"


def as_taxonomy(given: Any, labels: Iterable[Any]) -> Taxonomy:
    """The taxonomy that ``given`` means for data with these labels.

    ======================================== =================================================================
    given                                    meaning
    ======================================== =================================================================
    a ``Taxonomy``, a fitted ``TaxonomySVC`` itself, its ``taxonomy_``
    ``'auto'``                               the separator that the labels have (``found_separator``), else as None
    None                                     all labels below one root: no structure
    a string such as ``'.'`` or ``'/'``      labels are names whose parts it divides (``Taxonomy.from_names``)
    a mapping to labels, ``{child: parent}`` ``Taxonomy.from_parents``
    a mapping to mappings, lists or None     ``Taxonomy.from_nested``
    a networkx ``DiGraph``                   ``Taxonomy.from_graph``
    a sequence of numbers                    the parent of each of the nodes 0, 1, ... (``Taxonomy.from_parents``)
    a sequence of pairs, a data frame        edges (parent, child) (``Taxonomy.from_edges``)
    ======================================== =================================================================
    """
    given = getattr(given, "taxonomy_", given)
    if isinstance(given, Taxonomy):
        return given
    if given is None or isinstance(given, str):
        classes = list(dict.fromkeys(labels))
        separator = found_separator(classes) if given == AUTO else given
        if separator is None:
            return Taxonomy([(_free_root(classes), label) for label in classes])
        return Taxonomy.from_names(classes, separator, _free_root([_top(name, separator) for name in classes]))
    if isinstance(given, Mapping):
        has_parents = any(above is not None and not isinstance(above, _BELOW) for above in given.values())
        return Taxonomy.from_parents(given) if has_parents else Taxonomy.from_nested(given)
    if hasattr(given, "iloc"):  # a data frame of two columns, parents and children
        return as_taxonomy(given.to_numpy().tolist(), labels)
    if hasattr(given, "is_directed"):
        return Taxonomy.from_graph(given)
    items = given.tolist() if isinstance(given, np.ndarray) else list(given) if isinstance(given, Iterable) else None
    if items and all(isinstance(item, int | np.integer) and not isinstance(item, bool) for item in items):
        return Taxonomy.from_parents(np.array(items))
    if items and all(isinstance(item, list | tuple) and len(item) == 2 for item in items):
        return Taxonomy.from_edges((parent, child) for parent, child in items)
    raise ValueError(
        f"The taxonomy is a {type(given).__name__}, which is none of the forms that are understood: a Taxonomy, nested "
        "mappings, a mapping of children to parents, pairs (parent, child), a list of parent numbers, a networkx "
        "DiGraph, or the separator of names such as '.'."
    )


def check_separator(given: Any, labels: Iterable[Any]) -> None:
    """Raises for a string that divides none of the labels: it would be a tree without inner nodes."""
    if not isinstance(given, str) or not given or given == AUTO:
        return
    names = [name for name in labels if isinstance(name, str)]
    if names and not any(given in name for name in names):
        raise ValueError(
            f"The taxonomy is the separator {quoted(given)}, and no label has it, such as {quoted(names[0])}; give "
            "another, or the "
            "tree in another form."
        )


_BELOW = (Mapping, list, tuple, set, frozenset)


def _top(name: Any, separator: str) -> Any:
    return name.partition(separator)[0] if isinstance(name, str) and separator else name


def _free_root(labels: list[Any]) -> Hashable:
    """A label for the root that no class has."""
    root = ROOT
    while root in labels:
        root = f"({root})"
    return root
