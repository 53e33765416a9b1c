"""Margins or likelihood: how ``ChainSVC`` trains, and which of them suits the data.

Where features outnumber tokens, as in text, and labels can be told apart, margins are the better of the two. Where
labels overlap, and none of a token has a probability of one half, the smallest risk of margins is that of weights that
say nothing; the likelihood has no such weakness. It also makes more of features that are few.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.chains.data import SAMPLE, ChainData
from maxmargin.chains.decoding import DecodingChoice
from maxmargin.chains.likelihood_fit import likelihood_run, maximise_chain_likelihood
from maxmargin.chains.partial import first_completion
from maxmargin.chains.sequences.partial import PartialLabels
from maxmargin.chains.start import EarlierChain
from maxmargin.core.formulation import Formulation
from maxmargin.fitting.likelihood_training import LIKELIHOOD_SOLVERS
from maxmargin.fitting.method_choice import FEWEST, LIKELIHOOD, Candidate, Contest, Deadline, Mask, dealt_folds
from maxmargin.fitting.regularisation import resolved_c
from maxmargin.fitting.training import job_count, run_of, train
from maxmargin.oracles.base import Oracle
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.groups import RowGroups
from maxmargin.solvers.base import Run, Solution, Status

Floats = npt.NDArray[np.float64]

MARGIN = Candidate("structural", 1.0)
CANDIDATES = (LIKELIHOOD, Candidate("likelihood", 0.25), Candidate("likelihood", 4.0))

_PASSES = 4  # of margins, after which the mistakes on the training data are nearly those at the end
_OVERLAP = 0.05  # mistakes on the training data, as a share of those of guessing: from there on labels overlap
_MANY = 8  # tokens for each weight of a feature from which on C hardly matters where labels overlap
_ROUGH = 3.0  # times the tolerance: for trials
_MOST_CELLS = 2**27  # dual variables of the likelihood, beyond which they need too much memory


@dataclass(frozen=True, eq=False)
class TrainedBy:
    """A solution and how it was found."""

    solution: Solution
    candidate: Candidate


class _LabelsOverlap(Exception):
    """Ends the training of margins where it shows that they are not what the data need."""


@dataclass(frozen=True, eq=False)
class ChainTraining:
    """What an estimator asks for and the sequences that it has read.

    Parameters
    ----------
    earlier : what a likelihood goes on from, if anything
    kept : how the estimator was trained before, where it goes on from there
    """

    estimator: Any
    data: ChainData
    earlier: EarlierChain | None
    kept: Candidate | None

    def run(self) -> TrainedBy:
        """Chooses the method, where it is to be chosen, and trains."""
        model, begin = self.estimator, perf_counter()
        margins = why_margins(model)
        if model.method == "likelihood" and margins:
            raise Unsupported(f"method='likelihood' cannot be had with {margins}; use method='structural'.")
        if model.method == "structural" or (model.method == "auto" and margins) or self.data.given.units is not None:
            return self._margins()
        if model.method == "likelihood" or model.solver != "auto":  # a solver that only the likelihood has
            return self._likelihood(LIKELIHOOD, begin)
        if self.kept is not None:
            return self._margins() if self.kept.method == "structural" else self._likelihood(self.kept, begin)
        if not isinstance(model.C, str) or isinstance(self.data.labels, PartialLabels) or self._too_many_cells:
            return self._margins()
        return self._chosen(begin)

    def best_decoding(self, trained: TrainedBy, late: Deadline) -> str:
        """How a likelihood is best asked for labels."""
        model = self.estimator

        def again(part: ChainData, run: Run) -> Solution:
            return maximise_chain_likelihood(model, part, self._c(trained.candidate), run)

        choice = DecodingChoice(self.data, again, self._run(model.max_time), late, job_count(model.n_jobs))
        return choice.best(trained.solution)

    def _chosen(self, begin: float) -> TrainedBy:
        """Margins where features outnumber tokens and these can be told apart, else a likelihood.

        Margins are given up where they err on more than 5 % of the training tokens that guessing the most frequent
        label errs on, after four passes or, where they need fewer, at the end.
        """
        if self.data.scale.features <= self.data.scale.tokens:
            return self._best_likelihood(begin)
        looks = 0

        def inspect(passes: int, w: npt.NDArray[Any]) -> None:
            nonlocal looks
            if passes >= _PASSES and not looks:
                looks += 1
                if self._overlap(w):
                    raise _LabelsOverlap

        try:
            found = self._margins(inspect)
        except _LabelsOverlap:
            return self._best_likelihood(begin)
        if looks or found.solution.status is not Status.CONVERGED or not self._overlap(found.solution.w):
            return found
        return self._best_likelihood(begin)

    def _overlap(self, w: npt.NDArray[Any]) -> bool:
        """Looks at some 10,000 tokens, of sequences that are evenly spread."""
        scale = self.data.scale
        wrong, all_tokens = self.data.some(SAMPLE).mistakes(w, job_count(self.estimator.n_jobs))
        return wrong > _OVERLAP * scale.informative / scale.tokens * all_tokens

    def _best_likelihood(self, begin: float) -> TrainedBy:
        """The likelihood with the default C, or with the one that errs least on folds, where labels overlap and tokens
        are few for the number of weights."""
        first = self._likelihood(LIKELIHOOD, begin)
        scale = self.data.scale
        few = FEWEST <= scale.tokens < _MANY * scale.features * scale.labels
        if not few or first.solution.status is not Status.CONVERGED or not self._overlap(first.solution.w):
            return first
        best = self._on_folds(begin)
        return first if best is LIKELIHOOD else self._likelihood(best, begin)

    def _on_folds(self, begin: float) -> Candidate:
        """The candidate that errs least on sequences that it was not trained on."""
        data, model = self.data, self.estimator
        used = np.ones(len(data.given), dtype=bool) if data.weight is None else data.weight > 0.0
        fold = dealt_folds(data.keys, np.zeros(used.size, dtype=np.int32), used)
        if fold.max() < 2:
            return LIKELIHOOD

        def trial(candidate: Candidate, kept: Mask, seconds: float | None) -> Solution:
            run = self._run(seconds)
            run = replace(run, tol=_ROUGH * run.tol, verbose=0, callback=None, rough=True)
            return maximise_chain_likelihood(model, data.take(np.flatnonzero(kept)), self._c(candidate), run)

        wrong: list[list[Floats]] = [[] for _ in CANDIDATES]

        def loss(place: int, w: Floats, asked: Mask) -> float:
            wrong[place].append(data.take(np.flatnonzero(asked)).wrong(w, job_count(model.n_jobs)))
            return float(wrong[place][-1].sum())

        def error(one: int, other: int) -> float:
            differ = np.concatenate(wrong[one]) - np.concatenate(wrong[other])
            return float(np.sqrt(np.abs(differ).sum()))  # a weight of 2 is a sequence that is there twice

        limit = None if model.max_time is None else begin + model.max_time
        best = Contest(CANDIDATES, trial, loss, fold, limit, error).winner(data.scale.tokens)
        return LIKELIHOOD if isinstance(best, Status) else CANDIDATES[best]

    def _likelihood(self, candidate: Candidate, begin: float) -> TrainedBy:
        model, C = self.estimator, self._c(candidate)
        left = None if model.max_time is None else max(1e-3, model.max_time - (perf_counter() - begin))
        solution = maximise_chain_likelihood(model, self.data, C, self._run(left), self.earlier)
        return TrainedBy(solution, candidate)

    def _margins(self, inspect: Any = None) -> TrainedBy:
        model, data, C = self.estimator, self.data, self._c(MARGIN)
        labels = data.labels
        if isinstance(labels, PartialLabels):
            labels = first_completion(model, data.chain, data.given, labels, C, data.weight)
        solution = train(
            model,
            data.chain,
            data.given,
            labels,
            len(data.given),
            C,
            data.weight,
            formulation=Formulation("none" if model.loss == "zero-one" else model.rescaling, model.slack),
            run=replace(run_of(model, data.scale.relative_gap), inspect=inspect),
            wrapped=None if data.given.units is None else self._by_kernel_rows,
        )
        return TrainedBy(solution, MARGIN)

    def _by_kernel_rows(self, base: Oracle) -> Oracle:
        """The oracle of unit tokens with the kernel between them."""
        kernel, tokens, width = self.estimator.kernel_, self.data.given.tokens, _core.padded(self.data.chain.n_labels)
        groups = RowGroups(np.arange(tokens.tokens, dtype=np.int32), tokens.offsets)
        found: Oracle = kernel.oracle(base, self.data.given.units, width, groups)
        return found

    def _run(self, seconds: float | None) -> Run:
        return replace(likelihood_run(self.estimator, self.data.scale), max_time=seconds)

    def _c(self, candidate: Candidate) -> float:
        """A default C follows the method."""
        C, scale = self.estimator.C, self.data.scale
        default = scale.margin_c if candidate.method == "structural" else scale.likelihood_c * candidate.factor
        return resolved_c(C, lambda: default)

    @property
    def _too_many_cells(self) -> bool:
        tokens, labels = self.data.given.tokens, self.data.chain.n_labels
        return float(labels) * (tokens.tokens + len(tokens) * float(labels)) > _MOST_CELLS


def why_margins(model: Any) -> str | None:
    """What is asked for that only margins have."""
    asked = {
        f"loss={model.loss!r}": model.loss != "hamming",
        "costs within training": model.cost is not None or model.class_weight is not None,
        f"rescaling={model.rescaling!r}": model.rescaling != "margin",
        f"slack={model.slack!r}": model.slack != "linear",
        "this solver": not (isinstance(model.solver, str) and model.solver in LIKELIHOOD_SOLVERS),
    }
    return next((name for name, is_asked in asked.items() if is_asked), None)
