"""A recorded program as typed MindIR: what graph mode will do, as a program that can be read, verified, drawn and run.

    typed(program)                    one closed graph for each form of call

Each way in which a program has gone on from a moment of it (a variant) is a FuncGraph of its own, whose parameters are what
is alive then. Its nodes are calls of operators, with types and lines. A hop is a call of `interpret`; what comes after it
is a call of the next graph. Where outcomes differ, `switch` chooses between the graphs behind True and False, and
`by_outcome` between others; where a moment has several variants, `by_guards` chooses. What has not happened yet is
`record`.

Guards are no nodes: they are listed beside their graph (`Typed.guards`). The evaluator (evaluate.py) runs such a graph to
the results of the program, effects included.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anfora.core.tensor import Tensor, current
from anfora.graph.ir import PRIMITIVES, AnfNode, FuncGraph, Parameter, ValueNode
from anfora.graph.ir.nodes import Graph
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.text import readable
from anfora.graph.passes.inline import inline_single_calls
from anfora.graph.run.compiled import RecordedProgram
from anfora.graph.run.points import Point, Variant
from anfora.graph.tell.body import Body, types_told
from anfora.graph.tell.functions import Globals, Guards
from anfora.graph.tell.outside import changed_by, known_slots
from anfora.graph.tell.wording import Names, name_of

__all__ = ["Typed", "typed"]


class Typed(NamedTuple):
    """A program as a graph.

    Attributes:
        graph: the graph in which a call starts.
        inputs: tensors of the program that are parameters of the graph, behind those of the call, by name.
    """

    graph: FuncGraph
    inputs: dict[str, Tensor]

    def __str__(self) -> str:
        return readable(self.graph, None)


def typed(
    program: RecordedProgram, *, fused: bool = False, guarded: bool = False, lifted: bool = False, fixed: bool = False
) -> list[Typed]:
    """The graphs of a recorded program.

    Args:
        program: of a compiled function or Cell.
        fused: operators that share a loop become functions of their own, as they are lowered.
        guarded: guards are asked also where a moment has one variant: what has not been recorded raises, instead of being
            taken for what has.
        lifted: tensors that the program finds by itself, its weights say, are parameters.
        fixed: numbers and texts that it finds by itself are what they are now.
    Returns:
        one for each form of call (number of arguments, keywords, tape on or off) that has been recorded.
    """
    return [Builder(program, point, fused, guarded, lifted, fixed).build() for point in program.entries.values()]


class Builder:
    """Makes the graphs of one form of call."""

    def __init__(
        self, program: RecordedProgram, point: Point, fused: bool, guarded: bool, lifted: bool, fixed: bool
    ) -> None:
        self.program, self.entry, self.name = program, point, name_of(program)
        self.fused, self.guarded, self.lifted, self.fixed = fused, guarded, lifted, fixed
        self.changed = changed_by(program) if lifted or fixed else set()
        #: Of moments the slots in which the same object of the program stands each time.
        self.known = known_slots(point, self.changed) if lifted else {}
        self.graphs: dict[Point, FuncGraph] = {}
        self.recorded: set[Graph] = set()  #: the graphs of variants
        self.scopes: dict[int, Globals] = {}
        self.inputs: dict[str, Tensor] = {}  #: see `Typed.inputs`
        self.parameters: dict[int, Parameter] = {}  #: that stand for these, by their identity
        self.waiting: list[Callable[[], None]] = []  #: what fills the graphs that are made already

    def build(self) -> Typed:
        count, keywords = self.entry.form
        graph = self.graph_of(self.entry, "", count + len(keywords))
        while self.waiting:
            self.waiting.pop(0)()
        inline_single_calls(graph, self.recorded)
        return Typed(self._lifted(graph) if self.inputs else graph, self.inputs)

    def scope(self, variables: dict[str, Any]) -> Globals:
        """The variables of a module, one object for all who read there."""
        return self.scopes.setdefault(id(variables), Globals(variables))

    def input(self, tensor: Tensor, wish: str) -> Parameter:
        """The parameter that stands for a tensor of the program."""
        found = self.parameters.get(id(tensor))
        if found is None:
            tries = itertools.chain([wish], (f"{wish}~{number}" for number in itertools.count(2)))
            name = next(name for name in tries if name not in self.inputs)
            self.inputs[name] = tensor
            kind = current(tensor)._layout.type
            found = self.parameters[id(tensor)] = Parameter(None, name, kind, None)  # type: ignore[arg-type]
        return found

    def _lifted(self, start: FuncGraph) -> FuncGraph:
        """The graph in which calls start, with the tensors as parameters; where something leads back to it, a graph around
        it has them."""
        graph = start
        if any(start in used for used in Structure(start).used.values()):
            graph = FuncGraph(start.name)
            given = [graph.parameter(p.name, abstract=p.abstract) for p in start.parameters]
            graph.output = graph.apply(start, *given)
        for parameter in self.parameters.values():
            parameter.graph = graph
        graph._parameters += tuple(self.parameters.values())
        return graph

    def graph_of(self, point: Point, mark: str, count: int) -> FuncGraph:
        """The graph of what follows a moment with so many values; it is filled later, so that loops can lead back to it."""
        graph = self.graphs.get(point)
        if graph is None:
            graph = self.graphs[point] = self._empty(mark + self.name, point, point.variants, count)
            self.waiting.append(lambda: self._fill(graph, point, count))
        return graph

    def known_at(self, point: Point) -> dict[int, Any]:
        """The objects of the program that stand in slots at a moment, whatever has come before."""
        return self.known.get(point, {})

    def slot(self, graph: FuncGraph, point: Point, number: int) -> AnfNode:
        """What stands in a slot at a moment: such an object, or a parameter of its graph."""
        known = self.known_at(point)
        if number in known:
            return ValueNode(known[number])
        return graph.parameters[number - sum(slot < number for slot in known)]

    def _empty(self, name: str, point: Point, variants: Sequence[Variant], count: int) -> FuncGraph:
        """A graph for what some variants do, with its parameters."""
        graph, names = FuncGraph(name), Names.at(self.program, point)
        told = [
            {origin.key: type_ for origin, type_ in types_told(variant.piece).items() if origin.kind == "slot"}
            for variant in variants
        ]
        for i in range(count):
            if i not in self.known_at(point):
                kinds = [types.get(i) for types in told]
                same = bool(kinds) and all(kind == kinds[0] for kind in kinds)
                graph.parameter(names.slots.get(i), abstract=kinds[0] if same else None)
        return graph

    def _fill(self, graph: FuncGraph, point: Point, count: int) -> None:
        variants = point.variants
        if len(variants) == 1 and not self.guarded:
            Body(self, graph, point, variants[0]).build()
            return
        if not variants:
            graph.output = graph.apply(PRIMITIVES["record"])
            return
        chosen = [self._empty(graph.name, point, [variant], count) for variant in variants]
        self.waiting += [Body(self, own, point, variant).build for own, variant in zip(chosen, variants)]
        values = graph.apply(PRIMITIVES["make_tuple"], *(self.slot(graph, point, i) for i in range(count)))
        guards = Guards([variant.piece for variant in variants])
        function = graph.apply(PRIMITIVES["by_guards"], values, guards, *chosen)
        graph.output = graph.apply(function, *graph.parameters)
