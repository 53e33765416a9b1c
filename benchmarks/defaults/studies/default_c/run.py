"""The default C of MulticlassSVC against a C tuned on a held-out fifth of the training part, by test accuracy.

The grid for tuning has the powers of sqrt(10) from a thousandth of the default to a hundred times it; larger C are not
tried after a fit that was stopped by the limit of time. Nothing is chosen here: how the default was, on training parts
only, is ``rules.py``. Small sets without a test part of their own are split several times.

    python benchmarks/defaults/studies/default_c/run.py [--data iris --data mnist | --write docs/defaults_measured.md]
        [--max-time 20]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[3])

import numpy as np
import numpy.typing as npt

from defaults.studies.default_c.data import SETS, Split, splits
from defaults.studies.default_c.tuning import Fitter, HeldOut
from shared.harness import environment, save
from shared.tables import markdown_table, replace_section

BAR = 0.5  # points


@dataclass(frozen=True)
class Comparison:
    """Default and tuned C on one split; accuracies in points, ``gains`` in points for every test example."""

    default_c: float
    tuned_c: float
    default: float
    tuned: float
    gains: npt.NDArray[np.float64]
    seconds: float


@dataclass(frozen=True)
class Result:
    """Means over the splits of one set; ``error`` is the standard error of the difference."""

    name: str
    splits: int
    default_c: float
    tuned_c: float
    default: float
    tuned: float
    error: float
    seconds: float
    unfinished: int

    @property
    def difference(self) -> float:
        """Points by which the default is better than the tuned C on test."""
        return self.default - self.tuned


def powers_around(C: float) -> list[float]:
    """The powers of sqrt(10) from a thousandth of C to a hundred times C."""
    return [10.0 ** (k / 2) for k in range(-40, 41) if C / 1000.0 <= 10.0 ** (k / 2) <= 100.0 * C]


def compare(split: Split, fit: Fitter) -> Comparison:
    """Both machines are trained on the whole training part; of several best C the middle one is taken."""
    default = fit("scale", split.X_train, split.y_train)
    seconds = fit.seconds
    scores = HeldOut.of(fit, split.X_train, split.y_train).accuracies(powers_around(default.C_))
    best = [C for C, score in scores.items() if score == max(scores.values())]
    tuned_c = best[len(best) // 2]
    tuned = fit(tuned_c, split.X_train, split.y_train)
    right: list[Any] = [100.0 * (model.predict(split.X_test) == split.y_test) for model in (default, tuned)]
    means = [float(values.mean()) for values in right]
    return Comparison(float(default.C_), tuned_c, means[0], means[1], right[0] - right[1], seconds)


def summarise(name: str, found: list[Comparison], unfinished: int) -> Result:
    """The standard error is that over the splits, which overlap, or over the test examples of the only one."""
    gains = found[0].gains if len(found) == 1 else np.array([item.default - item.tuned for item in found])
    return Result(
        name,
        len(found),
        float(np.mean([item.default_c for item in found])),
        float(np.median([item.tuned_c for item in found])),
        float(np.mean([item.default for item in found])),
        float(np.mean([item.tuned for item in found])),
        float(gains.std(ddof=1) / np.sqrt(gains.size)),
        float(np.mean([item.seconds for item in found])),
        unfinished,
    )


def report(results: list[Result], max_time: float) -> str:
    columns = [
        "set",
        "splits",
        "default C",
        "tuned C",
        "default",
        "tuned",
        "difference",
        "holds",
        "CPU s",
        "unfinished",
    ]
    rows = [
        [
            result.name,
            str(result.splits),
            f"{result.default_c:.2g}",
            f"{result.tuned_c:.2g}",
            f"{result.default:.2f}",
            f"{result.tuned:.2f}",
            f"{result.difference:+.2f} ± {result.error:.2f}",
            "yes" if result.difference >= -BAR else "**no**",
            f"{result.seconds:.2g}",
            str(result.unfinished),
        ]
        for result in results
    ]
    failing = [result.name for result in results if result.difference < -BAR]
    holds = f"The default is within {BAR} points of the tuned C, or better, on {len(results) - len(failing)} of"
    holds += f" {len(results)} sets" + (f"; it is not on: {'; '.join(failing)}." if failing else ".")
    machine = environment()
    return (
        "Test accuracy in points with the default C, and with a C tuned on a held-out fifth of the training part; "
        "means over the splits, ± the standard error of the difference. CPU s is the time of `fit` with the default "
        f"C. Unfinished are those of all fits, most of them for tuning, that were stopped after {max_time:g} s.\n\n"
        f"{markdown_table(columns, rows)}\n\n{holds}\n\n"
        f"`python benchmarks/defaults/studies/default_c/run.py --max-time {max_time:g} --write "
        f"docs/defaults_measured.md` writes this table; here with maxmargin {machine['maxmargin']}, one thread, "
        f"{machine['processor']}, {machine['date']}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", action="append", choices=list(SETS), help="set, may be given again; default all")
    parser.add_argument("--max-time", type=float, default=20.0, help="seconds after which a fit is stopped")
    parser.add_argument("--write", type=Path, help="page with a section for the table")
    arguments = parser.parse_args()
    if arguments.write and arguments.data:
        parser.error("--write replaces the table of all sets, so it cannot be given with --data.")
    results: list[Result] = []
    for name in arguments.data or SETS:
        for title, parts in splits(name):
            fit = Fitter(arguments.max_time)
            results.append(summarise(title, [compare(split, fit) for split in parts], fit.unfinished))
            save("default_c", {"bar": BAR, "max_time": arguments.max_time, "results": results})
            print(f"{title}: default {results[-1].default:.2f}, tuned {results[-1].tuned:.2f}", flush=True)
    text = report(results, arguments.max_time)
    print(f"\n{text}")
    if arguments.write:
        replace_section(arguments.write, "measured defaults", text)


if __name__ == "__main__":
    main()
