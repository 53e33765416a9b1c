"""The averaged perceptron for label sequences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from maxmargin.chains.base import CHAIN
from maxmargin.chains.batches import BatchedChain
from maxmargin.chains.calibration import CalibratedChain
from maxmargin.chains.chain import Chain
from maxmargin.core.formulation import Formulation
from maxmargin.core.points import Explicit
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.kernels import KERNEL
from maxmargin.fitting.parameters import TRAINING, Allowed, whole
from maxmargin.fitting.training import train
from maxmargin.oracles.base import OnlineWalk
from maxmargin.oracles.bind import bind
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Record, Solution, Status
from maxmargin.solvers.online import Perceptron


@saved
@dataclass(eq=False, repr=False)
class ChainPerceptron(CalibratedChain, BatchedChain):
    """Averaged perceptron for label sequences (Collins): a baseline without C, loss or tolerance.

    Visits the sequences in random order and adds ``s_i (Psi(x_i, y_i) - Psi(x_i, prediction))`` to the weights wherever
    the prediction is wrong; ``coef_`` is the mean of the weights along the way. Stops after a pass without mistakes.

    Parameters
    ----------
    passes : over the training set at most
    order, eta, ends, window, templates, min_count, hashing, kernel, rank, fit_intercept, max_time : as in ChainSVC
    n_jobs : threads for prediction; -1 is all cores
    random_state, callback, verbose : as in ChainSVC

    Attributes
    ----------
    classes_, coef_, kernel_, support_, solution_, n_iter_, n_features_in_, chain_, temperature_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **CHAIN,
        **KERNEL,
        **{name: TRAINING[name] for name in ("max_time", "random_state", "callback", "verbose")},
        "passes": (whole(1),),
    }

    _: KW_ONLY
    passes: int = 20
    order: int = 1
    eta: float = 1.0
    ends: bool = True
    window: int = 0
    templates: Any = None
    min_count: int = 1
    hashing: int | None = None
    kernel: Any = "linear"
    rank: Any = None
    fit_intercept: bool = True
    max_time: float | None = None
    n_jobs: int | None = None
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def fit(self, X: Any, y: Any, *, lengths: Any = None, sample_weight: Any = None) -> ChainPerceptron:
        """Learns from sequences and the label of every token, in any form that ``ChainSVC.fit`` takes."""
        with self._fitting():
            given, labels, weight = self._learn(X, y, lengths, sample_weight)
            codes = self._all_known(labels, given)
            self.chain_ = self._chain(given)
            solver, plain = Perceptron(int(self.passes)), Formulation()
            self._keep(
                train(self, self.chain_, given, codes, len(given), 1.0, weight, formulation=plain, solver=solver)
            )
            self._conclude(self.solution_.w)
            self.temperature_, self.calibrated_ = 1.0, False
            self.__dict__.pop("walk_", None)
        return self

    def partial_fit(
        self, X: Any, y: Any, *, classes: Any = None, lengths: Any = None, sample_weight: Any = None
    ) -> ChainPerceptron:
        """One pass over a further batch of sequences; ``coef_`` is the mean of the weights over all batches.

        ``classes``, all labels that may come, must be given in the first call. Attributes of text that are new are
        added to the dictionary. After ``fit`` it goes on from the mean that was found there.
        """
        with self._fitting():
            if not self._is_explicit:
                raise Unsupported("partial_fit has no kernels: a basis is chosen out of all tokens; use fit.")
            given, codes, weight, before = self._next_batch(X, y, classes, lengths, sample_weight)
            walk = self._continued(before)
            if codes.size:
                oracle = bind(self.chain_, given, codes, Formulation(mistakes=True), sample_weight=weight)
                order = check_random_state(self.random_state).permutation(oracle.n).astype(np.int32)
                oracle.accumulate(walk, order, 0.0)
            self.walk_ = walk
            # With no step made since the weights were given they are both sums.
            self.weights_ = walk.sum(Explicit(walk.v.size), 1.0 / walk.done) if walk.done else walk.v
            self._keep(Solution(self.weights_, Status.FINISHED, None, None, 1, walk.done))
            self.temperature_, self.calibrated_ = 1.0, False
        return self

    def _continued(self, before: Chain | None) -> OnlineWalk:
        """The sums of all steps so far, in the layout of the present chain; those of before stay as they were."""
        if before is None:
            size = self.chain_.from_public(np.zeros(self.chain_.rows * self.chain_.n_labels)).size
            return OnlineWalk(np.zeros(size), np.zeros(size))
        walk = getattr(self, "walk_", None) or OnlineWalk(self.weights_, self.weights_)  # no steps, from the mean

        def moved(native: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
            return self.chain_.from_public(self._grown(before.public_weights(native), before))

        return OnlineWalk(moved(walk.v), moved(walk.late), done=walk.done)
