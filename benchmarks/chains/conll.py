"""CoNLL-2000 chunking: every method, packing, the likelihood of one model, growth with n, the second thread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from chains.measured import LIMIT, Run, run
from chains.methods import LBFGS, ONE_PASS, OURS, Settings
from chains.report import print_growth, print_methods, print_optimum, print_packing, print_threads
from shared.harness import run_job
from shared.tables import Bar

F1, TRAIN_FACTOR, TOTAL_FACTOR, LIKELIHOOD_FACTOR = 93.7, 50.0, 20.0, 10.0
MEMORY_SHARE, SPEED_FACTOR, DEFAULT_LOSS, SLOPE, THREAD_SHARE = 0.5, 5.0, 0.2, 1.15, 0.8
CHOSEN_OF_OURS = ("ChainSVC",)
CHOSEN_C, LBFGS_DEFAULT = "ChainSVC, chosen C", "CRFsuite lbfgs, default c2"
CLOSE = 1e-3
_LOOSER = (16.0, 8.0, 4.0, 2.0, 1.0, 0.5)  # times the tolerance that guarantees CLOSE


def conll(
    folder: Path, facts: dict[str, Any], chosen: dict[str, Settings], repeat: int
) -> tuple[dict[str, Any], list[Bar]]:
    """All of it: what was found, and the bars."""
    runs = _methods(folder, facts, chosen, repeat)
    print_methods(facts, list(runs.values()), runs.get(LBFGS))
    words = [_finished(run_job("chains.fit", "fit_words", {"folder": str(folder)}, LIMIT)) for _ in range(repeat)]
    packing = _packing(facts, runs, words)
    bars, optimum = _bars(runs, words), []
    for rival in (runs[name] for name in (LBFGS, LBFGS_DEFAULT) if name in runs):
        compared, bar = _optimum(folder, facts, rival, repeat)
        optimum.append(compared)
        bars.append(bar)
    growth, grown = _growth(folder, facts, repeat)
    threads, gained = _threads(folder)
    found = {
        "runs": list(runs.values()),
        "words": words,
        "packing": packing,
        "optimum": optimum,
        "growth": growth,
        "threads": threads,
    }
    return found, [*bars, grown, *gained]


def _methods(folder: Path, facts: dict[str, Any], chosen: dict[str, Settings], repeat: int) -> dict[str, Run]:
    """Ours at their defaults, ChainSVC also at the C that the held-out part chose; the others as chosen.

    CRFsuite's lbfgs runs with its default c2 too, with which it ends sooner.
    """
    runs = {ours: run(folder, facts, ours, {}, repeat=repeat) for ours in OURS}
    runs[CHOSEN_C] = run(folder, facts, "ChainSVC", chosen["ChainSVC"], repeat=repeat, name=CHOSEN_C)
    for method, settings in chosen.items():
        if method not in OURS:
            more = {"c2": settings["c2"]} if method == LBFGS else {}
            runs[method] = run(folder, facts, method, settings, repeat=repeat, **more)
    if LBFGS in chosen and chosen[LBFGS]["c2"] != 1.0:
        runs[LBFGS_DEFAULT] = run(folder, facts, LBFGS, {"c2": 1.0}, repeat=repeat, c2=1.0, name=LBFGS_DEFAULT)
    return runs


def _packing(facts: dict[str, Any], runs: dict[str, Run], words: list[dict[str, Any]]) -> dict[str, float]:
    templates = float(np.median([done["packing"]["cpu"] for done in words]))
    rows = [("words and tags, by chunking_templates(): SequenceVectorizer", templates, int(facts["tokens"]))]
    for method, made in (("ChainSVC", "SequenceVectorizer"), (LBFGS, "Trainer.append"), (ONE_PASS, "text file")):
        if method in runs:
            rows.append((f"lists of strings: {made}", runs[method].pack, int(facts["tokens"])))
    print_packing(rows)
    return {name: seconds for name, seconds, _ in rows}


def _optimum(folder: Path, facts: dict[str, Any], rival: Run, repeat: int) -> tuple[dict[str, Any], Bar]:
    """The loosest tolerance at which ChainCRF comes within 0.1 % of the best known likelihood of CRFsuite's model.

    CRFsuite minimises ``c2 |w|^2 - log-likelihood`` without intercept, start or end, over features that occur.
    """
    c2 = float(rival.found["settings"]["c2"])
    same = {"C": 1.0, "l2": 2.0 * c2, "observed": True, "ends": False, "fit_intercept": False}
    guaranteed = CLOSE * float(rival.found["likelihood"]) / facts["sequences"]
    precise = run(folder, facts, "ChainCRF", same | {"tol": 0.05 * guaranteed}, c2=c2, name="ChainCRF, precise")
    best = min(float(done.found["likelihood"]) for done in (rival, precise))
    for looser in _LOOSER:
        ours = run(folder, facts, "ChainCRF", same | {"tol": looser * guaranteed}, c2=c2)
        if ours.found["likelihood"] <= best * (1.0 + CLOSE):
            break
    if repeat > 1:
        ours = run(folder, facts, "ChainCRF", ours.found["settings"], repeat=repeat, c2=c2)
    close = ours.found["likelihood"] <= best * (1.0 + CLOSE)
    reached = rival.reached(best * (1.0 + CLOSE))
    gap = precise.found["gap"]
    bound = None if gap is None else precise.found["primal"] - gap
    rows = [
        (rival.name, rival.train, float(rival.found["likelihood"]), reached),
        (precise.name, precise.train, float(precise.found["likelihood"]), float("nan")),
        (f"ChainCRF, tol {ours.found['settings']['tol']:.2g}", ours.train, float(ours.found["likelihood"]), ours.train),
    ]
    print_optimum(c2, best, bound, rows)
    ratio = reached / ours.train
    bar = Bar(
        f"ChainCRF, c2 = {c2:g}: times faster than CRFsuite's log to within 0.1 % of the common optimum",
        f"{ratio:.1f} ({ours.train:.2f} s, {reached:.1f} s)" if close else "not within 0.1 %",
        f">= {LIKELIHOOD_FACTOR:g}",
        close and ratio >= LIKELIHOOD_FACTOR,
    )
    return {"c2": c2, "best": best, "reached": reached, "precise": precise, "ours": ours}, bar


def _bars(runs: dict[str, Run], words: list[dict[str, Any]]) -> list[Bar]:
    ours, best = runs["ChainSVC"], runs[CHOSEN_C]
    bars = [
        Bar("ChainSVC with its defaults: F1", f"{ours.score:.2f}", f">= {F1}", ours.score >= F1),
        Bar(
            "F1 lost by the default C",
            f"{best.score - ours.score:.2f} (C = {best.found['C']:g} has {best.score:.2f})",
            f"<= {DEFAULT_LOSS}",
            best.score - ours.score <= DEFAULT_LOSS,
        ),
    ]
    for rival in (runs[name] for name in (LBFGS, LBFGS_DEFAULT) if name in runs):
        train, total = rival.train / ours.train, rival.total / ours.total
        c2 = rival.found["settings"]["c2"]
        bars += [
            Bar(
                f"training, times faster than CRFsuite lbfgs, c2 = {c2:g} (F1 {rival.score:.2f})",
                f"{train:.0f} ({ours.train:.2f} s, {rival.train:.1f} s)",
                f">= {TRAIN_FACTOR:g}",
                train >= TRAIN_FACTOR,
            ),
            Bar("the same from lists of strings", f"{total:.0f}", f">= {TOTAL_FACTOR:g}", total >= TOTAL_FACTOR),
        ]
    if LBFGS in runs:
        rival = runs[LBFGS]
        speed = ours.speed / rival.speed
        packed, first = ours.packed_speed / rival.packed_speed, ours.first_speed / rival.first_speed
        whole = max(done["input"] + done["training"]["peak"] for done in words) / 1e6
        every = rival.peak + rival.found["input"] / 1e6
        bars += [
            Bar(
                "peak memory beyond the strings, of CRFsuite's process",
                f"{ours.peak / every:.2f} ({ours.peak:.0f} of {every:.0f} MB; {rival.peak:.0f} beyond its strings)",
                f"<= {MEMORY_SHARE}",
                ours.peak <= MEMORY_SHARE * every,
            ),
            Bar(
                "peak memory of the whole process, of CRFsuite's, from words and tags by templates",
                f"{whole / every:.2f} ({whole:.0f} of {every:.0f} MB)",
                f"<= {MEMORY_SHARE}",
                whole <= MEMORY_SHARE * every,
            ),
            Bar(
                "tokens/s of prediction, times CRFsuite's",
                f"{speed:.1f} from strings, {packed:.1f} once packed; first call {first:.1f}",
                f">= {SPEED_FACTOR:g} from strings",
                speed >= SPEED_FACTOR,
            ),
        ]
    if ONE_PASS in runs:
        rival = runs[ONE_PASS]
        for what, mine, other in (("training", ours.train, rival.train), ("from strings", ours.total, rival.total)):
            bars.append(Bar(f"CPU s, {what}, ChainSVC / {ONE_PASS}", f"{mine:.2f} / {other:.2f}", "less", mine < other))
        shown = f"{ours.score:.2f} / {rival.score:.2f}"
        bars.append(Bar(f"F1, ChainSVC / {ONE_PASS}", shown, "more", ours.score > rival.score))
    checked = [done.found for done in runs.values() if done.found["seqeval"] is not None]
    if checked:
        worst = max(abs(found["f1"] - found["seqeval"]) for found in checked)
        bars.append(Bar("our F1 against seqeval's, largest difference", f"{worst:.1e}", "<= 1e-6", worst <= 1e-6))
    return bars


def _growth(folder: Path, facts: dict[str, Any], repeat: int) -> tuple[dict[str, Any], Bar]:
    """CPU seconds of ChainSVC with its defaults at five sizes from a tenth to all sequences."""
    shares = np.logspace(-1, 0, 5)
    runs = [run(folder, facts, "ChainSVC", {}, share=float(share), repeat=repeat) for share in shares]
    sizes, seconds = [int(done.found["sequences"]) for done in runs], [done.train for done in runs]
    slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    print_growth(sizes, seconds, slope)
    bar = Bar("slope of log time of ChainSVC over log n", f"{slope:.2f}", f"<= {SLOPE}", slope <= SLOPE)
    return {"sizes": sizes, "seconds": seconds, "slope": slope, "rounds": [done.found["n_iter"] for done in runs]}, bar


def _threads(folder: Path) -> tuple[dict[str, Any], list[Bar]]:
    found = _finished(run_job("chains.threads", "second_thread", {"folder": str(folder)}, LIMIT))
    print_threads(found)
    gather = found["gather"]["times"]
    bars = []
    for work, row in found.items():
        if work != "gather":
            share = row["times"] / gather
            bars.append(
                Bar(
                    f"second thread, {work}: share of what a bare gather gains",
                    f"{share:.2f} ({row['times']:.2f} of {gather:.2f})",
                    f">= {THREAD_SHARE}",
                    share >= THREAD_SHARE,
                )
            )
    return found, bars


def _finished(answer: dict[str, Any] | None) -> dict[str, Any]:
    if answer is None:
        raise RuntimeError(f"A process took more than {LIMIT:g} seconds.")
    return answer
