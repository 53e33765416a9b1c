"""Segmentations: a sequence of tokens cut into labelled segments, with features of whole segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.input_checks import quoted
from maxmargin.programs.features import Rows
from maxmargin.programs.program import Program
from maxmargin.programs.spaces.segment_lists import Segment, covered
from maxmargin.programs.spaces.shapes import Shapes
from maxmargin.programs.topology import Topology

Ints = npt.NDArray[np.int64]


class _Shape(NamedTuple):
    topology: Topology
    begin: Ints  # of each segment edge, which come first: its tokens are begin ... end - 1
    end: Ints
    label: Ints
    first: Ints  # of each label and length: the edge of the segment that begins at token 0
    steps: Ints  # of the other edges: the row of their feature in the part of transitions


class Segments:
    """Labelled segments of a sequence (a semi-Markov model): chunks, names, phrases.

    The output is a list of segments ``(begin, end, label)`` of tokens ``begin ... end - 1``, in order and apart. A
    segment has the features of its first token and those of its other tokens, summed up, each with weights per label;
    its length; the labels next to it; and features of its own. The loss is the number of tokens with a wrong tag,
    where the first token of a segment, its other tokens and tokens outside of segments have tags of their own.

    Parameters
    ----------
    labels : of segments
    max_length : tokens of the longest segment
    outside : whether tokens may be outside of all segments
    features : from an input to the features of its tokens, a dense or CSR matrix (T, F); None: the input is that
    segment_features : ``f(x, begin, end)`` gives a dense or CSR matrix with one row for each of the segments from
        ``begin[k]`` to ``end[k]``, their labels left open; they are all segments up to ``max_length``
    """

    def __init__(
        self,
        labels: Sequence[Any],
        max_length: int = 10,
        *,
        outside: bool = True,
        features: Callable[[Any], Any] | None = None,
        segment_features: Callable[[Any, Ints, Ints], Any] | None = None,
    ) -> None:
        if max_length < 1 or not len(labels) or len(set(labels)) < len(labels):
            raise ValueError("Segments needs at least one label, each given once, and a max_length of at least 1.")
        self.labels, self.max_length, self.outside = tuple(labels), int(max_length), bool(outside)
        self.features, self.segment_features = features, segment_features
        self._shapes = Shapes(self._shape)

    def program(self, x: Any) -> Program:
        """Two cells per token and label: a segment begins here, one has ended here."""
        tokens = self._tokens(x)
        shape = self._shapes(tokens.shape[0])
        named = len(self.labels)
        begin, end, label = shape.begin, shape.end, shape.label
        count, edge = len(begin), np.arange(len(begin))
        longer = np.flatnonzero(end > begin + 1)
        own = np.flatnonzero(label < named)  # outside is a segment of one token without features of its own
        ones = sp.eye_array
        parts = [
            Rows(
                tokens,
                edge=np.concatenate([edge, longer]),
                row=np.concatenate([begin, begin[longer] + 1]),
                stop=np.concatenate([begin + 1, end[longer]]),
                block=np.concatenate([label, self._n_labels + label[longer]]),
                n_blocks=self._n_labels + named,
            ),
            Rows(ones(self.max_length, format="csr"), own, (end - begin)[own] - 1, None, label[own], named),
            Rows(
                ones(self._n_labels * (self._n_labels + 2), format="csr"),
                count + np.arange(shape.steps.size),
                shape.steps,
            ),
        ]
        if self.segment_features is not None:
            spans, row = np.unique(begin[own] * (self.max_length + 1) + (end - begin)[own], return_inverse=True)
            start, size = np.divmod(spans, self.max_length + 1)
            matrix = self.segment_features(x, start, start + size)
            if matrix.shape[0] != spans.size:
                raise ValueError(f"segment_features gave {matrix.shape[0]} rows for {spans.size} segments.")
            parts.append(Rows(matrix, own, row, None, label[own], named))
        return Program.of(shape.topology, parts)

    def edges(self, x: Any, y: Sequence[Segment]) -> Ints:
        """The edges of the segments, of the tokens outside, and of the steps between them."""
        n = self._tokens(x).shape[0]
        shape = self._shapes(n)
        begin, end, label = covered(y, n, self.labels, self.max_length, self.outside)
        count = len(shape.begin)
        steps = count + self._n_labels + ((begin[1:] - 1) * self._n_labels + label[:-1]) * self._n_labels + label[1:]
        last = shape.topology.n_edges - self._n_labels + label[-1]
        return np.concatenate([shape.first[label, end - begin] + begin, [count + label[0]], steps, [last]])

    def output(self, x: Any, edges: npt.NDArray[np.integer[Any]]) -> list[Segment]:
        """The segments of some edges, in order."""
        shape = self._shapes(self._tokens(x).shape[0])
        found = np.asarray(edges)
        found = found[found < len(shape.begin)]
        found = found[shape.label[found] < len(self.labels)]
        found = found[np.argsort(shape.begin[found])]
        return [(int(shape.begin[e]), int(shape.end[e]), self.labels[shape.label[e]]) for e in found]

    def costs(self, x: Any, y: Sequence[Segment]) -> npt.NDArray[np.int64]:
        """The number of tokens with a wrong tag in each segment, shape (E,)."""
        n = self._tokens(x).shape[0]
        begin, end, label = covered(y, n, self.labels, self.max_length, self.outside)
        starts = np.ones((self._n_labels, n), dtype=np.int64)
        goes_on = np.ones((self._n_labels, n), dtype=np.int64)
        starts[label, begin] = 0
        token = np.repeat(label, end - begin)
        inside = np.setdiff1d(np.arange(n), begin)
        goes_on[token[inside], inside] = 0
        return self._summed(self._shapes(n), starts, goes_on).astype(np.int64)

    def risks(self, x: Any, marginals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The expected number of tokens with a wrong tag in each segment, given the probabilities of segments."""
        shape = self._shapes(self._tokens(x).shape[0])
        n, count = self._tokens(x).shape[0], len(shape.begin)
        starts = np.ones((self._n_labels, n))
        np.subtract.at(starts, (shape.label, shape.begin), marginals[:count])
        change = np.zeros((self._n_labels, n + 1))
        np.add.at(change, (shape.label, np.minimum(shape.begin + 1, n)), marginals[:count])
        np.subtract.at(change, (shape.label, shape.end), marginals[:count])
        return self._summed(shape, starts, 1.0 - np.cumsum(change, axis=1)[:, :n])

    @property
    def _n_labels(self) -> int:
        return len(self.labels) + self.outside

    def _tokens(self, x: Any) -> Any:
        tokens = x if self.features is None else self.features(x)
        if getattr(tokens, "ndim", 0) != 2 or not tokens.shape[0]:
            kind = f"{type(tokens).__name__} of shape {tokens.shape}" if hasattr(tokens, "shape") else quoted(tokens)
            raise ValueError(f"A sequence must be a matrix with one row per token, at least one, not {kind}.")
        return tokens

    def _shape(self, n: int) -> _Shape:
        labels, longest = self._n_labels, min(self.max_length, n)
        first = np.full((labels, self.max_length + 1), -1, dtype=np.int64)
        pieces: list[Ints] = []
        count = 0
        for label in range(labels):
            for size in range(1, (longest if label < len(self.labels) else 1) + 1):
                first[label, size] = count
                start = np.arange(n - size + 1)
                pieces.append(np.stack([start, start + size, np.full_like(start, label)]))
                count += start.size
        begin, end, kind = np.concatenate(pieces, axis=1)
        every = np.arange(labels)
        token, before, after = (a.ravel() for a in np.meshgrid(np.arange(1, n), every, every, indexing="ij"))
        width, ended = 2 * labels, 2 * np.arange(n + 1) * labels - labels
        goal = width * n
        head = np.concatenate([ended[end] + kind, every, width * token + after, np.full(labels, goal)])
        tail = np.concatenate([width * begin + kind, np.full(labels, -1), ended[token] + before, ended[n] + every])
        steps = np.concatenate([labels * labels + every, before * labels + after, labels * (labels + 1) + every])
        return _Shape(Topology(head, tail, cells=goal + 1, goal=goal), begin, end, kind, first, steps)

    @staticmethod
    def _summed(shape: _Shape, starts: npt.NDArray[Any], goes_on: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Per edge: the number of its first token, and those of the others, (labels, T) each, summed up."""
        total = np.pad(np.cumsum(goes_on, axis=1), ((0, 0), (1, 0)))
        own = starts[shape.label, shape.begin]
        own = own + total[shape.label, shape.end] - total[shape.label, shape.begin + 1]
        return np.concatenate([own, np.zeros(shape.topology.n_edges - own.size, dtype=own.dtype)])
