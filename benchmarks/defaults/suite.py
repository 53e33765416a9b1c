"""All tasks, and the peers of each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from defaults.chain_peers import CHAIN_PEERS
from defaults.chain_tasks import CHAIN_TASKS
from defaults.class_peers import CLASS_PEERS, COST_PEERS, TAXONOMY_PEERS
from defaults.class_tasks import CLASS_TASKS
from defaults.fourth import FOURTH_LIST
from defaults.label_peers import LABEL_PEERS
from defaults.label_tasks import LABEL_TASKS
from defaults.measure_peers import MEASURE_PEERS
from defaults.measure_tasks import MEASURE_TASKS
from defaults.peer import Peer
from defaults.ranking_peers import DIVERSITY_PEERS, RANKING_PEERS
from defaults.ranking_tasks import DIVERSITY_TASKS, RANKING_TASKS
from defaults.second import SECOND_LIST
from defaults.task import PARTS, Task
from defaults.taxonomy_tasks import TAXONOMY_TASKS
from defaults.third import THIRD_LIST

FIRST_LIST = (
    *CLASS_TASKS,
    *TAXONOMY_TASKS,
    *LABEL_TASKS,
    *MEASURE_TASKS,
    *RANKING_TASKS,
    *DIVERSITY_TASKS,
    *CHAIN_TASKS,
)
OLDER = (*FIRST_LIST, *SECOND_LIST)  # the lists by which defaults have been chosen
FRESH = (*THIRD_LIST, *FOURTH_LIST)  # the newest lists, held out as a whole; they join OLDER when there is a newer one
TASKS: dict[str, Task] = {task.name: task for task in (*OLDER, *(replace(task, fresh=True) for task in FRESH))}
_PEERS = {
    "classes": CLASS_PEERS,
    "taxonomies": TAXONOMY_PEERS,
    "labels": LABEL_PEERS,
    "measures": MEASURE_PEERS,
    "rankings": RANKING_PEERS,
    "diversity": DIVERSITY_PEERS,
    "chains": CHAIN_PEERS,
}


def peers_of(task: Task) -> list[Peer]:
    """The peers that run on a task and are installed."""
    found = COST_PEERS if "cost" in task.options else _PEERS[task.family]
    return [peer for peer in found if not peer.missing and (task.peers is None or peer.name in task.peers)]


def select(pattern: str = "", family: str | None = None, parts: Collection[str] = PARTS[:1]) -> list[Task]:
    """Tasks of these parts whose name contains the pattern."""
    return [
        task
        for task in TASKS.values()
        if pattern.lower() in task.name.lower() and family in (None, task.family) and task.part in parts
    ]
