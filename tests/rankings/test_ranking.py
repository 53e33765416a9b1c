"""RankingSVM: optima against a general solver and LIBLINEAR, agreement of the solvers, what fit and score mean."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import average_precision_score, ndcg_score
from sklearn.svm import LinearSVC

from maxmargin import RankingSVM, Status, Subgradient
from maxmargin.datasets import make_ranking
from maxmargin.rankings.ndcg import Ndcg
from ranking_cases import every_plane, make
from reference import solve

MEASURES = ["swapped_pairs", "average_precision", "ndcg", "ndcg(2)", "mrr"]
SOLVERS = ["auto", "one-slack", "n-slack", "bcfw"]


@pytest.mark.parametrize("C", [0.1, 2.0])
@pytest.mark.parametrize("name", MEASURES)
def test_all_solvers_reach_the_optimum_of_the_enumerated_problem(name, C):
    X, y, groups = make(noise=1.0)
    best = solve(every_plane(X, y, groups, name, "margin", "linear"), C)
    for solver in SOLVERS:
        model = RankingSVM(C=C, measure=name, solver=solver, tol=1e-5).fit(X, y, groups=groups)
        assert model.solution_.status is Status.CONVERGED
        assert best.low * (1 - 1e-9) <= model.solution_.primal <= best.value + 1e-5 * C * 4
        np.testing.assert_allclose(model.coef_, best.w, atol=0.02)
    rough = RankingSVM(C=C, measure=name, solver=Subgradient(passes=300)).fit(X, y, groups=groups)
    assert rough.solution_.primal <= 1.05 * best.value


@pytest.mark.parametrize(
    ("rescaling", "slack"), [("slack", "linear"), ("margin", "squared"), ("slack", "squared"), ("none", "linear")]
)
def test_swapped_pairs_in_other_formulations(rescaling, slack):
    X, y, groups = make(noise=1.0, seed=1)
    best = solve(every_plane(X, y, groups, "swapped_pairs", rescaling, slack), 1.0)
    for solver in SOLVERS:
        model = RankingSVM(C=1.0, rescaling=rescaling, slack=slack, solver=solver, tol=1e-5).fit(X, y, groups=groups)
        assert best.low * (1 - 1e-9) <= model.solution_.primal <= best.value + 4e-5


def pair_differences(X, y, groups):
    """Of every pair of a group with ``y_i > y_j``: ``x_i - x_j``, and one over the number of pairs of its group."""
    rows, weight = [], []
    for group in np.unique(groups):
        own = np.flatnonzero(groups == group)
        pairs = [(i, j) for i, j in itertools.permutations(own, 2) if y[i] > y[j]]
        rows += [X[i] - X[j] for i, j in pairs]
        weight += [1.0 / len(pairs)] * len(pairs)
    return np.array(rows), np.array(weight)


@pytest.mark.parametrize("grades", [2, 4])
@pytest.mark.parametrize("C", [0.3, 5.0])
def test_swapped_pairs_are_liblinear_on_differences_of_pairs(grades, C):
    """SVM-rank for two grades, ordinal regression for more."""
    X, y, groups = make_ranking(8, documents=(4, 9), n_features=5, grades=grades, seed=2)
    rows, weight = pair_differences(X, y, groups)
    sign = np.where(np.arange(len(rows)) % 2, 1.0, -1.0)  # LIBLINEAR wants both classes
    rival = LinearSVC(C=C, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=1_000_000)
    rival.fit(rows * sign[:, None], sign, sample_weight=weight)
    own = RankingSVM(C=C, tol=1e-7).fit(X, y, groups=groups)

    def objective(w):
        return 0.5 * w @ w + C * weight @ np.maximum(0.0, 1.0 - rows @ w)

    assert own.solution_.primal == pytest.approx(objective(own.coef_), rel=1e-9)
    assert objective(own.coef_) == pytest.approx(objective(rival.coef_.ravel()), rel=1e-5)
    np.testing.assert_allclose(own.coef_, rival.coef_.ravel(), atol=5e-3)


@pytest.mark.parametrize("name", MEASURES)
def test_weights_are_repetitions(name):
    X, y, groups = make(noise=1.0, seed=3)
    weight = np.array([2.0, 0.0, 1.0, 3.0])
    copies = [np.flatnonzero(groups == g) for g, s in enumerate(weight) for _ in range(int(s))]
    repeated = np.repeat(np.arange(len(copies)), [rows.size for rows in copies])
    rows = np.concatenate(copies)
    first = RankingSVM(C=0.5, measure=name, tol=1e-7).fit(X, y, groups=groups, sample_weight=weight)
    second = RankingSVM(C=0.5, measure=name, tol=1e-7).fit(X[rows], y[rows], groups=repeated)
    assert first.solution_.primal == pytest.approx(second.solution_.primal, rel=1e-5)
    by_row = RankingSVM(C=0.5, measure=name, tol=1e-7).fit(X, y, groups=groups, sample_weight=weight[groups])
    np.testing.assert_array_equal(by_row.coef_, first.coef_)


@pytest.mark.parametrize("name", MEASURES)
def test_groups_by_name_by_size_and_in_any_order(name):
    X, y, groups = make(noise=0.5, seed=4)
    model = RankingSVM(C=1.0, measure=name).fit(X, y, groups=groups)
    by_size = RankingSVM(C=1.0, measure=name).fit(X, y, groups=[4, 3, 5, 4])
    by_word = RankingSVM(C=1.0, measure=name).fit(X, y, groups=np.array(["z", "b", "c", "a"])[groups])
    np.testing.assert_array_equal(model.coef_, by_size.coef_)
    np.testing.assert_array_equal(model.coef_, by_word.coef_)
    mixed = np.random.default_rng(0).permutation(y.size)
    shuffled = RankingSVM(C=1.0, measure=name, tol=1e-7).fit(X[mixed], y[mixed], groups=groups[mixed])
    precise = RankingSVM(C=1.0, measure=name, tol=1e-7).fit(X, y, groups=groups)
    assert shuffled.solution_.primal == pytest.approx(precise.solution_.primal, rel=1e-5)
    assert shuffled.score(X[mixed], y[mixed], groups=groups[mixed]) == pytest.approx(precise.score(X, y, groups=groups))


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_and_sparse_input_agree(name, dtype):
    X, y, groups = make(noise=0.5, seed=5)
    X = np.where(np.abs(X) < 0.5, 0.0, X).astype(dtype)
    dense = RankingSVM(C=1.0, measure=name, tol=1e-6).fit(X, y, groups=groups)
    sparse = RankingSVM(C=1.0, measure=name, tol=1e-6).fit(sp.csr_array(X), y, groups=groups)
    assert sparse.solution_.primal == pytest.approx(dense.solution_.primal, rel=1e-4)
    np.testing.assert_allclose(sparse.predict(sp.csr_array(X)), sparse.predict(X), rtol=1e-6)
    assert dense.predict(X).dtype == np.float64
    assert (
        pytest.approx(RankingSVM(measure=name).fit(X, y, groups=groups).C_)
        == RankingSVM(measure=name).fit(sp.csr_array(X), y, groups=groups).C_
    )


def test_threads_change_nothing_that_matters():
    X, y, groups = make_ranking(60, seed=6)
    one = RankingSVM(C=0.1, measure="ndcg(5)").fit(X, y, groups=groups)
    three = RankingSVM(C=0.1, measure="ndcg(5)", n_jobs=3).fit(X, y, groups=groups)
    assert three.solution_.primal == pytest.approx(one.solution_.primal, rel=1e-3)


def test_rank_and_predict():
    X, y, groups = make(noise=0.5, seed=7)
    model = RankingSVM(C=1.0).fit(X, y, groups=groups)
    scores = model.predict(X)
    np.testing.assert_allclose(scores, X @ model.coef_)
    ranked = model.predict_ranking(X, groups=groups)
    assert len(ranked) == 4
    for g, rows in enumerate(ranked):
        assert sorted(rows) == np.flatnonzero(groups == g).tolist()
        assert (np.diff(scores[rows]) <= 0).all()
    (everything,) = model.predict_ranking(X)
    assert (np.diff(scores[everything]) <= 0).all()
    tied = model.predict_ranking(np.zeros((4, 3)), groups=["b", "a", "b", "a"])
    assert [rows.tolist() for rows in tied] == [[0, 2], [1, 3]]


def test_score_is_the_mean_of_the_measure():
    X, y, groups = make(noise=1.0, seed=8)
    parts = [np.flatnonzero(groups == g) for g in range(4)]
    model = RankingSVM(C=0.5, measure="ndcg(3)").fit(X, y, groups=groups)
    scores = model.predict(X)
    each = [ndcg_score([2 ** y[rows] - 1], [scores[rows]], k=3) for rows in parts]
    assert model.score(X, y, groups=groups) == pytest.approx(np.mean(each))
    assert model.score(X, y, groups=groups, sample_weight=[1, 0, 0, 2]) == pytest.approx((each[0] + 2 * each[3]) / 3)
    assert model.score(X, y, groups=[4, 3, 5, 4]) == pytest.approx(np.mean(each))
    model.set_params(measure="average_precision", relevant=2)
    each = [average_precision_score(y[rows] >= 2, scores[rows]) for rows in parts]
    assert model.score(X, y, groups=groups) == pytest.approx(np.mean(each))


def test_relevant_is_a_threshold_on_the_grades():
    X, y, groups = make(noise=0.5, seed=9)
    for name in ("average_precision", "mrr"):
        high = RankingSVM(C=1.0, measure=name, relevant=2).fit(X, y, groups=groups)
        same = RankingSVM(C=1.0, measure=name).fit(X, (y >= 2).astype(int), groups=groups)
        np.testing.assert_array_equal(high.coef_, same.coef_)


def test_a_measure_object_and_gains():
    X, y, groups = make(noise=1.0, seed=10)
    named = RankingSVM(C=1.0, measure="ndcg(2)", gain="linear").fit(X, y, groups=groups)
    given = RankingSVM(C=1.0, measure=Ndcg(2, "linear")).fit(X, y, groups=groups)
    np.testing.assert_array_equal(named.coef_, given.coef_)


def test_groups_from_which_nothing_can_be_learned():
    X, y, groups = make(noise=0.5, seed=11)
    flat = np.where(groups == 2, 1.0, y)
    with pytest.warns(UserWarning, match="1 of 4 groups are left out, .* all rows of group 2 have the grade 1, for ex"):
        model = RankingSVM(C=1.0, uninformative="warn").fit(X, flat, groups=groups)
    assert model.n_uninformative_ == 1
    kept = groups != 2
    np.testing.assert_array_equal(model.coef_, RankingSVM(C=1.0).fit(X[kept], y[kept], groups=groups[kept]).coef_)
    silent = RankingSVM(C=1.0).fit(X, flat, groups=groups, sample_weight=[1, 1, 5, 1])
    np.testing.assert_array_equal(model.coef_, silent.coef_)
    assert silent.score(X, flat, groups=groups) == pytest.approx(silent.score(X[kept], y[kept], groups=groups[kept]))
    with pytest.raises(
        ValueError, match="nothing to learn where all rows of group 2 have the grade 1; leave the group"
    ):
        RankingSVM(C=1.0, uninformative="refuse").fit(X, flat, groups=groups)
    with pytest.raises(ValueError, match=r"where every row of group 2 is relevant \(a grade of at least 1\)"):
        RankingSVM(C=1.0, measure="mrr", uninformative="refuse").fit(X, flat, groups=groups)
    with pytest.raises(ValueError, match=r"where no row of group 2 is relevant \(a grade of at least 2\)"):
        RankingSVM(C=1.0, measure="mrr", relevant=2, uninformative="refuse").fit(X, flat, groups=groups)


def test_the_default_c_follows_the_scale_of_the_features():
    X, y, groups = make_ranking(40, seed=12)
    model = RankingSVM().fit(X, y, groups=groups)
    moved = X + 7.0 * np.arange(X.shape[1])  # what is the same within a query tells nothing
    assert pytest.approx(model.C_) == RankingSVM().fit(moved, y, groups=groups).C_
    scaled = RankingSVM().fit(8.0 * X, y, groups=groups)  # a power of two, so that rounding is the same
    assert pytest.approx(model.C_ / 64.0) == scaled.C_
    np.testing.assert_allclose(8.0 * scaled.coef_, model.coef_, rtol=1e-6)


def test_learns_what_there_is_to_learn():
    X, y, groups = make_ranking(120, noise=0.3, seed=13)
    train, test = groups < 80, groups >= 80
    for name in MEASURES:
        model = RankingSVM(measure=name).fit(X[train], y[train], groups=groups[train])
        assert model.solution_.status is Status.CONVERGED
        assert model.score(X[test], y[test], groups=groups[test]) > 0.85
        assert type(model.solution_.details["solver"]) is str


def test_warm_start_goes_on_from_the_cuts():
    X, y, groups = make_ranking(50, seed=14)
    model = RankingSVM(C=0.1, warm_start=True, tol=1e-4).fit(X, y, groups=groups)
    cold, primal = model.n_iter_, model.solution_.primal
    model.fit(X, y, groups=groups)
    assert model.n_iter_ <= cold / 2
    assert model.solution_.primal == pytest.approx(primal, rel=1e-3)
    warm = model.fit(
        X[:-5], y[:-5], groups=groups[:-5]
    ).solution_  # other data: the cuts hold no more, the first is at the old w
    alone = RankingSVM(C=0.1, tol=1e-4).fit(X[:-5], y[:-5], groups=groups[:-5]).solution_
    assert warm.dual <= alone.primal
    assert alone.dual <= warm.primal


def test_columns_in_other_units_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 6))
    y = np.clip(np.round(X @ rng.standard_normal(6) + 1.0), 0, 3)
    units = 10.0 ** np.array([0, 3, -3, 0, 2, 0])
    groups = np.repeat(np.arange(40), 10)
    plain = RankingSVM().fit(X[:200], y[:200], groups=groups[:200])
    other = RankingSVM().fit((X * units)[:200], y[:200], groups=groups[:200])
    score = plain.score(X[200:], y[200:], groups=groups[200:])
    assert other.score((X * units)[200:], y[200:], groups=groups[200:]) > score - 0.005
    np.testing.assert_allclose(other.coef_ * units / plain.coef_, 1.0, atol=0.4)


def test_a_column_that_does_not_vary_has_no_weight():
    rng = np.random.default_rng(0)
    X = np.c_[np.full(100, 1e3), 1e-9 * rng.standard_normal(100)]
    model = RankingSVM().fit(X, rng.integers(0, 3, 100), groups=np.repeat(np.arange(10), 10))
    assert model.coef_[0] == 0.0
