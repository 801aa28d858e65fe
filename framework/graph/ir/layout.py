"""Drawings of programs without Graphviz: nodes in layers, the arguments above what is computed from them.

Each graph is laid out by itself, after Sugiyama: a node stands one layer below the last of its inputs; an edge over several
layers passes through a point in each; within a layer nodes are sorted by the mean place of their neighbours, from above and
from below in turn; then each is moved to the mean of its neighbours, as far as those beside it let it. The boxes of graphs
stand side by side, in rows. All is decided by the order of the program, so a program has one drawing.

Source:
    Sugiyama, Tagawa & Toda, IEEE Transactions on Systems, Man, and Cybernetics 11 (1981).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

__all__ = ["Box", "Edge", "Plot", "picture"]

_SIZE, _WIDE, _LINE = 12, 7.3, 16.0  #: of the letters: height, advance, distance of lines
_PAD, _BESIDE, _BELOW = 7.0, 18.0, 34.0  #: inside a box, and between boxes
_SHEET = 1400.0  #: frames go to the next row beyond it


@dataclass(eq=False)
class Box:
    """A node, or with no lines a point where an edge passes a layer.

    Attributes:
        lines: its text;  fill: its colour;  inputs: the nodes of the same frame that it is computed from.
    """

    lines: Sequence[str] = ()
    fill: str = "white"
    inputs: list[Box] = field(default_factory=list)
    layer: int = 0
    x: float = 0.0  #: of the middle
    y: float = 0.0  #: of the upper edge

    def __post_init__(self) -> None:
        self.width = max(map(len, self.lines)) * _WIDE + 2 * _PAD if self.lines else 0.0
        self.height = len(self.lines) * _LINE + _PAD if self.lines else 0.0


@dataclass(eq=False)
class Edge:
    """From a node, or a frame, to a place among the inputs of a node; `dash` is as SVG has it."""

    source: Box | Plot
    target: Box
    place: float  #: in [0, 1], along the upper edge
    dash: str = ""


@dataclass(eq=False)
class Plot:
    """A graph: its name, and its nodes in an order in which they can be computed."""

    title: str
    boxes: list[Box]
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0
    points: dict[tuple[Box, int], Box] = field(default_factory=dict)  #: where the edges of a node pass a layer

    def lay_out(self) -> None:
        """Give every node its place within the frame."""
        for box in self.boxes:
            box.layer = max((other.layer + 1 for other in box.inputs), default=0)
        layers: list[list[Box]] = [[] for _ in range(max((box.layer for box in self.boxes), default=0) + 1)]
        above: dict[Box, list[Box]] = {}
        for box in self.boxes:
            layers[box.layer].append(box)
            above[box] = [self._passing(other, box.layer, layers, above) for other in box.inputs]
        below: dict[Box, list[Box]] = {box: [] for box in above}
        for box, others in above.items():
            for other in others:
                below[other].append(box)
        for row in layers:
            _sort(row, {})
        for turn in range(6):
            for row in reversed(layers) if turn % 2 else layers:
                _sort(row, below if turn % 2 else above)
        for row in layers:
            _place(row, lambda box: box.x)
        for turn in range(12):
            neighbours = below if turn % 2 else above
            for row in reversed(layers) if turn % 2 else layers:
                _place(row, functools.partial(_between, neighbours))
        self._measure(layers)

    def _passing(self, source: Box, layer: int, layers: list[list[Box]], above: dict[Box, list[Box]]) -> Box:
        """What stands right above a layer on the way from a node: the node, or a point that is made for it."""
        found = source
        for passed in range(source.layer + 1, layer):
            point = self.points.get((source, passed))
            if point is None:
                point = self.points[source, passed] = Box(layer=passed)
                layers[passed].append(point)
                above[point] = [found]
            found = point
        return found

    def _measure(self, layers: list[list[Box]]) -> None:
        left = min((box.x - box.width / 2 for row in layers for box in row), default=0.0)
        top = _LINE + 2 * _PAD
        for row in layers:
            height = max((box.height for box in row), default=0.0)
            for box in row:
                box.x += 2 * _PAD - left
                box.y = top + (0.0 if box.lines else height / 2)
            top += height + _BELOW
        right = max((box.x + box.width / 2 for row in layers for box in row), default=0.0)
        self.width = max(right + 2 * _PAD, len(self.title) * _WIDE + 4 * _PAD)
        self.height = top - _BELOW + 2 * _PAD


def _mean(numbers: Iterable[float], otherwise: float) -> float:
    found = list(numbers)
    return sum(found) / len(found) if found else otherwise


def _between(neighbours: dict[Box, list[Box]], box: Box) -> float:
    """Where a box would stand in the middle of its neighbours."""
    return _mean((other.x for other in neighbours[box]), box.x)


def _sort(row: list[Box], neighbours: dict[Box, list[Box]]) -> None:
    """Put the boxes of a row in the order of their neighbours; until they have places, `x` is the number in the row."""
    row.sort(key=lambda box: _mean((other.x for other in neighbours.get(box, ())), box.x))
    for number, box in enumerate(row):
        box.x = float(number)


def _place(row: list[Box], wanted: Callable[[Box], float]) -> None:
    """Move the boxes of a row to where they want to be, in their order and with room between them: halfway between what
    they get when the left one comes first, and when the right one does."""
    goals = [wanted(box) for box in row]
    rooms = [(a.width + b.width) / 2 + _BESIDE for a, b in itertools.pairwise(row)]
    to_right, to_left = list(goals), list(goals)
    for i in range(1, len(row)):
        to_right[i] = max(goals[i], to_right[i - 1] + rooms[i - 1])
    for i in range(len(row) - 2, -1, -1):
        to_left[i] = min(goals[i], to_left[i + 1] - rooms[i])
    for box, one, other in zip(row, to_right, to_left):
        box.x = (one + other) / 2


def picture(frames: list[Plot], edges: list[Edge]) -> str:
    """The drawing of frames with edges in and between them, as SVG."""
    x = y = row = wide = 0.0
    for frame in frames:
        frame.lay_out()
        if x and x + frame.width > _SHEET:
            x, y, row = 0.0, y + row + _BELOW, 0.0
        frame.x, frame.y = x + _PAD, y + _PAD
        x += frame.width + _BELOW
        row, wide = max(row, frame.height), max(wide, x - _BELOW)
    homes = {box: frame for frame in frames for box in [*frame.boxes, *frame.points.values()]}
    width, height = wide + 2 * _PAD, y + row + 2 * _PAD
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="{_SIZE}">',
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8" fill="none" stroke="#444"/></marker></defs>',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for frame in frames:
        lines.append(_rectangle(frame.x, frame.y, frame.width, frame.height, "#fafafa", "#999"))
        lines.append(_line_of_text(frame.x + frame.width / 2, frame.y + _LINE, frame.title))
    for frame in frames:  # the ways through layers, which all edges of a node share
        for (source, layer), point in frame.points.items():
            before = frame.points.get((source, layer - 1), source)
            lines.append(_curve(_below(before, frame), (frame.x + point.x, frame.y + point.y)))
    lines += [_arrow(edge, homes) for edge in edges]
    for frame in frames:
        for box in frame.boxes:
            left, top = frame.x + box.x - box.width / 2, frame.y + box.y
            lines.append(_rectangle(left, top, box.width, box.height, box.fill, "#444"))
            lines += [
                _line_of_text(frame.x + box.x, top + (i + 1) * _LINE - 1, text) for i, text in enumerate(box.lines)
            ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _rectangle(x: float, y: float, width: float, height: float, fill: str, stroke: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" stroke="{stroke}"/>'


def _line_of_text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" xml:space="preserve">{escape(text)}</text>'


def _below(box: Box, frame: Plot) -> tuple[float, float]:
    return frame.x + box.x, frame.y + box.y + box.height


def _arrow(edge: Edge, homes: dict[Box, Plot]) -> str:
    source, target, home = edge.source, edge.target, homes[edge.target]
    end = home.x + target.x + (edge.place - 0.5) * target.width, home.y + target.y
    more = ' marker-end="url(#arrow)"' + (f' stroke-dasharray="{edge.dash}"' if edge.dash else "")
    if isinstance(source, Plot):
        return _curve((source.x + source.width / 2, source.y), end, "#888", more)
    if homes[source] is home:
        return _curve(_below(home.points.get((source, target.layer - 1), source), home), end, "#444", more)
    return _curve(_below(source, homes[source]), end, "steelblue", more)


def _curve(start: tuple[float, float], end: tuple[float, float], colour: str = "#444", more: str = "") -> str:
    """A line that is vertical at both ends."""
    (x0, y0), (x1, y1) = start, end
    bend = max(abs(y1 - y0) / 2, _BELOW / 2)
    way = f"M{x0:.1f} {y0:.1f} C{x0:.1f} {y0 + bend:.1f} {x1:.1f} {y1 - bend:.1f} {x1:.1f} {y1:.1f}"
    return f'<path d="{way}" fill="none" stroke="{colour}"{more}/>'
