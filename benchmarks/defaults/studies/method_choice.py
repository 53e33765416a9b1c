"""Margins, likelihood and the choice between them, on the class tasks of the suite of defaults.

The constants of the choice (classes/methods.py) were set on the tasks that are open; ``--held-out`` shows the
others, which nobody looked at. Scores are test accuracies in points, means over the splits; seconds are CPU seconds of
one fit, the median.

    python benchmarks/defaults/studies/method_choice.py [--held-out] [--splits 3] [--only digits]
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np

from defaults.class_tasks import CLASS_TASKS
from maxmargin import MulticlassSVC
from shared.tables import console, new_table

WAYS: dict[str, dict[str, Any]] = {
    "margin, linear": {"slack": "linear"},
    "margin, squared": {"method": "structural"},
    "likelihood": {"method": "likelihood"},
    "auto": {},
}
_MANY = 1000  # classes: beyond, only margins and the default are tried


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    table = new_table("test accuracy (seconds)", ["task", *WAYS, "chosen"])
    gained = []
    for task in CLASS_TASKS:
        if (
            task.part != ("held-out" if options.held_out else "open")
            or task.score != "accuracy"
            or options.only not in task.name
        ):
            continue
        scores: dict[str, list[float]] = {name: [] for name in WAYS}
        seconds: dict[str, list[float]] = {name: [] for name in WAYS}
        chosen = []
        for seed in range(min(task.splits, options.splits)):
            split = task.load(seed)
            for name, settings in WAYS.items():
                if name == "likelihood" and np.unique(split.y).size > _MANY:
                    continue
                begin = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model = MulticlassSVC(**settings).fit(split.X, split.y)
                seconds[name].append(time.process_time() - begin)
                scores[name].append(100.0 * float(np.mean(model.predict(split.X_test) == split.y_test)))
            chosen.append(model.method_)
        means = {name: float(np.mean(values)) for name, values in scores.items() if values}
        gained.append([means["auto"] - means[name] for name in list(WAYS)[:2]])
        cells = [f"{means[name]:.1f} ({np.median(seconds[name]):.3f})" if name in means else "-" for name in WAYS]
        table.add_row(task.name, *cells, ", ".join(sorted(set(chosen))))
    console.print(table)
    if gained:
        first, second = np.mean(gained, axis=0)
        console.print(
            f"{len(gained)} tasks: auto beside linear slack {first:+.2f}, beside squared {second:+.2f} points"
        )


if __name__ == "__main__":
    main()
