"""Tables that need none of scikit-learn's checks are those that the checks hand back as they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.validation import validate_data

from maxmargin import MulticlassSVC
from maxmargin.rows.table_input import _is_plain

X = np.random.default_rng(0).standard_normal((12, 3))
TABLES = {
    "float64": X,
    "float32": X.astype(np.float32),
    "a part": X[2:],
    "read only": np.frombuffer(X.tobytes()).reshape(X.shape),
    "one row": X[:1],
    "whole numbers": X.astype(int),
    "other bytes": X.astype(X.dtype.newbyteorder()),
    "columns": np.asfortranarray(X),
    "every second": X[::2],
    "flat": X[:, 0],
    "no columns": X[:, :0],
    "no rows": X[:0],
    "objects": X.astype(object),
    "a frame": pd.DataFrame(X),
    "a list": X.tolist(),
    "masked": np.ma.masked_array(X),
    "NaN": np.where(X > 2.0, np.nan, X),
}
LABELS = {
    "numbers": np.arange(12),
    "names": np.array(list("abcdefghijkl")),
    "flags": np.arange(12) > 3,
    "floats": np.arange(12.0),
    "NaN": np.where(np.arange(12) > 3, np.nan, 1.0),
    "objects": np.array(list("abcdefghijkl"), dtype=object),
    "a column": np.arange(12)[:, None],
    "a list": list(range(12)),
    "too few": np.arange(5),
    "nothing": None,
}
CHECKED = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C", "ensure_all_finite": False}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("table", TABLES)
def test_plain_tables_are_what_the_checks_leave_alone(table, labels):
    rows, y = TABLES[table], LABELS[labels]
    y = y[: len(rows)] if labels != "too few" and y is not None and len(rows) > 1 else y
    if _is_plain(rows, y=y):
        found, target = validate_data(MulticlassSVC(), rows, y=y, **CHECKED)
        assert found is rows
        np.testing.assert_array_equal(target, y)
        assert target.dtype == y.dtype
    if _is_plain(rows):
        assert validate_data(MulticlassSVC(), rows, **CHECKED) is rows


def test_what_is_plain():
    plain = {table for table in TABLES if _is_plain(TABLES[table])}
    assert plain == {"float64", "float32", "a part", "read only", "one row", "NaN"}
    assert not _is_plain(X[:1], ensure_min_samples=2)
    assert {name for name in LABELS if _is_plain(X, y=LABELS[name])} == {"numbers", "names", "flags"}
    assert {name for name in LABELS if _is_plain(X, y=LABELS[name], y_numeric=True)} == {"numbers", "flags"}


def test_names_of_columns_are_forgotten_with_the_table_that_had_them():
    y = np.arange(12) % 3
    model = MulticlassSVC().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    model.fit(X[:, :2].copy(), y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 2
