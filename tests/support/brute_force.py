"""Every output of a small group with its coefficients and loss, from the definitions alone: nothing of the library."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reference import plane_of


@dataclass(frozen=True, eq=False)
class Output:
    """``psi = sum_i coefficients_i x_i``."""

    coefficients: np.ndarray
    loss: float


def labellings(n: int) -> Iterator[np.ndarray]:
    return (np.array(bits, dtype=bool) for bits in itertools.product((False, True), repeat=n))


def sign(labels: np.ndarray) -> np.ndarray:
    return np.where(labels, 1.0, -1.0)


def fbeta_loss(beta: float):
    def loss(tp, fp, fn, tn):
        precision, recall = (tp / (tp + fp) if tp else 0.0), tp / (tp + fn)
        both = beta**2 * precision + recall
        return 1 - ((1 + beta**2) * precision * recall / both if both else 0.0)

    return loss


def mcc_loss(tp, fp, fn, tn):
    root = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return (1 - ((tp * tn - fp * fn) / root if root else 0.0)) / 2


LOSSES = {
    "error_rate": lambda tp, fp, fn, tn: (fp + fn) / (tp + fp + fn + tn),
    "f1": fbeta_loss(1.0),
    "fbeta(0.5)": fbeta_loss(0.5),
    "fbeta(2)": fbeta_loss(2.0),
    "balanced_error": lambda tp, fp, fn, tn: (fn / (tp + fn) + fp / (fp + tn)) / 2,
    "mcc": mcc_loss,
}


def jaccard_loss(tp, fp, fn, tn):
    """A function as a user writes it; not concave in anything in particular."""
    return 1 - tp / (tp + fp + fn)


def ragged_loss(tp, fp, fn, tn):
    """Up and down without order, 0 at the truth."""
    return np.where(fp + fn == 0, 0.0, 0.5 + 0.5 * np.sin(3 * tp + 5 * fp) ** 2 * np.cos(tp - fp))


def wrong_labellings(truth: np.ndarray, name: str) -> list[Output]:
    """All labellings but the truth."""
    n = truth.size
    found = []
    for y in labellings(n):
        if (y == truth).all():
            continue
        table = [int(np.sum(cell)) for cell in (truth & y, ~truth & y, truth & ~y, ~truth & ~y)]
        loss = (name if callable(name) else LOSSES[name])(*table)
        found.append(Output((sign(truth) - sign(y)) / (2 * n), float(loss)))
    return found


def wrong_choices(truth: np.ndarray, k: int, recall: bool) -> list[Output]:
    """All labellings with ``k`` positives that are worse than the best; against the mean of the best near to them."""
    n, P = truth.size, truth.sum()
    most = min(k, P)
    choices = [y for y in labellings(n) if y.sum() == k]
    attainable = [y for y in choices if np.sum(y & truth) == most]
    found = []
    for y in choices:
        if np.sum(y & truth) < most:
            apart = [np.sum(y != other) for other in attainable]
            nearest = [sign(other) for other, distance in zip(attainable, apart) if distance == min(apart)]
            loss = float((most - np.sum(y & truth)) / (P if recall else k))
            found.append(Output((np.mean(nearest, axis=0) - sign(y)) / (2 * n), loss))
    return found


def precision_loss(above: np.ndarray) -> float:
    """One minus the average precision, from the number of negatives above each positive."""
    ordered = np.sort(above)
    place = np.arange(1, ordered.size + 1)
    return 1 - float(np.mean(place / (place + ordered)))


def wrong_rankings(truth: np.ndarray, precision: bool) -> list[Output]:
    """All orders of the rows but those with every positive above every negative, equal sets of swaps once."""
    n, P = truth.size, int(truth.sum())
    positives, negatives = np.flatnonzero(truth), np.flatnonzero(~truth)
    seen, found = set(), []
    for order in itertools.permutations(range(n)):
        place = np.argsort(order)
        swapped = place[negatives][None, :] < place[positives][:, None]
        if not swapped.any() or swapped.tobytes() in seen:
            continue
        seen.add(swapped.tobytes())
        coefficients = np.zeros(n)
        coefficients[positives], coefficients[negatives] = swapped.sum(axis=1), -swapped.sum(axis=0)
        loss = precision_loss(swapped.sum(axis=1)) if precision else float(swapped.mean())
        found.append(Output(coefficients / (P * (n - P)), loss))
    return found


def wrong_outputs(truth: np.ndarray, name: str) -> list[Output]:
    """All outputs of a measure that are not the truth."""
    if callable(name) or name in LOSSES:
        return wrong_labellings(truth, name)
    if name in ("roc_area", "average_precision"):
        return wrong_rankings(truth, name == "average_precision")
    k = int(truth.sum()) if name == "prbep" else int(name.split("(")[1].rstrip(")"))
    return wrong_choices(truth, k, name.startswith("recall"))


def values(outputs: list[Output], scores: np.ndarray, rescaling: str, slack: str) -> np.ndarray:
    """``b - <a, w>`` of every output."""
    planes = [plane_of(np.array([output.coefficients @ scores]), output.loss, rescaling, slack) for output in outputs]
    return np.array([b - a[0] for a, b in planes])
