"""The settings of each method that score best on the held-out part, never on the test part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chains.measured import run
from chains.methods import METHODS, Settings
from shared.harness import RESULTS
from shared.tables import console

CHOICES = RESULTS / "chain_choices.json"


def choose(folder: Path, facts: dict[str, Any], methods: list[str], quick: bool, again: bool) -> dict[str, Settings]:
    """The best settings of each method's grid. What was tried is kept in a file of results, and not tried again.

    With ``quick`` two settings of each are tried; these, and those for invented data, are not kept.
    """
    lasting = not quick and not facts["note"]
    kept: dict[str, Any] = json.loads(CHOICES.read_text()) if CHOICES.exists() and lasting else {}
    known = {} if again else kept.get(facts["name"], {})
    chosen: dict[str, Settings] = {}
    for method in dict.fromkeys(METHODS[method].like or method for method in methods):
        grid = METHODS[method].tried_on(facts["name"])
        grid = grid[1:3] if quick else grid
        if not grid:
            chosen[method] = {}
            continue
        points = [point for point in known.get(method, {}).get("tried", []) if point["settings"] in grid]
        points += _tried(folder, facts, method, [new for new in grid if new not in [p["settings"] for p in points]])
        chosen[method] = max(points, key=lambda point: float(point["score"]))["settings"]
        known[method] = {"settings": chosen[method], "tried": points}
        if lasting:
            kept[facts["name"]] = known
            CHOICES.parent.mkdir(exist_ok=True)
            CHOICES.write_text(json.dumps(kept, indent=1) + "\n")
    return {method: chosen[METHODS[method].like or method] for method in methods}


def _tried(folder: Path, facts: dict[str, Any], method: str, grid: list[Settings]) -> list[dict[str, Any]]:
    """Trains at each of the settings and scores on the held-out part."""
    if grid:
        console.print(f"{facts['name']}, {method}: the held-out part judges {len(grid)} settings")
    runs = [run(folder, facts, method, settings, parts=("fit", "held-out")) for settings in grid]
    return [{"settings": done.found["settings"], "score": done.score, "train": done.train} for done in runs]
