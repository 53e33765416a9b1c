"""Lists of segments as people write them, into arrays; what is wrong with a list is a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import quoted

Ints = npt.NDArray[np.int64]
Segment = tuple[int, int, Any]
"""The tokens ``begin ... end - 1``, and their label."""


def covered(
    y: Sequence[Segment], n: int, labels: Sequence[Any], max_length: int, outside: bool
) -> tuple[Ints, Ints, Ints]:
    """Begins, ends and numbers of labels of segments that cover n tokens: those of ``y``, and one of the label
    ``len(labels)`` for each token outside of them."""
    if not isinstance(y, Iterable):
        raise ValueError(f"An output must be a list of segments (begin, end, label), not {quoted(y)}.")
    codes = {label: code for code, label in enumerate(labels)}
    rows: list[tuple[int, int, int]] = []
    at = 0

    def skip_to(begin: int) -> Iterator[tuple[int, int, int]]:
        if at < begin and not outside:
            raise ValueError(f"Token {at} is in no segment; give it one, or make Segments(outside=True).")
        return ((token, token + 1, len(labels)) for token in range(at, begin))

    for begin, end, label in map(_segment, y):
        segment = begin, end, label
        if label not in codes:
            raise ValueError(f"Segment {segment!r} has a label that is none of {tuple(labels)}.")
        if not at <= begin < end <= n:
            raise ValueError(
                f"Segment {segment!r} does not fit after token {at} of {n}; segments must be in order and apart, and "
                "have at least one token."
            )
        if end - begin > max_length:
            raise ValueError(
                f"Segment {segment!r} has {end - begin} tokens; Segments(max_length={max_length}) must be as long as "
                "the longest."
            )
        rows += [*skip_to(begin), (begin, end, codes[label])]
        at = end
    rows += skip_to(n)
    begins, ends, numbers = np.array(rows, dtype=np.int64).T
    return begins, ends, numbers


def _segment(given: Any) -> Segment:
    """One segment of an output; raises where it is none."""
    if isinstance(given, Sequence | np.ndarray) and len(given) == 3:
        begin, end, label = given
        if isinstance(begin, int | np.integer) and isinstance(end, int | np.integer):
            return int(begin), int(end), label
    raise ValueError(f"A segment must be (begin, end, label) with whole numbers begin and end, not {quoted(given)}.")
