"""What a wrong grade costs."""

from __future__ import annotations


def distance(y_true: int, y: int) -> float:
    """The number of grades between two."""
    return float(abs(y_true - y))
