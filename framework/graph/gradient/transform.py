"""From the graph of a function to the graph of its gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from anfora.core.abstract import TensorType
from anfora.core.span import Span
from anfora.eager.entry import Entry
from anfora.graph.facts.origins import Origin
from anfora.graph.gradient.activity import Activity, Planned, calls_graph, is_item
from anfora.graph.gradient.back import Step, give, walk
from anfora.graph.gradient.rules import OnlyARunCanTell, Rule, known_of, rule_of, varies
from anfora.graph.gradient.sums import GRADIENT_OF, ONES_FOR, PART, WITH_GRADIENT, WITHOUT_GRADIENT
from anfora.graph.gradient.whole import DIFFERENTIATED
from anfora.graph.ir import FuncGraph
from anfora.graph.ir.nodes import AnfNode, CNode, Graph, Parameter, ValueNode, as_node, known_value
from anfora.graph.ir.planned import arguments_of
from anfora.graph.ir.primitives import PRIMITIVES, partial, primitive_of, switch
from anfora.graph.ir.structure import Structure, graph_of
from anfora.graph.ir.verify import verify
from anfora.graph.state.moments import IncomingNumber
from anfora.ops import add, alias, copy, full

__all__ = ["gradient_graph"]

_MAKE_TUPLE, _GETITEM, _DEPEND, _IS = (PRIMITIVES[name] for name in ("make_tuple", "getitem", "depend", "is"))


def gradient_graph(root: FuncGraph, wanted: Sequence[Parameter], gives_value: bool) -> FuncGraph:
    """The gradient of a program as a program of the same parameters.

    Args:
        root: the graph in which it starts; it is not changed.
        wanted: the parameters that it is differentiated by; the gradient by a single one comes without a tuple around.
        gives_value: whether the value comes too: (value, gradients).
    Raises:
        GraphError: the program is not well formed, or an operator refuses the types of its operands.
    """
    structure = verify(root)
    result = FuncGraph(f"∇{root.name}", span=root.span)
    result.weights = dict(root.weights)
    of: dict[AnfNode, AnfNode] = {
        p: result.parameter(p.name, abstract=p.abstract, span=p.span) for p in root.parameters
    }
    try:
        activity = Activity(structure, wanted)
        write = _straight if _is_straight(structure, activity) else _general
        value, gradients = write(structure, activity, result, of, wanted)
    except OnlyARunCanTell:
        value, gradients = _whole(root, result, wanted)
    found = gradients[0] if len(gradients) == 1 else result.apply(_MAKE_TUPLE, *gradients)
    if gives_value:
        found = result.apply(_MAKE_TUPLE, value, found)
    elif isinstance(root.output, CNode) and root.output.calls(
        _DEPEND
    ):  # what is done beside the value is done here too
        found = result.apply(_DEPEND, found, value)
    result.output = found
    return result


def _whole(root: FuncGraph, graph: Graph, wanted: Sequence[Parameter]) -> tuple[AnfNode, list[AnfNode]]:
    """The gradient by the tape, which goes back over a run of the program."""
    positions = tuple(map(root.parameters.index, wanted))
    pair = graph.apply(DIFFERENTIATED, root, positions, *graph.parameters)
    gradients = graph.apply(_GETITEM, pair, 1, name="gradients")
    return graph.apply(_GETITEM, pair, 0), [graph.apply(_GETITEM, gradients, i) for i in range(len(wanted))]


# -- one graph, without calls of others: gradients are nodes -----------------------------------------------------------


def _is_straight(structure: Structure, activity: Activity) -> bool:
    """Whether it is known of each gradient, when the graph is written, to which sum it is added."""
    root = structure.root
    if len(structure.graphs) > 1 or any(map(calls_graph, structure.schedules[root])):
        return False
    return all(
        call in activity.planned or call not in activity.active or call is root.return_
        or call.calls(_MAKE_TUPLE) or call.calls(_DEPEND) or (call.calls(_GETITEM) and is_item(call))
        for call in structure.schedules[root]
    )  # fmt: skip


def _straight(
    structure: Structure, activity: Activity, graph: Graph, of: dict[AnfNode, AnfNode], wanted: Sequence[Parameter]
) -> tuple[AnfNode, list[AnfNode]]:
    root = structure.root
    calls = structure.schedules[root][:-1]
    for call in calls:
        of[call] = _copied(graph, call, of)
    sums: dict[Any, AnfNode] = {}

    def plus(before: AnfNode, gradient: AnfNode) -> AnfNode:
        return graph.apply(add, before, gradient, abstract=before.abstract)

    for node in _tensors(root.output):
        if node in activity.active or (type(node) is tuple and node[0] in activity.active):
            give(sums, node, _filled(graph, _type(node), 1), plus)
    walk(_steps(activity, graph, calls, of), sums, plus)
    delivered: set[AnfNode] = set()
    gradients: list[AnfNode] = []
    for parameter in wanted:
        found = sums.get(parameter)
        if found is None:
            found = _filled(graph, _type(parameter), 0)
        elif found in delivered or not _is_fresh(found):
            found = graph.apply(copy, found, abstract=found.abstract)
        delivered.add(found)
        gradients.append(found)
    return of.get(root.output, root.output), gradients


def _steps(activity: Activity, graph: Graph, calls: Sequence[CNode], of: dict[AnfNode, AnfNode]) -> Iterator[Step]:
    """The way back over the calls of operators that a gradient goes through."""
    for call in reversed(calls):
        planned = activity.planned.get(call)
        if planned is None or not planned.mask:
            continue

        def write(came: list[AnfNode | None], call: CNode = call, planned: Planned = planned) -> Any:
            values = [of.get(x, x) for x in planned.operands] + _parts(graph, planned, of[call])
            return _rule(planned, came).write(_Unplanned(graph, call.span), values, came)

        results = [(call, i) for i in range(len(planned.entry.outputs))] if planned.entry.is_tuple else [call]
        yield Step(results, list(map(_behind, planned.operands)), write)


def _tensors(node: AnfNode) -> Iterator[Any]:
    """The tensors in a value that are known when the graph is written: nodes, or pairs of a call and which result."""
    node = _behind(node)
    if isinstance(node, CNode) and node.calls(_MAKE_TUPLE):
        for item in node.args:
            yield from _tensors(item)
    elif isinstance(node, CNode) and isinstance(node.abstract, tuple):
        yield from ((node, i) for i in range(len(node.abstract)))
    else:
        yield node


def _behind(node: AnfNode) -> Any:
    """What a node hands on: another node, or the result of an operator with several, as a pair."""
    while isinstance(node, CNode):
        if node.calls(_DEPEND):
            node = node.args[0]
        elif node.calls(_GETITEM) and is_item(node):
            source, index = node.args[0], known_value(node.args[1])
            assert isinstance(source, CNode)
            if not source.calls(_MAKE_TUPLE):
                return source, index
            node = source.args[index]
        else:
            break
    return node


def _type(node: Any) -> TensorType:
    found = node[0].abstract[node[1]] if type(node) is tuple else node.abstract
    if not isinstance(found, TensorType):
        raise OnlyARunCanTell(f"the type of a result is not known: {node!r}")
    return found


def _is_fresh(node: AnfNode) -> bool:
    """Whether a gradient is the result of an operator that has memory of its own."""
    function = node.fn.value if isinstance(node, CNode) and isinstance(node.fn, ValueNode) else None
    return getattr(function, "view_rule", True) is None


# -- calls of graphs: sums are handed from one graph to the other ------------------------------------------------------


class _Step(NamedTuple):
    """What the way back over a call of an operator does."""

    rule: FuncGraph  #: it gets the sums
    values: list[AnfNode]  #: and these


def _general(
    structure: Structure, activity: Activity, graph: Graph, of: dict[AnfNode, AnfNode], wanted: Sequence[Parameter]
) -> tuple[AnfNode, list[AnfNode]]:
    program = _Program(structure, activity)
    given = []
    for parameter in structure.root.parameters:
        node = of[parameter]
        if parameter in wanted:  # what comes in twice is differentiated by once for each
            node = of[parameter] = graph.apply(alias, node, name=parameter.name, abstract=node.abstract)
        given.append(node)
    pair = graph.apply(program.forward[structure.root], *given, None)
    value, tape = graph.apply(_GETITEM, pair, 0), graph.apply(_GETITEM, pair, 1, name="tape")
    sums = graph.apply(_walk(), graph.apply(ONES_FOR, value), tape, name="sums")
    found = [(program.found(_type(p)), of[p], p.abstract) for p in wanted]
    return value, [graph.apply(function, sums, x, abstract=kind) for function, x, kind in found]


def _choosing(calls: Sequence[CNode]) -> Sequence[CNode]:
    """The last of some calls that only choose a function and bind arguments to it."""
    first = len(calls)
    while first and (calls[first - 1].calls(switch) or calls[first - 1].calls(partial)):
        first -= 1
    return calls[first:]


def _walk() -> FuncGraph:
    """The graph that goes back over a tape, the last first: a loop."""
    walk, end, step = FuncGraph("walk"), FuncGraph("end"), FuncGraph("step")
    sums, tape = walk.parameter("sums"), walk.parameter("tape")
    end.output = sums
    more = step.apply(step.apply(_GETITEM, tape, 0, name="back"), sums)
    step.output = step.apply(walk, more, step.apply(_GETITEM, tape, 1))
    walk.output = walk.apply(walk.apply(switch, walk.apply(_IS, tape, None), end, step))
    return walk


class _Program:
    """The graphs forward and back of a program.

    Args:
        structure: of the program.
        activity: what of it is active.
    Attributes:
        forward: by graph, the one that gets the tape too, and gives the value and the tape with what it has added.
    """

    def __init__(self, structure: Structure, activity: Activity) -> None:
        self.structure, self.activity = structure, activity
        self.forward = {graph: FuncGraph(f"{graph.name}.forward", span=graph.span) for graph in structure.graphs}
        self._of: dict[AnfNode, AnfNode] = {}
        self._rules: dict[Any, FuncGraph] = {}
        for graph in structure.graphs:
            for p in graph.parameters:
                self._of[p] = self.forward[graph].parameter(p.name, abstract=p.abstract, span=p.span)
        for graph in structure.graphs:
            self._write(graph)

    def _write(self, graph: Graph) -> None:
        forward = self.forward[graph]
        tape: AnfNode = forward.parameter("tape")
        steps: list[_Step] = []
        calls = self.structure.schedules[graph][:-1]
        is_last = bool(calls) and calls[-1] is graph.output and calls_graph(calls[-1])
        choosing = _choosing(calls[:-1]) if is_last else ()
        for call in calls[: len(calls) - is_last - len(choosing)]:
            if calls_graph(call):
                inputs = [self._input(node) for node in call.inputs]
                pair = forward.apply(*inputs, self._put_on(graph, steps, tape), span=call.span)
                tape, steps = forward.apply(_GETITEM, pair, 1, name="tape"), []
                self._of[call] = forward.apply(
                    _GETITEM, pair, 0, name=call.name, abstract=call.abstract, span=call.span
                )
            else:
                steps += self._forward(forward, call)
        tape = self._put_on(graph, steps, tape)
        for call in choosing:  # where it goes on is chosen last of all, so that it can go on there without a stack
            self._forward(forward, call)
        if is_last:
            inputs = [self._input(node) for node in calls[-1].inputs]
            forward.output = forward.apply(*inputs, tape, span=calls[-1].span)
        else:
            forward.output = forward.apply(_MAKE_TUPLE, self._input(graph.output), tape)

    def _put_on(self, graph: Graph, steps: list[_Step], tape: AnfNode) -> AnfNode:
        """The tape with the way back over some calls."""
        if not steps:
            return tape
        back = FuncGraph(f"{graph.name}.back", span=graph.span)
        sums: AnfNode = back.parameter("sums")
        for step in reversed(steps):
            sums = back.apply(step.rule, sums, *step.values)
        back.output = sums
        return self.forward[graph].apply(_MAKE_TUPLE, back, tape, name="tape")

    def _input(self, node: AnfNode) -> AnfNode:
        graph = graph_of(node)
        return ValueNode(self.forward[graph]) if graph is not None else self._of.get(node, node)

    def _forward(self, forward: FuncGraph, call: CNode) -> list[_Step]:
        """Write a call of what is no graph; gives what the way back over it does."""
        made = self._of[call] = _copied(forward, call, self._of, self._input)
        if call.calls(_GETITEM) and call in self.activity.active and not is_item(call):
            made._inputs = (ValueNode(PART), *made.args)
        planned = self.activity.planned.get(call)
        if planned is None or not planned.mask:
            return []
        known = known_of(planned.operands)
        operands = [self._of.get(x, x) for x, each in zip(planned.operands, known) if varies(each)]
        return [_Step(self._rule(planned, call), [*_parts(forward, planned, made), *operands])]

    # -- rules --------------------------------------------------------------------------------------------------------

    def _rule(self, planned: Planned, call: CNode) -> FuncGraph:
        """The graph that goes back over a call of an operator: it gets the sums, the results, and the operands that are not
        known."""
        entry, known = planned.entry, known_of(planned.operands)
        key = entry, planned.mask, known
        if key in self._rules:
            return self._rules[key]
        graph = self._rules[key] = FuncGraph(f"{entry.op.name}.back")
        sums = graph.parameter("sums")
        several = entry.is_tuple
        results: list[AnfNode] = [
            graph.parameter(f"out{i}" if several else "out", abstract=layout.type)
            for i, layout in enumerate(entry.outputs)
        ]
        operands: list[AnfNode] = [
            graph.parameter(name, abstract=node.abstract) if varies(each) else node
            for name, node, each in zip(_names(entry), planned.operands, known)
        ]

        def choose(graph: Graph, came: list[AnfNode | None], sums: AnfNode) -> None:
            """Go on with what has come to the results that were not looked at yet."""
            if len(came) == len(results):
                self._add_up(graph, sums, operands, results, planned, came)
                return
            out = results[len(came)]
            gradient = graph.apply(GRADIENT_OF, sums, out, abstract=out.abstract)
            without, with_it = FuncGraph("absent"), FuncGraph("present")
            choose(without, [*came, None], sums)
            choose(with_it, [*came, gradient], with_it.apply(WITHOUT_GRADIENT, sums, out))
            chosen = graph.apply(switch, graph.apply(_IS, gradient, None), without, with_it)
            graph.output = graph.apply(chosen)

        choose(graph, [], sums)
        return graph

    def _add_up(
        self, graph: Graph, sums: AnfNode, operands: list[AnfNode], results: list[AnfNode], planned: Planned,
        came: list[AnfNode | None],
    ) -> None:  # fmt: skip
        if any(came):
            for i, gradient in _rule(planned, came).write(_Unplanned(graph), [*operands, *results], came):
                sums = graph.apply(self._adding(_type(gradient)), sums, operands[i], gradient)
        graph.output = sums

    def _adding(self, kind: TensorType) -> FuncGraph:
        """The graph that adds to the gradient of a tensor; the first to come is taken as it is."""
        if (add, kind) in self._rules:
            return self._rules[add, kind]
        graph = self._rules[add, kind] = FuncGraph("add_to")
        sums, x = graph.parameter("sums"), graph.parameter("x", abstract=kind)
        gradient = graph.parameter("g", abstract=kind)
        before = graph.apply(GRADIENT_OF, sums, x, name="before", abstract=kind)
        first, more = FuncGraph("first"), FuncGraph("more")
        first.output = first.apply(WITH_GRADIENT, sums, x, gradient)
        more.output = more.apply(WITH_GRADIENT, sums, x, more.apply(add, before, gradient, abstract=kind))
        graph.output = graph.apply(graph.apply(switch, graph.apply(_IS, before, None), first, more))
        return graph

    def found(self, kind: TensorType) -> FuncGraph:
        """The graph that gives the gradient of a tensor to who has asked for it: zeros where none has come."""
        if (full, kind) in self._rules:
            return self._rules[full, kind]
        graph = self._rules[full, kind] = FuncGraph("found")
        sums, x = graph.parameter("sums"), graph.parameter("x", abstract=kind)
        gradient = graph.apply(GRADIENT_OF, sums, x, name="g", abstract=kind)
        absent, present = FuncGraph("absent"), FuncGraph("present")
        absent.output = _filled(absent, kind, 0)
        present.output = present.apply(copy, gradient, abstract=kind)
        graph.output = graph.apply(graph.apply(switch, graph.apply(_IS, gradient, None), absent, present))
        return graph


# -- both --------------------------------------------------------------------------------------------------------------


def _rule(planned: Planned, came: Sequence[AnfNode | None]) -> Rule:
    entry = planned.entry
    layouts = tuple([None if node is None else layout.type.contiguous for node, layout in zip(came, entry.outputs)])
    return rule_of(entry, planned.mask, known_of(planned.operands), layouts)


class _Unplanned:
    """Writes the calls of a rule into a graph of the language.

    Args:
        graph: that.
        span: of the call that the gradient is of.
    """

    def __init__(self, graph: Graph, span: Span | None = None) -> None:
        self.graph, self.span = graph, span

    def call(self, entry: Entry, operands: Sequence[AnfNode]) -> Sequence[AnfNode]:
        function, *arguments = arguments_of(self.graph, entry, operands)
        types = tuple([layout.type for layout in entry.outputs])
        call = self.graph.apply(function, *arguments, abstract=types if entry.is_tuple else types[0], span=self.span)
        if not entry.is_tuple:
            return (call,)
        return [self.graph.apply(_GETITEM, call, i, abstract=kind) for i, kind in enumerate(types)]

    def number(self, number: IncomingNumber, values: Sequence[Any]) -> AnfNode:
        return as_node(self._number(number.origin, values))

    def _number(self, origin: Any, values: Sequence[Any]) -> Any:
        if not isinstance(origin, Origin):
            return origin
        if origin.kind == "slot":
            return values[origin.key]
        parts = [self._number(part, values) for part in origin.base]
        return self.graph.apply(primitive_of(origin.key, len(parts)), *parts)


def _parts(graph: Graph, planned: Planned, made: AnfNode) -> list[AnfNode]:
    """The nodes of the results of a call of an operator."""
    if not planned.entry.is_tuple:
        return [made]
    return [graph.apply(_GETITEM, made, i, abstract=layout.type) for i, layout in enumerate(planned.entry.outputs)]


def _copied(
    graph: Graph, call: CNode, of: dict[AnfNode, AnfNode], given: Callable[[AnfNode], AnfNode] | None = None
) -> CNode:
    """The same call in another graph."""
    inputs = [of.get(x, x) if given is None else given(x) for x in call.inputs]
    return graph.apply(*inputs, name=call.name, abstract=call.abstract, span=call.span)


def _filled(graph: Graph, kind: TensorType, value: int) -> CNode:
    return graph.apply(full, kind.shape, value, kind.dtype, abstract=kind)


def _names(entry: Any) -> list[str]:
    """What the operands of a call are called."""
    names = entry.owners()
    return [name if names.count(name) == 1 else f"{name}{names[:i].count(name)}" for i, name in enumerate(names)]
