"""Alignments of sequences: learn how to align, and align."""

from maxmargin.alignments.aligner import Aligner, PairProbabilities
from maxmargin.alignments.alignment import Alignment
from maxmargin.alignments.alphabet import DNA, PROTEIN, Alphabet
from maxmargin.alignments.formats import read_alignments, read_fasta, write_alignments
from maxmargin.alignments.multiple import MultipleAlignment
from maxmargin.alignments.ncbi import read_matrix, write_matrix

__all__ = [
    "DNA",
    "PROTEIN",
    "Aligner",
    "Alignment",
    "Alphabet",
    "MultipleAlignment",
    "PairProbabilities",
    "read_alignments",
    "read_fasta",
    "read_matrix",
    "write_alignments",
    "write_matrix",
]
