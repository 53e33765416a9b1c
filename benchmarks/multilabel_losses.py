"""Which loss to train label vectors with: subset accuracy with the Hamming and with the zero-one loss, at several C.

Both losses are bounded by the machines trained for them, and the second is what subset accuracy counts; the table shows
whether it helps, and that C does not explain it. Data come from the folder that MAXMARGIN_DATA names.

    python benchmarks/multilabel_losses.py
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from multilabel_fit import load
from sklearn.datasets import make_multilabel_classification
from tables import console, new_table

from maxmargin import MultilabelSVC

FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0)
GENERATED = {f"generated, {labels} labels": (labels, labels // 3) for labels in (6, 10)}
SETS = (*GENERATED, "emotions", "scene", "medical")


def read(name: str) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Rows and label vectors to train with, and to test with."""
    if name not in GENERATED:
        return load(name)
    labels, set_labels = GENERATED[name]
    X, Y = make_multilabel_classification(1400, 20, n_classes=labels, n_labels=set_labels, random_state=labels)
    return (X[:400], Y[:400]), (X[400:], Y[400:])


def main() -> None:
    table = new_table("Subset accuracy, %, at C times", ["data", "loss", *(f"{factor:g}" for factor in FACTORS)])
    for name in SETS:
        (X, Y), (X_test, Y_test) = read(name)
        default = MultilabelSVC(interactions="independent").fit(X, Y).C_
        found: dict[str, list[str]] = {}
        for loss, factor in product(("hamming", "zero-one"), FACTORS):
            model = MultilabelSVC(factor * default, interactions="tree", loss=loss).fit(X, Y)
            found.setdefault(loss, []).append(f"{100 * np.mean((model.predict(X_test) == Y_test).all(axis=1)):.1f}")
        for loss, cells in found.items():
            table.add_row(name, loss, *cells)
    console.print(table)


if __name__ == "__main__":
    main()
