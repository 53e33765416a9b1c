"""Mistakes along the edges of a tree: counted by hand and against sets of ancestors, and drawn."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings

from dotted_names import PAIRS, above
from maxmargin.plots.taxonomies import draw_errors, error_flow


@given(pairs=PAIRS)
@settings(max_examples=60)
def test_flows_are_counts_of_ancestors(pairs):
    truths, answers = zip(*pairs)
    flows = error_flow(truths, answers, ".")
    assert {flow.child for flow in flows} == set().union(*map(above, truths + answers))
    for flow in flows:
        assert flow.parent == (flow.child.rpartition(".")[0] or "root")
        assert flow.examples == sum(flow.child in above(truth) for truth in truths)
        assert flow.left == sum(flow.child in above(t) - above(a) for t, a in pairs)
        assert flow.entered == sum(flow.child in above(a) - above(t) for t, a in pairs)


def test_a_picture(tmp_path):
    truths, answers = np.array(["a.b", "a.c", "d.e", "d.e"]), ["a.b", "a.b", "a.c", "d.e"]
    for name, mark in (("errors.png", b"\x89PNG"), ("errors.svg", b"<?xml")):
        draw_errors(truths, answers, ".", tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(mark)
    draw_errors(["a_$1.b"], ["a_$1.b"], ".", tmp_path / "signs.png", title="no mistakes")


def test_what_has_no_picture(tmp_path, monkeypatch):
    graph = [("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")]
    with pytest.raises(ValueError, match="edges of a tree"):
        draw_errors(["c"], ["a"], graph, tmp_path / "graph.png")
    with pytest.raises(ValueError, match="1 true and 2 predicted"):
        error_flow(["a"], ["a", "b"], graph[:2])
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"matplotlib.*\[report\]"):
        draw_errors(["a"], ["b"], graph[:2], tmp_path / "none.png")
