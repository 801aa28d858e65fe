"""What one variant does, as the nodes of a graph: its calls of operators, and what they take from outside; then what is
written, what the interpreter does, and which graph comes next."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from anfora.core.abstract import TensorType
from anfora.core.op import Weak
from anfora.core.tensor import Tensor
from anfora.graph.facts.origins import Origin
from anfora.graph.ir import PRIMITIVES, Abstract, AnfNode, CNode, FuncGraph, ValueNode
from anfora.graph.ir.planned import OperatorCall, is_scalar, recorded
from anfora.graph.ir.primitives import U, primitive_of
from anfora.graph.ir.structure import graph_of, needed_by
from anfora.graph.lower.lower import Segment
from anfora.graph.lower.ranges import Jump
from anfora.graph.passes.extract import extract_functions
from anfora.graph.record.writes import Write, Written
from anfora.graph.run.guards import told_apart_at_once
from anfora.graph.run.points import Hop, Point, Return, Variant
from anfora.graph.state.images import Image, slots_in
from anfora.graph.state.moments import Cut, Outcome, Piece, key_of
from anfora.graph.tell.functions import Arrangement, Cases
from anfora.graph.tell.outside import found_outside
from anfora.graph.tell.wording import Names, guard_text, hop_span, is_raised, position_span, span_text, variables_of
from anfora.ops import stop_gradient

if TYPE_CHECKING:
    from anfora.graph.tell.typed import Builder

__all__ = ["Body", "types_told"]


def types_told(piece: Piece) -> dict[Origin, Abstract]:
    """What the guards of a piece say of the types of values."""
    found: dict[Origin, Abstract] = {}
    for kind, origin, payload in piece.guards:
        if kind == "layout":
            found[origin] = payload.type
            continue
        python = type(payload) if kind == "equal" else payload
        if kind in ("type", "number", "equal") and python in (bool, int, float):
            found[origin] = Weak(python)
    return found


class Body:
    """Fills the graph of one variant."""

    def __init__(self, builder: Builder, graph: FuncGraph, point: Point, variant: Variant) -> None:
        self.builder, self.graph, self.point, self.variant = builder, graph, point, variant
        self.names = Names.at(builder.program, point)
        self.piece = variant.piece
        self.values: dict[AnfNode, AnfNode] = {}  #: by node of the piece
        self.outside: dict[Origin, AnfNode] = {}  #: what comes from there
        self.types = types_told(variant.piece)
        self.built: dict[int, AnfNode] = {}
        self.kept: dict[int, AnfNode] = {}  #: what writes have put somewhere
        self.effects: list[AnfNode] = []
        self.called = self._names_of_values()
        #: What runs natively, where that is shown, and its parameters as values of the piece.
        self.segment: Segment | None = None
        self.given: dict[AnfNode, AnfNode] = {}
        self.calls: dict[OperatorCall, OperatorCall] = {}  #: what stands here for those of the piece, or of its segment
        #: Values with a history for who evaluates the graph; those among them that have none in the program, for a tape
        #: outside; and what has been computed where the program had switched the tape off, which has none for any.
        self.followed: set[AnfNode] = set()
        self.cut: set[AnfNode] = set()
        self.untaped: set[AnfNode] = set()
        self.stopped: dict[AnfNode, AnfNode] = {}  #: behind `stop_gradient`
        self.functions: dict[OperatorCall, Cut] = {}  #: of the program, see `_functions`

    def build(self) -> None:
        builder, graph, piece = self.builder, self.graph, self.piece
        graph.guards = list(dict.fromkeys(guard_text(guard, self.names) for guard in told_apart_at_once(piece.guards)))
        builder.recorded.add(graph)
        for draw in piece.draws:
            place = graph.apply(PRIMITIVES["draw"], draw.counters)
            self.effects.append(place)
            for i, origin in enumerate((draw.seed, draw.offset)):
                self.outside[origin] = graph.apply(PRIMITIVES["getitem"], place, i, name=origin.key, abstract=Weak(int))
        without_history = {origin for kind, origin, has in piece.guards if kind == "history" and not has}
        for value in (*piece.inputs.values(), *piece.numbers.values()):
            self.values[value] = self.origin(value.origin)
            if value in piece.inputs and value.origin not in without_history:
                self.followed.add(value)
        is_written = any(call.entry.op.writes is not None for call in piece.calls)
        for node, known in piece.constants.items():
            tensor: Any = ValueNode(known)
            if is_written or node in self.variant.runner.wanted:  # it stays as it is: the program has a copy
                tensor = graph.apply(PRIMITIVES["load"], tensor, U, abstract=known._layout.type)
            self.values[node] = tensor
        self._operators()
        self._start_leaves(None)
        if piece.cuts and not self.functions:
            self.effects.append(graph.apply(PRIMITIVES["record"]))
        self._have_no_history()
        for origin in self.variant.runner.origins:  # before anything outside changes
            if not _is_made_late(origin):
                self.origin(origin)
        self._writes()
        output = self._end()
        used = needed_by(output)
        unused = [effect for effect in self.effects if effect not in used]
        graph.output = graph.apply(PRIMITIVES["depend"], output, *unused) if unused else output
        if self.segment is not None:
            self._share_loops(self.segment)

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

    # -- operators ---------------------------------------------------------------------------------------------------------

    def _operators(self) -> None:
        piece, runner = self.piece, self.variant.runner
        results: list[tuple[AnfNode, AnfNode]] = []
        if self.builder.fused and piece.calls and not runner.is_one_by_one:
            segment, wanted = runner.segment()
            self.segment, results = segment, list(zip(wanted, segment.outputs))
            self.given = dict(zip(segment.graph.parameters, (*piece.inputs, *piece.numbers)))
        else:
            self.functions = self._functions()
        for call in piece.calls if self.segment is None else self.segment.calls:
            self._start_leaves(call.recorded)
            if call not in self.functions:
                self._operator(call)
            elif call is self.functions[call].after:
                self._function(self.functions[call])
        for value, node in results:
            if value not in self.values:
                self.values[value] = self._value(self._recorded(node))

    def _recorded(self, node: AnfNode) -> AnfNode:
        """The value of the piece that a node stands for, behind the passes; the node itself if it is of a pass."""
        return self.given.get(node) or recorded(node)

    def _value(self, x: AnfNode) -> AnfNode:
        """The node of a value here; what a pass has computed is a constant."""
        return self.values[x] if x in self.values or not isinstance(x, ValueNode) else x

    def _operator(self, call: OperatorCall) -> None:
        entry = call.entry
        leaves_node = call.recorded.is_taped
        args = list(map(self._recorded, call.operands))
        results = [self._recorded(x) for x in call.results]
        is_untaped = call.recorded.is_untaped and not self.builder.entry.switch.blocks
        if not self.followed.isdisjoint(args):
            self.followed.update(results)
            if not leaves_node:
                self.cut.update(results)
        if is_untaped:
            self.untaped.update(results)
        of: dict[AnfNode, AnfNode] = {}
        for x, own in zip(call.operands, args):
            if not is_scalar(own):
                node = self._value(own)
                is_cut = (leaves_node and own in self.cut) or (not is_untaped and own in self.untaped)
                of[x] = self._without_history(own, node) if is_cut else node
        made = self.calls[call] = call.taken_over(self.graph, of)
        made.write_out()
        if entry.op.writes is not None and not leaves_node and self.builder.entry.switch.tape:
            made.call_through(PRIMITIVES["untaped"])
        elif self.piece.is_tried and entry.may_fail:
            made.call_through(PRIMITIVES["attempted"])
        if made.acts:
            self.effects.append(made)
        for value, result in zip(results, made.results):
            self.values[value], result.name = result, self.called.get(value)

    def _functions(self) -> dict[OperatorCall, Cut]:
        """Where functions of the program leave nodes on the tape: the operators that stand in the piece for each, up to
        which a tape goes back by itself. None where they share what is made for them with others."""
        written, piece = self.variant.written, self.piece
        if not piece.cuts or written is None or not _is_each_plain(written):
            return {}
        ends = {call: index for index, call in enumerate(piece.calls, 1)}
        return {
            call: cut
            for cut in piece.cuts
            for call in piece.calls[ends[cut.after] - len(cut.handles) : ends[cut.after]]
        }

    def _function(self, cut: Cut) -> None:
        """What a function of the program gives that leaves a node on the tape, called where it stands."""
        written, graph = self.variant.written, self.graph
        assert written is not None
        number = 2 * self.piece.cuts.index(cut)  # each has two writes: it is called, and what operators leave behind it
        at = [i for i, write in enumerate(written.writes) if write.is_node][number]
        operation, args = written.image[1][at][1]
        called = [self._plain(operation), *map(self._plain, _items(args)[:-1])]  # the last are handles that are there
        result = self._interpreted(written.writes[at], called)
        handles = graph.apply(PRIMITIVES["results_by"], cut.results_of, result)
        for i, (handle, _) in enumerate(cut.handles):
            value = handle.key[0]
            self.values[value] = graph.apply(PRIMITIVES["getitem"], handles, i, abstract=value.abstract)
            self.followed.add(value)

    def _interpreted(self, write: Write, called: list[Any]) -> CNode:
        text = span_text(position_span(*write.place[:2]))
        found = self.graph.apply(PRIMITIVES["interpret"], text, write.reason, (), *called)
        self.effects.append(found)
        return found

    def _have_no_history(self) -> None:
        """Say of which values the program has found that no tape follows them."""
        for asked in dict.fromkeys(self.piece.asked) if self.builder.entry.switch.tape else ():
            node = self.origin(asked) if isinstance(asked, Origin) else self.values.get(asked)
            if node is not None and asked not in self.untaped:
                self.effects.append(self.graph.apply(PRIMITIVES["no_history"], node, abstract=node.abstract))

    def _start_leaves(self, call: OperatorCall | None) -> None:
        """What requires a gradient in front of an operator of the piece, or of its end."""
        if call is not None and call.graph is not self.piece:  # a pass has made it
            return
        for value, (after, _) in self.piece.leaves.items():
            node = self.values.get(value)
            is_due = call is None or after is None or after.order < call.order
            if is_due and node is not None and value not in self.followed:
                self.values[value] = self.graph.apply(PRIMITIVES["leaf"], node, abstract=node.abstract)
                self.effects.append(self.values[value])
                self.followed.add(value)

    def _without_history(self, value: AnfNode, node: AnfNode) -> AnfNode:
        found = self.stopped.get(value)
        if found is None:
            kind = node.abstract
            has_none = isinstance(kind, TensorType) and not kind.dtype.is_inexact
            found = node if has_none else self.graph.apply(stop_gradient, node, abstract=kind)
            self.stopped[value] = found
        return found

    def _share_loops(self, segment: Segment) -> None:
        """Operators that share a loop become functions; and where values lie is told."""
        graph, loops = self.graph, segment.loops
        groups = [
            (f"fused_{len(calls)}", [node for call in calls for node in _nodes(self.calls[call])])
            for calls in loops
            if len(calls) > 1
        ]
        stands_for = extract_functions(graph, groups)
        graph.notes = [(None, f"pass {each}") for each in self.variant.runner.passes()]
        graph.notes.append((None, f"{len(loops)} kernels and loops, {segment.arena} bytes of arena"))
        for value, place in segment.places().items():
            node = self.values.get(self._recorded(value))
            node = stands_for.get(node, node) if node is not None else None
            if node is not None and node.graph in (graph, None):
                graph.notes.append((node, str(place)))

    # -- what comes from outside --------------------------------------------------------------------------------------

    def origin(self, origin: Origin) -> AnfNode:
        found = self.outside.get(origin)
        if found is None:
            found = self.outside[origin] = self._origin(origin)
        return found

    def _origin(self, origin: Origin) -> AnfNode:
        kind, key, base = origin.kind, origin.key, origin.base
        graph = self.graph
        if self.builder.lifted or self.builder.fixed:
            found = found_outside(origin, self.builder.known_at(self.point), self.builder.changed)
            if self.builder.lifted and isinstance(found, Tensor):
                return self.builder.input(found, getattr(found, "name", None) or self.names.path(origin))
            if self.builder.fixed and type(found) in (bool, int, float, str):
                return ValueNode(found)
        if kind == "slot":
            return self.builder.slot(graph, self.point, key)
        if kind == "known":
            return ValueNode(key)
        if kind == "made":
            value = key[0]
            node = self.values[value]
            return self._without_history(value, node) if value in self.cut or value in self.untaped else node
        if kind == "built":
            return self.built[key]
        if kind == "kept":
            return self.kept[key]
        function, *parts = origin.call
        nodes = [self.origin(part) if isinstance(part, Origin) else part for part in parts]
        if kind == "item" and base.kind == "known" and type(base.key) is dict:
            nodes[0] = self.builder.scope(base.key)
        return graph.apply(primitive_of(function, len(nodes)), *nodes, abstract=self.types.get(origin))

    # -- how it ends ----------------------------------------------------------------------------------------------------

    def _slot(self, number: int) -> AnfNode:
        """The value that stands in a slot at the end of the piece."""
        return self.origin(self.variant.runner.origins[number])

    def _image(self, image: Image) -> AnfNode:
        """The value of an image."""
        return self._plain(image) if _is_plain(image) else self._arranged(image, set(), {})

    def _arranged(self, image: Image, wanted: set[int], made: dict[int, AnfNode]) -> AnfNode:
        """The same where objects are shared, or are the program's own.

        Args:
            wanted: by number, which of the objects that are made are needed by themselves.
            made: takes these.
        """
        slots, numbers = sorted(slots_in(image)), sorted(wanted)
        whole = self.graph.apply(Arrangement(image, slots, numbers), *map(self._slot, slots))
        if not wanted:
            return whole
        for i, number in enumerate(numbers, 1):
            made[number] = self.graph.apply(PRIMITIVES["getitem"], whole, i)
        return self.graph.apply(PRIMITIVES["getitem"], whole, 0)

    def _plain(self, image: Image) -> AnfNode:
        kind = image[0]
        if kind == "is":
            return ValueNode(image[1])
        if kind in ("slot", "number"):
            return self._slot(image[1])
        function, parts = _made_of(image) or (None, ())
        items = list(map(self._plain, parts))
        told = tuple(item.abstract for item in items)
        return self.graph.apply(function, *items, abstract=told if kind == "tuple" and None not in told else None)

    def _writes(self) -> None:
        """The changes of what is outside that are done behind the operators."""
        written = self.variant.written
        if written is None:
            return
        graph, calls = self.graph, written.image[1]
        whole = None
        if not _is_each_plain(written):
            whole = self._arranged(written.image, set(written.kept.values()), self.kept)
        for i, write in enumerate(written.writes):
            called: list[Any]
            if write.is_node:  # see `_function`
                continue
            if whole is None:
                operation, args = calls[i][1]
                called = [self._plain(operation), *map(self._plain, _items(args))]
            else:
                called = [PRIMITIVES["spread"], graph.apply(PRIMITIVES["getitem"], whole, i)]
            self._interpreted(write, called)

    def _end(self) -> AnfNode:
        """The value of what comes behind the operators and writes."""
        end = self.variant.end
        if isinstance(end, Return):
            return self._image(end.image)
        return self._hop(end) if isinstance(end, Hop) else self._go(end, None)

    def _hop(self, hop: Hop) -> AnfNode:
        """The interpreter's part, and what follows."""
        graph = self.graph
        catches = any(map(is_raised, hop.edges))
        # A value that came once may be taken as one that varies by now.
        keys = [key for key in hop.edges if not (type(key) is tuple and len(key) == 2 and key[0] in hop.varying)]
        are_truths = not catches and all(key in _TRUTHS for key in keys)
        if are_truths and hop.is_branch and hop.read is not None:
            return self._switch(hop, self._slot(hop.read[0]))
        outcome = self._asked(hop, catches)
        self.effects.append(outcome)
        if not hop.edges:
            return graph.apply(PRIMITIVES["depend"], graph.apply(PRIMITIVES["record"]), outcome)
        if are_truths:
            outcome.abstract = Weak(bool)
            return self._switch(hop, outcome)
        if not catches and len(keys) == 1 and (graph_of(outcome.fn) or keys[0] in (_NOTHING, *hop.varying)):
            return self._go(hop, keys[0], outcome)
        cases = Cases(hop, keys)
        sides = [self._partial(hop, key, outcome, catches) for key in keys]
        return graph.apply(graph.apply(PRIMITIVES["by_outcome"], outcome, cases, *sides, *map(self._slot, cases.slots)))

    def _asked(self, hop: Hop, catches: bool) -> CNode:
        """What a hop gives: by the interpreter, or by the graph of the function if it calls itself."""
        names, called = self._call(hop)
        span, is_switched = hop_span(hop), hop.switch is not self.builder.entry.switch
        itself = None if catches or names or is_switched else self._callee(hop)
        if itself is not None:
            return self.graph.apply(itself, *called[1:], span=span)
        if is_switched:
            called = [PRIMITIVES["under"], hop.switch, *called]
        primitive = PRIMITIVES["attempt" if catches else "interpret"]
        return self.graph.apply(primitive, span_text(span), hop.reason, names, *called, span=span)

    def _switch(self, hop: Hop, condition: AnfNode) -> AnfNode:
        sides = [self._partial(hop, key, condition) if key in hop.edges else PRIMITIVES["record"] for key in _TRUTHS]
        return self.graph.apply(self.graph.apply(PRIMITIVES["switch"], condition, *sides, span=hop_span(hop)))

    def _callee(self, hop: Hop) -> FuncGraph | None:
        """The graph that a call of the function by itself goes to."""
        builder, callee = self.builder, hop.callee
        if not hop.is_own_call or callee is None or callee not in builder.program.entries.values():
            return None
        count, keywords = callee.form
        return builder.graph_of(callee, "", count + len(keywords))

    def _call(self, hop: Hop) -> tuple[tuple[str, ...], list[Any]]:
        """The names of keyword arguments, the function and the arguments of what a hop does."""
        image = hop.call
        origins = self.variant.runner.origins
        used = [*Cases(hop, [*hop.edges]).slots, *(place for _, places in hop.edges.values() for place in places)]
        # What was made for the call, and is alive behind it.
        kept = {place for place in used if type(place) is int and origins[place].kind == "built"}
        if not kept and _is_plain(image) and image[0] == "tuple":
            function, args, kwargs, *_ = image[1]
            if args[0] in ("tuple", "is") and kwargs[0] == "dict":
                given = (function, *_items(args), *(value for _, value in kwargs[1]))
                return tuple(key[1] for key, _ in kwargs[1]), list(map(self._plain, given))
        return (), [PRIMITIVES["spread"], self._arranged(image, {hop.built[place] for place in kept}, self.built)]

    def _go(self, end: Hop | Jump, key: Any, outcome: AnfNode | None = None) -> AnfNode:
        """A call of the graph behind an outcome."""
        function, args = self._edge(end, key, outcome)
        return self.graph.apply(function, *args)

    def _partial(self, hop: Hop, key: Any, outcome: AnfNode, catches: bool = False) -> Any:
        """The same call as a function without arguments."""
        function, args = self._edge(hop, key, outcome, catches)
        return self.graph.apply(PRIMITIVES["partial"], function, *args) if args else function

    def _edge(
        self, end: Hop | Jump, key: Any, outcome: AnfNode | None, catches: bool = False
    ) -> tuple[FuncGraph, list[AnfNode]]:
        """The graph behind an outcome, and its arguments."""
        graph, builder = self.graph, self.builder
        point, places = end.edges[key]
        mark = "✓" if key == (bool, True) else "✗" if key == (bool, False) else "↓"
        function, known = builder.graph_of(point, mark, len(places)), builder.known_at(point)
        if catches and any(type(place) is tuple for place in places):
            outcome = graph.apply(PRIMITIVES["getattr"], outcome, "error" if is_raised(key) else "value")
        args: list[AnfNode] = []
        for place in (place for i, place in enumerate(places) if i not in known):
            value: Any = outcome
            if isinstance(place, int):
                value = self._slot(place)
            else:
                for step in place:
                    value = graph.apply(PRIMITIVES["getitem"], value, step)
                if value.abstract is None and isinstance(value, CNode):
                    value.abstract = function.parameters[len(args)].abstract
            args.append(value)
        return function, args


def _is_made_late(origin: Origin) -> bool:
    """Whether a value comes from what is made for a hop or a write."""
    late = (isinstance(part, Origin) and _is_made_late(part) for part in origin.parts)
    return origin.kind in ("built", "kept") or any(late)


def _nodes(call: OperatorCall) -> Iterator[CNode]:
    """A call, with the nodes of sequences that it takes, and of what it makes."""
    yield call
    yield from call.results
    for node in call.args:
        if isinstance(node, CNode) and node.calls(PRIMITIVES["make_tuple"]):
            yield node


_NOTHING = key_of(Outcome(None))
_TRUTHS = ((bool, True), (bool, False))


def _is_each_plain(written: Written) -> bool:
    """Whether what writes are called with is made for each of them alone."""
    return not written.kept and written.image[0] == "tuple" and all(map(_is_plain, written.image[1]))


def _is_plain(image: Image) -> bool:
    """Whether an image is made of values, tuples, and lists, dicts, dates and the like that nothing else shares."""
    if image[0] in ("is", "slot", "number"):
        return True
    made = _made_of(image)
    return made is not None and all(map(_is_plain, made[1]))


def _made_of(image: Image) -> tuple[Any, Sequence[Image]] | None:
    """The function that makes such an image, and the parts that it takes; None for another one."""
    kind, *parts = image
    if kind in ("tuple", "list", "slice"):
        return PRIMITIVES[f"make_{kind}"], parts[0]
    if kind == "dict" and all(key[0] == "is" for key, _ in parts[0]):
        return PRIMITIVES["make_dict"], [
            ("is", tuple(key[1] for key, _ in parts[0])),
            *(value for _, value in parts[0]),
        ]
    if kind == "method":
        made_by = parts[0]
        names = vars(made_by.__objclass__).items() if type(made_by) is not str else ()
        return PRIMITIVES["getattr"], [parts[1], ("is", next((n for n, found in names if found is made_by), made_by))]
    if kind == "constructed" and not parts[2]:
        return parts[0], parts[1]
    return (types.MethodType, parts[:2]) if kind == "bound" else None


def _items(image: Image) -> Sequence[Image]:
    """The images of the parts of a tuple."""
    return image[1] if image[0] == "tuple" else [("is", value) for value in image[1]]
