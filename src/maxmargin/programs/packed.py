"""Programs of many examples, packed once for the native core."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.programs.features import Rows
from maxmargin.programs.program import Program
from maxmargin.programs.topology import Topology

Floats = npt.NDArray[np.float64]
Shape = tuple[tuple[int, int], ...]
"""Columns and blocks of every part of the features."""


class PackedPrograms:
    """Programs in the native core: ``core`` has their edges and features, ``shape`` says how the weights are divided.

    All programs have the same parts with the same columns and blocks; ``shape``, where it is given, is that of a model.
    """

    def __init__(self, programs: Iterable[Program], shape: Shape | None = None) -> None:
        self.topologies: list[Topology] = []
        parts: list[list[Rows]] = []
        expected, whose = shape, "the model was trained with"
        for i, program in enumerate(programs):
            own = tuple((part.n_columns, part.n_blocks) for part in program.parts)
            if expected is None:
                expected, whose = own, "example 0 has"
            if own != expected:
                raise ValueError(f"Example {i} has {described(own)}, and {whose} {described(expected)}.")
            self.topologies.append(program.topology)
            parts = parts or [[] for _ in own]
            for all_of_part, part in zip(parts, program.parts):
                all_of_part.append(part)
        self.n = len(self.topologies)
        self.shape: Shape = () if expected is None else expected
        self.core = _core.ProgramSet([topology.core for topology in self.topologies])
        self.cells = 0
        for k, size in enumerate(self.shape):
            self._add(size, parts[k] if parts else [])
            if parts:
                parts[k].clear()  # its arrays are packed now

    @property
    def n_weights(self) -> int:
        return sum(columns * blocks for columns, blocks in self.shape)

    def _add(self, part: tuple[int, int], rows: Sequence[Rows]) -> None:
        """One part of the features, of all programs."""
        self.cells += sum(own.indices.size * own.n_blocks + own.edge.size for own in rows)
        values = stops = blocks = None
        if any(own.values is not None for own in rows):
            values = joined([np.ones(own.indices.size) if own.values is None else own.values for own in rows])
        if any(own.stop is not None for own in rows):
            stops = joined([own.row + np.int32(1) if own.stop is None else own.stop for own in rows])
        if any(own.block is not None for own in rows):
            blocks = joined([np.zeros(own.edge.size, np.int32) if own.block is None else own.block for own in rows])
        before = offsets([own.indices.size for own in rows])
        starts = [np.zeros(1, np.int64), *(own.indptr[1:] + shift for own, shift in zip(rows, before))]
        self.core.add_part(
            *part,
            np.concatenate(starts),
            joined([own.indices for own in rows]),
            values,
            offsets([own.n_rows for own in rows]),
            offsets([own.edge.size for own in rows]),
            joined([own.edge for own in rows]),
            joined([own.row for own in rows]),
            stops,
            blocks,
        )


def described(shape: Shape) -> str:
    """Parts of the features in words."""
    names = [f"{columns} columns" + (f" in {blocks} blocks" if blocks > 1 else "") for columns, blocks in shape]
    return f"features in {len(shape)} part{'s' if len(shape) > 1 else ''}, of {', '.join(names)}"


def offsets(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    """Where the items of lists of such sizes start, one after the other, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.asarray(sizes, dtype=np.int64))])


def joined(arrays: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """The arrays one after the other; a single one is not copied. Without any, no whole numbers."""
    if not arrays:
        return np.zeros(0, np.int32)
    return np.ascontiguousarray(arrays[0]) if len(arrays) == 1 else np.concatenate(arrays)
