"""Ready spaces of outputs: segmentations, projective trees, lattices, alignments, selections."""

from maxmargin.programs.spaces.alignments import MonotoneAlignment
from maxmargin.programs.spaces.lattices import Lattices
from maxmargin.programs.spaces.projective_trees import ProjectiveTrees
from maxmargin.programs.spaces.segments import Segments
from maxmargin.programs.spaces.selections import Selection

__all__ = ["Lattices", "MonotoneAlignment", "ProjectiveTrees", "Segments", "Selection"]
