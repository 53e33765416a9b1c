"""Problems of the user's own."""

from maxmargin.problems.structural_svm import StructuralSVM

__all__ = ["StructuralSVM"]
