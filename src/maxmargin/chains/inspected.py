"""How a chain estimator is asked what it has learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from maxmargin.chains.chain import ChainInput
from maxmargin.chains.input import InputReader
from maxmargin.chains.inspection.explanation import Explanation, explain_difference
from maxmargin.chains.inspection.names import ChainNames
from maxmargin.chains.inspection.pair_names import PairNames
from maxmargin.chains.inspection.weights import (
    FeatureWeight,
    TransitionWeight,
    WeightTable,
    strongest_features,
    strongest_transitions,
)
from maxmargin.chains.kernel_tokens import KernelTokens
from maxmargin.io.labelled import shortened
from maxmargin.rows.kernel_pairs import PairFeatures

Codes = npt.NDArray[np.int32]


class Inspected(KernelTokens):
    """Methods of a chain estimator that say what it has learned."""

    classes_: npt.NDArray[Any]
    reader_: InputReader

    def top_features(self, n: int = 10, label: Any = None) -> WeightTable[FeatureWeight]:
        """The ``n`` strongest weights of features, of one label if it is given, else of all.

        Strongest are those farthest from the mean over labels, which adds the same to the score of every label.
        """
        check_is_fitted(self)
        code = None if label is None else self._code(label)
        return strongest_features(self.chain_, self.weights_, self._names(), n, code)

    def top_transitions(self, n: int = 10) -> WeightTable[TransitionWeight]:
        """The ``n`` strongest weights of labels that follow others, of starts and of ends."""
        check_is_fitted(self)
        return strongest_transitions(self.chain_, self.weights_, self._names(), n)

    def explain(self, x: Any, t: int, against: Any = None, *, others: str = "free") -> Explanation:
        """Why token ``t`` of the sequence ``x`` has the label that ``predict`` gives it, and not the runner-up.

        Where ``decode_`` is ``'marginal'`` the labels are the most probable ones of each token. Together they need not
        be the labelling of highest score, so that the difference may be negative.

        Parameters
        ----------
        x : one sequence, in a form that ``predict`` takes a list of
        t : position of the token, from 0
        against : the label to compare with; None for the one that comes second
        others : ``'free'`` compares the prediction with the best labelling of the whole sequence in which the token has
            another label, so that terms of other tokens may appear; ``'kept'`` changes the label of this token only
        """
        if others not in ("kept", "free"):
            raise ValueError(f"others must be 'kept' or 'free', not {others!r}.")
        given: ChainInput = self._read([x], None)
        length = given.tokens.tokens
        if isinstance(t, bool) or not isinstance(t, int | np.integer) or not 0 <= t < length:
            raise ValueError(f"t must be the position of a token, 0 to {length - 1}, not {t!r}.")
        if self.classes_.size < 2:
            raise ValueError("There is one label only, so there is nothing to compare it with.")
        best: Codes = self._decoded(given, (None, None))
        rivals = self._rivals(int(best[t]), against)
        rival = self._kept(given, best, t, rivals) if others == "kept" else self._free(given, t, rivals)
        chain, weights = self._predictor
        terms = explain_difference(chain, weights, given, best, rival, self._names_of_predictor())
        scores = self._scores(given, np.stack([best, rival]))
        return Explanation(
            token=int(t),
            label=self.classes_[best[t]],
            runner_up=self.classes_[rival[t]],
            difference=float(scores[0] - scores[1]),
            labels=self.classes_[best],
            runner_up_labels=self.classes_[rival],
            contributions=terms,
        )

    def _rivals(self, predicted: int, against: Any) -> list[int]:
        if against is None:
            return [code for code in range(self.classes_.size) if code != predicted]
        code = self._code(against)
        if code == predicted:
            raise ValueError(f"The label {against!r} is the predicted one; compare with another.")
        return [code]

    def _kept(self, given: ChainInput, best: Codes, t: int, rivals: list[int]) -> Codes:
        variants = np.repeat(best[None, :], len(rivals), axis=0)
        variants[:, t] = rivals
        chosen: Codes = variants[int(np.argmax(self._scores(given, variants)))]
        return chosen

    def _free(self, given: ChainInput, t: int, rivals: list[int]) -> Codes:
        allowed = np.ones((given.tokens.tokens, self.classes_.size), dtype=np.uint8)
        allowed[t] = 0
        allowed[t, rivals] = 1
        chosen: Codes = self._best(given, 1, (allowed, None))[0]
        return chosen

    def _scores(self, given: ChainInput, labellings: Codes) -> npt.NDArray[np.float64]:
        """``F`` of several labellings of one sequence."""
        same = np.zeros(len(labellings), dtype=np.intp)
        repeated = ChainInput(given.tokens[same], None if given.pairs is None else given.pairs[same])
        flat = np.ascontiguousarray(labellings.ravel(), dtype=np.int32)
        chain, weights = self._predictor
        return chain.core(repeated).path_scores(weights, flat)

    def _code(self, label: Any) -> int:
        found = [code for code, known in enumerate(self.classes_.tolist()) if known == label]
        if not found:
            known = shortened(self.classes_.tolist())
            raise ValueError(f"The label {label!r} was not seen in training; the labels are {known}.")
        return found[0]

    def _names(self) -> ChainNames:
        pairs = self.kernel_ if isinstance(self.kernel_, PairFeatures) else None
        if self.kernel_ is not None and pairs is None:
            places = getattr(self.kernel_, "places", None)
            return ChainNames(self.classes_, self.chain_.n_features, kind="reference token", places=places)
        vectorizer, window = self.reader_.vectorizer, self.reader_.window
        own = self.n_features_in_ // (2 * window + 1)
        features, of_pairs = None, None
        if vectorizer is not None and vectorizer.hashing is None:
            features, of_pairs = vectorizer.attributes_, vectorizer.pair_attributes_
        if pairs is not None:
            return PairNames(self.classes_, own, window, features, of_pairs, kernel=pairs)
        return ChainNames(self.classes_, own, window, features, of_pairs)

    def _names_of_predictor(self) -> ChainNames:
        """Names of what a score is made of: with a kernel one number for each label."""
        return self._names() if self.kernel_ is None else ChainNames(self.classes_, self.classes_.size, kind="score of")
