"""Diverse rankings: k documents that cover most subtopics, by learned weights of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from maxmargin.core.formulation import Formulation
from maxmargin.diversity.base import SetBySet, check_documents, check_lengths, check_sizes
from maxmargin.diversity.candidates import Candidates, candidate_list, pack_candidates
from maxmargin.diversity.levels import checked_levels, checked_shares
from maxmargin.diversity.model_file import ranker_parts, restore_ranker
from maxmargin.diversity.structure import Diversity
from maxmargin.diversity.subtopics import WEIGHTINGS, pack_subtopics
from maxmargin.diversity.words import WordCover, WordFeatures, common_words, cover_words, reached
from maxmargin.fitting.estimator import Estimator, FileParts, saved
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.parameters import ANYTHING, COUNT, MARGINS, POSITIVE, TRAINING, Allowed
from maxmargin.fitting.training import train
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Record

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8)


@saved
@dataclass(eq=False, repr=False)
class DiversityRanker(Estimator, SetBySet):
    """Learns which words are worth covering, and chooses documents that cover them (SVM-div).

    Minimises ``1/2 |w|^2 + C * sum_i s_i * risk_i`` over candidate sets i, with ``<w, Psi(x, y)>`` the benefit of the
    words that the documents ``y`` cover (``WordFeatures``); for margin rescaling and linear slack
    ``risk_i = max_y loss(T_i, y) - <w, Psi(x_i, y_i)> + <w, Psi(x_i, y)>`` with ``y_i`` the greedy choice by the
    subtopics ``T_i`` (``Diversity``). The maximum is searched greedily, so no gap is reported.

    Parameters
    ----------
    k : documents to choose
    C : weight of the sum of the risks; the papers' C is ``n * C``; ``'scale'`` as in StructuralSVM
    vectorizer : scikit-learn vectoriser for candidate sets of texts, fitted to every set anew; None is
        ``CountVectorizer()``
    levels : at which counts a document covers a word: numbers for all fields, or a dict of fields to numbers. None is
        (1, 2, 3) for the field ``'text'`` (or the first) and 1 for others
    importance : thresholds of the share of documents that have a word; each is a feature of the word at each level
    min_sets : words that occur in so many training sets or more also have a weight of their own; None gives none
    own_weight : factor on the features of words that have their own weight, against 1 for those by spread
    shared_columns : whether a column of a matrix is the same word in all candidate sets, and so may have its own weight
    weighting : of subtopics in loss and score, ``'popularity'`` or ``'equal'``; see ``pack_subtopics``
    rescaling : ``'margin'`` or ``'slack'``
    slack : ``'linear'`` or ``'squared'``
    solver, tol, max_iter, max_time, n_jobs, warm_start, random_state, callback, verbose :
        as in StructuralSVM

    Attributes
    ----------
    coef_ : weights, shape (features_.length,)
    features_ : the WordFeatures: levels, thresholds, vocabulary
    fields_ : names of the fields of a candidate set
    C_, solution_, n_iter_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **TRAINING,
        **MARGINS,
        "k": (COUNT,),
        "vectorizer": ANYTHING,
        "levels": ANYTHING,
        "importance": ANYTHING,
        "min_sets": (COUNT, None),
        "own_weight": (POSITIVE,),
        "shared_columns": (bool,),
        "weighting": WEIGHTINGS,
    }

    k: int = 5
    C: float | str = "scale"
    _: KW_ONLY
    vectorizer: Any = None
    levels: Any = None
    importance: Any = _SHARES
    min_sets: int | None = 10
    own_weight: float = 30.0
    shared_columns: bool = False
    weighting: str = "popularity"
    rescaling: str = "margin"
    slack: str = "linear"
    solver: Any = "one-slack"
    tol: float | str = "auto"
    max_iter: int | None = 1000
    max_time: float | None = None
    n_jobs: int | None = None
    warm_start: bool = False
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def fit(self, X: Iterable[Any], y: Iterable[Any], *, sample_weight: Any = None) -> DiversityRanker:
        """Learns from candidate sets and the subtopics of their documents.

        Parameters
        ----------
        X : candidate sets, each a list of texts, a matrix of documents by words, or a dict of fields to either; see
            ``pack_candidates``. A field ``'query'`` is not used.
        y : for each candidate set the subtopics of each document, as sets or as a matrix; see ``pack_subtopics``
        sample_weight : weights of the candidate sets
        """
        with self._fitting():
            self._check_formulation()
            structure = Diversity(self.k)
            shares = checked_shares(self.importance)
            X, labels = candidate_list(X), pack_subtopics(y, self.weighting)
            check_lengths(len(X), labels)
            weight = check_sample_weight(sample_weight, len(X))
            sets = pack_candidates(X, self.vectorizer, shared_columns=self.shared_columns)
            self.fields_ = list(sets[0].fields)
            self._check_fields(sets)
            check_documents(sets, labels)
            check_sizes(sets, structure.k)
            self.features_ = self._features(sets, shares)
            covers = [self._cover(candidates, i) for i, candidates in enumerate(sets)]
            judged = [structure.judge(cover, subtopics) for cover, subtopics in zip(covers, labels)]
            self._keep(train(self, structure, covers, judged, len(X), self.C, weight))
            self.coef_ = self.solution_.w
        return self

    def top_words(self, candidates: Any, n: int = 10) -> list[tuple[str, float]]:
        """The ``n`` words of one candidate set that are worth most, with what covering each at all levels adds.

        Only for candidate sets of texts, or of matrices with ``shared_columns``.
        """
        (packed,) = self._packed([candidates])
        if packed.names is None:
            raise ValueError(
                "The words of this candidate set have no names: a matrix has none without shared_columns=True, and of "
                "texts a HashingVectorizer keeps none; give texts and a vectorizer such as CountVectorizer()."
            )
        features, total = self.features_, np.zeros(len(packed.names))
        there = [reached(packed, level) for level in features.levels]
        shares = features.shares_of(there)
        by_level = features.phi(shares) @ self.coef_[: features.own_start].reshape(len(there), -1).T
        for position, at in enumerate(there):
            total += np.where(np.bincount(at.word, minlength=total.size) > 0, by_level[:, position], 0.0)
        for column, name in enumerate(packed.names.tolist()):
            if name in features.vocabulary:
                own = self.coef_[features.own_start + features.vocabulary[name]]
                total[column] += float(features.own_value(shares[column, 0])) * own
        best = np.argsort(-total, kind="stable")[:n]
        return [(str(packed.names[column]), float(total[column])) for column in best]

    def _file_parts(self) -> FileParts:
        return ranker_parts(self)

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        restore_ranker(self, arrays, structure)

    def _packed(self, X: Iterable[Any]) -> list[Candidates]:
        check_is_fitted(self, "coef_")
        sets = pack_candidates(X, self.vectorizer, shared_columns=self.shared_columns)
        self._check_fields(sets)
        return sets

    def _chosen(self, candidates: Candidates, i: int, k: int) -> Indices:
        return Diversity(k).argmax(self._cover(candidates, i), self.coef_)

    def _cover(self, candidates: Candidates, i: int) -> WordCover:
        first = self.features_.levels[0]
        if not (candidates.fields[first.field].data >= first.least).any():
            raise ValueError(
                f"No word of candidate set {i} reaches the first level, at least {first.least:g} in the field "
                f"{first.field!r}; lower levels, or count words."
            )
        return cover_words(candidates, self.features_)

    def _features(self, sets: list[Candidates], shares: tuple[float, ...]) -> WordFeatures:
        levels = checked_levels(self.levels, self.fields_)
        if self.min_sets is None:
            return WordFeatures(levels, shares)
        return WordFeatures(levels, shares, common_words(sets, levels[0], self.min_sets), float(self.own_weight))

    def _check_fields(self, sets: list[Candidates]) -> None:
        for i, candidates in enumerate(sets):
            for name in candidates.fields:
                if name not in self.fields_:
                    raise ValueError(
                        f"Candidate set {i} has a field {name!r}, which is unknown; the fields are "
                        f"{', '.join(map(repr, self.fields_))}."
                    )
            for name in self.fields_:
                if name not in candidates.fields:
                    raise ValueError(f"Candidate set {i} lacks the field {name!r} that the first training set has.")

    def _check_formulation(self) -> None:
        formulation = Formulation(self.rescaling, self.slack)
        if formulation.rescaling == "none":
            raise Unsupported(
                f"DiversityRanker cannot be trained with {formulation}, which takes every choice but one for equally "
                "wrong, though many cover the same subtopics; use rescaling='margin' or 'slack'."
            )
