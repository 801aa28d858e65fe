"""From the source of a Python function to its graph: all of the language but `async`.

What is read are the instructions of the function (source/): a stack machine for which a value is a node. Every call of the
source is a call of the graph, made in the order in which Python makes it; one whose result nothing uses is kept by a
`depend`: it may fail or have an effect. Values that are chosen (`and`, `or`, `if`) are small functions, and so are
comprehensions. Inner functions hold values, where Python's hold variables: one that they use, and that changes behind
them, lives in a cell (`make_cell`), and is read and written by calls.

What has no graph form (`try`, `with`, `match`, classes, imports, generators) is an `interpret` node: a Python function of
the variables that it uses, which gives back those that it binds, and how it goes on (interpreted.py). It stands in order
among the other calls, with its source, its line and the reason. Where a whole function has none (a generator, one that asks
for its own frame), the call of it is such a node.

Functions of the program itself (of the package or script that the parsed one is in) are graphs where they are called; other
global functions, classes and modules are constants. Other variables from outside are read where the program reads them.
"""

from __future__ import annotations

import ast
import builtins
import dis
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from anfora.core.op import Op
from anfora.core.span import Span
from anfora.graph.ir import PRIMITIVES, AnfNode, CNode, FuncGraph, ValueNode
from anfora.graph.ir.blocks import Block, Items, plain_name
from anfora.graph.ir.control import STOPS, WAITS, Control, Waiting
from anfora.graph.ir.instructions import (
    CHANGES,
    CHANGES_GLOBAL,
    NO_VALUE,
    needs_form,
    parameters_of,
    passed_on,
    signature_form,
)
from anfora.graph.ir.interpreted import BREAK, CONTINUE, RETURN, function_of
from anfora.graph.ir.nodes import Graph, known_value
from anfora.graph.ir.structure import Structure, graph_of
from anfora.graph.ir.values import is_meta
from anfora.graph.source.code import JUMPS, Code, Part, Position, Unsupported, about
from anfora.graph.source.scopes import DEFINITIONS, Definition, no_arguments, position_of
from anfora.graph.source.sources import definition_of
from anfora.graph.source.statements import compile_function

__all__ = ["FunctionParser", "Program", "parse"]


def parse(function: Callable) -> FuncGraph:
    """The graph of a Python function.

    Args:
        function: a function with source; `jit` around it is seen through.
    Returns:
        a closed graph with the function's parameters: `*args` is one of them, a tuple, and `**kwargs` a dict.
    Raises:
        NotImplementedError: it is no Python function, its source cannot be found, or it is `async`.
    Example:
        >>> def double(x):
        ...     return x + x
        >>> print(parse(double).anf())
        lambda (x)
            let ret = x + x in
            ret end
    """
    plain = _unwrapped(function)
    if not isinstance(plain, types.FunctionType):
        raise NotImplementedError(f"only functions that Python has made are parsed, and not {plain!r}")
    program = Program((plain.__module__ or "").partition(".")[0], FunctionParser)
    graph = program.graph(plain)
    program.finish(graph)
    return graph


def _unwrapped(function: Any) -> Any:
    """The function that `jit` was put around."""
    while getattr(type(function), "_is_compiled", False):
        function = function.__wrapped__
    return function


class _Again(Exception):
    """Something has been learned of an inner function or its variables, with which the outer one must be parsed."""


class _Whole(Exception):
    """A function has no graph form as a whole."""


class Program:
    """The functions that are parsed together, each once, so that recursion finds itself.

    Args:
        home: the package or script of which functions are graphs where they are called; None for no other functions.
        parser: what parses one.
    """

    def __init__(self, home: str | None, parser: type[FunctionParser]) -> None:
        self.home, self.parser = home, parser
        self.graphs: dict[Any, FuncGraph] = {}
        self.forms: dict[Any, tuple[str, ...]] = {}  #: signatures, by function
        self.blocks: list[Block] = []
        self.codes: dict[int, Code] = {}  #: by the identity of Python's
        #: What has been learned: variables that change behind an inner function, with the code that they are of, and the
        #: code of inner functions that are used as objects.
        self.changing: set[tuple[types.CodeType, str]] = set()
        self.objects: set[types.CodeType] = set()
        self.inner: dict[Graph | None, types.CodeType] = {}  #: of inner functions
        #: What comprehensions give, by their graphs, and what they are given, by their parameters.
        self.results: dict[Graph | AnfNode, AnfNode] = {}

    def code(self, definition: Definition) -> Code:
        found = self.codes.get(id(definition.python))
        if found is None:
            found = self.codes[id(definition.python)] = compile_function(definition)
        return found

    def graph(self, function: types.FunctionType) -> FuncGraph:
        if function in self.graphs:
            return self.graphs[function]
        try:
            definition = definition_of(function)
        except Unsupported as reason:
            raise NotImplementedError(str(reason)) from None
        python = function.__code__
        if python.co_flags & WAITS:
            raise NotImplementedError(f"`async def {python.co_name}` has no graph: nothing here waits")
        graph = self.graphs[function] = FuncGraph(_name_of(python))
        form = signature_form(python, len(function.__defaults__ or ()), function.__kwdefaults__ or ())
        self.forms[function] = form
        while True:
            parser = self.parser(self, function, definition, graph)
            try:
                parser.parse()
            except _Again:
                continue
            except (_Whole, Unsupported) as whole:
                parser = self.parser(self, function, definition, graph)
                parser.whole(str(whole), form)
            self.blocks += parser.blocks
            return graph

    def constant(self, value: Any) -> ValueNode | None:
        """A value from outside as a constant; None if it could change."""
        kinds = (Op, type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
        value = _unwrapped(value)
        return ValueNode(value) if isinstance(value, kinds) or is_meta(value) else None

    def global_constant(self, function: types.FunctionType, name: str) -> ValueNode | None:
        """A variable of a function's module, or a builtin, as a constant."""
        for scope in (function.__globals__, vars(builtins)):
            if name in scope:
                return self.constant(scope[name])
        return None

    def called(self, block: Block, function: AnfNode, span: Span) -> AnfNode:
        """What is called: of the functions of the program their graphs."""
        if not isinstance(function, ValueNode) or not self._is_own(function.value):
            return function
        plain = function.value
        graph, form = ValueNode(self.graph(plain)), self.forms[plain]
        if not needs_form(form):
            return graph
        keywords = plain.__kwdefaults__ or {}
        named = [keywords[each[:-1]] for each in form if each.endswith("=") and each[:-1] in keywords]
        defaults = (*(plain.__defaults__ or ()), *named)
        return block.call(PRIMITIVES["signed"], graph, form, *map(ValueNode, defaults), span=span)

    def _is_own(self, function: Any) -> bool:
        """Whether it is a function of the program itself, which becomes a graph where it is called."""
        if type(function) is not types.FunctionType or (function.__module__ or "").partition(".")[0] != self.home:
            return False
        try:
            definition_of(function)
        except Unsupported:
            return False
        return not function.__code__.co_flags & WAITS

    def finish(self, root: FuncGraph) -> None:
        """Make the jumps, then let results wait for calls that nothing uses."""
        self.settle()
        for block in self.blocks:
            block.finish()
        blocks = {block.graph: block for block in self.blocks}
        finished: set[Any] = set()
        while True:  # what is kept may bring in graphs with calls of their own
            structure = Structure(root)
            new = [graph for graph in structure.graphs if graph not in finished]
            if not new:
                return
            for graph in new:
                finished.add(graph)
                blocks[graph].keep(set(structure.schedules[graph]))  # type: ignore[index]

    def settle(self) -> None:
        """Make the parameters of blocks that others need which they jump to."""
        count = -1
        while count < (count := sum(len(block.phis) for block in self.blocks)):  # what is passed may be more of them
            for block in reversed(self.blocks):
                for phi in block.phis:
                    for source in block.sources:
                        source.passed(phi)


class FunctionParser(Control):
    """One function.

    Args:
        program: what it belongs to.
        function: the Python function that knows the globals.
        definition: its source.
        graph: its graph; with parameters, where it is parsed again.
        outer: the function that it stands in, if it is an inner one.
    """

    def __init__(
        self, program: Program, function: types.FunctionType, definition: Definition, graph: FuncGraph,
        outer: FunctionParser | None = None,
    ) -> None:  # fmt: skip
        self.program, self.function, self.definition = program, function, definition
        self.python = definition.python
        self.qualname: str = (
            function.__qualname__ if outer is None else f"{outer.qualname}.<locals>.{self.python.co_name}"
        )
        self.blocks: list[Block] = [] if outer is None else outer.blocks
        self.entry = self.known(Block(graph.name))
        self.entry.graph = graph
        if graph.span is None:
            graph.span = self.span(position_of(definition.node))
            for name, position in _parameters(definition):
                graph.parameter(name, span=self.span(position))
        graph.output = None
        self.cells: dict[str, AnfNode] = {}
        self.held: dict[str, AnfNode] = {}
        if outer is None:
            for name, cell in zip(self.python.co_freevars, function.__closure__ or ()):
                self.take(name, cell)

    def take(self, name: str, cell: types.CellType) -> None:
        """A variable around the function that is parsed."""
        try:
            constant = self.program.constant(cell.cell_contents)
        except ValueError:
            constant = None
        if constant is None or name in _assigned_outside(self.python):
            self.cells[name] = ValueNode(cell)
        else:
            self.held[name] = constant

    def known(self, block: Block) -> Block:
        self.blocks.append(block)
        return block

    def span(self, position: Position) -> Span:
        line, end_line, column, end_column = about(position)
        return Span(self.function.__code__.co_filename, line, self.qualname, end_line, column, end_column)

    def whole(self, reason: str, form: tuple[str, ...]) -> None:
        """The function as one call of Python's."""
        text, entry = f"{self.function.__name__}(…)", self.entry
        apply, passed = PRIMITIVES["apply"], tuple(passed_on(form))
        span = self.span(position_of(self.definition.node))
        entry.graph.output = _interpret(
            entry, text, reason, (), apply, self.function, passed, *entry.graph.parameters, span=span
        )

    def parse(self) -> None:
        self.refuse()
        self.look_at(self.program.code(self.definition))
        self.make_variables()
        self.look_at_parts()
        self.run(self.entry, 0)

    def refuse(self) -> None:
        """Functions that have no graph form as a whole."""
        if self.python.co_flags & STOPS:
            raise _Whole("a generator goes on where it has stopped")
        if "__class__" in self.python.co_freevars:
            raise _Whole("it asks for the class that it is defined in")

    # -- variables ----------------------------------------------------------------------------------------------------

    def make_variables(self) -> None:
        """Parameters have values, the others have none; those that change behind inner functions live in cells."""
        code, entry = self.code, self.entry
        values = dict(zip(parameters_of(self.python), entry.graph.parameters))
        stored: Counter[str] = Counter(values.keys())
        for at, (opcode, argument) in enumerate(zip(code.opcodes, code.arguments)):
            if opcode in CHANGES:
                in_loop = any(head <= at <= last for head, last in self.loops.items())
                stored[argument] += 1 + in_loop + opcode.startswith("DELETE")
            elif opcode == "FUNCTION":
                stored.update(2 * sorted(_assigned_outside(argument[0])))
        for name in code.cells:
            if stored[name] > 1 or (self.python, name) in self.program.changing:
                cell = self.cells[name] = entry.call(PRIMITIVES["make_cell"])
                cell.name = name
                if name in values:
                    entry.call(PRIMITIVES["store_cell"], cell, values[name])
        for name in stored:
            if name not in self.cells and name not in self.held:
                entry.variables[name] = values.get(name, NO_VALUE)
                if name not in values:
                    entry.unsure.add(name)

    # -- inner functions ----------------------------------------------------------------------------------------------

    def FUNCTION(self, block: Block, argument: tuple[types.CodeType, tuple[str, ...]], span: Span) -> None:
        python, has = argument
        given = {kind: block.stack.pop() for kind in reversed(has)}
        defaults, named = _parts_of(given.get("defaults")), _parts_of(given.get("kwdefaults"))
        form = signature_form(python, len(defaults), [known_value(name) for name in named[::2]])
        is_plain = not needs_form(form) and python not in self.program.objects
        graph = FuncGraph(_name_of(python))
        made: AnfNode = ValueNode(graph)
        self.program.inner[graph] = python
        inner = type(self)(self.program, self.function, DEFINITIONS[id(python)], graph, self)
        after = self.at + (1 if sys.version_info >= (3, 11) else 4)
        for name in python.co_freevars:
            if name in self.cells:
                inner.cells[name] = self.cells[name]
            elif name in self.held:
                inner.held[name] = self.held[name]
            elif is_plain and self.code.opcodes[after].startswith("STORE") and self.code.arguments[after] == name:
                inner.held[name] = made  # it calls itself
            else:
                self.hold(block, name)
                inner.held[name] = block.read(name)
        inner.parse()
        if not is_plain:
            made = block.call(PRIMITIVES["signed"], made, form, *defaults, *named[1::2], span=span)
        block.push(made)

    def hold(self, block: Block, name: str) -> None:
        """An inner function takes the value of a variable, which it must have."""
        if name in block.unsure:
            self.program.changing.add((self.python, name))
            raise _Again

    def seen_as_objects(self, nodes: list[AnfNode]) -> None:
        for node in nodes:
            python = self.program.inner.get(graph_of(node))
            if python is not None and python not in self.program.objects:
                self.program.objects.add(python)
                raise _Again

    # -- what Python does ---------------------------------------------------------------------------------------------

    def left_to_python(self, block: Block, part: Part, span: Span, waiting: Waiting) -> Block:
        """A part that has no graph form: a call that gives how it goes on, a value, and the variables that it binds."""
        result, writes = self.python_call(block, part, span)

        def item(of: Block, position: int) -> CNode:
            return of.graph.apply(PRIMITIVES["getitem"], result, position, span=span)

        for position, name in enumerate(writes, start=2):
            value = item(block, position)
            value.name = plain_name(name)
            block.variables[name] = value
            block.unsure.add(name)
        if isinstance(part.node, ast.expr):
            block.push(item(block, 1))
            return block
        exits = self.exits(part)
        way = item(block, 0) if exits else None
        for kind, target in sorted(exits.items()):
            condition = block.graph.apply(PRIMITIVES["eq"], way, kind, span=span)
            leaving, onward = self.known(block.follow("✓")), self.known(block.follow("✗"))
            block.branch(condition, leaving, onward, span)
            if kind == RETURN:
                leaving.graph.output = item(leaving, 1)
            else:
                head = max(head for head in self.headers if head <= part.start <= self.loops[head])
                leaves_walk = kind == BREAK and self.code.opcodes[head] == "NEXT"
                del leaving.stack[len(self.headers[head].stack) - leaves_walk :]
                self.go(leaving, target, part.start, waiting)
            block = onward
        return block

    def exits(self, part: Part) -> dict[int, int]:
        """How a part may be left, but for its end and exceptions, and where the program goes on then."""
        found: dict[int, int] = {}
        for opcode, argument in self.within(part.start, part.end):
            if opcode == "RETURN":
                found[RETURN] = part.end
            elif opcode in JUMPS and not part.start < argument <= part.end:  # it may be the first of its loop
                found[CONTINUE if argument <= part.start else BREAK] = argument
        return found

    def python_call(self, block: Block, part: Part, span: Span) -> tuple[CNode, list[str]]:
        """The call of a part that Python runs, and the variables of the frame that it binds."""
        writes = {name for name in self.changed(part.start, part.end) if not name.startswith(".")}
        reads: dict[str, AnfNode] = {}
        cells: dict[str, AnfNode] = {}
        declared: dict[str, None] = {}
        for opcode, argument in self.within(part.start, part.end):
            if opcode in CHANGES_GLOBAL:
                declared[argument] = None
            for name in argument[0].co_freevars if opcode == "FUNCTION" else [argument] if opcode in _VARIABLES else []:
                if name in self.cells:
                    cells[name] = self.cells[name]
                elif name in self.held:
                    reads[name] = self.held[name]
                elif not name.startswith("."):
                    if opcode == "FUNCTION" and name not in writes:
                        self.hold(block, name)
                    reads[name] = block.read(name)
        written = [name for name in reads if name in writes]
        function = function_of(part.node, self.definition, self.function, [*reads], [*cells], written, [*declared])
        given, text = {**reads, **cells}, ast.unparse(part.node)
        return _interpret(block, text, self.reasons[part], (*given,), function, *given.values(), span=span), written


def _interpret(
    block: Block, text: str, reason: str, names: tuple[str, ...], function: Any, *values: Any, span: Span
) -> CNode:
    text = " ".join(text.split())
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return block.call(PRIMITIVES["interpret"], text, reason, names, function, *values, span=span)


def _assigned_outside(python: types.CodeType) -> set[str]:
    """The variables of functions around it that a function, or one in it, assigns or deletes."""
    found = {each.argval for each in dis.get_instructions(python) if each.opname in ("STORE_DEREF", "DELETE_DEREF")}
    for constant in python.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _assigned_outside(constant)
    return found & set(python.co_freevars)


def _parts_of(written: Any) -> Sequence[AnfNode]:
    """The parts of a tuple or dict that has been written down."""
    if isinstance(written, Items):
        return written.nodes
    return () if written is None else [ValueNode(each) for each in written.value]


def _name_of(python: types.CodeType) -> str:
    """What the graph of a function is called: `lambda`, `listcomp`, or as it is."""
    return python.co_name.strip("<>")


def _parameters(definition: Definition) -> Iterator[tuple[str, Position]]:
    """The parameters of a function, and where they stand."""
    given = getattr(definition.node, "args", no_arguments())
    arguments = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    places = [position_of(each) for each in arguments if each is not None] or [position_of(definition.node)]
    return zip(parameters_of(definition.python), places)


_LONGEST = 60  #: text of an `interpret` node
_VARIABLES = CHANGES | {"LOAD", "LOAD_OUTER", "LOAD_CELL", "LOAD_OUTER_CELL"}
