"""Alignments of sequences: learn how to align, and align."""

from maxmargin.alignments.aligner import Aligner, PairProbabilities
from maxmargin.alignments.alignment import Alignment
from maxmargin.alignments.alphabet import DNA, PROTEIN, Alphabet
from maxmargin.alignments.crf import AlignmentCRF
from maxmargin.alignments.features import Anova2, Gaps, Profile, Simple, Tensor, Window
from maxmargin.alignments.formats import read_alignments, read_fasta, write_alignments
from maxmargin.alignments.generative import GenerativeAligner
from maxmargin.alignments.homology import HomologySVM
from maxmargin.alignments.known import Known
from maxmargin.alignments.multiple import MultipleAlignment
from maxmargin.alignments.ncbi import read_matrix, write_matrix
from maxmargin.alignments.ranking import RankedCandidate
from maxmargin.alignments.svm import AlignmentSVM

__all__ = [
    "DNA",
    "PROTEIN",
    "Aligner",
    "Alignment",
    "AlignmentCRF",
    "AlignmentSVM",
    "Alphabet",
    "Anova2",
    "Gaps",
    "GenerativeAligner",
    "HomologySVM",
    "Known",
    "MultipleAlignment",
    "PairProbabilities",
    "Profile",
    "RankedCandidate",
    "Simple",
    "Tensor",
    "Window",
    "read_alignments",
    "read_fasta",
    "read_matrix",
    "write_alignments",
    "write_matrix",
]
