"""The program: which tasks run, in processes of their own, and what is done with the results."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from defaults.comparison import Comparison, compare, contenders
from defaults.isolated import call
from defaults.ours import names_of
from defaults.report import print_comparisons, write_page
from defaults.store import Store
from defaults.suite import peers_of, select
from defaults.task import FAMILIES, PARTS, Task
from shared.harness import environment

LIMIT = 60.0  # CPU seconds of one of our estimators on all splits of a task
PEER_LIMIT = 300.0
TITLES = dict(zip(PARTS, ("tasks to choose by", "held-out tasks", "fresh tasks")))


def main(description: str) -> None:
    arguments = _arguments(description)
    parts: dict[str, list[Comparison]] = {}
    asked = {"open": True, "held-out": arguments.held_out, "fresh": arguments.fresh}
    for part, title in TITLES.items():
        tasks = select(arguments.only, arguments.family, [part])
        if arguments.check:
            for task in tasks:
                check(task)
        elif asked[part]:
            if arguments.new:
                tasks = [task for task in tasks if not Store(task).complete(names_of(task), peers_of(task))]
            if arguments.peers:
                for task in tasks:
                    store_peers(task)
                continue
            found = [row for task in tasks for row in run(task, arguments)]
            if found:
                parts[title] = found
                print_comparisons(title, found)
    if arguments.json:
        content = {title: [asdict(row) for row in found] for title, found in parts.items()}
        arguments.json.write_text(json.dumps({"environment": environment(), **content}, indent=1) + "\n")
    if arguments.write:
        write_page(arguments.write, parts)


def run(task: Task, arguments: argparse.Namespace) -> list[Comparison]:
    """Runs what is asked for and is not stored; comparisons of all of our estimators with stored peers."""
    store = Store(task)
    beside = store.peers
    if not arguments.stored:
        for estimator in names_of(task):
            if not _measure(task, estimator, store):
                return []
        known = [store.ours[name]["digest"] for name in names_of(task) if "digest" in store.ours[name]]
        digest = known[0] if known else call("digest_of", {"name": task.name}, LIMIT)["digest"]
        missing = store.lacking(peers_of(task), digest)
        if missing and arguments.ours:
            print(f"{task.name}: no stored results of {', '.join(missing)}; run it without --ours.")
        elif missing:
            _measure_peers(task, missing, digest, store)
        beside = store.valid(peers_of(task), digest)
    if arguments.retime and beside:
        _retime(task, store, contenders(beside))
    if not beside or not all(name in store.ours for name in names_of(task)):
        print(f"{task.name} is left out: nothing is stored about it.")
        return []
    rows = [compare(task.name, task.family, name, store.ours[name], beside) for name in names_of(task)]
    for row in rows if not arguments.stored else []:
        print(
            f"{row.task}: {row.estimator} {row.score:.1f}, tuned peer {row.tuned:.1f} ({row.difference:+.2f}), "
            f"{row.seconds:.3g} s ({row.ratio:.2f} x) {row.flags}",
            flush=True,
        )
    return rows


def store_peers(task: Task) -> None:
    """Runs the peers whose results are not stored, and prints no score."""
    store, start = Store(task), time.perf_counter()
    found = call("digest_of", {"name": task.name}, LIMIT)
    if "digest" not in found:
        print(f"{task.name} is left out. {found['failure']}", flush=True)
        return
    missing = store.lacking(peers_of(task), found["digest"])
    if missing:
        _measure_peers(task, missing, found["digest"], store)
        print(f"{task.name}: {', '.join(missing)} ran in {time.perf_counter() - start:.0f} s.", flush=True)


def check(task: Task) -> None:
    """Prints whether everybody can be trained on a few rows of the task, and no score."""
    found = call("check", {"name": task.name}, LIMIT)
    if "missing" in found:
        print(f"{task.name} is left out. {found['missing']}")
    elif found.get("failure") or found["failed"]:
        print(f"{task.name} FAILS: {found.get('failure') or found['failed']}", flush=True)
    else:
        print(f"{task.name} runs.", flush=True)


def _measure(task: Task, estimator: str, store: Store) -> bool:
    found = call("run_ours", {"name": task.name, "estimator": estimator}, LIMIT)
    if "missing" in found:
        print(f"{task.name} is left out. {found['missing']}")
        return False
    store.ours[estimator] = found
    store.save()
    return True


def _measure_peers(task: Task, names: list[str], digest: str, store: Store) -> None:
    found = call("run_peers", {"name": task.name, "names": names}, PEER_LIMIT)
    if "failure" in found:
        print(f"{task.name}: the peers failed, {found['failure']}")
        return
    store.add_peers(peers_of(task), digest, found)
    store.save()


def _retime(task: Task, store: Store, settings: dict[str, Any]) -> None:
    """Measures the seconds of stored peers again, at these settings of theirs."""
    found = call("retime_peers", {"name": task.name, "settings": settings}, PEER_LIMIT)
    if "failure" in found:
        print(f"{task.name}: the seconds of the peers stay as they were, {found['failure']}")
        return
    for who in store.retime(found):
        print(f"{task.name}: {who} does not score as stored.")
    store.save()


def _arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--only", default="", metavar="PATTERN", help="tasks whose name contains this")
    parser.add_argument("--family", choices=FAMILIES, help="tasks of one family")
    parser.add_argument("--ours", action="store_true", help="run ours only, beside the stored results of the peers")
    parser.add_argument("--stored", action="store_true", help="run nothing, report what is stored")
    parser.add_argument("--peers", action="store_true", help="run only peers that are not stored, print no scores")
    parser.add_argument("--retime", action="store_true", help="measure the seconds of the fastest stored peers again")
    parser.add_argument("--new", action="store_true", help="run only tasks without stored results")
    parser.add_argument("--held-out", action="store_true", help="run the held-out tasks too, and report them apart")
    parser.add_argument("--fresh", action="store_true", help="run the newest list too, which is reported once")
    parser.add_argument("--check", action="store_true", help="train everybody on a few rows of every task, no scores")
    parser.add_argument("--json", type=Path, help="file for all comparisons")
    parser.add_argument("--write", type=Path, help="page with a section for the tables")
    return parser.parse_args()
