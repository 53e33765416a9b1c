"""Taxonomies in files: one edge per line, or JSON."""

from __future__ import annotations

import csv
import json
from os import PathLike, fspath
from typing import Any

import numpy.typing as npt

from maxmargin.classes.taxonomies.graph import Taxonomy
from maxmargin.classes.taxonomies.reading import as_taxonomy, check_separator
from maxmargin.core.input_checks import quoted

_SEPARATORS = (".", "/")


def read_taxonomy(given: str | PathLike[str], classes: npt.NDArray[Any]) -> Taxonomy:
    """The taxonomy of these classes that a file holds.

    ``'.'`` or ``'/'`` is no file: it divides the names of the classes into parts. A file that ends in ``.json`` holds
    nested objects with lists of leaves, or an object of children and their parents; any other has a line for each edge,
    the parent first, with a tab or a comma between, and ``#`` at the start of a remark. Names that are those of classes
    stand for them, numbers too.
    """
    name = fspath(given)
    known = {str(label): label for label in classes.tolist()}
    if name in _SEPARATORS:
        check_separator(name, list(known))
        return _with_classes(as_taxonomy(name, list(known)), known)
    made = _from_json(name, known) if name.lower().endswith(".json") else Taxonomy(_edges(name))
    return _with_classes(made, known)


def _with_classes(taxonomy: Taxonomy, known: dict[str, Any]) -> Taxonomy:
    """The same with the labels of classes in place of their names."""
    return Taxonomy(
        [(known.get(str(parent), parent), known.get(str(child), child)) for parent, child in taxonomy.edges()],
        [known.get(str(node), node) for node in taxonomy.nodes],
    )


def _from_json(name: str, known: dict[str, Any]) -> Taxonomy:
    with open(name, encoding="utf-8") as file:
        try:
            found = json.load(file)
        except RecursionError as error:
            raise ValueError(f"{name} is nested too deeply for a taxonomy; write it as a list of pairs.") from error
        except ValueError as error:
            raise ValueError(f"{name} is not JSON ({error}); correct it.") from error
    if not isinstance(found, dict | list):
        raise ValueError(f"{name} holds {quoted(found)}; a taxonomy is an object, or a list of pairs.")
    return as_taxonomy(found, list(known))


def _edges(name: str) -> list[tuple[str, str]]:
    edges: list[tuple[str, str]] = []
    with open(name, encoding="utf-8-sig", newline="") as file:
        try:
            lines = file.read().splitlines()
        except UnicodeDecodeError as error:
            raise ValueError(f"{name} is not a text file ({error}); save it as UTF-8 text.") from error
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        cells = [cell.strip() for cell in next(csv.reader([text], delimiter="\t" if "\t" in text else ","))]
        if len(cells) != 2 or not all(cells):
            raise ValueError(
                f"{name}, line {number}: {quoted(text)} is no edge; write the parent, a tab or a comma, and the child."
            )
        if not edges and [cell.lower() for cell in cells] == ["parent", "child"]:
            continue  # a header
        edges.append((cells[0], cells[1]))
    if not edges:
        raise ValueError(f"{name} holds no edge; write one per line, the parent, a tab or a comma, and the child.")
    return edges
