"""Spanish sentences of CoNLL-2002 with the features of the papers: words and their spelling, in windows of three."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import KFold

from maxmargin.datasets import load_conll2002

Sentences = list[list[list[str]]]
Labels = list[list[str]]
FOLDS = 5


def sample(count: int, longest: int | None, seed: int) -> tuple[Sentences, Labels]:
    """So many random sentences of the training part, none longer than ``longest`` words."""
    X, Y = load_conll2002("train")
    usable = [i for i, words in enumerate(X) if longest is None or len(words) <= longest]
    chosen = np.random.default_rng(seed).permutation(usable)[:count]
    return [attributes([word for word, _ in X[i]]) for i in chosen], [Y[i] for i in chosen]


def attributes(words: list[str]) -> list[list[str]]:
    """Those of each word, its neighbours' with the distance before them."""
    own = [_spelling(word) for word in words]
    found = []
    for t in range(len(words)):
        row = []
        for distance in (-1, 0, 1):
            inside = 0 <= t + distance < len(words)
            row += [f"{distance}:{name}" for name in (own[t + distance] if inside else ["none"])]
        found.append(row)
    return found


def _spelling(word: str) -> list[str]:
    lower = word.lower()
    tests = {
        "capital": word[0].isupper(),
        "capitals": word.isupper(),
        "digit": any(letter.isdigit() for letter in word),
        "small": word.islower(),
        "sign": not any(letter.isalnum() for letter in word),
    }
    parts = [f"word={lower}", f"prefix={lower[:3]}", f"suffix={lower[-3:]}", f"ending={lower[-2:]}"]
    return parts + [name for name, holds in tests.items() if holds]


def folds(X: Sentences, Y: Labels, parts: int = FOLDS) -> Iterator[tuple[Sentences, Labels, Sentences, Labels]]:
    """Sentences and labels without one fold, and those of the fold."""
    for kept, left in KFold(parts, shuffle=True, random_state=0).split(X):
        yield [X[i] for i in kept], [Y[i] for i in kept], [X[i] for i in left], [Y[i] for i in left]


def with_spread(values: list[float], digits: int = 2) -> str:
    """Mean and standard deviation over folds."""
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"
