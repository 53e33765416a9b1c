"""From scores and seconds to a comparison of one estimator with the peers of one task, and to the bars."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from defaults.ours import INFORMATIVE
from shared.tables import Bar

MEAN_LOSS = 0.5  # points that the mean may be below that of the best tuned peers
WORST_LOSS = 3.0  # points on any task
SANE = 3.0  # points below the best peer within which a peer counts for time
SLOWEST = 3.0  # times the seconds of the fastest sane peer on any task
KINDS = ("default", "tuned")
FAR = 5.0  # times the seconds of the fastest sane peer, beyond which a peer was not slow by chance
TINY = 0.01  # seconds: below that a fit is all overhead


@dataclass(frozen=True)
class Comparison:
    """One of our estimators on one task; scores in points, seconds of CPU time of one fit.

    ``error`` is the standard error of the difference to the best tuned peer over the splits (NaN of a single one).
    ``fastest`` is the fit of the fastest sane peer at its setting; ``waited`` the least that a sane peer takes together
    with the search for its setting, and ``equal`` the fastest fit among those that are within 3 points of ours, too.
    """

    task: str
    family: str
    estimator: str
    n: int
    d: int
    k: int
    score: float
    default: float
    default_peer: str
    tuned: float
    tuned_peer: str
    error: float
    seconds: float
    fastest: float
    fastest_peer: str
    fastest_score: float
    waited: float
    equal: float
    warnings: tuple[str, ...] = ()
    failure: str = ""

    @property
    def difference(self) -> float:
        return self.score - self.tuned

    @property
    def ratio(self) -> float:
        return self.seconds / self.fastest

    @property
    def gain(self) -> float:
        """Points above the fastest sane peer, for which the time was spent that it did not need."""
        return self.score - self.fastest_score

    @property
    def informative(self) -> bool:
        return self.estimator in INFORMATIVE

    @property
    def flags(self) -> str:
        found = {
            "fails": bool(self.failure),
            "worse": self.difference < -WORST_LOSS,
            "slow": self.ratio > SLOWEST,
            "warns": bool(self.warnings),
        }
        return " ".join(name for name, holds in found.items() if holds)


def compare(task: str, family: str, estimator: str, ours: dict[str, Any], peers: dict[str, Any]) -> Comparison:
    """``ours`` is what ``work.run_ours`` gives, or has a ``failure`` and the seconds until then; it scores 0 then."""
    tuned = {name: found.get("tuned", found["default"]) for name, found in peers.items()}
    best = max(tuned, key=lambda name: _mean(tuned[name]))
    plain = max(peers, key=lambda name: _mean(peers[name]["default"]))
    sane = sane_entries(peers)
    name, kind, quickest = min(sane, key=lambda item: item[2]["seconds"])
    fastest = f"{name}{'' if kind == 'default' else ', tuned'}"
    scores = np.array(ours.get("scores", [0.0] * len(tuned[best]["scores"])))
    gains = scores - np.array(tuned[best]["scores"])
    entries = [entry for _, _, entry in sane]
    equal = [entry for entry in entries if _mean(entry) >= scores.mean() - SANE] or [max(entries, key=_mean)]
    return Comparison(
        task,
        family,
        estimator,
        *(ours.get(name, 0) for name in ("n", "d", "k")),
        score=float(scores.mean()),
        default=_mean(peers[plain]["default"]),
        default_peer=plain,
        tuned=_mean(tuned[best]),
        tuned_peer=best,
        error=float(gains.std(ddof=1) / math.sqrt(gains.size)) if gains.size > 1 else math.nan,
        seconds=max(ours["seconds"], 1e-6),
        fastest=quickest["seconds"],
        fastest_peer=fastest,
        fastest_score=_mean(quickest),
        waited=min(entry["seconds"] + entry.get("search", 0.0) for entry in entries),
        equal=min(entry["seconds"] for entry in equal),
        warnings=tuple(ours.get("warnings", ())),
        failure=ours.get("failure", ""),
    )


def sane_entries(peers: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Name, kind (``default``, ``tuned``) and results of the peers that are good enough for their seconds to count."""
    entries = [(name, kind, found[kind]) for name, found in peers.items() for kind in KINDS if kind in found]
    bar = max(_mean(entry) for _, _, entry in entries) - SANE
    return [item for item in entries if _mean(item[2]) >= bar]


def contenders(peers: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By name and kind the settings whose seconds may be the least of the sane ones when they are measured again."""
    sane = sane_entries(peers)
    limit = FAR * min(entry["seconds"] for _, _, entry in sane)
    found: dict[str, dict[str, Any]] = {}
    for name, kind, entry in sane:
        if entry["seconds"] <= limit:
            found.setdefault(name, {})[kind] = entry["setting"]
    return found


def slow_ones(found: list[Comparison]) -> list[Comparison]:
    """Comparisons of estimators with bars that took more than their time, the slowest first."""
    slow = [row for row in found if row.ratio > SLOWEST and not row.informative and not row.failure]
    return sorted(slow, key=lambda row: -row.ratio)


def bars_of(found: list[Comparison]) -> list[Bar]:
    """The bars over all comparisons but the informative ones, each with what was found."""
    rows = [row for row in found if not row.informative]
    if not rows:
        return []
    mean = float(np.mean([row.difference for row in rows]))
    worst = min(rows, key=lambda row: row.difference)
    done = [row for row in rows if not row.failure] or rows  # a failure has a bar of its own
    slowest = max(done, key=lambda row: row.ratio)
    geometric = _geometric([row.ratio for row in done])
    floor = f"{1000 * TINY:g} ms"
    tiny = [max(row.seconds, TINY) / max(row.fastest, TINY) for row in done]
    far = sum(row.difference < -WORST_LOSS for row in rows)
    slow = sum(row.ratio > SLOWEST for row in done)
    warn = sum(bool(row.warnings) for row in rows)
    fail = sum(bool(row.failure) for row in rows)
    return [
        Bar("mean score beside the best tuned peer", f"{mean:+.2f}", f"{-MEAN_LOSS:g}", mean >= -MEAN_LOSS),
        Bar(
            f"worst task: {worst.estimator}, {worst.task} ({far} of {len(rows)} below)",
            f"{worst.difference:+.2f}",
            f"{-WORST_LOSS:g}",
            worst.difference >= -WORST_LOSS,
        ),
        Bar(
            f"slowest beside the fastest sane peer: {slowest.estimator}, {slowest.task} ({slow} of {len(done)} above)",
            f"{slowest.ratio:.2f} x",
            f"{SLOWEST:g} x",
            slowest.ratio <= SLOWEST,
        ),
        Bar("geometric mean of the times beside it", f"{geometric:.2f} x", "1 x", geometric <= 1.0),
        Bar(
            f"slowest where a fit below {floor} counts as {floor} ({sum(each > SLOWEST for each in tiny)} above)",
            f"{max(tiny):.2f} x",
            f"{SLOWEST:g} x",
            max(tiny) <= SLOWEST,
        ),
        *_other_readings(done),
        Bar("tasks with a warning", str(warn), "0", warn == 0),
        Bar("tasks that fail or run into the limit of time", str(fail), "0", fail == 0),
    ]


def _other_readings(done: list[Comparison]) -> list[Bar]:
    """The bars of time with the seconds that a user waits for a peer, and beside peers that are as good as ours."""
    readings = {
        "with the search for a peer's setting as part of its fit": [row.seconds / row.waited for row in done],
        "beside peers within 3 points of ours, or the best one": [row.seconds / row.equal for row in done],
    }
    bars = []
    for reading, ratios in readings.items():
        slow, geometric = sum(ratio > SLOWEST for ratio in ratios), _geometric(ratios)
        claim = f"slowest {reading} ({slow} above)"
        bars.append(Bar(claim, f"{max(ratios):.2f} x", f"{SLOWEST:g} x", max(ratios) <= SLOWEST))
        bars.append(Bar(f"geometric mean {reading}", f"{geometric:.2f} x", "1 x", geometric <= 1.0))
    return bars


def _mean(entry: dict[str, Any]) -> float:
    return float(np.mean(entry["scores"]))


def _geometric(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))
