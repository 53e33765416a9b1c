"""Tables of comparisons, printed and in Markdown."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from rich.console import Console

from defaults.comparison import SLOWEST, Comparison, bars_of, slow_ones
from defaults.ours import INFORMATIVE
from shared.harness import environment
from shared.tables import Bar, markdown_table, new_table, print_bars, replace_section

SECTION = "defaults beside peers"
_COLUMNS = [
    "task",
    "n",
    "d",
    "k",
    "ours",
    "default peer",
    "tuned peer",
    "diff",
    "se",
    "CPU s",
    "sane peer",
    "ratio",
    "",
]


def print_comparisons(title: str, found: list[Comparison]) -> None:
    console = Console(width=190)
    for estimator in dict.fromkeys(row.estimator for row in found):
        rows = [row for row in found if row.estimator == estimator]
        note = ", for information" if estimator in INFORMATIVE else ""
        printed = new_table(f"{title}: {estimator}{note}", _COLUMNS)
        for row in rows:
            printed.add_row(*_cells(row), style="red" if row.flags else "")
        console.print(printed)
        console.print(f"  {summary(rows)}")
    for row in found:
        for text in (*row.warnings, *([row.failure] if row.failure else [])):
            console.print(f"{row.estimator}, {row.task}: {text}", markup=False)
    print_bars(f"Bars, {title}", bars_of(found))


def summary(rows: list[Comparison]) -> str:
    """Means of one estimator."""
    ratio = float(np.exp(np.mean(np.log([row.ratio for row in rows]))))
    mean = float(np.mean([row.difference for row in rows]))
    beside = float(np.mean([row.score - row.default for row in rows]))
    return (
        f"{len(rows)} tasks, mean {mean:+.2f} beside tuned, {beside:+.2f} beside default peers, {ratio:.2f} x the time"
    )


def write_page(page: Path, parts: dict[str, list[Comparison]]) -> None:
    """Puts three tables per part into the section of the page: one row per estimator, the bars, and what is slow."""
    machine = environment()
    text = [
        "Scores in points (100 is perfect), all estimators at their defaults. The tuned peer is the best on the task "
        "of those whose settings were chosen by cross validation on the training part; the time is CPU seconds of one "
        "`fit` over those of the fastest peer within 3 points of the best, at its setting, without the search for it. "
        "Two other readings of the time are below: with that search, and beside peers that are as good as ours.",
    ]
    for title, found in parts.items():
        text += [f"**{title}**", _by_estimator(found), _bar_table(bars_of(found)), *_slow(slow_ones(found))]
    text.append(
        "`python benchmarks/defaults/run.py --held-out --fresh --write docs/defaults_measured.md` writes these tables; "
        f"here with maxmargin {machine['maxmargin']}, one thread, {machine['processor']}, {machine['date']}."
    )
    replace_section(page, SECTION, "\n\n".join(text))


def _by_estimator(found: list[Comparison]) -> str:
    columns = [
        "estimator",
        "tasks",
        "ours",
        "default peer",
        "tuned peer",
        "mean difference",
        "worst",
        "time",
        "slowest",
    ]
    rows = []
    for name in dict.fromkeys(row.estimator for row in found):
        some = [row for row in found if row.estimator == name]
        means = [
            np.mean([getattr(row, field) for row in some]) for field in ("score", "default", "tuned", "difference")
        ]
        worst = min(some, key=lambda row: row.difference)
        slowest = max(some, key=lambda row: row.ratio)
        rows.append(
            [
                name + (" (for information)" if name in INFORMATIVE else ""),
                str(len(some)),
                *(f"{mean:.1f}" for mean in means[:3]),
                f"{means[3]:+.2f}",
                f"{worst.difference:+.1f} ({worst.task})",
                f"{np.exp(np.mean(np.log([row.ratio for row in some]))):.2f} x",
                f"{slowest.ratio:.1f} x ({slowest.task})",
            ]
        )
    return markdown_table(columns, rows)


def _bar_table(bars: list[Bar]) -> str:
    rows = [[bar.claim, bar.value, bar.asked, "yes" if bar.holds else "**no**"] for bar in bars]
    return markdown_table(["bar", "found", "asked", "holds"], rows)


def _slow(found: list[Comparison]) -> list[str]:
    """Where more than three times the seconds of the fastest sane peer were spent, and the points above that peer."""
    if not found:
        return [f"Nothing is slower than {SLOWEST:g} x."]
    gains = [row.gain for row in found]
    better = sum(gain > 0.0 for gain in gains)
    text = (
        f"Slower than {SLOWEST:g} x, and what for: in {better} of {len(gains)} comparisons ours scores more than the "
        f"fastest sane peer, {np.mean(gains):+.2f} points in the mean."
    )
    columns = ["task", "estimator", "ours, CPU s", "peer, CPU s", "time", "fastest sane peer", "points above it"]
    rows = [
        [
            row.task,
            row.estimator,
            f"{row.seconds:.3g}",
            f"{row.fastest:.3g}",
            f"{row.ratio:.1f} x",
            row.fastest_peer,
            f"{row.gain:+.2f}",
        ]
        for row in found
    ]
    return [text, markdown_table(columns, rows)]


def _cells(row: Comparison) -> list[str]:
    return [
        row.task,
        f"{row.n:,}",
        f"{row.d:,}",
        f"{row.k:,}",
        f"{row.score:.1f}",
        f"{row.default:.1f} {_short(row.default_peer)}",
        f"{row.tuned:.1f} {_short(row.tuned_peer)}",
        f"{row.difference:+.2f}",
        "" if math.isnan(row.error) else f"{row.error:.2f}",
        f"{row.seconds:.3g}",
        f"{row.fastest:.3g} {_short(row.fastest_peer)}",
        f"{row.ratio:.2f}",
        row.flags,
    ]


_SHORT = {
    "LogisticRegression": "LR",
    "RidgeClassifier": "ridge",
    "SGDClassifier": "SGD",
    "OneVsRest ": "OvR ",
    "ClassifierChain": "chain",
    "CRFsuite": "crf",
    "token by token": "tokens",
    "marginal relevance": "MMR",
}


def _short(peer: str) -> str:
    for long, short in _SHORT.items():
        peer = peer.replace(long, short)
    return peer
