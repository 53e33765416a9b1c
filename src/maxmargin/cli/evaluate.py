"""``maxmargin evaluate``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from maxmargin.chains.base import ChainEstimator
from maxmargin.classes.cost_file import read_cost
from maxmargin.classes.multiclass_svc import MulticlassSVC
from maxmargin.classes.placed_classes import PlacedClasses
from maxmargin.classes.taxonomies.graph import Taxonomy
from maxmargin.classes.taxonomies.scores import hierarchical_score, tree_loss
from maxmargin.classes.taxonomy_svc import TaxonomySVC
from maxmargin.cli.files import Source, load_model, refuse
from maxmargin.cli.measure import measured
from maxmargin.cli.ranking import evaluate_ranking
from maxmargin.cli.sequence_evaluate import evaluate_sequences
from maxmargin.cli.trees import evaluate_trees
from maxmargin.console import make_console, print_table
from maxmargin.grammars.base import GrammarEstimator
from maxmargin.measures.measure_svc import MeasureSVC
from maxmargin.rankings.ranking_svm import RankingSVM

_MOST = 25  # classes in a confusion table, and lines in the list that stands for it beyond that


def evaluate_model(
    model_path: Path,
    source: Source,
    cost_path: Path | None,
    steps: str | None,
    scheme: str | None,
    as_json: bool,
    n_jobs: int,
) -> None:
    """Prints accuracy, mean cost, scores of each class and the confusion of classes; of sequences, what fits them."""
    model = load_model(model_path, n_jobs)
    if isinstance(model, ChainEstimator):
        refuse({"--cost": cost_path is not None, **source.table_options}, model_path, "a model of sequences")
        evaluate_sequences(model, model_path, source, steps, scheme, as_json)
        return
    of_sequences = {
        "--steps": steps is not None,
        "--scheme": scheme is not None,
        "--comment": source.comment is not None,
    }
    unused = {"--cost": cost_path is not None, **of_sequences}
    of_sequences = {
        "--steps": steps is not None,
        "--scheme": scheme is not None,
        "--comment": source.comment is not None,
    }
    unused = {"--cost": cost_path is not None, **of_sequences, **source.table_options}
    if isinstance(model, RankingSVM):
        refuse(unused, model_path, "a ranking")
        evaluate_ranking(model, source.path, source.format, as_json)
        return
    if isinstance(model, GrammarEstimator):
        refuse(unused, model_path, "a parser")
        evaluate_trees(model, source.path, source.format, as_json)
        return
    refuse(of_sequences, model_path, "a classifier")
    data = source.read_for(model, labelled=True)
    data.check_known(model.classes_)
    cost = _own_cost(model) if cost_path is None else read_cost(cost_path, model.classes_)
    answers = model.predict(data.X)
    results = measure(data.targets, answers, model.classes_, cost)
    if isinstance(model, MeasureSVC):
        results |= measured(model, data.X, data.targets)
    if isinstance(model, TaxonomySVC):
        results["tree"] = measure_tree(data.targets, answers, model.taxonomy_)
    if as_json:
        json.dump(results, sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        _print(make_console(), results)


def _own_cost(model: MulticlassSVC | TaxonomySVC | MeasureSVC) -> Any:
    """What the model was trained to avoid, as a matrix; None is 1 for every wrong answer."""
    if isinstance(model, MulticlassSVC):
        return model.cost
    if isinstance(model, MeasureSVC):
        return None
    losses = PlacedClasses(model.taxonomy_, model.classes_.tolist()).losses(model.loss)
    return np.array([losses.row(truth) for truth in range(model.classes_.size)])


def measure_tree(truths: npt.NDArray[Any], answers: npt.NDArray[Any], taxonomy: Taxonomy) -> dict[str, float]:
    """Scores in the taxonomy; the tree loss where that has one root."""
    score = hierarchical_score(truths, answers, taxonomy)
    found = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
    return {"loss": tree_loss(truths, answers, taxonomy), **found} if taxonomy.roots.size == 1 else found


def measure(
    truths: npt.NDArray[Any], answers: npt.NDArray[Any], classes: npt.NDArray[Any], cost: Any
) -> dict[str, Any]:
    """The results as JSON has them; ``cost`` None is 1 for every wrong answer. ``confusion[true class][answer]``."""
    confusion = confusion_matrix(truths, answers, labels=classes)
    costs = 1.0 - np.eye(classes.size) if cost is None else np.asarray(cost, dtype=np.float64)
    scores = precision_recall_fscore_support(truths, answers, labels=classes, zero_division=0.0)
    return {
        "examples": len(truths),
        "accuracy": float(np.mean(truths == answers)),
        "mean_cost": float((confusion * costs).sum() / len(truths)),
        "classes": [
            {"label": label, "precision": precision, "recall": recall, "f1": f1, "examples": count}
            for label, precision, recall, f1, count in zip(classes.tolist(), *(part.tolist() for part in scores))
        ],
        "confusion": confusion.tolist(),
    }


def _fits(console: Console, labels: list[str], confusion: list[list[int]]) -> bool:
    """Whether the confusion table is readable on this console."""
    widths = [max(len(label), *(len(str(count)) for count in column)) for label, column in zip(labels, zip(*confusion))]
    return len(labels) <= _MOST and sum(widths) + max(map(len, labels)) + 3 * (len(labels) + 1) <= console.width


def _print(console: Console, results: dict[str, Any]) -> None:
    totals = [(name, f"{results[key]:.4f}") for name, key in (("accuracy", "accuracy"), ("mean cost", "mean_cost"))]
    if "measure" in results:
        totals.append((results["measure"], f"{results['value']:.4f}"))
    names = {"loss": "tree loss", "precision": "hierarchical precision", "recall": "hierarchical recall"}
    tree = [(names.get(key, "hierarchical F1"), f"{value:.4f}") for key, value in results.get("tree", {}).items()]
    print_table(console, "", ("", ""), [("examples", str(results["examples"])), *totals, *tree])
    rows = [
        (str(row["label"]), *(f"{row[key]:.4f}" for key in ("precision", "recall", "f1")), str(row["examples"]))
        for row in results["classes"]
    ]
    console.print()
    print_table(console, "Classes", ("class", "precision", "recall", "F1", "examples"), rows)
    console.print()
    labels = [str(row["label"]) for row in results["classes"]]
    if _fits(console, labels, results["confusion"]):
        rows = [(label, *map(str, counts)) for label, counts in zip(labels, results["confusion"])]
        print_table(console, "Confusion (rows: true class, columns: answer)", ("", *labels), rows)
        return
    counts = np.array(results["confusion"])
    np.fill_diagonal(counts, 0)
    order = np.argsort(-counts, axis=None, kind="stable")[:_MOST]
    pairs = [(int(i), int(j)) for i, j in zip(*np.unravel_index(order, counts.shape)) if counts[i, j]]
    rows = [(labels[i], labels[j], str(counts[i, j])) for i, j in pairs]
    print_table(console, "Most frequent confusions", ("true class", "answer", "examples"), rows, text_columns=2)
