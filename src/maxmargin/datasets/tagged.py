"""Sets of sentences whose words carry labels."""

from __future__ import annotations

import io
import zipfile
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from maxmargin.chains.formats.conll import iter_conll, parse_conll, split_labels
from maxmargin.datasets.local import data_file

Labels: TypeAlias = list[list[str]]

_UD_COLUMNS = {"upos": 3, "xpos": 4}


def load_conll2000(
    split: str = "train", folder: str | PathLike[str] | None = None
) -> tuple[list[list[tuple[str, ...]]], Labels]:
    """Chunks of newspaper text: for each sentence its tokens as (word, part of speech), and its chunk tags.

    Reads ``train.txt`` or ``test.txt`` from ``conll2000/conll2000.zip``.

    Parameters
    ----------
    split : ``'train'`` (8936 sentences, 211727 words, 22 tags) or ``'test'`` (2012 sentences, 47377 words)
    """
    if split not in ("train", "test"):
        raise ValueError(f"split must be 'train' or 'test', not {split!r}.")
    return split_labels(archived_conll(data_file("conll2000/conll2000.zip", folder), f"conll2000/{split}.txt"))


def archived_conll(path: Path, member: str) -> list[list[tuple[str, ...]]]:
    """The sentences of a file of columns in a zip archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            text = archive.read(member).decode("utf-8")
    except (zipfile.BadZipFile, KeyError) as error:
        raise ValueError(f"{path} is not an archive with {member} ({error}); copy or download it again.") from error
    lines = enumerate((line.rstrip("\r\n") for line in io.StringIO(text, newline="\n")), 1)
    return list(parse_conll(f"{path}, {member}", lines))


def load_ud_ewt(
    split: str = "train", folder: str | PathLike[str] | None = None, *, tags: str = "upos"
) -> tuple[list[list[str]], Labels]:
    """Web text in English with parts of speech: for each sentence its words, and their tags.

    Reads ``ud_english_ewt/en_ewt-ud-<split>.conllu.gz``; the lines of contracted words and of empty nodes are left out.

    Parameters
    ----------
    split : ``'train'`` (12544 sentences, 204577 words), ``'dev'`` (2001, 25147) or ``'test'`` (2077, 25094)
    tags : ``'upos'``, 17 universal tags, or ``'xpos'``, 49 tags of the Penn Treebank
    """
    if split not in ("train", "dev", "test"):
        raise ValueError(f"split must be 'train', 'dev' or 'test', not {split!r}.")
    if tags not in _UD_COLUMNS:
        raise ValueError(f"tags must be 'upos' or 'xpos', not {tags!r}.")
    column = _UD_COLUMNS[tags]
    path = data_file(f"ud_english_ewt/en_ewt-ud-{split}.conllu.gz", folder)
    X: list[list[str]] = []
    Y: Labels = []
    for sentence in iter_conll(path, separator="\t", comment="#"):
        if len(sentence[0]) <= column:
            raise ValueError(f"{path} has {len(sentence[0])} columns, not the 10 of CoNLL-U; download it again.")
        words = [token for token in sentence if token[0].isdigit()]
        X.append([token[1] for token in words])
        Y.append([token[column] for token in words])
    return X, Y
