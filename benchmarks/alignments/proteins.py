"""Protein families: learned scores beside BLOSUM62 on families that were not seen, as in figure 6 of Joachims, Hofmann,
Yue and Yu (2009).

59 families of BAliBASE (``load_balifam``) in three parts: every family is predicted, up to 20 pairs of it, by
models that were trained on up to 60 pairs of each family in the other two parts. Scores count the reliable columns.
Biopython aligns by BLOSUM62, its mode and gaps chosen on the training families, for Q and for Q4 separately. Learned
models have one C, chosen for Simple on a third of the training families by models of the others; the number of training
pairs, the candidates for C and the gaps by letter were settled after looking at scores of all families, see the page.
Profiles are letter frequencies of the other members of a family, each aligned with the sequence alone by BLOSUM62: they
know nothing of the reference alignment, and the two sequences of a pair are left out of them.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from Bio.Align import PairwiseAligner, substitution_matrices

from maxmargin import AlignmentSVM
from maxmargin.alignments import (
    Aligner,
    Alphabet,
    Anova2,
    Gaps,
    GenerativeAligner,
    MultipleAlignment,
    Profile,
    Simple,
    Window,
)
from maxmargin.datasets import load_balifam
from maxmargin.metrics import alignment_q

PAIRS, TRAINING_PAIRS, FOLDS, TOL = 20, 60, 3, 0.005
TOTALS = (0.8, 2.5, 8.0)  # of C times the number of examples
LETTERS = "ARNDCQEGHILKMFPSTWYVX"
RESIDUES = Alphabet(LETTERS, unknown="X")
# Kyte and Doolittle (1982), in the order of LETTERS
_VALUES = "1.8 -4.5 -3.5 -3.5 2.5 -3.5 -3.5 -0.4 -3.2 4.5 3.8 -3.9 1.9 2.8 -1.6 -0.8 -0.7 -0.9 -1.3 4.2 -0.4"
HYDROPATHY = dict(zip(LETTERS, map(float, _VALUES.split())))
WINDOW = Window("hydrophobicity", width=4, centre=False)
MODELS: dict[str, Any] = {
    "Simple": Simple() + Gaps("residue"),
    "Anova2": Anova2("residue", "surroundings") + Gaps("residue", "surroundings"),
    "Window": Simple() + WINDOW + Gaps("residue", "surroundings"),
    "Profile": Simple() + WINDOW + Profile() + Gaps("residue", "surroundings"),
}
ALPHABETS = {"residue": RESIDUES, "hydrophobicity": "hnp", "surroundings": "0123"}
OPEN, EXTEND = (8, 10, 12, 14, 17), (0.5, 1.0, 1.5, 2.0)
GENERATIVE = (2.0, 3.0, 4.0, 5.0, 6.0)
Floats = npt.NDArray[np.float64]


def run() -> dict[str, Any]:
    families = load_balifam()
    order = np.random.default_rng(0).permutation(len(families))
    place = {int(number): at for at, number in enumerate(order)}
    tracks = Tracks(families)
    judged = Examples(families, tracks, PAIRS)
    known = Examples(families, tracks, TRAINING_PAIRS)
    part, known_part = (np.array([place[f] % FOLDS for f in own.family]) for own in (judged, known))
    inner = np.array([place[f] // FOLDS % 3 == 0 for f in judged.family])  # of the training families: to choose C

    blosum, best = tuned(biopython(judged.texts, judged.truths), part)
    learned = {name: np.zeros((len(part), 2)) for name in ("log-odds", *MODELS)}
    sizes, chosen = {"log-odds": 231}, []
    for held in range(FOLDS):
        train, test = np.flatnonzero(known_part != held), np.flatnonzero(part == held)
        total = chosen_total(judged, np.flatnonzero((part != held) & ~inner), np.flatnonzero((part != held) & inner))
        chosen.append(total)
        learned["log-odds"][test] = log_odds(judged, np.flatnonzero(part != held), test)
        for name, features in MODELS.items():
            model = AlignmentSVM(total / len(train), features=features, alphabet=ALPHABETS, tol=TOL)
            model.fit(_some(known.inputs, train), _some(known.written, train))
            sizes[name] = model.coef_.size
            learned[name][test] = quality(_some(judged.truths, test), model.predict(_some(judged.inputs, test)))
    results = {"BLOSUM62": blosum, "BLOSUM62, gaps of the test families": best, **learned}
    return {**answer(results, sizes), "C times examples": chosen}


class Examples:
    """Pairs of sequences of all families: texts, tracks, alignments of the reliable columns and of all columns."""

    def __init__(self, families: list[MultipleAlignment], tracks: Tracks, most: int) -> None:
        pairs = [(f, a, b) for f in range(len(families)) for a, b in families[f].pairs(most, seed=f)]
        self.family = [f for f, _, _ in pairs]
        self.truths = [families[f].alignment(a, b) for f, a, b in pairs]
        self.written = [families[f].alignment(a, b, lower=True) for f, a, b in pairs]  # to learn from
        self.texts = [(families[f].sequences[a], families[f].sequences[b]) for f, a, b in pairs]
        self.inputs = [(tracks.of(f, a, b), tracks.of(f, b, a)) for f, a, b in pairs]


def chosen_total(examples: Examples, train: Any, test: Any) -> float:
    """C times the number of examples that is best for Simple by the sum of Q and Q4."""

    def value(total: float) -> float:
        model = AlignmentSVM(total / len(train), features=MODELS["Simple"], alphabet=ALPHABETS, tol=TOL)
        model.fit(_some(examples.texts, train), _some(examples.written, train))
        return float(quality(_some(examples.truths, test), model.predict(_some(examples.texts, test))).mean())

    return max(TOTALS, key=value)


def _some(items: list[Any], numbers: Any) -> list[Any]:
    return [items[k] for k in numbers]


class Tracks:
    """What is known of the positions of a sequence without its alignment."""

    def __init__(self, families: list[MultipleAlignment]) -> None:
        self.families = families
        self.codes = [[RESIDUES.encode(text) for text in family.sequences] for family in families]
        aligner = Aligner("BLOSUM62", open=-14.0, extend=-1.0)
        self.pairs: list[dict[tuple[int, int], npt.NDArray[np.int64]]] = []
        for family in families:
            both = family.pairs()
            found = aligner.align_all(*zip(*((family.sequences[a], family.sequences[b]) for a, b in both)))
            self.pairs.append({pair: one.output.pairs for pair, one in zip(both, found)})

    def of(self, family: int, a: int, b: int) -> dict[str, Any]:
        """The tracks of sequence a where it is aligned with b."""
        text = self.families[family].sequences[a]
        values = np.array([HYDROPATHY.get(letter, -0.4) for letter in text])
        return {
            "residue": text,
            "hydrophobicity": "".join("h" if value > 1.5 else "p" if value < -3.0 else "n" for value in values),
            "surroundings": "".join(map(str, np.digitize(_smoothed(values), [-1.5, -0.3, 0.9]))),
            "profile": self.profile(family, a, b),
        }

    def profile(self, family: int, a: int, b: int) -> Floats:
        """Letter frequencies of the other members at the positions of a, and its own letter as often as all of them."""
        codes, total = self.codes[family], np.zeros((len(self.codes[family][a]), len(LETTERS)))
        others = [k for k in range(len(codes)) if k not in (a, b)]
        for k in others:
            pairs = self.pairs[family][a, k] if a < k else self.pairs[family][k, a][:, ::-1]
            np.add.at(total, (pairs[:, 0], codes[k][pairs[:, 1]]), 1.0 / len(others))
        total[np.arange(len(total)), codes[a]] += 1.0
        return np.asarray(total / total.sum(axis=1, keepdims=True))


def biopython(texts: list[tuple[str, str]], truths: list[Any]) -> list[Floats]:
    """Q and Q4 of every pair, shape (n, 2), for each mode and gap."""
    aligner = PairwiseAligner()
    aligner.substitution_matrix = substitution_matrices.load("BLOSUM62")
    found = []
    for mode, first, later in product(("global", "semi-global", "local"), OPEN, EXTEND):
        aligner.mode = "local" if mode == "local" else "global"
        aligner.open_gap_score, aligner.extend_gap_score = -first, -later
        if mode == "semi-global":
            aligner.end_gap_score = 0.0
        rows = []
        for x, y in texts:
            places = next(iter(aligner.align(x, y))).indices
            rows.append(places.T[places.min(axis=0) >= 0])
        found.append(quality(truths, rows))
    return found


def tuned(scores: list[Floats], part: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Scores of each part with the setting that is best on the others, and with the one that is best on itself."""
    chosen, best = np.zeros_like(scores[0]), np.zeros_like(scores[0])
    for held, column in product(range(FOLDS), range(2)):
        test = part == held
        setting = max(scores, key=lambda own: own[~test, column].mean())
        chosen[test, column] = setting[test, column]
        best[test, column] = max(scores, key=lambda own: own[test, column].mean())[test, column]
    return chosen, best


def log_odds(examples: Examples, train: Any, test: Any) -> Floats:
    """The generative model, with the gaps that are best on the training families."""
    texts, written = _some(examples.texts, train), _some(examples.written, train)
    models = [
        GenerativeAligner(open=-first, extend=-later, mode="global", alphabet=RESIDUES).fit(texts, written)
        for first, later in product((3.0, 4.0, 5.0, 6.0), (0.3, 0.6, 1.0))
    ]
    model = max(models, key=lambda own: own.score(texts, _some(examples.truths, train)))
    return quality(_some(examples.truths, test), model.predict(_some(examples.texts, test)))


def quality(truths: list[Any], found: list[Any]) -> Floats:
    """Q and Q4 of each pair, shape (n, 2)."""
    return np.array(
        [[alignment_q([truth], [own], window=window) for window in (0, 4)] for truth, own in zip(truths, found)]
    )


def answer(results: dict[str, Floats], sizes: dict[str, int]) -> dict[str, Any]:
    """The table, and what must hold."""
    means = {name: 100.0 * scores.mean(axis=0) for name, scores in results.items()}
    rows = [[name, str(sizes.get(name, "")), f"{own[0]:.2f}", f"{own[1]:.2f}"] for name, own in means.items()]
    bars = []
    for column, measure in enumerate(("Q", "Q4")):
        for better, worse in (("Simple", "BLOSUM62"), ("Window", "Simple"), ("Profile", "Simple")):
            value, least = means[better][column], means[worse][column]
            bars.append(
                (f"{measure}: {better} above {worse}", f"{value:.2f}", f"above {least:.2f}", bool(value > least))
            )
    return {"columns": ["model", "weights", "Q", "Q4"], "rows": rows, "bars": bars}


def _smoothed(values: Floats, width: int = 3) -> Floats:
    """Means over the positions at most ``width`` away."""
    kernel = np.ones(2 * width + 1)
    return np.convolve(values, kernel, "same") / np.convolve(np.ones_like(values), kernel, "same")
