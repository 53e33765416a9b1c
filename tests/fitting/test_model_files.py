"""Model files: what comes back, and what is refused at save."""

from __future__ import annotations

import os
import stat

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import maxmargin
from maxmargin import BlockCoordinate, MulticlassSVC, NSlack, OneSlack, Perceptron, StructuralSVM, Subgradient


class Sign:
    """Two outputs, -1 and 1; enough to have a model."""

    def joint_feature(self, x, y):
        return y * np.asarray(x, dtype=float)

    def loss(self, y_true, y):
        return float(y_true != y)

    def argmax(self, x, w, y_true=None):
        return max((-1, 1), key=lambda y: y * (x @ w) + (0.0 if y_true is None else self.loss(y_true, y)))


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


LABELS = {
    "int": np.array([0, 1, 2]),
    "str": np.array(["a", "bb", "ünï"]),
    "object str": np.array(["a", "bb", "ccc"], dtype=object),
    "float": np.array([1.0, 2.0, -7.0]),
    "uint8": np.array([0, 1, 255], dtype=np.uint8),
}


@pytest.mark.parametrize("kind", LABELS)
def test_multiclass_round_trip_is_bit_equal(iris, tmp_path, kind):
    X, y = iris
    model = MulticlassSVC(C=0.1).fit(X, LABELS[kind][y])
    model.save(tmp_path / "m.zip")
    loaded = maxmargin.load(tmp_path / "m.zip")
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.predict_kbest(X, 2) == model.predict_kbest(X, 2)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.n_iter_ == model.n_iter_
    assert loaded.n_features_in_ == 4
    assert loaded.C_ == model.C_
    assert loaded.solution_.status is model.solution_.status
    assert loaded.solution_.gap == model.solution_.gap
    assert loaded.get_params() == model.get_params()
    loaded.save(tmp_path / "again.zip")
    np.testing.assert_array_equal(maxmargin.load(tmp_path / "again.zip").coef_, model.coef_)


def test_two_classes_and_no_intercept(iris, tmp_path):
    X, y = iris
    model = MulticlassSVC(C=0.1, fit_intercept=False).fit(X, y == 0)
    model.save(str(tmp_path / "m.zip"))
    loaded = maxmargin.load(str(tmp_path / "m.zip"))
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert loaded.classes_.dtype == bool


@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack", "subgradient", "perceptron"])
def test_structural_round_trip_is_bit_equal(tmp_path, solver):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 3))
    Y = [1 if x[0] > 0 else -1 for x in X]
    model = StructuralSVM(Sign(), C=0.3, solver=solver).fit(X, Y)
    model.save(tmp_path / "m.zip")
    loaded = maxmargin.load(tmp_path / "m.zip", problem=Sign())
    assert loaded.predict(X) == model.predict(X)
    ones = [1] * len(X)
    assert loaded.decision_value(X, ones).tolist() == model.decision_value(X, ones).tolist()
    assert loaded.solution_.primal == model.solution_.primal
    assert b"Sign" not in (tmp_path / "m.zip").read_bytes()
    with pytest.raises(ValueError, match=r"pass its problem: maxmargin.load\(path, problem=...\)"):
        maxmargin.load(tmp_path / "m.zip")


def test_feature_names(iris, tmp_path):
    X, y = iris
    frame = pd.DataFrame(X, columns=["a", "b", "ç", "d"])
    MulticlassSVC(C=0.1).fit(frame, y).save(tmp_path / "m.zip")
    loaded = maxmargin.load(tmp_path / "m.zip")
    assert loaded.feature_names_in_.tolist() == ["a", "b", "ç", "d"]
    loaded.predict(frame)
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.rename(columns={"a": "z"}))


PARAMETERS = [
    {"C": np.float64(0.1), "tol": np.float32(0.001), "max_iter": np.int64(500)},
    {"cost": 2.0 * (1.0 - np.eye(3)), "rescaling": "slack"},
    {"cost": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]},
    {"class_weight": {0: 1.0, 1: 2.0, 2: 0.5}},
    {"class_weight": {np.int64(0): np.float32(2.0)}},
    {"class_weight": "balanced", "random_state": 3, "max_time": 100.0},
    {"solver": OneSlack(cache=3, line_search=False)},
    {"solver": NSlack(update="block", batch=7)},
    {"solver": BlockCoordinate.plain(), "tol": 0.05},
    {"solver": BlockCoordinate(capacity=np.int64(4), averaging=np.float64(2.0))},
    {"solver": Subgradient(passes=3)},
    {"solver": Perceptron(passes=np.int32(3))},
]


@pytest.mark.parametrize("params", PARAMETERS, ids=lambda params: "-".join(map(str, params)))
def test_parameters_come_back(iris, tmp_path, params):
    X, y = iris
    model = MulticlassSVC(**{"C": 0.01, **params}).fit(X, y)
    model.save(tmp_path / "m.zip")
    loaded = maxmargin.load(tmp_path / "m.zip")
    for name, value in params.items():
        np.testing.assert_array_equal(getattr(loaded, name), value)
        if name == "solver":
            assert type(loaded.solver) is type(value)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    loaded.fit(X, y)  # the parameters are good enough to train with again
    np.testing.assert_allclose(loaded.coef_, model.coef_)


def test_what_cannot_be_saved_is_refused_and_leaves_the_old_file(iris, tmp_path):
    X, y = iris
    path = tmp_path / "m.zip"
    good = MulticlassSVC(C=0.1).fit(X, y)
    good.save(path)
    before = path.read_bytes()
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="datetime64[D]")
    dated = MulticlassSVC(C=0.1).fit(X, days[y])
    with pytest.raises(ValueError, match=r"classes_ .*datetime64.*use numbers or strings"):
        dated.save(path)
    tuples = MulticlassSVC(C=0.1).fit(X, y)
    tuples.classes_ = np.empty(3, dtype=object)
    tuples.classes_[:] = [(0, 1), (1, 2), (2, 3)]
    with pytest.raises(ValueError, match=r"classes_ .*cannot keep.*use str or numbers"):
        tuples.save(path)
    seeded = MulticlassSVC(C=0.1, random_state=np.random.RandomState(0)).fit(X, y)
    with pytest.raises(ValueError, match=r"random_state .*RandomState.*cannot keep"):
        seeded.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.zip"]


def test_a_solver_of_the_user_is_refused_at_save(iris, tmp_path):
    class Mine(NSlack):
        pass

    model = MulticlassSVC(C=0.1, solver=Mine()).fit(*iris)
    with pytest.raises(ValueError, match=r"solver is a Mine.*only our solvers"):
        model.save(tmp_path / "m.zip")


def test_a_failing_write_leaves_the_old_file(iris, tmp_path, monkeypatch):
    path = tmp_path / "m.zip"
    model = MulticlassSVC(C=0.1).fit(*iris)
    model.save(path)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        model.set_params(C=5.0).fit(*iris).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.zip"]


@pytest.mark.skipif(os.name != "posix", reason="file modes are a matter of POSIX")
def test_the_file_has_the_usual_mode(iris, tmp_path):
    (tmp_path / "other").write_text("")
    MulticlassSVC(C=0.1).fit(*iris).save(tmp_path / "m.zip")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("m.zip", "other")]
    assert modes[0] == modes[1]


def test_folders_that_cannot_be_written(iris, tmp_path):
    model = MulticlassSVC(C=0.1).fit(*iris)
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "none" / "m.zip", tmp_path / "file" / "m.zip"):
        with pytest.raises(
            FileNotFoundError, match=f"The folder of the model file does not exist: .*{path.parent.name}'"
        ):
            model.save(path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        model.save(tmp_path / "folder")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        maxmargin.load(tmp_path / "none.zip")
    with pytest.raises(OSError, match=tmp_path.name):
        maxmargin.load(tmp_path)
