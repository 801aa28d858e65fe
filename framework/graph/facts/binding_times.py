"""Binding times: what follows from the text of a program alone, and what only a call brings.

`ops.isconstant(x)`, `ops.is_sequence_value_unknown(x)` and `ops.is_sequence_shape_unknown(x)` ask this of a compiler. The
recorder cannot answer them: it runs the program, so it knows all values, and what a mark is about is that the program
shall not count on them. The answer is found in the source of the function that asks, by an abstract interpretation:

    constant         literals, names of modules, functions and numbers outside, attributes; arguments that hold no tensor
    unknown value    tensors that come as arguments, Parameters, what `mutable` marks, and whatever is computed of these
    unknown length   `mutable(…, dynamic_len=True)`, and sequences whose length such values decide

The shape and type of an unknown tensor are constant, and so is the length of a sequence of unknown items. A variable that
is set on one side of an unknown branch only, or in a loop that may end at any time, is unknown behind it. Functions that
are called are not looked into: their results are as known as their arguments.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterable
from typing import Any

from anfora.core.parameter import Parameter
from anfora.core.tree import has_tensors, tensors
from anfora.graph.facts import rows  # noqa: F401 (they fill the table)
from anfora.graph.facts.origins import Number
from anfora.graph.facts.table import IDENTITY, KEPT, PLAIN, fact_of, methods_of
from anfora.graph.machine.frames import builtins_of
from anfora.graph.source.code import Unsupported
from anfora.graph.source.scopes import every_node
from anfora.graph.source.sources import definition_of

__all__ = ["Known", "answers", "known"]

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
        return self.value or self.length or any(item.holds_unknown for item in self.items or ())

    def spoil(self, value: bool, length: bool = False) -> None:
        """From now on more is unknown; it is not said of which item."""
        self.value = self.value or value
        self.length = self.length or length
        if value or length:
            self.items = None


def _together(parts: Iterable[Known]) -> Known:
    """What is computed of some values."""
    parts = list(parts)
    return Known(any(part.holds_unknown for part in parts))


def _of_value(value: Any) -> Known:
    """What is known of a value from outside the function."""
    return Known(has_tensors(value))


def known(frames: list[Any]) -> Known | None:
    """What is known of the first argument of the call that the innermost of the machine's frames stands at; None where
    the source does not tell."""
    try:
        return _Reader(frames).read()
    except Unsupported:
        return None


class _Reader:
    """Reads a function from its beginning to its end, and notes what is known at one call."""

    def __init__(self, frames: list[Any]) -> None:
        frame = frames[-1]
        self.function: types.FunctionType = frame.function
        self.node = definition_of(self.function).node
        self.position = frame.code.positions[frame.pc - 1]
        self.found: list[Known] = []
        self.arguments: list[Known] = []  #: of the call
        self.keywords: dict[str | None, Known] = {}
        code = frame.code.python
        count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        self.variables = {name: _of_value(_value_of(frame, name)) for name in code.co_varnames[:count]}
        if len(frames) > 1:
            self._take_from_caller(frames[:-1])

    def _take_from_caller(self, frames: list[Any]) -> None:
        """What the caller gives is as unknown as it is there."""
        try:
            caller = _Reader(frames)
            caller.read()
        except Unsupported:
            return
        names = list(self.variables)
        first = 1 if names[:1] == ["self"] else 0
        for name, what in (*zip(names[first:], caller.arguments), *caller.keywords.items()):
            if name in self.variables and what.holds_unknown:
                self.variables[name] = what

    def _is_there(self, node: ast.Call) -> bool:
        return (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == tuple(self.position)

    def read(self) -> Known | None:
        """What is known of the argument, whichever way the program came to it."""
        node = self.node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.block(node.body)
        else:
            self.value(node.body if isinstance(node, ast.Lambda) else node)
        if not self.found:
            return None
        return Known(_together(self.found).value, any(found.length for found in self.found))

    # -- statements ---------------------------------------------------------------------------------------------------

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            method: Callable | None = getattr(self, f"stmt_{type(statement).__name__}", None)
            if method is not None:
                method(statement)
            else:
                for child in ast.iter_child_nodes(statement):
                    if isinstance(child, ast.expr) and isinstance(getattr(child, "ctx", ast.Load()), ast.Load):
                        self.value(child)

    def stmt_FunctionDef(self, statement: ast.FunctionDef) -> None:
        self.variables[statement.name] = Known()

    stmt_ClassDef = stmt_AsyncFunctionDef = stmt_FunctionDef

    def stmt_Assign(self, statement: ast.Assign) -> None:
        what = self.value(statement.value)
        for target in statement.targets:
            self.bind(target, what)

    def stmt_AnnAssign(self, statement: ast.AnnAssign) -> None:
        if statement.value is not None:
            self.bind(statement.target, self.value(statement.value))

    def stmt_AugAssign(self, statement: ast.AugAssign) -> None:
        left = ast.copy_location(_as_load(statement.target), statement.target)
        self.bind(statement.target, self.binary(statement.op, self.value(left), self.value(statement.value)))

    def stmt_If(self, statement: ast.If) -> None:
        test = self.value(statement.test)
        self.branches([statement.body, statement.orelse], test.holds_unknown)

    def stmt_While(self, statement: ast.While) -> None:
        self.loop(statement.body, lambda: self.value(statement.test).holds_unknown)
        self.block(statement.orelse)

    def stmt_For(self, statement: ast.For) -> None:
        items = self.value(statement.iter)

        def next_item() -> bool:
            item = items.items[0] if items.items and len(items.items) == 1 else _together([items])
            self.bind(statement.target, item)
            return items.length

        self.loop(statement.body, next_item)
        self.block(statement.orelse)

    stmt_AsyncFor = stmt_For

    def stmt_With(self, statement: ast.With) -> None:
        for item in statement.items:
            what = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, what)
        self.block(statement.body)

    stmt_AsyncWith = stmt_With

    def stmt_Try(self, statement: ast.Try) -> None:
        self.block(statement.body)
        self.branches([statement.orelse, *(handler.body for handler in statement.handlers)], False)
        self.block(statement.finalbody)

    stmt_TryStar = stmt_Try

    def stmt_Match(self, statement: Any) -> None:
        subject = self.value(statement.subject)
        for case in statement.cases:
            for node in every_node(case.pattern):
                name = getattr(node, "name", None) or getattr(node, "rest", None)
                if isinstance(name, str):
                    self.variables[name] = _together([subject])
        self.branches([case.body for case in statement.cases] + [[]], subject.holds_unknown)

    def branches(self, blocks: list[list[ast.stmt]], is_unknown: bool) -> None:
        """Go all ways; what they leave different is what any of them leaves, and unknown where the choice is."""
        before, after = self.variables, []
        for block in blocks:
            self.variables = dict(before)
            self.block(block)
            after.append(self.variables)
        self.variables = dict(before)
        for name in {name for variables in after for name in variables}:
            found = [variables.get(name, Known()) for variables in after]
            if any(one is not found[0] for one in found):
                merged = Known(any(k.value for k in found) or is_unknown, any(k.length for k in found))
                merged.value = merged.value or any(k.holds_unknown for k in found)
                self.variables[name] = merged
            else:
                self.variables[name] = found[0]

    def loop(self, body: list[ast.stmt], begin: Callable[[], bool]) -> None:
        """Go round until nothing new becomes unknown: there are two facts for each variable, so that is soon."""
        for _ in range(2 * len(self.variables) + 3):
            state = {name: (what.value, what.length) for name, what in self.variables.items()}
            self.branches([[], body], begin())
            if {name: (what.value, what.length) for name, what in self.variables.items()} == state:
                break

    def bind(self, target: ast.expr, what: Known) -> None:
        if isinstance(target, ast.Name):
            self.variables[target.id] = what
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = what.items if what.items is not None and len(what.items) == len(target.elts) else None
            for i, item in enumerate(target.elts):
                self.bind(item, parts[i] if parts is not None else _together([what]))
        elif isinstance(target, ast.Starred):
            self.bind(target.value, what)
        elif isinstance(target, ast.Subscript):
            owner, index = self.value(target.value), self.value(target.slice)
            number = _number(target.slice)
            if owner.items is not None and number is not None and -len(owner.items) <= number < len(owner.items):
                owner.items[number] = what
            else:
                is_slice = isinstance(target.slice, ast.Slice)
                decides = is_slice and (index.holds_unknown or what.length)
                owner.spoil(what.holds_unknown or index.holds_unknown, decides)

    # -- expressions --------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Known:
        method: Callable | None = getattr(self, f"expr_{type(node).__name__}", None)
        if method is not None:
            return method(node)
        return _together(self.value(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))

    def expr_Constant(self, node: ast.Constant) -> Known:
        return Known()

    def expr_Lambda(self, node: ast.Lambda) -> Known:
        return Known()

    def expr_Name(self, node: ast.Name) -> Known:
        found = self.variables.get(node.id)
        if found is not None:
            return found
        return Known(isinstance(self.outside(node), Parameter))

    def expr_Tuple(self, node: Any) -> Known:
        if any(isinstance(item, ast.Starred) for item in node.elts):
            parts = [self.value(item) for item in node.elts]
            return Known(any(p.holds_unknown for p in parts), any(p.length for p in parts))
        return Known(items=[self.value(item) for item in node.elts])

    expr_List = expr_Tuple

    def expr_Starred(self, node: ast.Starred) -> Known:
        return self.value(node.value)

    def expr_Slice(self, node: ast.Slice) -> Known:
        return _together(self.value(part) for part in (node.lower, node.upper, node.step) if part is not None)

    def expr_NamedExpr(self, node: ast.NamedExpr) -> Known:
        what = self.variables[node.target.id] = self.value(node.value)
        return what

    def expr_Attribute(self, node: ast.Attribute) -> Known:
        owner = self.value(node.value)
        found = self.outside(node)
        return Known((owner.holds_unknown and node.attr not in _STATIC) or isinstance(found, Parameter))

    def expr_Subscript(self, node: ast.Subscript) -> Known:
        owner, index = self.value(node.value), self.value(node.slice)
        if isinstance(node.slice, ast.Slice):
            return Known(owner.holds_unknown or index.holds_unknown, owner.length or index.holds_unknown)
        number = _number(node.slice)
        if owner.items is not None and number is not None and -len(owner.items) <= number < len(owner.items):
            return owner.items[number]
        return _together([owner, index])

    def expr_BinOp(self, node: ast.BinOp) -> Known:
        return self.binary(node.op, self.value(node.left), self.value(node.right))

    def binary(self, operator: ast.operator, left: Known, right: Known) -> Known:
        if isinstance(operator, ast.Add) and left.items is not None and right.items is not None:
            return Known(items=[*left.items, *right.items])
        length = left.length or right.length
        if isinstance(operator, ast.Mult):  # a sequence, so many times
            for sequence, times in ((left, right), (right, left)):
                length = length or (sequence.items is not None and times.value)
        return Known(left.holds_unknown or right.holds_unknown, length)

    def expr_IfExp(self, node: ast.IfExp) -> Known:
        test, one, other = self.value(node.test), self.value(node.body), self.value(node.orelse)
        return Known(_together([test, one, other]).value, one.length or other.length)

    def expr_ListComp(self, node: Any) -> Known:
        before = dict(self.variables)
        parts = []
        for generator in node.generators:
            items = self.value(generator.iter)
            self.bind(generator.target, _together([items]))
            tests = _together(self.value(test) for test in generator.ifs)
            parts.append(Known(items.holds_unknown or tests.value, items.length or tests.value))
        written = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        value = _together(self.value(item) for item in written).value
        self.variables = before
        length = any(part.length for part in parts)
        return Known(value or length, length)

    expr_SetComp = expr_GeneratorExp = expr_DictComp = expr_ListComp

    def expr_Call(self, node: ast.Call) -> Known:
        arguments = [self.value(argument) for argument in node.args]
        keywords = [(keyword, self.value(keyword.value)) for keyword in node.keywords]
        if self._is_there(node):
            self.arguments, self.keywords = arguments, {keyword.arg: what for keyword, what in keywords}
            self.found += arguments[:1] or [what for _, what in keywords[:1]]
        everything = [*arguments, *(what for _, what in keywords)]
        function = self.outside(node.func) if not self._is_local(node.func) else _ABSENT
        if function is _mutable():
            return Known(True, _is_true(node.args[1:2] + [k.value for k in node.keywords if k.arg == "dynamic_len"]))
        found = _of_sequences(function, everything)
        if found is not None:
            return found
        if _is_question(function, len(arguments)):
            return Known()
        if isinstance(node.func, ast.Attribute) and self.outside(node.func) is _ABSENT:
            return self.method(node.func, everything)
        return Known(_together(everything).value or (function is _ABSENT and self.value(node.func).holds_unknown))

    def method(self, node: ast.Attribute, arguments: list[Known]) -> Known:
        """A call of a method of something that is not known by name."""
        owner = self.value(node.value)
        unknown = any(what.holds_unknown for what in arguments)
        if node.attr in _STATIC:
            return Known()
        if node.attr == "append" and owner.items is not None:
            owner.items.extend(arguments[:1])
        elif node.attr in _CHANGING:
            owner.spoil(unknown, any(what.length for what in arguments))
            owner.items = None
        return Known(owner.holds_unknown or unknown, owner.length and node.attr == "copy")

    def _is_local(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.variables

    def outside(self, node: ast.expr) -> Any:
        """What a dotted name stands for that is not the function's own; `_ABSENT` for anything else."""
        if isinstance(node, ast.Attribute):
            owner = self.outside(node.value)
            if not isinstance(owner, (types.ModuleType, type)):
                return _ABSENT
            return getattr(owner, node.attr, _ABSENT)
        if not isinstance(node, ast.Name) or node.id in self.variables:
            return _ABSENT
        function = self.function
        if node.id in function.__code__.co_freevars:
            cell = (function.__closure__ or ())[function.__code__.co_freevars.index(node.id)]
            try:
                return cell.cell_contents
            except ValueError:
                return _ABSENT
        scope = function.__globals__
        if node.id in scope:
            return scope[node.id]
        return builtins_of(function).get(node.id, _ABSENT)


def _value_of(frame: Any, name: str) -> Any:
    if name in frame.locals:
        return frame.locals[name]
    try:
        return frame.cells[name].cell_contents
    except (KeyError, ValueError):
        return None


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    assert isinstance(target, ast.Subscript)
    return ast.Subscript(target.value, target.slice, ast.Load())


def _number(node: ast.expr) -> int | None:
    """The number that an index is written as."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _is_true(nodes: list[ast.expr]) -> bool:
    return any(isinstance(node, ast.Constant) and node.value is True for node in nodes)


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


def _mutable() -> Any:
    from anfora.modes import mutable  # it stands above

    return mutable


#: What is known of a tensor whose data is not, and of a container.
_STATIC = frozenset(["shape", "dtype", "ndim", "size", "itemsize", "nbytes", "strides", "dim", "numel", "name"])
#: The names of methods that change a container.
_CHANGING = frozenset(name for kind in (list, dict, set) for name, fact in methods_of(kind).items() if fact.writes)


def answers() -> dict[Callable, Callable]:
    """What the recorder does where a program calls one of these, by function."""
    from anfora import ops  # it is large, and not needed to compile

    return {
        ops.isconstant: _asked(ops.isconstant, lambda what: not what.holds_unknown),
        ops.is_sequence_value_unknown: _asked(ops.is_sequence_value_unknown, lambda what: what.holds_unknown),
        ops.is_sequence_shape_unknown: _asked(ops.is_sequence_shape_unknown, lambda what: what.length),
        _mutable(): _marked,
    }


def _asked(function: Callable, answer: Callable[[Known], bool]) -> Callable:
    """A question about a value is answered from the source; where that does not tell, as of a value from outside."""

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if len(args) != 1 or kwargs:
            return False
        machine.natively(function, (recorder.force(args[0]),), {})  # refuses what it does not take
        for frame in machine.frames:
            for held in frame.locals.values():
                recorder.look(held)  # whether there are tensors in it
        what = known(machine.frames)
        machine.push(answer(_of_value(args[0]) if what is None else what))
        return True

    return special


def _marked(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`mutable` gives its argument back; what it marks is seen in the source."""
    if not args or any(tensor.const_arg for tensor in tensors(args[0])):
        return False
    plain = args[0].value if type(args[0]) is Number else args[0]
    machine.natively(_mutable(), (plain, *args[1:]), kwargs)  # refuses what it does not take
    machine.push(args[0])
    return True
