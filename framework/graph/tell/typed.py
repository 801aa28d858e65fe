"""A recorded program as typed MindIR: what graph mode will do, as a program that can be read, verified, drawn and run.

    typed(program)                    one closed graph for each form of call

Each way in which a program has gone on from a moment of it (a variant) is a FuncGraph of its own, whose parameters are what
is alive then. Its rows are calls of operators, with types and lines. A hop is a call of `interpret`; what comes after it is
a call of the next graph. Where outcomes differ, `switch` chooses between the graphs behind True and False, and `by_outcome`
between others; where a moment has several variants, `by_guards` chooses. What has not happened yet is `record`.

    interpret(text, reason, names, f, …)  f(…) by Python; `names` are those of the last arguments
    attempt(text, reason, names, f, …)    the same, and gives an Outcome: the program goes on behind an exception, too
    spread((f, args, kwargs))             f(*args, **kwargs)
    by_outcome(outcome, cases, …)         the function behind an outcome
    by_guards(values, guards, …)          the function whose guards hold for the values
    draw(n)                               seed and offset for random numbers; the stream moves on by n counters
    under(switches, f, …)                 f(…), with the tape on or off, and mixed precision as it was there
    untaped(f, …)                         f(…), without the tape
    attempted(f, …)                       f(…), an operator whose error the program would catch; that is not recorded
    leaf(x)                               x, which requires a gradient from here on
    leave_nodes(n)                        nodes of the program's own stand on the tape among those of the rows
    record()                              the program has not been here: it is recorded when it comes

Guards are no nodes: they are listed beside their graph (`Typed.guards`). The evaluator (evaluate.py) runs such a graph to
the results of the program, effects included.
"""

from __future__ import annotations

import itertools
import operator
import re
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anfora.core.cell import Cell
from anfora.core.errors import AnforaError, OpRuntimeError
from anfora.core.op import Weak
from anfora.core.tensor import Tensor, current, wrap
from anfora.eager.tape import no_grad
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.known import is_plain_key
from anfora.graph.facts.origins import Origin
from anfora.graph.facts.table import fact_of
from anfora.graph.ir import PRIMITIVES, Abstract, AnfNode, CNode, FuncGraph, Parameter, Primitive, ValueNode
from anfora.graph.ir.nodes import Graph
from anfora.graph.ir.planned import OperatorCall, arguments_of, call_behind, is_scalar
from anfora.graph.ir.primitives import U
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.text import Labels
from anfora.graph.ir.values import printable
from anfora.graph.lower import lower
from anfora.graph.lower.arena import Kind, arrange
from anfora.graph.lower.fusion import _Grouping, fuse
from anfora.graph.lower.ranges import Jump
from anfora.graph.machine.switches import Switches, switches
from anfora.graph.passes.inline import inline_single_calls
from anfora.graph.run.compiled import Program
from anfora.graph.run.guards import told_apart_at_once
from anfora.graph.run.leaving import released
from anfora.graph.run.pieces import _draw
from anfora.graph.run.points import Hop, Point, Return, Same, Variant
from anfora.graph.state.images import Image, build
from anfora.graph.state.moments import Outcome, Piece, key_of
from anfora.graph.tell.wording import (
    Names,
    first_failing,
    form_of,
    guard_text,
    hop_span,
    is_raised,
    name_of,
    outcome_text,
    position_span,
    span_text,
    variables_of,
)
from anfora.ops import stop_gradient

__all__ = ["Globals", "NativePlan", "Typed", "lowered", "typed"]


# -- functions of this form of the IR ---------------------------------------------------------------------------------


def _attempt(text: str, reason: str, names: tuple, function: Callable, *args: Any) -> Outcome:
    try:
        return Outcome(PRIMITIVES["interpret"].function(text, reason, names, function, *args))
    except BaseException as error:
        return Outcome(error=error)


def _spread(call: tuple) -> Any:
    function, args, kwargs, *_ = call
    return function(*args, **kwargs)


def _write(calls: tuple) -> None:
    for operation, args in calls:
        operation(*args)


def _by_outcome(outcome: Any, cases: Cases, *functions_and_values: Any) -> Callable:
    functions, values = functions_and_values[: len(cases.keys)], functions_and_values[len(cases.keys) :]
    live: Any = dict(zip(cases.slots, values))
    key, _ = cases.hop.edge(live, outcome if type(outcome) is Outcome else Outcome(outcome))
    return functions[cases.keys.index(key)] if key in cases.keys else _record


def _by_guards(values: tuple, guards: Guards, *functions: Callable) -> Callable:
    for piece, function in zip(guards.pieces, functions):
        if first_failing(piece.guards, values) is None:
            return function
    return _record


def _under(switch: Switches, function: Callable, *args: Any) -> Any:
    before = switches()
    switch.turn()
    try:
        return (function.function if isinstance(function, Primitive) else function)(*args)
    finally:
        before.turn()


def _untaped(function: Callable, *args: Any) -> Any:
    with no_grad():
        return function(*args)


def _attempted(function: Callable, *args: Any) -> Any:
    try:
        return function(*args)
    except AnforaError:
        return _record()


def _leave_nodes(count: int) -> None:
    raise NotImplementedError("evaluating a piece that leaves nodes of the program's own on a tape outside")


def _record(*_: Any) -> None:
    raise OpRuntimeError(
        "the program has not been recorded here", help="run the compiled function with these arguments."
    )


for _primitive in (
    Primitive("attempt", _attempt, 4, None),
    Primitive("spread", _spread, 1, 1),
    Primitive("by_outcome", _by_outcome, 2, None),
    Primitive("by_guards", _by_guards, 2, None),
    Primitive("record", _record, 0, None),
    Primitive("draw", _draw, 1, 1),
    Primitive("under", _under, 2, None),
    Primitive("untaped", _untaped, 1, None),
    Primitive("attempted", _attempted, 1, None),
    Primitive("leaf", Tensor.requires_grad_, 1, 1),
    Primitive("leave_nodes", _leave_nodes, 1, 1),
    Primitive("write", _write, 1, 1),
):
    PRIMITIVES[_primitive.name] = _primitive


class Cases:
    """The outcomes of a hop that were seen; `slots` hold values that were one object with others."""

    def __init__(self, hop: Hop) -> None:
        self.hop, self.keys = hop, list(hop.edges)
        pairs = [pair for key in self.keys if type(key) is Same for pair in key.pairs]
        self.slots = sorted({place for pair in pairs for place in pair if type(place) is int})

    def __repr__(self) -> str:
        return " | ".join(map(outcome_text, self.keys))


class Guards:
    """The guards of pieces that start from one moment."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = list(pieces)

    def __repr__(self) -> str:
        return f"guards of {len(self.pieces)} variants"


class Arrangement:
    """Objects that a program makes of its values: lists that it shares, functions, objects of its classes.

    Args:
        image: the pattern.
        slots: which of its slots the arguments stand in.
        wanted: by number, which of the objects that are made are given too, behind the whole.
    """

    def __init__(self, image: Image, slots: Sequence[int], wanted: Sequence[int] = ()) -> None:
        self.image, self.slots, self.wanted = image, tuple(slots), tuple(wanted)

    def __call__(self, *values: Any) -> Any:
        made: list[Any] = []
        whole = released(build(self.image, dict(zip(self.slots, values)), made), made)  # type: ignore[arg-type]
        return (whole, *(made[number] for number in self.wanted)) if self.wanted else whole

    def __repr__(self) -> str:
        return f"arrangement: {self.image[0]}"


class Globals:
    """The variables of a module that is known by them alone."""

    def __init__(self, variables: dict) -> None:
        self.variables = variables

    def __getitem__(self, name: Any) -> Any:
        return self.variables[name]

    def __repr__(self) -> str:
        return f"the variables of {self.variables.get('__name__', 'a module')}"


# -- lowering, as it can be seen --------------------------------------------------------------------------------------


class NativePlan:
    """How a piece is run natively: its calls behind all passes (graph/passes).

    Attributes:
        rows: the calls of operators.
        groups: those that share a loop, by their indices; those in no group have loops of their own.
        alive: those that are run at all: views cost nothing.
        tasks: how many loops and kernels there are.
        arena: bytes for what lies between.
        places: where values lie, in words.
        results: for values of the piece that are wanted, what gives them.
    """

    def __init__(self, variant: Variant) -> None:
        piece = variant.piece
        segment, wanted = variant.runner.segment()
        self.rows = segment.rows
        self._values: dict[AnfNode, AnfNode] = dict(zip(segment.graph.parameters, (*piece.inputs, *piece.numbers)))
        self.results = {value: self.recorded(node) for value, node in zip(wanted, segment.outputs)}
        lowering = lower.Lowering(segment.inputs, segment.rows, segment.outputs)
        groups, _ = _Grouping(lowering.tasks, self.rows).run()
        distinct = {id(group): group for group in groups.values() if len(group.members) > 1}
        # Tasks of no row copy constants that are written; some rows have two tasks.
        found = [sorted({lowering.tasks[i].row for i in group.members} - {-1}) for group in distinct.values()]
        self.groups = [group for group in found if len(group) > 1]
        self.alive = {task.row for task in lowering.tasks}
        tasks = fuse(lowering.tasks, self.rows)
        used = {place.root for task in tasks for place in (*task.inputs, *task.outputs) if place is not None}
        self.tasks = len(tasks)
        self.arena, _ = arrange(tasks)
        self.places = {
            self.recorded(value): _place_text(place, place.root in used) for value, place in lowering.values.items()
        }

    def recorded(self, node: AnfNode) -> AnfNode:
        """The value of the piece that a node stands for; the node itself if it is of a pass."""
        call = call_behind(node)
        if isinstance(call, OperatorCall):
            return call.recorded if call is node else call.recorded.results[call.results.index(node)]  # type: ignore[arg-type]
        return self._values.get(node, node)


def lowered(variant: Variant) -> NativePlan | None:
    """How a variant is run natively; None where it is run row by row, because the tape follows it."""
    return None if variant.runner.is_one_by_one or not variant.piece.rows else NativePlan(variant)


def _made(origins: Sequence[Origin]) -> list[Origin]:
    """The tensors that are wanted at the end of a piece, and those that they are views of."""
    made = [origin for origin in origins if origin.kind == "made"]
    for origin in made:
        if origin.base is not None and origin.base[0].kind == "made":
            made.append(origin.base[0])
    return made


_UNKNOWN = object()


def _of_the_program(origin: Origin, known: Mapping[int, Any], changed: set[Any]) -> Any:
    """What an origin gives without the arguments of the call: in globals, closures, in what stands in slots each time, and
    in what hangs on these; `_UNKNOWN` if it needs them, or the call may change it.

    Args:
        known: what stands in slots each time.
        changed: see `_changed_by`.
    """
    if origin.kind == "known":
        return origin.key
    if origin.kind == "slot":
        return known.get(origin.key, _UNKNOWN)
    is_changed = origin.key in changed or (origin.kind == "item" and _ITEMS in changed)
    if origin.kind not in ("attr", "item") or is_changed:
        return _UNKNOWN
    base = _of_the_program(origin.base, known, changed)
    if base is _UNKNOWN:
        return _UNKNOWN
    return getattr(base, origin.key) if origin.kind == "attr" else base[origin.key]


_ITEMS = object()  #: that any item may be another one


def _changed_by(program: Program) -> set[Any]:
    """The names and keys under which a program puts something else into what is outside, whatever that is."""
    found: set[Any] = set()
    for point in (*program.entries.values(), *program.points.values()):
        for variant in point.variants:
            if variant.written is None:
                continue
            for _, (operation, args) in variant.written.image[1]:
                fact = fact_of(operation[1]) if operation[0] == "is" else None
                puts = None if fact is None else fact.puts
                if puts == "variable":
                    found.add("cell_contents")
                    continue
                place = None
                if puts in ("attribute", "item"):
                    place = args[1][1] if args[0] == "tuple" else ("is", args[1][1])
                found.add(place[1] if place is not None and place[0] == "is" and is_plain_key(place[1]) else _ITEMS)
    return found


def _known_slots(entry: Point, changed: set[Any]) -> dict[int, dict[int, Any]]:
    """Of the moments behind one where calls start, by identity, the slots in which the same Cell stands each time."""
    found: dict[int, dict[int, Any]] = {id(entry): {}}
    pending = [entry]
    while pending:
        point = pending.pop()
        for variant in point.variants:
            edges = {} if isinstance(variant.end, Return) else variant.end.edges
            for target, places in edges.values():
                values = [
                    _of_the_program(variant.runner.origins[place], found[id(point)], changed)
                    if isinstance(place, int)
                    else None
                    for place in places
                ]
                here: dict[int, Any] = {i: value for i, value in enumerate(values) if is_a(value, Cell)}
                before = found.get(id(target))
                if before is not None:
                    here = {i: value for i, value in before.items() if here.get(i) is value}
                if here != before:
                    found[id(target)] = here
                    pending.append(target)
    return found


def _is_made_late(origin: Origin) -> bool:
    """Whether a value comes from what is made for a hop or a write."""
    if origin.kind in ("built", "kept"):
        return True
    bases = origin.base if origin.kind == "number" else (origin.base,)
    return any(isinstance(base, Origin) and _is_made_late(base) for base in bases)


def _place_text(place: Any, is_used: bool) -> str:
    root, offset, layout = place
    nbytes = layout.size * layout.dtype.itemsize
    if root.kind is Kind.ARENA:
        if not is_used:
            return "registers"
        return f"arena {root.at + root.origin + offset} … {root.at + root.origin + offset + nbytes}"
    where = _WHERE[root.kind]
    return f"{where}, from byte {offset}" if offset else where


_WHERE = {Kind.INPUT: "input", Kind.CONSTANT: "constant", Kind.FRESH: "new array", Kind.PYTHON: "array of Python"}


# -- graphs -----------------------------------------------------------------------------------------------------------


class Typed:
    """A program as a graph.

    Attributes:
        graph: the graph in which a call starts.
        inputs: tensors of the program that are parameters of the graph, behind those of the call, by name.
        guards: by graph, what must hold, in words.
        variants: by graph, what was recorded.
        places: by graph, where its values lie when it runs natively; of lowered graphs.
    """

    def __init__(self, graph: FuncGraph) -> None:
        self.graph = graph
        self.inputs: dict[str, Tensor] = {}
        self.guards: dict[Graph, list[str]] = {}
        self.variants: dict[Graph, Variant] = {}
        self.places: dict[Graph, list[tuple[AnfNode | None, str]]] = {}

    def __str__(self) -> str:
        return self.annotated(str(self.graph))

    def annotated(self, text: str, listed: str = "") -> str:
        """A text of the graph, `readable` or `complete`, with comments where each graph begins: its guards, or where its
        values lie.

        Args:
            listed: the file in which the guards are; then only their number is told.
        """
        labels = Labels(Structure(self.graph))
        comments: dict[str, list[str]] = {}
        for graph, guards in self.guards.items():
            told = [f"guard: {guard}" for guard in guards]
            if listed and guards:
                told = [f"{len(guards)} guard{'s' * (len(guards) > 1)}: see {listed}"]
            comments[f"subgraph {labels.graphs[graph]}"] = told
        for graph, places in self.places.items():
            comments[f"subgraph {labels.graphs[graph]}"] = [
                place if node is None else f"{labels.of(node, graph)}: {place}"
                for node, place in places
                if node is None or node in labels.calls or node in labels.parameters
            ]
        lines = []
        waiting: list[str] = []
        for line in text.split("\n"):
            lines.append(line)
            found = re.match(r"subgraph @[^\s(]+", line)
            if found:
                waiting = [f"  # {printable(comment)}" for comment in comments.get(found[0], ())]
            if line.endswith("{"):
                lines += waiting
                waiting = []
        return "\n".join(lines)


def typed(
    program: Program, *, fused: bool = False, guarded: bool = False, lifted: bool = False, fixed: bool = False
) -> list[Typed]:
    """The graphs of a recorded program.

    Args:
        program: of a compiled function or Cell.
        fused: rows that share a loop become functions of their own, as they are lowered.
        guarded: guards are asked also where a moment has one variant: what has not been recorded raises, instead of being
            taken for what has.
        lifted: tensors that the program finds by itself, its weights say, are parameters.
        fixed: numbers and texts that it finds by itself are what they are now.
    Returns:
        one for each form of call (number of arguments, keywords, tape on or off) that has been recorded.
    """
    return [
        _Builder(program, key, point, fused, guarded, lifted, fixed).build() for key, point in program.entries.items()
    ]


class _Builder:
    """Makes the graphs of one form of call."""

    def __init__(
        self, program: Program, key: Sequence[Any], point: Point, fused: bool, guarded: bool, lifted: bool, fixed: bool
    ) -> None:
        self.program, self.key, self.fused, self.guarded = program, key, fused, guarded
        self.lifted, self.fixed = lifted, fixed
        self.inputs: dict[int, tuple[Tensor, Parameter]] = {}  #: tensors that are parameters, by identity
        self.entry = point
        self.changed = _changed_by(program) if lifted or fixed else set()
        #: Of moments, by identity, the slots in which the same object of the program stands each time.
        self.known = _known_slots(point, self.changed) if lifted else {}
        self.name = name_of(program)
        self.graphs: dict[int, FuncGraph] = {}
        self.kept: list[Any] = []
        self.typed = Typed(FuncGraph(self.name))
        self.waiting: list[Callable[[], None]] = []

    def build(self) -> Typed:
        count, keywords = form_of(self.key)
        names = Names.at_entry(self.program, self.key)
        self.typed.graph = self.graph_of(self.entry, self.name, names, count + len(keywords))
        while self.waiting:
            self.waiting.pop(0)()
        for outer, inner in inline_single_calls(self.typed.graph, self.typed.variants):
            if inner in self.typed.guards:
                self.typed.guards.setdefault(outer, []).extend(self.typed.guards.pop(inner))
            if inner in self.typed.places:
                self.typed.places.setdefault(outer, []).extend(self.typed.places.pop(inner))
            self.typed.variants.pop(inner, None)
        if self.inputs:
            self._lift()
        return self.typed

    def input(self, tensor: Tensor, wish: str) -> AnfNode:
        """The parameter that stands for a tensor of the program."""
        if id(tensor) not in self.inputs:
            tries = itertools.chain([wish], (f"{wish}~{number}" for number in itertools.count(2)))
            name = next(name for name in tries if name not in self.typed.inputs)
            self.typed.inputs[name] = tensor
            layout = current(tensor)._layout
            self.inputs[id(tensor)] = tensor, Parameter(None, name, layout.type, None)  # type: ignore[arg-type]
        return self.inputs[id(tensor)][1]

    def _lift(self) -> None:
        """Give the graph in which calls start the tensors as parameters; where something leads back to it, a graph around
        it has them."""
        start = self.typed.graph
        inputs = [parameter for _, parameter in self.inputs.values()]
        structure = Structure(start)
        if any(start in used for used in structure.used.values()):
            outer = FuncGraph(start.name)
            given = [outer.parameter(p.name, abstract=p.abstract) for p in start.parameters]
            outer.output = outer.apply(start, *given)
            self.typed.graph = outer
        for parameter in inputs:
            parameter.graph = self.typed.graph
        self.typed.graph._parameters += tuple(inputs)

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
        types_of = [_types_of_slots(variant.piece) for variant in variants]
        for i in range(count):
            if i in self.known_at(point):
                continue
            kinds = [types_.get(i) for types_ in types_of]
            same = bool(kinds) and all(kind == kinds[0] for kind in kinds)
            graph.parameter(names.slots.get(i), abstract=kinds[0] if same else None)

    def _fill(self, graph: FuncGraph, point: Point, names: Names, count: int) -> None:
        if len(point.variants) == 1 and not self.guarded:
            _Body(self, graph, point, point.variants[0], names).build()
            return
        if not point.variants:
            graph.output = graph.apply(PRIMITIVES["record"])
            return
        chosen = []
        for variant in point.variants:
            own = FuncGraph(graph.name)
            self._parameters(own, point, [variant], names, count)
            self.waiting.append(_Body(self, own, point, variant, names).build)
            chosen.append(own)
        known, given = self.known_at(point), iter(graph.parameters)
        slots = [ValueNode(known[i]) if i in known else next(given) for i in range(count)]
        values = graph.apply(PRIMITIVES["make_tuple"], *slots)
        guards = Guards([variant.piece for variant in point.variants])
        function = graph.apply(PRIMITIVES["by_guards"], values, guards, *chosen)
        graph.output = graph.apply(function, *graph.parameters)


def _types_of_slots(piece: Piece) -> dict[int, Abstract]:
    """What the guards of a piece say of the values it starts from."""
    found: dict[int, Abstract] = {}
    for kind, origin, payload in piece.guards:
        if origin.kind == "slot":
            if kind == "layout":
                found[origin.key] = payload.type
            elif kind in ("type", "number") and payload in (bool, int, float):
                found[origin.key] = Weak(payload)
            elif kind == "equal" and type(payload) in (bool, int, float):
                found[origin.key] = Weak(type(payload))
    return found


class _Body:
    """Fills the graph of one variant."""

    def __init__(self, builder: _Builder, graph: FuncGraph, point: Point, variant: Variant, names: Names) -> None:
        self.builder, self.graph, self.variant, self.names = builder, graph, variant, names
        self.known = builder.known_at(point)
        self.piece = variant.piece
        self.values: dict[AnfNode, AnfNode] = {}  #: by node of the piece
        self.origins: dict[int, AnfNode] = {}
        self.built: dict[int, AnfNode] = {}
        self.kept: dict[int, AnfNode] = {}  #: what writes have put somewhere
        self.effects: list[AnfNode] = []
        self.called = self._names_of_values()
        self.shape: NativePlan | None = None
        self.positions: dict[OperatorCall, int] = {}  #: of the rows in the piece
        #: Values with a history for who evaluates the graph; and those among them that have none in the program.
        self.followed: set[AnfNode] = set()
        self.cut: set[AnfNode] = set()
        self.stopped: dict[tuple[FuncGraph, AnfNode], AnfNode] = {}  #: behind `stop_gradient`

    def build(self) -> None:
        builder, graph, piece = self.builder, self.graph, self.piece
        builder.typed.guards[graph] = list(
            dict.fromkeys(guard_text(guard, self.names) for guard in told_apart_at_once(piece.guards))
        )
        builder.typed.variants[graph] = self.variant
        for draw in piece.draws:
            place = graph.apply(PRIMITIVES["draw"], draw.counters)
            self.effects.append(place)
            self.origins[id(draw.seed)] = graph.apply(PRIMITIVES["getitem"], place, 0, name="seed", abstract=Weak(int))
            self.origins[id(draw.offset)] = graph.apply(
                PRIMITIVES["getitem"], place, 1, name="offset", abstract=Weak(int)
            )
        without_history = {id(origin) for kind, origin, has in piece.guards if kind == "history" and not has}
        for value, (origin, _) in piece.inputs.items():
            self.values[value] = self.origin(origin)
            if id(origin) not in without_history:
                self.followed.add(value)
        for value, (origin, _, _) in piece.numbers.items():
            self.values[value] = self.origin(origin)
        handed = {origin.key[0] for origin in _made(self.variant.runner.origins)}
        is_written = any(row.entry.op.writes is not None for row in piece.rows)
        for value, array in piece.constants.items():
            tensor: Any = ValueNode(wrap(array, piece.layouts[value]))
            if is_written or value in handed:  # it stays as it is: the program has a copy
                tensor = graph.apply(PRIMITIVES["load"], tensor, U, abstract=piece.layouts[value].type)
            self.values[value] = tensor
        self._rows()
        self._start_leaves(len(piece.rows))
        if piece.cuts:
            self.effects.append(graph.apply(PRIMITIVES["leave_nodes"], len(piece.cuts)))
        for origin in self.variant.runner.origins:  # before anything outside changes
            if not _is_made_late(origin):
                self.origin(origin)
        self._writes()
        end = self.variant.end
        if isinstance(end, Jump):
            function, args = self._joined(end)
            output: AnfNode = graph.apply(function, *args)
        else:
            output = self._hop(end) if isinstance(end, Hop) else self._image(end.image)
        used = _reachable_from(output)
        unused = [effect for effect in self.effects if effect not in used]
        graph.output = graph.apply(PRIMITIVES["depend"], output, *unused) if unused else output

    def _names_of_values(self) -> dict[AnfNode, str]:
        """The variables of the program that hold values of the piece when it ends."""
        found: dict[AnfNode, str] = {}
        end = self.variant.end
        if isinstance(end, (Hop, Jump)):
            for slot, name in variables_of(end.frames).items():
                origin = self.variant.runner.origins[slot]
                if origin.kind == "made":
                    found[origin.key[0]] = name
        return found

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _rows(self) -> None:
        rows = self.piece.rows
        self.positions = {row: index for index, row in enumerate(rows)}
        shape = self.shape = lowered(self.variant) if self.builder.fused else None
        if shape is None:
            for index, row in enumerate(rows):
                self._start_leaves(index)
                self._row(self.graph, row, self.values, self.effects)
            return
        groups, readers = _with_views(shape.groups, shape.rows), self._readers()
        for index, row in enumerate(shape.rows):
            self._start_leaves(self.positions.get(row.recorded, -1))
            group = groups.get(index)
            if group is not None and index == group[-1]:
                self._group([shape.rows[i] for i in group], set(group), readers)
            elif group is None and (index in shape.alive or self._is_alive_view(row)):
                self._row(self.graph, row, self.values, self.effects)
        for value, given in shape.results.items():
            if value not in self.values:
                self.values[value] = self._value(given, self.values)
        places = self.builder.typed.places[self.graph] = [
            (None, f"{shape.tasks} kernels and loops, {shape.arena} bytes of arena")
        ]
        places += [(self.values[value], place) for value, place in shape.places.items() if value in self.values]

    def _is_alive_view(self, row: OperatorCall) -> bool:
        return row.entry.view is not None and self._recorded(row.operands[0]) in self.values

    def _recorded(self, node: AnfNode) -> AnfNode:
        """The value of the piece that a node of its graph stands for, here or behind the passes."""
        return node if self.shape is None else self.shape.recorded(node)

    def _value(self, x: AnfNode, values: dict[AnfNode, AnfNode]) -> AnfNode:
        """The node of a value here; what a pass has computed is a constant."""
        return values[x] if x in values or not isinstance(x, ValueNode) else x

    def _row(self, graph: FuncGraph, row: OperatorCall, values: dict[AnfNode, AnfNode], effects: list[AnfNode]) -> None:
        entry = row.entry
        op = entry.op
        index = self.positions.get(row.recorded)
        leaves_node = index is not None and self.piece.switches[index] and not row.is_inner
        args = [self._recorded(x) for x in row.operands]
        results = [self._recorded(x) for x in row.results]
        if not self.followed.isdisjoint(args):
            self.followed.update(results)
            if not leaves_node:
                self.cut.update(results)

        def operand(i: int) -> Any:
            x = args[i]
            if is_scalar(x):
                return x.value  # type: ignore[attr-defined]
            node = self._value(x, values)
            return self._without_history(graph, x, node) if leaves_node and x in self.cut else node

        called = arguments_of(graph, entry, list(map(operand, range(len(args)))))
        variable = self.called.get(results[0]) if row.parts is None and results else None
        if op.writes is not None and not leaves_node and self.builder.entry.switch.tape:
            called = [PRIMITIVES["untaped"], *called]
        elif self.piece.is_tried and entry.may_fail:
            called = [PRIMITIVES["attempted"], *called]
        call = graph.apply(*called, name=variable, span=row.span, abstract=row.abstract)
        if row.acts:
            effects.append(call)
        if row.parts is None:
            values.update((value, call) for value in results)
            return
        for i, (part, value) in enumerate(zip(row.parts, results)):
            name = self.called.get(value)
            values[value] = graph.apply(PRIMITIVES["getitem"], call, i, name=name, abstract=part.abstract)

    def _start_leaves(self, index: int) -> None:
        """What requires a gradient from a row on."""
        for value, (start, _) in self.piece.leaves.items():
            node = self.values.get(value)
            if start <= index and node is not None and value not in self.followed:
                self.values[value] = self.graph.apply(PRIMITIVES["leaf"], node, abstract=node.abstract)
                self.effects.append(self.values[value])
                self.followed.add(value)

    def _without_history(self, graph: FuncGraph, value: AnfNode, node: AnfNode) -> AnfNode:
        found = self.stopped.get((graph, value))
        if found is None:
            found = self.stopped[graph, value] = graph.apply(stop_gradient, node, abstract=node.abstract)
        return found

    def _group(self, rows: Sequence[OperatorCall], group: set[int], readers: dict[AnfNode, set[int]]) -> None:
        """Rows that share a loop, as a function of their operands, which gives what others read."""
        own = dict.fromkeys(self._recorded(value) for row in rows for value in row.results)
        inner = FuncGraph(f"fused_{len(rows)}")
        values: dict[AnfNode, AnfNode] = {}
        operands: list[AnfNode] = []
        for x in dict.fromkeys(self._recorded(x) for row in rows for x in row.operands):
            if not is_scalar(x) and x not in own and (x in self.values or not isinstance(x, ValueNode)):
                outer = self.values[x]
                values[x] = inner.parameter(self.called.get(x), abstract=outer.abstract)
                operands.append(outer)
        writes: list[AnfNode] = []
        for row in rows:
            self._row(inner, row, values, writes)
        made = [value for value in own if readers.get(value, set()).difference(group)]
        abstract = tuple(values[value].abstract for value in made)
        result: AnfNode = (
            values[made[0]]
            if len(made) == 1
            else inner.apply(PRIMITIVES["make_tuple"], *(values[value] for value in made), abstract=abstract)
        )
        inner.output = inner.apply(PRIMITIVES["depend"], result, *writes, abstract=abstract) if writes else result
        call = self.graph.apply(inner, *operands, abstract=result.abstract)
        if writes:
            self.effects.append(call)
        if len(made) == 1:
            call.name = self.called.get(made[0])
            self.values[made[0]] = call
            return
        for i, value in enumerate(made):
            name = self.called.get(value)
            self.values[value] = self.graph.apply(PRIMITIVES["getitem"], call, i, name=name, abstract=abstract[i])

    def _readers(self) -> dict[AnfNode, set[int]]:
        """The rows that read each value; -1 for the end of the piece."""
        assert self.shape is not None
        readers: dict[AnfNode, set[int]] = {value: {-1} for value in self.shape.results.values()}
        for origin in _made(self.variant.runner.origins):
            readers[origin.key[0]] = {-1}
        for index, row in enumerate(self.shape.rows):
            for x in row.operands:
                readers.setdefault(self._recorded(x), set()).add(index)
        return readers

    # -- what comes from outside --------------------------------------------------------------------------------------

    def origin(self, origin: Origin) -> AnfNode:
        found = self.origins.get(id(origin))
        if found is None:
            found = self.origins[id(origin)] = self._origin(origin)
            self.builder.kept.append(origin)
        return found

    def _origin(self, origin: Origin) -> AnfNode:
        kind, key, base = origin.kind, origin.key, origin.base
        graph = self.graph
        if self.builder.lifted or self.builder.fixed:
            found = _of_the_program(origin, self.known, self.builder.changed)
            if self.builder.lifted and isinstance(found, Tensor):
                return self.builder.input(found, getattr(found, "name", None) or self.names.path(origin))
            if self.builder.fixed and type(found) in (bool, int, float, str):
                return ValueNode(found)
        if kind == "slot":
            if key in self.known:
                return ValueNode(self.known[key])
            return graph.parameters[key - sum(slot < key for slot in self.known)]
        if kind == "known":
            return ValueNode(key)
        if kind == "made":
            value = key[0]
            node = self.values[value]
            return self._without_history(graph, value, node) if value in self.cut else node
        if kind == "built":
            return self.built[key]
        if kind == "kept":
            return self.kept[key]
        abstract = self._known_type(origin)
        if kind in ("attr", "method"):
            return graph.apply(PRIMITIVES["getattr"], self.origin(base), key, abstract=abstract)
        if kind == "item":
            if base.kind == "known" and type(base.key) is dict:
                return graph.apply(PRIMITIVES["getitem"], Globals(base.key), key, abstract=abstract)
            return graph.apply(PRIMITIVES["getitem"], self.origin(base), key, abstract=abstract)
        assert kind == "number", kind
        parts = [self.origin(part) if isinstance(part, Origin) else part for part in base]
        name = getattr(key, "__name__", "")
        function = PRIMITIVES.get(name) if getattr(operator, name, None) is key else None
        return graph.apply(function or key, *parts, abstract=abstract)

    def _known_type(self, origin: Origin) -> Abstract:
        for kind, other, payload in self.piece.guards:
            if other is origin:
                if kind == "layout":
                    return payload.type
                if kind in ("type", "number") and payload in (bool, int, float):
                    return Weak(payload)
                if kind == "equal" and type(payload) in (bool, int, float):
                    return Weak(type(payload))
        return None

    # -- images -------------------------------------------------------------------------------------------------------

    def slot(self, number: int) -> AnfNode:
        """The value that stands in a slot at the end of the piece."""
        return self.origin(self.variant.runner.origins[number])

    def _image(self, image: Image) -> AnfNode:
        """The value of an image."""
        if _is_plain(image):
            return self._plain(image)
        slots = sorted(_slots(image))
        return self.graph.apply(Arrangement(image, slots), *map(self.slot, slots))

    def _plain(self, image: Image) -> AnfNode:
        kind = image[0]
        apply = self.graph.apply
        if kind == "is":
            return ValueNode(image[1])
        if kind in ("slot", "number"):
            return self.slot(image[1])
        if kind == "tuple":
            items = list(map(self._plain, image[1]))
            return apply(PRIMITIVES["make_tuple"], *items, abstract=_tuple_type(items))
        if kind == "list":
            return apply(PRIMITIVES["make_list"], *map(self._plain, image[1]))
        if kind == "dict":
            keys = tuple(key[1] for key, _ in image[1])
            return apply(PRIMITIVES["make_dict"], ValueNode(keys), *(self._plain(value) for _, value in image[1]))
        if kind == "slice":
            return apply(PRIMITIVES["make_slice"], *map(self._plain, image[1]))
        if kind == "method":
            made_by = image[1]
            names = vars(made_by.__objclass__).items() if type(made_by) is not str else ()
            name = next((name for name, found in names if found is made_by), made_by)
            return apply(PRIMITIVES["getattr"], self._plain(image[2]), name)
        assert kind == "bound", kind
        return apply(types.MethodType, self._plain(image[1]), self._plain(image[2]))

    # -- hops ---------------------------------------------------------------------------------------------------------

    def _writes(self) -> None:
        """The changes of what is outside that are done behind the rows."""
        written = self.variant.written
        if written is None:
            return
        graph = self.graph
        if not written.kept and written.image[0] == "tuple" and all(map(_is_plain, written.image[1])):
            for write, (_, (operation, args)) in zip(written.writes, written.image[1]):
                text = span_text(position_span(*write.place[:2]))
                values = [self._plain(item) for item in args[1]] if args[0] == "tuple" else args[1]
                called = self._plain(operation)
                self.effects.append(graph.apply(PRIMITIVES["interpret"], text, write.reason, (), called, *values))
            return
        slots, wanted = sorted(_slots(written.image)), sorted(set(written.kept.values()))
        whole: AnfNode = graph.apply(Arrangement(written.image, slots, wanted), *map(self.slot, slots))
        calls = whole
        if wanted:
            calls = graph.apply(PRIMITIVES["getitem"], whole, 0)
            for i, number in enumerate(wanted, 1):
                self.kept[number] = graph.apply(PRIMITIVES["getitem"], whole, i)
        self.effects.append(graph.apply(PRIMITIVES["write"], calls))

    def _joined(self, jump: Jump) -> tuple[FuncGraph, list[AnfNode]]:
        """The graph that a piece leads to, and its arguments."""
        _, places = jump.edges[None]
        names = Names.at(jump.frames)
        function = self.builder.graph_of(jump.point, "↓" + self.builder.name, names, len(places))
        known = self.builder.known_at(jump.point)
        return function, [self.slot(place) for i, place in enumerate(places) if i not in known]

    def _hop(self, hop: Hop) -> AnfNode:
        """The interpreter's part, and what follows; the value of the whole."""
        graph = self.graph
        span = hop_span(hop)
        catches = any(map(is_raised, hop.edges))
        primitive = PRIMITIVES["attempt" if catches else "interpret"]
        edges = {key: edge for key, edge in hop.edges.items() if not _is_passed_by(key, hop)}
        names, called = self._call(hop)
        is_truth = isinstance(called[0], ValueNode) and called[0].value is bool and len(called) == 2
        if hop.is_branch and is_truth and set(edges) <= set(_TRUTHS):
            sides = [self._partial(self._edge(hop, key, called[1], False) if key in edges else None) for key in _TRUTHS]
            return graph.apply(graph.apply(PRIMITIVES["switch"], called[1], *sides, span=span))
        itself = self._callee(hop) if not catches and not names else None
        if hop.switch is not self.builder.entry.switch:
            called = [PRIMITIVES["under"], hop.switch, *called]
        if itself is not None:
            outcome = graph.apply(itself, *called[1:], span=span)
        else:
            outcome = graph.apply(primitive, span_text(span), hop.reason, names, *called, span=span)
        self.effects.append(outcome)
        if not hop.edges:
            return graph.apply(PRIMITIVES["depend"], graph.apply(PRIMITIVES["record"]), outcome)
        ways = {key: self._edge(hop, key, outcome, catches) for key in edges}
        return self._behind(hop, outcome, ways, catches, itself is not None)

    def _behind(self, hop: Hop, outcome: CNode, ways: dict[Any, Any], catches: bool, is_itself: bool) -> AnfNode:
        """What follows a hop, by its outcome; the value of the whole."""
        graph = self.graph
        if not catches and all(key in _TRUTHS for key in ways):
            outcome.abstract = Weak(bool)
            sides = [self._partial(ways.get(key)) for key in _TRUTHS]
            return graph.apply(graph.apply(PRIMITIVES["switch"], outcome, *sides))
        is_certain = is_itself or next(iter(ways), None) in (_NOTHING, *hop.varying)
        if not catches and len(ways) == 1 and is_certain:
            [(function, args)] = ways.values()
            return graph.apply(function, *args)
        sides = [self._partial(way) for way in ways.values()]
        cases = Cases(hop)
        values = [self.slot(slot) for slot in cases.slots]
        return graph.apply(graph.apply(PRIMITIVES["by_outcome"], outcome, cases, *sides, *values))

    def _callee(self, hop: Hop) -> FuncGraph | None:
        """The graph that a call of the function by itself goes to."""
        if not hop.is_own_call:
            return None
        for key, point in self.builder.program.entries.items():
            if point is hop.callee:
                count, keywords = form_of(key)
                names = Names.at_entry(self.builder.program, key)
                return self.builder.graph_of(point, self.builder.name, names, count + len(keywords))
        return None

    def _call(self, hop: Hop) -> tuple[tuple[str, ...], list[Any]]:
        """The names of keyword arguments, the function and the arguments of what a hop does."""
        image = hop.call
        graph = self.graph
        origins = self.variant.runner.origins
        used = [*Cases(hop).slots, *(place for _, places in hop.edges.values() for place in places)]
        # What was made for the call, and is alive behind it.
        kept = {place for place in used if type(place) is int and origins[place].kind == "built"}
        if not kept and _is_plain(image) and image[0] == "tuple":
            function, args, kwargs, *_ = image[1]
            if args[0] == "tuple" and kwargs[0] == "dict":
                names = tuple(key[1] for key, _ in kwargs[1])
                values = [self._plain(item) for item in (function, *args[1], *(value for _, value in kwargs[1]))]
                return names, values
            if args[0] == "is" and kwargs[0] == "dict":
                names = tuple(key[1] for key, _ in kwargs[1])
                return names, [self._plain(function), *args[1], *(self._plain(value) for _, value in kwargs[1])]
        slots = sorted(_slots(image))
        wanted = sorted({hop.built[place] for place in kept})
        whole: AnfNode = graph.apply(Arrangement(image, slots, wanted), *map(self.slot, slots))
        made = whole
        if wanted:
            for i, number in enumerate(wanted, 1):
                self.built[number] = graph.apply(PRIMITIVES["getitem"], made, i)
            whole = graph.apply(PRIMITIVES["getitem"], made, 0)
        return (), [PRIMITIVES["spread"], whole]

    def _edge(self, hop: Hop, key: Any, outcome: AnfNode, catches: bool) -> tuple[FuncGraph, list[AnfNode]]:
        """The graph behind an outcome, and its arguments."""
        graph, builder = self.graph, self.builder
        point, places = hop.edges[key]
        mark = "✓" if key == (bool, True) else "✗" if key == (bool, False) else "↓"
        names = Names.at(point.frames)
        function = builder.graph_of(point, mark + builder.name, names, len(places))
        whole: AnfNode = outcome
        if catches:
            part = "error" if is_raised(key) else "value"
            if any(type(place) is tuple for place in places):
                whole = graph.apply(PRIMITIVES["getattr"], outcome, part)
        args: list[AnfNode] = []
        for i, place in enumerate(places):
            if i in builder.known_at(point):
                continue
            if isinstance(place, int):
                args.append(self.slot(place))
                continue
            value = whole
            for step in place:
                value = graph.apply(PRIMITIVES["getitem"], value, step)
            if value.abstract is None and isinstance(value, CNode):
                value.abstract = function.parameters[len(args)].abstract
            args.append(value)
        return function, args

    def _partial(self, way: tuple[FuncGraph, list[AnfNode]] | None) -> Any:
        if way is None:
            return PRIMITIVES["record"]
        function, args = way
        return self.graph.apply(PRIMITIVES["partial"], function, *args) if args else function


def _is_passed_by(key: Any, hop: Hop) -> bool:
    """Whether a value that came once is now taken as one that varies."""
    return isinstance(key, tuple) and len(key) == 2 and key[0] in hop.varying


def _with_views(groups: Sequence[Sequence[int]], rows: Sequence[OperatorCall]) -> dict[int, list[int]]:
    """The group of each row that is in one. Views between the members of a group, of what it makes, belong to it."""
    found: dict[int, list[int]] = {}
    for group in groups:
        members: list[int] = []
        made: set[AnfNode] = set()
        for index in range(group[0], group[-1] + 1):
            row = rows[index]
            if index in group or (row.entry.view is not None and row.operands[0] in made):
                members.append(index)
                made.update(row.results)
        found.update((index, members) for index in members)
    return found


_NOTHING = key_of(Outcome(None))
_TRUTHS = ((bool, True), (bool, False))


def _is_plain(image: Image) -> bool:
    """Whether an image is made of values, tuples, and lists and dicts that nothing else shares."""
    kind = image[0]
    if kind in ("is", "slot", "number"):
        return True
    if kind in ("tuple", "list", "slice"):
        return all(map(_is_plain, image[1]))
    if kind == "dict":
        return all(key[0] == "is" and _is_plain(value) for key, value in image[1])
    if kind == "method":
        return _is_plain(image[2])
    return kind == "bound" and _is_plain(image[1]) and _is_plain(image[2])


def _slots(image: Any) -> set[int]:
    """The slots of an image."""
    if type(image) is not tuple or not image or image[0] == "is":
        return set()
    if len(image) == 2 and image[0] in ("slot", "number"):
        return {image[1]}
    return set().union(*map(_slots, image))


def _tuple_type(items: Sequence[AnfNode]) -> Abstract:
    found = tuple(item.abstract for item in items)
    return None if any(abstract is None for abstract in found) else found


def _reachable_from(node: AnfNode) -> set[AnfNode]:
    """The nodes of its graph that a node needs."""
    seen: set[AnfNode] = set()
    pending = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, CNode) and item not in seen:
            seen.add(item)
            pending += item.inputs
    return seen
