"""How much scores depend on the seed of an estimator."""

from __future__ import annotations

import argparse

from defaults.isolated import call
from defaults.ours import INFORMATIVE
from defaults.program import LIMIT
from shared.harness import save
from shared.tables import Bar, console, new_table, print_bars

SPREAD = 0.3  # points
TASKS_OF = {
    "MulticlassSVC": "nonlinear, 8 classes",
    "TaxonomySVC": "tree 4 x 4 x 4",
    "MultilabelSVC": "hamming: a chain of 8 labels",
    "MeasureSVC": "f1: 5 % positives",
    "RankingSVM": "documents, 300 queries",
    "DiversityRanker": "subtopics, 80 sets",
    "ChainSVC": "Spanish names, 2,000 sentences",
    "ChainCRF": "Spanish names, 2,000 sentences",
    "ChainPerceptron": "Spanish names, 2,000 sentences",
}


def spread_of(scores: list[float]) -> float:
    return max(scores) - min(scores)


def main(description: str) -> None:
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", default="", metavar="PATTERN", help="estimators whose name contains this")
    arguments = parser.parse_args()
    table, bars, results = new_table("Scores over seeds", ["estimator", "task", "lowest", "highest", "spread"]), [], {}
    for estimator, task in TASKS_OF.items():
        if arguments.only.lower() not in estimator.lower():
            continue
        scores: list[float] = []
        for seed in range(arguments.seeds):
            found = call("run_ours", {"name": task, "estimator": estimator, "seed": seed, "splits": 1}, LIMIT)
            if "scores" not in found:
                print(f"{estimator}, {task}: {found.get('missing') or found['failure']}")
                break
            scores += found["scores"]
        if len(scores) < arguments.seeds:
            continue
        results[estimator] = {"task": task, "scores": scores}
        spread = spread_of(scores)
        table.add_row(estimator, task, f"{min(scores):.2f}", f"{max(scores):.2f}", f"{spread:.2f}")
        if estimator not in INFORMATIVE:
            bars.append(Bar(f"spread of {estimator}", f"{spread:.2f}", f"{SPREAD:g}", spread <= SPREAD))
    console.print(table)
    print_bars("Seeds", bars)
    print(f"Saved as {save('defaults_seeds', {'spread': SPREAD, 'results': results})}.")
