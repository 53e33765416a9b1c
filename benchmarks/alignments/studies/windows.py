"""What surroundings of positions tell of protein alignments beyond the residues: log-likelihood of families not seen.

The families on which features were settled (``SETTLED`` of ``proteins.py``), in three folds; AlignmentCRF with one C
for all. The mean of ``log p(y | x)`` per true pair over families, and the gain over ``Simple`` with its standard error
over families. A likelihood sees differences that are too small to change an alignment; profiles show what a gain is
like.

python benchmarks/alignments/studies/windows.py
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from alignments import proteins
from maxmargin import AlignmentCRF
from maxmargin.datasets import load_balifam
from shared.tables import console, new_table

C, FOLDS, SEED = 0.3, 3, 7000
FEATURES: dict[str, Any] = {
    "Simple": proteins.LIKELIHOODS["Simple"],
    "products of hydropathies, distances up to 4": proteins.LIKELIHOODS["Window"],
    "hydropathies around gaps, distances up to 6": proteins.GAP_WINDOWS["Gap window"],
    "classes of residues, distances up to 2": proteins.MODELS["Window"],
    "means over windows": proteins.MODELS["Window means"],
    "means and profiles": proteins.MODELS["Profile"],
}


def main() -> None:
    seed, count = proteins.SETTLED
    every = load_balifam()
    some = [every[k] for k in np.sort(np.random.default_rng(seed).permutation(len(every))[:count])]
    examples = proteins.Examples(some, proteins.Tracks(some), proteins.PAIRS)
    part = np.random.default_rng(SEED).permutation(count) % FOLDS
    table = new_table("log-likelihood per true pair of families not seen", ["features", "mean", "less Simple"])
    first = None
    for name, features in FEATURES.items():
        found = np.concatenate([_of_pairs(features, examples, part != held, part == held) for held in range(FOLDS)])
        family = np.concatenate([examples.family[examples.of(np.flatnonzero(part == held))] for held in range(FOLDS)])
        own = proteins.by_family(found, family)
        first = own if first is None else first
        gain, error = (own - first).mean(), (own - first).std(ddof=1) / count**0.5
        table.add_row(name, f"{own.mean():.4f}", "" if first is own else f"{gain:+.4f} ± {error:.4f}")
    console.print(table)


def _of_pairs(features: Any, examples: proteins.Examples, train: Any, test: Any) -> proteins.Floats:
    """The log-likelihood per true pair of each example of the test families."""
    at, asked = (examples.of(np.flatnonzero(own)) for own in (train, test))
    model = AlignmentCRF(C, features=features, alphabet=proteins.ALPHABETS, tol=proteins.TOL)
    model.fit([examples.inputs[k] for k in at], [examples.written[k] for k in at])
    inputs, truths = ([own[k] for k in asked] for own in (examples.inputs, examples.written))
    highest = model.decision_value(inputs, model.predict(inputs, decode="best"))
    log_sums = highest - np.log(model.predict_confidence(inputs))
    return np.asarray((model.decision_value(inputs, truths) - log_sums) / [len(truth.pairs) for truth in truths])


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # where a model is not trained to the end, this does not matter here
    main()
