"""The workloads of the chain benchmark: prepared once, stored, read by every measured process.

Every method starts from lists of strings, the attributes of each token. They are stored so that each string that is
read back is an object of its own, as a feature function in Python would have made it.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.chains.features import SequenceVectorizer, Templates, chunking_templates, tagging_templates
from maxmargin.chains.sequences import Sequences
from maxmargin.datasets import MissingDataError, load_conll2000, load_ocr_letters, load_ud_ewt, make_sentences

Strings = list[list[list[str]]]
"""For each sequence the tokens, for each token its attributes."""
Tags = list[list[str]]
Tokens = list[Any]
HELD_OUT = 5  # one sequence of so many


@dataclass(frozen=True)
class Parts:
    """Tokens as they are before templates, and labels; ``held_out`` is None where a part of ``train`` serves."""

    train: tuple[Tokens, Tags]
    test: tuple[Tokens, Tags]
    held_out: tuple[Tokens, Tags] | None = None


@dataclass(frozen=True)
class Workload:
    """What to train on; ``templates`` is None where tokens are lists of attributes already.

    Without a part for it, every fifth sequence is held out where they are ``sorted`` by what they say, as the words of
    the letters are, else the last fifth, whose articles are others than those of the rest.
    """

    read: Callable[[], Parts]
    templates: Templates | None
    quick_sequences: int
    chunks: bool = False
    sorted: bool = False


def _conll() -> Parts:
    return Parts(load_conll2000("train"), load_conll2000("test"))


def _ewt() -> Parts:
    return Parts(load_ud_ewt("train"), load_ud_ewt("test"), load_ud_ewt("dev"))


def _letters(folds: set[int]) -> tuple[Tokens, Tags]:
    X, Y = load_ocr_letters(folds)
    pixels = [[[f"pixel{p}" for p in np.flatnonzero(letter)] for letter in word] for word in X]
    return pixels, [[chr(ord("a") + int(y)) for y in word] for word in Y]


def _ocr() -> Parts:
    return Parts(_letters({0}), _letters(set(range(1, 10))))


def _ocr_reverse() -> Parts:
    return Parts(_letters(set(range(1, 10))), _letters({0}))


WORKLOADS = {
    "conll": Workload(_conll, chunking_templates(), 400, chunks=True),
    "ocr": Workload(_ocr, None, 100, sorted=True),
    "ocr-reverse": Workload(_ocr_reverse, None, 300, sorted=True),
    "ewt": Workload(_ewt, tagging_templates(), 500),
}


def _invented(workload: Workload) -> Parts:
    """Invented sentences in the form of the workload."""

    def made(n: int, seed: int) -> tuple[Tokens, Tags]:
        words, tags = make_sentences(n, seed=seed)
        if workload.templates is None:
            return [[[w, *w] for w in sentence] for sentence in words], tags
        if not workload.chunks:
            return words, tags
        tokens = [list(zip(sentence, found)) for sentence, found in zip(words, tags)]
        return tokens, [["B-NP" if tag == "DET" else "I-NP" for tag in found] for found in tags]

    return Parts(made(2000, 0), made(500, 1))


def prepare(name: str, folder: Path, quick: bool) -> dict[str, Any]:
    """Stores the parts of a workload in ``folder``; returns a description of them."""
    workload = WORKLOADS[name]
    try:
        parts, note = workload.read(), ""
    except MissingDataError as missing:
        parts, note = _invented(workload), f"{name} is not available, invented sentences instead. {missing}"
    if quick:
        n = workload.quick_sequences
        held_out = parts.held_out and (parts.held_out[0][:n], parts.held_out[1][:n])
        parts = Parts((parts.train[0][:n], parts.train[1][:n]), (parts.test[0][:n], parts.test[1][:n]), held_out)
    X, Y = parts.train
    attributes = SequenceVectorizer(templates=workload.templates).fit(X)
    _store(folder, "test", workload.templates, parts.test)
    if parts.held_out is None:
        place = np.arange(len(X))
        out = place % HELD_OUT == HELD_OUT - 1 if workload.sorted else place >= len(X) - len(X) // HELD_OUT
        for part, chosen in (("fit", np.flatnonzero(~out)), ("held-out", np.flatnonzero(out))):
            _store(folder, part, workload.templates, ([X[i] for i in chosen], [Y[i] for i in chosen]))
    else:
        _store(folder, "fit", workload.templates, parts.train)
        _store(folder, "held-out", workload.templates, parts.held_out)
    _store(folder, "train", workload.templates, parts.train)
    (folder / "tokens.pickle").write_bytes(pickle.dumps((X, Y)))
    facts = {
        "name": name,
        "sequences": len(X),
        "tokens": sum(map(len, X)),
        "attributes": attributes.n_features_out_,
        "labels": len({label for labels in Y for label in labels}),
        "test_tokens": sum(map(len, parts.test[0])),
        "chunks": workload.chunks,
        "note": note,
    }
    (folder / "facts.json").write_text(json.dumps(facts))
    return facts


def stored(folder: Path, part: str, share: float = 1.0) -> tuple[Strings, Tags]:
    """The attributes and labels of ``'train'``, ``'test'``, ``'fit'`` or ``'held-out'``; the first ``share`` of them.

    ``'fit'`` is what is trained on where ``'held-out'`` is what is scored: the rest of ``'train'``.
    """
    with (folder / f"{part}.pickle").open("rb") as file:
        X, Y = pickle.load(file)
    n = max(1, round(share * len(X)))
    return X[:n], Y[:n]


def tokens(folder: Path) -> tuple[Tokens, Tags]:
    """The training tokens as they are before templates, and their labels."""
    found: tuple[Tokens, Tags] = pickle.loads((folder / "tokens.pickle").read_bytes())
    return found


def _store(folder: Path, part: str, templates: Templates | None, content: tuple[Tokens, Tags]) -> None:
    X, Y = content
    if templates is not None:
        vectorizer = SequenceVectorizer(templates=templates)
        X = _as_strings(vectorizer.fit_transform(X), vectorizer.get_feature_names_out())
    with (folder / f"{part}.pickle").open("wb") as file:
        pickler = pickle.Pickler(file, protocol=5)
        pickler.fast = True  # equal strings are written, and then read, again and again
        pickler.dump((X, Y))


def _as_strings(packed: Sequences, names: Any) -> Strings:
    """The attributes of each token, by name."""
    cells = [names[run].tolist() for run in np.split(packed.indices, packed.indptr[1:-1])]
    return [cells[first:last] for first, last in zip(packed.offsets[:-1], packed.offsets[1:])]
