"""One class per row: flat classes, classes with features of their own, and classes in a taxonomy."""

from maxmargin.classes.described import DescribedClasses
from maxmargin.classes.multiclass_svc import MulticlassSVC
from maxmargin.classes.taxonomies import Taxonomy
from maxmargin.classes.taxonomy_svc import TaxonomySVC

__all__ = ["DescribedClasses", "MulticlassSVC", "Taxonomy", "TaxonomySVC"]
