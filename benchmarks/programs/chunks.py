"""The part ``chunks``: noun phrases of CoNLL-2000, as segments with features of their own and as tags of a chain.

Both learn from the same features of tokens (the templates of ``chunking_templates``), both with their default
parameters; segments have features that no token has: their length, and the tags and first and last words of the whole
segment, hashed.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin import ChainSVC, ProgramSVM, SequenceVectorizer
from maxmargin.chains.features import chunking_templates
from maxmargin.datasets import MissingDataError, load_conll2000, make_sentences
from maxmargin.programs.spaces import Segments
from shared.harness import Measurement, measure, run_job

LIMIT = 3 * 3600.0
MAX_LENGTH = 20
COLUMNS = 1 << 18
METHODS = ("ChainSVC", "segments, features of tokens", "segments, their own features too")


def run(quick: bool = False) -> dict[str, Any]:
    """F1 of noun phrases by each method, each in a process of its own."""
    rows, f1, note = [], {}, ""
    for name in METHODS:
        found = run_job("programs.chunks", "chunk", {"name": name, "quick": quick}, LIMIT)
        if found is None:
            raise RuntimeError(f"{name} took more than {LIMIT:.0f} s.")
        f1[name], note, cost = found["f1"], found["note"], found["cost"]
        scores = [f"{100 * found[key]:.2f}" for key in ("f1", "precision", "recall")]
        rows.append([name, *scores, f"{cost['cpu']:.0f}", f"{1e-9 * cost['peak']:.2f}"])
    if note:
        rows.append([note, *[""] * 5])
    chain, segments = f1[METHODS[0]], f1[METHODS[2]]
    bar = ["noun phrases: F1 of segments", f"{segments:.4f}", f">= {chain:.4f} of ChainSVC", segments >= chain]
    columns = ["noun phrases of CoNLL-2000", "F1", "precision", "recall", "CPU seconds", "peak GB"]
    return {"columns": columns, "rows": rows, "bars": [] if quick or note else [bar]}


def chunk(name: str, quick: bool) -> dict[str, Any]:
    """Trains and tries one method."""
    found, cost = measure(lambda: _chunked(name, quick))
    return found | {"cost": Measurement(cost.cpu, cost.wall, cost.peak)}


def _chunked(name: str, quick: bool) -> dict[str, Any]:
    train, train_tags, test, test_tags, note = _data(quick)
    vectorizer = SequenceVectorizer(templates=chunking_templates())
    X, X_test = vectorizer.fit_transform(train), vectorizer.transform(test)
    truths = [segments_of(tags) for tags in test_tags]
    if name == "ChainSVC":
        model: Any = ChainSVC().fit(X, train_tags)
        found = [segments_of(tags) for tags in model.predict(X_test)]
    else:
        own = "own" in name
        rows = [(X[i], _SentenceKeys(tokens)) for i, tokens in enumerate(train)]
        space = Segments(("NP",), MAX_LENGTH, features=_tokens, segment_features=_own_features if own else None)
        model = ProgramSVM(space).fit(rows, [segments_of(tags) for tags in train_tags])
        found = model.predict([(X_test[i], _SentenceKeys(tokens)) for i, tokens in enumerate(test)])
    hits = sum(len(set(a) & set(b)) for a, b in zip(truths, found, strict=True))
    guessed, there = sum(map(len, found)), sum(map(len, truths))
    return {
        "name": name,
        "note": note,
        "sentences": len(train),
        "f1": 2 * hits / max(1, guessed + there),
        "precision": hits / max(1, guessed),
        "recall": hits / max(1, there),
        "passes": model.n_iter_,
    }


def _data(quick: bool) -> tuple[Any, ...]:
    try:
        train, test, note = load_conll2000("train"), load_conll2000("test"), ""
    except MissingDataError as missing:
        note = f"CoNLL-2000 is not available, invented sentences instead. {missing}"
        train, test = _invented(2000, 0), _invented(500, 1)
    n = 300 if quick else len(train[0])
    tags = [[_noun_tag(tag) for tag in sentence] for sentence in train[1][:n]]
    return train[0][:n], tags, test[0][:n], [[_noun_tag(tag) for tag in sentence] for sentence in test[1][:n]], note


def _invented(n: int, seed: int) -> tuple[Any, Any]:
    words, tags = make_sentences(n, seed=seed)
    marks = {"DET": "B-NP", "ADJ": "I-NP", "NOUN": "I-NP"}
    return [list(zip(*both)) for both in zip(words, tags)], [[marks.get(tag, "O") for tag in each] for each in tags]


def _noun_tag(tag: str) -> str:
    return tag if tag.endswith("-NP") else "O"


def segments_of(tags: Any) -> list[tuple[int, int, str]]:
    """The segments that tags B-NP, I-NP and O mark; I-NP after O begins one."""
    found: list[tuple[int, int, str]] = []
    for t, tag in enumerate(tags):
        if tag == "I-NP" and found and found[-1][1] == t:
            found[-1] = (found[-1][0], t + 1, "NP")
        elif tag != "O":
            found.append((t, t + 1, "NP"))
    return found


class _SentenceKeys:
    """Numbers of the words and tags of a sentence, with one before and one after it."""

    def __init__(self, tokens: Any) -> None:
        self.words = np.array([_key("w"), *(_key(word.lower()) for word, _ in tokens), _key("w")], dtype=np.uint64)
        self.tags = np.array([_key("t"), *(_key(tag) for _, tag in tokens), _key("t")], dtype=np.uint64)


@lru_cache(maxsize=1 << 17)
def _key(text: str) -> int:
    data = text.encode()
    return zlib.crc32(data) << 32 | zlib.crc32(data, 0xFFFF)


def _tokens(x: Any) -> Any:
    return x[0]


def _own_features(x: Any, begin: Any, end: Any) -> Any:
    """Hashed: the tags of the whole segment; its first and last word and tag; the tags around it; each as one."""
    words, tags = x[1].words, x[1].tags
    odd = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        whole = np.zeros(begin.size, dtype=np.uint64)
        for shift in range(int((end - begin).max())):
            inside = begin + shift < end
            at = np.where(inside, begin + 1 + shift, 0)
            whole = np.where(inside, (whole ^ tags[at]) * odd + np.uint64(shift), whole)
        first, last = begin + 1, end
        keys = [
            whole,
            whole * odd + tags[begin],
            whole * odd + tags[end + 1] * np.uint64(3),
            words[first] * odd + words[last],
            tags[begin] * odd + tags[end + 1],
            words[begin] * odd + words[end + 1],
            (tags[first] * odd + tags[last]) * odd + (end - begin).astype(np.uint64),
        ]
        mixed = np.stack(keys, axis=1) + np.arange(len(keys), dtype=np.uint64) * np.uint64(0xD1B54A32D192ED03)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * odd
    indices = (mixed >> np.uint64(64 - 18)).astype(np.int32).ravel()
    offsets = np.arange(begin.size + 1, dtype=np.int32) * len(keys)
    return sp.csr_array((np.ones(indices.size), indices, offsets), shape=(begin.size, COLUMNS))
