"""A small fit of every estimator, to the rows of one sparse matrix: what the tests of all estimators have in common.

``CASES`` has an entry for everything that ``maxmargin`` offers with ``fit`` and ``predict``; where one is missing,
test_contract.py fails.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import maxmargin as mm
from maxmargin.alignments import Profile
from maxmargin.programs import Program, Rows

N, D = 40, 6


def matrix() -> sp.csr_array:
    """A sparse matrix with a value in each row."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.6)
    X[:, 0] = rng.standard_normal(N)
    return sp.csr_array(X)


class Sign:
    """Two outputs, -1 and 1, for a row of features."""

    def joint_feature(self, x, y):
        return x * float(y)

    def loss(self, y_true, y):
        return float(y_true != y)

    def argmax(self, x, w, y_true=None):
        score = float(np.ravel(x @ w)[0])
        return max((-1, 1), key=lambda y: score * y + (0.0 if y_true is None else self.loss(y_true, y)))


class SignSpace:
    """The same outputs as derivations: two edges into the goal, each with the row in a block of its own."""

    def program(self, x):
        row = x if sp.issparse(x) else np.atleast_2d(x)
        return Program([0, 0], [-1, -1], Rows(row, [0, 1], [0, 0], block=[0, 1], n_blocks=2))

    def edges(self, x, y):
        return [int(y > 0)]

    def output(self, x, edges):
        return 2 * int(edges[0]) - 1


@dataclass(frozen=True, eq=False)
class Case:
    """How to make an estimator, and what belongs to the rows of ``matrix()``.

    ``given`` are further arguments of ``fit`` and of ``predict`` where that takes them. ``n`` is the number of examples
    as sample weights count them. ``counts``: features must not be negative. ``shaped``: the inputs that the rows are
    (one candidate set, a pair of sequences). ``texts``: they have no numbers.
    """

    make: Callable[..., Any]
    y: Any
    given: Mapping[str, Any] = field(default_factory=dict)
    n: int = N
    counts: bool = False
    shaped: Callable[[Any], Any] = lambda X: X
    problem: Any = None
    space: Any = None
    texts: bool = False

    def matrix(self) -> sp.csr_array:
        return abs(matrix()) if self.counts else matrix()

    def fit(self, X: Any = None, sample_weight: Any = None, **params: Any) -> Any:
        return self.refit(self.make(**params), self.matrix() if X is None else X, sample_weight)

    def refit(self, model: Any, X: Any, sample_weight: Any = None) -> Any:
        return model.fit(self.shaped(X), self.y, sample_weight=sample_weight, **self.given)

    def fitted(self) -> Any:
        """A fit on which warnings do not matter."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.fit()

    def predict(self, model: Any, X: Any = None) -> Any:
        X = self.matrix() if X is None else X
        further = {name: value for name, value in self.given.items() if name == "lengths"}
        return model.predict(self.shaped(X), **further)

    def load(self, path: Any) -> Any:
        return mm.load(path, self.problem, space=self.space)


def sentences(X: Any) -> list[list[str]]:
    """One sentence of tags per row, empty where a number is NaN."""
    return [["A", "B", "A", "B"] if np.isfinite(row).all() else [] for row in X.toarray()]


def letters(X: Any) -> str:
    """One letter per row, none where a number is NaN."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    return "".join("AB"[int(row[0] > 0)] for row in X) if np.isfinite(X).all() else ""


PAIRS = np.arange(N) % 2
GRADES = np.arange(N) % 3
CLASSES = np.array(["a.b", "a.c", "d.e", "d.f"])[np.arange(N) % 4]
LENGTHS = [N // 4] * 4
DIAGONAL = np.c_[:N, :N]
TOKENS = {"y": CLASSES, "given": {"lengths": LENGTHS}, "n": len(LENGTHS)}
PARSES = [f"(S (A a) (B b) ({'Y' if grade else 'X'} (A a) (B b)))" for grade in GRADES]
CASES = {
    "MulticlassSVC": Case(mm.MulticlassSVC, CLASSES),
    "TaxonomySVC": Case(partial(mm.TaxonomySVC, taxonomy=mm.Taxonomy.from_names(sorted(set(CLASSES)))), CLASSES),
    "MultilabelSVC": Case(mm.MultilabelSVC, np.c_[PAIRS, 1 - PAIRS, GRADES == 0]),
    "MeasureSVC": Case(mm.MeasureSVC, PAIRS),
    "RankingSVM": Case(mm.RankingSVM, GRADES, {"groups": LENGTHS}, len(LENGTHS)),
    "ChainSVC": Case(mm.ChainSVC, **TOKENS),
    "ChainCRF": Case(mm.ChainCRF, **TOKENS),
    "ChainPerceptron": Case(mm.ChainPerceptron, **TOKENS),
    "ChainHMM": Case(mm.ChainHMM, **TOKENS, counts=True),
    "StructuralSVM": Case(partial(mm.StructuralSVM, Sign()), 2 * PAIRS - 1, problem=Sign()),
    "ProgramSVM": Case(partial(mm.ProgramSVM, SignSpace()), 2 * PAIRS - 1, space=SignSpace()),
    "ProgramCRF": Case(partial(mm.ProgramCRF, SignSpace()), 2 * PAIRS - 1, space=SignSpace()),
    "ProgramPerceptron": Case(partial(mm.ProgramPerceptron, SignSpace()), 2 * PAIRS - 1, space=SignSpace()),
    "DiversityRanker": Case(
        partial(mm.DiversityRanker, 2), [[{int(k)} for k in np.arange(N) % 5]], n=1, counts=True, shaped=lambda X: [X]
    ),
    "AlignmentSVM": Case(partial(mm.AlignmentSVM, features=Profile()), [DIAGONAL], n=1, shaped=lambda X: [(X, X)]),
    "AlignmentCRF": Case(partial(mm.AlignmentCRF, features=Profile()), [DIAGONAL], n=1, shaped=lambda X: [(X, X)]),
    "HomologySVM": Case(
        partial(mm.HomologySVM, features=Profile()), [(0, DIAGONAL)], n=1, shaped=lambda X: [(X, [X, matrix()[::-1]])]
    ),
    "GenerativeAligner": Case(
        mm.GenerativeAligner, [DIAGONAL], n=1, shaped=lambda X: [(letters(X), letters(X))], texts=True
    ),
    "GrammarSVM": Case(mm.GrammarSVM, PARSES, shaped=sentences, texts=True),
    "GrammarCRF": Case(mm.GrammarCRF, PARSES, shaped=sentences, texts=True),
    "PCFG": Case(mm.PCFG, PARSES, shaped=sentences, texts=True),
}


def public_estimators() -> set[str]:
    """The names of everything that ``maxmargin`` offers with ``fit`` and ``predict``."""
    return {name for name in mm.__all__ if hasattr(getattr(mm, name), "fit") and hasattr(getattr(mm, name), "predict")}
