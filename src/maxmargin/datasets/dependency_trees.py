"""Sentences with dependency trees: a treebank, and invented ones."""

from __future__ import annotations

from os import PathLike
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxmargin.datasets.local import data_file
from maxmargin.io.conllu import Sentence, read_conllu

Heads: TypeAlias = list[npt.NDArray[np.int32]]

# Of each tag: dependents before and after it, each with the probability that it is there, and how it is related.
_GRAMMAR = {
    "VERB": ((("NOUN", 0.8, "nsubj"), ("ADV", 0.2, "advmod")), (("NOUN", 0.6, "obj"), ("ADP", 0.4, "obl"))),
    "NOUN": ((("DET", 0.6, "det"), ("ADJ", 0.4, "amod")), (("ADP", 0.25, "nmod"),)),
    "ADJ": ((("ADV", 0.2, "advmod"),), ()),
    "ADP": ((), (("NOUN", 1.0, "obj"),)),
}


def load_ud_ewt_trees(split: str = "train", folder: str | PathLike[str] | None = None) -> tuple[list[Sentence], Heads]:
    """Web text in English with dependency trees: sentences, and the heads of their words (0 is the root).

    Reads ``ud_english_ewt/en_ewt-ud-<split>.conllu.gz``; contracted words and empty nodes are left out.

    Parameters
    ----------
    split : ``'train'`` (12544 sentences, 204577 words), ``'dev'`` (2001, 25147) or ``'test'`` (2077, 25094)
    """
    if split not in ("train", "dev", "test"):
        raise ValueError(f"split must be 'train', 'dev' or 'test', not {split!r}.")
    path = data_file(f"ud_english_ewt/en_ewt-ud-{split}.conllu.gz", folder)
    sentences = read_conllu(path)
    heads = [sentence.heads for sentence in sentences if sentence.heads is not None]
    if len(heads) < len(sentences):
        raise ValueError(f"{path} has sentences without heads; download it again.")
    return sentences, heads


def make_dependency_trees(
    n: int, *, n_words: int = 50, crossing: float = 0.0, seed: int = 0
) -> tuple[list[Sentence], Heads]:
    """Sentences of invented words with dependency trees, drawn from a small grammar of heads and dependents.

    Parameters
    ----------
    n : sentences
    n_words : different words of each tag
    crossing : share of the sentences in which one word moves to another place, so that arcs may cross
    seed : of the random numbers; same arguments, same sentences
    """
    if n < 1 or n_words < 1 or not 0.0 <= crossing <= 1.0:
        raise ValueError(
            f"n and n_words must be at least 1, and crossing from 0 to 1, not {n}, {n_words} and {crossing}."
        )
    rng = np.random.default_rng(seed)
    sentences = [_sentence(rng, n_words, crossing) for _ in range(n)]
    return sentences, [sentence.heads for sentence in sentences if sentence.heads is not None]


def _sentence(rng: np.random.Generator, n_words: int, crossing: float) -> Sentence:
    tags: list[str] = []
    above: list[int] = []
    relations: list[str] = []

    def grow(tag: str, head: int, relation: str, depth: int) -> list[int]:
        """Adds a word and what depends on it; gives their numbers in the order of the sentence."""
        own = len(tags)
        tags.append(tag)
        above.append(head)
        relations.append(relation)
        before, after = _GRAMMAR.get(tag, ((), ()))
        sides: list[list[int]] = [[], []]
        for side, dependents in enumerate((before, after)):
            for name, share, relation in dependents:
                if rng.random() < (share if depth < 5 or share == 1.0 else 0.0):
                    sides[side] += grow(name, own, relation, depth + 1)
        return [*sides[0], own, *sides[1]]

    order = grow("VERB", -1, "root", 0)
    if rng.random() < crossing and len(order) > 2:
        order.insert(int(rng.integers(len(order) - 1)), order.pop(int(rng.integers(len(order)))))
    place = {word: k + 1 for k, word in enumerate(order)} | {-1: 0}
    words = tuple(f"{tags[word].lower()}{rng.integers(n_words)}" for word in order)
    names = tuple(tags[word] for word in order)
    heads = np.array([place[above[word]] for word in order], dtype=np.int32)
    return Sentence(words, words, names, names, heads, tuple(relations[word] for word in order))
