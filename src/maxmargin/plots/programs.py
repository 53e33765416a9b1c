"""A small program as text and as a picture (SVG), with an output in it. Needs nothing but the standard library."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from html import escape
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from maxmargin.programs.program import Program
from maxmargin.programs.queries import best, edge_scores
from maxmargin.programs.topology import Topology

MOST_CELLS, MOST_EDGES = 300, 2000

_APART, _HIGH, _RADIUS = 130, 64, 15
_HALO = 'stroke="white" stroke-width="3" paint-order="stroke"'
_PLAIN, _CHOSEN = "#9a9a9a", "#c0392b"


class Picture(str):
    """An SVG document, which notebooks show as the picture that it is."""

    def _repr_svg_(self) -> str:
        return str(self)


def program_text(
    program: Program | Topology,
    scores: npt.ArrayLike | None = None,
    *,
    edges: Iterable[int] | None = None,
    cells: Sequence[Hashable] | None = None,
) -> str:
    """The edges into each cell, one per line; those of an output are marked with a star.

    ``scores``: shown with the edges. ``edges``: the output to mark, by default the best one at the scores. ``cells``:
    names of the cells, as ``ProgramBuilder.cells`` has them.
    """
    topology, marked, names = _parts(program, scores, edges, cells)
    numbers = None if scores is None else edge_scores(scores)
    lines = []
    for cell in range(topology.n_cells):
        lines.append(f"{names[cell]}{' (goal)' if cell == topology.goal else ''}")
        for edge in np.flatnonzero(topology.head == cell).tolist():
            tails = " + ".join(names[t] for t in topology.tail[edge].tolist() if t >= 0)
            score = "" if numbers is None else f"  {numbers[edge]:+.4g}"
            lines.append(
                f"  {'*' if edge in marked else ' '} edge {edge}: {f'from {tails}' if tails else 'starts'}{score}"
            )
    return "\n".join(lines)


def draw_program(
    program: Program | Topology,
    path: str | PathLike[str] | None = None,
    *,
    scores: npt.ArrayLike | None = None,
    edges: Iterable[int] | None = None,
    cells: Sequence[Hashable] | None = None,
    edge_names: Sequence[str] | None = None,
) -> Picture:
    """Draws a program from left to right and answers the SVG, which is also written to ``path`` if there is one.

    A cell stands one column after the last of its tails. The edges of an output are thick and coloured: ``edges``, by
    default the best output at ``scores``. An edge with two tails is drawn as two lines that meet before its head, and
    one without tails as a short line. Edges carry their score, or what ``edge_names`` says. ``cells``: names of cells.
    """
    topology, marked, names = _parts(program, scores, edges, cells)
    labels = list(edge_names) if edge_names is not None else _score_labels(topology, scores)
    if len(labels) != topology.n_edges:
        raise ValueError(f"The program has {topology.n_edges} edges, and there are {len(labels)} names of edges.")
    x, y = _positions(topology)
    lines, words = [], []
    seen: dict[tuple[int, ...], int] = {}
    for edge in sorted(range(topology.n_edges), key=lambda e: e in marked):  # the output above the others
        head, tails = int(topology.head[edge]), [int(t) for t in topology.tail[edge] if t >= 0]
        again = seen.setdefault((head, *tails), 0)  # edges between the same cells lie beside each other
        seen[(head, *tails)] += 1
        bend = (again + 1) // 2 * (16 if again % 2 else -16)
        paths, at = _lines(head, tails, x, y, bend)
        colour, width = (_CHOSEN, 2.6) if edge in marked else (_PLAIN, 1.1)
        lines += [f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{width}"/>' for d in paths]
        if labels[edge]:
            words.append(_word(at[0], at[1] - 4, labels[edge], 10, colour if edge in marked else "#555"))
    for cell in range(topology.n_cells):
        double = f'<circle cx="{x[cell]}" cy="{y[cell]}" r="{_RADIUS + 3}" fill="none" stroke="black"/>'
        lines.append(f'<circle cx="{x[cell]}" cy="{y[cell]}" r="{_RADIUS}" fill="white" stroke="black"/>')
        lines += [double] if cell == topology.goal else []
        words.append(_word(x[cell], y[cell] + 4, names[cell], 11, "black"))
    wide, high = max(x) + _APART // 2, max(y) + _HIGH // 2 + 10
    picture = Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        f'font-family="sans-serif" text-anchor="middle">\n' + "\n".join([*lines, *words]) + "\n</svg>\n"
    )
    if path is not None:
        Path(path).write_text(picture, encoding="utf-8")
    return picture


def _parts(
    program: Program | Topology,
    scores: npt.ArrayLike | None,
    edges: Iterable[int] | None,
    cells: Sequence[Hashable] | None,
) -> tuple[Topology, set[int], list[str]]:
    topology = program.topology if isinstance(program, Program) else program
    if topology.n_cells > MOST_CELLS or topology.n_edges > MOST_EDGES:
        raise ValueError(
            f"The program has {topology.n_cells} cells and {topology.n_edges} edges; a drawing has at most "
            f"{MOST_CELLS} and {MOST_EDGES}: draw a smaller example."
        )
    if cells is not None and len(cells) != topology.n_cells:
        raise ValueError(f"The program has {topology.n_cells} cells, and there are {len(cells)} names of cells.")
    if edges is None:
        edges = [] if scores is None else best(topology, scores).output.tolist()
    marked = {int(edge) for edge in edges}
    if beyond := sorted(edge for edge in marked if not 0 <= edge < topology.n_edges):
        raise ValueError(f"Edge {beyond[0]} is to be marked, and the edges are 0 to {topology.n_edges - 1}.")
    names = [str(name) for name in (cells if cells is not None else range(topology.n_cells))]
    return topology, marked, names


def _score_labels(topology: Topology, scores: npt.ArrayLike | None) -> list[str]:
    if scores is None:
        return [""] * topology.n_edges
    return [f"{score:.3g}" for score in edge_scores(scores)]


def _positions(topology: Topology) -> tuple[list[int], list[int]]:
    """Columns by the longest way from a start; within a column by the mean height of the tails, then by number."""
    column = [0] * topology.n_cells
    tails_of: list[list[int]] = [[] for _ in column]
    for head, tails in zip(topology.head.tolist(), topology.tail.tolist(), strict=True):
        tails_of[head] += [t for t in tails if t >= 0]
    for cell, tails in enumerate(tails_of):
        column[cell] = max([column[t] + 1 for t in tails], default=0)
    height = [0.0] * topology.n_cells
    most = max(column.count(c) for c in set(column))
    for c in range(max(column) + 1):
        own = [cell for cell in range(topology.n_cells) if column[cell] == c]
        own.sort(key=lambda cell: (np.mean([height[t] for t in tails_of[cell]]) if tails_of[cell] else 0.0, cell))
        for place, cell in enumerate(own):
            height[cell] = place + (most - len(own)) / 2
    return [_APART * c + _APART // 2 for c in column], [int(_HIGH * h) + _HIGH // 2 + 10 for h in height]


def _word(x: float, y: float, text: str, size: int, colour: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{colour}" {_HALO}>{escape(text)}</text>'


def _lines(head: int, tails: list[int], x: list[int], y: list[int], bend: int) -> tuple[list[str], tuple[float, float]]:
    """Paths of an edge, and where its label stands."""
    if not tails:
        begin = x[head] - _APART * 0.38
        return [f"M {begin:.0f} {y[head] + bend} L {x[head] - _RADIUS} {y[head]}"], (begin + 14, y[head] + bend)
    if len(tails) == 1:
        (tail,) = tails
        middle = ((x[tail] + x[head]) / 2, (y[tail] + y[head]) / 2 + 2 * bend)
        path = f"M {x[tail] + _RADIUS} {y[tail]} Q {middle[0]:.0f} {middle[1]:.0f} {x[head] - _RADIUS} {y[head]}"
        share = 0.7  # of the way: in the middle lines cross
        return [path], (x[tail] + share * (x[head] - x[tail]), y[tail] + share * (y[head] - y[tail]) + bend)
    meet = (x[head] - 2.4 * _RADIUS, (sum(y[t] for t in tails) / 2 + y[head]) / 2 + bend)
    paths = [
        f"M {x[t] + _RADIUS} {y[t]} Q {(x[t] + meet[0]) / 2:.0f} {y[t]} {meet[0]:.0f} {meet[1]:.0f}" for t in tails
    ]
    return [*paths, f"M {meet[0]:.0f} {meet[1]:.0f} L {x[head] - _RADIUS} {y[head]}"], meet
