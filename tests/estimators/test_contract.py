"""What every estimator does alike, on one small case each: files, pickles, clones, forms of input, refusals.

The other batteries run over the same list: damaged matrices (test_sparse_inputs.py, test_fuzzed_matrices.py), settings
and weights that make no sense (test_bad_input.py) and altered model files (tests/fitting/test_fuzzed_model_files.py).
"""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from estimator_cases import CASES, public_estimators
from maxmargin.solvers.base import LIMITS, Solution, Status

every_estimator = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
TRAINED = {name: case for name, case in CASES.items() if "callback" in case.make().get_params()}
every_training = pytest.mark.parametrize("case", TRAINED.values(), ids=TRAINED.keys())
UNSAVED = {"callback", "verbose", "n_jobs", "warm_start", "problem", "space"}


def flat(answers):
    """Predictions of any shape as one array."""
    parts = [part for answer in answers for part in (answer if isinstance(answer, tuple) else [answer])]
    return np.concatenate([np.ravel(part) for part in parts])


def plain(params):
    return {name: repr(value) for name, value in params.items() if name not in UNSAVED}


def long(case):
    """Settings with which training takes several iterations."""
    given = case.make().get_params()
    return {name: value for name, value in {"tol": 1e-7, "passes": 5}.items() if name in given}


def test_every_estimator_has_a_case():
    assert CASES.keys() == public_estimators(), "Give every estimator of maxmargin.__all__ an entry in CASES."
    assert all(type(case.make()).__name__ == name for name, case in CASES.items())


@every_estimator
def test_model_files(case, tmp_path):
    model = case.fitted()
    model.save(tmp_path / "model.zip")
    loaded = case.load(tmp_path / "model.zip")
    assert type(loaded) is type(model)
    assert plain(loaded.get_params()) == plain(model.get_params())
    np.testing.assert_array_equal(flat(case.predict(loaded)), flat(case.predict(model)))
    loaded.save(tmp_path / "again.zip")
    np.testing.assert_array_equal(flat(case.predict(case.load(tmp_path / "again.zip"))), flat(case.predict(model)))


@every_estimator
def test_pickles(case):
    model = case.fitted()
    twin = pickle.loads(pickle.dumps(model))
    assert plain(twin.get_params()) == plain(model.get_params())
    np.testing.assert_array_equal(flat(case.predict(twin)), flat(case.predict(model)))


@every_estimator
def test_clones_have_the_parameters_and_nothing_else(case):
    model = case.fitted()
    twin = clone(model)
    assert vars(twin).keys() == vars(case.make()).keys()
    assert plain(twin.get_params()) == plain(model.get_params())
    with pytest.raises(NotFittedError):
        case.predict(twin)


@every_estimator
def test_the_same_data_give_the_same_model(case):
    np.testing.assert_array_equal(flat(case.predict(case.fitted())), flat(case.predict(case.fitted())))


@every_estimator
def test_an_unfitted_model_is_not_saved(case, tmp_path):
    with pytest.raises(NotFittedError):
        case.make().save(tmp_path / "model.zip")
    assert not list(tmp_path.iterdir())


@every_estimator
def test_fit_changes_nothing_that_it_was_given(case):
    X = case.matrix()
    before, params = (X.data.copy(), X.indices.copy(), X.indptr.copy()), plain(case.make().get_params())
    model = case.fitted()
    case.predict(case.refit(model, X), X)
    for array, old in zip((X.data, X.indices, X.indptr), before):
        np.testing.assert_array_equal(array, old)
    assert plain(model.get_params()) == params


@every_estimator
def test_a_refused_fit_leaves_the_fitted_model(case):
    model = case.fitted()
    expected = flat(case.predict(model))
    X = case.matrix()
    X.data[3] = np.nan
    with pytest.raises(ValueError, match="empty" if case.texts else r"NaN|nan|finite|infinit"):
        case.refit(model, X)
    np.testing.assert_array_equal(flat(case.predict(model)), expected)


@every_estimator
def test_what_every_fit_leaves_behind(case, tmp_path):
    model = case.fitted()
    assert isinstance(model.solution_, Solution)
    assert model.n_iter_ == model.solution_.n_iter >= 1
    assert not hasattr(model, "C") or model.C_ > 0.0
    model.save(tmp_path / "model.zip")
    loaded = case.load(tmp_path / "model.zip")
    for name in ("status", "primal", "dual", "n_iter"):
        assert getattr(loaded.solution_, name) == getattr(model.solution_, name)
    assert (loaded.n_iter_, getattr(loaded, "C_", None)) == (model.n_iter_, getattr(model, "C_", None))


@every_training
def test_the_callback_sees_the_iterations(case):
    seen = []
    model = case.fit(callback=seen.append, **long(case))
    assert seen[-1].iteration == model.n_iter_
    assert list(model.solution_.trace) == seen
    for first, second in pairwise(seen):
        assert first.iteration <= second.iteration
        assert first.seconds <= second.seconds
        assert first.oracle_calls <= second.oracle_calls


@every_training
@pytest.mark.parametrize("interrupts", [False, True], ids=["callback", "Ctrl-C"])
def test_training_that_is_stopped_gives_what_it_has(case, interrupts):
    def stop(record):
        if interrupts:
            raise KeyboardInterrupt
        return True

    with pytest.warns(ConvergenceWarning, match="Interrupted" if interrupts else "Stopped by a callback"):
        model = case.fit(callback=stop, **long(case))
    assert model.solution_.status is (Status.INTERRUPTED if interrupts else Status.CALLBACK)
    assert len(flat(case.predict(model)))


@every_training
def test_limits(case):
    with pytest.warns(ConvergenceWarning, match="Stopped at max_time"):
        model = case.fit(max_time=1e-9, **long(case))
    assert model.solution_.status is Status.MAX_TIME
    if "max_iter" in model.get_params():
        with pytest.warns(ConvergenceWarning, match="Stopped at max_iter"):
            model = case.fit(**{**long(case), "max_iter": 1})
        assert (model.solution_.status, model.n_iter_) == (Status.MAX_ITER, 1)
    assert len(flat(case.predict(model)))


@every_training
def test_progress_is_told(case, capfd):
    model = case.fit(verbose=1)
    out, err = capfd.readouterr()
    assert out == ""
    told = err.splitlines()[-1].rpartition(": ")[2]
    assert told == model.solution_.status.name or Status[told] in LIMITS  # overruled by the last exact pass
    case.fit()
    assert capfd.readouterr() == ("", "")
