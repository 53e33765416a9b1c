"""The weights and dual variables of one fit as a start for the next, whose data, labels and settings may be others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.chains.chain import Chain
from maxmargin.chains.columns import ChainColumns
from maxmargin.chains.kernel_tokens import with_emissions
from maxmargin.chains.likelihood import ChainLikelihood
from maxmargin.chains.likelihood import Distributions as NativeDistributions
from maxmargin.chains.weight_parts import chain_parts

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TrainedChain:
    """What a chain estimator has learnt, and by what its labels and features are recognised.

    Parameters
    ----------
    chain : the shape of the weights
    classes : the labels
    features, pairs : names of the columns before a window was laid around tokens; None where they are numbers
    window : how many tokens before and after lend their features
    """

    chain: Chain
    classes: list[Any]
    features: list[str] | None
    pairs: list[str] | None
    window: int

    @classmethod
    def of(cls, estimator: Any) -> TrainedChain:
        """From a fitted estimator, or one that has read its data."""
        vectorizer, window = estimator.reader_.vectorizer, estimator.reader_.window
        named = vectorizer is not None and vectorizer.hashing is None
        features = vectorizer.get_feature_names_out().tolist() if named else None
        chain = estimator.chain_
        pairs = vectorizer.get_pair_names_out().tolist() if named and chain.n_pair_features else None
        return cls(chain, estimator.classes_.tolist(), features, pairs, window)

    def moved(self, weights: Floats, after: TrainedChain) -> Floats | None:
        """Native weights of this chain as those of another: what both know is kept, the rest is zero.

        None where the features have no names and are not as many, or have other windows.
        """
        parts = 2 * self.window + 1
        if self.window != after.window:
            return None
        own = _places(self.features, after.features, self.chain.n_features // parts, after.chain.n_features // parts)
        pairs = _places(self.pairs, after.pairs, self.chain.n_pair_features, after.chain.n_pair_features)
        if own is None or pairs is None:
            return None
        width = self.chain.n_features // parts
        columns = np.concatenate([np.where(own < 0, -1, own + part * width) for part in range(parts)])
        place = {label: code for code, label in enumerate(self.classes)}
        labels = np.array([place.get(label, -1) for label in after.classes], dtype=np.int64)
        stride = _core.padded(after.chain.n_labels)
        found = np.zeros(after.chain.rows * stride)
        old, new = chain_parts(self.chain, weights), chain_parts(after.chain, found)
        _copy(old.emissions, new.emissions, columns, labels)
        if len(old.constant) and len(new.constant):
            _copy(old.constant, new.constant, np.zeros(1, dtype=np.int64), labels)
        _copy(old.pairs, new.pairs, pairs, labels, labels)
        if self.chain.ends and after.chain.ends:
            _copy(old.start, new.start, labels)
            _copy(old.end, new.end, labels)
        for before, now in zip(old.steps, new.steps):
            _copy(before, now, *[labels] * before.ndim)
        return found


def _places(before: list[str] | None, after: list[str] | None, count: int, wanted: int) -> Places | None:
    """The earlier column of every column, -1 where there was none."""
    if before is None or after is None:
        return np.arange(wanted) if before is after and count == wanted else None
    place = {name: column for column, name in enumerate(before)}
    return np.array([place.get(name, -1) for name in after], dtype=np.int64)


def _copy(old: Floats, new: Floats, *places: Places) -> None:
    """``new[k, ...] = old[place[k], ...]`` for all k that have a place, on every axis."""
    kept = [np.flatnonzero(place >= 0) for place in places]
    new[np.ix_(*kept)] = old[np.ix_(*(place[k] for place, k in zip(places, kept)))]


@dataclass(frozen=True, eq=False)
class Distributions:
    """The dual variables of a fit: for sequences of these lengths a distribution over the labellings with ``classes``.

    Parameters
    ----------
    marginals : shape (n_tokens, n_labels)
    steps : expected counts, shape (n_sequences, n_labels, n_labels)
    entropy : lower bounds, shape (n_sequences,)
    """

    lengths: npt.NDArray[np.int64]
    classes: list[Any]
    marginals: npt.NDArray[np.float32]
    steps: npt.NDArray[np.float32]
    entropy: Floats

    @classmethod
    def of(cls, problem: ChainLikelihood, lengths: npt.NDArray[np.int64], classes: list[Any]) -> Distributions | None:
        """Those that dual ascent has left; None where it took no part."""
        found, k = problem.distributions(), len(classes)
        if found is None:
            return None
        _, marginals, steps, entropy = found
        return cls(
            lengths,
            classes,
            marginals.reshape(-1, problem.stride)[:, :k].copy(),
            steps.reshape(lengths.size, k, problem.stride)[:, :, :k].copy(),
            entropy,
        )

    def start(self, lengths: npt.NDArray[np.int64], classes: list[Any]) -> NativeDistributions | None:
        """For the sequences that have the length that they had before; None where a label is gone, or none has it.

        A distribution over labellings is a valid start whatever the features and the labels of the sequence are.
        """
        place = {label: code for code, label in enumerate(classes)}
        if any(label not in place for label in self.classes):
            return None
        n = min(lengths.size, self.lengths.size)
        same = np.flatnonzero(lengths[:n] == self.lengths[:n])
        if not same.size:
            return None
        stride, k = _core.padded(len(classes)), len(classes)
        labels = np.array([place[label] for label in self.classes])
        tokens = np.flatnonzero(np.repeat(np.isin(np.arange(self.lengths.size), same), self.lengths))
        marginals = np.zeros((tokens.size, stride), dtype=np.float32)
        marginals[:, labels] = self.marginals[tokens]
        steps = np.zeros((same.size, k, stride), dtype=np.float32)
        steps[:, labels[:, None], labels] = self.steps[same]
        return same.astype(np.int32), marginals.ravel(), steps.ravel(), self.entropy[same]


@dataclass(frozen=True, eq=False)
class EarlierChain:
    """What a fitted estimator goes on from: its weights, for the features as given, and its dual variables if any."""

    trained: TrainedChain
    native: Floats
    kernel: Any
    distributions: Distributions | None

    @classmethod
    def of(cls, estimator: Any) -> EarlierChain | None:
        """Takes the dual variables away from an estimator; None where it does not go on from where it was."""
        kept = estimator.__dict__.pop("_distributions", None)
        if not estimator.warm_start or not hasattr(estimator, "weights_"):
            return None
        return cls(TrainedChain.of(estimator), estimator.weights_, estimator.kernel_, kept)

    def weights(self, estimator: Any, columns: ChainColumns) -> Floats | None:
        """For the data that the estimator has read since, with columns changed; None with other features."""
        after = TrainedChain.of(estimator)
        if self.kernel is None and estimator.kernel_ is None:
            found = self.trained.moved(self.native, after)
        else:
            found = self._with_kernel(estimator, after)
        return None if found is None else columns.adapt(estimator.chain_, found)

    def _with_kernel(self, estimator: Any, after: TrainedChain) -> Floats | None:
        """The same where a kernel makes the features: by the coefficients of its reference tokens."""
        emissions = chain_parts(self.trained.chain, self.native).emissions
        same = self.trained.features == after.features and self.trained.window == after.window
        coef = estimator._going_on(self.kernel, np.ascontiguousarray(emissions.T)) if same else None
        if coef is None:
            return None
        chain, native = with_emissions(self.trained.chain, self.native, coef.T)
        before = replace(self.trained, chain=chain, features=None, window=0)
        return before.moved(native, replace(after, features=None, window=0))
