"""Tasks of the third list with label sequences: strands, sensors that drift, marked segments, other targets."""

from __future__ import annotations

from defaults.chain_tasks import attributes, chain_task, some_sentences
from defaults.local_data import conll2000
from defaults.making import Load
from defaults.task import Split
from defaults.third.signals import (
    counts_in_states,
    drifting_sensors,
    few_successors,
    islands,
    marked_ends,
    rarely_told,
    sequences,
    short_names,
    taken_again,
)
from defaults.third.sources import dependencies
from maxmargin.chains.features import chunking_templates, tagging_templates

_BOTH = ("ChainSVC", "ChainCRF")


def _tags_alone(train: int) -> Load:
    """Chunks of sentences of which only the parts of speech are known."""

    def load(seed: int) -> Split:
        X, Y = some_sentences(*conll2000("train"), train, seed)
        X_test, Y_test = some_sentences(*conll2000("test"), 800, 1)
        tags = [[token[1:2] for token in sentence] for sentence in X + X_test]
        return attributes(tags, Y + Y_test, train, tagging_templates())

    return load


def _heads(train: int, test: int) -> Load:
    """On which side of a word its head is."""

    def load(seed: int) -> Split:
        X, Y = some_sentences(*dependencies(), train + test, seed)
        return attributes(X, Y, train, chunking_templates())

    return load


CHAIN_TASKS = (
    chain_task("islands in strands", sequences(30, 80, islands((100, 400))), "attributes", "labels few", "length 200"),
    chain_task(
        "4 records of sensors that drift",
        sequences(4, 25, drifting_sensors(1000, level=20.0)),
        "length 1,000",
        "offset",
        splits=2,
    ),
    chain_task(
        "one switch of 70,000 tokens",
        sequences(1, 1, drifting_sensors(70_000, labels=2, d=4)),
        "length 100,000",
        splits=1,
        ours=_BOTH,
    ),
    chain_task("segments marked at their ends", sequences(60, 150, marked_ends(80)), "overlap", score="chunks"),
    chain_task("one row in twelve says something", sequences(40, 100, rarely_told(150)), "missing", "overlap"),
    chain_task(
        "300 labels of four successors",
        sequences(50, 60, few_successors(300, 40, 30)),
        "labels many",
        splits=1,
        peers=("token by token",),
        ours=_BOTH,
    ),
    chain_task(
        "events per minute, x 1e8", sequences(50, 150, counts_in_states((20, 120), 1e8)), "scale", "counts", "overlap"
    ),
    chain_task(
        "invented names of one to three words",
        sequences(300, 2000, short_names(7)),
        "attributes",
        "length short",
    ),
    chain_task(
        "12 sequences taken six times",
        taken_again(drifting_sensors(60, labels=3, d=5), 3, 12, 6, 200, 0.2),
        "duplicates",
        "label noise",
        "n small",
        splits=4,
    ),
    chain_task("chunks by tags alone, 60 sentences", _tags_alone(60), "data folder", "attributes", score="chunks"),
    chain_task("sides of heads, 150 sentences", _heads(150, 500), "data folder", "attributes", splits=2),
)
