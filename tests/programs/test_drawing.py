"""Drawings of small programs: what is in the text and in the SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from maxmargin.plots.programs import draw_program, program_text
from maxmargin.programs import Program, ProgramBuilder, Topology
from program_cases import chain_program

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def spans():
    builder = ProgramBuilder()
    for i in range(3):
        builder.edge(f"{i}-{i + 1}")
    builder.edge("0-2", ["0-1", "1-2"])
    builder.edge("1-3", ["1-2", "2-3"])
    builder.edge("0-3", ["0-2", "2-3"])
    builder.edge("0-3", ["0-1", "1-3"])
    return builder.program(), builder.cells, [0.0, 0.0, 0.0, 1.0, 2.0, 0.5, 0.25]


def test_text(spans):
    program, cells, scores = spans
    lines = program_text(program, scores, cells=cells).splitlines()
    assert lines[-3:] == ["0-3 (goal)", "    edge 5: from 0-2 + 2-3  +0.5", "  * edge 6: from 0-1 + 1-3  +0.25"]
    assert sum(line.startswith("  * ") for line in lines) == 5
    assert "*" not in program_text(program)


def test_svg(spans, tmp_path):
    program, cells, scores = spans
    path = tmp_path / "spans.svg"
    picture = draw_program(program, path, scores=scores, cells=cells)
    assert path.read_text() == picture == picture._repr_svg_()
    root = ET.fromstring(picture)
    circles = root.findall(f"{SVG}circle")
    assert len(circles) == program.n_cells + 1  # the goal has two
    words = [word.text for word in root.findall(f"{SVG}text")]
    assert set(cells) <= set(words)
    assert {"1", "2", "0.5", "0.25"} <= set(words)
    # 5 edges of the best output: 3 starts, and two with two tails, each of three lines
    thick = [line for line in root.findall(f"{SVG}path") if line.get("stroke-width") == "2.6"]
    assert len(thick) == 3 + 2 * 3


def test_nothing_lies_outside_or_on_another_cell():
    topology = chain_program(4, 3)
    root = ET.fromstring(draw_program(topology, scores=np.arange(topology.n_edges, dtype=float)))
    wide, high = float(root.get("width")), float(root.get("height"))
    places = [
        (float(c.get("cx")), float(c.get("cy"))) for c in root.findall(f"{SVG}circle") if c.get("fill") == "white"
    ]
    assert len(set(places)) == topology.n_cells
    assert all(18 < x < wide - 18 and 18 < y < high - 18 for x, y in places)


def test_names_are_escaped_and_an_output_can_be_given():
    topology = Topology([0, 1, 1], [-1, 0, 0])
    picture = draw_program(topology, edges=[0, 2], cells=["<a>", "b & c"], edge_names=["", "first", "second"])
    root = ET.fromstring(picture)
    words = [word.text for word in root.findall(f"{SVG}text")]
    assert words.count("<a>") == words.count("b & c") == words.count("second") == 1
    lines = root.findall(f"{SVG}path")
    assert len({line.get("d") for line in lines}) == 3  # parallel edges lie beside each other
    assert [line.get("stroke-width") for line in lines] == ["1.1", "2.6", "2.6"]


def test_what_is_wrong_is_a_sentence():
    topology = Topology([0, 1], [-1, 0])
    with pytest.raises(ValueError, match="has 2 cells, and there are 1 names of cells"):
        draw_program(topology, cells=["a"])
    with pytest.raises(ValueError, match="has 2 edges, and there are 1 names of edges"):
        draw_program(Program.of(topology, np.eye(2)), edge_names=["a"])
    with pytest.raises(ValueError, match="Edge 2 is to be marked, and the edges are 0 to 1"):
        draw_program(topology, edges=[0, 2])
    with pytest.raises(ValueError, match="Edge -1 is to be marked"):
        program_text(topology, edges=[-1])
    with pytest.raises(ValueError, match="a drawing has at most 300 and 2000: draw a smaller example"):
        program_text(chain_program(100, 4))
