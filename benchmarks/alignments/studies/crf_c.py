"""Which ``C='scale'`` AlignmentCRF has: shares of true pairs that are found, by C as a share of the rule of all CRFs.

The rule is that of ``oracles/sum_likelihood.py`` with the numbers 5 and 40. Tasks are those of ``homology_c.py``, a
sequence and its homolog at a time: as they are, aligned locally, and without what is before and after the true
alignment, aligned globally. None of them are proteins, on which ``crf_c.py proteins`` judges the choice: half of the
families learn, in three folds, from up to 4 pairs each.

python benchmarks/alignments/studies/crf_c.py [proteins]
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from maxmargin import AlignmentCRF
from maxmargin.alignments import Gaps, Simple
from maxmargin.metrics import alignment_q
from shared.tables import console, new_table

SHARES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
SAMPLES = {3: 4, 10: 3, 40: 2}
TEST = 40


def pairs_of(task: Any, n: int, seed: int, mode: str) -> tuple[list[Any], list[Any]]:
    """Sequences with their homologs, and their alignments."""
    X, y = [], []
    for (native, candidates), (at, pairs) in zip(*task.sample(n, seed)):
        x, z, rows = native, candidates[at], np.asarray(pairs)
        if mode == "global":
            (i, j), (last, other) = rows[0], rows[-1]
            x, z, rows = x[i : last + 1], z[j : other + 1], rows - rows[0]
        X.append((x, z))
        y.append(rows)
    return X, y


def old_rule(weights: int, y: list[Any], parts: int = 1) -> float:
    """``max(5, 40 sqrt(d / T)) / s``; the features of a pair have the squared length ``parts``."""
    total = sum(map(len, y))
    return float(max(5.0, 40.0 * np.sqrt(weights / total)) / parts)


def invented() -> None:
    from alignments.studies.homology_c import LETTERS, TASKS

    table = new_table("true pairs found in percent: highest score / least risk", ["mode", "n", *map(str, SHARES)])
    for mode in ("local", "global"):
        for n, samples in SAMPLES.items():
            found = np.zeros((len(SHARES), 2))
            for task in TASKS:
                features = Simple(symmetric=False) + Gaps()
                for number in range(samples):
                    X, y = pairs_of(task, n, 30_000 + 100 * n + number, mode)
                    X_test, y_test = pairs_of(task, TEST, 230_000 + 100 * n + number, mode)
                    for row, share in enumerate(SHARES):
                        C = share * old_rule(task.letters**2 + 2, y)
                        model = AlignmentCRF(C, features=features, alphabet=LETTERS[: task.letters], mode=mode)
                        model.fit(X, y)
                        found[row, 0] += alignment_q(y_test, model.predict(X_test, decode="best"))
                        found[row, 1] += alignment_q(y_test, model.predict(X_test, decode="risk"))
            means = 100.0 * found / (len(TASKS) * samples)
            table.add_row(mode, str(n), *(f"{best:.1f} / {safe:.1f}" for best, safe in means))
    console.print(table)


def proteins() -> None:
    from alignments import proteins as families
    from maxmargin.datasets import load_balifam

    seed, count = families.SETTLED
    every = load_balifam()
    some = [every[k] for k in np.sort(np.random.default_rng(seed).permutation(len(every))[:count])]
    examples = families.Examples(some, families.Tracks(some), 4)
    part = np.random.default_rng(1).permutation(len(some)) % 3
    table = new_table("Q of unseen families in percent", ["features", *map(str, SHARES)])
    for name in ("Simple", "Simple, known", "Window"):
        cells = []
        for share in SHARES:
            found = np.zeros((len(some), 2))
            for held in range(3):
                at, asked = (examples.of(np.flatnonzero(part == held if own else part != held)) for own in (0, 1))
                model = AlignmentCRF(features=families.MODELS[name], alphabet=families.ALPHABETS)
                y = [examples.written[k] for k in at]
                weights, parts = {"Simple": (275, 1), "Simple, known": (276, 1), "Window": (323, 5)}[name]
                model.set_params(C=share * old_rule(weights, y, parts))
                model.fit([examples.inputs[k] for k in at], y)
                inputs, truths = ([own[k] for k in asked] for own in (examples.inputs, examples.truths))
                for column, decode in enumerate(("best", "risk")):
                    scores = families.quality(truths, model.predict(inputs, decode=decode))[:, :1]
                    found[part == held, column] = families.by_family(scores, examples.family[asked])[:, 0]
            cells.append("{:.1f} / {:.1f}".format(*(100.0 * found.mean(axis=0))))
        table.add_row(name, *cells)
    console.print(table)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # where a model is not trained to the end, this does not matter here
    proteins() if sys.argv[1:] == ["proteins"] else invented()
