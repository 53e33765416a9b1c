"""Protein families: learned scores beside BLOSUM62 on families that were not seen, as in figure 6 of Joachims, Hofmann,
Yue and Yu (2009).

59 families of BAliBASE (``load_balifam``), split at random into three parts: up to 12 pairs of every family are
predicted by models of the families in the other two parts, which learn from up to 12 pairs per family. What is open is
chosen inside these training families, for Q and for Q4 separately, by the mean over families: mode and gaps of
Biopython directly, C of every learned model by the alignments of highest score that models of each half of the training
families have for the other half. Learned models are calibrated on folds of the training pairs, and predict by least
risk (``decode="risk"``): of Q for the column Q, of Q4 for the column Q4; "Simple, best" has the alignments of highest
score. Scores count the reliable columns, and every family counts alike; standard errors are those of a bootstrap over
families of their mean differences. Features, numbers of pairs, candidates for C and the decoding were settled on half
of the families (``SETTLED``); the bars are also given for the others alone, which were used for none of these choices.
``AlignmentCRF`` ("likelihood") learns and is judged in the same way on two other splits, where C is chosen by least
risk, with hydropathies in a window: products of those at the same distance, up to 4, from both positions. Two more
splits have hydropathies at distances up to 6 from positions that are left out, each with a weight for the opening and
one for the extension of a gap.
Profiles are letter frequencies of the other members of a family, each aligned with the sequence alone by BLOSUM62: they
know nothing of the reference alignment, and the two sequences of a pair are left out of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import product
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from Bio.Align import PairwiseAligner, substitution_matrices

from maxmargin import AlignmentCRF, AlignmentSVM
from maxmargin.alignments import (
    Aligner,
    Alphabet,
    Anova2,
    Gaps,
    GenerativeAligner,
    Known,
    MultipleAlignment,
    Profile,
    Simple,
    Window,
)
from maxmargin.datasets import load_balifam
from maxmargin.metrics import alignment_q

PAIRS, FOLDS, SPLITS, TOL = 12, 3, 2, 0.01  # pairs per family
SEED = 9200  # of the first split; those of likelihoods follow those of margins
SETTLED = (4242, 30)  # seed and number of the families on which the design was settled
DRAWS = 10_000  # of the bootstrap
TOTALS = (0.3, 1.0, 3.0)  # of C times the number of examples, for margins
LIKELIHOOD_C = (0.01, 0.1, 0.3)
LETTERS = "ARNDCQEGHILKMFPSTWYVX"
RESIDUES = Alphabet(LETTERS, unknown="X")
# Kyte and Doolittle (1982), in the order of LETTERS
_VALUES = "1.8 -4.5 -3.5 -3.5 2.5 -3.5 -3.5 -0.4 -3.2 4.5 3.8 -3.9 1.9 2.8 -1.6 -0.8 -0.7 -0.9 -1.3 4.2 -0.4"
HYDROPATHY = dict(zip(LETTERS, map(float, _VALUES.split())))
MODELS: dict[str, Any] = {
    "Simple": Simple() + Gaps("residue"),
    "Simple, known": Simple() + Known("BLOSUM62") + Gaps("residue"),
    "Window means": Simple() + Profile("windows") + Gaps("residue", "surroundings"),
    "Profile": Simple() + Profile("windows") + Profile() + Gaps("residue", "surroundings"),
    "Window": Simple() + Window("hydrophobicity", width=2, centre=False) + Gaps("residue", "surroundings"),
    "Anova2": Anova2("residue", "surroundings") + Gaps("residue", "surroundings"),
    "known alone": Known("BLOSUM62") + Gaps("residue"),
}
LIKELIHOODS: dict[str, Any] = {
    "Simple": Simple() + Gaps("residue"),
    "Simple, known": Simple() + Known("BLOSUM62") + Gaps("residue"),
    "Window": Simple() + Profile("hydropathies", diagonal=True) + Gaps("residue"),
}
GAP_WINDOWS: dict[str, Any] = {
    "Simple": Simple() + Gaps("residue"),
    "Gap window": Simple() + Gaps("residue", context="gap hydropathies"),
}
ALPHABETS = {"residue": RESIDUES, "hydrophobicity": "hnp", "surroundings": "0123"}
PROMISED = (
    ("Simple", "BLOSUM62"),
    ("Window", "Simple"),
    ("Gap window", "Simple"),
    ("Window means", "Simple"),
    ("Profile", "Simple"),
)
OPEN, EXTEND = (8, 10, 12, 14, 17), (0.5, 1.0, 1.5, 2.0)
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def run() -> dict[str, Any]:
    families = load_balifam()
    judged = Examples(families, Tracks(families), PAIRS)
    known = [by_family(scores, judged.family) for scores in biopython(judged.texts, judged.truths)]
    margins = of_learners(Margins, MODELS, range(SPLITS), judged, known)
    likelihoods = of_learners(Likelihood, LIKELIHOODS, range(SPLITS, 2 * SPLITS), judged, known)
    windows = of_learners(Likelihood, GAP_WINDOWS, range(2 * SPLITS, 3 * SPLITS), judged, known)
    rows, bars = list(margins["rows"]), list(margins["bars"])
    for words, found in (("likelihood", likelihoods), ("likelihood, new splits", windows)):
        rows += [[f"{row[0]}, {words}", *row[1:]] for row in found["rows"]]
        bars += [(f"{words}, {bar[0]}", *bar[1:]) for bar in found["bars"]]
    chosen = {"margins": margins["chosen"], "likelihoods": likelihoods["chosen"], "gap windows": windows["chosen"]}
    return {"columns": margins["columns"], "rows": rows, "bars": bars, "chosen": chosen}


def of_learners(
    learners: type[Learner], models: dict[str, Any], numbers: range, judged: Examples, known: list[Floats]
) -> dict[str, Any]:
    """The table of one kind of learner, from splits by their numbers; ``known`` are the scores by mode and gaps of
    Biopython."""
    families = len(known[0])
    names = ("BLOSUM62", "log-odds", "Simple, best", *models)
    results = {name: np.zeros((len(numbers), families, 2)) for name in names}
    sizes, chosen = {"log-odds": 231}, []
    splits = [(row, split, held) for row, split in enumerate(numbers) for held in range(FOLDS)]
    for row, split, held in splits:
        train, test = divided(split, held, families)
        for column in range(2):
            best = max(known, key=lambda own: own[train, column].mean())
            results["BLOSUM62"][row, test, column] = best[test, column]
        results["log-odds"][row, test] = log_odds(judged, train, test)
    for name, (row, split, held) in product(models, splits):
        train, test = divided(split, held, families)
        half = np.random.default_rng(SEED + 100 + split).permutation(train.size) % 2
        learner = learners(models[name], judged)
        settings = learner.best_settings(train[half == 0], train[half == 1])
        found = {setting: learner.scores(setting, train, test) for setting in set(settings)}
        for column, setting in enumerate(settings):
            highest, safe = found[setting]
            results[name][row, test, column] = safe[:, column]
            if name == "Simple":
                results["Simple, best"][row, test, column] = highest[:, column]
        sizes[name] = learner.weights
        chosen.append([split, held, name, *settings])
    return {**answer(results, sizes), "chosen": chosen}


def divided(split: int, held: int, families: int) -> tuple[Ints, Ints]:
    """The families to learn from, and those to be judged."""
    part = np.random.default_rng(SEED + split).permutation(families) % FOLDS
    return np.flatnonzero(part != held), np.flatnonzero(part == held)


class Examples:
    """Pairs of sequences of all families: texts, tracks, alignments of the reliable columns and of all columns."""

    def __init__(self, families: list[MultipleAlignment], tracks: Tracks, most: int) -> None:
        pairs = [(f, a, b) for f in range(len(families)) for a, b in families[f].pairs(most, seed=f)]
        self.family = np.array([f for f, _, _ in pairs])
        self.truths = [families[f].alignment(a, b) for f, a, b in pairs]
        self.written = [families[f].alignment(a, b, lower=True) for f, a, b in pairs]  # to learn from
        self.texts = [(families[f].sequences[a], families[f].sequences[b]) for f, a, b in pairs]
        self.inputs = [(tracks.of(f, a, b), tracks.of(f, b, a)) for f, a, b in pairs]

    def of(self, families: Ints) -> Ints:
        """The numbers of the pairs of these families."""
        return np.flatnonzero(np.isin(self.family, families))


class Learner(ABC):
    """Models of some features, for each of some settings of C."""

    settings: ClassVar[tuple[float, ...]]

    def __init__(self, features: Any, examples: Examples) -> None:
        self.features, self.examples, self.weights = features, examples, 0

    @abstractmethod
    def fitted(self, setting: float, train: Ints) -> Any:
        """A model of these families."""

    @abstractmethod
    def chosen_by(self, model: Any, asked: Ints) -> Floats:
        """Q and Q4 of families, shape (families, 2), by which a setting is chosen."""

    def best_settings(self, one: Ints, other: Ints) -> list[float]:
        """The settings that are best in Q and in Q4 where each half of some families is predicted by the other."""
        values = []
        for setting in self.settings:
            halves = []
            for train, test in ((one, other), (other, one)):
                halves.append(self.chosen_by(self.fitted(setting, train), self.examples.of(test)))
            values.append(np.concatenate(halves).mean(axis=0))
        return [self.settings[int(at)] for at in np.argmax(values, axis=0)]

    def scores(self, setting: float, train: Ints, test: Ints) -> tuple[Floats, Floats]:
        """Q and Q4 of the test families, shape (families, 2): of the alignments of highest score, and of those of
        least risk, each measure by its own."""
        own, at, asked = self.examples, self.examples.of(train), self.examples.of(test)
        model = self.fitted(setting, train)
        if not model.probabilistic:
            model.calibrate(_some(own.inputs, at), _some(own.written, at))
        self.weights = model.coef_.size
        return self.highest(model, asked), self.safest(model, asked)

    def highest(self, model: Any, asked: Ints) -> Floats:
        return self.quality_of(model.predict(_some(self.examples.inputs, asked)), asked)

    def safest(self, model: Any, asked: Ints) -> Floats:
        inputs = _some(self.examples.inputs, asked)
        found = [self.quality_of(model.predict(inputs, decode="risk", shift=shift), asked) for shift in (0, 4)]
        return np.stack([found[0][:, 0], found[1][:, 1]], axis=1)

    def quality_of(self, found: list[Any], asked: Ints) -> Floats:
        """Q and Q4 of each family."""
        return by_family(quality(_some(self.examples.truths, asked), found), self.examples.family[asked])


class Margins(Learner):
    settings = TOTALS

    def fitted(self, setting: float, train: Ints) -> AlignmentSVM:
        own, at = self.examples, self.examples.of(train)
        model = AlignmentSVM(setting / len(at), features=self.features, alphabet=ALPHABETS, mode="global", tol=TOL)
        return model.fit(_some(own.inputs, at), _some(own.written, at))

    def chosen_by(self, model: AlignmentSVM, asked: Ints) -> Floats:
        return self.highest(model, asked)


class Likelihood(Learner):
    settings = LIKELIHOOD_C

    def fitted(self, setting: float, train: Ints) -> AlignmentCRF:
        own, at = self.examples, self.examples.of(train)
        model = AlignmentCRF(setting, features=self.features, alphabet=ALPHABETS, mode="global", tol=TOL)
        return model.fit(_some(own.inputs, at), _some(own.written, at))

    def chosen_by(self, model: AlignmentCRF, asked: Ints) -> Floats:
        return self.safest(model, asked)


def by_family(scores: Floats, family: Ints) -> Floats:
    """Means over the pairs of each family, in the order of their numbers."""
    return np.array([scores[family == f].mean(axis=0) for f in np.unique(family)])


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
            "windows": np.stack([np.ones(len(text)), *(_smoothed(values / 3.0, width) for width in (2, 5))], axis=1),
            "hydropathies": _shifted((values + 0.5) / 3.0, 4),
            "gap hydropathies": _shifted((values + 0.5) / 3.0, 6),
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


def log_odds(examples: Examples, train: Ints, test: Ints) -> Floats:
    """The generative model, with the gaps that are best on the training families."""
    at, asked = examples.of(train), examples.of(test)
    texts, written = _some(examples.texts, at), _some(examples.written, at)
    models = [
        GenerativeAligner(open=-first, extend=-later, mode="global", alphabet=RESIDUES).fit(texts, written)
        for first, later in product((3.0, 4.0, 5.0, 6.0), (0.3, 0.6, 1.0))
    ]
    model = max(models, key=lambda own: own.score(texts, _some(examples.truths, at)))
    found = quality(_some(examples.truths, asked), model.predict(_some(examples.texts, asked)))
    return by_family(found, examples.family[asked])


def quality(truths: list[Any], found: list[Any]) -> Floats:
    """Q and Q4 of each pair, shape (n, 2)."""
    return np.array(
        [[alignment_q([truth], [own], window=window) for window in (0, 4)] for truth, own in zip(truths, found)]
    )


def answer(results: dict[str, Floats], sizes: dict[str, int]) -> dict[str, Any]:
    """The table, with differences from BLOSUM62 and from Simple, and what must hold."""
    means = {name: 100.0 * own.mean(axis=0) for name, own in results.items()}  # (families, 2)
    rows, bars = [], []
    for name, own in means.items():
        row = [name, str(sizes.get(name, ""))]
        for column in range(2):
            row.append(f"{own[:, column].mean():.2f}")
            for other in ("BLOSUM62", "Simple"):
                row.append("" if name == other else "{:+.2f} ± {:.2f}".format(*_difference(own, means[other], column)))
        rows.append(row)
    seed, settled = SETTLED
    families = len(means["Simple"])
    unseen = np.sort(np.random.default_rng(seed).permutation(families)[settled:])
    for words, some in (("", np.arange(families)), (", families used for no choice", unseen)):
        if not some.size:
            continue
        for column, measure in enumerate(("Q", "Q4")):
            for better, worse in PROMISED:
                if better not in means:
                    continue
                value, error = _difference(means[better][some], means[worse][some], column)
                claim = f"{measure}: {better} less {worse}{words}"
                bars.append((claim, f"{value:+.2f} ± {error:.2f}", "above 0", value > 0.0))
    columns = ["model", "weights", "Q", "less BLOSUM62", "less Simple", "Q4", "less BLOSUM62", "less Simple"]
    return {"columns": columns, "rows": rows, "bars": bars}


def _difference(one: Floats, other: Floats, column: int) -> tuple[float, float]:
    """The mean difference over families, and its standard error by a bootstrap over them."""
    own = (one - other)[:, column]
    drawn = np.random.default_rng(0).integers(own.size, size=(DRAWS, own.size))
    return float(own.mean()), float(own[drawn].mean(axis=1).std())


def _smoothed(values: Floats, width: int = 3) -> Floats:
    """Means over the positions at most ``width`` away."""
    sums, at = np.concatenate([[0.0], np.cumsum(values)]), np.arange(values.size)
    first, last = np.maximum(0, at - width), np.minimum(values.size, at + width + 1)
    return np.asarray((sums[last] - sums[first]) / (last - first))


def _shifted(values: Floats, width: int) -> Floats:
    """The values at each distance from ``-width`` to ``width``, shape (positions, distances); zero beyond the ends."""
    padded = np.pad(values, width)
    return np.stack([padded[k : k + values.size] for k in range(2 * width + 1)], axis=1)
