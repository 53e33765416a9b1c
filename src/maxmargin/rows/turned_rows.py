"""Rows of many columns in a basis of their own, which has no more columns than there are rows."""

from __future__ import annotations

import numpy as np

from maxmargin import _core
from maxmargin.rows.feature_scale import packed
from maxmargin.rows.inner_products import inner_products
from maxmargin.rows.kernel_factor import RESIDUAL, pivoted_factor

_MOST_ROWS = 1000  # beyond, the factor of n^3 / 3 multiplications takes long beside what it saves
_MOST_PRODUCTS = 2**32  # multiplications: some tenths of a second, in which nobody asks whether the time is up
_WIDE = 4.0  # cells of a row, as a multiple of the number of rows, from which on the factor pays


def turned_rows(rows: _core.Rows) -> _core.Rows:
    """Rows with the same inner products in fewer columns, or the rows themselves where that would save little.

    With ``X X' = F F'`` and F of shape (n, r), r at most n, weights ``v`` of the rows of F stand for ``w`` with ``X w =
    F v`` and ``|w| = |v|``: scores of these rows and penalties are the same up to rounding, so that whatever is
    trained on the rows and asked about them costs n numbers per row in place of their cells. The constant feature is
    one of the columns that are brought together.
    """
    n = rows.n
    if n > _MOST_ROWS or rows.cells < _WIDE * n * n or n * rows.cells > _MOST_PRODUCTS:
        return rows
    products = inner_products(rows)
    lower, order = pivoted_factor(products, RESIDUAL * float(products.diagonal().max()))
    if not lower.shape[1]:
        return rows
    factor = np.empty_like(lower, order="C")
    factor[order] = lower
    return packed(factor)
