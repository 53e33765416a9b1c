"""Candidate sets of postings drawn from several news groups, with the groups as subtopics."""

from __future__ import annotations

import re
from os import PathLike

import numpy as np

from maxmargin.datasets.subtopics import CandidateSets
from maxmargin.datasets.text import load_newsgroups20

_LINE = re.compile(r"[\t\r\n]")  # the file has a tab where the posting had the end of a line
_QUOTED = re.compile(r"\s*[>|:}]|.*\b(?:writes|wrote|says|said)\s*:\s*$|In article\b")
_FEWEST_WORDS = 20


def load_newsgroup_sets(
    split: str = "train",
    n: int = 200,
    *,
    n_documents: int = 40,
    n_groups: int = 8,
    seed: int = 0,
    folder: str | PathLike[str] | None = None,
) -> CandidateSets:
    """Candidate sets of postings: each mixes ``n_groups`` of the twenty groups, some of which are more popular.

    For each set the groups are drawn at random, and the r-th of them gets a share of the documents in proportion to
    1 / r (largest remainders, at least one). A posting is in one set at most, so sets of different splits, and sets of
    one call, share none. The title is the subject line without ``Re:``; the text is the body without quoted lines and
    the lines that introduce them. Postings of fewer than twenty words are left out.

    Parameters
    ----------
    split : ``'train'`` (10,772 postings are long enough) or ``'test'`` (7,154)
    n : candidate sets
    n_documents, n_groups : of each set
    seed : of the random numbers
    folder : see ``load_newsgroups20``

    Returns
    -------
    list of candidate sets ``{"text": texts, "title": titles}``, and for each of them ``{group}`` of every document
    """
    if n < 1 or not 1 <= n_groups <= n_documents:
        raise ValueError(
            f"n and n_groups must be at least 1 and n_documents at least n_groups, "
            f"not {n}, {n_groups} and {n_documents}."
        )
    rng = np.random.default_rng(seed)
    left = _postings(split, folder, rng)
    sizes = shares(n_documents, n_groups)
    X, Y = [], []
    for number in range(n):
        able = sorted(group for group, postings in left.items() if len(postings) >= sizes[0])
        if len(able) < n_groups:
            raise ValueError(
                f"The {split} postings are enough for {number} sets of {n_documents} documents of {n_groups} groups, "
                f"not for {n}; ask for fewer or smaller sets."
            )
        chosen = [able[k] for k in rng.permutation(len(able))[:n_groups]]
        drawn = [(left[group].pop(), group) for group, size in zip(chosen, sizes) for _ in range(size)]
        drawn = [drawn[k] for k in rng.permutation(len(drawn))]
        X.append({"text": [text for (_, text), _ in drawn], "title": [title for (title, _), _ in drawn]})
        Y.append([{group} for _, group in drawn])
    return X, Y


def shares(total: int, parts: int) -> list[int]:
    """``total`` in ``parts`` whole numbers of at least 1 in proportion to 1 / rank, by largest remainders."""
    wanted = 1.0 / np.arange(1, parts + 1)
    wanted *= (total - parts) / wanted.sum()
    whole = np.floor(wanted).astype(np.int64)
    short = total - parts - int(whole.sum())
    whole[np.argsort(whole - wanted, kind="stable")[:short]] += 1
    return [int(size) + 1 for size in whole]


def _postings(
    split: str, folder: str | PathLike[str] | None, rng: np.random.Generator
) -> dict[str, list[tuple[str, str]]]:
    """(title, text) of the postings of each group that are long enough, in random order."""
    if split not in ("train", "test"):
        raise ValueError(f"split must be 'train' or 'test', not {split!r}.")
    found: dict[str, list[tuple[str, str]]] = {}
    for posting, group in zip(*load_newsgroups20(split, folder)):
        title, text = split_posting(posting)
        if len(text.split()) >= _FEWEST_WORDS:
            found.setdefault(group, []).append((title, text))
    return {group: [items[k] for k in rng.permutation(len(items))] for group, items in sorted(found.items())}


def split_posting(posting: str) -> tuple[str, str]:
    """The subject without ``Re:``, and the body without quotations."""
    lines = _LINE.split(posting)
    end = next((k for k, line in enumerate(lines) if not line.strip()), len(lines))
    subject = next((line[8:].strip() for line in lines[:end] if line.startswith("Subject:")), "")
    while subject[:3].lower() == "re:":
        subject = subject[3:].strip()
    return subject, "\n".join(line for line in lines[end:] if line.strip() and not _QUOTED.match(line))
