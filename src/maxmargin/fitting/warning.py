"""Warnings that point at the line that asked for what they are about."""

from __future__ import annotations

import sys
import warnings


def warn_caller(text: str, category: type[Warning]) -> None:
    """Warns at the nearest line outside of this library, however many of its functions lie between."""
    package = __name__.partition(".")[0]
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
