"""Sums of programs with two tails: scaled numbers, or logarithms where scores are large; both agree."""

import numpy as np
import pytest

from maxmargin.programs import queries
from maxmargin.programs.topology import Topology


def brackets(n: int) -> tuple[Topology, np.ndarray]:
    """All binary trees over n leaves; edges that join two spans have no score of their own, the others are scored."""
    head, tail, scored, cells, done = [], [], [], {}, 0
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            joined = cells.setdefault((i, i + width, "joined"), len(cells))
            splits = [(cells[i, k, "span"], cells[k, i + width, "span"]) for k in range(i + 1, i + width)] or [(-1, -1)]
            head += [joined] * len(splits)
            tail += splits
            span = cells.setdefault((i, i + width, "span"), len(cells))
            head.append(span)
            tail.append((joined, -1))
            scored += [done + len(splits)]
            done = len(head)
    return Topology(head, tail), np.array(scored)


@pytest.mark.parametrize("scale", [1.0, 30.0])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_a_constant_on_every_span_changes_no_probability(n, scale):
    """A tree over n leaves has 2 n - 1 spans; beyond 100 in size scores take the way of logarithms."""
    topology, scored = brackets(n)
    scores = np.zeros(topology.n_edges)
    scores[scored] = np.clip(scale * np.random.default_rng(n).standard_normal(scored.size), -40, 40)
    base = queries.sums(topology, scores)
    for shift in (-55.0, 55.0, 200.0, -1e4):
        moved = scores.copy()
        moved[scored] += shift
        found = queries.sums(topology, moved)
        assert found.log_partition == pytest.approx(base.log_partition + (2 * n - 1) * shift, rel=1e-12, abs=1e-9)
        np.testing.assert_allclose(found.marginals, base.marginals, atol=1e-10)


def test_spans_far_apart_in_size_and_forbidden_ones():
    topology, scored = brackets(12)
    scores = np.zeros(topology.n_edges)
    rng = np.random.default_rng(0)
    scores[scored] = rng.choice([-99.0, 0.0, 99.0], size=scored.size)
    scores[scored[30:34]] = -np.inf
    moderate = queries.sums(topology, scores)
    wide = scores.copy()
    wide[scored] += 2.0  # 101 takes the way of logarithms
    logs = queries.sums(topology, wide)
    assert logs.log_partition == pytest.approx(moderate.log_partition + 46.0, rel=1e-13)
    np.testing.assert_allclose(logs.marginals, moderate.marginals, atol=1e-12)


def test_a_forbidden_edge_from_a_large_cell_hides_no_other():
    """What is below the forbidden edge is larger than what the numbers of the other edges can be compared with."""
    n = 20
    head = [*range(n), n, n]
    tail = [[i - 1, -1] for i in range(n)] + [[n - 1, -1], [-1, -1]]
    scores = np.array([99.0] * n + [-np.inf, -3.0])
    found = queries.sums(Topology(head, tail), scores)
    assert found.log_partition == pytest.approx(-3.0, rel=1e-12)
    assert found.marginals.tolist() == [0.0] * n + [0.0, 1.0]
