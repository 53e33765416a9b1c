"""A homolog among decoys: table 4 and figure 2 of Tsochantaridis, Joachims, Hofmann and Altun (2005).

Sequences are those of the paper (``make_homologs``), and so is the model: 400 weights of pairs of letters and one of
gaps. ``GenerativeAligner`` has the gap score that does best on the test sets, an advantage that the paper gives its
generative model as well. HomologySVM has squared slack and the defaults of all other parameters, with the zero-one loss
of the paper and with the Q-loss, its default, by which the homolog has to be aligned right as well. ``C='scale'`` of
the zero-one loss was chosen on tasks of other kinds (``studies/homology_c.py``); the seeds here have been used for no
choice. No reading of the paper's C = 0.01 and eps = 0.1 has its errors (``studies/homology_paper.py``). Its training
error of 2.0 ± 2.0 at n = 4 is no mean of ten samples of four examples, which are multiples of 2.5: it is one miss in
ten samples of five. So n = 5 is shown beside the SVM of the paper's n = 4 as well. Constraints are those of the n-slack
algorithm with the zero-one loss at ``tol`` 0.1 and around it: ``tol`` is a gap, eps a violation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin import NSlack
from maxmargin.alignments import Gaps, GenerativeAligner, HomologySVM, Simple
from maxmargin.datasets import make_homologs
from maxmargin.datasets.alignments import LETTERS

# n: train and test errors in percent with their error bars, of the generative model and of the SVM with squared slack
PAPER = {
    1: ((20.0, 13.3), (0.0, 0.0), (74.3, 2.7), (47.0, 4.6)),
    2: ((20.0, 8.2), (0.0, 0.0), (54.5, 3.3), (34.3, 4.3)),
    4: ((10.0, 5.5), (2.0, 2.0), (28.0, 2.3), (14.4, 1.4)),
    10: ((2.0, 1.3), (0.0, 0.0), (10.2, 0.7), (7.1, 1.6)),
    20: ((2.5, 0.8), (1.0, 0.7), (3.4, 0.7), (5.2, 0.5)),
    40: ((2.0, 1.0), (1.0, 0.4), (2.3, 0.5), (3.0, 0.3)),
    80: ((2.8, 0.5), (2.0, 0.5), (1.9, 0.4), (2.8, 0.6)),
}
# few examples vary most from sample to sample
SAMPLES = {1: 200, 2: 40, 4: 100, 5: 100, 10: 100, 20: 10, 40: 10, 80: 10}
TEST = 200
SEED = 30_000_000  # of the first sample
GAPS = (0.2, 0.5, 1.0)
FEATURES = Simple(symmetric=False) + Gaps(affine=False)
EPSILONS = (1.0, 0.3, 0.1, 0.03, 0.01)


def run() -> dict[str, Any]:
    rows, bars, constraints = [], [], {}
    for n in SAMPLES:
        found, paper = _errors(n), PAPER[4 if n == 5 else n]
        own = found["svm"]
        rows.append(
            [
                str(n),
                f"{found['generative'][0]:.1f}",
                _shown(found["generative"][1:3]),
                _shown(paper[2]) if n in PAPER else "",
                f"{own[0]:.1f}",
                _shown(own[1:3]),
                _shown(paper[3]),
                _shown(found["aligned"][1:3]),
            ]
        )
        if n not in PAPER:
            continue
        limit = paper[3][0] + paper[3][1]
        for kind, error in (("zero-one loss", own[1]), ("Q-loss", found["aligned"][1])):
            bars.append((f"test error, {kind}, n = {n}", f"{error:.1f} %", f"at most {limit:.1f} %", error <= limit))
    for n in (10, 20, 40, 80):
        constraints[n] = _constraints(n, 0.1, 5)
    rows += [["constraints, n", *(f"{n}: {count:.0f}" for n, count in constraints.items()), "", "", ""]]
    grown = np.polyfit(np.log(list(constraints)), np.log(list(constraints.values())), 1)[0]
    bars.append(("constraints grow as n to the power", f"{grown:.2f}", "below 1", bool(grown < 1.0)))
    by_eps = {eps: _constraints(20, eps, 5) for eps in EPSILONS}
    rows += [["constraints, eps", *(f"{eps:g}: {count:.0f}" for eps, count in by_eps.items()), "", ""]]
    columns = ["n", "gen. train", "gen. test", "paper", "SVM train", "SVM test", "paper", "with Q-loss"]
    return {"columns": columns, "rows": rows, "bars": bars, "constraints": constraints, "by_eps": by_eps}


def sample(n: int, seed: int) -> tuple[list[Any], list[Any]]:
    """Inputs with the homolog at a random place among its decoys, and where it is, with its alignment."""
    natives, candidates, alignments = make_homologs(n, seed=seed)
    rng = np.random.default_rng(seed + 1)
    X, y = [], []
    for native, row, alignment in zip(natives, candidates, alignments):
        order = rng.permutation(len(row))
        X.append((native, [row[k] for k in order]))
        y.append((int(np.argmin(order)), alignment))
    return X, y


def _errors(n: int) -> dict[str, tuple[float, float, float]]:
    """Train error, test error and the standard error of that, in percent, of every model."""
    found: dict[str, list[tuple[float, float]]] = {"svm": [], "aligned": []}
    generative: dict[float, list[tuple[float, float]]] = {gap: [] for gap in GAPS}
    for number in range(SAMPLES[n]):
        X, y = sample(n, SEED + 1000 * n + 2 * number)
        X_test, y_test = sample(TEST, SEED + 500_000 + 1000 * n + 2 * number)
        models = {
            "svm": HomologySVM(features=FEATURES, alphabet=LETTERS, loss="zero-one"),
            "aligned": HomologySVM(features=FEATURES, alphabet=LETTERS),
        }
        for name, model in models.items():
            model.fit(X, y)
            found[name].append((1.0 - model.score(X, y), 1.0 - model.score(X_test, y_test)))
        pairs = [(native, row[at]) for (native, row), (at, _) in zip(X, y)]
        for gap in GAPS:
            model = GenerativeAligner(open=-gap, symmetric=False, alphabet=LETTERS)
            model.fit(pairs, [alignment for _, alignment in y])
            generative[gap].append((_missed(model, X, y), _missed(model, X_test, y_test)))
    best = min(GAPS, key=lambda gap: np.mean(generative[gap], axis=0)[1])
    return {name: _summary(errors) for name, errors in {**found, "generative": generative[best]}.items()}


def _missed(model: GenerativeAligner, X: list[Any], y: list[Any]) -> float:
    return float(np.mean([own[0] != at for own, (at, _) in zip(model.predict_ranking(X), y)]))


def _summary(errors: list[tuple[float, float]]) -> tuple[float, float, float]:
    train, test = 100.0 * np.array(errors).T
    return float(train.mean()), float(test.mean()), float(test.std(ddof=1) / len(test) ** 0.5)


def _constraints(n: int, eps: float, samples: int) -> float:
    """Planes that the n-slack algorithm of the paper adds, on average."""
    counts = []
    for number in range(samples):
        solver = NSlack(batch=1, coarse=0.0, keep_idle=1_000_000)
        model = HomologySVM(features=FEATURES, alphabet=LETTERS, loss="zero-one", solver=solver, tol=eps)
        model.fit(*sample(n, SEED + 1000 * n + 2 * number))
        counts.append(model.solution_.details["planes_added"])
    return float(np.mean(counts))


def _shown(errors: tuple[float, ...]) -> str:
    return f"{errors[0]:.1f} ± {errors[1]:.1f}"
