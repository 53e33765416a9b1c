"""Windows: the features of neighbours side by side, against a loop over tokens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin.chains.sequences import pack, widen


@given(
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=5),
    reach=st.integers(0, 4),
    columns=st.integers(1, 4),
    binary=st.booleans(),
    seed=st.integers(0, 1000),
)
@settings(max_examples=100)
def test_every_token_gets_its_neighbours(lengths, reach, columns, binary, seed):
    rng = np.random.default_rng(seed)
    X = [rng.integers(0, 2 if binary else 4, (length, columns)).astype(np.float32) for length in lengths]
    found = widen(pack(X), reach)
    assert found.n_features == columns * (2 * reach + 1)
    assert found.values is None or found.values.dtype == np.float32
    for x, wide in zip(X, found, strict=True):
        expected = np.zeros((len(x), 2 * reach + 1, columns))
        for t in range(len(x)):
            for offset in range(-reach, reach + 1):
                if 0 <= t + offset < len(x):
                    expected[t, offset + reach] = x[t + offset]
        np.testing.assert_array_equal(wide.toarray(), expected.reshape(len(x), -1))


def test_a_reach_that_makes_no_sense_is_refused():
    packed = pack([np.ones((2, 2))])
    for reach in (-1, 1.0, True, "1"):
        with pytest.raises(ValueError, match="window must be a whole number of at least 0"):
            widen(packed, reach)
    with pytest.raises(ValueError, match="choose a smaller one"):
        widen(packed, 2**30)
