"""Which ``C='scale'`` HomologySVM has with the zero-one loss, and what its losses reach: test errors on invented tasks
other than the paper's.

C is a factor over the mean number of true pairs of an example (each has features of length 1 here). Tasks differ in
letters and their frequencies, substitutions, lengths, operations and decoys; none is that of
``benchmarks/alignments/homology.py``, which judges the choice. 400 or so weights of pairs and one of gaps, as there.

python benchmarks/alignments/studies/homology_c.py [losses]
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from maxmargin.alignments import Gaps, HomologySVM, Simple
from shared.tables import console, new_table

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FACTORS = (0.5, 1.0, 2.0, 4.0, 8.0)
LOSSES = ("zero-one", "q")
LOSS_SAMPLES = {2: 8, 4: 8, 10: 6, 20: 3}
SAMPLES = {1: 12, 2: 12, 4: 20, 10: 8, 20: 5, 40: 3}
MOST_EXAMPLES = {"long": 10}  # where training takes long
TEST = 150


@dataclass(frozen=True)
class Task:
    """How sequences come about: letter number c of ``letters`` has a probability in proportion to ``c**power``."""

    letters: int
    power: float
    substitutes: str  # "next", "one", "swapped", "three" or "any": the letters that may stand for a letter
    length: int
    operations: int
    probabilities: tuple[float, float, float, float]
    decoys: int
    speed: str = ""

    def sample(self, n: int, seed: int) -> tuple[list[Any], list[Any]]:
        """Inputs with the homolog at a random place among its decoys, and where it is, with its alignment."""
        rng = np.random.default_rng([seed, self.letters, self.length])
        shares = np.arange(1, self.letters + 1) ** float(self.power)
        table = self._table()

        def letters() -> npt.NDArray[np.int64]:
            return rng.choice(self.letters, self.length, p=shares / shares.sum())

        X, y = [], []
        for _ in range(n):
            native, kinds = letters(), rng.choice(4, self.operations, p=self.probabilities)
            read, write = kinds != 2, kinds != 3
            i = rng.integers(self.length - read.sum() + 1) + np.cumsum(read) - 1
            j = rng.integers(self.length - write.sum() + 1) + np.cumsum(write) - 1
            both = read & write
            i, j, changed = i[both], j[both], kinds[both] == 1
            homolog = letters()
            homolog[j] = native[i]
            homolog[j[changed]] = table[native[i[changed]], rng.integers(table.shape[1], size=changed.sum())]
            candidates = [homolog, *(letters() for _ in range(self.decoys))]
            order = rng.permutation(len(candidates))
            X.append((_text(native), [_text(candidates[k]) for k in order]))
            y.append((int(np.argmin(order)), np.stack([i, j], axis=1)))
        return X, y

    def _table(self) -> npt.NDArray[np.int64]:
        """The substitutes of each letter, a row per letter."""
        fixed, own = np.random.default_rng([self.letters, 7]), np.arange(self.letters)
        if self.substitutes == "next":
            return (own[:, None] + 1) % self.letters
        if self.substitutes == "any":
            return np.tile(own, (self.letters, 1))
        if self.substitutes == "swapped":
            order, other = fixed.permutation(self.letters), own.copy()
            even = 2 * (self.letters // 2)
            one, two = order[:even:2], order[1:even:2]
            other[one], other[two] = two, one
            return other[:, None]
        return np.stack([fixed.permutation(self.letters) for _ in range(1 if self.substitutes == "one" else 3)], 1)


TASKS = (
    Task(12, 0.0, "one", 40, 25, (0.3, 0.3, 0.2, 0.2), 5),
    Task(18, 1.0, "one", 45, 26, (0.25, 0.35, 0.2, 0.2), 6),
    Task(22, 0.5, "next", 55, 30, (0.2, 0.5, 0.15, 0.15), 12),
    Task(10, 0.7, "three", 60, 40, (0.4, 0.4, 0.1, 0.1), 10),
    Task(25, 1.0, "swapped", 40, 26, (0.3, 0.3, 0.2, 0.2), 10),
    Task(16, 0.5, "three", 50, 32, (0.3, 0.5, 0.1, 0.1), 10),
    Task(15, 1.5, "next", 30, 22, (0.5, 0.3, 0.1, 0.1), 8),
    Task(20, 0.0, "swapped", 70, 35, (0.2, 0.3, 0.25, 0.25), 15, "long"),
    Task(26, 1.0, "one", 60, 35, (0.1, 0.5, 0.2, 0.2), 20, "long"),
)


FEATURES = Simple(symmetric=False) + Gaps(affine=False)


def compare_losses() -> None:
    """Both losses at their default C: errors, and CPU seconds of a fit, means over the tasks."""
    columns = [f"{loss}, {what}" for what in ("error %", "s") for loss in LOSSES]
    table = new_table("default C", ["n", "tasks", *columns, "tasks on which q is better"])
    for n, samples in LOSS_SAMPLES.items():
        tasks = [task for task in TASKS if n <= MOST_EXAMPLES.get(task.speed, n)]
        found = np.zeros((len(tasks), 2, len(LOSSES)))
        for own, task in zip(found, tasks):
            for number in range(samples):
                X, y = task.sample(n, 500_000 + 100 * n + number)
                X_test, y_test = task.sample(TEST, 700_000 + 100 * n + number)
                for column, loss in enumerate(LOSSES):
                    begin = time.process_time()
                    model = HomologySVM(features=FEATURES, alphabet=LETTERS[: task.letters], loss=loss).fit(X, y)
                    own[1, column] += (time.process_time() - begin) / samples
                    own[0, column] += 100.0 * (1.0 - model.score(X_test, y_test)) / samples
        means = found.mean(axis=0).ravel()
        better = int((found[:, 0, 1] < found[:, 0, 0]).sum())
        table.add_row(str(n), str(len(tasks)), *(f"{mean:.2f}" for mean in means), str(better))
    console.print(table)


def main() -> None:
    if sys.argv[1:] == ["losses"]:
        compare_losses()
        return
    table = new_table("test error in percent, mean over the tasks", ["n", "tasks", *map(str, FACTORS)])
    for n, samples in SAMPLES.items():
        found = []
        for task in TASKS:
            if n > MOST_EXAMPLES.get(task.speed, n):
                continue
            errors = np.zeros((samples, len(FACTORS)))
            for number in range(samples):
                X, y = task.sample(n, 7000 + 100 * n + number)
                X_test, y_test = task.sample(TEST, 190_000 + 100 * n + number)
                pairs = np.mean([len(alignment) for _, alignment in y])
                for column, factor in enumerate(FACTORS):
                    options: dict[str, Any] = {
                        "features": FEATURES,
                        "alphabet": LETTERS[: task.letters],
                        "loss": "zero-one",
                    }
                    model = HomologySVM(factor / pairs, **options, tol=0.01).fit(X, y)
                    errors[number, column] = 100.0 * (1.0 - model.score(X_test, y_test))
            found.append(errors.mean(axis=0))
        table.add_row(str(n), str(len(found)), *(f"{error:.2f}" for error in np.mean(found, axis=0)))
    console.print(table)


def _text(codes: npt.NDArray[np.int64]) -> str:
    return "".join(LETTERS[code] for code in codes.tolist())


if __name__ == "__main__":
    main()
