"""Random candidate sets of documents whose words tell, by how they are spread, which subtopics a document covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

CandidateSets: TypeAlias = tuple[list[dict[str, Any]], list[list[set[str]]]]

_QUERY_WORDS, _COMMON_WORDS, _CHATTER_WORDS, _KEY_WORDS = 3, 60, 150, 12
_COMMON_SHARE, _CHATTER_SHARE, _KEY_SHARE, _TITLE_SHARE = 0.6, 0.12, 0.5, 0.15
_OFF_TOPIC, _RARE_WORDS, _VERBOSITY = 0.3, 40, 0.6


def make_subtopics(n: int, *, n_documents: int = 40, n_subtopics: int = 12, seed: int = 0) -> CandidateSets:
    """Candidate sets of documents in invented words, with a known coverage structure.

    Every candidate set has a query of three words and its own subtopics, whose popularity falls as 1 / rank. Three
    tenths of the documents are off topic; each other one covers one to three subtopics, popular ones more often.
    Words of five kinds make a document; the first letter of a word tells its kind, which a learner does not look at:

    ``k``  key words, twelve a subtopic. A document that covers the subtopic has each with probability 1/2, once or
           more often (geometrically, twice in the mean), and each also in its title with probability 0.15. They alone
           tell what is covered.
    ``q``  the words of the query, in every document, as often off topic as on.
    ``c``  common words, the same in all sets, each in about six tenths of the documents.
    ``t``  chatter: words of the set, each in about an eighth of the documents, as many as have a typical key word,
           but once each and whatever the document covers. Verbose documents have more of them.
    ``r``  rare words, about forty a document and in no other; verbose documents have more of them.

    How verbose a document is (log-normal) has nothing to do with what it covers.

    Parameters
    ----------
    n : candidate sets
    n_documents : documents of each
    n_subtopics : subtopics of each; those that no document covers do not occur in the output
    seed : of the random numbers; same arguments, same sets

    Returns
    -------
    list of candidate sets ``{"text": texts, "title": titles, "query": text}``, and for each of them the set of
    subtopics of every document (empty off topic)
    """
    if n < 1 or n_documents < 1 or n_subtopics < 1:
        raise ValueError(
            f"n, n_documents and n_subtopics must be at least 1, not {n}, {n_documents} and {n_subtopics}."
        )
    rng = np.random.default_rng(seed)
    X: list[dict[str, Any]] = []
    Y: list[list[set[str]]] = []
    for number in range(n):
        writer = _Writer(rng, number, n_subtopics)
        documents = [writer.document(position) for position in range(n_documents)]
        X.append(
            {
                "text": [text for text, _, _ in documents],
                "title": [title for _, title, _ in documents],
                "query": " ".join(f"q{number}x{word}" for word in range(_QUERY_WORDS)),
            }
        )
        Y.append([covered for _, _, covered in documents])
    return X, Y


@dataclass(frozen=True)
class _Writer:
    """Writes the documents of one candidate set."""

    rng: np.random.Generator
    number: int
    n_subtopics: int

    def document(self, position: int) -> tuple[str, str, set[str]]:
        """Text, title and subtopics."""
        rng, number = self.rng, self.number
        covered = self._covered()
        verbosity = float(np.exp(_VERBOSITY * rng.standard_normal() - 0.5 * _VERBOSITY**2))
        words, title = [], [f"q{number}x{int(rng.integers(_QUERY_WORDS))}"]
        for subtopic in covered:
            for word in np.flatnonzero(rng.random(_KEY_WORDS) < _KEY_SHARE):
                key = f"k{number}x{subtopic}x{word}"
                words += [key] * int(rng.geometric(0.5))
                title += [key] * int(rng.random() < _TITLE_SHARE)
        for which in range(_QUERY_WORDS):
            words += [f"q{number}x{which}"] * int(rng.geometric(0.4))
        for word in np.flatnonzero(rng.random(_COMMON_WORDS) < _COMMON_SHARE):
            words += [f"c{word}"] * int(rng.geometric(0.5))
        chatter = np.flatnonzero(rng.random(_CHATTER_WORDS) < min(1.0, _CHATTER_SHARE * verbosity))
        words += [f"t{number}x{word}" for word in chatter]
        words += [f"r{number}x{position}x{word}" for word in range(rng.poisson(_RARE_WORDS * verbosity))]
        order = rng.permutation(len(words))
        return " ".join(words[k] for k in order), " ".join(title), {f"s{subtopic}" for subtopic in covered}

    def _covered(self) -> list[int]:
        if self.rng.random() < _OFF_TOPIC:
            return []
        popularity = 1.0 / np.arange(1, self.n_subtopics + 1)
        how_many = min(self.n_subtopics, int(self.rng.integers(1, 4)))
        found = self.rng.choice(self.n_subtopics, size=how_many, replace=False, p=popularity / popularity.sum())
        return [int(subtopic) for subtopic in found]
