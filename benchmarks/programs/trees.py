"""The part ``trees``: dependency parsing of UD English EWT with gold tags and first-order features.

Each parser learns in a process of its own, with one thread, from the same hashed features of arcs; time and peak memory
are those of reading, features, training and prediction together. Projective parsers learn from the trees that are
projective. For comparison: McDonald, Crammer and Pereira (2005) have 90.7 to 90.9 % with these features on the Wall
Street Journal, and McDonald et al. (2005) 90.2 % with spanning trees; on EWT, whose text is from the web, the neural
transition-based parser of UDPipe 1.2 has 87.7 % (UD 2.3, gold tokens and tags).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from maxmargin import Perceptron, ProgramPerceptron, ProgramSVM, StructuralSVM
from maxmargin.datasets import load_ud_ewt_trees, make_dependency_trees
from maxmargin.datasets.local import MissingDataError
from maxmargin.programs import DependencyFeatures, TreeProblem
from maxmargin.programs.spaces import ProjectiveTrees
from shared.harness import Measurement, measure, run_job

LIMIT = 3 * 3600.0
LOWEST, MOST_BYTES, MOST_MINUTES = 0.84, 4e9, 15.0
PASSES = 10
MARGIN_PASSES = 8  # where the search is called from Python
PARSERS = (
    "projective, margins",
    "projective, perceptron",
    "spanning trees, margins",
    "spanning trees, perceptron",
)


def run(quick: bool = False) -> dict[str, Any]:
    """Unlabelled attachment of every parser, each in a process of its own, and whether what was asked holds."""
    rows, bars, note = [], [], ""
    for name in PARSERS:
        found = run_job("programs.trees", "parse", {"name": name, "quick": quick}, LIMIT)
        if found is None:
            raise RuntimeError(f"{name} took more than {LIMIT:.0f} s.")
        attached, seconds, peak, note = found["attached"], found["cost"]["cpu"], found["cost"]["peak"], found["note"]
        shares = [f"{100 * found[key]:.2f}" for key in ("attached", "words_only", "spanning", "whole_trees")]
        rows.append([name, *shares, f"{seconds / 60:.1f}", f"{found['training'] / 60:.1f}", f"{1e-9 * peak:.2f}"])
        if not quick and not note:
            bars += [
                [f"{name}: attachment", f"{attached:.4f}", f">= {LOWEST}", attached >= LOWEST],
                [f"{name}: minutes", f"{seconds / 60:.1f}", f"<= {MOST_MINUTES:.0f}", seconds <= 60 * MOST_MINUTES],
                [f"{name}: peak memory", f"{1e-9 * peak:.2f} GB", "<= 4 GB", peak <= MOST_BYTES],
            ]
    if note:
        rows.append([note, *[""] * 7])
    columns = ["UD English EWT, percent", "attached", "no punctuation", "as spanning trees", "whole trees"]
    columns += ["minutes", "of these training", "peak GB"]
    return {"columns": columns, "rows": rows, "bars": bars}


def parse(name: str, quick: bool) -> dict[str, Any]:
    """Trains and tries one parser."""
    found, cost = measure(lambda: _parsed(name, quick))
    return found | {"cost": Measurement(cost.cpu, cost.wall, cost.peak)}


def _parsed(name: str, quick: bool) -> dict[str, Any]:
    train, train_heads, test, test_heads, note = _data(quick)
    features = DependencyFeatures(bits=16 if quick else 22)
    margins = name.endswith("margins")
    if name.startswith("projective"):
        space = ProjectiveTrees(features)
        kept = [i for i, heads in enumerate(train_heads) if is_projective(heads)]
        X, Y = [train[i] for i in kept], [train_heads[i] for i in kept]
        model: Any = ProgramSVM(space) if margins else ProgramPerceptron(space, passes=PASSES)
    else:
        X, Y = [features(sentence) for sentence in train], train_heads
        solver = "auto" if margins else Perceptron(passes=PASSES)
        model = StructuralSVM(TreeProblem(), solver=solver, max_iter=MARGIN_PASSES if margins else None)
    begin = time.process_time()
    model.fit(X, Y)
    training = time.process_time() - begin
    rows = [features(sentence) for sentence in test]
    spanning = [y for x in rows for y in TreeProblem().argmax_many([x], model.coef_)]
    predicted = model.predict(test) if name.startswith("projective") else spanning
    words = [np.array([tag != "PUNCT" for tag in sentence.upos]) for sentence in test]
    return {
        "name": name,
        "note": note,
        "sentences": len(X),
        "left_out": len(train) - len(X),
        "passes": model.n_iter_,
        "training": training,
        "attached": attachment(test_heads, predicted),
        "words_only": attachment(test_heads, predicted, words),
        "spanning": attachment(test_heads, spanning),
        "whole_trees": float(np.mean([np.array_equal(a, b) for a, b in zip(test_heads, predicted)])),
    }


def _data(quick: bool) -> tuple[Any, ...]:
    try:
        train, test, note = load_ud_ewt_trees("train"), load_ud_ewt_trees("test"), ""
    except MissingDataError as missing:
        train, test = make_dependency_trees(2000, crossing=0.1), make_dependency_trees(500, crossing=0.1, seed=1)
        note = f"EWT is not available, invented sentences instead. {missing}"
    n = 300 if quick else len(train[0])
    return train[0][:n], train[1][:n], test[0][:n], test[1][:n], note


def attachment(truths: list[Any], found: list[Any], counted: list[Any] | None = None) -> float:
    """The share of the words that have the right head."""
    right = np.concatenate([a == b for a, b in zip(truths, found, strict=True)])
    return float(right.mean() if counted is None else right[np.concatenate(counted)].mean())


def is_projective(heads: Any) -> bool:
    """Whether no two arcs cross, the arc from the root, before all words, among them."""
    word = np.arange(1, len(heads) + 1)
    low, high = np.minimum(heads, word), np.maximum(heads, word)
    inside = (low[:, None] < low) & (low < high[:, None])
    return not bool((inside & (high > high[:, None])).any())
