"""Which weight belongs to which pair of letters or columns, or to a gap: features with the letters of their tracks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.alignments.alphabet import Alphabet
from maxmargin.alignments.features import Codes, Component, Features, Gaps, Numbers
from maxmargin.alignments.known import Known
from maxmargin.alignments.tracks import Pool

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_MOST_ENTRIES = 2**26  # of the table of one component


@dataclass(frozen=True, eq=False)
class Placed:
    """A component with its numbers of weights: ``index[a, b]`` belongs to feature a of x and b of y; -1 for none.

    Weights are multiplied by ``times[a, b]``, or by 1 where that is None.
    """

    component: Component
    index: Indices
    times: Floats | None = None

    def matrix(self, coef: Floats) -> Floats:
        """The scores of pairs of features."""
        found = coef[self.index] * (self.index >= 0)
        return found if self.times is None else found * self.times


@dataclass(frozen=True, eq=False)
class PlacedGaps:
    """Weights of gaps by letter or column of a track, those of x first: ``open[side, letter]``; a ``source`` of None is
    the constant.

    They are multiplied by ``times``, for the first and for each later position of a gap.
    """

    source: Codes | Numbers | None
    open: Indices
    extend: Indices
    times: tuple[float, float] = (1.0, 1.0)


class Layout:
    """Features, alphabets and columns of their tracks, and where their weights are.

    Parameters
    ----------
    features : a sum of parts
    alphabets : the letters of each of its tracks of letters
    columns : the number of columns of each of its tracks of numbers
    """

    def __init__(self, features: Features, alphabets: Mapping[str, Alphabet], columns: Mapping[str, int]) -> None:
        self.features, self.alphabets, self.columns = features, dict(alphabets), dict(columns)
        self.n_weights = 0
        self.components: list[Placed] = []
        self.gaps: list[PlacedGaps] = []
        for component in features.components():
            if component.known is None:
                self.components.append(self._place(component))
            else:
                self._place_known(component, component.known)
        self.gaps += [placed for part in features.gaps for placed in self._place_gaps(part)]

    def size(self, source: Codes | Numbers) -> int:
        """The number of features that a position can have."""
        if isinstance(source, Numbers):
            return self.columns[source.track]
        sizes = [len(self.alphabets[track]) for track in source.tracks]
        return (sum(sizes) if source.across else prod(sizes)) + (source.offset != 0)

    def _place(self, component: Component) -> Placed:
        size = self.size(component.source)
        if size * size > _MOST_ENTRIES:
            tracks = getattr(component.source, "tracks", None) or (component.source.track,)  # type: ignore[union-attr]
            raise ValueError(
                f"The tracks {', '.join(map(repr, tracks))} have {size:,} letters or columns together, too many for a "
                "table of all pairs of them; use Simple or Anova2 in place of Tensor, or fewer letters."
            )
        index = np.full((size, size), -1, dtype=np.int32)
        if isinstance(component.source, Numbers) and component.source.diagonal:
            np.fill_diagonal(index, np.arange(size))
            count = size
        elif component.symmetric:
            upper = np.triu_indices(size)
            count = upper[0].size
            index[upper] = np.arange(count)
            index.T[upper] = index[upper]
        else:
            count = size * size
            index = np.arange(count, dtype=np.int32).reshape(size, size)
        index[index >= 0] += self._taken(count)
        return Placed(component, np.ascontiguousarray(index))

    def _place_known(self, component: Component, known: Known) -> None:
        """One weight for a matrix of known scores, and for the gap scores that go with it."""
        table = known.table(self.alphabets[known.track])
        unit = float(np.sqrt(np.mean(np.square(table))))
        weight = self._taken(1)
        self.components.append(Placed(component, np.full(table.shape, weight, dtype=np.int32), table / unit))
        if known.open is not None and known.extend is not None:
            both = np.full((2, 1), weight, dtype=np.int32)
            self.gaps.append(PlacedGaps(None, both, both, (known.open / unit, known.extend / unit)))

    def _place_gaps(self, part: Gaps) -> Iterator[PlacedGaps]:
        for source in (None, *(Codes((track,)) for track in part.tracks), *map(Numbers, part.context)):
            size = 1 if source is None else self.size(source)
            sides, kinds = (1 if part.tied else 2), (2 if part.affine else 1)
            own = self._taken(sides * kinds * size) + np.arange(sides * kinds * size).reshape(sides, kinds, size)
            both = np.broadcast_to(own, (2, kinds, size)).astype(np.int32)
            yield PlacedGaps(source, np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, -1]))

    def _taken(self, count: int) -> int:
        first = self.n_weights
        self.n_weights += count
        if self.n_weights >= 2**31:
            raise ValueError(f"The features have {self.n_weights:,} weights, and 2^31 are too many: use fewer letters.")
        return first

    def fill(self, core: _core.AlignmentSet, pool: Pool) -> None:
        """Gives the native core the features of all positions of a pool of sequences."""
        rows = _Rows(self, pool)
        for placed in self.components:
            core.add_component(*rows.of(placed.component.source), placed.index, placed.times)
        for gap in self.gaps:
            constant = None, np.zeros(rows.positions, np.int32), None
            own = constant if gap.source is None else rows.of(gap.source)
            core.add_gaps(*own, gap.open, gap.extend, *gap.times)


class _Rows:
    """Features of the positions of a pool as the core takes them: starts, columns, values; None for one, or all 1."""

    def __init__(self, layout: Layout, pool: Pool) -> None:
        self._layout, self._pool = layout, pool
        self._starts = pool.starts
        self.positions = int(self._starts[-1])
        self._codes: dict[str, Indices] = {}
        self._matrices: dict[str, sp.csr_array] = {}

    def codes(self, track: str) -> Indices:
        if track not in self._codes:
            self._codes[track] = self._pool.codes(track, self._layout.alphabets[track])
        return self._codes[track]

    def of(self, source: Codes | Numbers) -> tuple[npt.NDArray[np.int64] | None, Indices, Floats | None]:
        if isinstance(source, Numbers):
            if source.track not in self._matrices:
                self._matrices[source.track] = self._pool.matrix(source.track, self._layout.columns[source.track])
            matrix = self._matrices[source.track]
            return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data
        sizes = [len(self._layout.alphabets[track]) for track in source.tracks]
        if source.across:
            firsts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
            columns = np.stack([self.codes(track) + first for track, first in zip(source.tracks, firsts)], axis=1)
            starts = len(sizes) * np.arange(self.positions + 1, dtype=np.int64)
            return starts, np.ascontiguousarray(columns, dtype=np.int32).ravel(), None
        joint = np.zeros(self.positions, dtype=np.int64)
        for track, size in zip(source.tracks, sizes):
            joint = joint * size + self.codes(track)
        return None, self._shifted(joint, source.offset, prod(sizes)).astype(np.int32), None

    def _shifted(self, codes: npt.NDArray[np.int64], offset: int, beyond: int) -> npt.NDArray[np.int64]:
        """The code ``offset`` positions further on in the same sequence, or ``beyond`` where there is none."""
        if offset == 0:
            return codes
        lengths = np.diff(self._starts)
        at = np.arange(self.positions) + offset
        inside = (at >= np.repeat(self._starts[:-1], lengths)) & (at < np.repeat(self._starts[1:], lengths))
        found = np.full(self.positions, beyond, dtype=np.int64)
        found[inside] = codes[at[inside]]
        return found
