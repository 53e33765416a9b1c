"""Random sentences of invented words with parts of speech."""

from __future__ import annotations

import numpy as np

# After each tag its likely successors; words of a tag tend to share an ending.
_NEXT = {
    "DET": ("ADJ", "NOUN", "NOUN"),
    "ADJ": ("NOUN", "NOUN", "ADJ"),
    "NOUN": ("VERB", "VERB", "ADV"),
    "VERB": ("DET", "DET", "ADV"),
    "ADV": ("VERB", "DET", "ADJ"),
}
_ENDINGS = {
    "DET": ("",),
    "ADJ": ("ous", "al", ""),
    "NOUN": ("tion", "er", ""),
    "VERB": ("ed", "ing", ""),
    "ADV": ("ly", ""),
}
_SYLLABLES = ("ba", "ke", "lo", "mi", "nu", "ra", "so", "ti", "vu", "za")


def make_sentences(
    n: int, *, n_words: int = 200, lengths: tuple[int, int] = (4, 12), seed: int = 0
) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences of invented words, each with its part of speech: the endings of words and the tags before tell most.

    Parameters
    ----------
    n : sentences
    n_words : different words of each tag at most; frequent and rare ones as in a language
    lengths : shortest and longest sentence
    seed : of the random numbers; same arguments, same sentences

    Returns
    -------
    list of lists of words and list of lists of tags: DET, ADJ, NOUN, VERB, ADV
    """
    if n < 1 or n_words < 1 or not 1 <= lengths[0] <= lengths[1]:
        raise ValueError(f"n, n_words and lengths must be at least 1 and ascend, not {n}, {n_words} and {lengths}.")
    rng = np.random.default_rng(seed)
    tags = list(_NEXT)
    vocabulary = {tag: [_word(rng, tag) for _ in range(n_words if tag != "DET" else 4)] for tag in tags}
    shares = {tag: 1.0 / np.arange(1, len(words) + 1) for tag, words in vocabulary.items()}
    X: list[list[str]] = []
    Y: list[list[str]] = []
    for _ in range(n):
        labels = [tags[int(rng.integers(len(tags)))]]
        for _ in range(int(rng.integers(lengths[0], lengths[1] + 1)) - 1):
            labels.append(_NEXT[labels[-1]][int(rng.integers(3))])
        X.append([str(rng.choice(vocabulary[tag], p=shares[tag] / shares[tag].sum())) for tag in labels])
        Y.append(labels)
    return X, Y


def _word(rng: np.random.Generator, tag: str) -> str:
    stem = "".join(rng.choice(_SYLLABLES, size=int(rng.integers(1, 4))))
    return stem + str(rng.choice(_ENDINGS[tag]))
