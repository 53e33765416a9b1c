"""Monotone alignments: every frame of a signal belongs to one symbol of a transcript, in order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.outputs import shown
from maxmargin.programs.features import Rows
from maxmargin.programs.program import Program
from maxmargin.programs.spaces.shapes import Shapes
from maxmargin.programs.topology import Topology

Ints = npt.NDArray[np.int64]


class _Shape(NamedTuple):
    topology: Topology
    number: Ints  # of each step (0: stay, 1: next, 2: past a blank), frame and state: its edge, or -1
    frame: Ints  # of each edge but the last ones, which end: its frame, state and step
    state: Ints
    step: Ints


class MonotoneAlignment:
    """Frames divided among the symbols of a transcript, which are given: one symbol, many frames, in order.

    An input is a pair ``(frames, transcript)``: a dense or CSR matrix (T, F), and a sequence of symbols. The output has
    for each frame the place of its symbol in the transcript; places never fall, and none is left out. With a ``blank``
    frames may be between symbols, too (place -1), and must be between equal neighbours, as in connectionist temporal
    classification. A frame has features with weights per symbol, and a feature per symbol that says whether
    it goes on or begins. The loss is the number of frames with a wrong place.

    Parameters
    ----------
    symbols : all that occur in transcripts
    blank : whether frames may be between symbols
    """

    def __init__(self, symbols: Sequence[Hashable], *, blank: bool = False) -> None:
        self.symbols, self.blank = tuple(symbols), bool(blank)
        self._codes = {symbol: code for code, symbol in enumerate(self.symbols)}
        self._shapes = Shapes(_shape)

    def program(self, x: Any) -> Program:
        """A cell per frame and state: a symbol of the transcript, or a blank around them."""
        shape, states = self._shape(x)
        count, blocks = len(shape.frame), len(self.symbols) + self.blank
        symbol = states[shape.state]
        goes_on = (shape.step == 0).astype(np.int64)
        edge = np.arange(count)
        frames = Rows(x[0], edge, shape.frame, None, symbol, blocks)
        return Program.of(
            shape.topology, [frames, Rows(sp.eye_array(2, format="csr"), edge, goes_on, None, symbol, blocks)]
        )

    def edges(self, x: Any, y: npt.ArrayLike) -> Ints:
        """The edges of an alignment, frame by frame, and the one that ends it."""
        shape, states = self._shape(x)
        state = self._states(y, x[0].shape[0], states.size)
        step = np.diff(state, prepend=state[0] - 1)
        found = np.where((step >= 0) & (step <= 2), shape.number[np.clip(step, 0, 2), np.arange(state.size), state], -1)
        if (found < 0).any():
            at = int(np.argmax(found < 0))
            raise ValueError(
                f"The alignment {shown(y)} cannot be at place {np.asarray(y)[at]} at frame {at}: it must start with "
                "the first symbol, end with the last, and leave none out."
            )
        ending = shape.topology.tail[len(shape.frame) :, 0] == shape.topology.head[found[-1]]
        return np.append(found, len(shape.frame) + np.flatnonzero(ending))

    def output(self, x: Any, edges: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """The place of each frame's symbol in the transcript."""
        shape, _ = self._shape(x)
        found = np.asarray(edges)
        found = found[found < len(shape.frame)]
        return self._places(shape.state[found[np.argsort(shape.frame[found])]])

    def costs(self, x: Any, y: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """1 for every edge that gives its frame a wrong place, shape (E,)."""
        shape, states = self._shape(x)
        truth = self._states(y, x[0].shape[0], states.size)
        wrong = np.zeros(shape.topology.n_edges, dtype=np.int64)
        place = self._places(shape.state)
        wrong[: place.size] = place != self._places(truth)[shape.frame]
        return wrong

    def risks(self, x: Any, marginals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The probability that the place of a frame is another than an edge says."""
        shape, states = self._shape(x)
        place = self._places(shape.state) + 1
        right = np.zeros((x[0].shape[0], states.size + 1))
        np.add.at(right, (shape.frame, place), marginals[: place.size])
        risk = np.zeros(shape.topology.n_edges)
        risk[: place.size] = 1.0 - right[shape.frame, place]
        return risk

    def _places(self, state: Ints) -> Ints:
        return np.where(state % 2 == 1, state // 2, -1) if self.blank else state

    def _shape(self, x: Any) -> tuple[_Shape, Ints]:
        """The shape of an input, and the symbol of each state."""
        frames, transcript = x
        unknown = next((symbol for symbol in transcript if symbol not in self._codes), None)
        if unknown is not None or not len(transcript):
            what = "is empty" if unknown is None else f"has {unknown!r}, which is none of the symbols"
            raise ValueError(f"The transcript {what}; give MonotoneAlignment all symbols that occur.")
        codes = np.array([self._codes[symbol] for symbol in transcript], dtype=np.int64)
        repeated = tuple(np.flatnonzero(codes[1:] == codes[:-1]).tolist())
        states = codes
        if self.blank:
            states = np.full(2 * codes.size + 1, len(self.symbols), dtype=np.int64)
            states[1::2] = codes
        return self._shapes(frames.shape[0], codes.size, self.blank, repeated if self.blank else ()), states

    def _states(self, y: npt.ArrayLike, n: int, states: int) -> Ints:
        place = np.asarray(y)
        lowest, most = -int(self.blank), (states - 1) // 2 if self.blank else states
        if place.shape != (n,) or place.dtype.kind not in "iu" or place.min() < lowest or place.max() >= most:
            raise ValueError(f"An alignment must have {n} places, whole numbers from {lowest} to {most - 1}.")
        if not self.blank:
            return place.astype(np.int64)
        before = np.maximum.accumulate(np.where(place >= 0, place, -1))
        return np.where(place >= 0, 2 * place + 1, 2 * (before + 1)).astype(np.int64)


def _shape(n: int, symbols: int, blank: bool, repeated: tuple[int, ...]) -> _Shape:
    states = 2 * symbols + 1 if blank else symbols
    skips = np.zeros(states, dtype=np.bool_)  # a symbol may follow another one than itself without a blank
    if blank:
        skips[3::2] = True
        skips[[2 * place + 3 for place in repeated]] = False
    if n == 0:
        raise ValueError("A signal needs at least one frame.")
    there = np.zeros((n, states), dtype=np.bool_)
    there[0, : 1 + blank] = True
    for t in range(1, n):
        there[t] = there[t - 1]
        there[t, 1:] |= there[t - 1, :-1]
        there[t, 2:] |= there[t - 1, :-2] & skips[2:]
    reaches = np.zeros(states, dtype=np.bool_)
    reaches[states - 1 - blank :] = True
    there[n - 1] &= reaches
    for t in range(n - 2, -1, -1):
        after = there[t + 1]
        onward = after.copy()
        onward[:-1] |= after[1:]
        onward[:-2] |= after[2:] & skips[2:]
        there[t] &= onward
    if not there[0].any():
        raise ValueError(
            f"{n} frames are too few for {symbols} symbols"
            + (f", {len(repeated)} of them equal to the one before." if blank else ".")
        )
    cell = np.where(there, np.cumsum(there).reshape(there.shape) - 1, -1)
    goal = int(there.sum())
    number = np.full((3, n, states), -1, dtype=np.int64)
    tails = np.full((3, n, states), -1, dtype=np.int64)
    tails[0, 1:] = cell[:-1]
    tails[1, 1:, 1:] = cell[:-1, :-1]
    tails[2, 1:, 2:] = np.where(skips[2:], cell[:-1, :-2], -1)
    allowed = there & (tails >= 0)
    allowed[1, 0] = there[0]  # what begins with the first frame
    frame, state, step = np.nonzero(allowed.transpose(1, 2, 0))
    number[step, frame, state] = np.arange(frame.size)
    ends = np.flatnonzero(there[n - 1])
    head = np.append(cell[frame, state], np.full(ends.size, goal))
    tail = np.append(tails[step, frame, state], cell[n - 1, ends])
    return _Shape(Topology(head, tail, cells=goal + 1, goal=goal), number, frame, state, step)
