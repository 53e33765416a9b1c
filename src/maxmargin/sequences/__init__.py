"""Sequences of tokens and their labels in the packed form that the native core reads."""

from maxmargin.sequences.labels import pack_labels
from maxmargin.sequences.packed import Sequences
from maxmargin.sequences.packing import pack
from maxmargin.sequences.partial import PartialLabels, pack_partial_labels
from maxmargin.sequences.per_sequence import PerSequence
from maxmargin.sequences.places import SequenceError
from maxmargin.sequences.windows import widen

__all__ = [
    "PartialLabels",
    "PerSequence",
    "SequenceError",
    "Sequences",
    "pack",
    "pack_labels",
    "pack_partial_labels",
    "widen",
]
