"""Classes that are nodes of a tree, or of any directed graph without cycles."""

from maxmargin.taxonomies.graph import Taxonomy
from maxmargin.taxonomies.losses import LOSSES, taxonomy_losses
from maxmargin.taxonomies.reading import as_taxonomy, check_separator

__all__ = ["LOSSES", "Taxonomy", "as_taxonomy", "check_separator", "taxonomy_losses"]
