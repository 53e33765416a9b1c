"""What all chain estimators share: reading sequences, prediction, confidence, scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.columns import ChainColumns
from maxmargin.chains.features.vectorizer import SequenceVectorizer
from maxmargin.chains.input import InputReader
from maxmargin.chains.inspected import Inspected
from maxmargin.chains.limits import allowed_labels, allowed_steps
from maxmargin.chains.memory import check_kbest
from maxmargin.chains.model_file import SavedChain
from maxmargin.chains.scores import ChunkScore, chunk_score, token_accuracy
from maxmargin.chains.sequences.labels import pack_labels
from maxmargin.chains.sequences.packed import SequenceError
from maxmargin.chains.sequences.partial import PartialLabels, pack_partial_labels
from maxmargin.chains.sequences.per_sequence import PerSequence, is_in_lists
from maxmargin.core.ranked import Ranked, checked_k
from maxmargin.fitting.calibration import say_not_calibrated
from maxmargin.fitting.parameters import ANYTHING, NOT_NEGATIVE, TRAINING, Allowed, Kind, whole
from maxmargin.fitting.training import check_probability, job_count
from maxmargin.oracles.bind import check_sample_weight

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Labelling = list[Any] | npt.NDArray[Any]

CHAIN: Mapping[str, Allowed] = {  # parameters of all chain estimators
    "order": (1, 2, 3),
    "eta": (Kind("a finite number of at least 0", NOT_NEGATIVE.holds),),
    "ends": (bool,),
    "window": (whole(0),),
    "templates": ANYTHING,
    "min_count": (whole(1),),
    "hashing": ANYTHING,
    "fit_intercept": (bool,),
    "n_jobs": TRAINING["n_jobs"],
}


class ChainEstimator(Inspected, SavedChain):
    """Base of the chain estimators; see ``ChainSVC`` for what the parameters mean.

    A subclass sets ``classes_``, ``chain_`` (a ``Chain``), ``weights_`` (in native layout),
    ``reader_`` and ``temperature_`` in ``fit``.
    """

    probabilistic: ClassVar[bool] = True
    decode_: str = "viterbi"

    C: float | str
    order: int
    eta: float
    ends: bool
    fit_intercept: bool
    window: int
    templates: Any
    min_count: int
    hashing: int | None
    n_jobs: int | None

    @property
    def coef_(self) -> Floats:
        """The weights in the layout of ``Chain``, a copy without the padding of the native layout."""
        public: Floats = self.chain_.public_weights(self.weights_)
        return public

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = tags.input_tags.dict = tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def predict(
        self,
        X: Any,
        *,
        lengths: Any = None,
        decode: str = "auto",
        known: Any = None,
        steps: Any = None,
        abstain: float | None = None,
    ) -> PerSequence[Labelling]:
        """The labels of every sequence: lists where the sequences of X are lists, else arrays; empty ones stay empty.

        Parameters
        ----------
        X, lengths : sequences in any form that ``fit`` takes
        decode : ``'viterbi'`` for the labelling of highest score; ``'marginal'`` for the label of smallest expected
            loss of each token (without a cost matrix the most probable one), which may break ``steps`` between two
            tokens; ``'auto'`` is ``decode_``, and ``'viterbi'`` where ``steps`` are given
        known : for each token of each sequence None, its label, or a set of labels that are possible
        steps : which label may follow which: what is valid in a scheme of chunks (``'BIO'``, ``'IOB1'``, ``'IOBES'``,
            ``'BILOU'``), a mask (n_labels, n_labels), or pairs (label, next label)
        abstain : tokens whose most probable label has a probability below this get None instead of a label
        """
        if abstain is not None:
            check_probability("abstain", abstain)
        given = self._read(X, lengths)
        limits = self._limits(given, known, steps)
        codes = self._decoded(given, limits, decode)
        labels = self.classes_[codes]
        if abstain is not None:
            probability = self._marginals(given, limits)
            labels = labels.astype(object)
            labels[probability[np.arange(codes.size), codes] < abstain] = None
        return self._labellings(labels, given, X)

    def predict_kbest(
        self, X: Any, k: int, *, lengths: Any = None, known: Any = None, steps: Any = None
    ) -> list[list[Ranked[Labelling]]]:
        """The ``k`` labellings of highest score of every sequence, best first; fewer where there are fewer.

        Labels are lists where the sequences of X are lists, else arrays.
        """
        k = checked_k(k)
        given = self._read(X, lengths)
        check_kbest(self._predictor[0], given, k, job_count(self.n_jobs))
        found, scores = self._best(given, k, self._limits(given, known, steps))
        ranked = [self._labellings(self.classes_[row], given, X) for row in found.reshape(k, -1)]
        return [
            [Ranked(float(score), ranked[rank][i]) for rank, score in enumerate(row) if score > -np.inf]
            for i, row in enumerate(scores.reshape(-1, k))
        ]

    def predict_marginals(
        self, X: Any, *, lengths: Any = None, known: Any = None, steps: Any = None
    ) -> PerSequence[Floats]:
        """Probability of every label of every token, a list of arrays of shape (length, n_labels)."""
        given = self._read(X, lengths)
        return self._split(self._marginals(given, self._limits(given, known, steps)), given)

    def predict_confidence(
        self, X: Any, *, lengths: Any = None, decode: str = "auto", known: Any = None, steps: Any = None
    ) -> Floats:
        """Probability of the labelling of every sequence that ``predict`` gives, as a whole, shape (n_sequences,).

        Where ``known`` or ``steps`` forbid labellings, those that are left share the probability.
        """
        given = self._read(X, lengths)
        limits = self._limits(given, known, steps)
        self._say_if_not_calibrated()
        core = self._core(given)
        scores = core.path_scores(self._native(), self._decoded(given, limits, decode))
        log_sum = core.marginals(self._native(), self.temperature_, *limits, job_count(self.n_jobs))[1]
        return np.asarray(np.exp(np.minimum(0.0, scores / self.temperature_ - log_sum)))

    def expected_loss(self, X: Any, *, lengths: Any = None, known: Any = None, steps: Any = None) -> Floats:
        """Loss to be expected of the predicted labelling of every sequence, by the marginals, shape (n_sequences,)."""
        given = self._read(X, lengths)
        limits = self._limits(given, known, steps)
        codes = self._decoded(given, limits)
        risk = self._marginals(given, limits) @ self.chain_.costs
        owner = np.repeat(np.arange(len(given)), given.tokens.lengths)
        return np.bincount(owner, risk[np.arange(codes.size), codes], len(given)).astype(np.float64)

    def score(self, X: Any, y: Any, *, lengths: Any = None, sample_weight: Any = None) -> float:
        """Share of the tokens whose label is right; ``sample_weight`` has one weight for each sequence."""
        truth = self._true_labels(X, y, lengths)
        return token_accuracy(truth, self.predict(X, lengths=lengths), sample_weight)

    def chunk_score(self, X: Any, y: Any, *, lengths: Any = None, scheme: str = "auto") -> ChunkScore:
        """Precision, recall and F1 of the chunks that labels mark; ``scheme`` as in ``maxmargin.metrics.chunks_of``."""
        return chunk_score(self._true_labels(X, y, lengths), self.predict(X, lengths=lengths), scheme)

    def decision_value(self, X: Any, y: Any, *, lengths: Any = None) -> Floats:
        """The score ``F(x, y)`` of one labelling of each sequence, shape (n_sequences,)."""
        given = self._read(X, lengths)
        codes = pack_labels(y, given.tokens, classes=self.classes_)[1]
        scores: Floats = self._core(given).path_scores(self._native(), codes)
        return scores

    def _learn(
        self, X: Any, Y: Any, lengths: Any, sample_weight: Any
    ) -> tuple[ChainInput, Codes | PartialLabels, Floats | None]:
        """Reads training data and sets what does not depend on the method of training.

        Sequences without tokens, or of whose labels nothing is known, are left out: there is nothing to learn from
        them. Labels are ``PartialLabels`` where some are not known.
        """
        vectorizer = SequenceVectorizer(templates=self.templates, min_count=self.min_count, hashing=self.hashing)
        self.reader_ = InputReader(vectorizer, self.window)
        given = self.reader_.learn(X, lengths)
        self.classes_, labels = pack_partial_labels(Y, given.tokens)
        self.n_features_in_ = given.tokens.n_features
        weight = check_sample_weight(sample_weight, len(given))
        given = self._training_tokens(given, weight, isinstance(labels, PartialLabels))
        tells = labels.tells(given.tokens) if isinstance(labels, PartialLabels) else given.tokens.lengths > 0
        if tells.all():
            return given, labels, weight
        if not tells.any():
            raise ValueError("All sequences are empty; give at least one token to learn from.")
        used = np.flatnonzero(tells)
        if isinstance(labels, PartialLabels):
            labels = labels.take(np.flatnonzero(np.repeat(tells, given.tokens.lengths)))
            labels = labels.codes if labels.known.all() else labels
        given = replace(given[used], units=given.units)  # which are there where no token is left out
        return given, labels, None if weight is None else check_sample_weight(weight[used], used.size)

    def _common_size(self, given: ChainInput, weight: Floats | None) -> tuple[ChainColumns, ChainInput]:
        """With ``C='scale'`` what the features are changed by, and the changed ones; else, and those of a kernel, they
        stay as they are."""
        if not isinstance(self.C, str):
            return ChainColumns(None, None), given
        columns = ChainColumns.of(given, weight, self.chain_.constant, self.kernel_ is None)
        return columns, columns.apply(given)

    def _all_known(self, labels: Codes | PartialLabels, given: ChainInput) -> Codes:
        """The label of every token; raises where one is not known."""
        if not isinstance(labels, PartialLabels):
            return labels
        sequence, position = given.tokens.place(int(np.flatnonzero(~labels.known)[0]))
        raise SequenceError(
            f"{type(self).__name__} learns from tokens that have one label each; sequence {sequence}, token {position} "
            "has not. Use ChainSVC or ChainCRF, or leave such sequences out.",
            sequence,
            position,
        )

    def _chain(self, given: ChainInput, cost: Any = None) -> Chain:
        return Chain(
            n_labels=self.classes_.size,
            n_features=given.tokens.n_features,
            cost=cost,
            order=self.order,
            eta=self.eta,
            ends=self.ends,
            n_pair_features=0 if given.pairs is None else given.pairs.n_features,
            constant=1.0 if self.fit_intercept else 0.0,
        )

    def _read(self, X: Any, lengths: Any) -> ChainInput:
        check_is_fitted(self)
        given = self.reader_.read(X, lengths, self.n_features_in_)
        if given.tokens.n_features != self.n_features_in_:
            raise ValueError(
                f"X has {given.tokens.n_features} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        return self._scored_tokens(given)

    def _core(self, given: ChainInput) -> Any:
        """Tokens that were read, in the native core."""
        return self._predictor[0].core(given)

    def _native(self) -> Floats:
        return self._predictor[1]

    def _limits(self, given: ChainInput, known: Any, steps: Any) -> tuple[Any, Any]:
        return allowed_labels(known, given.tokens, self.classes_), allowed_steps(steps, self.classes_)

    def _decoded(self, given: ChainInput, limits: tuple[Any, Any], decode: str = "auto") -> Codes:
        """The labels that ``predict`` gives."""
        if decode not in ("auto", "viterbi", "marginal"):
            raise ValueError(f"decode must be 'auto', 'viterbi' or 'marginal', not {decode!r}.")
        if decode == "auto":
            decode = self.decode_ if limits[1] is None else "viterbi"
        if decode == "viterbi":
            return self._best(given, 1, limits)[0]
        risk = self._marginals(given, limits) @ self.chain_.costs
        if limits[0] is not None:
            risk[limits[0] == 0] = np.inf
        codes: Codes = np.argmin(risk, axis=1).astype(np.int32)
        return codes

    def _best(self, given: ChainInput, k: int, limits: tuple[Any, Any]) -> tuple[Codes, Floats]:
        core = self._core(given)
        found, scores, impossible = core.decode(self._native(), k, *limits, job_count(self.n_jobs))
        self._check_possible(impossible)
        return found, scores

    def _marginals(self, given: ChainInput, limits: tuple[Any, Any]) -> Floats:
        self._say_if_not_calibrated()
        core = self._core(given)
        found, _, impossible = core.marginals(self._native(), self.temperature_, *limits, job_count(self.n_jobs))
        self._check_possible(impossible)
        probability: Floats = found.reshape(-1, self.classes_.size)
        return probability

    def _check_possible(self, impossible: int) -> None:
        if impossible >= 0:
            raise SequenceError(
                f"known and steps together leave no labelling for sequence {impossible}; allow more labels there.",
                impossible,
            )

    def _say_if_not_calibrated(self) -> None:
        if not self.probabilistic and not getattr(self, "calibrated_", False):
            say_not_calibrated(self)

    def _true_labels(self, X: Any, Y: Any, lengths: Any) -> PerSequence[npt.NDArray[Any]]:
        """The labels as one array per sequence, whatever form they came in; labels not seen in training may occur."""
        given = self._read(X, lengths)
        classes, codes = pack_labels(Y, given.tokens)
        return self._split(classes[codes], given)

    def _labellings(self, labels: npt.NDArray[Any], given: ChainInput, X: Any) -> PerSequence[Labelling]:
        """The labels of all tokens by sequence, in lists where the sequences of X are lists."""
        split = self._split(labels, given)
        return PerSequence(part.tolist() for part in split) if is_in_lists(X) else PerSequence(split)

    def _split(self, tokens: npt.NDArray[Any], given: ChainInput) -> PerSequence[npt.NDArray[Any]]:
        return PerSequence(np.split(tokens, given.tokens.offsets[1:-1]))
