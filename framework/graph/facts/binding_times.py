"""Binding times: what follows from the text of a program alone, and what only a call brings.

Programs ask this of a compiler (questions.py). The recorder cannot answer them: it runs the program, so it knows all
values, and what a mark is about is that the program shall not count on them. The answer is found in the blocks that the
parser makes of the function that asks (ir/parser.py), by an abstract interpretation of their calls:

    constant         literals, names of modules, functions and numbers outside, attributes; arguments that hold no tensor
    unknown value    tensors that come as arguments, Parameters, what `mutable` marks, and whatever is computed of these
    unknown length   `mutable(…, dynamic_len=True)`, and sequences whose length such values decide

The shape and type of an unknown tensor are constant, and so is the length of a sequence of unknown items. A variable that
is set on one side of an unknown branch only, or in a loop that may end at any time, is unknown behind it. Functions that
are called are not looked into: their results are as known as their arguments.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

from anfora.core.parameter import Parameter
from anfora.core.span import Span
from anfora.core.tree import has_tensors
from anfora.graph.facts.table import IDENTITY, KEPT, PLAIN, fact_of, methods_of
from anfora.graph.ir import PRIMITIVES, AnfNode, CNode, ValueNode
from anfora.graph.ir.blocks import Block
from anfora.graph.ir.control import VALUES
from anfora.graph.ir.instructions import NO_VALUE, parameters_of
from anfora.graph.ir.nodes import Graph, known_value
from anfora.graph.ir.parser import FunctionParser, Program
from anfora.graph.ir.primitives import Primitive, switch
from anfora.graph.ir.structure import graph_of
from anfora.graph.machine.frames import builtins_of
from anfora.graph.source.code import Part, about
from anfora.modes import mutable

__all__ = ["Known", "known", "of_value"]

_ABSENT = object()


class Known:
    """What is known of a value. Containers are shared by those who name them, so marks on their items are seen by all.

    Args:
        value: whether the value is unknown.
        length: whether the length, of a sequence, is unknown.
        items: what is known of the items, where they are written out.
    """

    __slots__ = ("items", "length", "value")

    def __init__(self, value: bool = False, length: bool = False, items: list[Known] | None = None) -> None:
        self.value, self.length, self.items = value, length, items

    @property
    def holds_unknown(self) -> bool:
        """Whether anything of it is unknown."""
        parts = [self]
        seen: set[int] = set()  # a list may be an item of itself
        for part in parts:
            if part.value or part.length:
                return True
            if id(part) not in seen:
                seen.add(id(part))
                parts += part.items or ()
        return False

    def spoil(self, value: bool, length: bool = False) -> None:
        """From now on more is unknown; it is not said of which item."""
        value, length = value or self.holds_unknown, length or self.length
        if value or length:
            self.value, self.length, self.items = value, length, None


def _together(parts: Iterable[Known]) -> Known:
    """What is computed of some values."""
    return Known(any(part.holds_unknown for part in parts))


def of_value(value: Any) -> Known:
    """What is known of a value that comes as an argument."""
    return Known(has_tensors(value))


def _of_object(value: Any) -> Known:
    """What is known of a literal, and of what a name outside stands for."""
    return Known(isinstance(value, Parameter), items=list(map(_of_object, value)) if type(value) is tuple else None)


def known(frames: list[Any]) -> Known | None:
    """What is known of the first argument of the call that the innermost of the machine's frames stands at; None where
    the source does not tell."""
    return _Reader(frames).read()


class _Reader:
    """Goes through the blocks of a function in the order of the program, and through loops until nothing new becomes
    unknown; notes what is known at one call."""

    def __init__(self, frames: list[Any]) -> None:
        frame = frames[-1]
        self.function: types.FunctionType = frame.function
        self.asked = tuple(about(frame.code.positions[frame.pc - 1]))
        self.found: list[tuple[bool, bool]] = []
        self.arguments: list[Known] = []  #: of the call
        self.keywords: dict[str, Known] = {}
        names = parameters_of(frame.code.python)
        self.parameters = {name: of_value(_value_of(frame, name)) for name in names}
        if len(frames) > 1:  # what the caller gives is as unknown as it is there
            caller = _Reader(frames[:-1])
            caller.read()
            given = zip(names[names[:1] == ["self"] :], caller.arguments)
            self.parameters.update(
                (n, k) for n, k in (*given, *caller.keywords.items()) if n in names and k.holds_unknown
            )
        self.known: dict[AnfNode, Known] = {}
        self.passed: dict[AnfNode, dict[Block, Known]] = {}  #: for phis, by the block that jumps
        self.merged: dict[AnfNode, Known] = {}  #: phis of which that differs
        self.globals: dict[str, Known] = {}  #: that it assigns

    def read(self) -> Known | None:
        """What is known of the argument, whichever way the program came to it."""
        program = Program(None, _Paths)
        try:
            graph = program.graph(self.function)
        except NotImplementedError:
            return None
        program.settle()
        self.known.update(zip(graph.parameters, self.parameters.values()))
        self.results = program.results
        self.blocks: dict[Graph | None, Block] = {block.graph: block for block in program.blocks}
        order, position = self.blocks[graph].order, 0
        self.ordered = {step for step in order if isinstance(step, CNode)}
        begins: dict[Block, int] = {}  #: of loops
        turns: dict[Block, int] = {}
        while position < len(order):
            step = order[position]
            position += 1
            if isinstance(step, CNode):
                self.known[step] = self.call(step)
                continue
            target = step.target
            assert target is not None
            is_changed = self.jump(step, target)
            if step in target.sources[: target.entries]:
                begins[target], turns[target] = position, 0
            elif is_changed or not turns[target]:
                position = begins[target]
                turns[target] += 1
        if not self.found:
            return None
        return Known(any(value for value, _ in self.found), any(length for _, length in self.found))

    # -- choices ------------------------------------------------------------------------------------------------------

    def jump(self, source: Block, target: Block) -> bool:
        """What a block passes to the one behind it; whether that makes more of it unknown."""
        is_changed = False
        for phi in target.phis:
            assert phi.parameter is not None
            passed = self.passed.setdefault(phi.parameter, {})
            passed[source] = self.of(source.passed(phi))
            all_passed = list(passed.values())
            if phi.parameter not in self.merged and all(what is all_passed[0] for what in all_passed):
                self.known[phi.parameter] = all_passed[0]
                continue
            merged = self.known[phi.parameter] = self.merged.setdefault(phi.parameter, Known())
            before = merged.value, merged.length
            unknown = _together(all_passed).value or self.is_chosen(target.sources, target.before)
            merged.spoil(unknown, any(what.length for what in all_passed))
            is_changed = is_changed or before != (merged.value, merged.length)
        return is_changed

    def is_chosen(self, blocks: Iterable[Block], back_to: Block | None) -> bool:
        """Whether something unknown decides which way the program comes to blocks, from one that it comes through."""
        seen: set[Block] = set()
        todo = list(blocks)
        while todo:
            block = todo.pop()
            if block not in seen:
                seen.add(block)
                if block is not back_to:
                    todo += block.sources or ([block.before] if block.before is not None else [])
        return any(self.is_unknown(block.condition) for block in seen if block.condition is not None)

    def is_unknown(self, condition: AnfNode) -> bool:
        """Whether it is unknown how a block goes on: of a loop over something, whether there is more."""
        what = self.of(condition)
        if isinstance(condition, CNode) and condition.calls(PRIMITIVES["following"]):
            return what.length
        return what.holds_unknown

    # -- values -------------------------------------------------------------------------------------------------------

    def of(self, node: AnfNode) -> Known:
        """What is known of the value of a node."""
        found = self.known.get(node)
        if found is not None:
            return found
        if isinstance(node, ValueNode):
            return self.known.setdefault(node, _of_object(None if graph_of(node) else node.value))
        if isinstance(node, CNode):  # what is asked before it is there is of a loop, which is gone through again
            return Known() if node in self.ordered else self.call(node)
        return self.of(self.results[node]) if node in self.results else Known()

    def call(self, node: CNode) -> Known:
        """What is known of what a call gives."""
        function = node.fn.value if isinstance(node.fn, ValueNode) else None
        args = list(map(self.of, node.args))
        if isinstance(function, Primitive) and function.name != "apply":
            rule = getattr(self, f"of_{function.name}", None)
            return _together(args) if rule is None else rule(node, args)
        if function in self.results:
            return self.of(self.results[function])
        if isinstance(node.fn, CNode) and node.fn.calls(switch):
            is_end = node is self.blocks[node.graph].calls[-1] and self.blocks[node.graph].condition is not None
            return Known() if is_end else self.chosen(node.fn)
        called, keywords = node.fn, {}
        if function is PRIMITIVES["apply"]:
            called, form = node.args[0], known_value(node.args[1])
            keywords = {way.rstrip("="): what for way, what in zip(form, args[2:]) if way not in ("", "*")}
            args = [what for way, what in zip(form, args[2:]) if way in ("", "*")]
        span = node.span
        if span is not None and (span.line, span.end_line, span.column, span.end_column) == self.asked:
            self.arguments, self.keywords = args, keywords
            self.found += [(what.holds_unknown, what.length) for what in [*args, *keywords.values()][:1]]
        return self.result(node, called, args, keywords)

    def result(self, node: CNode, called: AnfNode, arguments: list[Known], keywords: dict[str, Known]) -> Known:
        """What a function gives that is no graph."""
        function = called.value if isinstance(called, ValueNode) else _ABSENT
        everything = [*arguments, *keywords.values()]
        if function is mutable:
            is_marked = any(isinstance(arg, ValueNode) and arg.value is True for arg in node.args[1:])
            return Known(True, is_marked)
        found = _of_sequences(function, everything)
        if found is not None:
            return found
        if function is not _ABSENT and _is_question(function, len(arguments)):
            return Known()
        if isinstance(called, CNode) and called.calls(PRIMITIVES["getattr"]):
            return self.of_method(node, called, everything)
        unknown = _together(everything).value or self.of(called).holds_unknown
        return Known(unknown, unknown and isinstance(called, CNode) and called.calls(_GENERATOR))

    def of_method(self, node: CNode, method: CNode, arguments: list[Known]) -> Known:
        """What a method gives of something that is not known by name."""
        made, name = method.args[0], known_value(method.args[1])
        owner, unknown = self.of(made), _together(arguments).value
        if name in _STATIC:
            return Known()
        if name in _CHANGING:
            here, there = self.blocks[node.graph], self.blocks.get(made.graph)
            if here is there and name == "append" and owner.items is not None:
                owner.items.extend(arguments[:1])
            else:  # how often it is done may be unknown
                is_chosen = there is not None and here is not there and self.is_chosen([here], there)
                owner.spoil(unknown or is_chosen, is_chosen or any(what.length for what in arguments))
                owner.items = None
        return Known(owner.holds_unknown or unknown, owner.length and name == "copy")

    def chosen(self, choice: CNode) -> Known:
        """`x if test else y`"""
        test, *sides = choice.args
        one, other = [self.of(known_value(side).output) for side in sides]
        return one if one is other else Known(_together([self.of(test), one, other]).value, one.length or other.length)

    def of_make_tuple(self, node: CNode, args: list[Known]) -> Known:
        return Known(items=args)

    of_make_list = of_make_tuple

    def of_gather(self, node: CNode, args: list[Known]) -> Known:
        return Known(_together(args).value, any(what.length for what in args))

    def of_getitem(self, node: CNode, args: list[Known]) -> Known:
        owner, index = args
        items, item = owner.items, _item(owner, node.args[1])
        if _is_slice(node.args[1]):
            return Known(owner.holds_unknown or index.value, owner.length or index.value)
        return _together(args) if items is None or item is None else items[item]

    def of_setitem(self, node: CNode, args: list[Known]) -> Known:
        owner, index, what = args
        items, item = owner.items, _item(owner, node.args[1])
        if items is not None and item is not None:
            items[item] = what
        else:
            decides = _is_slice(node.args[1]) and (index.holds_unknown or what.length)
            owner.spoil(what.holds_unknown or index.holds_unknown, decides)
        return Known()

    def of_getattr(self, node: CNode, args: list[Known]) -> Known:
        owner, name = node.args
        assert isinstance(name, ValueNode)
        if isinstance(owner, ValueNode) and isinstance(owner.value, (types.ModuleType, type)):
            return _of_object(getattr(owner.value, name.value, None))
        return Known(args[0].holds_unknown and name.value not in _STATIC)

    def of_unpack(self, node: CNode, args: list[Known]) -> Known:
        count = sum(map(known_value, node.args[1:]))
        is_known = len(args) == 2 and args[0].items is not None and len(args[0].items) == count
        return args[0] if is_known else Known(items=[_together(args[:1]) for _ in range(count + len(args) - 2)])

    of_unpack_rest = of_unpack

    def of_following(self, node: CNode, args: list[Known]) -> Known:
        [items] = args
        is_one = items.items is not None and len(items.items) == 1
        return Known(length=items.length, items=items.items if is_one else [_together(args)])

    def of_add(self, node: CNode, args: list[Known]) -> Known:
        left, right = args
        if left.items is not None and right.items is not None:
            return Known(items=[*left.items, *right.items])
        return Known(_together(args).value, left.length or right.length)

    of_iadd = of_add

    def of_mul(self, node: CNode, args: list[Known]) -> Known:
        """A sequence, so many times."""
        decides = any(one.items is not None and other.value for one, other in (args, args[::-1]))
        return Known(_together(args).value, decides or any(what.length for what in args))

    of_imul = of_mul

    def of_bound(self, node: CNode, args: list[Known]) -> Known:
        return args[0]

    of_iter = of_bound

    def of_store_cell(self, node: CNode, args: list[Known]) -> Known:
        args[0].spoil(args[1].holds_unknown, args[1].length)
        return Known()

    def of_load_cell(self, node: CNode, args: list[Known]) -> Known:
        cell = node.args[0]
        if isinstance(cell, ValueNode):
            return _of_object(getattr(cell.value, "cell_contents", None))
        return Known(args[0].value, args[0].length)

    def of_store_global(self, node: CNode, args: list[Known]) -> Known:
        self.globals[known_value(node.args[1])] = args[2]
        return Known()

    def of_load_global(self, node: CNode, args: list[Known]) -> Known:
        name = known_value(node.args[1])
        scope = self.function.__globals__
        return self.globals.get(name) or _of_object(scope.get(name, builtins_of(self.function).get(name)))


class _Paths(FunctionParser):
    """A function in which what Python alone does is followed too, and inner functions are not."""

    def refuse(self) -> None:
        pass

    def is_seen(self, part: Part) -> bool:
        return type(part.node) in VALUES and super().is_seen(part)

    def fork(self, block: Block, at: int) -> tuple[AnfNode, tuple[Block, int], tuple[Block, int]]:
        if self.code.opcodes[at] != "HANDLER":
            return super().fork(block, at)
        failed, body = block.follow("✗"), block.follow("✓")
        failed.push(NO_VALUE)
        return NO_VALUE, (failed, self.code.arguments[at]), (body, at + 1)

    def step(self, block: Block, opcode: str, argument: Any, span: Span) -> None:
        if opcode == "FUNCTION":
            block.pops(len(argument[1]))
            captured = [block.read(name) for name in argument[0].co_freevars if name in block.variables]
            block.push(block.call(_GENERATOR if argument[0].co_name == "<genexpr>" else _OTHER, *captured))
        elif opcode in _LEFT_OUT:
            taken, seen = _LEFT_OUT[opcode]
            parts = block.pops(taken) if taken else list(map(block.node, block.stack[-seen:][:1])) if seen else []
            block.push(block.call(_OTHER, *parts))
        elif opcode not in ("POP_HANDLER", "CAUGHT", "END_CAUGHT"):
            super().step(block, opcode, argument, span)


#: Functions of what is as known as what it is made of.
_OTHER, _GENERATOR = Primitive("other", _together, 0, None), Primitive("generator", _together, 0, None)
#: Instructions that no graph has: how many values they take, or which one from the top they look at.
_LEFT_OUT: dict[str, tuple[int, int]] = {
    **dict.fromkeys(["SPECIAL", "MATCHES", "YIELD", "IMPORT_AS"], (1, 0)),
    **dict.fromkeys(["YIELD_FROM", "REST_OF_MAPPING", "MATCH_CLASS"], (2, 0)),
    **dict.fromkeys(["IMPORT", "IMPORT_FROM", "LOAD_BUILTIN"], (0, 0)),
    **dict.fromkeys(["MATCH_SEQUENCE", "MATCH_MAPPING", "LENGTH"], (0, 1)), "MATCH_KEYS": (0, 2),
}  # fmt: skip


def _item(owner: Known, index: AnfNode) -> int | None:
    """Which of the items that are written out an index means."""
    number = index.value if isinstance(index, ValueNode) else None
    is_there = type(number) is int and owner.items is not None and -len(owner.items) <= number < len(owner.items)
    return number if is_there else None


def _is_slice(index: AnfNode) -> bool:
    return isinstance(index, CNode) and index.calls(PRIMITIVES["make_slice"])


def _value_of(frame: Any, name: str) -> Any:
    if name in frame.locals:
        return frame.locals[name]
    try:
        return frame.cells[name].cell_contents
    except (KeyError, ValueError):
        return None


def _is_question(function: Any, count: int) -> bool:
    """Whether the answer of a function does not depend on what is in its first argument."""
    fact = fact_of(function)
    return fact is not None and count > 0 and fact.gives == PLAIN and not fact.use(0, count) & ~(KEPT | IDENTITY)


def _of_sequences(function: Any, arguments: list[Known]) -> Known | None:
    """What is known of what a function of Python's that takes or makes sequences gives; None if it is none of these."""
    length = any(what.length for what in arguments)
    if function is len:
        return Known(length)
    unknown = _together(arguments).value
    if function is range:
        return Known(unknown, unknown)
    if not _is_in(function, (tuple, list, sorted, reversed, enumerate, zip, map, filter, set)):
        return None
    if function in (tuple, list) and len(arguments) == 1 and arguments[0].items is not None:
        return Known(items=list(arguments[0].items))
    return Known(unknown, length or (_is_in(function, (filter, set)) and unknown))


def _is_in(function: Any, table: Iterable[Any]) -> bool:
    return any(function is item for item in table)


#: What is known of a tensor whose data is not, and of a container.
_STATIC = frozenset(["shape", "dtype", "ndim", "size", "itemsize", "nbytes", "strides", "dim", "numel", "name"])
#: The names of methods that change a container.
_CHANGING = frozenset(name for kind in (list, dict, set) for name, fact in methods_of(kind).items() if fact.writes)
