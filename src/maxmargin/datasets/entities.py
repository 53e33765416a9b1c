"""Sets of sentences in which names are marked."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from os import PathLike
from pathlib import PurePosixPath

from maxmargin.chains.formats.conll import split_labels
from maxmargin.datasets.local import data_file
from maxmargin.datasets.tagged import Labels, archived_conll

_CONLL2002 = {"train": "esp.train", "dev": "esp.testa", "test": "esp.testb"}
_LITBANK = {"train": slice(0, 70), "test": slice(70, None)}


def load_conll2002(
    split: str = "train", folder: str | PathLike[str] | None = None
) -> tuple[list[list[tuple[str, ...]]], Labels]:
    """Names in Spanish news: for each sentence its tokens as (word, part of speech), and BIO tags of persons, places,
    organisations and other names.

    Reads ``esp.train``, ``esp.testa`` (dev) or ``esp.testb`` (test) from ``conll2002/conll2002.zip``.

    Parameters
    ----------
    split : ``'train'`` (8323 sentences), ``'dev'`` (1915) or ``'test'`` (1517)
    """
    if split not in _CONLL2002:
        raise ValueError(f"split must be 'train', 'dev' or 'test', not {split!r}.")
    path = data_file("conll2002/conll2002.zip", folder)
    return split_labels(archived_conll(path, f"conll2002/{_CONLL2002[split]}"))


def load_litbank(split: str = "train", folder: str | PathLike[str] | None = None) -> tuple[list[list[str]], Labels]:
    """Names in English novels: for each sentence its words, and BIO tags of persons, places, vehicles and so on.

    Reads the mentions by name (``PROP``) from ``litbank_coref/litbank_coref.zip``; of names within names only the
    innermost are marked.

    Parameters
    ----------
    split : ``'train'``, the first 70 documents by file name (6295 sentences), or ``'test'``, the other 30 (2267)
    """
    if split not in _LITBANK:
        raise ValueError(f"split must be 'train' or 'test', not {split!r}.")
    path = data_file("litbank_coref/litbank_coref.zip", folder)
    X: list[list[str]] = []
    Y: Labels = []
    try:
        with zipfile.ZipFile(path) as archive:
            texts = sorted(name for name in archive.namelist() if name.endswith(".conll"))
            for name in texts[_LITBANK[split]]:
                mentions = f"tsv/{PurePosixPath(name).stem}.ann"
                words = list(_sentences(archive.read(name).decode("utf-8")))
                X += words
                Y += _tags(words, archive.read(mentions).decode("utf-8"))
    except (zipfile.BadZipFile, KeyError) as error:
        raise ValueError(f"{path} is not the archive of LitBank ({error}); copy or download it again.") from error
    if not X:
        raise ValueError(f"{path} holds no documents of the split {split!r}; copy or download it again.")
    return X, Y


def _sentences(text: str) -> Iterator[list[str]]:
    words: list[str] = []
    for line in io.StringIO(text, newline="\n"):
        columns = line.rstrip("\r\n").split("\t")
        if line.startswith("#"):
            continue
        if len(columns) > 3:
            words.append(columns[3])
        elif words:
            yield words
            words = []
    if words:
        yield words


def _tags(sentences: list[list[str]], mentions: str) -> Labels:
    tags = [["O"] * len(words) for words in sentences]
    names = []
    for line in io.StringIO(mentions, newline="\n"):
        columns = line.rstrip("\r\n").split("\t")
        if columns[0] == "MENTION" and columns[8] == "PROP" and columns[2] == columns[4]:
            first, last = int(columns[3]), int(columns[5])
            names.append((last - first, int(columns[2]), first, last, columns[7]))
    for _, i, first, last, kind in sorted(names):
        if set(tags[i][first : last + 1]) == {"O"}:
            tags[i][first : last + 1] = [f"B-{kind}"] + [f"I-{kind}"] * (last - first)
    return tags
