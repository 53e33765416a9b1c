"""Results on disk: one file per task, so that peers run once and ours as often as defaults change."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from defaults.peer import Peer
from defaults.task import Task
from shared.harness import RESULTS

FOLDER = RESULTS / "defaults"
AGREE = 1.0  # points by which the mean score of the same setting may differ: some solvers draw random numbers
SUITE = 1  # raised when the way of comparing changes, which makes stored results of peers worthless


class Store:
    """What is known about one task: ``ours`` by estimator, ``peers`` by name."""

    def __init__(self, task: Task, folder: Path = FOLDER) -> None:
        self._path = folder / f"{re.sub('[^a-z0-9]+', '-', task.name.lower()).strip('-')}.json"
        stored = json.loads(self._path.read_text()) if self._path.exists() else {}
        self.ours: dict[str, Any] = stored.get("ours", {})
        self.peers: dict[str, Any] = stored.get("peers", {})

    def save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps({"ours": self.ours, "peers": self.peers}, indent=1) + "\n")

    def complete(self, ours: list[str], peers: list[Peer]) -> bool:
        """Whether there are results of all of them, of whatever version and data."""
        return all(name in self.ours for name in ours) and all(peer.name in self.peers for peer in peers)

    def lacking(self, peers: list[Peer], digest: str) -> list[str]:
        """The peers without a result of their version on the data of this digest."""
        return [peer.name for peer in peers if self.peers.get(peer.name, {}).get("key") != key_of(peer, digest)]

    def valid(self, peers: list[Peer], digest: str) -> dict[str, Any]:
        """The results of the peers that are not lacking."""
        lacking = self.lacking(peers, digest)
        return {peer.name: self.peers[peer.name] for peer in peers if peer.name not in lacking}

    def add_peers(self, peers: list[Peer], digest: str, found: dict[str, Any]) -> None:
        for peer in peers:
            if peer.name in found:
                self.peers[peer.name] = {"key": key_of(peer, digest), **found[peer.name]}

    def retime(self, found: dict[str, Any]) -> list[str]:
        """Puts in the seconds of fits at the stored settings and keeps the scores; says whose scores came out other."""
        other = []
        for name, kinds in found.items():
            for kind, again in kinds.items():
                stored = self.peers[name][kind]
                stored["seconds"] = again["seconds"]
                gains = np.subtract(again["scores"], stored["scores"][: len(again["scores"])])
                if abs(gains.mean()) > AGREE:
                    other.append(f"{name}, {kind}")
        return other


def key_of(peer: Peer, digest: str) -> str:
    return f"{peer.needs[1]} {peer.version}, data {digest}, suite {SUITE}"
