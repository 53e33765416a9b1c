"""Dynamic programs: describe the space of outputs once, as cells and edges, and ask it everything."""

from maxmargin.programs.program import Program
from maxmargin.programs.topology import Topology

__all__ = ["Program", "Topology"]
