"""Everything that runs in several threads of the native code, in small, for ThreadSanitizer (``make tsan``)."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from alignment_cases import pairs_of_letters
from maxmargin import (
    AlignmentCRF,
    AlignmentSVM,
    ChainCRF,
    ChainSVC,
    MeasureSVC,
    MulticlassSVC,
    MultilabelSVC,
    ProgramCRF,
    ProgramSVM,
    RankingSVM,
    TaxonomySVC,
)
from maxmargin.datasets import make_sentences
from program_spaces import SPACES, examples

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 6))
Y = np.argmax(X[:, :4] + RNG.standard_normal((120, 4)), axis=1)
LABELS = (X[:, :3] + 0.5 * RNG.standard_normal((120, 3)) > 0.0).astype(int)
GROUPS = np.repeat(np.arange(20), 6)
WORDS, TAGS = make_sentences(40, seed=0)
ROWS = {"dense": X, "single": X.astype(np.float32), "sparse": sp.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))}


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_classes(rows, slack):
    for solver in ("one-slack", "n-slack", "auto"):
        MulticlassSVC(1.0, slack=slack, solver=solver, tol=0.1, n_jobs=3).fit(ROWS[rows], Y).predict(ROWS[rows])


@pytest.mark.parametrize("rows", ROWS)
def test_likelihood_of_classes(rows):
    MulticlassSVC(n_jobs=3).fit(ROWS[rows], Y).predict_proba(ROWS[rows])


def test_taxonomy():
    names = np.array(["a/x", "a/y", "b/x", "b/y"])[Y]
    TaxonomySVC(taxonomy="/", n_jobs=3).fit(X, names).predict(X)


@pytest.mark.parametrize("method", ["auto", "structural"])
def test_label_vectors(method):
    MultilabelSVC(method=method, n_jobs=3).fit(X, LABELS).predict(X)


@pytest.mark.parametrize("measure", ["f1", "error_rate", "average_precision", "mcc"])
def test_measures(measure):
    MeasureSVC(measure, n_jobs=3).fit(X, LABELS[:, 0]).predict(X)


@pytest.mark.parametrize("measure", ["swapped_pairs", "ndcg", "average_precision"])
def test_rankings(measure):
    grades = LABELS[:, 0] if measure == "average_precision" else LABELS.sum(axis=1)
    RankingSVM(measure=measure, n_jobs=3).fit(X, grades, groups=GROUPS).predict(X)


@pytest.mark.parametrize(
    ("kind", "solver"), [(ChainSVC, "auto"), (ChainSVC, "one-slack"), (ChainCRF, "auto"), (ChainCRF, "lbfgs")]
)
def test_sequences(kind, solver):
    model = kind(templates="tagging", solver=solver, n_jobs=3).fit(WORDS, TAGS)
    model.predict(WORDS)
    model.predict_kbest(WORDS[:5], 3)


@pytest.mark.parametrize("space", ["plain", "costly", "counted"])
def test_programs(space):
    inputs, outputs = examples("trees")
    for rescaling in ("margin", "slack"):
        model = ProgramSVM(SPACES[space], 0.5, rescaling=rescaling, solver="one-slack", n_jobs=3).fit(inputs, outputs)
        model.predict(inputs)
    model = ProgramCRF(SPACES["plain"], n_jobs=3).fit(inputs, outputs)
    model.predict_kbest(inputs, 3)
    model.predict_marginals(inputs)
    model.sample(inputs, n_samples=2)


@pytest.mark.parametrize(("loss", "rescaling"), [("q", "margin"), ("f1", "slack"), ("zero-one", "margin")])
def test_alignments(loss, rescaling):
    pairs = pairs_of_letters(n=8)
    sequences, truths = [(x, own[0]) for x, own, _ in pairs], [list(truth) for *_, truth in pairs]
    model = AlignmentSVM(0.5, loss=loss, rescaling=rescaling, solver="one-slack", n_jobs=3).fit(sequences, truths)
    model.predict(sequences)
    model.predict_kbest(sequences, 2)
    AlignmentCRF(n_jobs=3).fit(sequences, truths).predict_marginals(sequences)
