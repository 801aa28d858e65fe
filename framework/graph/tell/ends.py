"""How a piece ends, as nodes: what is written, what the interpreter does, and which graph comes next."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anfora.core.op import Weak
from anfora.graph.ir import PRIMITIVES, AnfNode, CNode, FuncGraph, ValueNode
from anfora.graph.ir.structure import graph_of
from anfora.graph.lower.ranges import Jump
from anfora.graph.run.points import Hop, Return
from anfora.graph.state.images import Image, slots_in
from anfora.graph.state.moments import Outcome, key_of
from anfora.graph.tell.functions import Arrangement, Cases
from anfora.graph.tell.wording import hop_span, is_raised, position_span, span_text

if TYPE_CHECKING:
    from anfora.graph.tell.body import Body

__all__ = ["Ends"]


class Ends:
    """Writes the end of a piece into its graph.

    Args:
        body: of the graph.
    """

    def __init__(self, body: Body) -> None:
        self.body, self.graph = body, body.graph

    def slot(self, number: int) -> AnfNode:
        """The value that stands in a slot at the end of the piece."""
        return self.body.origin(self.body.variant.runner.origins[number])

    def image(self, image: Image) -> AnfNode:
        """The value of an image."""
        return self._plain(image) if _is_plain(image) else self._arranged(image, set(), {})

    def _arranged(self, image: Image, wanted: set[int], made: dict[int, AnfNode]) -> AnfNode:
        """The same where objects are shared, or are the program's own.

        Args:
            wanted: by number, which of the objects that are made are needed by themselves.
            made: takes these.
        """
        slots, numbers = sorted(slots_in(image)), sorted(wanted)
        whole = self.graph.apply(Arrangement(image, slots, numbers), *map(self.slot, slots))
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
            return self.slot(image[1])
        function, parts = _made_of(image) or (None, ())
        items = list(map(self._plain, parts))
        told = tuple(item.abstract for item in items)
        return self.graph.apply(function, *items, abstract=told if kind == "tuple" and None not in told else None)

    def writes(self) -> None:
        """The changes of what is outside that are done behind the operators."""
        written = self.body.variant.written
        if written is None:
            return
        graph, calls = self.graph, written.image[1]
        whole = None
        if written.kept or written.image[0] != "tuple" or not all(map(_is_plain, calls)):
            whole = self._arranged(written.image, set(written.kept.values()), self.body.kept)
        for i, write in enumerate(written.writes):
            text = span_text(position_span(*write.place[:2]))
            called: list[Any]
            if whole is None:
                operation, args = calls[i][1]
                called = [self._plain(operation), *map(self._plain, _items(args))]
            else:
                called = [PRIMITIVES["spread"], graph.apply(PRIMITIVES["getitem"], whole, i)]
            self.body.effects.append(graph.apply(PRIMITIVES["interpret"], text, write.reason, (), *called))

    def end(self) -> AnfNode:
        """The value of what comes behind the operators and writes."""
        end = self.body.variant.end
        if isinstance(end, Return):
            return self.image(end.image)
        return self._hop(end) if isinstance(end, Hop) else self._go(end, None)

    def _hop(self, hop: Hop) -> AnfNode:
        """The interpreter's part, and what follows."""
        graph = self.graph
        catches = any(map(is_raised, hop.edges))
        keys = [key for key in hop.edges if not _is_passed_by(key, hop)]
        are_truths = not catches and all(key in _TRUTHS for key in keys)
        if are_truths and hop.is_branch and hop.read is not None:
            return self._switch(hop, self.slot(hop.read[0]))
        outcome = self._asked(hop, catches)
        self.body.effects.append(outcome)
        if not hop.edges:
            return graph.apply(PRIMITIVES["depend"], graph.apply(PRIMITIVES["record"]), outcome)
        if are_truths:
            outcome.abstract = Weak(bool)
            return self._switch(hop, outcome)
        if not catches and len(keys) == 1 and (graph_of(outcome.fn) or keys[0] in (_NOTHING, *hop.varying)):
            return self._go(hop, keys[0], outcome)
        cases = Cases(hop, keys)
        sides = [self._partial(hop, key, outcome, catches) for key in keys]
        return graph.apply(graph.apply(PRIMITIVES["by_outcome"], outcome, cases, *sides, *map(self.slot, cases.slots)))

    def _asked(self, hop: Hop, catches: bool) -> CNode:
        """What a hop gives: by the interpreter, or by the graph of the function if it calls itself."""
        names, called = self._call(hop)
        span, is_switched = hop_span(hop), hop.switch is not self.body.builder.entry.switch
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
        builder, callee = self.body.builder, hop.callee
        if not hop.is_own_call or callee is None or callee not in builder.program.entries.values():
            return None
        count, keywords = callee.form
        return builder.graph_of(callee, "", count + len(keywords))

    def _call(self, hop: Hop) -> tuple[tuple[str, ...], list[Any]]:
        """The names of keyword arguments, the function and the arguments of what a hop does."""
        image = hop.call
        origins = self.body.variant.runner.origins
        used = [*Cases(hop, [*hop.edges]).slots, *(place for _, places in hop.edges.values() for place in places)]
        # What was made for the call, and is alive behind it.
        kept = {place for place in used if type(place) is int and origins[place].kind == "built"}
        if not kept and _is_plain(image) and image[0] == "tuple":
            function, args, kwargs, *_ = image[1]
            if args[0] in ("tuple", "is") and kwargs[0] == "dict":
                given = (function, *_items(args), *(value for _, value in kwargs[1]))
                return tuple(key[1] for key, _ in kwargs[1]), list(map(self._plain, given))
        return (), [PRIMITIVES["spread"], self._arranged(image, {hop.built[place] for place in kept}, self.body.built)]

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
        graph, builder = self.graph, self.body.builder
        point, places = end.edges[key]
        mark = "✓" if key == (bool, True) else "✗" if key == (bool, False) else "↓"
        function, known = builder.graph_of(point, mark, len(places)), builder.known_at(point)
        if catches and any(type(place) is tuple for place in places):
            outcome = graph.apply(PRIMITIVES["getattr"], outcome, "error" if is_raised(key) else "value")
        args: list[AnfNode] = []
        for place in (place for i, place in enumerate(places) if i not in known):
            value: Any = outcome
            if isinstance(place, int):
                value = self.slot(place)
            else:
                for step in place:
                    value = graph.apply(PRIMITIVES["getitem"], value, step)
                if value.abstract is None and isinstance(value, CNode):
                    value.abstract = function.parameters[len(args)].abstract
            args.append(value)
        return function, args


def _is_passed_by(key: Any, hop: Hop) -> bool:
    """Whether a value that came once is now taken as one that varies."""
    return isinstance(key, tuple) and len(key) == 2 and key[0] in hop.varying


_NOTHING = key_of(Outcome(None))
_TRUTHS = ((bool, True), (bool, False))


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
