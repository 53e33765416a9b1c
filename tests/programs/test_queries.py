"""k best, restrictions, samples, expectations, minimum risk and strata, against enumeration."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from maxmargin import _core
from maxmargin.programs import Program, Topology, queries
from program_cases import ProgramCase, chain_program, program_cases, size_of

CLOSE = 1e-12
"""Relative to the largest score: sums of a dozen numbers in another order."""


def outputs_of(ranked):
    return [tuple(sorted(r.output.tolist())) for r in ranked]


@given(program_cases(), st.integers(1, 40))
def test_k_best_are_the_best_of_all_outputs(case, k):
    if not case.possible:
        with pytest.raises(ValueError, match="no output left"):
            queries.k_best(case.topology, case.scores, k)
        return
    found = queries.k_best(case.topology, case.scores, k)
    values = np.sort(case.values[case.values > -np.inf])[::-1]
    assert len(found) == min(k, len(values))
    np.testing.assert_allclose([r.score for r in found], values[:k], rtol=CLOSE, atol=CLOSE * size_of(case))
    # trees that use the same edges in another place are different outputs
    listed, given_out = Counter(case.outputs), Counter(outputs_of(found))
    assert all(listed[output] >= times for output, times in given_out.items())
    for ranked in found:
        own = case.scores[ranked.output].sum()
        assert own == pytest.approx(ranked.score, rel=CLOSE, abs=CLOSE * size_of(case))
    assert found[0].score == queries.best(case.topology, case.scores).score
    assert found[0].output.tolist() == queries.best(case.topology, case.scores).output.tolist()


def test_all_of_many_outputs_are_listed_once():
    topology = chain_program(5, 4)
    found = queries.k_best(topology, np.random.default_rng(0).normal(size=topology.n_edges), 5000)
    assert len(found) == 4**5
    assert len(set(outputs_of(found))) == 4**5
    assert (np.diff([r.score for r in found]) <= 0).all()


def test_k_best_of_a_long_path_needs_no_deep_stack():
    n = 100_000
    topology = Topology(np.repeat(np.arange(n), 2), np.repeat(np.arange(n) - 1, 2))
    found = queries.k_best(topology, np.tile([1.0, 0.0], n), 3)
    assert [r.score for r in found] == [n, n - 1, n - 1]


def restricted(case: ProgramCase, forbidden, required) -> ProgramCase:
    kept = [o for o in case.outputs if not set(o) & set(forbidden) and set(required) <= set(o)]
    return ProgramCase(case.topology, case.scores, kept)


@given(program_cases(extremes=False), st.data())
def test_forbidden_and_required_edges(case, data):
    edges = st.integers(0, case.topology.n_edges - 1)
    forbidden = data.draw(st.lists(edges, max_size=3))
    wanted = st.sampled_from(sorted(data.draw(st.sampled_from(case.outputs)))) if data.draw(st.booleans()) else edges
    required = data.draw(st.lists(wanted, max_size=3))
    limits = {"forbidden": forbidden, "required": required}
    finite = [row for row, v in enumerate(case.values) if v > -np.inf]
    left = restricted(case, forbidden, required)
    most = case.uses()[finite].max(axis=0, initial=0.0)
    without = [row for row in finite if not set(case.outputs[row]) & set(forbidden)]
    twice = case.uses()[without].max(axis=0, initial=0.0) > 1
    if any(twice[e] for e in required):
        with pytest.raises(ValueError, match="cannot be required: an output may have it several times"):
            queries.best(case.topology, case.scores, **limits)
        return
    assume(not any(most[e] > 1 for e in required))
    if not left.outputs or not left.possible:
        for ask in (queries.best, queries.sums, lambda *a, **k: queries.k_best(*a, 2, **k)):
            with pytest.raises(ValueError, match="No output has all required" if required else "no output left"):
                ask(case.topology, case.scores, **limits)
        return
    found = queries.best(case.topology, case.scores, **limits)
    size = size_of(case)
    assert found.score == pytest.approx(left.values.max(), rel=CLOSE, abs=CLOSE * size)
    several = queries.k_best(case.topology, case.scores, 10, **limits)
    values = np.sort(left.values[left.values > -np.inf])[::-1]
    np.testing.assert_allclose([r.score for r in several], values[:10], rtol=CLOSE, atol=CLOSE * size)
    sums = queries.sums(case.topology, case.scores, **limits)
    expected = values[0] + np.log(np.exp(values - values[0]).sum())
    assert sums.log_partition == pytest.approx(expected, rel=1e-11, abs=1e-11 * size)
    np.testing.assert_allclose(sums.marginals, left.probabilities() @ left.uses(), rtol=1e-9, atol=1e-12 * size)


@given(program_cases(extremes=False), st.integers(1, 3))
def test_expectations_of_edge_values(case, columns):
    if not case.possible:
        return
    values = np.random.default_rng(1).normal(size=(case.topology.n_edges, columns))
    expected = case.probabilities() @ case.uses() @ values
    tolerance = 1e-9 * case.uses().max()
    np.testing.assert_allclose(queries.expectation(case.topology, case.scores, values), expected, atol=tolerance)
    single = queries.expectation(case.topology, case.scores, values[:, 0])
    assert single.shape == ()
    assert single == pytest.approx(expected[0], abs=tolerance)


@settings(max_examples=25)
@given(program_cases(extremes=False), st.integers(0, 2**64 - 1))
def test_samples_have_the_probabilities_of_outputs(case, seed):
    """Pearson's statistic over outputs; those expected fewer than 8 times are counted together."""
    if not case.possible:
        return
    n = 4000
    found = Counter(tuple(sorted(s.tolist())) for s in queries.samples(case.topology, case.scores, n, seed=seed))
    expected: Counter = Counter()
    for output, p in zip(case.outputs, case.probabilities(), strict=True):
        expected[output] += n * p
    assert set(found) <= {output for output, times in expected.items() if times > 0}
    common = [o for o, times in expected.items() if times >= 8]
    pairs = [(found[o], expected[o]) for o in common]
    rare = n - sum(times for _, times in pairs)
    if rare >= 8:
        pairs.append((n - sum(seen for seen, _ in pairs), rare))
    statistic = sum((seen - times) ** 2 / times for seen, times in pairs)
    # one run in 10^9 would fail by chance
    assert statistic <= chi2.isf(1e-9, df=max(1, len(pairs) - 1))


def test_samples_have_the_marginals_of_a_larger_program():
    topology = chain_program(12, 5)
    scores = np.random.default_rng(3).normal(size=topology.n_edges)
    n = 20_000
    drawn = np.bincount(np.concatenate(queries.samples(topology, scores, n, seed=5)), minlength=topology.n_edges)
    p = queries.marginals(topology, scores)
    deviation = (drawn - n * p) / np.sqrt(n * p * (1 - p))
    assert np.abs(deviation).max() < 5.5  # of 305 edges
    assert (
        queries.samples(topology, scores, 3, seed=9)[2].tolist()
        == queries.samples(topology, scores, 3, seed=9)[2].tolist()
    )


@given(program_cases(extremes=False), st.sampled_from([(1.0, 0.0), (1.0, 1.0), (0.5, 2.0)]))
def test_minimum_risk_has_the_least_expected_loss(case, costs):
    if not case.possible:
        return
    uses = case.uses()
    if uses.max() > 1:
        return
    extra, missed = (c * np.arange(1, case.topology.n_edges + 1) for c in costs)
    p = case.probabilities()
    # loss[y, z] over all pairs of outputs
    loss = (uses * extra) @ (1 - uses).T + (1 - uses) @ (uses * missed).T
    risks = np.where(case.values > -np.inf, loss @ p, np.inf)
    found = queries.minimum_risk(case.topology, case.scores, extra=extra, missed=missed)
    assert -found.score == pytest.approx(risks.min(), rel=1e-9, abs=1e-9)
    row = case.outputs.index(tuple(sorted(found.output.tolist())))
    assert risks[row] == pytest.approx(risks.min(), rel=1e-9, abs=1e-9)


@given(program_cases(), st.integers(1, 3), st.integers(0, 4), st.booleans())
def test_strata_are_the_best_at_each_total(case, kinds, most, tight):
    """With ``tight`` nothing that can be computed again is kept."""
    counts = np.random.default_rng(kinds + 5 * most).integers(0, most + 1, size=(case.topology.n_edges, kinds))
    best: dict[tuple[int, ...], float] = {}
    for output, value in zip(case.outputs, case.values, strict=True):
        total = tuple(counts[list(output)].sum(axis=0).tolist())
        if value > -np.inf:
            best[total] = max(best.get(total, -np.inf), value)
    if not best:
        with pytest.raises(ValueError, match="no output left"):
            queries.best_by_cost(case.topology, case.scores, counts)
        return
    strata = queries.best_by_cost(case.topology, case.scores, counts)
    if tight:
        strata._core = _core.Strata(case.topology.core, case.scores, counts.astype(np.int32), None, None, little=0)
    found = dict(zip(map(tuple, strata.totals.tolist()), strata.scores.tolist(), strict=True))
    assert found.keys() == best.keys()
    tolerance = CLOSE * size_of(case)
    for total, value in best.items():
        assert found[total] == pytest.approx(value, rel=CLOSE, abs=tolerance)
    order = np.random.default_rng(0).permutation(len(found))
    for i in order:
        edges = strata.edges(int(i))
        assert tuple(sorted(edges.tolist())) in set(case.outputs)
        assert counts[edges].sum(axis=0).tolist() == strata.totals[i].tolist()
        assert case.scores[edges].sum() == pytest.approx(strata.scores[i], rel=CLOSE, abs=tolerance)


def test_strata_of_a_long_chain_keep_the_square_root():
    topology = chain_program(400, 4)
    rng = np.random.default_rng(0)
    scores, costs = rng.normal(size=topology.n_edges), rng.integers(0, 3, size=(topology.n_edges, 1), dtype=np.int32)
    full = _core.Strata(topology.core, scores, costs, None, None)
    few = _core.Strata(topology.core, scores, costs, None, None, little=0)
    assert few.bytes * 5 < full.bytes
    np.testing.assert_array_equal(few.values(), full.values())
    there = np.flatnonzero(full.values() > -np.inf)
    for total in rng.permutation(there)[:5]:
        np.testing.assert_array_equal(few.edges(int(total)), full.edges(int(total)))


@given(program_cases(extremes=False))
def test_best_under_a_function_of_counts(case):
    if not case.possible:
        return
    counts = np.random.default_rng(2).integers(0, 3, size=(case.topology.n_edges, 2))

    def value(totals, scores):
        return scores + 3.0 * (1.0 - 2.0 * totals[:, 0] / np.maximum(1.0, totals.sum(axis=1)))

    found = queries.best_under(case.topology, case.scores, counts, value)
    totals = np.array([counts[list(output)].sum(axis=0) for output in case.outputs])
    assert found.score == pytest.approx(value(totals, case.values).max(), rel=1e-11, abs=1e-11 * size_of(case))


def test_f1_as_loss_on_a_chain():
    """Margin rescaling by one minus F1 of the tokens that are not label 0, over all labellings."""
    length, labels = 5, 3
    topology = chain_program(length, labels)
    rng = np.random.default_rng(8)
    scores = rng.normal(size=topology.n_edges)
    truth = rng.integers(0, labels, size=length)
    cell = topology.head.astype(int)
    token, label = cell // labels, cell % labels
    inside = cell < length * labels
    guess = inside & (label > 0)
    hit = guess & (label == truth[np.minimum(token, length - 1)])

    def loss(totals):
        return 1.0 - 2.0 * totals[:, 0] / np.maximum(1, totals[:, 1] + (truth > 0).sum())

    found = queries.best_under(topology, scores, np.stack([hit, guess], axis=1).astype(int), lambda t, s: s + loss(t))
    case = ProgramCase.listed(topology, scores)
    uses = case.uses()
    totals = np.stack([uses @ hit, uses @ guess], axis=1)
    assert found.score == pytest.approx((case.values + loss(totals)).max(), abs=1e-12)


def test_a_program_answers_as_its_topology_does():
    topology = Topology([0, 1, 1], [-1, 0, 0])
    program, scores = Program.of(topology, np.eye(3)), [0.0, 1.0, 3.0]
    assert queries.best(program, scores).output.tolist() == [2, 0]
    assert [r.score for r in queries.k_best(program, scores, 5)] == [3.0, 1.0]
    np.testing.assert_array_equal(queries.marginals(program, scores), queries.marginals(topology, scores))
    assert queries.entropy(program, scores) == queries.entropy(topology, scores)
    assert queries.best_by_cost(program, scores, [0, 0, 1]).scores.tolist() == [1.0, 3.0]
    assert len(queries.samples(program, scores, 4)) == 4
    assert queries.minimum_risk(program, scores).output.tolist() == [2, 0]


REFUSED = {
    "an edge that is not there": (
        lambda t, s: queries.best(t, s, forbidden=[9]),
        "Edge 9 is forbidden, and the edges are 0 to 2",
    ),
    "a required edge that is not there": (lambda t, s: queries.best(t, s, required=[-1]), "Edge -1 is required"),
    "two rows of forbidden": (lambda t, s: queries.best(t, s, forbidden=[[1, 2]]), "forbidden must be a list of edges"),
    "fractions": (lambda t, s: queries.best(t, s, required=[0.5]), "required must be whole numbers, not float64"),
    "k of zero": (lambda t, s: queries.k_best(t, s, 0), "k must be a positive integer, not 0"),
    "no samples": (lambda t, s: queries.samples(t, s, 0), "n must be a positive integer"),
    "a negative seed": (lambda t, s: queries.samples(t, s, 1, seed=-1), "seed must be a whole number from 0"),
    "negative costs": (
        lambda t, s: queries.best_by_cost(t, s, [0, 0, -2]),
        "Edge 2 counts -2; counts are not negative",
    ),
    "costs with fractions": (lambda t, s: queries.best_by_cost(t, s, [0.5, 0, 1]), "counts must be whole numbers"),
    "a cost too few": (lambda t, s: queries.best_by_cost(t, s, [0, 1]), "has 3 edges, and there are 2 rows of counts"),
    "costs without kinds": (
        lambda t, s: queries.best_by_cost(t, s, np.zeros((3, 0), int)),
        r"shape \(E,\) or \(E, kinds\)",
    ),
    "too many totals": (
        lambda t, s: queries.best_by_cost(t, s, np.full((3, 3), 10**6)),
        "more than 2147483648 different totals; count in larger units",
    ),
    "too much memory": (
        lambda t, s: queries.best_by_cost(t, s, [2**30, 2**30 - 5, 3]),
        "of 2147483644 totals takes .* MiB, and 2048 MiB is the most: count in larger units",
    ),
    "a value too few": (lambda t, s: queries.expectation(t, s, [1.0]), r"one row per edge, 3, not shape \(1,\)"),
    "a function of the wrong shape": (
        lambda t, s: queries.best_under(t, s, [0, 1, 2], lambda totals, scores: 0.0),
        r"one number per row of totals, \(2,\), not \(\)",
    ),
    "a function that is not a number": (
        lambda t, s: queries.best_under(t, s, [0, 1, 2], lambda totals, scores: scores * np.nan),
        r"value is not a number at the totals \[1\]",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_a_sentence(name):
    ask, sentence = REFUSED[name]
    with pytest.raises((ValueError, TypeError), match=sentence):
        ask(Topology([0, 1, 1], [-1, 0, 0]), np.zeros(3))
