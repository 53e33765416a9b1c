"""Many programs in one call: the answers of one at a time, whatever the threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from maxmargin import _core
from maxmargin.programs import Topology, queries
from maxmargin.programs.batches import best_of_all, sums_of_all
from maxmargin.programs.spaces import ProjectiveTrees
from program_cases import ProgramCase, program_cases, size_of


@settings(max_examples=50)
@given(st.lists(program_cases(), max_size=6), st.integers(1, 3))
def test_batches_are_programs_one_by_one(cases, threads):
    cases = [case for case in cases if case.possible]
    topologies = [case.topology for case in cases]
    scores = np.concatenate([np.zeros(0), *(case.scores for case in cases)])
    for case, found, sums in zip(
        cases,
        best_of_all(topologies, scores, n_jobs=threads),
        sums_of_all(topologies, scores, n_jobs=threads),
        strict=True,
    ):
        alone = queries.best(case.topology, case.scores)
        assert found.score == alone.score
        assert found.output.tolist() == alone.output.tolist()
        own = queries.sums(case.topology, case.scores)
        assert sums.log_partition == own.log_partition
        np.testing.assert_array_equal(sums.marginals, own.marginals)


@settings(max_examples=150)
@given(
    program_cases(most_cells=8),
    st.lists(st.sampled_from(["plain", "forbidden", "wide", "huge", "zero"]), min_size=2, max_size=11),
    st.integers(0, 2**32 - 1),
    st.integers(1, 3),
)
def test_inputs_of_one_program_side_by_side(case, kinds, seed, threads):
    """Every input has the sums that it has alone, to the last bit, and those of the list of its outputs."""
    rng = np.random.default_rng(seed)
    topology = case.topology
    inputs = []
    for kind in kinds:
        scores = rng.normal(size=topology.n_edges)
        if kind == "forbidden":
            scores[rng.random(scores.size) < 0.4] = -np.inf
        elif kind == "wide":  # sums leave the range of the lanes, at times
            scores = rng.choice([-99.0, -40.0, 0.0, 40.0, 99.0], size=scores.size)
        elif kind == "huge":
            scores = np.where(rng.random(scores.size) < 0.5, 1e300 * np.sign(scores), scores)
        elif kind == "zero":
            scores[rng.random(scores.size) < 0.7] = 0.0
        inputs.append(ProgramCase(topology, scores, case.outputs))
    inputs = [each for each in inputs if each.possible]
    found = sums_of_all([topology] * len(inputs), np.concatenate([np.zeros(0), *(each.scores for each in inputs)]))
    in_threads = sums_of_all(
        [topology] * len(inputs), np.concatenate([np.zeros(0), *(each.scores for each in inputs)]), n_jobs=threads
    )
    for each, sums, other in zip(inputs, found, in_threads, strict=True):
        alone = queries.sums(topology, each.scores)
        assert sums.log_partition == other.log_partition == alone.log_partition
        np.testing.assert_array_equal(sums.marginals, alone.marginals)
        np.testing.assert_array_equal(other.marginals, alone.marginals)
        values = each.values
        assert sums.log_partition == pytest.approx(logsumexp(values), rel=1e-12, abs=1e-10 * size_of(each))
        if size_of(each) < 1e3:
            np.testing.assert_allclose(sums.marginals, each.probabilities() @ each.uses(), atol=1e-10)


@pytest.mark.parametrize("count", [2, 3, 4, 7, 16])
def test_trees_side_by_side(count):
    """Charts large enough for all ways: moderate scores, powers of 2^256, logarithms, forbidden arcs, nothing left."""
    rng = np.random.default_rng(count)
    program = ProjectiveTrees().program(np.zeros((12 * 13, 1)))
    topology, arcs = program.topology, program.parts[0].edge
    scores = np.zeros((count, topology.n_edges))
    scores[:, arcs] = rng.normal(size=(count, arcs.size)) * rng.choice([1.0, 30.0, 300.0], size=(count, 1))
    scores[0, arcs] = rng.choice([60.0, 90.0], size=arcs.size)  # of a moderate size, and sums beyond 2^128
    scores[-1, rng.choice(arcs, 20, replace=False)] = -np.inf
    mixed = Topology([0, 1], [-1, 0])
    topologies = [each for _ in range(count) for each in (topology, mixed)]
    flat = np.concatenate([part for row in scores for part in (row, [1.0, 2.0])])
    found = sums_of_all(topologies, flat)
    assert [sums.log_partition for sums in found[1::2]] == [3.0] * count
    for row, sums in zip(scores, found[::2], strict=True):
        alone = queries.sums(topology, row)
        assert sums.log_partition == alone.log_partition
        np.testing.assert_array_equal(sums.marginals, alone.marginals)
        assert sums.marginals[arcs].sum() == pytest.approx(12.0)
    scores[count // 2, arcs] = -np.inf
    with pytest.raises(ValueError, match=f"Every output of program {count // 2} has a forbidden edge"):
        sums_of_all([topology] * count, scores.ravel())


def test_what_is_wrong_is_a_sentence():
    topology = Topology([0, 1], [-1, 0])
    with pytest.raises(ValueError, match="The programs have 4 edges between them, and there are 3 scores"):
        best_of_all([topology, topology], np.zeros(3))
    with pytest.raises(ValueError, match="The score of edge 1 of program 1 is nan"):
        sums_of_all([topology, topology], [0.0, 0.0, 0.0, np.nan], n_jobs=2)
    with pytest.raises(ValueError, match="Every output of program 1 has a forbidden edge"):
        best_of_all([topology, topology], [0.0, 0.0, 0.0, -np.inf])
    with pytest.raises(ValueError, match="n_jobs must be"):
        best_of_all([topology], [0.0, 0.0], n_jobs=0)


def test_threads_may_share_strata():
    """Answers compute rows again where not all of them are kept, as with ``little=0``."""
    rng = np.random.default_rng(0)
    tokens, labels = 200, 4
    token, before, after = (a.ravel() for a in np.indices((tokens - 1, labels, labels)))
    every = np.arange(labels)
    head = np.concatenate([every, (token + 1) * labels + after, np.full(labels, tokens * labels)])
    tail = np.concatenate([np.full(labels, -1), token * labels + before, (tokens - 1) * labels + every])
    counts = rng.integers(0, 2, (head.size, 1)).astype(np.int32)
    core = Topology(head, tail).core
    strata = _core.Strata(core, rng.standard_normal(head.size), counts, None, None, little=0)
    totals = np.flatnonzero(strata.values() > -np.inf).tolist()
    expected = [strata.edges(total).tolist() for total in totals]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            assert [found.tolist() for found in pool.map(strata.edges, totals)] == expected
