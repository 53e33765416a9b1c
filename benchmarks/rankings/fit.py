"""One method on one fold of MQ2008: the settings by the validation part, then one fit that is timed."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.datasets import MissingDataError, load_mq2008, make_ranking
from maxmargin.datasets.rankings import Graded
from rankings.methods import METHODS
from rankings.score import NAMES, score_queries
from shared.harness import measure

CHOSEN_BY = NAMES.index("MAP")


def choose_and_test(name: str, fold: int, quick: bool) -> dict[str, Any]:
    """The chosen setting, CPU seconds of its fit, and the scores of every query of the test part."""
    train, vali, test = parts(fold, quick)
    method = METHODS[name]
    tried = []
    for setting in method.settings(quick):
        scores = method.train(train, vali, setting)(vali[0])
        tried.append((float(np.mean(score_queries(scores, vali[1], vali[2])[:, CHOSEN_BY])), setting))
    best = max(tried, key=lambda item: item[0])[1]
    model, cost = measure(lambda: method.train(train, vali, best))
    found = score_queries(model(test[0]), test[1], test[2])
    return {"setting": best, "tried": tried, "cpu": cost.cpu, "peak": cost.peak, "test": found.tolist()}


def parts(fold: int, quick: bool) -> tuple[Graded, Graded, Graded]:
    """The three parts of a fold; for a smoke test without data, generated ones."""
    try:
        return load_mq2008("train", fold), load_mq2008("vali", fold), load_mq2008("test", fold)
    except MissingDataError:
        if not quick:
            raise
    X, y, queries = make_ranking(90, n_features=46, seed=fold)
    kept = [(queries >= low) & (queries < low + 30) for low in (0, 30, 60)]
    train, vali, test = ((X[rows], y[rows], queries[rows]) for rows in kept)
    return train, vali, test
