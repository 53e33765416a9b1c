"""``solver='auto'`` watches its own progress: which solver goes on, and what that costs."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import ChainSVC, MulticlassSVC
from maxmargin.solvers.base import Record, Status
from maxmargin.solvers.progress import Progress, Turn


def record(iteration, estimate, allowed=1.0):
    return Record(iteration, 0.0, iteration, 0, 0, None, None, estimate, allowed)


def sequences(n, length, features, labels, noise=2.0):
    rng = np.random.default_rng(0)
    W = rng.normal(size=(features, labels))
    X = [rng.normal(size=(length, features)) for _ in range(n)]
    return X, [(x @ W + noise * rng.gumbel(size=(length, labels))).argmax(axis=1) for x in X]


def test_what_is_needed_follows_from_a_steady_fall():
    progress = Progress()
    for k in range(1, 21):
        progress.add(record(k, 2.0 ** (30 - k)))
    assert progress.done == 20
    assert progress.needed == pytest.approx(10.0)


def test_what_is_needed_where_nothing_falls_and_where_all_is_done():
    progress = Progress()
    assert progress.needed == np.inf
    for k in range(1, 9):
        progress.add(record(k, 5.0))
    assert progress.needed == np.inf
    progress.add(record(9, 0.5))
    assert progress.needed == 0.0


def test_a_second_turn_goes_on_counting():
    progress = Progress()
    first = Turn(progress, lambda: progress.done >= 3).watching(None)
    assert [first(record(k, 8.0 / k)) for k in (1, 2, 3)] == [False, False, True]
    second = Turn(progress, lambda: False).watching(None)
    assert not second(record(1, 2.0))
    assert progress.done == 4


@pytest.mark.parametrize(("n", "length"), [(6, 400), (2, 3000)])
def test_few_long_sequences_end_with_cuts(n, length):
    X, Y = sequences(n, length, 20, 3)
    automatic = ChainSVC(method="structural").fit(X, Y).solution_
    cuts = ChainSVC(solver="one-slack").fit(X, Y).solution_
    assert automatic.status is Status.CONVERGED
    assert automatic.state.cuts
    assert automatic.oracle_calls <= 2 * cuts.oracle_calls


def test_many_short_sequences_stay_with_coordinate_ascent():
    X, Y = sequences(200, 6, 60, 5, noise=0.5)
    automatic = ChainSVC(method="structural").fit(X, Y).solution_
    assert automatic.status is Status.CONVERGED
    assert not automatic.state.cuts


def test_badly_scaled_columns_are_not_slower_than_either_solver():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6)) * [1e-2, 1.0, 1.0, 10.0, 100.0, 1000.0] + 50.0
    y = (X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=300) > 100.0).astype(int) + (X[:, 4] > 100.0)
    calls = {
        solver: MulticlassSVC(C=1e-3, slack="linear", solver=solver, fit_intercept=False, max_iter=3000)
        .fit(X, y)
        .solution_
        for solver in ("auto", "bcfw", "one-slack")
    }
    assert calls["auto"].status is Status.CONVERGED
    best = min(s.oracle_calls for s in calls.values() if s.status is Status.CONVERGED)
    assert calls["auto"].oracle_calls <= 3 * best


def test_the_same_run_twice_is_the_same():
    X, Y = sequences(6, 400, 20, 3)
    first, second = (ChainSVC(random_state=3).fit(X, Y).solution_ for _ in range(2))
    assert first.n_iter == second.n_iter
    np.testing.assert_array_equal(first.w, second.w)


def test_a_callback_of_the_user_still_ends_training_and_sees_all():
    X, Y = sequences(6, 400, 20, 3)
    seen = []
    ChainSVC(method="structural", callback=lambda r: seen.append(r.iteration)).fit(X, Y)
    assert seen == sorted(seen)
    stop = len(seen) - 3
    with pytest.warns(UserWarning, match="callback"):
        model = ChainSVC(method="structural", callback=lambda r: r.iteration >= stop).fit(X, Y)
    assert model.solution_.status is Status.CALLBACK
    assert model.n_iter_ == stop
