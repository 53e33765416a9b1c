"""What a second thread gains, made in its own process by the harness: wall seconds, the best of several.

``gather`` is the native scoring of tokens alone (``Rows.scores``: rows of weights are gathered and added), the part
that the memory of the machine limits; decoding and one-slack training are compared with what it gains.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from chains.data import stored
from maxmargin import ChainSVC
from maxmargin.chains.chain import ChainInput, as_token_rows
from maxmargin.chains.features import SequenceVectorizer

_AGAIN = 5
ROUNDS = 10


def second_thread(folder: str) -> dict[str, dict[str, float]]:
    """Wall seconds with one and with two threads, and how many times faster two are."""
    X, Y = stored(Path(folder), "train")
    packed = SequenceVectorizer().fit_transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a fixed number of rounds is wanted
        model = ChainSVC(max_iter=3).fit(packed, Y)
        given = ChainInput(packed)
        native = model.chain_.from_public(model.coef_)
        stride = native.size // model.chain_.rows
        state = np.ascontiguousarray(native.reshape(-1, stride)[: packed.n_features]).ravel()
        rows, core = as_token_rows(packed, 0.0), model.chain_.core(given)
        labels = model.classes_.size

        def train(threads: int) -> Any:
            return ChainSVC(solver="one-slack", max_iter=ROUNDS, n_jobs=threads).fit(packed, Y)

        return {
            "gather": _compared(lambda threads: rows.scores(state, labels, threads), _AGAIN),
            "decode": _compared(lambda threads: core.decode(native, 1, None, None, threads), _AGAIN),
            "predict": _compared(lambda threads: model.set_params(n_jobs=threads).predict(packed), _AGAIN),
            f"one-slack, {ROUNDS} rounds": _compared(train, 2),
        }


def _compared(work: Callable[[int], Any], again: int) -> dict[str, float]:
    """One and two threads in turn, so that what else the machine does falls on both."""
    best = {1: np.inf, 2: np.inf}
    work(1)
    for _ in range(again):
        for threads in best:
            began = time.perf_counter()
            work(threads)
            best[threads] = min(best[threads], time.perf_counter() - began)
    return {"one": best[1], "two": best[2], "times": best[1] / best[2]}
