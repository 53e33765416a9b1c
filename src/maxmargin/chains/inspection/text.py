"""Small tables as plain text."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns under their heads; the last one, numbers, is set right, the others left."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column == len(head) - 1 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        )
        for line in lines
    )
