"""Readers on thousands of damaged files: what they cannot read is a short sentence with the file's name."""

from __future__ import annotations

import random

import numpy as np
import pytest

import reader_mutations as valid
from maxmargin.chains.features import parse_templates
from maxmargin.chains.formats.conll import read_conll
from maxmargin.chains.formats.crfsuite import read_crfsuite
from maxmargin.chains.formats.svmhmm import read_svmhmm
from maxmargin.classes.cost_file import read_cost
from maxmargin.classes.taxonomies.file import read_taxonomy
from maxmargin.grammars import read_trees
from maxmargin.io.conllu import read_conllu
from maxmargin.io.svmlight import read_svmlight
from maxmargin.io.table import read_table
from maxmargin.rankings.letor import read_letor

CLASSES = np.array(["a", "b", "c"])


def read_templates(path):
    return parse_templates(path.read_bytes().decode("utf-8", "replace"))


READERS = {
    "svmlight": ("x.svm", valid.SVMLIGHT, read_svmlight),
    "svmlight from zero": ("x.svm", valid.SVMLIGHT, lambda path: read_svmlight(path, zero_based=True, n_features=3)),
    "csv": ("x.csv", valid.CSV, read_table),
    "tsv": ("x.tsv", valid.CSV.replace(",", "\t"), lambda path: read_table(path, delimiter="\t")),
    "letor": ("x.letor", valid.LETOR, read_letor),
    "letor of some features": ("x.letor", valid.LETOR, lambda path: read_letor(path, n_features=2)),
    "svmhmm": ("x.svmhmm", valid.SVMHMM, read_svmhmm),
    "conll": ("x.conll", valid.CONLL, read_conll),
    "conllu": ("x.conllu", valid.CONLLU, read_conllu),
    "brackets": ("x.mrg", valid.BRACKETS, read_trees),
    "crfsuite": ("x.crfsuite", valid.CRFSUITE, read_crfsuite),
    "cost": ("x.csv", valid.COST, lambda path: read_cost(path, CLASSES)),
    "edges": ("x.txt", valid.EDGES, lambda path: read_taxonomy(path, CLASSES)),
    "nested": ("x.json", valid.NESTED, lambda path: read_taxonomy(path, CLASSES)),
    "parents": ("x.json", valid.PARENTS, lambda path: read_taxonomy(path, CLASSES)),
    "templates": ("x.txt", valid.TEMPLATES, read_templates),
}


def check(name, path, content, read):
    """Reads, or raises one line of which at most a part is the file's."""
    path.write_bytes(content)
    caught = None
    try:
        read(path)
    except ValueError as error:
        caught = error
    if caught is not None:
        text = str(caught)
        assert type(caught) is ValueError or type(caught).__module__.startswith("maxmargin"), repr(caught)
        assert len(text) < 500 + len(str(path)), f"{name}: {len(text)} characters: {text[:300]}"
        assert "\n" not in text.replace(str(path), ""), text


@pytest.mark.parametrize("name", READERS)
def test_valid_files_are_read(name, tmp_path):
    file, text, read = READERS[name]
    (tmp_path / file).write_text(text)
    read(tmp_path / file)


@pytest.mark.parametrize("name", READERS)
def test_a_few_damaged_files(name, tmp_path):
    fuzz(name, tmp_path, range(150))


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_many_damaged_files(name, tmp_path):
    fuzz(name, tmp_path, range(150, 20_000))


def fuzz(name, folder, seeds):
    file, text, read = READERS[name]
    for seed in seeds:
        content = valid.mutated(text, random.Random(f"{name} {seed}"))
        try:
            check(name, folder / file, content, read)
        except BaseException as error:
            raise AssertionError(f"seed {seed}: {content[:300]!r}") from error
