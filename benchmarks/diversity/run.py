"""Learned weights of words against fixed ones: the weighted share of subtopics that k documents leave out.

Figure 4 of paper 001 in its shape: mean loss with k = 5 on test sets, a signed-rank test over the sets between
DiversityRanker and every baseline, and the loss for k = 1 to 10. C is chosen on the last quarter of the training sets,
all other parameters are the defaults; the test sets are used once. The newsgroups come from the folder that the
environment variable MAXMARGIN_DATA names.

    python benchmarks/diversity/run.py [--quick] [--data generator] [--write docs/diversity.md]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np
import numpy.typing as npt
from scipy.stats import wilcoxon

from diversity.data import CS, HELD_OUT, LONGEST, WORKLOADS, K, Workload
from diversity.report import bars_of, print_workload, write_page
from maxmargin import DiversityRanker
from maxmargin.diversity import EssentialPages, OkapiBM25, RandomChoice, UnweightedCoverage, subtopic_losses
from maxmargin.diversity.cover import greedy
from maxmargin.diversity.subtopics import pack_subtopics
from shared.harness import save
from shared.tables import print_bars

Floats = npt.NDArray[np.float64]

LEARNED = "learned"
DRAWS = 50  # of the random choice, whose mean loss on each set is compared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", action="append", choices=list(WORKLOADS), help="workload, may be given again")
    parser.add_argument("--quick", action="store_true", help="fewer sets: a smoke test")
    parser.add_argument("--write", type=Path, help="page whose section of results is replaced")
    parser.add_argument("--name", default="diversity", help="name of the file under benchmarks/results")
    arguments = parser.parse_args()
    results: dict[str, Any] = {"quick": arguments.quick, "k": K, "workloads": []}
    for name in arguments.data or WORKLOADS:
        found = run(WORKLOADS[name], arguments.quick)
        results["workloads"].append(found)
        print_workload(found)
    bars = [bar for found in results["workloads"] for bar in bars_of(found)]
    print_bars("Learned weights beat every baseline, p < 0.05", bars)
    if arguments.quick:
        print("The bars are meant for the full size; on few sets they only show that the program works.")
    path = save(arguments.name, results | {"bars": bars})
    print(f"Saved as {path}.")
    if arguments.write:
        write_page(arguments.write, results["workloads"])


def run(workload: Workload, quick: bool) -> dict[str, Any]:
    """Trains, chooses C, predicts; losses of every method on every test set at every k."""
    X, Y, X_test, Y_test = workload.load(quick)
    learners = {
        LEARNED: DiversityRanker(K, vectorizer=workload.vectorizer),
        "learned, by spread alone": DiversityRanker(K, vectorizer=workload.vectorizer, min_sets=None),
    }
    methods: dict[str, dict[str, Any]] = {}
    for name, ranker in learners.items():
        fitted, tried, seconds = choose(ranker, X, Y)
        curve = losses_at(fitted.predict(X_test, k=LONGEST), Y_test)
        methods[name] = {
            "losses": curve,
            "C": fitted.C,
            "held_out": tried,
            "cpu": seconds,
            "iterations": fitted.n_iter_,
        }
    for name, baseline in baselines(workload).items():
        methods[name] = {"losses": losses_at(baseline.predict(X_test, k=LONGEST), Y_test)}
    draws = [losses_at(RandomChoice(random_state=seed).predict(X_test, k=LONGEST), Y_test) for seed in range(DRAWS)]
    methods["random"] = {"losses": np.mean(draws, axis=0)}
    methods["greedy by the true subtopics"] = {"losses": losses_at(best_rankings(Y_test), Y_test)}
    for name, method in methods.items():
        if not name.startswith("learned") and not name.startswith("greedy"):
            method["test"] = signed_rank(methods[LEARNED]["losses"][K - 1], method["losses"][K - 1])
    return {
        "name": workload.name,
        "sets": [len(X), len(X_test)],
        "documents": len(Y[0]),
        "methods": {name: {**method, "losses": method["losses"].tolist()} for name, method in methods.items()},
    }


def choose(ranker: DiversityRanker, X: list[Any], Y: list[Any]) -> tuple[DiversityRanker, dict[str, float], float]:
    """The ranker trained on all sets with the C that is best on the last quarter, the losses there, CPU seconds."""
    cut = round(len(X) * (1.0 - HELD_OUT))
    tried = {C: -ranker.set_params(C=C).fit(X[:cut], Y[:cut]).score(X[cut:], Y[cut:]) for C in CS}
    start = time.process_time()
    fitted = ranker.set_params(C=min(tried, key=tried.__getitem__)).fit(X, Y)
    return fitted, {f"{C:g}": loss for C, loss in tried.items()}, time.process_time() - start


def baselines(workload: Workload) -> dict[str, Any]:
    options = {"vectorizer": workload.vectorizer}
    found = {
        "essential pages, tf-idf": EssentialPages(K, **options),
        "essential pages, entropy": EssentialPages(K, importance="entropy", **options),
        "unweighted": UnweightedCoverage(K, **options),
    }
    return {**found, "Okapi BM25": OkapiBM25(K, **options)} if workload.has_query else found


def best_rankings(Y: list[Any]) -> list[Any]:
    return [greedy(LONGEST, subtopics.cover, subtopics.weight) for subtopics in pack_subtopics(Y)]


def losses_at(rankings: Any, Y: list[Any]) -> Floats:
    """Losses of the first 1, 2, ... documents, shape (LONGEST, n)."""
    return np.array([subtopic_losses(Y, rankings, k) for k in range(1, LONGEST + 1)])


def signed_rank(learned: Floats, rival: Floats) -> dict[str, float]:
    """Wilcoxon's signed-rank test of the paired losses, two-sided; ``better`` counts the sets that learning wins."""
    gains = rival - learned
    return {
        "p": float(wilcoxon(learned, rival).pvalue) if gains.any() else 1.0,
        "gain": float(gains.mean()),
        "better": int((gains > 1e-12).sum()),
        "worse": int((gains < -1e-12).sum()),
    }


if __name__ == "__main__":
    main()
