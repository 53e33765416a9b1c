"""Comparisons, bars, tables and stored results of the suite of defaults, on results that were made up."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from defaults.comparison import Comparison, bars_of, compare, contenders
from defaults.isolated import call
from defaults.report import SECTION, print_comparisons, write_page
from defaults.store import Store, key_of
from defaults.suite import TASKS, peers_of

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
PEERS = {
    "quick and poor": {"default": {"scores": [70.0, 72.0], "seconds": 0.01}},
    "slow": {
        "default": {"scores": [90.0, 92.0], "seconds": 2.0},
        "tuned": {"scores": [94.0, 96.0], "seconds": 4.0},
    },
    "good": {
        "default": {"scores": [91.0, 93.0], "seconds": 1.0},
        "tuned": {"scores": [92.0, 94.0], "seconds": 0.5, "search": 3.0},
    },
}


def row(**changes) -> Comparison:
    values = {
        "task": "made up",
        "family": "classes",
        "estimator": "MulticlassSVC",
        "n": 10,
        "d": 2,
        "k": 2,
        "score": 90.0,
        "default": 88.0,
        "default_peer": "a",
        "tuned": 90.0,
        "tuned_peer": "b",
        "error": 0.1,
        "seconds": 0.5,
        "fastest": 1.0,
        "fastest_peer": "b, tuned",
        "fastest_score": 89.0,
        "waited": 1.0,
        "equal": 1.0,
    }
    return Comparison(**{**values, **changes})


def test_the_best_tuned_peer_and_the_fastest_sane_one():
    ours = {"scores": [93.0, 97.0], "seconds": 1.5, "n": 10, "d": 2, "k": 3, "warnings": ["UserWarning: no"]}
    found = compare("made up", "classes", "MulticlassSVC", ours, PEERS)
    assert (found.tuned_peer, found.tuned) == ("slow", 95.0)
    assert (found.default_peer, found.default) == ("good", 92.0)
    # Within 3 points of 95 are both settings of "good" and the tuned "slow".
    assert (found.fastest_peer, found.fastest) == ("good, tuned", 0.5)
    assert found.fastest_score == 93.0
    assert found.waited == 1.0  # the default of "good", as its search takes 3 s
    assert found.equal == 0.5
    assert found.difference == 0.0
    assert found.gain == 2.0
    assert found.ratio == 3.0
    assert found.error == pytest.approx(1.0)  # differences -1 and 1
    assert found.flags == "warns"


def test_the_seconds_of_sane_peers_near_the_fastest_are_worth_measuring_again():
    def entry(score: float, seconds: float, **setting: float) -> dict[str, object]:
        return {"scores": [score], "seconds": seconds, "setting": setting}

    peers = {
        "poor": {"default": entry(80.0, 0.1)},
        "quick": {"default": entry(92.0, 1.0), "tuned": entry(88.0, 0.5, C=1.0)},
        "good": {"default": entry(93.0, 6.0), "tuned": entry(94.0, 4.0, C=3.0)},
    }
    # Sane from 91 on; the fastest of those takes 1 s, and one of 6 s will not be the fastest.
    assert contenders(peers) == {"quick": {"default": {}}, "good": {"tuned": {"C": 3.0}}}


def test_beside_peers_as_good_as_ours():
    ours = {"scores": [97.0, 99.0], "seconds": 4.4, "n": 10, "d": 2, "k": 3}
    found = compare("made up", "classes", "MulticlassSVC", ours, PEERS)
    assert (found.fastest, found.equal) == (0.5, 4.0)  # of the sane ones only "slow, tuned" is within 3 points of 98
    far = compare("made up", "classes", "MulticlassSVC", {**ours, "scores": [100.0, 100.0]}, PEERS)
    assert far.equal == 4.0  # none is: the best one
    by_claim = {bar.claim: bar for bar in bars_of([found])}
    assert by_claim["geometric mean beside peers within 3 points of ours, or the best one"].value == "1.10 x"
    assert by_claim["geometric mean with the search for a peer's setting as part of its fit"].value == "4.40 x"


def test_a_failure_scores_nothing():
    found = compare("made up", "classes", "MulticlassSVC", {"failure": "crash", "seconds": 9.0}, PEERS)
    assert found.score == 0.0
    assert found.flags == "fails worse slow"
    assert not next(bar for bar in bars_of([found]) if "fail" in bar.claim).holds


def test_bars_hold_and_fail_where_they_should():
    good = [row(), row(score=89.2), row(seconds=1.4)]
    assert all(bar.holds for bar in bars_of(good))
    mean, worst, slowest, geometric, *_, warned, failed = (
        bar.holds for bar in bars_of([row(score=86.9, seconds=3.1, warnings=("a",)), row(estimator="ChainPerceptron")])
    )
    assert [mean, worst, slowest, geometric, warned, failed] == [False, False, False, False, False, True]
    assert bars_of([row(score=89.6), row(score=89.3)])[0].value == "-0.55"
    assert not bars_of([row(score=89.6), row(score=89.3)])[0].holds
    assert bars_of([row(seconds=0.25), row(seconds=4.0)])[3].value == "1.00 x"
    assert bars_of([row(estimator="ChainPerceptron", score=0.0)]) == []


def test_tiny_fits_count_as_ten_milliseconds_in_a_bar_of_their_own():
    bars = bars_of([row(seconds=0.009, fastest=0.001)])
    assert (bars[2].holds, bars[4].holds, bars[4].value) == (False, True, "1.00 x")


def test_tables_are_printed_and_written(tmp_path, capsys):
    found = [row(), row(task="other", error=math.nan, failure="crash", score=0.0)]
    print_comparisons("tasks", found)
    assert "crash" in capsys.readouterr().out
    page = tmp_path / "page.md"
    page.write_text(f"before\n<!-- {SECTION} -->\n<!-- end of {SECTION} -->\nafter\n")
    write_page(page, {"tasks": found})
    text = page.read_text()
    assert "| MulticlassSVC | 2 | 45.0 | 88.0 | 90.0 | -45.00 | -90.0 (other) |" in text
    assert "| **no** |" in text


def test_what_is_slow_is_written_beside_the_points_that_it_buys(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"<!-- {SECTION} -->\n<!-- end of {SECTION} -->\n")
    found = [
        row(task="in time", seconds=3.0),
        row(task="takes long", seconds=3.5, score=88.5),
        row(task="takes longest", seconds=6.0, score=91.0),
        row(task="failed", seconds=9.0, failure="crash"),
        row(task="for information", seconds=9.0, estimator="ChainPerceptron"),
    ]
    write_page(page, {"tasks": found, "others": found[:1]})
    tasks, others = page.read_text().split("**others**")
    assert "in 1 of 2 comparisons ours scores more than the fastest sane peer, +0.75 points in the mean." in tasks
    rows = [line for line in tasks.splitlines() if line.startswith("| takes")]
    assert rows == [
        "| takes longest | MulticlassSVC | 6 | 1 | 6.0 x | b, tuned | +2.00 |",
        "| takes long | MulticlassSVC | 3.5 | 1 | 3.5 x | b, tuned | -0.50 |",
    ]
    assert "Nothing is slower than 3 x." in others


def test_results_of_peers_are_stored_by_version_and_data(tmp_path):
    task = TASKS["iris"]
    peers = peers_of(task)
    store = Store(task, tmp_path)
    assert store.lacking(peers, "1234") == [peer.name for peer in peers]
    store.add_peers(peers, "1234", {peers[0].name: PEERS["good"]})
    store.save()
    again = Store(task, tmp_path)
    assert again.lacking(peers, "1234") == [peer.name for peer in peers[1:]]
    assert again.lacking(peers, "5678") == [peer.name for peer in peers]
    assert list(again.valid(peers, "1234")) == [peers[0].name]
    assert again.valid(peers, "5678") == {}
    assert again.complete([], peers[:1])
    assert not again.complete([], peers)
    assert not again.complete(["MulticlassSVC"], peers[:1])
    assert again.peers[peers[0].name] == {"key": key_of(peers[0], "1234"), **PEERS["good"]}


def test_retiming_changes_seconds_only_and_names_scores_that_come_out_other(tmp_path):
    task = TASKS["iris"]
    peers = peers_of(task)[:1]
    store = Store(task, tmp_path)
    kinds = {"default": {"scores": [90.0, 92.0], "seconds": 9.0, "setting": {}}}
    kinds["tuned"] = {"scores": [94.0, 96.0], "seconds": 8.0, "setting": {"C": 2.0}}
    name = peers[0].name
    store.add_peers(peers, "1234", {name: kinds})
    again = {"default": {"scores": [90.5], "seconds": 1.0}, "tuned": {"scores": [96.0, 97.0], "seconds": 2.0}}
    assert store.retime({name: again}) == [f"{name}, tuned"]
    stored = store.peers[name]
    assert (stored["default"]["seconds"], stored["tuned"]["seconds"]) == (1.0, 2.0)
    assert (stored["default"]["scores"], stored["tuned"]["scores"]) == ([90.0, 92.0], [94.0, 96.0])
    assert not store.lacking(peers, "1234")


def test_a_call_ends_with_a_sentence_where_there_is_no_answer():
    assert "KeyError" in call("run_ours", {"name": "no such task", "estimator": "MulticlassSVC"}, 60.0)["failure"]
    assert call("run_ours", {"name": "iris", "estimator": "MulticlassSVC"}, 0.0)["failure"] == "not done after 0 s"
    long = call("run_peers", {"name": "500 labels", "names": ["token by token"]}, 1.0)
    assert long["failure"].startswith("not done after 1")
    found = call("run_ours", {"name": "iris", "estimator": "MulticlassSVC", "splits": 2}, 60.0)
    assert len(found["scores"]) == 2
    assert found["n"] == 90


def test_the_program_checks_tasks_and_prints_no_score():
    command = [sys.executable, str(BENCHMARKS / "defaults" / "run.py"), "--check", "--only", "wine, r"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ}, check=True)
    assert done.stdout.splitlines() == ["wine, raw runs."]
