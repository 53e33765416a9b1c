"""Sequences whose labels are known in part: loss and objective by enumeration, and what is learned from them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import ChainHMM, ChainPerceptron, ChainSVC, Unsupported
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.sequences import PartialLabels, pack, pack_partial_labels
from maxmargin.core.formulation import Formulation
from maxmargin.datasets import make_sentences
from maxmargin.solvers.base import Run, Status
from maxmargin.solvers.block_coordinate import BlockCoordinate
from maxmargin.solvers.concave_convex import ConcaveConvex
from maxmargin.solvers.online import Subgradient

RNG = np.random.default_rng(0)
LENGTHS = (3, 1, 4, 2, 3, 4)
X = [RNG.standard_normal((n, 3)) for n in LENGTHS]
TRUE = [np.argmax(x + 0.5 * RNG.standard_normal(x.shape), axis=1).tolist() for x in X]
TRUE[0] = [0, 1, 2]
COST = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
WORDS, TAGS = make_sentences(400, seed=0)


def hidden(Y, share, seed=0):
    """Labels of which ``share`` are known, of some others two that are possible."""
    rng = np.random.default_rng(seed)
    found = []
    for labels in Y:
        draws = rng.random(len(labels))
        found.append([y if u < share else ({y, (y + 1) % 3} if u > 0.8 else None) for y, u in zip(labels, draws)])
    return found


PARTIAL = hidden(TRUE, 0.5)
FORMULATIONS = [Formulation(r, s) for r in ("margin", "slack") for s in ("linear", "squared")]


def possible(entry):
    return range(3) if entry is None else sorted(entry) if isinstance(entry, set) else [entry]


def objective(model, formulation, C, cost, weight):
    """The objective in plain Python: all labellings, and among them all completions."""
    w, chain = model.coef_, model.chain_
    total = 0.5 * float(w @ w)
    for x, entries, s in zip(X, PARTIAL, weight):
        score = {y: float((chain.joint_feature(x, y) @ w)[0]) for y in itertools.product(range(3), repeat=len(x))}
        own = max(score[h] for h in itertools.product(*map(possible, entries)))
        worst = 0.0
        for y, value in score.items():
            loss = sum(min(cost[h, label] for h in possible(entry)) for entry, label in zip(entries, y))
            margin, scale = float(formulation.margin(loss)), float(formulation.scale(loss))
            worst = max(worst, margin - scale * (own - value))
        total += C * s * (0.5 * worst**2 if formulation.slack == "squared" else worst)
    return total


@pytest.mark.parametrize("cost", [None, COST], ids=["hamming", "costs"])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("formulation", FORMULATIONS, ids=str)
def test_the_objective_by_enumeration(formulation, order, cost):
    weight = np.linspace(0.5, 2.0, len(X))
    model = ChainSVC(
        0.7, rescaling=formulation.rescaling, slack=formulation.slack, order=order, cost=cost, tol=1e-3
    ).fit(X, PARTIAL, sample_weight=weight)
    solution = model.solution_
    expected = objective(model, formulation, 0.7, 1.0 - np.eye(3) if cost is None else cost, weight)
    assert solution.status is Status.LOCAL
    assert solution.primal == pytest.approx(expected, rel=1e-9)
    assert solution.dual is solution.gap is solution.state is None
    assert {record.dual for record in solution.trace} == {None}
    assert 1 <= solution.details["rounds"] <= 50


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=str)
def test_no_fixed_completion_that_is_best_there_does_better(formulation):
    """At the end the convex problem of the best completions has its minimum at ``w``."""
    chain = Chain(3, 3, constant=1.0)
    given = ChainInput(pack(X))
    labels = pack_partial_labels(PARTIAL, given.tokens)[1]
    oracle = chain.bind(given, labels, formulation)
    found = ConcaveConvex(BlockCoordinate())(oracle, 0.7, Run(tol=1e-6))
    codes = chain.core(given).decode(found.w, 1, labels.allowed, None, 1)[0]
    assert labels.allowed[np.arange(codes.size), codes].all()
    convex = BlockCoordinate()(chain.bind(given, PartialLabels(codes, labels.allowed), formulation), 0.7, Run(tol=1e-6))
    assert found.status is Status.LOCAL
    assert found.primal == pytest.approx(convex.primal, abs=1e-4)


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=str)
def test_the_oracle_where_all_is_known_is_the_plain_one(formulation):
    chain, given = Chain(3, 3, COST), ChainInput(pack(X))
    codes = np.concatenate(TRUE).astype(np.int32)
    plain = chain.bind(given, codes, formulation)
    allowed = np.eye(3, dtype=np.uint8)[codes]
    other = chain.bind(given, PartialLabels(codes, np.ascontiguousarray(allowed)), formulation)
    w = chain.from_public(np.random.default_rng(1).standard_normal(chain.rows * 3))
    np.testing.assert_array_equal(plain.slacks(w), other.slacks(w))
    everyone = np.arange(len(X), dtype=np.int32)
    for first, second in zip((plain.planes(w, everyone), plain.cut(w)), (other.planes(w, everyone), other.cut(w))):
        np.testing.assert_allclose(first.b, second.b, rtol=1e-12)
    assert other.completed(w) is None
    solved = [BlockCoordinate()(oracle, 0.5, Run()) for oracle in (plain, other)]
    np.testing.assert_array_equal(solved[0].w, solved[1].w)
    wrapped = ConcaveConvex(BlockCoordinate())(other, 0.5, Run())
    assert (wrapped.status, wrapped.details["rounds"]) == (Status.LOCAL, 1)
    assert wrapped.primal == pytest.approx(solved[0].primal)


def test_sets_of_one_label_are_labels():
    plain = ChainSVC(templates="tagging").fit(WORDS[:30], TAGS[:30])
    sets = ChainSVC(templates="tagging").fit(WORDS[:30], [[{tag} for tag in tags] for tags in TAGS[:30]])
    np.testing.assert_array_equal(plain.coef_, sets.coef_)
    assert sets.solution_.status is Status.CONVERGED


def test_sequences_of_which_nothing_is_known_change_nothing():
    more = [X[1], *X, X[2]]
    labels = [None, *PARTIAL, [None] * len(X[2])]
    model = ChainSVC(0.7).fit(more, labels, sample_weight=[5.0, *np.ones(len(X)), 3.0])
    np.testing.assert_array_equal(model.coef_, ChainSVC(0.7).fit(X, PARTIAL).coef_)


@pytest.mark.parametrize("solver", ["auto", "one-slack", "n-slack", "bcfw", Subgradient(passes=1000)])
def test_every_solver_gets_about_as_far(solver):
    model = ChainSVC(0.7, solver=solver, tol=1e-3, max_iter=None).fit(X, PARTIAL)
    weight = np.ones(len(X))
    assert model.solution_.status is Status.LOCAL
    assert model.solution_.primal == pytest.approx(objective(model, Formulation(), 0.7, 1.0 - np.eye(3), weight))
    assert model.solution_.primal < 1.1 * ChainSVC(0.7, tol=1e-3).fit(X, PARTIAL).solution_.primal


def test_three_tenths_of_the_labels_beat_the_complete_sentences():
    rng = np.random.default_rng(0)
    partial = [[tag if rng.random() < 0.3 else None for tag in tags] for tags in TAGS[20:200]]
    test = WORDS[200:], TAGS[200:]
    few = ChainSVC(templates="tagging").fit(WORDS[:20], TAGS[:20]).score(*test)
    model = ChainSVC(templates="tagging").fit(WORDS[:200], [*TAGS[:20], *partial])
    everything = ChainSVC(templates="tagging").fit(WORDS[:200], TAGS[:200]).score(*test)
    assert model.solution_.status is Status.LOCAL
    assert few + 0.03 < model.score(*test) <= everything + 0.01
    assert everything - 0.03 < model.score(*test)


def test_two_possible_labels_for_every_token():
    """No token has one label: the first completion is drawn at random."""
    rng = np.random.default_rng(1)
    names = sorted({tag for tags in TAGS for tag in tags})
    pairs = [[{tag, str(rng.choice([t for t in names if t != tag]))} for tag in tags] for tags in TAGS[:200]]
    model = ChainSVC(templates="tagging").fit(WORDS[:200], pairs)
    assert model.score(WORDS[200:], TAGS[200:]) > 0.9
    again = ChainSVC(templates="tagging").fit(WORDS[:200], pairs)
    np.testing.assert_array_equal(model.coef_, again.coef_)


@pytest.mark.parametrize(
    "params", [{"loss": "zero-one"}, {"slack": "hard"}, {"solver": "perceptron"}, {"rescaling": "none"}], ids=str
)
def test_refusals(params):
    with pytest.raises(Unsupported, match=r"known in part are not trained with .* use loss='hamming'"):
        ChainSVC(**params).fit(X, PARTIAL)


def test_limits_and_settings():
    with pytest.warns(ConvergenceWarning, match="Stopped at max_iter"):
        model = ChainSVC(0.7, max_iter=1, tol=1e-6).fit(X, PARTIAL)
    assert model.solution_.status is Status.MAX_ITER
    assert model.solution_.gap is None
    with pytest.raises(ValueError, match="tol must be a positive number"):
        ChainSVC(tol=-1.0).fit(X, PARTIAL)
    with pytest.raises(ValueError, match="rounds must be at least 1"):
        ConcaveConvex(BlockCoordinate(), rounds=0)


@pytest.mark.parametrize("kind", [ChainPerceptron, ChainHMM])
def test_sequences_of_whose_labels_nothing_is_known_are_left_out(kind):
    found = kind().fit([np.abs(x) for x in X], [None, *TRUE[1:]])
    expected = kind().fit([np.abs(x) for x in X[1:]], TRUE[1:])
    np.testing.assert_allclose(found.coef_, expected.coef_)
    with pytest.raises(ValueError, match="learns from tokens that have one label each; sequence 0, token 1"):
        kind().fit([np.abs(x) for x in X], [[0, None, 1], *TRUE[1:]])
