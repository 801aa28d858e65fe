"""What a gradient goes through: the nodes of a program whose values depend on what is differentiated by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from anfora.core.abstract import Layout, TensorType
from anfora.core.errors import AnforaError
from anfora.core.op import Op, Weak, registry
from anfora.core.tensor import Tensor
from anfora.eager.entry import Entry, entry_for, freeze
from anfora.graph.gradient.rules import OnlyARunCanTell
from anfora.graph.gradient.sums import GRADIENT_OF, ONES_FOR, PART, WITH_GRADIENT, WITHOUT_GRADIENT
from anfora.graph.ir.nodes import AnfNode, CNode, Graph, GraphError, Parameter, ValueNode, describe
from anfora.graph.ir.primitives import PRIMITIVES, partial, return_, switch
from anfora.graph.ir.structure import Structure, graph_of, is_state
from anfora.graph.passes.planning import operands_of

__all__ = ["Activity", "Planned", "calls_graph", "is_item"]

#: Functions that hand on what they are given, or a part of it, and compute nothing.
_HANDING_ON = {
    return_, partial, switch, GRADIENT_OF, WITH_GRADIENT, WITHOUT_GRADIENT, PART,
    *(PRIMITIVES[name] for name in ("make_tuple", "make_list", "make_dict", "getitem", "depend", "unpack")),
}  # fmt: skip
#: Functions whose result no gradient goes to.
_ASKING = {ONES_FOR, *(PRIMITIVES[name] for name in (
    "is", "is_not", "not", "eq", "ne", "lt", "le", "gt", "ge", "in", "not_in", "update_state",
))}  # fmt: skip
_MAKE_TUPLE, _GETITEM, _RECORD = (PRIMITIVES[name] for name in ("make_tuple", "getitem", "record"))


class Planned:
    """A call of an operator, planned for the types of its operands.

    Attributes:
        entry: what follows from the types.
        operands: the tensors and numbers, in a row.
        mask: which of them a gradient goes to.
    """

    def __init__(self, entry: Entry, operands: tuple[AnfNode, ...]) -> None:
        self.entry, self.operands, self.mask = entry, operands, 0


class Activity:
    """The active nodes of a program.

    Args:
        structure: of the program.
        wanted: the parameters that are differentiated by.
    Attributes:
        active: the nodes that a gradient may go to.
        planned: the calls of operators that are active.
    Raises:
        OnlyARunCanTell: a function that is no operator computes with active values, a type is not known, or something is
            written in place on the way.
    """

    def __init__(self, structure: Structure, wanted: Iterable[Parameter]) -> None:
        self.structure = structure
        self.active: set[AnfNode] = set(wanted)
        self.planned: dict[CNode, Planned] = {}
        self._written: dict[AnfNode, CNode] = {}  #: what is written in place, and by whom
        #: The graphs that somebody may call who is not known.
        self._values = [graph for graph in structure.graphs if graph in _used_as_values(structure)]
        calls = [call for graph in structure.graphs for call in structure.schedules[graph]]
        #: Whether what is called may be a function that is no graph of the program.
        self._has_other_functions = any(each.abstract is None for each in structure.root.parameters) or any(
            map(_may_give_function, calls)
        )
        before = -1
        while before < len(self.active):  # graphs may call each other
            before = len(self.active)
            for call in calls:
                self._spread(call)
        self._check_writes()
        self._leave_out(calls)

    def _check_writes(self) -> None:
        """What is written in place must have nothing to do with the gradient: it was something else before."""
        if not self._written:
            return
        written = {_root(node): call for node, call in self._written.items()}
        used = {x: call for call, planned in self.planned.items() if planned.mask for x in (*planned.operands, call)}
        for node, call in [(node, call) for node, call in written.items() if node in self.active] + [
            (node, written[_root(node)]) for node in used if _root(node) in written
        ]:
            raise OnlyARunCanTell(
                f"{_short(node)} is written in place, and a gradient goes through it: {describe(call)}"
            )

    def _leave_out(self, calls: list[CNode]) -> None:
        """Leave out the operators to whose results no gradient can come: only conditions need them, say."""
        users: dict[AnfNode, list[CNode]] = {}
        for call in calls:
            for node in dict.fromkeys(call.inputs):
                users.setdefault(node, []).append(call)
        pending = dict.fromkeys(call for call in reversed(calls) if call in self.planned)
        while pending:
            call = next(iter(pending))
            del pending[call]
            if not any(self._hands_back(user, call) for user in users.get(call, ())):
                self.planned.pop(call)
                self.active.discard(call)
                pending.update(dict.fromkeys(x for x in call.args if isinstance(x, CNode) and x in self.planned))

    def _hands_back(self, user: CNode, call: CNode) -> bool:
        """Whether a gradient may come from what uses a call."""
        function = user.fn.value if isinstance(user.fn, ValueNode) else None
        if isinstance(function, Op):
            planned = self.planned.get(user)
            return planned is not None and any(
                planned.mask >> i & 1 for i, x in enumerate(planned.operands) if x is call
            )
        return function not in _ASKING and function is not GRADIENT_OF

    def _spread(self, call: CNode) -> None:
        """Find out what of a call is active, from what is known to be."""
        function = call.fn.value if isinstance(call.fn, ValueNode) else None
        graph = graph_of(call.fn)
        if graph is not None:
            self._pass_on(graph.parameters, call.args)
            if graph.output in self.active or self._is_active_closure(graph):
                self._add(call)
        elif calls_graph(call):
            if not self._is_graph(call.fn):
                raise _unknown(call)
            for graph in self._values:
                self._pass_on(graph.parameters[len(graph.parameters) - len(call.args) :], call.args)
            self._add(call)
        elif call.calls(_RECORD):
            raise _unknown(call)
        elif not any(map(self._is_active, call.args)):
            return
        elif isinstance(function, Op):
            self._compute(call, function)
        elif function in _HANDING_ON:
            if function is partial:
                self._bind(call)
            if function is _GETITEM and isinstance(call.args[0].abstract, TensorType) and not is_item(call):
                raise _unknown(call)
            self._add(call)
        elif function not in _ASKING:
            raise _unknown(call)

    def _is_graph(self, callee: AnfNode) -> bool:
        """Whether what is called there can be nothing but a graph of the program."""
        if isinstance(callee, CNode) and callee.calls(switch):
            return all(map(self._is_graph, callee.args[1:]))
        if isinstance(callee, CNode) and callee.calls(partial):
            return self._is_graph(callee.args[0])
        return graph_of(callee) is not None or not self._has_other_functions

    def _is_active(self, node: AnfNode) -> bool:
        graph = graph_of(node)
        return node in self.active if graph is None else self._is_active_closure(graph)

    def _is_active_closure(self, graph: Graph) -> bool:
        return not self.active.isdisjoint(self.structure.free[graph])

    def _add(self, node: AnfNode) -> None:
        """A value that comes from somewhere is active, unless its type says that it has no gradient."""
        kind = node.abstract
        if not (isinstance(kind, Weak) or (isinstance(kind, TensorType) and not kind.dtype.is_inexact)):
            self.active.add(node)

    def _pass_on(self, parameters: Sequence[Parameter], values: Sequence[AnfNode]) -> None:
        for parameter, value in zip(parameters, values):
            if self._is_active(value):
                self._add(parameter)

    def _bind(self, call: CNode) -> None:
        graph, values = graph_of(call.args[0]), call.args[1:]
        for each in self._values if graph is None else (graph,):
            self._pass_on(each.parameters, values)

    def _compute(self, call: CNode, op: Op) -> None:
        planned = self.planned.get(call)
        if planned is None:
            planned = self.planned[call] = _plan(call, op)
        entry = planned.entry
        planned.mask = entry.followed & sum(1 << i for i, x in enumerate(planned.operands) if x in self.active)
        for i in entry.numbers:
            planned.mask &= ~(1 << i)
        if op.writes is not None:
            self._written.update((planned.operands[i], call) for i in entry.written)
        if planned.mask:
            self.active.add(call)


def _root(node: AnfNode) -> AnfNode:
    """What a node is a view of, or the node itself."""
    while isinstance(node, CNode) and isinstance(node.fn, ValueNode) and isinstance(node.fn.value, Op):
        if node.fn.value.view_rule is None:
            break
        node = node.args[0]
    return node


def _short(node: AnfNode) -> str:
    return f"%{node.name}" if node.name else "a tensor"


def _used_as_values(structure: Structure) -> set[Graph]:
    found: set[Graph] = set()
    for graph in structure.graphs:
        for call in structure.schedules[graph]:
            found.update(each for each in map(graph_of, call.args) if each is not None)
    return found


def _may_give_function(call: CNode) -> bool:
    """Whether a function may come into the program by a call: as a constant, or as what something unknown gives."""
    if any(isinstance(x, ValueNode) and callable(x.value) and graph_of(x) is None for x in call.args):
        return True
    function = call.fn.value if isinstance(call.fn, ValueNode) else None
    is_known = calls_graph(call) or isinstance(function, Op) or function in _HANDING_ON or function in _ASKING
    return not is_known and call.abstract is None


def calls_graph(call: CNode) -> bool:
    """Whether a call goes into a graph of the program: a known one, or one that comes as a value."""
    return graph_of(call.fn) is not None or not isinstance(call.fn, ValueNode)


def is_item(call: CNode) -> bool:
    """Whether a call takes a known item of what an operator has given, or of a tuple that is made."""
    source = call.args[0]
    is_known = isinstance(call.args[1], ValueNode) and type(call.args[1].value) is int
    return is_known and isinstance(source, CNode) and isinstance(source.fn, ValueNode) and (
        source.calls(_MAKE_TUPLE) or (isinstance(source.fn.value, Op) and isinstance(source.abstract, tuple))
    )  # fmt: skip


class _Layouts(dict[AnfNode, Layout]):
    """How tensors of known types lie in memory: in a row."""

    def get(self, node: AnfNode, default: Any = None) -> Layout | None:  # type: ignore[override]
        kind = node.abstract
        return kind.contiguous if isinstance(kind, TensorType) else default


def _plan(call: CNode, op: Op) -> Planned:
    inputs, attributes = op.bind(tuple([_given(x) for x in call.args if not is_state(x)]), {})
    given = [x for value in inputs for x in (value if isinstance(value, list) else (value,))]
    for x in given:
        if isinstance(x, AnfNode) and not isinstance(x, ValueNode) and not isinstance(x.abstract, (TensorType, Weak)):
            raise OnlyARunCanTell(f"the type of an argument is not known: {describe(call)}")
    keys, operands = operands_of(op, inputs, _Layouts())
    try:
        entry = entry_for(op, keys, tuple((name, freeze(value)) for name, value in attributes.items()))
    except AnforaError as error:
        raise GraphError(f"{describe(call)}: {error.message}") from error
    if entry.sentence is not None or registry.get(op.name) is not op:  # none of the program's own
        raise _unknown(call)
    return Planned(entry, operands)


def _given(node: AnfNode) -> Any:
    if isinstance(node, ValueNode):
        return node if isinstance(node.value, Tensor) else node.value
    return [_given(item) for item in node.args] if isinstance(node, CNode) and node.calls(_MAKE_TUPLE) else node


def _unknown(call: CNode) -> OnlyARunCanTell:
    return OnlyARunCanTell(
        f"what computes with what is differentiated by is no operator of known types: {describe(call)}"
    )
