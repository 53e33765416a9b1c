"""Dependency trees without further constraints: every word chooses a head, and there are no cycles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.core.outputs import shown
from maxmargin.programs.choices import Choice, ChoiceProblem, Floats


class TreeProblem(ChoiceProblem):
    """Non-projective dependency trees: spanning trees whose arcs have features, a problem for ``StructuralSVM``.

    The output of a sentence of n words is an array of n heads: ``y[d - 1]`` is the head of word ``d``, from 0 (the
    root) to n. The score is the sum over the arcs, the loss the number of words with a wrong head. The best tree takes
    O(n^2) time (Chu and Liu, Edmonds, Tarjan), sums over all trees O(n^3) (the matrix-tree theorem). Arcs that are
    forbidden or required at prediction are pairs ``(d, y[d - 1])`` of a word and its head.

    Parameters
    ----------
    features : from an input to the features of its arcs: an array (n, n + 1, F), or a dense or CSR matrix with
        ``n (n + 1)`` rows, word by word, the arc from the root first; arcs from a word to itself are there and ignored.
        None where the inputs are these features themselves
    single_root : exactly one word hangs on the root, as in Universal Dependencies; False: at least one
    """

    first_row = 1
    words = ("tree", "word", "head")

    def __init__(self, features: Callable[[Any], Any] | None = None, *, single_root: bool = True) -> None:
        super().__init__(features)
        self.single_root = single_root

    def read(self, given: Any) -> tuple[Any, int, int]:
        if sp.issparse(given):
            matrix = given if isinstance(given, sp.csr_array) else sp.csr_array(given)
        else:
            matrix = np.asarray(given, dtype=np.float64)
            if matrix.ndim == 3 and matrix.shape[1] == matrix.shape[0] + 1:
                matrix = matrix.reshape(-1, matrix.shape[2])
        n = (isqrt(4 * matrix.shape[0] + 1) - 1) // 2 if matrix.ndim == 2 else 0
        if not matrix.shape[0]:
            raise ValueError("The sentence has no words; a tree needs at least one. Leave the sentence out.")
        if n < 1 or n * (n + 1) != matrix.shape[0]:
            raise ValueError(
                f"The features of arcs have shape {matrix.shape}; for n words give an array (n, n + 1, features) or a "
                "matrix with n (n + 1) rows: 2, 6, 12, 20, ..."
            )
        return matrix, n, n + 1

    def check_choice(self, y: Choice, columns: int) -> None:
        """Raises unless the heads form a tree (with one root, if asked for)."""
        if y.min() < 0 or y.max() >= columns:
            raise ValueError(
                f"Heads must be from 0 (the root) to {columns - 1}, the number of words, not {shown(y.tolist())}."
            )
        roots = int(np.count_nonzero(y == 0))
        if self.single_root and roots != 1:
            raise ValueError(
                f"{shown(y.tolist())} has {roots} words on the root; there must be exactly one, or pass "
                "single_root=False."
            )
        above = np.concatenate([[0], y])
        for _ in range(int(y.size).bit_length()):
            above = above[above]
        if above.any():
            raise ValueError(
                f"{shown(y.tolist())} is no tree: word {np.flatnonzero(above)[0]} is on a cycle, or hangs on one."
            )

    def best_choices(self, tables: Sequence[Floats]) -> list[Choice | None]:
        flat, lengths = _flat(tables)
        heads, found = _core.best_spanning_trees(flat, lengths, self.single_root)
        parts = np.split(heads, np.cumsum(lengths)[:-1])
        return [part if there else None for part, there in zip(parts, found)]

    def sums(self, table: Floats) -> tuple[float, Floats]:
        """By the matrix-tree theorem, in O(n^3)."""
        log_sum, marginals = _core.spanning_tree_sums(*_flat([table]), self.single_root)
        return float(log_sum[0]), marginals.reshape(table.shape)


def _flat(tables: Sequence[Floats]) -> tuple[Floats, npt.NDArray[np.int32]]:
    lengths = np.array([table.shape[0] for table in tables], dtype=np.int32)
    return np.concatenate([np.zeros(0), *map(np.ravel, tables)]), lengths
