"""What all estimators of alignments share: prediction, probabilities, scores, the learned matrices, model files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from maxmargin.alignments.alignment import Alignment
from maxmargin.alignments.features import RESIDUE, Codes, Features
from maxmargin.alignments.layout import Layout
from maxmargin.alignments.loss import losses_of
from maxmargin.alignments.model_file import layout_from_plain, layout_to_plain
from maxmargin.alignments.packed import Given, PackedAlignments, read_alignments, read_pairs
from maxmargin.alignments.shape import MODES, Shape, checked_shape
from maxmargin.alignments.tracks import Pool
from maxmargin.core.problem import as_examples, by_position
from maxmargin.core.ranked import Ranked, checked_k
from maxmargin.fitting.calibration import say_not_calibrated
from maxmargin.fitting.estimator import Estimator, FileParts
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.parameters import ANYTHING, Allowed, whole
from maxmargin.fitting.training import job_count
from maxmargin.oracles.bind import check_sample_weight

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Answer = TypeVar("Answer")

_MOST = 2**31 - 1

GRID: Mapping[str, Allowed] = {
    "features": ANYTHING,
    "alphabet": ANYTHING,
    "mode": MODES,
    "free_ends": ANYTHING,
    "band": (None, whole(0)),
}
"""The parameters that all of them have."""


def found_alignment(pairs: Indices, lengths: tuple[int, int]) -> Alignment:
    """An alignment that the core found, which needs no checks."""
    rows = pairs.astype(np.int64)
    rows.setflags(write=False)
    return Alignment.trusted(rows, lengths)


class AlignmentBase(Estimator):
    """What is learned: a layout of weights, and the weights.

    A subclass sets ``coef_`` and ``layout_`` in ``fit``, and says by ``_given`` what its inputs are.
    """

    features: Any
    alphabet: Any
    mode: str
    free_ends: Any
    band: int | None
    n_jobs: int | None
    coef_: Floats
    layout_: Layout

    def substitution_matrix(self, track: str = RESIDUE) -> Floats:
        """The learned scores of pairs of letters of a track, the sum of the matrices that features give it.

        Rows are letters of x and columns letters of y, in the order of ``layout_.alphabets[track]``.
        """
        check_is_fitted(self, "coef_")
        found = [
            placed.index
            for placed in self.layout_.components
            if isinstance(placed.component.source, Codes) and placed.component.source == Codes((track,))
        ]
        if not found:
            known = ", ".join(map(repr, self.layout_.features.letters()))
            raise ValueError(f"The features have no matrix of the track {track!r} alone; tracks of letters: {known}.")
        return np.asarray(sum(self.coef_[index] for index in found), dtype=np.float64)

    def gap_scores(self) -> Floats:
        """The constant scores of gaps, ``[[open, extend] of x, [open, extend] of y]``; a gap of length l scores
        ``open + (l - 1) * extend``, and what the letters of its positions add."""
        check_is_fitted(self, "coef_")
        total = np.zeros((2, 2))
        for gap in self.layout_.gaps:
            if gap.track is None:
                total += self.coef_[np.stack([gap.open[:, 0], gap.extend[:, 0]], axis=1)]
        return total

    @abstractmethod
    def _given(self, pool: Pool, X: Sequence[Any]) -> Given:
        """The sequences of inputs."""

    def _pack_training(self, X: Sequence[Any]) -> PackedAlignments:
        """The training set, with letters and columns as the parameters or the sequences have them."""
        features = Features.of(self.features)
        pool = Pool(features)
        given = self._given(pool, X)
        layout = Layout(features, pool.alphabets(self.alphabet), pool.columns())
        return PackedAlignments(given, layout, self._shape())

    def _pack(self, X: Any) -> PackedAlignments:
        """Inputs at prediction."""
        check_is_fitted(self, "coef_")
        given = self._given(Pool(self.layout_.features), by_position(X))
        return PackedAlignments(given, self.layout_, self._shape())

    def _shape(self) -> Shape:
        return checked_shape(self.mode, self.free_ends, self.band)

    def _file_parts(self) -> FileParts:
        return FileParts({"coef_": self.coef_}, layout_to_plain(self.layout_))

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        self.layout_ = layout_from_plain(structure)
        self.coef_ = arrays.floats("coef_", self.layout_.n_weights)


class AlignmentEstimator(AlignmentBase):
    """Estimators whose inputs are pairs of sequences, and whose outputs are their alignments."""

    probabilistic: ClassVar[bool]

    temperature_: float

    def predict(self, X: Sequence[Any]) -> list[Alignment]:
        """The alignment of highest score of every pair of sequences."""
        packed = self._pack(X)
        return [found_alignment(own, packed.given.lengths(i)) for i, own in enumerate(self._best(packed))]

    def predict_kbest(self, X: Sequence[Any], k: int) -> list[list[Ranked[Alignment]]]:
        """The ``k`` alignments of highest score of every pair, best first; fewer where there are fewer."""
        k = min(checked_k(k), _MOST)
        packed = self._pack(X)

        def best(i: int) -> list[Ranked[Alignment]]:
            scores, offsets, pairs = packed.grid(self.coef_, i).k_best(k)
            lists = np.split(pairs, offsets[1:-1])
            return [Ranked(float(s), found_alignment(own, packed.given.lengths(i))) for s, own in zip(scores, lists)]

        return self._each(best, packed.n)

    def predict_marginals(self, X: Sequence[Any]) -> list[Floats]:
        """The probability that positions i and j are aligned, an array of shape (m, n) for each pair of sequences."""
        packed = self._pack(X)
        self._say_if_not_calibrated()

        def marginals(i: int) -> Floats:
            found = packed.grid(self.coef_, i, factor=1.0 / self.temperature_).sums()[1]
            return np.asarray(found).reshape(packed.given.lengths(i))

        return self._each(marginals, packed.n)

    def predict_confidence(self, X: Sequence[Any]) -> Floats:
        """The probability of the alignment that ``predict`` gives, as a whole, shape (n,)."""
        packed = self._pack(X)
        scores = packed.core.best(self.coef_, job_count(self.n_jobs))[0] / self.temperature_
        return np.asarray(np.exp(np.minimum(0.0, scores - self._log_sums(packed))))

    def sample(self, X: Sequence[Any], *, n_samples: int = 1, random_state: Any = 0) -> list[list[Alignment]]:
        """Alignments drawn from their probabilities, ``n_samples`` for each pair of sequences."""
        count = checked_k(n_samples, "n_samples")
        packed = self._pack(X)
        self._say_if_not_calibrated()
        seeds = np.random.default_rng(random_state).integers(2**63, size=packed.n)

        def drawn(i: int) -> list[Alignment]:
            grid = packed.grid(self.coef_, i, factor=1.0 / self.temperature_)
            _, offsets, pairs = grid.samples(count, int(seeds[i]))
            return [found_alignment(own, packed.given.lengths(i)) for own in np.split(pairs, offsets[1:-1])]

        return self._each(drawn, packed.n)

    def pair_scores(self, X: Sequence[Any]) -> list[Floats]:
        """The scores of aligning positions i and j, an array of shape (m, n) for each pair of sequences."""
        packed = self._pack(X)

        def scores(i: int) -> Floats:
            return np.asarray(packed.core.scores(self.coef_, i, 0, 1.0)[0]).reshape(packed.given.lengths(i))

        return self._each(scores, packed.n)

    def decision_value(self, X: Sequence[Any], y: Sequence[Any]) -> Floats:
        """The score ``<w, Psi(x, y)>`` of one alignment of each pair of sequences, shape (n,)."""
        check_is_fitted(self, "coef_")
        X, y = as_examples(X, y)
        packed = self._pack(X)
        return self._values(packed, read_alignments(packed.given, y))

    def score(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> float:
        """One minus the mean loss of the predictions: for the Q-loss the share of true pairs that are found."""
        check_is_fitted(self, "coef_")
        X, y = as_examples(X, y)
        weight = check_sample_weight(sample_weight, len(y))
        packed = self._pack(X)
        loss, shift = getattr(self, "loss", "q"), int(getattr(self, "shift", 0))
        losses = losses_of(loss, shift, read_alignments(packed.given, y), self._best(packed))
        return 1.0 - float(np.average(losses, weights=weight))

    def _given(self, pool: Pool, X: Sequence[Any]) -> Given:
        return read_pairs(pool, X)

    def _best(self, packed: PackedAlignments) -> list[Indices]:
        _, offsets, pairs = packed.core.best(self.coef_, job_count(self.n_jobs))
        return np.split(pairs, offsets[1:-1]) if packed.n else []

    def _values(self, packed: PackedAlignments, truths: Sequence[Indices]) -> Floats:
        return np.array([packed.grid(self.coef_, i).score(own) for i, own in enumerate(truths)], dtype=np.float64)

    def _log_sums(self, packed: PackedAlignments, temperature: float | None = None) -> Floats:
        """Logarithms of the sums over all alignments of ``exp(score / temperature)``."""
        if temperature is None:
            self._say_if_not_calibrated()
        factor = 1.0 / (self.temperature_ if temperature is None else temperature)
        return np.array(self._each(lambda i: packed.grid(self.coef_, i, factor=factor).sums()[0], packed.n))

    def _say_if_not_calibrated(self) -> None:
        if not self.probabilistic and not getattr(self, "calibrated_", False):
            say_not_calibrated(self)

    def _file_parts(self) -> FileParts:
        parts = super()._file_parts()
        kept = {**parts.structure, "temperature": float(self.temperature_)}
        if not self.probabilistic:
            kept["calibrated"] = bool(getattr(self, "calibrated_", False))
        return FileParts(parts.arrays, kept)

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        super()._restore(arrays, structure)
        self.temperature_ = structure.number("temperature", above=0.0)
        if not self.probabilistic:
            self.calibrated_ = structure.flag("calibrated")

    def _each(self, answer: Callable[[int], Answer], n: int) -> list[Answer]:
        """Answers for all examples, in threads: the core works without the interpreter."""
        threads = min(job_count(self.n_jobs), max(1, n))
        if threads == 1:
            return [answer(i) for i in range(n)]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(answer, range(n)))
