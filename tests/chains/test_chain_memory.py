"""The search by loss where it keeps values of some tokens only, and the bound of its memory."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import ChainPerceptron, ChainSVC, Formulation
from maxmargin._core import VisitSettings
from maxmargin.chains import memory as chain_memory
from maxmargin.chains.chain import Chain
from maxmargin.oracles.search import Unsupported

LITTLE = 64 << 20  # bytes up to which the values of every token are kept


def best_by_loss(chain: Chain, x: np.ndarray, truth: np.ndarray, w: np.ndarray, units: np.ndarray) -> np.ndarray:
    """The highest score at each loss by the plain recursion of order 2, without ends; shape (losses,)."""
    k, most = chain.n_labels, int(units.max()) * len(x)
    rows = w.reshape(chain.rows, k)
    nodes = x @ rows[: chain.n_features]
    single = rows[chain.n_features + 2 : chain.n_features + 2 + k]
    double = rows[chain.n_features + 2 + k :].reshape(k, k, k)
    best = np.full((k, k, most + 1), -np.inf)
    for a in range(k):
        for b in range(k):
            best[a, b, units[truth[0], a] + units[truth[1], b]] = nodes[0, a] + nodes[1, b] + single[a, b]
    for t in range(2, len(x)):
        through = np.full((k, k, most + 1), -np.inf)  # of the last two labels
        for c in range(k):
            values = (best + (single[:, c] + double[:, :, c])[:, :, None]).max(axis=0) + nodes[t, c]
            shift = units[truth[t], c]
            through[:, c, shift:] = values[:, : most + 1 - shift]
        best = through
    return best.max(axis=(0, 1))


@pytest.mark.parametrize("costs", [False, True])
@pytest.mark.parametrize("formulation", [Formulation("slack", "linear"), Formulation("margin", "squared")])
def test_blocks_that_are_computed_again_give_the_same_answer(formulation, costs):
    rng = np.random.default_rng(0)
    labels, length = 8, 300 if costs else 390
    cost = rng.integers(0, 3, (labels, labels)) * (1 - np.eye(labels)) if costs else None
    chain = Chain(labels, 3, cost=cost, order=2, ends=False)
    units = chain.costs.astype(int)
    x, truth = rng.standard_normal((length, 3)), rng.integers(0, labels, length).astype(np.int32)
    # weights under which neither the truth nor the prediction is the most violated output
    w = 0.02 * rng.standard_normal((chain.rows, labels))
    oracle = chain.bind([x], truth, formulation)
    native = chain.from_public(w.ravel())
    most = int(chain.costs[truth].max(axis=1).sum())
    everything = 8 * labels**2 * length * (most + 1)
    assert everything > LITTLE
    assert oracle.core.largest_search[1] < 0.15 * everything

    loss = np.arange(int(units.max()) * length + 1.0)
    own = chain.core(oracle.X).path_scores(native, truth)[0]
    scores = best_by_loss(chain, x, truth, w, units)
    reached = scores > -np.inf
    values = formulation.margin(loss) - formulation.scale(loss) * (own - np.where(reached, scores, 0.0))
    slack, found = oracle.worst(native, np.zeros(1, np.int32))
    assert slack[0] == pytest.approx(values[reached].max(), rel=1e-12)
    score = chain.core(oracle.X).path_scores(native, found)[0]
    total = float(chain.costs[truth, found].sum())
    assert 0.0 < total < most
    assert formulation.margin(total) - formulation.scale(total) * (own - score) == pytest.approx(slack[0], rel=1e-12)


@pytest.mark.parametrize("coarse", [False, True])
def test_the_dual_engine_with_values_kept_of_some_tokens_only(coarse):
    rng = np.random.default_rng(1)
    chain = Chain(12, 4, order=2)
    x, truth = rng.standard_normal((345, 4)), rng.integers(0, 12, 345).astype(np.int32)
    assert LITTLE < 4 * 144 * 345 * 346  # in single precision
    oracle = chain.bind([x], truth, Formulation("slack", "linear"))
    engine = oracle.engine(1e-5)
    everyone, settings = np.zeros(1, np.int32), VisitSettings(coarse=coarse)
    for _ in range(3):
        w = np.array(engine.weights)
        engine.visit(everyone, settings)
    planes = oracle.expand(engine.state())
    assert len(planes) == 3
    assert planes.value(w).max() == pytest.approx(oracle.slacks(w)[0], rel=1e-3 if coarse else 1e-12)


def test_a_search_that_takes_too_much_memory_is_refused_before_it_begins():
    rng = np.random.default_rng(0)
    X = [rng.standard_normal((length, 2)) for length in (5, 3000, 10)]
    Y = [rng.integers(0, 45, len(x)) for x in X]
    words = (
        r"slack rescaling.* for sequence 1 of 3,000 tokens, with 45 labels and order 2, that takes 4.9 GiB, and 2 GiB "
        r"is the most. Use rescaling='margin' with slack='linear', a smaller order"
    )
    with pytest.raises(Unsupported, match=words):
        ChainSVC(1.0, order=2, rescaling="slack").fit(X, Y)


def test_all_threads_count(monkeypatch):
    monkeypatch.setattr(chain_memory, "_MOST_BYTES", 15_000)
    X, Y = [np.ones((10, 1)), np.ones((9, 1)), np.ones((9, 1))], np.tile(np.arange(7), 4)
    chain = Chain(7, 1)
    slack = Formulation("slack", "linear")
    assert chain.bind(X, Y, slack).core.largest_search == (0, 7 * 10 * 11 * 8)
    chain.bind(X, Y, slack, threads=2)
    with pytest.raises(Unsupported, match="in each of 3 threads"):
        chain.bind(X, Y, slack, threads=8)
    assert chain.bind(X, Y, Formulation(), threads=8).core.largest_search == (0, 0)


def test_many_best_labellings(monkeypatch):
    X = [np.ones((3, 1)), np.ones((10, 1)), np.ones((4, 1))]
    model = ChainPerceptron(passes=1, order=2).fit(X, [[0, 1, 2], [0] * 10, [1] * 4])
    assert len(model.predict_kbest(X, 40)[0]) == 27
    monkeypatch.setattr(chain_memory, "_MOST_BYTES", 10 * (9 * 12 + (9 * 3 + 2 * 40) * 24))
    model.predict_kbest(X, 40)
    with pytest.raises(
        ValueError, match=r"The 41 best labellings are too many: for sequence 1 of 10 tokens, with 3 labels"
    ):
        model.predict_kbest(X, 41)
    model.n_jobs = 8
    with pytest.raises(ValueError, match="in each of 3 threads"):
        model.predict_kbest(X, 13)
    one = [np.ones((1, 1))] * 60
    monkeypatch.setattr(chain_memory, "_MOST_BYTES", 60 * 179 * 4)
    model.n_jobs = 1
    with pytest.raises(ValueError, match=r"The 180 best labellings of 60 tokens take .* fewer sequences at a time"):
        model.predict_kbest(one, 180)
