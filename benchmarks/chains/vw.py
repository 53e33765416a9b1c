"""Vowpal Wabbit's learning to search as a method of the chain benchmark."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import vowpalwabbit

from chains.data import Strings, Tags

_PLAIN = str.maketrans({":": "\x01", "|": "\x02", " ": "\x03", "\n": " "})


class VWModel:
    """A model file; prediction reads a text file, as training does."""

    def __init__(self, folder: Path, classes: list[str]) -> None:
        self.folder, self.classes = folder, classes

    def pack(self, X: Strings) -> Path:
        return _write(self.folder / "test.vw", X, None)

    def predict(self, packed: Path) -> list[Any]:
        answer = self.folder / "answer"
        _run(f"--testonly --initial_regressor {self.folder / 'model'} --data {packed} --predictions {answer}")
        lines = answer.read_text().splitlines()
        return [[self.classes[int(number) - 1] for number in line.split()] for line in lines if line.strip()]

    def weights(self) -> None:
        """None: the weights are hashed, and the search is greedy."""

    def facts(self) -> dict[str, Any]:
        return {}


class VW:
    """``pack`` writes Vowpal Wabbit's text file; ``train`` runs the program on it, which parses in the first pass.

    Making examples in memory through the Python interface first was tried: it takes several times as long.
    """

    def __init__(self, passes: int = 1, bits: int = 24, rate: float = 0.5, history: int = 1) -> None:
        self.options = f"--bit_precision {bits} --learning_rate {rate} --search_history_length {history}"
        self.passes = passes
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)

    def pack(self, X: Strings, Y: Tags) -> tuple[Path, list[str]]:
        classes = sorted({label for labels in Y for label in labels})
        number = {label: str(i + 1) for i, label in enumerate(classes)}
        return _write(self.folder / "train.vw", X, [[number[label] for label in labels] for labels in Y]), classes

    def train(self, packed: tuple[Path, list[str]]) -> VWModel:
        data, classes = packed
        more = f"--passes {self.passes} --cache_file {self.folder / 'cache'} --kill_cache --holdout_off"
        _run(
            f"--search {len(classes)} --search_task sequence --search_rollout none {self.options} --data {data} "
            f"--final_regressor {self.folder / 'model'} {more if self.passes > 1 else ''}"
        )
        return VWModel(self.folder, classes)


def _write(path: Path, X: Strings, Y: Tags | None) -> Path:
    with path.open("w") as file:
        for i, tokens in enumerate(X):
            labels = ["1"] * len(tokens) if Y is None else Y[i]
            lines = [f"{label} | " + "\n".join(token).translate(_PLAIN) for label, token in zip(labels, tokens)]
            file.write("\n".join(lines) + "\n\n")
    return path


def _run(options: str) -> None:
    vowpalwabbit.Workspace(f"--quiet {options}").finish()
