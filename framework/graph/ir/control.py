"""Where control goes in instructions: blocks, branches, loops, and the parts of a program that are one call.

Instructions are read in their order. A block ends where one jumps, and where others jump to; those that lead to a place
wait for each other. Pieces of the syntax that are noted beside the instructions (`source/code.Part`) are read as a whole: a
value that is chosen and a comprehension as small functions, what has no graph form as a call of Python's.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from anfora.core.span import Span
from anfora.graph.ir import PRIMITIVES, AnfNode, CNode
from anfora.graph.ir.blocks import Block, joined
from anfora.graph.ir.instructions import CHANGES, CHANGES_GLOBAL, Instructions
from anfora.graph.ir.primitives import switch
from anfora.graph.source.code import JUMPS, Code, Part, Position
from anfora.graph.source.scopes import DEFINITIONS, position_of

__all__ = ["STOPS", "VALUES", "WAITS", "Control", "Waiting"]

#: Blocks, by the instruction that they go on with.
Waiting = dict[int, list[Block]]


class Control(Instructions):
    """Reads instructions. What it works with is a function's: see `parser.FunctionParser`."""

    entry: Block
    span: Callable[[Position], Span]
    known: Callable[[Block], Block]
    left_to_python: Callable[[Block, Part, Span, Waiting], Block]

    def look_at(self, code: Code) -> None:
        """Find the loops of a function, and where its blocks begin."""
        self.code = code
        self.stores_global = {name for opcode, name in zip(code.opcodes, code.arguments) if opcode in CHANGES_GLOBAL}
        jumps = [(at, argument) for at, argument in enumerate(code.arguments) if code.opcodes[at] in JUMPS]
        self.leaders = {target for _, target in jumps}
        #: Where the iterations of loops begin, and the last instruction that goes back there.
        self.loops = {target: at for at, target in jumps if target <= at}
        self.headers: dict[int, Block] = {}  #: of loops, by the instruction that an iteration starts with
        self.lasts: dict[Block, int] = {}  #: the last instruction of such a loop, by header
        self.ranges: set[AnfNode | Block] = set()  #: what stands for the rest of a range, and headers of loops over one

    def look_at_parts(self) -> None:
        """Find the parts that have a form of their own."""
        self.parts: dict[int, list[Part]] = {}  #: by their first instructions, those around others in front
        self.inside: list[Part] = []  #: those that are being read
        self.reasons: dict[Part, str] = {}  #: why they have no graph form
        for part in reversed(self.code.parts):
            if self.is_seen(part):
                self.parts.setdefault(part.start, []).append(part)

    def within(self, start: int, end: int) -> Iterator[tuple[str, Any]]:
        """Some instructions."""
        return zip(self.code.opcodes[start:end], self.code.arguments[start:end])

    def changed(self, start: int, end: int) -> set[str]:
        """The variables of the frame that instructions assign and delete."""
        return {argument for opcode, argument in self.within(start, end) if opcode in CHANGES} & {*self.entry.variables}

    def run(self, block: Block, start: int, stop: int | None = None) -> Block:
        """Go on from an instruction, whichever ways there are.

        Args:
            block: the block that goes on.
            start: where.
            stop: where all ways end; None where they end in `return`.
        Returns:
            the block that comes to `stop`.
        """
        waiting: Waiting = {start: [block]}
        while waiting:
            at = min(waiting)
            block = self.enter(at, waiting.pop(at))
            if at == stop:
                break
            self.line(block, at, waiting, stop)
        return block

    def enter(self, at: int, sources: list[Block]) -> Block:
        """The block that begins at an instruction, to which some others come."""
        last = self.loops.get(at)
        if last is None and len(sources) == 1:
            return sources[0]
        for source in sources:
            source.settle(0 if last is not None else len(source.stack) - 1)
        if last is None:
            return self.known(joined(sources, "↓"))
        changed: set[str | int] = {*self.changed(at, last)}
        unbound = {name for opcode, name in self.within(at, last) if opcode == "DELETE"}
        unbound.update(*[self.changed(part.start, part.end) for part in self.reasons if at <= part.start <= last])
        depth = len(sources[0].stack) - 1
        is_range = self.code.opcodes[at] == "NEXT" and sources[0].stack[depth] in self.ranges
        if is_range:
            changed.add(depth)
        block = self.known(joined(sources, "↵", changed, unbound))
        if is_range:
            self.ranges.add(block)
        self.headers[at], self.lasts[block] = block, last
        return block

    def line(self, block: Block, at: int, waiting: Waiting, stop: int | None) -> None:
        """Instructions one after the other, until it goes on in other blocks, which wait then, or ends."""
        code = self.code
        while True:
            part = self.part_at(at)
            opcode, argument = code.opcodes[at], code.arguments[at]
            if part is not None:
                block, at = self.do_part(block, part, waiting), part.end
            elif opcode in JUMPS:
                self.jump(block, at, waiting)
                return
            elif opcode == "RETURN":
                block.graph.output = block.pop()
                return
            elif opcode in ("RAISE", "RERAISE"):
                span = self.span(code.positions[at])
                block.graph.output = block.call(PRIMITIVES["raise"], *block.pops(argument or 0), span=span)
                return
            else:
                self.do(block, at)
                at += 1
            if at in self.leaders or at == stop:
                waiting.setdefault(at, []).append(block)
                return

    def do(self, block: Block, at: int) -> None:
        code, self.at = self.code, at
        self.step(block, code.opcodes[at], code.arguments[at], self.span(code.positions[at]))

    def ITER(self, block: Block, _: None, span: Span) -> None:
        """What a loop goes over: of `range(…)` it is the rest; while there is one, its first number is taken."""
        value = block.pop()
        if isinstance(value, CNode) and value.calls(range):
            self.ranges.add(value)
            block.push(value)
        else:
            block.push(block.call(PRIMITIVES["iter"], value, span=span))

    def jump(self, block: Block, at: int, waiting: Waiting) -> None:
        """Go on where a jump leads, or both ways."""
        if self.code.opcodes[at] == "JUMP":
            self.go(block, self.code.arguments[at], at, waiting)
            return
        condition, first, second = self.fork(block, at)
        block.branch(condition, first[0], second[0], self.span(self.code.positions[at]))
        for way, target in (first, second):
            self.go(self.known(way), target, at, waiting)

    def go(self, block: Block, target: int, at: int, waiting: Waiting) -> None:
        """Go on at an instruction."""
        if target <= at:
            block.jump(self.headers[target])
        else:
            waiting.setdefault(target, []).append(block)

    def fork(self, block: Block, at: int) -> tuple[AnfNode, tuple[Block, int], tuple[Block, int]]:
        """What a branch asks, and the ways in which it goes on: where that is true, and where not."""
        opcode, target = self.code.opcodes[at], self.code.arguments[at]
        if opcode == "NEXT":
            return self.following(block, at)
        condition = block.pop()
        jumps_on = opcode.startswith("JUMP_IF")
        leaves = target > self.lasts.get(block, target)  # it is the condition of a loop
        marks = ("✓", "✗") if not leaves else ("↓", "↻") if jumps_on else ("↻", "↓")
        first, second = map(block.follow, marks)
        jumping, going = (first, second) if jumps_on else (second, first)
        if opcode.endswith("OR_POP"):
            jumping.push(condition)
        ways = (jumping, target), (going, at + 1)
        return condition, *(ways if jumps_on else ways[::-1])

    def following(self, block: Block, at: int) -> tuple[AnfNode, tuple[Block, int], tuple[Block, int]]:
        """The next item of a loop, in a tuple or in front of the rest of a range; there is none at the end."""
        span, getitem = self.span(self.code.positions[at]), PRIMITIVES["getitem"]
        items = block.node(block.stack[-1])
        is_range = block in self.ranges
        condition = items if is_range else block.call(PRIMITIVES["following"], items, span=span)
        body, after = block.follow("↻"), block.follow("↓")
        if is_range:
            body.stack[-1] = body.graph.apply(getitem, condition, slice(1, None), span=span)
        body.push(body.graph.apply(getitem, condition, 0, span=span))
        after.stack.pop()
        return condition, (body, at + 1), (after, self.code.arguments[at])

    # -- parts --------------------------------------------------------------------------------------------------------

    def is_seen(self, part: Part) -> bool:
        """Whether a part has a form of its own."""
        kind = type(part.node)
        if kind in VALUES:  # unless it binds variables, which are of the function around it
            return all(name.startswith(".") for name in self.changed(part.start, part.end))
        found = [f"{_WHAT[kind.__name__]} has no graph form"] if kind.__name__ in _WHAT else []
        for opcode, argument in self.within(part.start, part.end):
            if opcode == "FUNCTION":
                flags = argument[0].co_flags
                found += ["a generator goes on where it has stopped"] if flags & STOPS else []
                found += ["what is `async` is left to Python"] if flags & WAITS else []
                found += ["type parameters have no graph form"] if id(argument[0]) not in DEFINITIONS else []
            elif kind is ast.Raise and opcode == "RAISE" and argument == 0:
                found.append("it raises what is being handled")
        if found:
            self.reasons[part] = found[0]
        return bool(found)

    def part_at(self, at: int) -> Part | None:
        """The outermost part that begins at an instruction, and is not being read."""
        return next((part for part in self.parts.get(at, ()) if part not in self.inside), None)

    def do_part(self, block: Block, part: Part, waiting: Waiting) -> Block:
        """A part of the program that is one call; gives the block behind it."""
        span = self.span(position_of(part.node))
        if part in self.reasons:
            return self.left_to_python(block, part, span, waiting)
        self.inside.append(part)
        depth = len(block.stack)
        if type(part.node) in _COMPREHENSIONS:
            depth -= 1
            value: AnfNode = self.collected(block, part, span)
        else:
            value = self.chosen(block, part.start, part.end, {})
        self.inside.pop()
        block.stack[depth:] = [value]
        return block

    def collected(self, block: Block, part: Part, span: Span) -> CNode:
        """What a comprehension gives: a function of the iterator on the stack."""
        items, results = block.node(block.stack[-1]), self.program.results
        inner = self.known(Block(type(part.node).__name__.lower(), block))
        inner.graph.span = span
        parameter = inner.graph.parameter("items")
        inner.stack, results[parameter] = [parameter], items
        if items in self.ranges:
            self.ranges.add(parameter)
        end = self.run(inner, part.start, part.end)
        end.graph.output = results[inner.graph] = end.pop()
        return block.call(inner.graph, items, span=span)

    def chosen(self, block: Block, at: int, end: int, sides: dict[tuple, Block]) -> AnfNode:
        """The value of an expression that has branches; each way is a function of its own.

        Args:
            block: where it is computed.
            at, end: the instructions.
            sides: the ways that have been gone already.
        """
        while at < end:
            part, opcode = self.part_at(at), self.code.opcodes[at]
            if part is not None:
                self.do_part(block, part, {})
                at = part.end
            elif opcode == "JUMP":
                at = self.code.arguments[at]
            elif opcode in JUMPS:
                condition, *ways = self.fork(block, at)
                graphs = []
                for way, target in ways:
                    side = sides.setdefault((target, *map(id, way.stack)), way)
                    if side is way:
                        side.graph.output = self.chosen(self.known(side), target, end, sides)
                    graphs.append(side.graph)
                span = self.span(self.code.positions[at])
                return block.call(block.call(switch, condition, *graphs, span=span), span=span)
            else:
                self.do(block, at)
                at += 1
        return block.pop()


#: Functions that stop in the middle, and those that wait for others.
STOPS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
WAITS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
VALUES = (ast.BoolOp, ast.IfExp, ast.Compare, *_COMPREHENSIONS)
#: What statements without a graph form are called.
_WHAT = {
    "Try": "`try`", "TryStar": "`try`", "With": "`with`", "Match": "`match`", "ClassDef": "a class", "Import": "an import",
    "ImportFrom": "an import", "TypeAlias": "a type",
}  # fmt: skip
