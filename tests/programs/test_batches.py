"""Many programs in one call: the answers of one at a time, whatever the threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import _core
from maxmargin.programs import Topology, queries
from maxmargin.programs.batches import best_of_all, sums_of_all
from program_cases import program_cases


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
