"""The ready spaces keep the promises of a space, and are learned by every estimator."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import ProgramCRF, ProgramPerceptron, ProgramSVM
from maxmargin.core.outputs import same_output
from maxmargin.datasets import make_dependency_trees
from maxmargin.programs import DependencyFeatures, check_space
from maxmargin.programs.queries import best
from maxmargin.programs.spaces import Lattices, MonotoneAlignment, ProjectiveTrees, Segments, Selection


def taught(space, X, seed):
    """The best outputs of inputs by weights drawn at random: they can be learned without a mistake."""
    rng = np.random.default_rng(seed)
    found, w = [], None
    for x in X:
        program = space.program(x)
        matrix = np.hstack([part.toarray(program.n_edges) for part in program.parts])
        w = rng.standard_normal(matrix.shape[1]) if w is None else w
        found.append(space.output(x, best(program.topology, matrix @ w).output))
    return X, found


def segments():
    rng = np.random.default_rng(0)
    own = lambda x, begin, end: sp.csr_array(x[begin, :2] * x[end - 1, :2])  # noqa: E731
    space = Segments(("X", "Y"), 3, segment_features=own)
    return space, *taught(space, [rng.standard_normal((n, 3)) for n in rng.integers(1, 7, 40)], 1)


def trees():
    rng = np.random.default_rng(1)
    space = ProjectiveTrees()
    return space, *taught(space, [rng.standard_normal((n * (n + 1), 5)) for n in rng.integers(1, 6, 40)], 2)


def lattices():
    rng = np.random.default_rng(2)
    arcs = np.array([(0, 1), (0, 1), (0, 2), (1, 2), (1, 2), (1, 3), (2, 3), (2, 3)])
    space = Lattices()
    return space, *taught(space, [(*arcs.T, rng.standard_normal((8, 4))) for _ in range(40)], 3)


def alignments(blank=False):
    rng = np.random.default_rng(3)
    space = MonotoneAlignment("ab", blank=blank)
    transcripts = rng.choice(
        ["a", "ab", "ba", "bab"], size=40
    )  # no equal neighbours: how to divide them would be a tie
    X = [(rng.standard_normal((7, 3)), str(transcript)) for transcript in transcripts]
    return space, *taught(space, X, 4)


def blanks():
    return alignments(blank=True)


def selections():
    rng = np.random.default_rng(4)
    X = [(rng.standard_normal((6, 3)), rng.integers(0, 4, 6), 6) for _ in range(40)]
    return Selection(), *taught(Selection(), X, 5)


MAKERS = [segments, trees, lattices, alignments, blanks, selections]


@pytest.mark.parametrize("make", MAKERS)
def test_promises_are_kept(make):
    space, X, Y = make()
    check_space(space, X[:6], Y[:6])


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("estimator", [ProgramSVM, ProgramCRF])
def test_what_can_be_learned_is_learned(make, estimator):
    space, X, Y = make()
    model = estimator(space, C=1e3).fit(X, Y)
    right = [same_output(y, found) for y, found in zip(Y, model.predict(X), strict=True)]
    assert np.mean(right) >= 0.95


@pytest.mark.parametrize("make", MAKERS)
def test_slack_rescaling_and_squared_slack_train(make):
    space, X, Y = make()
    for settings in ({"rescaling": "slack"}, {"slack": "squared"}):
        model = ProgramSVM(space, C=10.0, tol=1e-2, **settings).fit(X[:12], Y[:12])
        assert model.solution_.gap is not None


@pytest.mark.parametrize("make", [segments, alignments, selections])
def test_decisions_of_least_risk_have_the_least_expected_loss(make):
    space, X, Y = make()
    model = ProgramCRF(space, C=0.1).fit(X, Y)
    assert (model.expected_loss(X, decode="risk") <= model.expected_loss(X) + 1e-9).all()


def test_parsers_learn_from_hashed_features():
    sentences, heads = make_dependency_trees(120, seed=2)
    space = ProjectiveTrees(DependencyFeatures(bits=16))
    model = ProgramPerceptron(space, passes=5).fit(sentences[:80], heads[:80])
    right = np.concatenate([y == found for y, found in zip(heads[80:], model.predict(sentences[80:]))])
    assert right.mean() > 0.85
