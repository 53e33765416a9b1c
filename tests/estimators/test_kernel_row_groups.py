"""Exact kernels over rows of their matrix where an example has several rows: sequences, rankings and whole samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import ChainSVC, Kernel, MeasureSVC, RankingSVM, Unsupported, load
from maxmargin.fitting import kernels
from maxmargin.rows import kernel_cache, kernel_oracle

N, COLUMNS = 120, 5
LENGTHS = [7, 1, 12, 10, 5, 15, 10, 3, 17, 20, 8, 12]
QUERIES = np.arange(N) * 7 % 15  # whose rows are not next to each other
LITTLE = 4 * N * 40  # bytes: less than the kernel matrix


def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(N, COLUMNS))


def target() -> np.ndarray:
    """Three grades, or labels, of which no linear function knows."""
    X, noise = rows(), 0.3 * np.random.default_rng(1).normal(size=N)
    return np.digitize(X[:, 0] ** 2 + X[:, 1] + noise, [0.3, 1.2])


@dataclass(frozen=True, eq=False)
class Case:
    make: Callable[..., Any]
    y: Any
    given: dict[str, Any]
    weight: np.ndarray | None  # of examples

    def fit(self, X: Any = None, *, weighted: bool = False, **settings: Any) -> Any:
        more = {"sample_weight": self.weight} if weighted else {}
        return self.make(**settings).fit(rows() if X is None else X, self.y, **self.given, **more)


def margins(**settings: Any) -> ChainSVC:
    return ChainSVC(**{"method": "structural", **settings})


def f1(**settings: Any) -> MeasureSVC:
    return MeasureSVC("f1", method="structural", intercept_scaling=1.0, **settings)


def ranked(measure: str) -> Callable[..., RankingSVM]:
    return lambda **settings: RankingSVM(measure, **settings)


_RNG = np.random.default_rng(2)
CHAIN = Case(margins, target(), {"lengths": LENGTHS}, _RNG.uniform(0.0, 2.0, size=len(LENGTHS)))
RANKING = Case(ranked("swapped_pairs"), target(), {"groups": QUERIES}, _RNG.uniform(0.1, 2.0, size=15))
CASES = {
    "ChainSVC": CHAIN,
    "RankingSVM": RANKING,
    "RankingSVM(ndcg)": Case(ranked("ndcg"), target(), {"groups": QUERIES}, RANKING.weight),
    "MeasureSVC(f1)": Case(f1, target() == 1, {}, _RNG.integers(0, 3, size=N)),
    "MeasureSVC(f1), groups": Case(f1, target() == 1, {"groups": [60, 60]}, None),
}
cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several working sets, though there are few rows."""
    for module in (kernel_cache, kernel_oracle):
        monkeypatch.setattr(module, "BLOCK", 32)


def both(monkeypatch: pytest.MonkeyPatch, case: Case, X: Any = None, **settings: Any) -> tuple[Any, Any]:
    """The fit over features and that over rows."""
    found = []
    for factored in (N, 10):
        monkeypatch.setattr(kernels, "_FACTORED", factored)
        found.append(case.fit(X, **settings))
    return found[0], found[1]


@cases
@pytest.mark.parametrize("solver", ["auto", "bcfw", "n-slack", "one-slack"])
def test_rows_and_features_have_one_optimum(monkeypatch: pytest.MonkeyPatch, case: Case, solver: str) -> None:
    features, by_rows = both(monkeypatch, case, kernel="rbf", C=5.0, solver=solver, tol=1e-6)
    assert by_rows.solution_.primal == pytest.approx(features.solution_.primal, rel=2e-5)
    assert by_rows.solution_.dual <= by_rows.solution_.primal
    assert by_rows.kernel_.width <= N


@cases
def test_weights_and_the_default_c(monkeypatch: pytest.MonkeyPatch, case: Case) -> None:
    features, by_rows = both(monkeypatch, case, kernel="rbf", tol=1e-6, weighted=True)
    assert pytest.approx(features.C_, rel=1e-6) == by_rows.C_
    assert by_rows.kernel_.kernel.gamma == pytest.approx(features.kernel_.kernel.gamma)
    assert by_rows.solution_.primal == pytest.approx(features.solution_.primal, rel=2e-5)


@cases
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_forms_of_input_and_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, case: Case, form: Any) -> None:
    monkeypatch.setattr(kernels, "_FACTORED", 10)
    X = form(rows())
    lengths = {"lengths": LENGTHS} if case is CHAIN else {}
    model = case.fit(X, kernel="rbf")
    model.save(tmp_path / "model")
    kept = load(tmp_path / "model").predict(X, **lengths)
    assert np.array_equal(np.concatenate(kept) if lengths else kept, flat(model.predict(X, **lengths), lengths))
    assert model.score(X, case.y, **case.given) > 0.6


def flat(predicted: Any, lengths: Any) -> np.ndarray:
    return np.concatenate(predicted) if lengths else predicted


@cases
def test_a_matrix_larger_than_its_cache(monkeypatch: pytest.MonkeyPatch, case: Case) -> None:
    whole = case.fit(kernel="rbf", C=2.0, tol=1e-6)
    small = case.fit(kernel=Kernel("rbf", cache=LITTLE), C=2.0, tol=1e-4)
    assert small.solution_.primal == pytest.approx(whole.solution_.primal, rel=1e-3)


@pytest.mark.parametrize("case", [CHAIN, RANKING], ids=["ChainSVC", "RankingSVM"])
def test_a_hard_margin_beyond_the_cache(case: Case) -> None:
    settings = {"slack": "hard", "rescaling": "none", "C": 1.0}
    whole, small = (case.fit(kernel=kernel, **settings) for kernel in ("rbf", Kernel("rbf", cache=LITTLE)))
    assert small.solution_.primal == pytest.approx(whole.solution_.primal, rel=3e-3)


def test_only_rows_with_coefficients_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sequences whose labels are learnt early have none."""
    monkeypatch.setattr(kernels, "_FACTORED", 10)
    X = rows()
    y = (X[:, 0] > 0.0).astype(int)
    X[:, 0] += 3.0 * np.sign(X[:, 0])
    model = ChainSVC(1e3, method="structural", kernel="rbf").fit(X, y, lengths=LENGTHS)
    assert model.kernel_.width < 0.9 * N
    assert model.score(X, y, lengths=LENGTHS) == 1.0
    assert len(model.kernel_.rows) == model.kernel_.width


def test_the_default_method_of_sequences_is_a_likelihood_as_long_as_features_fit() -> None:
    X, y = rows(), target()
    assert ChainSVC(kernel="rbf").fit(X, y, lengths=LENGTHS).method_ == "likelihood"
    small = Kernel("rbf", cache=LITTLE)
    assert ChainSVC(kernel=small).fit(X, y, lengths=LENGTHS).method_ == "structural"
    for asked in ({"method": "likelihood"}, {"solver": "lbfgs"}):
        with pytest.raises(ValueError, match="cache allows"):
            ChainSVC(kernel=small, **asked).fit(X, y, lengths=LENGTHS)


def test_sequences_without_tokens_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_FACTORED", 10)
    plain = CHAIN.fit(kernel="rbf", tol=1e-4)
    empty = margins(kernel="rbf", tol=1e-4).fit(rows(), target(), lengths=[0, *LENGTHS, 0])
    assert empty.solution_.primal == pytest.approx(plain.solution_.primal)


def test_labels_known_in_part_have_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_FACTORED", 10)
    y = target().astype(object)
    y[::9] = None
    model = margins(kernel="rbf", C=2.0).fit(rows(), y, lengths=LENGTHS)
    assert model.score(rows(), target(), lengths=LENGTHS) > 0.7
    with pytest.raises(ValueError, match="cache allows"):
        margins(kernel=Kernel("rbf", cache=LITTLE), C=2.0).fit(rows(), y, lengths=LENGTHS)


def test_one_example_that_is_too_large_is_trained_by_cuts() -> None:
    """Steps of one example at a time need the kernel between all of its rows; cuts of all examples do not."""
    kernel = Kernel("rbf", cache=LITTLE)
    case = CASES["MeasureSVC(f1)"]
    assert case.fit(kernel=kernel, C=2.0).solution_.details["solver"] == "auto"
    with pytest.raises(Unsupported, match="An example has 120 rows"):
        case.fit(kernel=kernel, C=2.0, solver="n-slack")
    one = ChainSVC(2.0, method="structural", kernel=kernel).fit(rows(), target(), lengths=[N])
    assert one.solution_.primal > 0.0


@cases
@pytest.mark.parametrize("solver", ["auto", "bcfw", "n-slack", "one-slack"])
def test_a_warm_start_goes_on(monkeypatch: pytest.MonkeyPatch, case: Case, solver: str) -> None:
    """Where data are the same; with others it starts afresh, or from outputs that still are some."""
    monkeypatch.setattr(kernels, "_FACTORED", 10)
    model = case.make(kernel="rbf", C=2.0, solver=solver, tol=1e-4, warm_start=True)
    first = model.fit(rows(), case.y, **case.given).solution_
    again = model.fit(rows(), case.y, **case.given).solution_
    assert again.n_iter <= 0.4 * first.n_iter
    assert again.primal == pytest.approx(first.primal, rel=1e-3)
    moved = model.set_params(C=3.0).fit(rows() + 0.2 * rows() ** 2, case.y, **case.given).solution_
    fresh = case.fit(rows() + 0.2 * rows() ** 2, kernel="rbf", C=3.0, solver=solver, tol=1e-4).solution_
    assert moved.primal == pytest.approx(fresh.primal, rel=1e-3)
