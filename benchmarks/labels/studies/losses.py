"""Label vectors by the likelihood and by the structural risk, for each loss, on generated tasks.

The method and its constants were chosen on the first group of tasks (and on folds of the training sets of Mulan); the
second group is for judging them. Scores in percent, all better high: labels right beyond those of the best constant
vector, F1 of the examples, exact vectors. The last table is about class weights.

    python benchmarks/labels/studies/losses.py
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multioutput import ClassifierChain

from labels.studies.tasks import CHOSEN_BY, JUDGED_ON, Make
from maxmargin import MultilabelSVC
from shared.tables import markdown_table

LOSSES = ("hamming", "f1", "zero-one")
METHODS = ("structural", "likelihood", "auto")


def score(loss: str, truth: Any, found: Any) -> float:
    if loss == "zero-one":
        return 100.0 * float((truth == found).all(axis=1).mean())
    if loss == "f1":
        return 100.0 * float(f1_score(truth, found, average="samples", zero_division=1.0))
    constant = np.minimum(truth.mean(axis=0), 1.0 - truth.mean(axis=0)).mean()
    return 100.0 * (1.0 - float((truth != found).mean() / constant))


def compare(title: str, tasks: dict[str, tuple[int, Make]]) -> None:
    rows, sums, seconds = [], defaultdict(list), defaultdict(float)
    for name, (n, make) in tasks.items():
        X, Y = make()
        row = [name]
        for loss in LOSSES:
            for method in METHODS:
                begin = time.process_time()
                model = MultilabelSVC(method=method, loss=loss, max_time=60.0).fit(X[:n], Y[:n])
                seconds[method] += time.process_time() - begin
                sums[loss, method].append(score(loss, Y[n:], model.predict(X[n:])))
                row.append(f"{sums[loss, method][-1]:.1f}")
            begin = time.process_time()
            chain = ClassifierChain(LogisticRegression(max_iter=1000)).fit(X[:n], Y[:n])
            seconds["chain"] += (time.process_time() - begin) / len(LOSSES)
            sums[loss, "chain"].append(score(loss, Y[n:], chain.predict(X[n:]).astype(int)))
            row.append(f"{sums[loss, 'chain'][-1]:.1f}")
        rows.append(row)
    everybody = (*METHODS, "chain")
    rows.append(["mean", *(f"{np.mean(sums[loss, method]):.1f}" for loss in LOSSES for method in everybody)])
    print(f"**{title}**\n")
    print(markdown_table(["task", *(f"{loss}: {method}" for loss in LOSSES for method in everybody)], rows))
    fits = {method: seconds[method] / (1 if method == "chain" else len(LOSSES)) for method in everybody}
    print("\nCPU s of all fits for one loss: " + ", ".join(f"{name} {fits[name]:.2f}" for name in everybody) + "\n")


def class_weights() -> None:
    rows = []
    for weight in (None, "balanced"):
        for method in ("structural", "likelihood"):
            micro, macro = [], []
            for n, make in JUDGED_ON.values():
                X, Y = make()
                found = MultilabelSVC(method=method, class_weight=weight).fit(X[:n], Y[:n]).predict(X[n:])
                micro.append(100.0 * f1_score(Y[n:], found, average="micro"))
                macro.append(100.0 * f1_score(Y[n:], found, average="macro", zero_division=0.0))
            rows.append([str(weight), method, f"{np.mean(micro):.1f}", f"{np.mean(macro):.1f}"])
    print("**class weights, Hamming loss, means over the second group**\n")
    print(markdown_table(["class_weight", "method", "micro F1", "macro F1"], rows))


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    compare("tasks that the method was chosen by", CHOSEN_BY)
    compare("other tasks", JUDGED_ON)
    class_weights()
