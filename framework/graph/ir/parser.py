"""From the source of a Python function to its graph: all of the language but `async`.

Every call of the source is a call of the graph, made in the order in which Python makes it; one whose result nothing uses
is kept by a `depend`: it may fail or have an effect. Values that are chosen (`and`, `or`, `if`) are small functions, and so
are comprehensions. Inner functions hold values, where Python's hold variables: one that they use and that is bound more
than once lives in a cell (`make_cell`), and is read and written by calls.

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
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from anfora.core.op import Op
from anfora.core.span import Span
from anfora.graph.ir import PRIMITIVES, AnfNode, CNode, FuncGraph, ValueNode, interpreted
from anfora.graph.ir.blocks import Block
from anfora.graph.ir.interpreted import BREAK, CONTINUE, RETURN, signature_form
from anfora.graph.ir.primitives import UNBOUND
from anfora.graph.ir.scan import FUNCTIONS, own_nodes, used_inside, why_whole
from anfora.graph.ir.statements import Statements
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.terms import needs_form
from anfora.graph.ir.values import is_meta
from anfora.graph.source.code import Unsupported
from anfora.graph.source.scopes import every_node, private_of
from anfora.graph.source.sources import definition_of

__all__ = ["parse"]


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
    program = _Program(plain)
    graph = program.graph(plain)
    program.finish(graph)
    return graph


def _unwrapped(function: Any) -> Any:
    """The function that `jit` was put around."""
    while getattr(type(function), "_is_compiled", False):
        function = function.__wrapped__
    return function


class _Unbound(Exception):
    """A variable may have no value where it is used."""

    def __init__(self, owner: _Function, name: str) -> None:
        super().__init__(name)
        self.owner, self.name = owner, name


class _Again(Exception):
    """Something has been learned about the variables of a function, which must be parsed with that in mind."""


class _Whole(Exception):
    """A function has no graph form as a whole."""


class _Program:
    """The functions that are parsed together, each once, so that recursion finds itself.

    Args:
        root: the function in which it starts.
    """

    def __init__(self, root: Any) -> None:
        self.home = (getattr(root, "__module__", None) or "").partition(".")[0]
        self.graphs: dict[Any, FuncGraph] = {}
        self.blocks: list[Block] = []
        #: By definition: variables that live in cells, and those that may have no value where they are used.
        self.in_cells: dict[ast.AST, set[str]] = {}
        self.unsure: dict[ast.AST, set[str]] = {}
        self.rewritten: dict[ast.AST, ast.FunctionDef] = {}  #: comprehensions as functions
        self.forms: dict[Any, tuple[str, ...]] = {}  #: signatures, by function

    def graph(self, function: types.FunctionType) -> FuncGraph:
        if function not in self.graphs:
            try:
                definition = definition_of(function)
            except Unsupported as reason:
                raise NotImplementedError(str(reason)) from None
            node = definition.node
            if isinstance(node, ast.AsyncFunctionDef):
                raise NotImplementedError(f"`async def {node.name}` has no graph: nothing here waits")
            parser = _Function(self, function, node, private_of(definition.path))
            graph = parser.entry.graph
            self.graphs[function], self.forms[function] = graph, parser.form
            why = why_whole(node)
            while True:
                try:
                    if why is not None:
                        raise _Whole(why)
                    assert not isinstance(node, ast.GeneratorExp)
                    parser.parse(node.body)
                except _Unbound as unbound:
                    self.unsure.setdefault(unbound.owner.definition, set()).add(unbound.name)
                except _Again:
                    pass
                except _Whole as whole:
                    parser = _Function(self, function, node, "", graph=graph)
                    parser.whole(str(whole))
                    break
                else:
                    break
                parser = _Function(self, function, node, private_of(definition.path), graph=graph)
            self.blocks += parser.blocks
        return self.graphs[function]

    def constant(self, value: Any) -> ValueNode | None:
        """A value from outside as a constant; None if it could change."""
        kinds = (Op, type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
        value = _unwrapped(value)
        return ValueNode(value) if isinstance(value, kinds) or is_meta(value) else None

    def is_own(self, function: Any) -> bool:
        """Whether it is a function of the program itself, which becomes a graph where it is called."""
        if type(function) is not types.FunctionType or (function.__module__ or "").partition(".")[0] != self.home:
            return False
        try:
            return not isinstance(definition_of(function).node, ast.AsyncFunctionDef)
        except Unsupported:
            return False

    def finish(self, root: FuncGraph) -> None:
        """Make the jumps, then let results wait for calls that nothing uses."""
        for block in self.blocks:
            block.finish()
        blocks = {block.graph: block for block in self.blocks}
        done: set[Any] = set()
        while True:  # what is kept may bring in graphs with calls of their own
            structure = Structure(root)
            new = [graph for graph in structure.graphs if graph not in done]
            if not new:
                return
            for graph in new:
                done.add(graph)
                blocks[graph].keep(set(structure.schedules[graph]))  # type: ignore[index]


class _Function(Statements):
    """One function.

    Args:
        program: what it belongs to.
        function: the Python function that knows the globals.
        definition: its source.
        private: what private names in it start with.
        outer: where it stands, if inside another one: that one, and the block there.
        graph: its graph, if it is parsed again.
        is_immediate: whether it is called where it stands, and never again: a comprehension.
    """

    def __init__(
        self, program: _Program, function: types.FunctionType, definition: Any, private: str = "",
        outer: tuple[_Function, Block] | None = None, graph: FuncGraph | None = None, is_immediate: bool = False,
    ) -> None:  # fmt: skip
        self.program, self.function, self.definition, self.outer = program, function, definition, outer
        self.private, self.is_immediate = private, is_immediate
        self.qualname: str = (
            function.__qualname__ if outer is None else f"{outer[0].qualname}.<locals>.{_shown(definition)}"
        )
        self.blocks: list[Block] = [] if outer is None else outer[0].blocks
        name = "lambda" if isinstance(definition, ast.Lambda) else definition.name
        self.entry = self.known(Block(name, self.resolve))
        body = [definition.body] if isinstance(definition, ast.Lambda) else definition.body
        self.form = signature_form(definition.args)
        parameters = [each.strip("*=") for each in self.form if each not in ("/", "*")]
        self.counts = self.stored(body)
        self.counts.update(map(self.mangled, parameters))
        inner = (each for node in own_nodes(definition) if isinstance(node, FUNCTIONS) for each in every_node(node))
        for name in (name for each in inner if isinstance(each, ast.Nonlocal) for name in each.names):
            if self.mangled(name) in self.counts:  # an inner function binds it
                self.counts[self.mangled(name)] += 2
        self.declared: set[str] = set()  #: global
        for node in own_nodes(definition):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                names = set(map(self.mangled, node.names))
                self.counts = Counter({name: n for name, n in self.counts.items() if name not in names})
                self.declared |= names if isinstance(node, ast.Global) else set()
        #: Variables of which attributes are asked for, or which are told apart: a function among them is one object.
        self.objects = {
            each.id for node in every_node(definition) if isinstance(node, (ast.Attribute, ast.Compare))
            for each in ast.iter_child_nodes(node) if isinstance(each, ast.Name)
        }  # fmt: skip
        self.unsure = program.unsure.setdefault(definition, set())
        inside = set(map(self.mangled, used_inside(definition)))
        self.in_cells = program.in_cells.setdefault(definition, set())
        self.in_cells |= {name for name in inside if self.counts[name] > 1}
        if graph is None:
            self.entry.graph.span = self.span(definition)
            for parameter, place in zip(parameters, _parameters(definition.args)):
                self.entry.graph.parameter(parameter, span=self.span(place))
        else:
            self.entry.graph = graph
            graph.output = None
        self.entry.bound.update(zip(map(self.mangled, parameters), self.entry.graph.parameters))
        for name in sorted(self.in_cells):
            given = self.entry.bound.get(name)
            cell = self.entry.bound[_cell(name)] = self.entry.call(PRIMITIVES["make_cell"])
            cell.name = name
            if given is not None:
                self.entry.call(PRIMITIVES["store_cell"], cell, given)
        self.loops = []

    def parse(self, body: Sequence[ast.stmt] | ast.expr) -> None:
        if isinstance(body, ast.expr):
            self.entry.graph.output = self.expression(self.entry, body)
            return
        end = self.statements(self.entry, body)
        if end is not None:
            end.graph.output = None

    def whole(self, reason: str) -> None:
        """The function as one call of Python's."""
        text, given = f"{self.function.__name__}(…)", self.entry.graph.parameters
        apply, passed = PRIMITIVES["apply"], tuple(_passed_on(self.form))
        self.entry.graph.output = self.interpret(
            self.entry, self.definition, text, reason, (), apply, self.function, passed, *given
        )

    def known(self, block: Block) -> Block:
        self.blocks.append(block)
        return block

    def follow(self, block: Block, mark: str, sources: list[Block], may_change: Iterable[str] = ()) -> Block:
        return self.known(block.follow(mark, sources, frozenset(may_change)))

    def span(self, node: Any) -> Span:
        file = self.function.__code__.co_filename
        return Span(file, node.lineno, self.qualname, node.end_lineno, node.col_offset, node.end_col_offset)

    # -- variables ----------------------------------------------------------------------------------------------------

    def owner(self, name: str) -> _Function | None:
        """The function that a variable is one of; None for one from outside."""
        scope: _Function | None = self
        while scope is not None and name not in scope.declared:
            if name in scope.counts:
                return scope
            scope = scope.outer[0] if scope.outer is not None else None
        return None

    def resolve(self, name: str) -> AnfNode:
        """A variable that no block of this function has bound."""
        if name in self.unsure:
            return ValueNode(UNBOUND)
        if name in self.counts:
            raise _Unbound(self, name)
        assert self.outer is not None
        try:
            return self.outer[1].read(name)
        except _Unbound as unbound:
            if self.is_immediate or name != unbound.name:
                raise
            unbound.owner.in_cells.add(name)  # it gets its value when this function is there already
            raise _Again from None

    def variable(self, block: Block, name: str, node: ast.AST) -> AnfNode:
        """The value of a variable."""
        owner, span = self.owner(name), self.span(node)
        if owner is None:
            return self.from_outside(block, name, span)
        is_own = owner is self or self.is_immediate
        if name in owner.unsure and owner is not self and not self.is_immediate and name not in owner.in_cells:
            owner.in_cells.add(name)
            raise _Again
        if name in owner.in_cells:
            return block.call(PRIMITIVES["load_cell"], block.read(_cell(name)), name, is_own, span=span)
        value = block.read(name)
        if name in owner.unsure:
            return block.call(PRIMITIVES["bound"], value, name, is_own, span=span)
        return value

    def from_outside(self, block: Block, name: str, span: Span) -> AnfNode:
        """A variable of the module, or around the function that is parsed."""
        cell = None if name in self.declared else self.outer_cells.get(name)
        if cell is not None:
            try:
                constant = self.program.constant(cell.cell_contents)
            except ValueError:
                constant = None
            if constant is not None:
                return constant
            return block.call(PRIMITIVES["load_cell"], cell, name, False, span=span)
        for scope in (self.function.__globals__, vars(builtins)):
            if name in scope:
                constant = None if name in self.declared else self.program.constant(scope[name])
                if constant is not None:
                    return constant
                break
        return block.call(PRIMITIVES["load_global"], self.function, name, span=span)

    def is_builtin(self, name: str, value: Any) -> bool:
        """Whether a variable is one of Python's, which no one has another idea of."""
        if self.owner(name) is not None or name in self.outer_cells:
            return False
        return self.function.__globals__.get(name, getattr(builtins, name, None)) is value

    @property
    def outer_cells(self) -> dict[str, types.CellType]:
        return dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or ()))

    def bind(self, block: Block, name: str, value: AnfNode, node: ast.AST) -> None:
        """Give a variable a value."""
        owner, span = self.owner(name), self.span(node)
        if owner is None and name in self.outer_cells and name not in self.declared:
            block.call(PRIMITIVES["store_cell"], self.outer_cells[name], value, span=span)
        elif owner is None:
            block.call(PRIMITIVES["store_global"], self.function, name, value, span=span)
        elif name in owner.in_cells:
            block.call(PRIMITIVES["store_cell"], block.read(_cell(name)), value, span=span)
        else:
            if isinstance(value, CNode) and value.name is None:
                value.name = name
            block.bound[name] = value

    def unbind(self, block: Block, name: str, node: ast.AST) -> None:
        """del x"""
        owner, span = self.owner(name), self.span(node)
        if owner is None and name not in self.outer_cells:
            block.call(PRIMITIVES["delete_global"], self.function, name, span=span)
        elif owner is None or name in owner.in_cells:
            cell = self.outer_cells[name] if owner is None else block.read(_cell(name))
            block.call(PRIMITIVES["empty_cell"], cell, name, span=span)
        else:
            self.may_be_unbound(name)
            self.variable(block, name, node)
            block.bound[name] = ValueNode(UNBOUND)

    def may_be_unbound(self, name: str) -> None:
        """From here on a variable of this function may have no value."""
        if name not in self.unsure:
            raise _Unbound(self, name)

    # -- statements: each returns the block in which the program goes on, None if it does not ---------------------------

    def stmt_FunctionDef(self, block: Block, node: ast.FunctionDef) -> Block:
        """@decorator def f(x, y=default): body"""
        decorators = [self.expression(block, each) for each in node.decorator_list]
        defaults = self.defaults(block, node.args)
        inner = self.inner(block, node)
        name = self.mangled(node.name)
        is_plain = (
            not decorators and name not in self.in_cells and self.owner(name) is self and name not in self.objects
        )
        made: AnfNode = ValueNode(inner.entry.graph)
        if is_plain and not needs_form(inner.form):
            block.bound[name] = made  # bound first: it may call itself
            inner.parse(node.body)
            return block
        if self.owner(name) is self and name not in self.in_cells and name in used_inside(node):
            self.in_cells.add(name)  # it calls what its decorators make of it
            raise _Again
        inner.parse(node.body)
        if name in self.objects or needs_form(inner.form):
            made = block.call(PRIMITIVES["signed"], made, inner.form, *defaults, span=self.span(node))
        for decorator in reversed(decorators):
            made = block.call(decorator, made, span=self.span(node))
        self.bind(block, name, made, node)
        return block

    def inner(self, block: Block, node: Any, is_immediate: bool = False) -> _Function:
        """An inner function, to be parsed."""
        if any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in own_nodes(node)):
            raise _Whole("a generator in it goes on where it has stopped")
        if isinstance(node, ast.AsyncFunctionDef):
            raise _Whole("what is `async` is left to Python")
        return _Function(self.program, self.function, node, self.private, (self, block), is_immediate=is_immediate)

    # -- what Python does ---------------------------------------------------------------------------------------------

    def left_to_python(self, block: Block, part: Any, reason: str) -> Block | None:
        """Statements that have no graph form."""
        result = self.part(block, part, ast.unparse(part[0]), reason)
        ways, span = interpreted.jumps_out_of(part), self.span(part[0])
        if not ways:
            return block
        way = block.graph.apply(PRIMITIVES["getitem"], result, 0, span=span)
        following: Block = block
        for kind in sorted(ways):
            condition = following.graph.apply(PRIMITIVES["eq"], way, kind, span=span)
            leaving = self.follow(following, "✓", [following]).seal()
            onward = self.follow(following, "✗", [following]).seal()
            following.branch(condition, leaving, onward, span)
            if kind == RETURN:
                leaving.graph.output = leaving.graph.apply(PRIMITIVES["getitem"], result, 1, span=span)
            elif kind == BREAK:
                self.loops[-1][1].append(leaving)
            else:
                assert kind == CONTINUE
                leaving.jump(self.loops[-1][0])
            following = onward
        return following

    def part(self, block: Block, part: Any, text: str, reason: str) -> CNode:
        """The call of a part of the program that Python runs; the variables that it binds have their values behind it."""
        nodes = part if isinstance(part, list) else [part]
        used = interpreted.variables_in(nodes, self.private)
        reads: list[str] = []
        cells: list[str] = []
        values: list[Any] = []
        held: list[Any] = []
        declared = [name for name in used if name in self.declared]
        for name, binds in used.items():
            owner = self.owner(name)
            if owner is not None and name in owner.in_cells:
                cells.append(name)
                held.append(block.read(_cell(name)))
            elif owner is not None:
                if binds and owner is self:
                    self.may_be_unbound(name)
                reads.append(name)
                values.append(block.read(name))
            elif name in self.outer_cells and name not in self.declared:
                cells.append(name)
                held.append(self.outer_cells[name])
        writes = [name for name in reads if used[name]]
        function = interpreted.function_of(part, self.function, self.private, reads, cells, writes, declared)
        names = (*reads, *cells)
        result = self.interpret(block, nodes[0], text, reason, names, function, *values, *held)
        for position, name in enumerate(writes, start=2):
            value = block.graph.apply(PRIMITIVES["getitem"], result, position, span=result.span)
            self.bind(block, name, value, nodes[0])
        return result

    def interpret(
        self, block: Block, node: Any, text: str, reason: str, names: tuple[str, ...], function: Any, *values: Any
    ) -> CNode:
        text = " ".join(text.split())
        text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
        return block.call(PRIMITIVES["interpret"], text, reason, names, function, *values, span=self.span(node))


def _cell(name: str) -> str:
    """What a block calls the cell of a variable: no name that a program can have."""
    return f"▢{name}"


def _passed_on(form: Sequence[str]) -> Iterator[str]:
    """How the values of parameters are passed on to a function with the same signature."""
    by_name = False
    for each in form:
        by_name = by_name or each[0] == "*"
        if each.strip("*/"):
            yield each[: len(each) - len(each.lstrip("*"))] or (f"{each.rstrip('=')}=" if by_name else "")


def _shown(definition: Any) -> str:
    """What Python calls a function."""
    return "<lambda>" if isinstance(definition, ast.Lambda) else definition.name


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    """The parameters of a function, in their order."""
    packed = [[each] if each is not None else [] for each in (arguments.vararg, arguments.kwarg)]
    return [*arguments.posonlyargs, *arguments.args, *packed[0], *arguments.kwonlyargs, *packed[1]]


_LONGEST = 60  #: text of an `interpret` node
#: What statements are called.
