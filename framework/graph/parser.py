"""From the source of a Python function to its graph: the plain part of the language.

Statements: assignments to names and tuples of names, `x += y`, expressions, if, while, for over range (with else, break and
continue), return, pass, def of inner functions. Expressions: names, constants, operators, chained comparisons, and, or,
`a if c else b`, calls with positional arguments, attributes, subscripts and slices, tuples, lists, dicts, lambda. Whatever
else comes up is a NotImplementedError that names it and its line.

Every call of the source is a call of the graph, made in the order in which Python makes it; one whose result nothing uses
is kept by a `depend`: it may fail or have an effect. Values that are chosen (`and`, `or`, `if`) are small functions.
Inner functions hold values, where Python's hold variables: an inner function may only use variables that are bound once.

Functions of the program itself (of the package or script that the parsed one is in) become graphs too; other global
functions, classes and modules are constants. Global numbers and objects are refused: they could change under the graph.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from anfora.core.op import Op
from anfora.core.span import Span
from anfora.graph.blocks import Block
from anfora.graph.ir import PRIMITIVES, Apply, Constant, FuncGraph, Node
from anfora.graph.primitives import switch
from anfora.graph.structure import Structure
from anfora.graph.values import is_meta

__all__ = ["parse"]

_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "bitand",
    ast.BitOr: "bitor", ast.BitXor: "bitxor", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "not",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Is: "is",
    ast.IsNot: "is_not", ast.In: "in", ast.NotIn: "not_in",
}  # fmt: skip

#: Builtins that look at the frame they are called from, which a graph does not have.
_ASK_THE_FRAME = tuple(
    getattr(builtins, name) for name in ("dir", "eval", "exec", "globals", "locals", "super", "vars")
)


def parse(function: Callable) -> FuncGraph:
    """The graph of a Python function.

    Args:
        function: a function with source, and with positional parameters without defaults; `jit` around it is seen
            through.
    Returns:
        a closed graph with the function's parameters.
    Raises:
        NotImplementedError: the source has something that is not parsed yet; it names what, and the line.
        NameError: a name is bound nowhere.
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
        raise NotImplementedError(f"only functions made by `def` are parsed yet, and not {plain!r}")
    program = _Program(plain)
    graph = program.graph(plain)
    program.finish(graph)
    return graph


def _unwrapped(function: Any) -> Any:
    """The function that `jit` was put around."""
    while getattr(type(function), "_is_compiled", False):
        function = function.__wrapped__
    return function


class _Program:
    """The functions that are parsed together, each once, so that recursion finds itself.

    Args:
        root: the function in which it starts.
    """

    def __init__(self, root: Any) -> None:
        self.home = (getattr(root, "__module__", None) or "").partition(".")[0]
        self.graphs: dict[Any, FuncGraph] = {}
        self.blocks: list[Block] = []

    def graph(self, function: types.FunctionType) -> FuncGraph:
        if function not in self.graphs:
            definition = _definition(function)
            _check_plain(definition, function.__code__.co_filename, function.__code__.co_firstlineno)
            parser = _Function(self, function, definition)
            self.graphs[function] = parser.entry.graph
            parser.parse(definition.body)
        return self.graphs[function]

    def constant(self, value: Any) -> Constant | None:
        """A global value as a constant; None if it could change."""
        value = _unwrapped(value)
        if isinstance(value, types.FunctionType) and (value.__module__ or "").partition(".")[0] == self.home:
            return Constant(self.graph(value))
        kinds = (Op, type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
        return Constant(value) if isinstance(value, kinds) or is_meta(value) else None

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


def _definition(function: types.FunctionType) -> ast.FunctionDef:
    """The definition of a function, with lines as in its file."""
    try:
        # Of the function itself it would see through decorators.
        lines, start = inspect.getsourcelines(function.__code__)
    except OSError:
        raise NotImplementedError(f"the source of {function.__qualname__} cannot be found") from None
    # Strings keep their indentation, and columns are those of the file.
    source = "if 1:\n" + "".join(lines) if lines[0][:1].isspace() else "\n" + "".join(lines)
    try:
        tree = ast.parse(source)
    except SyntaxError:
        tree = ast.Module([], [])
    found = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function.__code__.co_name
    ]
    if not found:
        raise NotImplementedError(f"only functions made by `def` are parsed yet, and not {function.__qualname__}")
    return ast.increment_lineno(found[0], start - 2)


def _check_plain(definition: ast.FunctionDef | ast.Lambda, file: str, line: int) -> None:
    arguments = definition.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
        raise NotImplementedError(
            f"defaults, *args, **kwargs and keyword-only parameters are not parsed yet: {file}:{line}"
        )


def _stored(statements: Iterable[ast.AST], weight: int = 1) -> Counter[str]:
    """How often statements bind variables; in a loop counts as more than once."""
    counts: Counter[str] = Counter()
    for node in statements:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            counts[node.name] += weight
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            counts[node.id] += weight
        elif not isinstance(node, ast.Lambda):
            more = 2 if isinstance(node, (ast.While, ast.For)) else weight
            counts += _stored(ast.iter_child_nodes(node), more)
    return counts


class _Function:
    """One function.

    Args:
        program: what it belongs to.
        function: the Python function that knows the globals.
        definition: its source.
        outer: where it stands, if inside another one: that one, and the block there.
    """

    def __init__(
        self, program: _Program, function: types.FunctionType, definition: ast.FunctionDef | ast.Lambda,
        outer: tuple[_Function, Block] | None = None,
    ) -> None:  # fmt: skip
        self.program, self.function, self.outer = program, function, outer
        name = "lambda" if isinstance(definition, ast.Lambda) else definition.name
        self.entry = self.known(Block(name, self.resolve))
        self.entry.graph.span = self.span(definition)
        body = [definition.body] if isinstance(definition, ast.Lambda) else definition.body
        parameters = [*definition.args.posonlyargs, *definition.args.args]
        self.counts = _stored(body) + Counter(parameter.arg for parameter in parameters)
        for parameter in parameters:
            node = self.entry.graph.parameter(parameter.arg, span=self.span(parameter))
            self.entry.bound[parameter.arg] = node
        self.loops: list[tuple[Block, list[Block]]] = []  # where `continue` goes, and the blocks that end in `break`

    def parse(self, body: Sequence[ast.stmt]) -> None:
        end = self.statements(self.entry, body)
        if end is not None:
            end.graph.output = None

    def known(self, block: Block) -> Block:
        self.program.blocks.append(block)
        return block

    def follow(self, block: Block, mark: str, sources: list[Block], may_change: Iterable[str] = ()) -> Block:
        return self.known(block.follow(mark, sources, frozenset(may_change)))

    def span(self, node: Any) -> Span:
        file = self.function.__code__.co_filename
        name = getattr(self.function, "__qualname__", self.function.__name__)
        return Span(file, node.lineno, name, node.end_lineno, node.col_offset, node.end_col_offset)

    def refuse(self, node: Any, what: str) -> NotImplementedError:
        return NotImplementedError(f"{what} not parsed yet: {self.function.__code__.co_filename}:{node.lineno}")

    # -- names --------------------------------------------------------------------------------------------------------

    def resolve(self, name: str) -> Node:
        """A variable that no block of this function has bound."""
        if name in self.counts:
            raise NotImplementedError(
                f"the variable `{name}` of {self.function.__qualname__} may be unbound where it is used; not parsed yet"
            )
        scope = self.outer
        while scope is not None:
            if scope[0].counts[name] > 1:
                raise NotImplementedError(
                    f"the variable `{name}` of {self.function.__qualname__} is used by an inner function and bound more "
                    "than once; not parsed yet"
                )
            scope = scope[0].outer if name not in scope[0].counts else None
        if self.outer is not None:
            return self.outer[1].read(name)
        value = self.lookup(name)
        constant = self.program.constant(value)
        if constant is None:
            raise NotImplementedError(
                f"`{name}` is a {type(value).__name__} from outside, which may change; not parsed yet"
            )
        return constant

    def lookup(self, name: str) -> Any:
        """A variable from outside of the function that is parsed."""
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or ()))
        if name in cells:
            return cells[name].cell_contents
        for space in (self.function.__globals__, vars(builtins)):
            if name in space:
                return space[name]
        raise NameError(f"name '{name}' is not defined")

    # -- statements: each returns the block in which the program goes on, None if it does not ---------------------------

    def statements(self, block: Block, statements: Sequence[ast.stmt]) -> Block | None:
        following: Block | None = block
        for statement in statements:
            if following is None:
                return None  # never reached
            method = getattr(self, f"stmt_{type(statement).__name__}", None)
            if method is None:
                raise self.refuse(statement, f"the statement {type(statement).__name__} is")
            following = method(following, statement)
        return following

    def stmt_Pass(self, block: Block, node: ast.Pass) -> Block:
        """pass"""
        return block

    def stmt_Expr(self, block: Block, node: ast.Expr) -> Block:
        """f(x)"""
        self.expression(block, node.value)
        return block

    def stmt_Return(self, block: Block, node: ast.Return) -> None:
        """return x"""
        block.graph.output = None if node.value is None else self.expression(block, node.value)

    def stmt_Assign(self, block: Block, node: ast.Assign) -> Block:
        """x = y = value;  x, y = value"""
        value = self.expression(block, node.value)
        for target in node.targets:
            self.assign(block, target, value)
        return block

    def stmt_AnnAssign(self, block: Block, node: ast.AnnAssign) -> Block:
        """x: type = value"""
        if node.value is None:
            raise self.refuse(node, "an annotation without a value is")
        self.assign(block, node.target, self.expression(block, node.value))
        return block

    def assign(self, block: Block, target: ast.expr, value: Node) -> None:
        if isinstance(target, ast.Name):
            if isinstance(value, Apply) and value.name is None:
                value.name = target.id
            block.bound[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)) and not any(isinstance(t, ast.Starred) for t in target.elts):
            span = self.span(target)
            items = block.call(PRIMITIVES["unpack"], value, len(target.elts), span=span)
            for position, item in enumerate(target.elts):
                self.assign(block, item, block.call(PRIMITIVES["getitem"], items, position, span=span))
        else:
            raise self.refuse(target, f"an assignment to {type(target).__name__} is")

    def stmt_AugAssign(self, block: Block, node: ast.AugAssign) -> Block:
        """x += y"""
        if not isinstance(node.target, ast.Name):
            raise self.refuse(node, f"an assignment to {type(node.target).__name__} is")
        old, value = block.read(node.target.id), self.expression(block, node.value)
        primitive = PRIMITIVES[f"i{_OPERATORS[type(node.op)]}"]
        self.assign(block, node.target, block.call(primitive, old, value, span=self.span(node)))
        return block

    def stmt_If(self, block: Block, node: ast.If) -> Block | None:
        """if test: body else: orelse"""
        condition = self.expression(block, node.test)
        first = self.follow(block, "✓", [block]).seal()
        second = self.follow(block, "✗", [block]).seal()
        block.branch(condition, first, second, self.span(node.test))
        ends = [self.statements(first, node.body), self.statements(second, node.orelse)]
        return self.join(block, [end for end in ends if end], _stored([*node.body, *node.orelse]))

    def join(self, block: Block, ends: list[Block], may_change: Iterable[str]) -> Block | None:
        """Where the ends of several paths meet; with one path left it just goes on."""
        if len(ends) < 2:
            return ends[0] if ends else None
        after = self.follow(block, "↓", [], may_change)
        for end in ends:
            end.jump(after)
        return after.seal()

    def stmt_While(self, block: Block, node: ast.While) -> Block | None:
        """while test: body else: orelse        block → header → body → header, header → after"""
        header = self.follow(block, "↵", [], _stored(node.body))
        block.jump(header)
        return self.loop(block, header, self.expression(header, node.test), node, None)

    def stmt_For(self, block: Block, node: ast.For) -> Block | None:
        """for target in range(…): body else: orelse

        The state of the loop is the rest of the range: while there is one, take its first number.
        """
        is_range = isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name)
        if not is_range or getattr(block.read(node.iter.func.id), "value", None) is not range:  # type: ignore[attr-defined]
            raise self.refuse(node, "a loop over something else than range(…) is")
        rest = f"⤾{node.lineno}.{node.col_offset}"  # no name that a program can have
        block.bound[rest] = self.expression(block, node.iter)
        header = self.follow(block, "↵", [], [*_stored([*node.body, node.target]), rest])
        block.jump(header)
        return self.loop(block, header, header.read(rest), node, rest)

    def loop(
        self, block: Block, header: Block, condition: Node, node: ast.While | ast.For, rest: str | None
    ) -> Block | None:
        body = self.follow(block, "↻", [header]).seal()
        after = self.follow(block, "↓", [header]).seal()
        header.branch(condition, body, after, self.span(node.test if isinstance(node, ast.While) else node.iter))
        if rest is not None and isinstance(node, ast.For):
            span = self.span(node.iter)
            item = body.call(PRIMITIVES["getitem"], condition, 0, span=span)
            body.bound[rest] = body.call(PRIMITIVES["getitem"], condition, slice(1, None), span=span)
            self.assign(body, node.target, item)
        self.loops.append((header, []))
        end = self.statements(body, node.body)
        if end is not None:
            end.jump(header)
        header.seal()
        _, breaks = self.loops.pop()
        last = self.statements(after, node.orelse)
        changed = _stored([node])
        return self.join(after, [*([last] if last else []), *breaks], changed)

    def stmt_Break(self, block: Block, node: ast.Break) -> None:
        """break"""
        self.loops[-1][1].append(block)

    def stmt_Continue(self, block: Block, node: ast.Continue) -> None:
        """continue"""
        block.jump(self.loops[-1][0])

    def stmt_FunctionDef(self, block: Block, node: ast.FunctionDef) -> Block:
        """def f(x): body"""
        if node.decorator_list:
            raise self.refuse(node, "a decorator of an inner function is")
        inner = self.inner(block, node)
        block.bound[node.name] = Constant(inner.entry.graph)  # bound first: it may call itself
        inner.parse(node.body)
        return block

    def inner(self, block: Block, node: ast.FunctionDef | ast.Lambda) -> _Function:
        _check_plain(node, self.function.__code__.co_filename, node.lineno)
        return _Function(self.program, self.function, node, (self, block))

    # -- expressions: each returns a node -------------------------------------------------------------------------------

    def expression(self, block: Block, node: ast.expr) -> Node:
        method = getattr(self, f"expr_{type(node).__name__}", None)
        if method is None:
            raise self.refuse(node, f"the expression {type(node).__name__} is")
        return method(block, node)

    def expr_Constant(self, block: Block, node: ast.Constant) -> Node:
        """1, "text", None"""
        return Constant(node.value)

    def expr_Name(self, block: Block, node: ast.Name) -> Node:
        """x"""
        return block.read(node.id)

    def expr_BinOp(self, block: Block, node: ast.BinOp) -> Node:
        """x + y"""
        left, right = self.expression(block, node.left), self.expression(block, node.right)
        return block.call(PRIMITIVES[_OPERATORS[type(node.op)]], left, right, span=self.span(node))

    def expr_UnaryOp(self, block: Block, node: ast.UnaryOp) -> Node:
        """-x; a negative number is a constant"""
        operand = self.expression(block, node.operand)
        if isinstance(node.op, ast.USub) and isinstance(operand, Constant) and type(operand.value) in (int, float):
            return Constant(-operand.value)
        return block.call(PRIMITIVES[_OPERATORS[type(node.op)]], operand, span=self.span(node))

    def expr_Compare(self, block: Block, node: ast.Compare) -> Node:
        """x < y < z        is x < y and y < z, with y computed once"""
        left = self.expression(block, node.left)

        def chain(block: Block, left: Node, rest: list[tuple[ast.cmpop, ast.expr]]) -> Node:
            (operator, other), *more = rest
            right = self.expression(block, other)
            value = block.call(PRIMITIVES[_OPERATORS[type(operator)]], left, right, span=self.span(node))
            if not more:
                return value
            return self.choose(block, value, lambda inner: chain(inner, right, more), lambda inner: value, node)

        return chain(block, left, list(zip(node.ops, node.comparators)))

    def expr_BoolOp(self, block: Block, node: ast.BoolOp) -> Node:
        """x and y;  x or y"""

        def chain(block: Block, values: list[ast.expr]) -> Node:
            value = self.expression(block, values[0])
            if len(values) == 1:
                return value
            sides = (lambda inner: chain(inner, values[1:])), (lambda inner: value)
            return self.choose(block, value, *(sides if isinstance(node.op, ast.And) else sides[::-1]), node)

        return chain(block, node.values)

    def expr_IfExp(self, block: Block, node: ast.IfExp) -> Node:
        """x if test else y"""
        condition = self.expression(block, node.test)
        return self.choose(
            block, condition, lambda inner: self.expression(inner, node.body),
            lambda inner: self.expression(inner, node.orelse), node,
        )  # fmt: skip

    def choose(
        self,
        block: Block,
        condition: Node,
        first: Callable[[Block], Node],
        second: Callable[[Block], Node],
        node: ast.expr,
    ) -> Node:
        """The value of one of two expressions, each in a function of its own."""
        sides = []
        for mark, make in (("✓", first), ("✗", second)):
            side = self.follow(block, mark, [block]).seal()
            side.graph.output = make(side)
            sides.append(side.graph)
        span = self.span(node)
        return block.call(block.call(switch, condition, *sides, span=span), span=span)

    def expr_Call(self, block: Block, node: ast.Call) -> Node:
        """f(x, y)"""
        function = self.expression(block, node.func)
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise self.refuse(node, "a call with keywords, *args or **kwargs is")
        if isinstance(function, Constant) and any(function.value is asks for asks in _ASK_THE_FRAME):
            raise self.refuse(node, f"{function.value.__name__}() is")
        arguments = [self.expression(block, argument) for argument in node.args]
        return block.call(function, *arguments, span=self.span(node))

    def expr_Attribute(self, block: Block, node: ast.Attribute) -> Node:
        """x.name; in a module it is a constant"""
        value = self.expression(block, node.value)
        if isinstance(value, Constant) and isinstance(value.value, types.ModuleType):
            found = getattr(value.value, node.attr)
            constant = self.program.constant(found)
            if constant is None:
                raise self.refuse(node, f"`{ast.unparse(node)}`, a {type(found).__name__} which may change, is")
            return constant
        return block.call(PRIMITIVES["getattr"], value, node.attr, span=self.span(node))

    def expr_Subscript(self, block: Block, node: ast.Subscript) -> Node:
        """x[i]"""
        value, index = self.expression(block, node.value), self.expression(block, node.slice)
        return block.call(PRIMITIVES["getitem"], value, index, span=self.span(node))

    def expr_Slice(self, block: Block, node: ast.Slice) -> Node:
        """i:j:k"""
        parts = [
            self.expression(block, part) if part else Constant(None) for part in (node.lower, node.upper, node.step)
        ]
        return block.call(PRIMITIVES["make_slice"], *parts, span=self.span(node))

    def expr_Tuple(self, block: Block, node: ast.Tuple | ast.List) -> Node:
        """x, y"""
        if any(isinstance(item, ast.Starred) for item in node.elts):
            raise self.refuse(node, "an unpacked item is")
        primitive = PRIMITIVES["make_tuple" if isinstance(node, ast.Tuple) else "make_list"]
        return block.call(primitive, *[self.expression(block, item) for item in node.elts], span=self.span(node))

    expr_List = expr_Tuple

    def expr_Dict(self, block: Block, node: ast.Dict) -> Node:
        """{k: v}"""
        keys, values = [], []
        for key, value in zip(node.keys, node.values):
            if key is None:
                raise self.refuse(node, "an unpacked item is")
            keys.append(self.expression(block, key))
            values.append(self.expression(block, value))
        span = self.span(node)
        return block.call(
            PRIMITIVES["make_dict"], block.call(PRIMITIVES["make_tuple"], *keys, span=span), *values, span=span
        )

    def expr_Lambda(self, block: Block, node: ast.Lambda) -> Node:
        """lambda x: y"""
        inner = self.inner(block, node)
        inner.entry.graph.output = inner.expression(inner.entry, node.body)
        return Constant(inner.entry.graph)
