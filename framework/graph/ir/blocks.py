"""Basic blocks as functions: how variables become values.

A block is a graph, a jump is a call in tail position, and a variable that differs between the jumps into a block is a
parameter of it, a *phi* (Appel, SSA is Functional Programming, 1998). What one block computes, those behind it take as
closures do. Blocks are made in the order of the instructions, so all that lead to one are there before it, but for those
that jump back to the head of a loop; a phi is made when its variable is read.

The stack of the machine is part of that: what lies on it is a variable without a name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, Union

from anfora.core.span import Span
from anfora.graph.ir import PRIMITIVES, AnfNode, CNode, FuncGraph, Parameter
from anfora.graph.ir.primitives import switch

__all__ = ["Block", "Items", "Phi", "Value", "joined", "plain_name"]


class Items(NamedTuple):
    """A container that is being written down: it is made when something asks for it.

    Attributes:
        kind: tuple, list, set or dict.
        form: how each part goes in: "" as an item (or, of a dict, a key with the value behind it), "*" or "**" as many.
        nodes: the parts; of a key and value, two.
        span: where it is written.
    """

    kind: type
    form: tuple[str, ...]
    nodes: tuple[AnfNode, ...]
    span: Span


class Phi:
    """A variable that differs between the jumps into a block, or may.

    Args:
        block: where.
        key: the variable, or a place on the stack.
    """

    __slots__ = ("block", "key", "parameter")

    def __init__(self, block: Block, key: str | int) -> None:
        self.block, self.key = block, key
        self.parameter: Parameter | None = None

    def node(self) -> Parameter:
        """The parameter of the block that it becomes."""
        if self.parameter is None:
            name = "⤾" if isinstance(self.key, int) else plain_name(self.key)
            self.parameter = self.block.graph.parameter(name)
            self.block.phis.append(self)
        return self.parameter


Value = Union[AnfNode, Phi, Items]


def plain_name(name: str) -> str | None:
    """A variable as the source calls it; None for one of the compiler's own (see writer.py)."""
    return re.sub(r"^\.\d*", "", name) or None


def marked(mark: str, name: str) -> str:
    """The name of a block that follows from another: `✓f`, `✗✓f`; repeated ends are counted, `2↓f`. What the head `↵f` of a
    loop leads to is named as the loop is, `↻f` and `↓f`: else names would grow with each loop behind others."""
    name = name.removeprefix("↵") if mark in ("↻", "↓") else name
    repeated = re.match(r"(\d*)↓(.*)", name) if mark == "↓" else None
    return f"{int(repeated[1] or 1) + 1}↓{repeated[2]}" if repeated else mark + name


class Block:
    """A piece of a function without jumps in the middle.

    Args:
        name: of its graph.
        before: the block that every way to this one goes through last; it starts with the same values.
    """

    def __init__(self, name: str, before: Block | None = None) -> None:
        self.graph = FuncGraph(name)
        self.before = before
        self.variables: dict[str, Value] = dict(before.variables) if before is not None else {}
        self.unsure: set[str] = set(before.unsure) if before is not None else set()  #: may have no value
        self.stack: list[Value] = before.stack[:] if before is not None else []
        self.sources: list[Block] = []  #: the blocks that jump here,
        self.entries = 0  #: of which so many come from before the loop that it is the head of
        self.condition: AnfNode | None = None  #: of the branch at its end
        self.phis: list[Phi] = []
        self.target: Block | None = None  #: where it jumps to at its end
        self.calls: list[CNode] = []  #: what the program computes here, in its order
        #: What all blocks of the function do: their calls, and the blocks where they jump.
        self.order: list[CNode | Block] = before.order if before is not None else []

    def follow(self, mark: str) -> Block:
        """A block that nothing else leads to."""
        return Block(marked(mark, self.graph.name), self)

    def call(self, function: Any, *arguments: Any, span: Span | None = None) -> CNode:
        """A call that the program makes here."""
        made = self.graph.apply(function, *arguments, span=span)
        self.calls.append(made)
        self.order.append(made)
        return made

    # -- values -------------------------------------------------------------------------------------------------------

    def read(self, name: str) -> AnfNode:
        """The node bound to a variable."""
        return self.node(self.variables[name])

    def node(self, value: Value) -> AnfNode:
        """The node that a value is, or becomes."""
        if isinstance(value, Phi):
            return value.node()
        return self.made(value) if isinstance(value, Items) else value

    def made(self, items: Items) -> AnfNode:
        """The call that makes a container."""
        kind, form, nodes, span = items
        if any(form) or kind is set:
            return self.call(PRIMITIVES["gather"], kind, form, *nodes, span=span)
        if kind is not dict:
            return self.call(PRIMITIVES[f"make_{kind.__name__}"], *nodes, span=span)
        keys: Any = self.call(PRIMITIVES["make_tuple"], *nodes[::2], span=span)
        return self.call(PRIMITIVES["make_dict"], keys, *nodes[1::2], span=span)

    def push(self, value: Value) -> None:
        self.stack.append(value)

    def pop(self) -> AnfNode:
        return self.node(self.stack.pop())

    def pops(self, count: int) -> list[AnfNode]:
        """The uppermost values, the top last."""
        taken = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return list(map(self.node, taken))

    def settle(self, depth: int) -> None:
        """Make the containers on the stack, from a place on."""
        self.stack[depth:] = [self.made(v) if isinstance(v, Items) else v for v in self.stack[depth:]]

    # -- ends ---------------------------------------------------------------------------------------------------------

    def jump(self, target: Block) -> None:
        """Go on in another block. What is passed is known when all blocks are there: see `finish`."""
        self.target = target
        target.sources.append(self)
        self.order.append(self)

    def branch(self, condition: AnfNode, first: Block, second: Block, span: Span) -> None:
        """Go on in one of two blocks."""
        self.condition = condition
        self.graph.output = self.call(self.call(switch, condition, first.graph, second.graph, span=span), span=span)

    def passed(self, phi: Phi) -> AnfNode:
        """What it passes for a phi of the block that it jumps to."""
        return self.node(self.stack[phi.key] if isinstance(phi.key, int) else self.variables[phi.key])

    def finish(self) -> None:
        """Make the call that is the jump."""
        if self.target is not None:
            self.graph.output = self.call(self.target.graph, *map(self.passed, self.target.phis))

    def keep(self, live: Collection[AnfNode]) -> None:
        """Let the result wait for calls that are not among the live ones, because they may fail or have effects."""
        loose = [call for call in self.calls if call not in live]
        used = {node for call in loose for node in call.inputs}
        waiting = [call for call in loose if call not in used]
        if not waiting:
            return
        output = self.graph.output
        if isinstance(output, CNode) and output is self.calls[-1]:  # it stays in tail position
            output._inputs = (self.graph.apply(PRIMITIVES["depend"], output.fn, *waiting), *output.args)
        else:
            self.graph.output = self.graph.apply(PRIMITIVES["depend"], output, *waiting)


def joined(
    sources: Sequence[Block], mark: str, changed: Collection[str | int] = (), unbound: Collection[str] = ()
) -> Block:
    """A block that others jump to.

    Args:
        sources: those that are there already.
        mark: what its name begins with.
        changed: the variables, and places on the stack, that others which jump here later may give other values.
        unbound: the variables that these may have taken the value from.
    """
    before = _common(sources)
    name = marked(mark, before.graph.name)
    while any(source.graph.name == name for source in sources):
        name = marked(mark, name)
    block = Block(name, before)
    first, *others = sources
    block.unsure = set(unbound).union(*[source.unsure for source in sources])

    def merged(key: Any, values: list[Value]) -> Value:
        return values[0] if key not in changed and all(v is values[0] for v in values) else Phi(block, key)

    block.variables = {
        name: merged(name, [source.variables[name] for source in sources])
        for name in first.variables
        if all(name in source.variables for source in others)
    }
    block.stack = [merged(i, list(values)) for i, values in enumerate(zip(*[source.stack for source in sources]))]
    for source in sources:
        source.jump(block)
    block.entries = len(sources)
    return block


def _common(blocks: Sequence[Block]) -> Block:
    """The last block that all ways to some go through."""
    found = blocks[0]
    for other in blocks[1:]:
        seen = set()
        one: Block | None = found
        while one is not None:
            seen.add(one)
            one = one.before
        while other not in seen:
            assert other.before is not None
            other = other.before
        found = other
    return found
