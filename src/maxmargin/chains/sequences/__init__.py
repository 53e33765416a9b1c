"""Sequences of tokens and their labels in the packed form that the native core reads."""

from maxmargin.chains.sequences.labels import pack_labels
from maxmargin.chains.sequences.packed import SequenceError, Sequences
from maxmargin.chains.sequences.packing import pack
from maxmargin.chains.sequences.partial import PartialLabels, pack_partial_labels
from maxmargin.chains.sequences.per_sequence import PerSequence
from maxmargin.chains.sequences.windows import widen

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
