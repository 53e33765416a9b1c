"""OCR letters: ChainSVC with C = 0.1 to a certified gap of 0.1 %, beside CRFsuite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chains.measured import run
from chains.methods import LBFGS, Settings
from chains.report import print_methods
from shared.tables import Bar

C = 0.1
GAP, FACTOR, ERROR = 1e-3, 5.0, 20.3
RIVALS_TRIED = (LBFGS, "CRFsuite ap", "CRFsuite pa")


def ocr(
    folder: Path, facts: dict[str, Any], chosen: dict[str, Settings], repeat: int
) -> tuple[dict[str, Any], list[Bar]]:
    """Every method once, then ChainSVC at the tolerance that certifies the gap."""
    first = run(folder, facts, "ChainSVC", {"C": C}, repeat=repeat, hinge_C=C)
    lower_bound = first.found["primal"] - first.found["gap"]
    tol = GAP * lower_bound / (C * facts["sequences"])
    certified = run(
        folder, facts, "ChainSVC", {"C": C, "tol": tol}, repeat=repeat, hinge_C=C, name="ChainSVC, gap 0.1 %"
    )
    runs = [first, certified, run(folder, facts, "ChainCRF", {}, repeat=repeat)]
    runs += [run(folder, facts, method, settings, repeat=repeat) for method, settings in chosen.items()]
    rival = next((done for done in runs if done.name == LBFGS), None)
    print_methods(facts, runs, rival)
    objective, gap = certified.found["hinge"], certified.found["gap"]
    error = 100.0 - certified.score
    off = abs(objective / certified.found["primal"] - 1.0)
    where = facts["name"]
    bars = [
        Bar(f"{where}: gap of the objective", f"{gap / objective:.3%}", f"<= {GAP:.1%}", gap <= GAP * objective),
        Bar(f"{where}: objective as computed from the weights, difference", f"{off:.1e}", "<= 1e-6", off <= 1e-6),
        Bar(f"{where}: letter error, %", f"{error:.2f}", f"<= {ERROR}", error <= ERROR),
    ]
    if rival is not None:
        ratio = rival.train / certified.train
        shown = f"{ratio:.1f} ({certified.train:.2f} s, {rival.train:.2f} s)"
        bars.append(Bar(f"{where}: times faster than CRFsuite lbfgs", shown, f">= {FACTOR:g}", ratio >= FACTOR))
    return {"runs": runs}, bars
