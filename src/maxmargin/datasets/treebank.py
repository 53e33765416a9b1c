"""The sample of the Penn treebank that NLTK distributes."""

from __future__ import annotations

import zipfile
from os import PathLike

from maxmargin.datasets.local import data_file
from maxmargin.grammars.brackets import parse_trees
from maxmargin.grammars.penn import plain_tree
from maxmargin.grammars.tree import Tree

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
