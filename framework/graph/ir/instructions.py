"""Instructions as calls: what each makes of the nodes on the stack of a block (source/code.py says what they do).

Every instruction that computes is a call, made in the order in which Python makes it; those that move values make none.
Where jumps lead is control's (control.py).
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any

from anfora.core.span import Span
from anfora.graph.ir import PRIMITIVES, AnfNode, CNode, ValueNode
from anfora.graph.ir.blocks import Block, Items, plain_name
from anfora.graph.ir.nodes import known_value
from anfora.graph.ir.primitives import UNBOUND
from anfora.graph.ir.structure import graph_of
from anfora.graph.source.code import Code

if TYPE_CHECKING:
    from anfora.graph.ir.parser import Program

__all__ = [
    "CHANGES", "CHANGES_GLOBAL", "NO_VALUE", "Instructions", "needs_form", "parameters_of", "passed_on", "signature_form",
]  # fmt: skip

#: Instructions that give variables of the function, and of the module, a value or take it.
CHANGES = frozenset(["STORE", "DELETE", "STORE_CELL", "DELETE_CELL"])
CHANGES_GLOBAL = frozenset(["STORE_GLOBAL", "DELETE_GLOBAL"])
#: What is a call of a primitive with what is on the stack, by instruction: the primitive (`{}` is the argument), the places
#: of its arguments, and whether it leaves a value.
_CALLS: dict[str, tuple[str, tuple[int, ...], bool]] = {
    "UNARY": ("{}", (0,), True), "BINARY": ("{}", (0, 1), True), "COMPARE": ("{}", (0, 1), True),
    "INPLACE": ("i{}", (0, 1), True), "GETITEM": ("getitem", (0, 1), True), "SLICE": ("make_slice", (0, 1, 2), True),
    "SETITEM": ("setitem", (1, 2, 0), False), "DELITEM": ("delitem", (0, 1), False),
}  # fmt: skip
#: What adds to a container, by instruction: how it goes in, and the method for one that is there already.
_ADDING = {
    "APPEND": ("", "append"), "ADD": ("", "add"), "PUT": ("", ""), "EXTEND": ("*", "extend"),
    "UPDATE": ("*", "update"), "MERGE": ("**", "update"), "MERGE_KEYWORDS": ("**", "update"),
}  # fmt: skip
_KINDS = {"TUPLE": tuple, "LIST": list, "SET": set, "MAP": dict}


class Instructions:
    """Makes nodes of instructions; for the opcode X the method X. What it works with is a function's: see
    `parser.FunctionParser`."""

    program: Program
    function: Any  #: a types.FunctionType
    code: Code
    cells: dict[str, AnfNode]  #: variables in cells, of the function and of those around it
    held: dict[str, AnfNode]  #: variables of functions around it that keep their values
    stores_global: Collection[str]
    seen_as_objects: Callable[
        [list[AnfNode]], None
    ]  #: told of values whose attributes are asked for, or that are told apart

    def step(self, block: Block, opcode: str, argument: Any, span: Span) -> None:
        """Do an instruction that does not jump."""
        if opcode in _CALLS:
            name, places, leaves = _CALLS[opcode]
            operands = block.pops(len(places))
            if opcode == "COMPARE":
                self.seen_as_objects(operands)
            result = block.call(PRIMITIVES[name.format(argument)], *[operands[i] for i in places], span=span)
            block.stack += [result] * leaves
        elif opcode in _KINDS:
            kind = _KINDS[opcode]
            block.push(Items(kind, ("",) * argument, tuple(block.pops(argument * (1 + (kind is dict)))), span))
        elif opcode in _ADDING:
            self.add(block, opcode, argument or 1, span)
        else:
            getattr(self, opcode)(block, argument, span)

    # -- the stack ----------------------------------------------------------------------------------------------------

    def CONST(self, block: Block, value: Any, span: Span) -> None:
        block.push(ValueNode(value))

    def POP(self, block: Block, _: None, span: Span) -> None:
        value = block.stack.pop()
        if isinstance(value, Items) and (value.kind in (set, dict) or any(value.form)):
            block.made(value)  # which may fail

    def COPY(self, block: Block, n: int, span: Span) -> None:
        block.settle(len(block.stack) - n)
        block.push(block.stack[-n])

    def LOOP(self, block: Block, _: Any, span: Span) -> None:
        pass

    def SWAP(self, block: Block, n: int, span: Span) -> None:
        stack = block.stack
        stack[-1], stack[-n] = stack[-n], stack[-1]

    def ROTATE(self, block: Block, n: int, span: Span) -> None:
        block.stack.insert(len(block.stack) - n, block.stack.pop())

    # -- variables ----------------------------------------------------------------------------------------------------

    def LOAD(self, block: Block, name: str, span: Span, is_own: bool = True) -> None:
        value = block.variables[name]
        if name in block.unsure:
            value = block.call(PRIMITIVES["bound"], block.node(value), name, is_own, span=span)
            block.variables[name] = value
            block.unsure.discard(name)
        block.push(value)

    def LOAD_OUTER(self, block: Block, name: str, span: Span) -> None:
        self.LOAD(block, name, span, is_own=False)

    def STORE(self, block: Block, name: str, span: Span) -> None:
        value = block.pop()
        if isinstance(value, CNode) and value.name is None:
            value.name = plain_name(name)
        block.variables[name] = value
        block.unsure.discard(name)

    def DELETE(self, block: Block, name: str, span: Span) -> None:
        if name in block.unsure:
            self.LOAD(block, name, span)
            block.stack.pop()
        block.variables[name] = NO_VALUE
        block.unsure.add(name)

    def LOAD_CELL(self, block: Block, name: str, span: Span, is_own: bool = True) -> None:
        if name in self.cells:
            cell, is_own = self.cells[name], is_own and name in self.code.cells
            block.push(block.call(PRIMITIVES["load_cell"], cell, name, is_own, span=span))
        elif name in self.held:
            block.push(self.held[name])
        else:
            self.LOAD(block, name, span, is_own)

    def LOAD_OUTER_CELL(self, block: Block, name: str, span: Span) -> None:
        self.LOAD_CELL(block, name, span, is_own=False)

    def STORE_CELL(self, block: Block, name: str, span: Span) -> None:
        if name in self.cells:
            block.call(PRIMITIVES["store_cell"], self.cells[name], block.pop(), span=span)
        else:
            self.STORE(block, name, span)

    def DELETE_CELL(self, block: Block, name: str, span: Span) -> None:
        if name in self.cells:
            block.call(PRIMITIVES["empty_cell"], self.cells[name], name, span=span)
        else:
            self.DELETE(block, name, span)

    def LOAD_GLOBAL(self, block: Block, name: str, span: Span) -> None:
        constant = None if name in self.stores_global else self.program.global_constant(self.function, name)
        block.push(constant or block.call(PRIMITIVES["load_global"], self.function, name, span=span))

    def STORE_GLOBAL(self, block: Block, name: str, span: Span) -> None:
        block.call(PRIMITIVES["store_global"], self.function, name, block.pop(), span=span)

    def DELETE_GLOBAL(self, block: Block, name: str, span: Span) -> None:
        block.call(PRIMITIVES["delete_global"], self.function, name, span=span)

    # -- attributes and items -----------------------------------------------------------------------------------------

    def GETATTR(self, block: Block, name: str, span: Span) -> None:
        """In a module it is a constant, if it may be one."""
        value = block.pop()
        self.seen_as_objects([value])
        if isinstance(value, ValueNode) and isinstance(value.value, types.ModuleType) and hasattr(value.value, name):
            constant = self.program.constant(getattr(value.value, name))
            if constant is not None:
                block.push(constant)
                return
        block.push(block.call(PRIMITIVES["getattr"], value, name, span=span))

    def SETATTR(self, block: Block, name: str, span: Span) -> None:
        value, owner = block.pops(2)
        if name == "__qualname__" and sys.version_info < (3, 11) and graph_of(owner) is not None:
            return  # Python gives it so, and a graph has it
        self.seen_as_objects([owner])
        block.call(PRIMITIVES["setattr"], owner, name, value, span=span)

    def DELATTR(self, block: Block, name: str, span: Span) -> None:
        owner = block.pop()
        self.seen_as_objects([owner])
        block.call(PRIMITIVES["delattr"], owner, name, span=span)

    def UNPACK(self, block: Block, n: int, span: Span) -> None:
        top = block.stack[-1]
        if isinstance(top, Items) and top.kind in (tuple, list) and top.form == ("",) * n:  # x, y = y, x
            block.stack[-1:] = top.nodes[::-1]
        else:
            self.items(block, block.call(PRIMITIVES["unpack"], block.pop(), n, span=span), n)

    def UNPACK_REST(self, block: Block, ends: tuple[int, int], span: Span) -> None:
        self.items(block, block.call(PRIMITIVES["unpack_rest"], block.pop(), *ends, span=span), sum(ends) + 1)

    def items(self, block: Block, unpacked: AnfNode, count: int) -> None:
        items = [block.graph.apply(PRIMITIVES["getitem"], unpacked, i, span=unpacked.span) for i in range(count)]
        block.stack += items[::-1]

    # -- displays and texts -------------------------------------------------------------------------------------------

    def add(self, block: Block, opcode: str, depth: int, span: Span) -> None:
        way, method = _ADDING[opcode]
        top = block.stack[-1]
        if way == "**" and isinstance(top, Items) and top.span == span:  # f(**x, y=1): such a run is a dict of its own
            run, form, parts = top, top.form, list(top.nodes)
            block.stack.pop()
        else:
            run, form, parts = None, (way,), block.pops(2 if opcode == "PUT" else 1)
        into = block.stack[-depth]
        if isinstance(into, Items):
            block.stack[-depth] = into._replace(form=(*into.form, *form), nodes=(*into.nodes, *parts))
        elif opcode == "PUT":
            block.call(PRIMITIVES["setitem"], block.node(into), *parts, span=span)
        else:
            if run is not None and form != (way,):
                parts = [block.made(run)]
            adding = block.call(PRIMITIVES["getattr"], block.node(into), method, span=span)
            block.call(adding, *parts, span=span)

    def TO_TUPLE(self, block: Block, _: None, span: Span) -> None:
        items = block.stack.pop()
        if isinstance(items, Items):
            block.push(items._replace(kind=tuple))
        else:
            block.push(block.call(tuple, block.node(items), span=span))

    def TO_DICT(self, block: Block, _: None, span: Span) -> None:
        pass

    def FORMAT(self, block: Block, how: tuple[str, bool], span: Span) -> None:
        conversion, has_spec = how
        spec = block.pop() if has_spec else ValueNode("")
        block.push(block.call(PRIMITIVES["format"], block.pop(), conversion, spec, span=span))

    def JOIN(self, block: Block, n: int, span: Span) -> None:
        block.push(block.call(PRIMITIVES["join"], *block.pops(n), span=span))

    # -- calls --------------------------------------------------------------------------------------------------------

    def CALL(self, block: Block, form: tuple[int, tuple[str, ...]], span: Span) -> None:
        count, names = form
        values = block.pops(count)
        self.apply(block, [""] * (count - len(names)) + [f"{name}=" for name in names], values, span)

    def SPREAD(self, block: Block, _: None, span: Span) -> None:
        """f items dict: the items are those of `f(*items)`"""
        items = block.node(block.stack[-2])
        block.stack[-2] = Items(tuple, ("*",), (items,), span)

    def CALL_SPREAD(self, block: Block, _: None, span: Span) -> None:
        form: list[str] = []
        values: list[AnfNode] = []
        items, named = block.stack[-2:]
        del block.stack[-2:]
        if isinstance(items, Items):
            form += items.form
            values += items.nodes
        else:
            form.append("*")
            values.append(block.node(items))
        if isinstance(named, Items):
            nodes = iter(named.nodes)
            for way in named.form:
                form.append(way or f"{known_value(next(nodes))}=")
                values.append(next(nodes))
        else:
            form.append("**")
            values.append(block.node(named))
        self.apply(block, form, values, span)

    def apply(self, block: Block, form: list[str], values: list[AnfNode], span: Span) -> None:
        """The call of what is on the stack; of functions of the program that of their graphs."""
        function = self.program.called(block, block.pop(), span)
        graph = graph_of(function)
        is_plain = not any(form) and (graph is None or len(graph.parameters) == len(values))
        if graph is not None and not is_plain:  # what does not fit is told in Python's words
            names = tuple(str(parameter.name) for parameter in graph.parameters)
            function = block.call(PRIMITIVES["signed"], function, names, span=span)
        if is_plain:
            block.push(block.call(function, *values, span=span))
        else:
            block.push(block.call(PRIMITIVES["apply"], function, tuple(form), *values, span=span))


NO_VALUE = ValueNode(UNBOUND)


def signature_form(python: types.CodeType, defaults: int, named: Collection[str]) -> tuple[str, ...]:
    """The parameters of a function as texts: `x`, `y=`, `*rest`, `key=`, `**more`; `/` and `*` stand between them.

    Args:
        python: its code.
        defaults: how many of the parameters by place have a default.
        named: which of those by name have one.
    """
    count, only = python.co_argcount, python.co_kwonlyargcount
    names = parameters_of(python)
    form = [f"{name}=" if k >= count - defaults else name for k, name in enumerate(names[:count])]
    if python.co_posonlyargcount:
        form.insert(python.co_posonlyargcount, "/")
    if python.co_flags & inspect.CO_VARARGS:
        form.append(f"*{names[count]}")
    elif only:
        form.append("*")
    form += [f"{name}=" if name in named else name for name in python.co_varnames[count : count + only]]
    return (*form, f"**{names[-1]}") if python.co_flags & inspect.CO_VARKEYWORDS else tuple(form)


def parameters_of(python: types.CodeType) -> list[str]:
    """The parameters of a function, in the order of the source."""
    count, only, names = python.co_argcount, python.co_kwonlyargcount, python.co_varnames
    has_rest, has_more = bool(python.co_flags & inspect.CO_VARARGS), bool(python.co_flags & inspect.CO_VARKEYWORDS)
    packed = names[count + only : count + only + has_rest + has_more]
    return [*names[:count], *packed[:has_rest], *names[count : count + only], *packed[has_rest:]]


def needs_form(form: tuple[str, ...]) -> bool:
    return any(not set("*/=").isdisjoint(each) for each in form)


def passed_on(form: tuple[str, ...]) -> Iterator[str]:
    """How the values of parameters are passed on to a function with the same signature."""
    by_name = False
    for each in form:
        by_name = by_name or each[0] == "*"
        if each.strip("*/"):
            yield each[: len(each) - len(each.lstrip("*"))] or (f"{each.rstrip('=')}=" if by_name else "")
