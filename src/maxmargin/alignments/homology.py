"""Learning to tell homologs from decoys by their best alignments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from maxmargin.alignments.alignment import Alignment
from maxmargin.alignments.base import GRID, found_alignment
from maxmargin.alignments.loss import LOSSES
from maxmargin.alignments.packed import Given, PackedAlignments, read_alignments, read_candidates, two_of
from maxmargin.alignments.ranking import CandidateRanker
from maxmargin.alignments.structure import AlignmentStructure
from maxmargin.alignments.tracks import Pool
from maxmargin.core.formulation import Formulation
from maxmargin.core.input_checks import quoted
from maxmargin.core.problem import as_examples
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.parameters import MARGINS, TRAINING, Allowed, whole
from maxmargin.fitting.regularisation import resolved_c
from maxmargin.fitting.training import train
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.solvers.base import Record

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class Homolog(NamedTuple):
    """The candidate that is aligned best, by its number, and its alignment."""

    candidate: int
    alignment: Alignment


@saved
@dataclass(eq=False, repr=False)
class HomologySVM(CandidateRanker):
    """Finds the homolog of a sequence among decoys: the candidate whose best alignment has the highest score.

    Learns the scores of alignments from sequences with a homolog, whose alignment is known, and decoys, whose
    alignments are not. Minimises ``1/2 |w|^2 + C * sum_i s_i * risk_i``; with the zero-one loss and squared slack
    ``risk_i = 1/2 max(0, max 1 - F(x_i, y_i, a_i) + F(x_i, d, a))^2``, over all decoys d and all their alignments a;
    with the Q-loss also over the wrong alignments of the homolog, which are to score less by the root of their loss.

    An input is a pair ``(sequence, candidates)``; its output is a pair ``(number of the homolog, its alignment)``.

    Parameters
    ----------
    C : weight of the sum of the risks; ``'scale'`` is, with the zero-one loss, 2 over what the squared lengths of the
        features of the pairs of a true alignment add up to, on average over the examples; with other losses it is
        measured on the most violated outputs of some examples at ``w = 0`` (``plane_c``)
    loss : with ``'q'`` and ``'f1'`` wrong alignments of the homolog compete as well as decoys, whose loss is 1, and
        cost what they cost in AlignmentSVM; ``'zero-one'``: 1 for a decoy, 0 for the homolog in any alignment
    shift, features, alphabet, mode, free_ends, band : as in AlignmentSVM
    rescaling, slack, solver : as in StructuralSVM; with the zero-one loss both kinds of rescaling are the same
    tol, max_iter, max_time : as in StructuralSVM
    n_jobs : threads for one-slack training and prediction; -1 is all cores
    warm_start, random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    coef_ : weights, by the numbers that ``layout_`` gives them
    layout_ : features, alphabets, and which weight belongs to what
    C_, solution_, n_iter_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {**TRAINING, **MARGINS, **GRID, "loss": LOSSES, "shift": (whole(0),)}

    C: float | str = "scale"
    _: KW_ONLY
    loss: str = "q"
    shift: int = 0
    features: Any = None
    alphabet: Any = None
    mode: str = "local"
    free_ends: Any = "both"
    band: int | None = None
    rescaling: str = "margin"
    slack: str = "squared"
    solver: Any = "auto"
    tol: float | str = "auto"
    max_iter: int | None = 1000
    max_time: float | None = None
    n_jobs: int | None = None
    warm_start: bool = False
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def fit(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> HomologySVM:
        """Learns from sequences with candidates ``X`` and homologs with their alignments ``y``, lists of one length."""
        with self._fitting():
            X, y = as_examples(X, y)
            weight = check_sample_weight(sample_weight, len(y))
            packed, truths = self._homologs(X, y)
            only = self.loss == "zero-one"
            C = resolved_c(self.C, lambda: _scale(packed, truths, weight)) if only else self.C
            formulation = Formulation(self.rescaling, self.slack)
            structure = AlignmentStructure(packed, self.loss, int(self.shift), candidates_only=only)
            self._keep(train(self, structure, X, truths, len(y), C, weight, formulation=formulation))
            self.coef_, self.layout_ = self.solution_.w, packed.layout
        return self

    def predict(self, X: Sequence[Any], *, forbidden: Any = None, required: Any = None) -> list[Homolog]:
        """The candidate of highest score of every input, and its alignment.

        Parameters
        ----------
        X : pairs ``(sequence, candidates)``
        forbidden, required : for each input None, or a list that has for each candidate None, or the pairs (i, j) that
            its alignment must not have, or must have
        """
        packed = self._pack(X)
        scores, alignments = self._best_of_each(packed, forbidden, required)
        found = [int(np.argmax(own)) for own in scores]
        return [
            Homolog(k, found_alignment(own[k], packed.given.lengths(i, k)))
            for i, (k, own) in enumerate(zip(found, alignments))
        ]

    def score(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> float:
        """The share of inputs whose homolog is found. ``y``: as in ``fit``, or the numbers of the homologs alone."""
        check_is_fitted(self, "coef_")
        X, y = as_examples(X, y)
        weight = check_sample_weight(sample_weight, len(y))
        numbers = [each if isinstance(each, Integral) else two_of(each, _MUST.format(i))[0] for i, each in enumerate(y)]
        right = [int(np.argmax(own)) == true for own, true in zip(self.decision_function(X), numbers)]
        return float(np.average(right, weights=weight))

    def _given(self, pool: Pool, X: Sequence[Any]) -> Given:
        return read_candidates(pool, X)

    def _homologs(self, X: Sequence[Any], y: Sequence[Any]) -> tuple[PackedAlignments, list[Indices]]:
        """The training set with the homologs in front of the other candidates, and their alignments."""
        packed = self._pack_training(X)
        candidates, alignments = [], []
        for i, each in enumerate(y):
            number, alignment = two_of(each, _MUST.format(i))
            own = packed.given.candidates[i]
            if isinstance(number, bool) or not isinstance(number, Integral) or not 0 <= int(number) < len(own):
                raise ValueError(
                    f"The homolog of example {i} must be one of its candidates, by its number from 0 to "
                    f"{len(own) - 1}, not {quoted(number)}."
                )
            if len(own) < 2:
                raise ValueError(f"Example {i} has no candidate besides its homolog; give it at least one decoy.")
            candidates.append([own[int(number)], *own[: int(number)], *own[int(number) + 1 :]])
            alignments.append(alignment)
        given = replace(packed.given, candidates=candidates)
        return PackedAlignments(given, packed.layout, packed.shape), read_alignments(given, alignments)


def _scale(packed: PackedAlignments, truths: Sequence[Indices], sample_weight: Floats | None) -> float:
    """``C='scale'`` of the zero-one loss, with the factor that ``benchmarks/alignments/studies/homology_c.py`` chose.

    At ``w = 0`` the empty alignment of a decoy is as good as any, so that planes there say how long the features of
    true alignments are but nothing of their rivals; and which direction all share cannot be seen on a few examples.
    """
    squares = packed.targets(truths).moments(sample_weight)[1]
    total = float(packed.n if sample_weight is None else sample_weight.sum())
    return _FACTOR * total / squares if squares > 0.0 else 1.0


_FACTOR = 2.0
_MUST = "The output of example {} must be a pair: the number of the homolog among the candidates, and its alignment"
