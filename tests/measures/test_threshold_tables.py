"""The native tables of cuts beside counting."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import _core


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("parts", [1, 3])
def test_tables_of_cuts(weighted, parts) -> None:
    rng = np.random.default_rng(parts)
    scores = np.round(rng.standard_normal(80), 1)  # many ties
    positive = rng.random(80) < 0.3
    weight = rng.uniform(0.5, 2.0, 80) if weighted else None
    part = rng.integers(0, parts, 80) if parts > 1 else None
    cuts = np.ascontiguousarray(np.unique(scores[positive])[::-1][::2])
    tp, fp, positives, negatives, below = _core.cut_tables(scores, positive, weight, part, parts, cuts)
    count = np.ones(80) if weight is None else weight
    inside = [np.ones(80, dtype=bool)] if part is None else [part == k for k in range(parts)]
    for k, own in enumerate(inside):
        assert positives[k] == pytest.approx(count[own & positive].sum())
        assert negatives[k] == pytest.approx(count[own & ~positive].sum())
        for at, cut in enumerate(cuts):
            taken = own & (scores >= cut)
            assert tp.reshape(parts, -1)[k, at] == pytest.approx(count[taken & positive].sum())
            assert fp.reshape(parts, -1)[k, at] == pytest.approx(count[taken & ~positive].sum())
    for at, cut in enumerate(cuts):
        assert below[at] == (scores[scores < cut].max() if (scores < cut).any() else -np.inf)


def test_native_input_is_checked() -> None:
    scores, positive, cuts = np.zeros(3), np.ones(3, dtype=bool), np.zeros(1)
    with pytest.raises(ValueError, match="every row"):
        _core.cut_tables(scores, positive[:2], None, None, 1, cuts)
    with pytest.raises(ValueError, match="one part"):
        _core.cut_tables(scores, positive, None, None, 0, cuts)
    with pytest.raises(IndexError, match="no such part"):
        _core.cut_tables(scores, positive, None, np.array([0, 1, 2]), 2, cuts)
