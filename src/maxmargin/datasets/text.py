"""Classification sets that are texts."""

from __future__ import annotations

import json
import lzma
from os import PathLike

from maxmargin.datasets.local import data_file


def load_newsgroups20(split: str = "train", folder: str | PathLike[str] | None = None) -> tuple[list[str], list[str]]:
    """Postings to twenty news groups, with their headers: texts and names of groups.

    Reads ``newsgroups20/20news-bydate.jsonl.xz``, one object a line with ``split``, ``group`` and ``text``.

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
