"""What all estimators of alignments share: prediction, probabilities, scores, the learned matrices, model files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from maxmargin import _core
from maxmargin.alignments.alignment import Alignment
from maxmargin.alignments.features import RESIDUE, Codes, Features
from maxmargin.alignments.layout import Layout
from maxmargin.alignments.least_risk import checked_shift, most_expected_hits
from maxmargin.alignments.limits import LimitsOf, limits_of
from maxmargin.alignments.loss import losses_of
from maxmargin.alignments.model_file import layout_from_plain, layout_to_plain
from maxmargin.alignments.packed import Given, PackedAlignments, read_alignments, read_pairs
from maxmargin.alignments.shape import MODES, Shape, checked_shape
from maxmargin.alignments.tracks import Pool
from maxmargin.core.input_checks import check_finite_weights, quoted, random_generator
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
        """The learned scores of pairs of letters of a track, the sum of the matrices that features give it, known ones
        with their factor.

        Rows are letters of x and columns letters of y, in the order of ``layout_.alphabets[track]``.
        """
        check_is_fitted(self, "coef_")
        found = [
            placed.matrix(self.coef_)
            for placed in self.layout_.components
            if isinstance(placed.component.source, Codes) and placed.component.source == Codes((track,))
        ]
        if not found:
            known = ", ".join(map(repr, self.layout_.features.letters()))
            raise ValueError(f"The features have no matrix of the track {track!r} alone; tracks of letters: {known}.")
        return np.asarray(sum(found), dtype=np.float64)

    def gap_scores(self) -> Floats:
        """The constant scores of gaps, ``[[open, extend] of x, [open, extend] of y]``; a gap of length l scores
        ``open + (l - 1) * extend``, and what the letters and the context of its positions add."""
        check_is_fitted(self, "coef_")
        total = np.zeros((2, 2))
        for gap in self.layout_.gaps:
            if gap.source is None:
                total += gap.times * self.coef_[np.stack([gap.open[:, 0], gap.extend[:, 0]], axis=1)]
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
        return self._packed(X, self._given)

    def _packed(self, X: Any, read: Callable[[Pool, Sequence[Any]], Given]) -> PackedAlignments:
        """Inputs at prediction, by what reads their sequences; raises for weights that are no finite numbers."""
        check_is_fitted(self, "coef_")
        check_finite_weights(self.coef_)
        return PackedAlignments(read(Pool(self.layout_.features), by_position(X)), self.layout_, self._shape())

    def _shape(self) -> Shape:
        return checked_shape(self.mode, self.free_ends, self.band)

    def _file_parts(self) -> FileParts:
        return FileParts({"coef_": self.coef_}, layout_to_plain(self.layout_))

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        self.layout_ = layout_from_plain(structure)
        self.coef_ = arrays.floats("coef_", self.layout_.n_weights)


@dataclass(frozen=True, eq=False)
class Asked:
    """Pairs of sequences at prediction, and what their alignments must and must not have."""

    packed: PackedAlignments
    limits: LimitsOf | None = None

    def grid(self, weights: Floats, i: int, factor: float = 1.0) -> _core.AlignmentGrid:
        """The alignments of an example that the limits allow."""
        return self.packed.grid(weights, i, factor=factor, limits=None if self.limits is None else self.limits(i))

    def check(self, i: int, score: float) -> None:
        """Raises where an example has no alignment left, whose best one has this score."""
        if self.limits is not None:
            self.limits(i).check(score)


class AlignmentEstimator(AlignmentBase):
    """Estimators whose inputs are pairs of sequences, and whose outputs are their alignments."""

    probabilistic: ClassVar[bool]

    temperature_: float

    def predict(
        self,
        X: Sequence[Any],
        *,
        decode: str = "auto",
        shift: int | None = None,
        forbidden: Any = None,
        required: Any = None,
    ) -> list[Alignment]:
        """The alignment of every pair of sequences.

        Parameters
        ----------
        X : pairs of sequences
        decode : ``'best'`` for the alignment of highest score; ``'risk'`` for that of which most pairs are expected to
            be right by their probabilities: the least expected Q-loss, to which superfluous pairs do no harm;
            ``'auto'`` is the second of likelihoods, whose best alignment is one of very many, and the first of others
        shift : with ``decode='risk'``, the number of positions by which a pair may be off and still count as right;
            None is that of the loss in training
        forbidden, required : for each example None, or the pairs (i, j) that its alignment must not have, or must have
        """
        near = checked_shift(shift, int(getattr(self, "shift", 0)))
        asked = self._ask(X, forbidden, required)
        if decode not in ("auto", "best", "risk"):
            raise ValueError(f"decode must be 'auto', 'best' or 'risk', not {quoted(decode)}.")
        best = decode == "best" or (decode == "auto" and not self.probabilistic)
        if best and shift is not None:
            raise ValueError("shift goes with decode='risk': the alignment of highest score does not depend on it.")
        found = self._answers(asked, best, near)
        return [found_alignment(own, asked.packed.given.lengths(i)) for i, own in enumerate(found)]

    def predict_kbest(
        self, X: Sequence[Any], k: int, *, forbidden: Any = None, required: Any = None
    ) -> list[list[Ranked[Alignment]]]:
        """The ``k`` alignments of highest score of every pair, best first; fewer where there are fewer."""
        k = min(checked_k(k), _MOST)
        asked = self._ask(X, forbidden, required)

        def best(i: int) -> list[Ranked[Alignment]]:
            scores, offsets, pairs = asked.grid(self.coef_, i).k_best(k)
            asked.check(i, scores.max(initial=-np.inf))
            lists, lengths = np.split(pairs, offsets[1:-1]), asked.packed.given.lengths(i)
            return [Ranked(float(score), found_alignment(own, lengths)) for score, own in zip(scores, lists)]

        return self._each(best, asked.packed.n)

    def predict_marginals(self, X: Sequence[Any], *, forbidden: Any = None, required: Any = None) -> list[Floats]:
        """The probability that positions i and j are aligned, an array of shape (m, n) for each pair of sequences.

        Where ``forbidden`` or ``required`` exclude alignments, those that are left share the probability.
        """
        asked = self._ask(X, forbidden, required)
        self._say_if_not_calibrated()
        return self._each(lambda i: self._marginals(asked, i), asked.packed.n)

    def predict_confidence(self, X: Sequence[Any], *, forbidden: Any = None, required: Any = None) -> Floats:
        """The probability of the alignment of highest score, as a whole, shape (n,)."""
        asked = self._ask(X, forbidden, required)
        scores = self._best(asked)[0] / self.temperature_
        self._say_if_not_calibrated()
        return np.asarray(
            np.exp(np.minimum(0.0, scores - self._log_sums(asked.packed, self.temperature_, asked.limits)))
        )

    def sample(
        self,
        X: Sequence[Any],
        *,
        n_samples: int = 1,
        forbidden: Any = None,
        required: Any = None,
        random_state: Any = 0,
    ) -> list[list[Alignment]]:
        """Alignments drawn from their probabilities, ``n_samples`` for each pair of sequences."""
        count = checked_k(n_samples, "n_samples")
        asked = self._ask(X, forbidden, required)
        self._say_if_not_calibrated()
        seeds = random_generator(random_state).integers(2**63, size=asked.packed.n)

        def drawn(i: int) -> list[Alignment]:
            scores, offsets, pairs = asked.grid(self.coef_, i, 1.0 / self.temperature_).samples(count, int(seeds[i]))
            asked.check(i, scores.max(initial=-np.inf))
            lengths = asked.packed.given.lengths(i)
            return [found_alignment(own, lengths) for own in np.split(pairs, offsets[1:-1])]

        return self._each(drawn, asked.packed.n)

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
        """One minus the mean loss of what ``predict`` answers: for the Q-loss the share of true pairs found."""
        check_is_fitted(self, "coef_")
        X, y = as_examples(X, y)
        weight = check_sample_weight(sample_weight, len(y))
        packed = self._pack(X)
        loss, shift = getattr(self, "loss", "q"), int(getattr(self, "shift", 0))
        found = self._answers(Asked(packed), not self.probabilistic, shift)
        losses = losses_of(loss, shift, read_alignments(packed.given, y), found)
        return 1.0 - float(np.average(losses, weights=weight))

    def _given(self, pool: Pool, X: Sequence[Any]) -> Given:
        return read_pairs(pool, X)

    def _ask(self, X: Any, forbidden: Any = None, required: Any = None) -> Asked:
        packed = self._pack(X)
        return Asked(packed, limits_of(forbidden, required, [packed.given.lengths(i) for i in range(packed.n)]))

    def _answers(self, asked: Asked, best: bool, shift: int) -> list[Indices]:
        return self._best(asked)[1] if best else self._least_risk(asked, shift)

    def _best(self, asked: Asked) -> tuple[Floats, list[Indices]]:
        """The scores and the pairs of the best alignments."""
        if asked.limits is None:
            scores, offsets, pairs = asked.packed.core.best(self.coef_, job_count(self.n_jobs))
            return scores, np.split(pairs, offsets[1:-1]) if asked.packed.n else []

        def best(i: int) -> tuple[float, Indices]:
            score, pairs = asked.grid(self.coef_, i).best()
            asked.check(i, score)
            return score, pairs

        found = self._each(best, asked.packed.n)
        return np.array([score for score, _ in found], dtype=np.float64), [pairs for _, pairs in found]

    def _marginals(self, asked: Asked, i: int) -> Floats:
        """The probabilities of the pairs of an example, shape (m, n)."""
        log_sum, found, *_ = asked.grid(self.coef_, i, 1.0 / self.temperature_).sums()
        asked.check(i, log_sum)
        return np.asarray(found).reshape(asked.packed.given.lengths(i))

    def _least_risk(self, asked: Asked, shift: int) -> list[Indices]:
        """The pairs of the alignments of which most are expected to be right."""
        self._say_if_not_calibrated()

        def found(i: int) -> Indices:
            limits = None if asked.limits is None else asked.limits(i)
            return most_expected_hits(self._marginals(asked, i), shift, asked.packed.shape, limits)

        return self._each(found, asked.packed.n)

    def _values(self, packed: PackedAlignments, truths: Sequence[Indices]) -> Floats:
        return np.array([packed.grid(self.coef_, i).score(own) for i, own in enumerate(truths)], dtype=np.float64)

    def _log_sums(self, packed: PackedAlignments, temperature: float, limits: LimitsOf | None = None) -> Floats:
        """Logarithms of the sums over all alignments of ``exp(score / temperature)``."""
        asked = Asked(packed, limits)
        return np.array(self._each(lambda i: asked.grid(self.coef_, i, 1.0 / temperature).sums()[0], asked.packed.n))

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
