"""One function per kind of task that scores everybody's answers, in points: 100 is perfect, more is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score, balanced_accuracy_score, f1_score, fbeta_score, roc_auc_score

from defaults.task import Task
from maxmargin.metrics import chunk_f1

Floats = npt.NDArray[np.float64]


def accuracy(task: Task, truth: Any, answer: Any, groups: Any) -> float:
    return 100.0 * float(np.mean(np.asarray(answer) == truth))


def cost(task: Task, truth: Any, answer: Any, groups: Any) -> float:
    """The mean cost as a share of that of the best constant answer, taken off 1; classes are 0, 1, ..."""
    matrix = np.asarray(task.options["cost"])
    constant = matrix[truth].mean(axis=0).min()
    return 100.0 * (1.0 - float(matrix[truth, answer].mean() / constant))


def tree_loss(task: Task, truth: Any, answer: Any, groups: Any) -> float:
    """Mean edges from truth and answer up to where they meet, as a share of that of the best constant answer, off 1."""
    names, places = np.unique(np.concatenate([truth, answer]), return_inverse=True)
    paths = [str(name).split(task.options["taxonomy"]) for name in names]
    distance = np.array([[_edges(a, b) for b in paths] for a in paths])
    of_truth, of_answer = places[: len(truth)], places[len(truth) :]
    constant = distance[of_truth].mean(axis=0).min()
    return 100.0 * (1.0 - float(distance[of_truth, of_answer].mean() / constant))


def _edges(a: list[str], b: list[str]) -> int:
    shared = next((k for k, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return len(a) + len(b) - 2 * shared


def hamming(task: Task, truth: Any, answer: Any, groups: Any) -> float:
    """The share of wrong labels as a share of that of the best constant label vector, taken off 1."""
    constant = np.minimum(truth.mean(axis=0), 1.0 - truth.mean(axis=0)).mean()
    return 100.0 * (1.0 - float(np.mean(truth != np.asarray(answer)) / constant))


def example_f1(task: Task, truth: Any, answer: Any, groups: Any) -> float:
    return 100.0 * float(f1_score(truth, answer, average="samples", zero_division=1.0))


def subset_accuracy(task: Task, truth: Any, answer: Any, groups: Any) -> float:
    return 100.0 * float((truth == np.asarray(answer)).all(axis=1).mean())


def measure(task: Task, truth: Any, answer: Any, groups: Any) -> float:
    """The measure of the task; ``answer`` are labels or, for a measure of a ranking, scores."""
    name = task.options["measure"]
    if name.startswith(("precision_at_k", "recall_at_k")):
        k = int(name[name.index("(") + 1 : -1])
        hits = truth[np.argsort(-np.asarray(answer), kind="stable")[:k]].sum()
        return 100.0 * float(hits / (k if name.startswith("precision") else truth.sum()))
    if name == "prbep":
        return 100.0 * float(truth[np.argsort(-np.asarray(answer), kind="stable")[: truth.sum()]].mean())
    return 100.0 * float(_MEASURES[name](truth, answer))


_MEASURES: dict[str, Callable[[Any, Any], float]] = {
    "f1": lambda truth, answer: f1_score(truth, answer, zero_division=0.0),
    "fbeta(2)": lambda truth, answer: fbeta_score(truth, answer, beta=2.0, zero_division=0.0),
    "fbeta(0.5)": lambda truth, answer: fbeta_score(truth, answer, beta=0.5, zero_division=0.0),
    "balanced_error": balanced_accuracy_score,
    "error_rate": lambda truth, answer: float(np.mean(truth == answer)),
    "roc_area": roc_auc_score,
    "average_precision": average_precision_score,
}
RANKING_MEASURES = ("precision_at_k", "recall_at_k", "prbep", "roc_area", "average_precision")


def ndcg(task: Task, truth: Any, answer: Any, groups: Any) -> float:
    """Mean NDCG@10 with gains ``2^grade - 1`` over the groups in which there is something to rank."""
    starts = np.flatnonzero(np.diff(groups, prepend=groups[0] - 1))
    found = []
    for a, b in pairwise([*starts.tolist(), len(groups)]):
        gain = np.exp2(truth[a:b]) - 1.0
        if gain.max() > gain.min():
            order = np.argsort(-np.asarray(answer)[a:b], kind="stable")[:10]
            discount = 1.0 / np.log2(np.arange(order.size) + 2.0)
            found.append(gain[order] @ discount / (np.sort(gain)[::-1][: order.size] @ discount))
    return 100.0 * float(np.mean(found))


def coverage(task: Task, truth: Any, answer: Any, groups: Any) -> float:
    """Mean share of the subtopics, weighed by the documents that cover them, that the chosen documents cover."""
    found = []
    for documents, chosen in zip(truth, answer):
        counts: dict[Any, int] = {}
        for subtopics in documents:
            for subtopic in subtopics:
                counts[subtopic] = counts.get(subtopic, 0) + 1
        shown = {subtopic for place in list(chosen)[:5] for subtopic in documents[int(place)]}
        found.append(sum(counts[subtopic] for subtopic in shown) / max(1, sum(counts.values())))
    return 100.0 * float(np.mean(found))


def tokens(task: Task, truth: Any, answer: Any, groups: Any) -> float:
    """Share of tokens with the right label."""
    return 100.0 * float(np.mean(np.concatenate([np.asarray(a) == np.asarray(b) for a, b in zip(truth, answer)])))


def chunks(task: Task, truth: Any, answer: Any, groups: Any) -> float:
    """F1 of the chunks, micro-averaged as conlleval does."""
    return 100.0 * float(chunk_f1(_lists(truth), _lists(answer)))


def _lists(labels: Sequence[Any]) -> list[list[str]]:
    return [[str(label) for label in row] for row in labels]


SCORES: dict[str, Callable[[Task, Any, Any, Any], float]] = {
    function.__name__: function
    for function in (
        accuracy,
        cost,
        tree_loss,
        hamming,
        example_f1,
        subset_accuracy,
        measure,
        ndcg,
        coverage,
        tokens,
        chunks,
    )
}
