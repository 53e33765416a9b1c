"""Alignments of sequences: learn how to align, and align."""

from maxmargin.alignments.alignment import Alignment
from maxmargin.alignments.alphabet import DNA, PROTEIN, Alphabet

__all__ = ["DNA", "PROTEIN", "Alignment", "Alphabet"]
