"""Classes that are nodes of a tree, or of any directed graph without cycles."""

from maxmargin.classes.taxonomies.graph import Taxonomy
from maxmargin.classes.taxonomies.losses import LOSSES, taxonomy_losses
from maxmargin.classes.taxonomies.paths import Levels, found_separator, label_paths, path_losses, read_levels
from maxmargin.classes.taxonomies.reading import AUTO, as_taxonomy, check_separator

__all__ = [
    "AUTO",
    "LOSSES",
    "Levels",
    "Taxonomy",
    "as_taxonomy",
    "check_separator",
    "found_separator",
    "label_paths",
    "path_losses",
    "read_levels",
    "taxonomy_losses",
]
