"""Likelihoods of sums with and without stochastic steps before L-BFGS: passes and processor time to a proved gap.

The numbers of ``solvers/automatic_likelihood.py`` (300 examples, a tenth of the objective per pass) were set on the
tasks that chose; the others judge them. Objectives are equal to within the tolerance.

python benchmarks/programs/studies/stochastic_start.py
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np

from alignments.training import homologs
from maxmargin import AlignmentCRF, GrammarCRF, ProgramCRF, SequenceVectorizer
from maxmargin.alignments import Simple
from maxmargin.chains.features import chunking_templates
from maxmargin.datasets import load_conll2000, load_treebank, make_treebank
from maxmargin.grammars.span_features import NAMES
from maxmargin.programs.spaces import Segments
from programs.chunks import segments_of

Task = tuple[Callable[[str], Any], list[Any], list[Any]]


def trees(given: Any, **options: Any) -> Task:
    return lambda solver: GrammarCRF(solver=solver, **options), [tree.tokens() for tree in given], given


def alignments(n: int, length: int, seed: int) -> Task:
    rng = np.random.default_rng(seed)
    X, Y = zip(*(homologs(rng, length) for _ in range(n)), strict=True)
    return lambda solver: AlignmentCRF(features=Simple(symmetric=False), solver=solver), list(X), list(Y)


def segments(n: int) -> Task:
    words, tags = (part[:n] for part in load_conll2000("train"))
    rows = SequenceVectorizer(templates=chunking_templates()).fit_transform(words)
    space = Segments(("NP",), 8, features=lambda x: x)
    truths = [segments_of([tag if tag.endswith("-NP") else "O" for tag in own]) for own in tags]
    short = [i for i, own in enumerate(truths) if all(end - start <= 8 for start, end, _ in own)]
    return lambda solver: ProgramCRF(space, solver=solver), [rows[i] for i in short], [truths[i] for i in short]


CHOSE: dict[str, Callable[[], Task]] = {
    "treebank, 10 words": lambda: trees(load_treebank("train", longest=10)),
    "invented trees, spans": lambda: trees(make_treebank(300), horizontal=1, features=NAMES),
    "alignments 300 x 50": lambda: alignments(300, 50, 0),
    "alignments 1,000 x 40": lambda: alignments(1000, 40, 0),
    "treebank, 15 words, spans": lambda: trees(load_treebank("train", longest=15), horizontal=1, features=NAMES),
}
JUDGED: dict[str, Callable[[], Task]] = {
    "treebank, 20 words, vertical 2": lambda: trees(load_treebank("train", longest=20), horizontal=1, vertical=2),
    "invented trees, 1,000": lambda: trees(make_treebank(1000, seed=1), horizontal=1, features=("first", "split")),
    "alignments 600 x 80": lambda: alignments(600, 80, 1),
    "noun phrases, 1,000": lambda: segments(1000),
}


def rows() -> Iterator[list[str]]:
    for part, tasks in (("chose", CHOSE), ("judged", JUDGED)):
        for name, make in tasks.items():
            model, X, y = make()
            cells = [part, name, f"{len(y):,}"]
            for solver in ("lbfgs", "auto"):
                begin = time.process_time()
                found = model(solver).fit(X, y).solution_
                cells += [
                    f"{found.oracle_calls / len(y):.0f}",
                    f"{time.process_time() - begin:.2f}",
                    f"{found.primal:.2f}",
                ]
            yield cells


if __name__ == "__main__":
    columns = ["passes", "CPU s", "objective"]
    print("part", "task", "examples", *(f"L-BFGS {c}" for c in columns), *(f"auto {c}" for c in columns), sep=" | ")
    for row in rows():
        print(*row, sep=" | ", flush=True)
