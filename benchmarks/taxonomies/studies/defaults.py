"""The defaults of TaxonomySVC: formulation, C and node weights, chosen on some families of trees, judged on another.

Every candidate is trained on every task of ``trees.py``. For each family the candidate of least mean tree loss
on the *other* families is chosen and judged on this one, beside what the library has as default, flat classes
(``MulticlassSVC`` with linear slack) and two linear machines of scikit-learn whose C is tuned by three folds. Tree
losses are divided by the height of the tree. Data come from the folder that the environment variable MAXMARGIN_DATA
names.

    python benchmarks/taxonomies/studies/defaults.py [--quick] [--write docs/taxonomies.md]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from itertools import product
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.svm import LinearSVC

from maxmargin import MulticlassSVC, Taxonomy, TaxonomySVC
from maxmargin.classes.placed_classes import spread_weights
from maxmargin.classes.taxonomies import taxonomy_losses
from shared.harness import environment, save
from shared.tables import console, markdown_table, new_table, replace_section
from taxonomies.studies.trees import Task, tasks

Floats = npt.NDArray[np.float64]
FORMULATIONS = tuple(product(("margin", "slack"), ("linear", "squared")))
FACTORS = (0.3, 1.0, 3.0)
WEIGHTS = ("0.5", "1", "to 0.25")
PASSES = 200  # of a candidate that is slow to converge
PEERS = ("LinearSVC, tuned", "LogisticRegression, tuned")
FLAT, DEFAULT = "MulticlassSVC", "TaxonomySVC"
LEFT_OUT = "chosen on the other families"
Results = dict[str, dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two generated families: a smoke test")
    parser.add_argument("--write", type=Path, help="page of the documentation to write the table to")
    parser.add_argument("--read", type=Path, help="results that an earlier run saved, in place of training again")
    arguments = parser.parse_args()
    if arguments.read:
        results = json.loads(arguments.read.read_text(encoding="utf-8"))["tasks"]
    else:
        results = {task.name: judged(task) for task in tasks(arguments.quick)}
        console.print(f"saved to {save('taxonomy_defaults', {'tasks': results})}")
    columns, rows = families(results)
    table = new_table("Tree loss over the height of the tree, %, and accuracy, %", columns)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    print_ranking(results)
    if arguments.write:
        replace_section(arguments.write, "taxonomy defaults", page(results))


def candidates(taxonomy: Taxonomy) -> dict[str, dict[str, Any]]:
    """Settings by name; ``factor`` is on the C of ``C='scale'``."""
    found = {}
    for (rescaling, slack), factor, weight in product(FORMULATIONS, FACTORS, WEIGHTS):
        if weight.startswith("to "):
            spread = spread_weights(taxonomy, float(weight.removeprefix("to ")))
            node_weight: Any = dict(zip(taxonomy.nodes, spread.tolist()))
        else:
            node_weight = float(weight)
        name = f"{rescaling}, {slack}, {factor:g} C, nodes {weight}"
        found[name] = {"rescaling": rescaling, "slack": slack, "factor": factor, "node_weight": node_weight}
    return found


def judged(task: Task) -> dict[str, Any]:
    """Tree loss over the height, accuracy and CPU seconds of a fit, by candidate and peer."""
    begin = time.perf_counter()
    found: dict[str, Any] = {"family": task.family}
    found[FLAT] = _scores(task, MulticlassSVC(slack="linear"))
    found[DEFAULT] = _scores(task, TaxonomySVC(taxonomy=task.taxonomy))
    folds = KFold(3, shuffle=True, random_state=0)
    grids = (
        (LinearSVC(random_state=0), [1e-3, 1e-2, 0.1, 1.0, 10.0]),
        (LogisticRegression(), [1e-2, 0.1, 1.0, 10.0, 100.0]),
    )
    for name, (model, costs) in zip(PEERS, grids):
        found[name] = _scores(task, GridSearchCV(model, {"C": costs}, cv=folds))
    scale: dict[tuple[Any, ...], float] = {}
    for name, setting in candidates(task.taxonomy).items():
        setting = dict(setting)
        factor, key = setting.pop("factor"), (name.rpartition(" ")[2], setting["rescaling"], setting["slack"])
        if key not in scale:
            scale[key] = TaxonomySVC(taxonomy=task.taxonomy, max_iter=1, **setting).fit(task.X, task.y).C_
        model = TaxonomySVC(factor * scale[key], taxonomy=task.taxonomy, max_iter=PASSES, **setting)
        found[name] = _scores(task, model)
    console.print(f"{task.name}: {time.perf_counter() - begin:.0f} s")
    return found


def _scores(task: Task, model: Any) -> list[float]:
    begin = time.process_time()
    model.fit(task.X, task.y)
    cpu = time.process_time() - begin
    answers = model.predict(task.X_test)
    losses = taxonomy_losses(task.taxonomy, task.y_test.tolist(), answers.tolist())
    height = int(task.taxonomy.heights.max())
    return [100.0 * float(losses.mean()) / height, 100.0 * float(np.mean(answers == task.y_test)), cpu]


def _names(results: Results) -> list[str]:
    """Of the candidates."""
    return [name for name in next(iter(results.values())) if ", nodes " in name]


def _by_family(results: Results, name: str, part: int = 0) -> dict[str, float]:
    """The mean over the tasks of each family."""
    found: dict[str, list[float]] = {}
    for own in results.values():
        found.setdefault(own["family"], []).append(own[name][part])
    return {family: float(np.mean(values)) for family, values in found.items()}


def left_out_choice(results: Results, family: str) -> str:
    """The candidate of least mean tree loss on the families other than this one."""
    losses = {name: _by_family(results, name) for name in _names(results)}
    return min(losses, key=lambda name: float(np.mean([v for key, v in losses[name].items() if key != family])))


def families(results: Results) -> tuple[list[str], list[list[str]]]:
    """One row per family and one for all: tree loss and accuracy of the default, of the candidate chosen without the
    family, and of the peers."""
    shown = [DEFAULT, LEFT_OUT, FLAT, *PEERS]
    every = list(dict.fromkeys(own["family"] for own in results.values()))
    choices = {family: left_out_choice(results, family) for family in every}
    cells: dict[str, list[tuple[float, float]]] = {}
    for family in every:
        names = [choices[family] if name == LEFT_OUT else name for name in shown]
        cells[family] = [(_by_family(results, name, 0)[family], _by_family(results, name, 1)[family]) for name in names]
    means = [tuple(np.mean([cells[family][at] for family in every], axis=0)) for at in range(len(shown))]
    rows = [[key, *(f"{loss:.1f}, {right:.1f}" for loss, right in own), choices[key]] for key, own in cells.items()]
    rows.append(["mean", *(f"{loss:.2f}, {right:.2f}" for loss, right in means), ""])
    return ["family", *shown, "that choice"], rows


def print_ranking(results: Results, most: int = 15) -> None:
    """The best candidates over all families, with the largest loss to the better tuned peer on one task."""
    peer = {key: min(own[name][0] for name in PEERS) for key, own in results.items()}
    table = new_table("Candidates over all families", ["candidate", "mean", "worst beside a tuned peer", "CPU s"])
    means = {name: float(np.mean(list(_by_family(results, name).values()))) for name in _names(results)}
    for name in sorted(means, key=lambda name: means[name])[:most]:
        worst = max(own[name][0] - peer[key] for key, own in results.items())
        cpu = sum(own[name][2] for own in results.values())
        table.add_row(name, f"{means[name]:.2f}", f"{worst:+.1f}", f"{cpu:.2f}")
    console.print(table)


def page(results: Results) -> str:
    columns, rows = families(results)
    saved = {name: [own[name][0] - own[DEFAULT][0] for own in results.values()] for name in (FLAT, *PEERS)}
    told = "; ".join(
        f"{name} by {np.mean(values):+.2f} points, at most {-min(values):.1f} points worse on one task"
        for name, values in saved.items()
    )
    machine = environment()
    made = f"maxmargin {machine['maxmargin']}, scikit-learn {machine['scikit-learn']}, {machine['date']}"
    return "\n\n".join(
        [
            f"Tree loss over the height of the tree and accuracy, %: {len(results)} tasks of {len(rows) - 1} families.",
            markdown_table(columns, rows),
            f"{DEFAULT} saves tree loss beside {told}.",
            f"`python benchmarks/taxonomies/studies/defaults.py --write docs/taxonomies.md` writes this; here with "
            f"{made}.",
        ]
    )


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of the peers at large C
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        main()
