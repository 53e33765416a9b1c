"""Classification sets that are texts."""

from __future__ import annotations

import gzip
import json
import lzma
from os import PathLike

from maxmargin.datasets.local import data_file


def load_newsgroups20(split: str = "train", folder: str | PathLike[str] | None = None) -> tuple[list[str], list[str]]:
    """Postings to twenty news groups, with their headers: texts and names of groups.

    Reads ``newsgroups20/20news-bydate.jsonl.xz``, one object per line with ``split``, ``group`` and ``text``.

    Parameters
    ----------
    split : ``'train'`` (11314 texts), ``'test'`` (7532) or ``'all'``
    """
    if split not in ("train", "test", "all"):
        raise ValueError(f"split must be 'train', 'test' or 'all', not {split!r}.")
    texts: list[str] = []
    groups: list[str] = []
    with lzma.open(data_file("newsgroups20/20news-bydate.jsonl.xz", folder), "rt", encoding="utf-8") as file:
        for line in file:
            item = json.loads(line)
            if split in ("all", item["split"]):
                texts.append(item["text"])
                groups.append(item["group"])
    return texts, groups


def load_reuters21578(
    split: str = "train", folder: str | PathLike[str] | None = None
) -> tuple[list[str], list[list[str]]]:
    """News of 1987 in the ModApte split: texts, title first, and the topics of each, of which there may be none.

    Reads ``reuters21578/reuters21578_modapte.jsonl.gz``, one object per line with ``split``, ``topics``, ``title`` and
    ``body``.

    Parameters
    ----------
    split : ``'train'`` (9603 texts) or ``'test'`` (3299)
    """
    if split not in ("train", "test"):
        raise ValueError(f"split must be 'train' or 'test', not {split!r}.")
    texts: list[str] = []
    topics: list[list[str]] = []
    with gzip.open(data_file("reuters21578/reuters21578_modapte.jsonl.gz", folder), "rt", encoding="utf-8") as file:
        for line in file:
            item = json.loads(line)
            if item["split"] == split:
                texts.append(f"{item['title']}\n{item['body']}")
                topics.append(list(item["topics"]))
    return texts, topics
