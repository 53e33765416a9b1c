"""What parsers share whose weights are trained: features, probabilities by a temperature, model files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.fitting.calibration import HeldOut, WithoutFold, say_not_calibrated, temperature_on_folds
from maxmargin.fitting.estimator import FileParts
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.grammars.base import GrammarEstimator
from maxmargin.grammars.packed import core_rules, core_sentences, derivations_of
from maxmargin.grammars.probabilities import log_probabilities, rule_counts
from maxmargin.grammars.span_features import SpanFeatures
from maxmargin.grammars.structure import TreeStructure

Floats = npt.NDArray[np.float64]


class LearnedGrammar(GrammarEstimator):
    """Base of the parsers with weights of rules and, by ``features``, of rules with their spans."""

    features: Sequence[str]
    prior: str | None
    features_: SpanFeatures
    prior_: Floats | None

    def _structure(self, X: Any, y: Any, weight: Floats | None, loss: str = "f1") -> tuple[list[Any], TreeStructure]:
        """The sentences, packed with their features, and their true trees; sets ``grammar_``, ``features_`` and
        ``prior_``."""
        self.grammar_, sentences, derivations = self._learn(X, y)
        self.features_ = SpanFeatures.learn(self.features, self.grammar_, sentences)
        self.prior_ = None
        if self.prior is not None:
            self.prior_ = log_probabilities(self.grammar_, rule_counts(self.grammar_, derivations, weight))
        core = core_sentences(self.grammar_, core_rules(self.grammar_), sentences)
        self._add_features(core, sentences)
        return sentences, TreeStructure(core, derivations, loss, self.beam)

    def _read(self, X: Any, forbidden: Any = None, required: Any = None) -> tuple[list[Any], _core.Sentences]:
        sentences, core = super()._read(X, forbidden, required)
        self._add_features(core, sentences)
        return sentences, core

    def _add_features(self, core: _core.Sentences, sentences: Sequence[Any]) -> None:
        if self.prior_ is not None:
            core.set_prior(self.prior_)
        self.features_.add_to(core, self.grammar_, sentences)

    def _file_parts(self) -> FileParts:
        parts = super()._file_parts()
        arrays = parts.arrays if self.prior_ is None else {**parts.arrays, "prior_": self.prior_}
        return FileParts(arrays, {**parts.structure, "span_features": self.features_.written()}, parts.without)

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        super()._restore(arrays, structure)
        self.features_ = SpanFeatures.restored(self.features, structure["span_features"])
        self.prior_ = arrays.floats("prior_", self.grammar_.n_rules) if "prior_" in arrays else None
        expected = self.features_.weight_count(self.grammar_) + (self.prior_ is not None)
        if self.coef_.size != expected:
            raise ValueError(f"the grammar and its features need {expected} weights, and there are {self.coef_.size}")


class CalibratedGrammar(LearnedGrammar):
    """A parser whose probabilities are a softmax of scores at a temperature that ``calibrate`` finds."""

    probabilistic: ClassVar[bool] = False
    calibrated_: bool

    def calibrate(self, X: Sequence[Any], y: Sequence[Any], *, folds: int = 3, sample_weight: Any = None) -> Self:
        """Fits the temperature at which the softmax of the scores has the highest likelihood on held-out folds.

        Trains ``folds`` models with the grammar of this one, each without one part of the examples, and asks each about
        the part that it has not seen. ``sample_weight``, one weight for each example, counts in both.
        """
        self.temperature_ = temperature_on_folds(self, X, y, folds, sample_weight, _held_out)
        self.calibrated_ = True
        return self

    def _settings_for(self, classes: npt.NDArray[Any]) -> dict[str, Any]:
        return {"grammar": self.grammar_}

    def _say_if_not_calibrated(self) -> None:
        if not getattr(self, "calibrated_", False):
            say_not_calibrated(self)

    def _file_parts(self) -> FileParts:
        parts = super()._file_parts()
        kept = {**parts.structure, "calibrated": bool(getattr(self, "calibrated_", False))}
        return FileParts(parts.arrays, kept, parts.without)

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        super()._restore(arrays, structure)
        self.calibrated_ = structure.flag("calibrated")


def _held_out(part: WithoutFold, weight: Floats) -> HeldOut:
    model: LearnedGrammar = part.model
    sentences, core = model._read(part.X)
    rules = np.array([len(rows) for rows in derivations_of(model.grammar_, sentences, part.Y)])

    def log_sums(temperature: float) -> Floats:
        return np.asarray(core.sums(model.coef_, temperature, 1)[0])

    return HeldOut(log_sums, model.decision_value(part.X, part.Y), rules, weight[part.places])
