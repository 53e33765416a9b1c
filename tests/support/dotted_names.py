"""Dotted names of nodes, and pairs of them."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ["a", "a.b", "a.b.c", "a.b.d", "a.e", "f", "f.g", "h"]
PAIRS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), min_size=1, max_size=12)


def above(name):
    parts = name.split(".")
    return {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
