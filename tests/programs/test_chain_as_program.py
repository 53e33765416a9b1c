"""A labelled chain written as an explicit program gives what the chain's own kernels give."""

from __future__ import annotations

import numpy as np
import pytest

from chain_cases import ChainCase, make_case
from maxmargin import Formulation
from maxmargin.programs import queries
from program_cases import chain_program

CLOSE = {"rtol": 1e-11, "atol": 1e-11}
"""Sums of some tens of numbers in another order."""


def as_program(case: ChainCase, i: int):
    """The program of sequence i (order 1), its scores, and the label that each edge gives to which token."""
    chain, length = case.chain, len(case.Y[i])
    labels = chain.n_labels
    topology = chain_program(length, labels)
    # the score of an edge is the difference that its label makes: by the formula, at labellings that differ there
    nodes = case.tokens[i] @ case.w[: chain.n_features]
    if chain.constant:
        nodes = nodes + chain.constant * case.w[chain.n_features]
    start, end = (chain.eta * case.w[chain.columns + k] * chain.ends for k in (0, 1))
    steps = chain.eta * case.w[chain.columns + 2 :]
    head, tail = topology.head.astype(int), topology.tail[:, 0].astype(int)
    token, label, before = head // labels, head % labels, tail % labels
    last = head == length * labels
    scores = np.where(
        last,
        end[before],
        nodes[np.minimum(token, length - 1), label] + np.where(tail < 0, start[label], steps[before, label]),
    )
    return topology, scores, np.where(last, -1, token), label


def labels_of(edges, token, label):
    found = np.empty(token.max() + 1, dtype=int)
    for edge in edges:
        if token[edge] >= 0:
            found[token[edge]] = label[edge]
    return tuple(found.tolist())


@pytest.fixture(params=[(3, (1, 2, 4), 0), (2, (7, 5), 1), (5, (3, 6), 2)])
def case(request):
    labels, lengths, seed = request.param
    return make_case(labels=labels, lengths=lengths, ends=seed != 1, constant=0.5 * seed, eta=1.0 + seed, seed=seed)


def test_best_and_k_best(case):
    decoded, scores, _ = case.core().decode(case.native, 9, None, None, 1)
    ends = np.cumsum([len(y) for y in case.Y])
    for i, y in enumerate(case.Y):
        topology, edge_scores, token, label = as_program(case, i)
        own = [s for s in scores.reshape(case.n, 9)[i] if s > -np.inf]
        found = queries.k_best(topology, edge_scores, 9)
        np.testing.assert_allclose([r.score for r in found], own, **CLOSE)
        chain_labels = [tuple(row[ends[i] - len(y) : ends[i]].tolist()) for row in decoded.reshape(9, -1)]
        assert [labels_of(r.output, token, label) for r in found] == chain_labels[: len(found)]
        best = queries.best(topology, edge_scores)
        assert labels_of(best.output, token, label) == chain_labels[0]
        np.testing.assert_allclose(best.score, own[0], **CLOSE)


def test_marginals_and_log_partition(case):
    found, log_sums, _ = case.core().marginals(case.native, 1.0, None, None, 1)
    tables = np.split(found.reshape(-1, case.chain.n_labels), np.cumsum([len(y) for y in case.Y])[:-1])
    for i, table in enumerate(tables):
        topology, edge_scores, token, label = as_program(case, i)
        sums = queries.sums(topology, edge_scores)
        np.testing.assert_allclose(sums.log_partition, log_sums[i], **CLOSE)
        own = np.zeros_like(table)
        inside = token >= 0
        np.add.at(own, (token[inside], label[inside]), sums.marginals[inside])
        np.testing.assert_allclose(own, table, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("formulation", [Formulation("slack", "linear"), Formulation("margin", "squared")])
def test_strata(case, formulation):
    """The slacks of formulations that need the best labelling at each value of the loss."""
    own = case.bind(formulation).slacks(case.native)
    for i, truth in enumerate(case.Y):
        topology, edge_scores, token, label = as_program(case, i)
        units = ((token >= 0) & (label != np.asarray(truth)[token])).astype(int)
        strata = queries.best_by_cost(topology, edge_scores, units)
        psi = case.score(i, truth) - strata.scores
        loss = strata.totals[:, 0].astype(float)
        values = formulation.margin(loss) - formulation.scale(loss) * psi
        np.testing.assert_allclose(max(0.0, values[loss > 0].max(initial=0.0)), own[i], rtol=1e-9, atol=1e-9)
        for row, total in enumerate(strata.totals[:, 0]):
            labels = labels_of(strata.edges(row), token, label)
            assert (np.array(labels) != truth).sum() == total
            np.testing.assert_allclose(case.score(i, labels), strata.scores[row], **CLOSE)
