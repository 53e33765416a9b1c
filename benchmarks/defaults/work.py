"""What runs in a process of its own: one of our estimators, or the peers, on the splits of one task."""

from __future__ import annotations

import math
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from defaults.ours import OURS
from defaults.peer import Answer, Peer, Setting
from defaults.scores import SCORES
from defaults.suite import TASKS, peers_of
from defaults.task import Split, Task, digest, shape
from maxmargin.datasets import MissingDataError

CHECK_ROWS = 600
ONE_FOLD_FROM = 1000  # examples: with more of them settings are chosen on one held-out third, not on three
WARM_UP = 0.5  # seconds: a shorter first fit is timed again
SHORT = 0.1  # seconds: of a shorter fit the median of three is taken
ENOUGH = 1.0  # seconds after which a setting is not timed on further splits


def splits_of(task: Task, count: int | None = None) -> list[Split]:
    return [task.load(seed) for seed in range(task.splits if count is None else count)]


def digest_of(name: str) -> dict[str, Any]:
    """The digest of the data, for a task on which none of ours came to an end."""
    task = TASKS[name]
    return {"digest": data_key(task, task.load(0))}


def data_key(task: Task, first: Split) -> str:
    """Stands for the data of all splits: the content of the first and how many there are."""
    return f"{digest(first)} in {task.splits} splits"


def run_ours(name: str, estimator: str, seed: int | None = None, splits: int | None = None) -> dict[str, Any]:
    """Scores of the splits, seconds of a fit, warnings, and the facts about the data, or what of it is missing."""
    task = TASKS[name]
    try:
        parts = splits_of(task, splits)
    except MissingDataError as missing:
        return {"missing": str(missing)}
    make, fit = OURS[task.family][estimator]
    scores, seconds = [], []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for split in parts:
            model = make(task) if seed is None else make(task).set_params(random_state=seed)
            answer, spent = timed(lambda model=model, split=split: fit(model, task, split), not seconds)
            scores.append(score(task, split, answer))
            seconds.append(spent)
    seen = sorted({f"{item.category.__name__}: {str(item.message)[:300]}" for item in caught})
    about = {**shape(parts[0]), "digest": data_key(task, parts[0])}
    return {"scores": scores, "seconds": statistics.median(seconds), "warnings": seen, **about}


def run_peers(name: str, names: list[str]) -> dict[str, Any]:
    """For each of the peers the scores and seconds as it comes (``default``) and at its chosen setting (``tuned``)."""
    task = TASKS[name]
    splits = splits_of(task)
    found: dict[str, Any] = {}
    warnings.simplefilter("ignore")
    for peer in peers_of(task):
        if peer.name in names:
            prepared = [prepare(peer, task, split) for split in splits]
            found[peer.name] = {"default": run_setting(peer, {}, task, prepared)}
            start = time.process_time()
            chosen = choose(peer, task, prepared[0])
            if chosen is not None:
                search = time.process_time() - start
                found[peer.name]["tuned"] = {**run_setting(peer, chosen, task, prepared), "search": search}
    return found


def retime_peers(name: str, settings: dict[str, dict[str, Setting]]) -> dict[str, Any]:
    """Scores and seconds of peers at known settings, by peer and kind: split after split until a second is spent."""
    task = TASKS[name]
    splits = splits_of(task)
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {}
    for peer in peers_of(task):
        if peer.name in settings:
            prepared = [prepare(peer, task, split) for split in splits]
            found[peer.name] = {
                kind: run_setting(peer, setting, task, prepared, ENOUGH)
                for kind, setting in settings[peer.name].items()
            }
    return found


def check(name: str) -> dict[str, Any]:
    """Fits everybody on a few rows of the first split: only whether that works is told."""
    task = TASKS[name]
    try:
        split = task.load(0).short(CHECK_ROWS)
    except MissingDataError as missing:
        return {"missing": str(missing)}
    warnings.simplefilter("ignore")
    failed = {}
    for estimator, (make, fit) in OURS[task.family].items():
        if task.ours is None or estimator in task.ours:
            failed[estimator] = attempt(lambda make=make, fit=fit: score(task, split, fit(make(task), task, split)))
    for peer in peers_of(task):
        part = prepare(peer, task, split)
        failed[peer.name] = attempt(lambda peer=peer, part=part: run_setting(peer, {}, task, [part]))
    return {"failed": {who: why for who, why in failed.items() if why}}


def attempt(call: Callable[[], Any]) -> str | None:
    """The error that the call ends in, if any: a check goes on with the next method."""
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def prepare(peer: Peer, task: Task, split: Split) -> Split:
    return replace(split, X=peer.prepare(task, split.X), X_test=peer.prepare(task, split.X_test))


def run_setting(
    peer: Peer, setting: Setting, task: Task, splits: list[Split], enough: float = math.inf
) -> dict[str, Any]:
    """Scores of the splits, or of those that are done when ``enough`` seconds are spent, and the median seconds."""
    scores: list[float] = []
    seconds: list[float] = []
    for split in splits:
        answer, spent = timed(lambda split=split: peer.fit(setting, task, split), not seconds)
        scores.append(score(task, split, answer))
        seconds.append(spent)
        if sum(seconds) >= enough:
            break
    return {"scores": scores, "seconds": statistics.median(seconds), "setting": setting}


def timed(fit: Callable[[], Answer], is_first: bool) -> tuple[Answer, float]:
    """The fitted model and CPU seconds. A quick first fit runs again, as imports and caches belong to nobody, and of
    short fits the median of three is taken."""
    answer, spent = _once(fit)
    if is_first and spent < WARM_UP:
        answer, spent = _once(fit)
    if spent < SHORT:
        spent = statistics.median([spent, _once(fit)[1], _once(fit)[1]])
    return answer, spent


def _once(fit: Callable[[], Answer]) -> tuple[Answer, float]:
    start = time.process_time()
    answer = fit()
    return answer, time.process_time() - start


def score(task: Task, split: Split, answer: Answer) -> float:
    return SCORES[task.score](task, split.y_test, answer(split.X_test), split.groups_test)


def choose(peer: Peer, task: Task, split: Split) -> Setting | None:
    """The setting of the grid with the best score on held-out folds of the training part; None without a grid."""
    grid = peer.grid(task, split)
    if not grid:
        return None
    parts = list(folds(task, split))
    means = [np.mean([score(task, part, peer.fit(setting, task, part)) for part in parts]) for setting in grid]
    return grid[int(np.argmax(means))]


def folds(task: Task, split: Split) -> Iterator[Split]:
    """Three folds of the training part, of groups where it has them; only the first of them where it is large."""
    n = len(split.y)
    options = {"shuffle": True, "random_state": 0}
    if split.groups is not None:
        places = GroupKFold(3).split(np.zeros(n), None, split.groups)
    elif task.family in ("classes", "measures") and np.unique(split.y, return_counts=True)[1].min() >= 3:
        places = StratifiedKFold(3, **options).split(np.zeros(n), split.y)
    elif n >= 3:
        places = KFold(3, **options).split(np.zeros(n))
    else:  # one or two long sequences: their halves
        yield halves(split)
        return
    for number, (train, test) in enumerate(places):
        if number == 0 or n < ONE_FOLD_FROM:
            yield part_of(split, train, test)


def part_of(split: Split, train: Any, test: Any) -> Split:
    def rows(part: Any, chosen: Any) -> Any:
        return [part[row] for row in chosen] if isinstance(part, list) else part[chosen]

    groups = (None, None) if split.groups is None else (split.groups[train], split.groups[test])
    return Split(rows(split.X, train), rows(split.y, train), rows(split.X, test), rows(split.y, test), *groups)


def halves(split: Split) -> Split:
    cuts = [len(tokens) // 2 for tokens in split.X]
    before = [[part[row][:cut] for row, cut in enumerate(cuts)] for part in (split.X, split.y)]
    after = [[part[row][cut:] for row, cut in enumerate(cuts)] for part in (split.X, split.y)]
    return Split(*before, *after)
