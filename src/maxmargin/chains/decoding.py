"""Whether the best labelling or the most probable label of each token makes fewer mistakes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from maxmargin.chains.data import SAMPLE, ChainData
from maxmargin.chains.sequences.partial import PartialLabels
from maxmargin.fitting.method_choice import Deadline, dealt_folds
from maxmargin.solvers.base import Run, Solution, Status

Floats = npt.NDArray[np.float64]

_CLEARLY = 2.0  # standard errors, on the training tokens or before all folds were asked
_HELD_OUT = 1.0  # standard errors, on all folds
_FEW = 3_000  # tokens up to which held-out folds are asked
_CELLS = 2**25  # tokens times squared labels, the same: with hundreds of labels a fit takes seconds
_UNSURE = 0.015  # mean probability of the labels other than the most probable one, from which on they are
_ROUGH = 3.0  # times the tolerance: for trials


@dataclass(frozen=True, eq=False)
class DecodingChoice:
    """Chooses how ``predict`` of a likelihood finds labels.

    Parameters
    ----------
    data : what it was trained on
    train : trains it on some of the sequences
    run : the settings by which it was trained
    late : the limit of time
    threads : for passes over the tokens
    """

    data: ChainData
    train: Callable[[ChainData, Run], Solution]
    run: Run
    late: Deadline
    threads: int

    def best(self, solution: Solution) -> str:
        """``'marginal'`` where the most probable label of each token is wrong less often than the best labelling, by
        more than two standard errors of the difference on some 10,000 training tokens, else ``'viterbi'``.

        Training tokens say nothing where all of them are right. If there are few, and the likelihood is not sure of
        them, held-out folds are asked as well, and one standard error is enough; single tokens have nothing to choose.
        """
        data = self.data
        if isinstance(data.labels, PartialLabels):
            return "viterbi"
        tokens = data.given.tokens
        few = len(tokens) < tokens.tokens <= min(_FEW, _CELLS // data.chain.n_labels**2)
        part = data.some(SAMPLE)
        gain, unsure = self._gain(part, solution.w, few)
        if _clear(gain) > _CLEARLY:
            return "marginal"
        asks = few and unsure > _UNSURE and _clear(gain) >= -_CLEARLY and solution.status is Status.CONVERGED
        return "marginal" if asks and self._on_folds() else "viterbi"

    def _gain(self, part: ChainData, w: Floats, always: bool) -> tuple[Floats, float]:
        """The weight of each token that is right by itself only, less that of each that is right in the best labelling
        only; and the mean probability of other labels. Both are 0 where all are right, unless asked for ``always``."""
        core = part.chain.core(part.given)
        best = core.decode(w, 1, None, None, self.threads)[0] == part.codes
        if best.all() and not always:
            return np.zeros(1), 0.0
        probability = core.marginals(w, 1.0, None, None, self.threads)[0].reshape(best.size, -1)
        probable = probability.argmax(axis=1) == part.codes
        gain = part.token_weight * (probable.astype(np.float64) - best)
        return gain, 1.0 - float(np.average(probability.max(axis=1), weights=part.token_weight))

    def _on_folds(self) -> bool:
        """Whether single tokens are right more often on sequences that were not trained on."""
        data = self.data
        used = np.ones(len(data.given), dtype=bool) if data.weight is None else data.weight > 0.0
        fold = dealt_folds(data.keys, np.zeros(used.size, dtype=np.int32), used)
        gains = []
        for number in range(int(fold.max()) + 1 if fold.max() > 1 else 0):
            if self.late():
                return False
            kept, asked = (np.flatnonzero((fold >= 0) & ((fold != number) == other)) for other in (True, False))
            run = replace(self.run, tol=_ROUGH * self.run.tol, verbose=0, callback=None, rough=True)
            found = self.train(data.take(kept), self.late.cut(run))
            if found.status in (Status.INTERRUPTED, Status.MAX_TIME):
                return False
            gains.append(self._gain(data.take(asked), found.w, True)[0])
            so_far = _clear(np.concatenate(gains))
            if so_far > _CLEARLY or so_far < -_HELD_OUT:
                break
        return bool(gains) and _clear(np.concatenate(gains)) > _HELD_OUT


def _clear(gain: Floats) -> float:
    """The sum in standard errors; a weight of 2 is a sequence that is there twice."""
    return float(gain.sum() / np.sqrt(max(np.abs(gain).sum(), 1e-300)))
