"""Which alignments there are: global, local or semi-global, in a band or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from maxmargin.core.input_checks import quoted

Mode: TypeAlias = Literal["global", "local", "semi-global"]
FreeEnds: TypeAlias = Literal["both", "x", "y"] | Sequence[bool]

MODES = ("global", "local", "semi-global")
_SIDES = {"both": (True, True, True, True), "x": (True, True, False, False), "y": (False, False, True, True)}


class Shape(NamedTuple):
    """What the native grid is told about the ends of alignments and about the band.

    ``free_ends`` are those of semi-global alignments: x begin, x end, y begin, y end. ``band`` is -1 for none.
    """

    mode: str
    free_ends: tuple[bool, bool, bool, bool]
    band: int


def checked_shape(mode: Any, free_ends: Any = "both", band: Any = None) -> Shape:
    """The parameters of the same names of an aligner or an estimator, checked.

    Parameters
    ----------
    mode : ``'global'`` aligns both sequences from end to end; ``'local'`` leaves what is before the first and after the
        last pair out of the score, and may have no pairs at all; ``'semi-global'`` has free ends
    free_ends : of semi-global alignments: positions of ``'x'``, of ``'y'`` or of ``'both'`` sequences may be left
        unaligned at either end without a cost, or four truth values: x begin, x end, y begin, y end. Where both
        sequences may on one side, the longer of the two runs is free.
    band : pairs (i, j), and the positions between two pairs, keep ``|i n / m - j|`` at most at this; None is no band
    """
    if mode not in MODES:
        raise ValueError(f"mode must be 'global', 'local' or 'semi-global', not {quoted(mode)}.")
    if isinstance(free_ends, str):
        ends = _SIDES.get(free_ends, ())
    else:
        ends = tuple(free_ends) if isinstance(free_ends, Sequence | np.ndarray) else ()
    if len(ends) != 4 or not all(isinstance(end, bool | np.bool_) for end in ends):
        raise ValueError(
            "free_ends must be 'both', 'x' or 'y', or four truth values (x begin, x end, y begin, y end), not "
            f"{quoted(free_ends)}."
        )
    if band is not None and (isinstance(band, bool) or not isinstance(band, int | np.integer) or not 0 <= band < 2**30):
        raise ValueError(f"band must be None or a whole number from 0, not {quoted(band)}.")
    x_begin, x_end, y_begin, y_end = (bool(end) for end in ends)
    return Shape(str(mode), (x_begin, x_end, y_begin, y_end), -1 if band is None else int(band))
