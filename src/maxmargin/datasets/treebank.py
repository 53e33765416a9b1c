"""Trees over sentences: the sample of the Penn treebank that NLTK distributes, and invented ones."""

from __future__ import annotations

import zipfile
from os import PathLike

import numpy as np

from maxmargin.datasets.local import data_file
from maxmargin.grammars.brackets import parse_trees
from maxmargin.grammars.penn import plain_tree
from maxmargin.grammars.tree import Tree

# Of each phrase the rules with their shares; a phrase too deep in a tree takes the first.
_RULES = {
    "S": ((("NP", "VP"), 0.85), (("S", ",", "CC", "S"), 0.05), (("ADVP", ",", "NP", "VP"), 0.1)),
    "NP": (
        (("DT", "NN"), 0.4),
        (("DT", "JJ", "NN"), 0.2),
        (("NNP",), 0.15),
        (("NP", "PP"), 0.15),
        (("NP", "SBAR"), 0.1),
    ),
    "VP": ((("VBZ", "NP"), 0.4), (("VBZ",), 0.2), (("VBZ", "NP", "PP"), 0.25), (("VBZ", "ADVP"), 0.15)),
    "PP": ((("IN", "NP"), 1.0),),
    "SBAR": ((("WP", "VP"), 1.0),),
    "ADVP": ((("RB",), 0.7), (("RB", "RB"), 0.3)),
}
_DEEPEST = 8
_SPLITS = {"train": (1, 159), "dev": (160, 179), "test": (180, 199), "all": (1, 199)}


def load_treebank(
    split: str = "all", folder: str | PathLike[str] | None = None, *, longest: int | None = None, raw: bool = False
) -> list[Tree]:
    """Trees over sentences of the Wall Street Journal: 3914 with 94084 words.

    Reads ``treebank/treebank.zip``, the files ``combined/wsj_*.mrg`` in it.

    Parameters
    ----------
    split : ``'train'`` (files 1 to 159), ``'dev'`` (160 to 179), ``'test'`` (180 to 199) or ``'all'``
    longest : sentences of more words than this are left out
    raw : trees as they are in the files, with traces and function tags, which ``plain_tree`` removes else
    """
    if split not in _SPLITS:
        raise ValueError(f"split must be 'train', 'dev', 'test' or 'all', not {split!r}.")
    first, last = _SPLITS[split]
    path = data_file("treebank/treebank.zip", folder)
    trees: list[Tree] = []
    with zipfile.ZipFile(path) as archive:
        for number in range(first, last + 1):
            name = f"treebank/combined/wsj_{number:04}.mrg"
            try:
                text = archive.read(name).decode("utf-8")
            except KeyError as error:
                raise ValueError(f"{path} has no file {name}; download it again.") from error
            trees += parse_trees(text) if raw else [plain_tree(tree) for tree in parse_trees(text)]
    return [tree for tree in trees if longest is None or len(tree.words()) <= longest]


def make_treebank(n: int, *, n_words: int = 30, seed: int = 0) -> list[Tree]:
    """Trees over sentences of invented words, drawn from a small grammar.

    Prepositional phrases follow nouns and verbs: what they belong to is left to the words. A preposition whose number
    is even belongs to a noun more often, one with an odd number to a verb.

    Parameters
    ----------
    n : sentences
    n_words : different words of each tag
    seed : of the random numbers; same arguments, same trees
    """
    if n < 1 or n_words < 1:
        raise ValueError(f"n and n_words must be at least 1, not {n} and {n_words}.")
    rng = np.random.default_rng(seed)
    return [_grown(rng, "S", "S", 0, n_words) for _ in range(n)]


def _grown(rng: np.random.Generator, label: str, above: str, depth: int, n_words: int) -> Tree:
    if label not in _RULES:
        number = int(rng.integers(n_words))
        if label == "IN" and rng.random() < 0.9:
            number = min(2 * (number // 2) + (above == "VP"), n_words - 1)
        return Tree(label, [label if label == "," else f"{label.lower()}{number}"])
    rules, shares = zip(*_RULES[label], strict=True)
    chosen = rules[0] if depth > _DEEPEST else rules[int(rng.choice(len(rules), p=shares))]
    owner = above if label == "PP" else label
    return Tree(label, [_grown(rng, child, owner, depth + 1, n_words) for child in chosen])
