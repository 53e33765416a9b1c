"""Searches over chains that would take more memory than a machine has are refused before they begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxmargin.chains.sequences.packed import SequenceError
from maxmargin.core.formulation import Formulation
from maxmargin.oracles.search import Unsupported

if TYPE_CHECKING:
    from maxmargin.chains.chain import Chain, ChainInput

_MOST_BYTES = 2 << 30  # that all threads together may take
_STATE_BYTES = 12  # of one state after one token: score and number
_ENTRY_BYTES = 24  # of one way into a state among the k best: score, state before, ranks


class TooLarge(Unsupported, SequenceError):
    """A search that would take too much memory, because of a sequence that is too long."""


def check_search_by_loss(
    chain: Chain, X: ChainInput, formulation: Formulation, sequence: int, size: int, threads: int
) -> None:
    """``size`` bytes are what the largest search, that of ``sequence``, takes in one thread."""
    threads = max(1, min(threads, len(X)))
    if threads * size > _MOST_BYTES:
        raise TooLarge(
            f"{formulation} looks at every value of the loss; for {_described(chain, X, sequence)} that takes "
            f"{_sized(size, threads)}. Use rescaling='margin' with slack='linear', a smaller order, coarser costs, or "
            "shorter sequences.",
            sequence,
        )


def check_kbest(chain: Chain, X: ChainInput, k: int, threads: int) -> None:
    """The k best labellings of all sequences, and the search for those of the longest."""
    threads = max(1, min(threads, len(X)))
    sequence = int(np.argmax(X.tokens.lengths))
    states = chain.n_labels**chain.order
    entries = min(states, k) * chain.n_labels + 2 * k  # the states looked at, and what each of the k best adds
    size = int(X.tokens.lengths[sequence]) * (states * _STATE_BYTES + entries * _ENTRY_BYTES)
    if threads * size > _MOST_BYTES:
        raise SequenceError(
            f"The {k:,} best labellings are too many: for {_described(chain, X, sequence)} the search takes "
            f"{_sized(size, threads)}. Ask for fewer.",
            sequence,
        )
    found = X.tokens.tokens * k * np.dtype(np.int32).itemsize
    if found > _MOST_BYTES:
        raise ValueError(
            f"The {k:,} best labellings of {X.tokens.tokens:,} tokens take {_sized(found, 1)}. Ask for fewer, or for "
            "those of fewer sequences at a time."
        )


def _described(chain: Chain, X: ChainInput, sequence: int) -> str:
    length = int(X.tokens.lengths[sequence])
    return f"sequence {sequence} of {length:,} tokens, with {chain.n_labels} labels and order {chain.order},"


def _sized(size: int, threads: int) -> str:
    each = f" in each of {threads} threads" if threads > 1 else ""
    return f"{size / 2**30:.1f} GiB{each}, and {_MOST_BYTES / 2**30:.0f} GiB is the most"
