"""The weights of a labelled chain, part by part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maxmargin.chains.chain import Chain

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ChainParts:
    """Views into weights in the layout of ``Chain``; the last axis is always the newest label.

    Attributes
    ----------
    emissions : shape (n_features, n_labels)
    constant : shape (1, n_labels), or (0, n_labels) where there is no constant feature
    pairs : shape (n_pair_features, n_labels, n_labels), previous label before label
    start, end : shape (n_labels,)
    steps : for k = 1 to ``order`` shape (n_labels,) * (k + 1), labels in the order of the sequence
    """

    emissions: Floats
    constant: Floats
    pairs: Floats
    start: Floats
    end: Floats
    steps: tuple[Floats, ...]


def chain_parts(chain: Chain, w: Floats) -> ChainParts:
    """The parts of ``w``, which they share memory with; ``w`` is in the layout of ``Chain`` or in the native one."""
    rows = w.reshape(chain.rows, -1)[:, : chain.n_labels]
    k, at = chain.n_labels, chain.columns
    pairs = rows[at : at + chain.n_pair_features * k].reshape(chain.n_pair_features, k, k)
    at += chain.n_pair_features * k
    start, end = rows[at], rows[at + 1]
    at += 2
    steps = []
    for size in range(1, chain.order + 1):
        steps.append(rows[at : at + k**size].reshape((k,) * (size + 1)))
        at += k**size
    return ChainParts(rows[: chain.n_features], rows[chain.n_features : chain.columns], pairs, start, end, tuple(steps))
