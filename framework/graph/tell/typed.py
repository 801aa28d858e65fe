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
from anfora.graph.ir import PRIMITIVES, FuncGraph, Parameter, ValueNode
from anfora.graph.ir.nodes import Graph
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.text import readable
from anfora.graph.passes.inline import inline_single_calls
from anfora.graph.run.compiled import RecordedProgram
from anfora.graph.run.points import Point, Variant
from anfora.graph.tell.body import Body, types_of_slots
from anfora.graph.tell.functions import Globals, Guards
from anfora.graph.tell.outside import changed_by, known_slots
from anfora.graph.tell.wording import Names, form_of, name_of

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
    return [
        Builder(program, key, point, fused, guarded, lifted, fixed).build() for key, point in program.entries.items()
    ]


class Builder:
    """Makes the graphs of one form of call."""

    def __init__(
        self,
        program: RecordedProgram,
        key: Sequence[Any],
        point: Point,
        fused: bool,
        guarded: bool,
        lifted: bool,
        fixed: bool,
    ) -> None:
        self.program, self.key, self.fused, self.guarded = program, key, fused, guarded
        self.lifted, self.fixed = lifted, fixed
        self.inputs: dict[int, tuple[Tensor, Parameter]] = {}  #: tensors that are parameters, by identity
        self.entry = point
        self.changed = changed_by(program) if lifted or fixed else set()
        #: Of moments, by identity, the slots in which the same object of the program stands each time.
        self.known = known_slots(point, self.changed) if lifted else {}
        self.name = name_of(program)
        self.graphs: dict[int, FuncGraph] = {}
        self.kept: list[Any] = []
        self.scopes: dict[int, Globals] = {}
        self.recorded: set[Graph] = set()  #: the graphs of variants
        self.named: dict[str, Tensor] = {}  #: see `Typed.inputs`
        self.waiting: list[Callable[[], None]] = []

    def build(self) -> Typed:
        count, keywords = form_of(self.key)
        names = Names.at_entry(self.program, self.key)
        graph = self.graph_of(self.entry, self.name, names, count + len(keywords))
        while self.waiting:
            self.waiting.pop(0)()
        for outer, inner in inline_single_calls(graph, self.recorded):
            outer.guards += inner.guards
            outer.notes += inner.notes
        return Typed(self._lifted(graph) if self.inputs else graph, self.named)

    def scope(self, variables: dict[str, Any]) -> Globals:
        """The variables of a module, one object for all who read there."""
        return self.scopes.setdefault(id(variables), Globals(variables))

    def input(self, tensor: Tensor, wish: str) -> Parameter:
        """The parameter that stands for a tensor of the program."""
        if id(tensor) not in self.inputs:
            tries = itertools.chain([wish], (f"{wish}~{number}" for number in itertools.count(2)))
            name = next(name for name in tries if name not in self.named)
            self.named[name] = tensor
            layout = current(tensor)._layout
            self.inputs[id(tensor)] = tensor, Parameter(None, name, layout.type, None)  # type: ignore[arg-type]
        return self.inputs[id(tensor)][1]

    def _lifted(self, start: FuncGraph) -> FuncGraph:
        """The graph in which calls start, with the tensors as parameters; where something leads back to it, a graph around
        it has them."""
        graph = start
        if any(start in used for used in Structure(start).used.values()):
            graph = FuncGraph(start.name)
            given = [graph.parameter(p.name, abstract=p.abstract) for p in start.parameters]
            graph.output = graph.apply(start, *given)
        inputs = [parameter for _, parameter in self.inputs.values()]
        for parameter in inputs:
            parameter.graph = graph
        graph._parameters += tuple(inputs)
        return graph

    def graph_of(self, point: Point, name: str, names: Names, count: int) -> FuncGraph:
        """The graph of what follows a moment; it is filled later, so that loops can lead back to it."""
        graph = self.graphs.get(id(point))
        if graph is None:
            graph = self.graphs[id(point)] = FuncGraph(name)
            self.kept.append(point)
            self._parameters(graph, point, point.variants, names, count)
            self.waiting.append(lambda: self._fill(graph, point, names, count))
        return graph

    def known_at(self, point: Point) -> dict[int, Any]:
        """The objects of the program that stand in slots at a moment, whatever has come before."""
        return self.known.get(id(point), {})

    def _parameters(
        self, graph: FuncGraph, point: Point, variants: Sequence[Variant], names: Names, count: int
    ) -> None:
        types_of = [types_of_slots(variant.piece) for variant in variants]
        for i in range(count):
            if i in self.known_at(point):
                continue
            kinds = [types_.get(i) for types_ in types_of]
            same = bool(kinds) and all(kind == kinds[0] for kind in kinds)
            graph.parameter(names.slots.get(i), abstract=kinds[0] if same else None)

    def _fill(self, graph: FuncGraph, point: Point, names: Names, count: int) -> None:
        if len(point.variants) == 1 and not self.guarded:
            Body(self, graph, point, point.variants[0], names).build()
            return
        if not point.variants:
            graph.output = graph.apply(PRIMITIVES["record"])
            return
        chosen = []
        for variant in point.variants:
            own = FuncGraph(graph.name)
            self._parameters(own, point, [variant], names, count)
            self.waiting.append(Body(self, own, point, variant, names).build)
            chosen.append(own)
        known, given = self.known_at(point), iter(graph.parameters)
        slots = [ValueNode(known[i]) if i in known else next(given) for i in range(count)]
        values = graph.apply(PRIMITIVES["make_tuple"], *slots)
        guards = Guards([variant.piece for variant in point.variants])
        function = graph.apply(PRIMITIVES["by_guards"], values, guards, *chosen)
        graph.output = graph.apply(function, *graph.parameters)
