"""What all parsers share: the grammar of a treebank, trees of sentences, probabilities, scores, model files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from maxmargin import _core
from maxmargin.core.input_checks import check_finite_weights, random_generator
from maxmargin.core.problem import as_examples, by_position
from maxmargin.core.ranked import Ranked, checked_k
from maxmargin.fitting.estimator import Estimator, FileParts
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.parameters import COUNT, NOT_NEGATIVE, Allowed, Kind, whole
from maxmargin.fitting.training import job_count
from maxmargin.grammars.answers import check_found, flat_tree, ranked_trees, say_if_words, with_true_words
from maxmargin.grammars.given import checked_trees
from maxmargin.grammars.grammar import Grammar
from maxmargin.grammars.lexicon import Ints
from maxmargin.grammars.limits import add_limits
from maxmargin.grammars.model_file import grammar_parts, restored_grammar
from maxmargin.grammars.packed import core_rules, core_sentences, derivations_of
from maxmargin.grammars.parseval import bracket_counts
from maxmargin.grammars.structure import TreeStructure
from maxmargin.grammars.tree import Span, Tree
from maxmargin.oracles.bind import check_sample_weight

Floats = npt.NDArray[np.float64]

_MOST = 2**31 - 1  # trees of a sentence

GRAMMAR: Mapping[str, Allowed] = {
    "grammar": (None, Kind("a Grammar", lambda value: isinstance(value, Grammar))),
    "horizontal": (None, whole(0)),
    "vertical": (COUNT,),
    "input": ("tags", "words"),
    "chains": ("seen", COUNT),
    "rare": (whole(0),),
    "beam": (None, NOT_NEGATIVE),
    "n_jobs": (None, -1, COUNT),
}


class GrammarEstimator(Estimator):
    """Base of the parsers.

    A subclass sets ``grammar_``, ``coef_`` (the weights of the rules first) and ``temperature_`` in ``fit``.
    """

    probabilistic: ClassVar[bool] = True

    grammar: Grammar | None
    horizontal: int | None
    vertical: int
    input: str
    chains: str | int
    rare: int
    beam: float | None
    n_jobs: int | None
    grammar_: Grammar
    coef_: Floats
    temperature_: float

    def predict(
        self, X: Sequence[Any], *, decode: str = "best", forbidden: Any = None, required: Any = None
    ) -> list[Tree]:
        """The tree of every sentence.

        A sentence that the grammar cannot derive gets a flat tree: one node above the tags of its words.

        Parameters
        ----------
        X : sentences: lists of tags, of words, or of (word, tag) pairs
        decode : ``'best'`` for the tree of highest score; ``'risk'`` for that of most expected right brackets less
            expected wrong ones; of several with one label over the same words as many are right as the true tree has
        forbidden, required : for each sentence None, or brackets ``(label, start, end)``, such as those of
            ``Tree.brackets``, that its tree must not have, or must have; an error names a sentence without such a tree
        """
        sentences, core = self._read(X, forbidden, required)
        if decode == "best":
            found = core.best(self.coef_, self.beam, job_count(self.n_jobs))
        elif decode == "risk":
            found = core.best_by(2.0 * self._sums(core)[1] - 1.0, job_count(self.n_jobs))
        else:
            raise ValueError(f"decode must be 'best' or 'risk', not {decode!r}.")
        trees = ranked_trees(self.grammar_, sentences, found)
        check_found(map(len, trees), forbidden, required)
        return [
            own[0].output if own else flat_tree(self.grammar_, sentence)
            for own, sentence in zip(trees, sentences, strict=True)
        ]

    def predict_kbest(
        self, X: Sequence[Any], k: int, *, forbidden: Any = None, required: Any = None
    ) -> list[list[Ranked[Tree]]]:
        """The ``k`` different trees of highest score of every sentence, best first; fewer where there are fewer, and
        none where the grammar cannot derive the sentence. ``forbidden`` and ``required`` are as in ``predict``.

        The score of a tree is that of its best derivation. It has one only, unless its sentence has a tag that the
        grammar does not know: then there are as many as tags that this may be, marginals and samples add up their
        probabilities, and a list ends after ``100 k`` derivations even if they were of fewer than ``k`` trees.
        """
        sentences, core = self._read(X, forbidden, required)
        found = core.kbest(self.coef_, min(checked_k(k), _MOST), self.beam, True, job_count(self.n_jobs))
        ranked = ranked_trees(self.grammar_, sentences, found)
        check_found(map(len, ranked), forbidden, required)
        return ranked

    def predict_marginals(
        self, X: Sequence[Any], *, least: float = 1e-6, forbidden: Any = None, required: Any = None
    ) -> list[dict[Span, float]]:
        """The expected number of every bracket of every sentence, its probability unless it repeats; brackets below
        ``least`` are left out. Trees that ``forbidden`` and ``required`` leave, as in ``predict``, share the
        probability."""
        sentences, core = self._read(X, forbidden, required)
        log_sums, apart = self._sums(core)
        check_found(log_sums > -np.inf, forbidden, required)
        labels = self.grammar_.bracket_labels
        brackets = apart[:, : len(labels)]
        for column, label in enumerate(core.bracket_columns.tolist()[len(labels) :], len(labels)):
            brackets[:, label] += apart[:, column]
        found: list[dict[Span, float]] = []
        first = 0
        for sentence in sentences:
            n = len(sentence)
            spans = [(i, j) for j in range(1, n + 1) for i in range(j - 1, -1, -1)]
            own = brackets[first : first + len(spans)]
            first += len(spans)
            found.append({Span(labels[b], *spans[s]): float(own[s, b]) for s, b in np.argwhere(own >= least).tolist()})
        return found

    def sample(
        self,
        X: Sequence[Any],
        *,
        n_samples: int = 1,
        random_state: Any = 0,
        forbidden: Any = None,
        required: Any = None,
    ) -> list[list[Tree]]:
        """Trees drawn from their probabilities, ``n_samples`` for each sentence, among those that ``forbidden`` and
        ``required`` leave, as in ``predict``."""
        sentences, core = self._read(X, forbidden, required)
        seed = int(random_generator(random_state).integers(2**63))
        count = checked_k(n_samples, "n_samples")
        if count > _MOST:
            raise ValueError(f"n_samples must be at most {_MOST:,}, not {count:,}.")
        self._say_if_not_calibrated()
        found = core.samples(self.coef_, self.temperature_, count, seed, job_count(self.n_jobs))
        trees = [[tree for _, tree in own] for own in ranked_trees(self.grammar_, sentences, found)]
        check_found(map(len, trees), forbidden, required)
        return trees

    def decision_value(self, X: Sequence[Any], y: Sequence[Any]) -> Floats:
        """The score ``<w, Psi(x, y)>`` of one tree of each sentence, the sum of those of its rules; shape (n,). Raises
        ``NotDerivable`` for a tree that the grammar cannot derive, such as one with a tag that it does not know."""
        X, y = as_examples(X, y)
        sentences, core = self._read(X)
        derivations = derivations_of(self.grammar_, sentences, checked_trees(y))
        return TreeStructure(core, derivations).targets().scores(self.coef_)

    def score(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> float:
        """F1 of the labelled brackets of all sentences, as ``metrics.bracket_score`` counts them. Where ``X`` has tags
        alone, the words are those of the true trees."""
        X, y = as_examples(X, y)
        weight = check_sample_weight(sample_weight, len(y))
        found = self.predict(X)
        if self.grammar_.lexicon.by_tags:
            found = [with_true_words(i, *each) for i, each in enumerate(zip(X, found, y, strict=True))]
        counts = np.array(bracket_counts(y, found), dtype=np.float64).reshape(-1, 4)
        true, predicted, hits, _ = (np.ones(len(y)) if weight is None else weight) @ counts
        return float(2.0 * hits / (true + predicted)) if true + predicted else 1.0

    def _learn(self, X: Any, y: Any) -> tuple[Grammar, list[Any], list[Ints]]:
        """The grammar, the sentences, and the rules of their trees."""
        X, y = as_examples(X, y)
        trees = checked_trees(y)
        grammar = self.grammar
        if grammar is None:
            options = {name: getattr(self, name) for name in ("horizontal", "vertical", "input", "chains", "rare")}
            grammar = Grammar.from_treebank(trees, **options)
        return grammar, list(X), derivations_of(grammar, X, trees)

    def _read(self, X: Any, forbidden: Any = None, required: Any = None) -> tuple[list[Any], _core.Sentences]:
        check_is_fitted(self, "coef_")
        check_finite_weights(self.coef_)
        sentences = list(by_position(X, "Sentences"))
        core = core_sentences(self.grammar_, core_rules(self.grammar_), sentences)
        say_if_words(self.grammar_, sentences)
        add_limits(core, self.grammar_, [len(sentence) for sentence in sentences], forbidden, required)
        return sentences, core

    def _sums(self, core: _core.Sentences) -> tuple[Floats, Floats]:
        """Logarithms of the sums over all trees, and how likely every bracket is (spans, columns): that a span has m
        brackets with a label or more is in the m-th column of this label (``core.bracket_columns``)."""
        self._say_if_not_calibrated()
        log_sums, brackets, _ = core.sums(self.coef_, self.temperature_, job_count(self.n_jobs))
        return log_sums, np.asarray(brackets).reshape(core.span_count, core.bracket_columns.size)

    def _say_if_not_calibrated(self) -> None:
        """Warns where scores were not fitted to be probabilities."""

    def _file_parts(self) -> FileParts:
        parts = grammar_parts(self.grammar_)
        kept = {**parts.structure, "temperature": float(self.temperature_), "given": self.grammar is not None}
        return FileParts({**parts.arrays, "coef_": self.coef_}, kept, without=("grammar",))

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        self.grammar_ = restored_grammar(arrays, structure)
        self.grammar = self.grammar_ if structure.flag("given") else None
        self.coef_ = arrays.floats("coef_", arrays["coef_"].size)
        self.temperature_ = structure.number("temperature", above=0.0)
