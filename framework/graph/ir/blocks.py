"""Basic blocks as functions: how variables become values.

A block is a graph, a jump is a call in tail position, and a variable that differs between the jumps into a block is a
parameter of it, a *phi*. What one block computes, those behind it take as closures do. The method is that of Braun et al.,
Simple and Efficient Construction of Static Single Assignment Form (CC 2013), with blocks as functions (Appel 1998).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

from anfora.core.span import Span
from anfora.graph.ir import PRIMITIVES, AnfNode, CNode, FuncGraph, Parameter
from anfora.graph.ir.primitives import switch

__all__ = ["Block", "marked"]


def marked(mark: str, name: str) -> str:
    """The name of a block that follows from another: `✓f`, `✗✓f`; repeated ends are counted, `2↓f`."""
    repeated = re.match(r"(\d*)↓(.*)", name) if mark == "↓" else None
    return f"{int(repeated[1] or 1) + 1}↓{repeated[2]}" if repeated else mark + name


class Block:
    """A piece of a function without jumps in the middle.

    Args:
        name: of its graph.
        outside: gives the node of a variable that no block has bound; for the first block of a function.
        may_change: the variables that may differ between the jumps into this block.
    """

    def __init__(self, name: str, outside: Callable[[str], AnfNode], may_change: Collection[str] = ()) -> None:
        self.graph = FuncGraph(name)
        self.outside, self.may_change = outside, may_change
        self.sources: list[Block] = []  #: the blocks from which control comes
        self.sealed = False  #: whether all of them are known
        self.bound: dict[str, AnfNode] = {}
        self.phis: dict[Parameter, str] = {}
        self.passed: dict[Parameter, dict[Block, AnfNode]] = {}  #: what each source passes for a phi
        self.target: Block | None = None  #: where it jumps to at its end
        self.calls: list[CNode] = []  #: what the program computes here, in its order

    def follow(self, mark: str, sources: list[Block], may_change: Collection[str] = ()) -> Block:
        """A new block behind others; seal it when all of them are known."""
        made = Block(marked(mark, self.graph.name), self.outside, may_change)
        made.sources = sources
        return made

    def read(self, name: str) -> AnfNode:
        """The node bound to a variable here, looking back; makes a phi where paths may differ."""
        block, passed = self, []
        while name not in block.bound and block.is_transparent(name):  # a loop: there may be many blocks
            passed.append(block)
            block = block.sources[0]
        node = block.find(name)
        for other in passed:
            other.bound[name] = node
        return node

    def is_transparent(self, name: str) -> bool:
        """Whether a variable that is not bound here is the same before this block, by whichever way one comes."""
        return bool(self.sources) and (name not in self.may_change or (self.sealed and len(self.sources) == 1))

    def find(self, name: str) -> AnfNode:
        """The node bound to a variable in a block that one cannot look through."""
        if name in self.bound:
            return self.bound[name]
        if not self.sources:
            return self.outside(name)
        phi = self.bound[name] = self.graph.parameter(name)  # bound first: loops reach themselves
        self.phis[phi] = name
        if self.sealed:
            self.fill(phi)
        return phi

    def fill(self, phi: Parameter) -> None:
        """Ask every source what it passes for a phi."""
        self.passed[phi] = {}
        for source in self.sources:
            self.passed[phi][source] = source.read(self.phis[phi])

    def seal(self) -> Block:
        """All sources are known now."""
        self.sealed = True
        for phi in list(self.phis):
            self.fill(phi)
        return self

    def call(self, function: Any, *arguments: Any, span: Span | None = None) -> CNode:
        """A call that the program makes here."""
        made = self.graph.apply(function, *arguments, span=span)
        self.calls.append(made)
        return made

    # -- ends ---------------------------------------------------------------------------------------------------------

    def jump(self, target: Block) -> None:
        """Go on in another block. What is passed is known when all blocks are there: see `finish`."""
        self.target = target
        target.sources.append(self)

    def branch(self, condition: AnfNode, first: Block, second: Block, span: Span) -> None:
        """Go on in one of two blocks."""
        self.graph.output = self.call(self.call(switch, condition, first.graph, second.graph, span=span), span=span)

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

    def finish(self) -> None:
        """Make the call that is the jump."""
        if self.target is not None:
            arguments = [self.target.passed[phi][self] for phi in self.target.phis]
            self.graph.output = self.call(self.target.graph, *arguments)
