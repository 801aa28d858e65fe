"""A plain machine for `Code`: each instruction does what it says to real Python values, in the shortest way.

`Machine(own_globals).call(f, ...)` runs a function; functions of the same module that it calls are run by the machine as
well if `deep`, by Python otherwise. An instruction runs while the exception that is handled is raised in Python too, so
contexts, `sys.exc_info` and bare `raise` in called functions come out by themselves.
"""

from __future__ import annotations

import builtins
import functools
import operator
import sys
import types
from typing import Any

from anfora.graph.source.code import Code, Unsupported
from anfora.graph.source.sources import code_of

BINARY = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "mod": operator.mod,
    "floordiv": operator.floordiv, "pow": operator.pow, "matmul": operator.matmul, "lshift": operator.lshift,
    "rshift": operator.rshift, "bitand": operator.and_, "bitor": operator.or_, "bitxor": operator.xor,
}  # fmt: skip
UNARY = {"neg": operator.neg, "pos": operator.pos, "invert": operator.invert, "not": operator.not_}
COMPARE = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "is": operator.is_, "is_not": operator.is_not, "in": lambda x, y: x in y, "not_in": lambda x, y: x not in y,
}  # fmt: skip
CONVERSIONS = {"": lambda x: x, "s": str, "r": repr, "a": ascii}
NEW = sys.version_info >= (3, 11)


@functools.cache
def native(head: str, *lines: str) -> Any:
    """A function from source: for what Python words its own errors for."""
    names: dict[str, Any] = {}
    exec(head + "\n" + "\n".join(f"    {line}" for line in lines), names)
    return names[head.partition("(")[0].removeprefix("def ")]


def unpack(x: Any, before: int, after: int | None) -> list[Any]:
    """The items, the last first."""
    names = [f"a{i}" for i in range(before)]
    if after is not None:
        names += ["*rest", *(f"b{i}" for i in range(after))]
    listed = "[" + ", ".join(names) + "]"
    return native("def parts(x):", f"{listed} = x", f"return {listed.replace('*', '')}")(x)[::-1]


def match_class(x: Any, cls: Any, count: int, names: tuple[str, ...]) -> Any:
    values = [f"a{i}" for i in range(count + len(names))]
    patterns = values[:count] + [f"{name}={value}" for name, value in zip(names, values[count:])]
    return native(
        "def parts(x, cls):",
        "match x:",
        f" case cls({', '.join(patterns)}): return ({''.join(v + ',' for v in values)})",
    )(x, cls)


def match_keys(x: Any, keys: tuple[Any, ...]) -> Any:
    values = [f"a{i}" for i in range(len(keys))]
    patterns = ", ".join(f"keys.k{i}: {value}" for i, value in enumerate(values))
    return native(
        "def parts(x, keys):", "match x:", f" case {{{patterns}}}: return ({''.join(v + ',' for v in values)})"
    )(x, types.SimpleNamespace(**{f"k{i}": key for i, key in enumerate(keys)}))


class Frame:
    def __init__(self, function: types.FunctionType, code: Code, variables: dict[str, Any], handled: Any) -> None:
        self.code, self.globals, self.variables = code, function.__globals__, variables
        self.cells = dict(zip(code.free, function.__closure__ or ()))
        for name in code.cells:
            self.cells[name] = types.CellType(variables.pop(name)) if name in variables else types.CellType()
        self.stack: list[Any] = []
        self.handlers: list[tuple[int, int]] = []
        self.handled: list[BaseException | None] = [handled]
        self.at = 0


class Machine:
    def __init__(self, own_globals: dict[str, Any], deep: bool) -> None:
        self.own_globals, self.deep = own_globals, deep
        self.ran = 0  # functions that the machine has run

    # -- calls ---------------------------------------------------------------------------------------------------------

    def call(self, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], handled: Any = None) -> Any:
        self.ran += 1
        code = code_of(function)
        variables = bind(function, arguments, keywords)
        if variables is None:
            return function(*arguments, **keywords)  # raises
        frame = Frame(function, code, variables, handled)
        if code.is_generator:
            return self.generator(frame)
        try:
            next(self.steps(frame))
        except StopIteration as stop:
            value, error = stop.value
        if error is not None:
            raise error
        return value

    def generator(self, frame: Frame) -> Any:
        value, error = yield from self.steps(frame)
        if error is not None:
            raise error
        return value

    def call_any(self, frame: Frame, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if self.deep:
            plain, before = function, ()
            if type(function) is types.MethodType:
                plain, before = function.__func__, (function.__self__,)
            if type(plain) is types.FunctionType and plain.__globals__ is self.own_globals:
                try:
                    code_of(plain)
                except Unsupported:
                    pass
                else:
                    return self.call(plain, (*before, *arguments), keywords, frame.handled[-1])
        return function(*arguments, **keywords)

    # -- a frame -------------------------------------------------------------------------------------------------------

    def steps(self, frame: Frame) -> Any:
        """Run; the result is (value, None) or (None, exception)."""
        code, stack = frame.code, frame.stack
        while True:
            opcode, argument = code.opcodes[frame.at], code.arguments[frame.at]
            frame.at += 1
            error = None
            try:
                if opcode == "RETURN":
                    assert not frame.handlers and len(frame.handled) == 1, "left without leaving"
                    return stack.pop(), None
                if opcode == "YIELD":
                    value = stack.pop()
                    stack.append((yield value))
                elif opcode == "YIELD_FROM":
                    assert stack.pop() is None
                    stack.append((yield from stack.pop()))
                elif opcode == "RERAISE":
                    error = stack.pop()
                elif frame.handled[-1] is None:
                    self.do(frame, opcode, argument)
                else:
                    under(frame.handled[-1], lambda: self.do(frame, opcode, argument))  # noqa: B023  called at once
            except BaseException as e:
                error = e
            if error is not None:
                if not frame.handlers:
                    return None, error
                frame.at, height = frame.handlers.pop()
                assert len(stack) >= height
                del stack[height:]
                stack.append(error)

    def do(self, frame: Frame, opcode: str, argument: Any) -> None:
        getattr(self, opcode)(frame, argument)

    def LOOP(self, frame, loop):
        pass

    def CONST(self, frame, value):
        frame.stack.append(value)

    def LOAD(self, frame, name):
        if name not in frame.variables:
            raise UnboundLocalError(unbound(name))
        frame.stack.append(frame.variables[name])

    def LOAD_OUTER(self, frame, name):
        if name not in frame.variables:
            raise NameError(unbound_outside(name))
        frame.stack.append(frame.variables[name])

    def LOAD_OUTER_CELL(self, frame, name):
        if not holds_value(frame.cells[name]):
            raise NameError(unbound_outside(name))
        frame.stack.append(frame.cells[name].cell_contents)

    def STORE(self, frame, name):
        frame.variables[name] = frame.stack.pop()

    def DELETE(self, frame, name):
        if name not in frame.variables:
            raise UnboundLocalError(unbound(name))
        del frame.variables[name]

    def LOAD_BUILTIN(self, frame, name):
        frame.stack.append(getattr(builtins, name))

    def LOAD_CELL(self, frame, name):
        frame.stack.append(filled_cell(frame, name).cell_contents)

    def STORE_CELL(self, frame, name):
        frame.cells[name].cell_contents = frame.stack.pop()

    def DELETE_CELL(self, frame, name):
        del filled_cell(frame, name).cell_contents

    def LOAD_GLOBAL(self, frame, name):
        if name in frame.globals:
            frame.stack.append(frame.globals[name])
        elif hasattr(builtins, name):
            frame.stack.append(getattr(builtins, name))
        else:
            raise NameError(f"name '{name}' is not defined")

    def STORE_GLOBAL(self, frame, name):
        frame.globals[name] = frame.stack.pop()

    def DELETE_GLOBAL(self, frame, name):
        if name not in frame.globals:
            raise NameError(f"name '{name}' is not defined")
        del frame.globals[name]

    def POP(self, frame, _):
        frame.stack.pop()

    def COPY(self, frame, n):
        frame.stack.append(frame.stack[-n])

    def SWAP(self, frame, n):
        stack = frame.stack
        stack[-1], stack[-n] = stack[-n], stack[-1]

    def ROTATE(self, frame, n):
        top = frame.stack.pop()
        frame.stack.insert(len(frame.stack) - n + 1, top)

    def UNARY(self, frame, name):
        frame.stack.append(UNARY[name](frame.stack.pop()))

    def two(self, frame, function):
        y, x = frame.stack.pop(), frame.stack.pop()
        frame.stack.append(function(x, y))

    def BINARY(self, frame, name):
        self.two(frame, BINARY[name])

    def INPLACE(self, frame, name):
        self.two(frame, getattr(operator, "i" + name.removeprefix("bit")))

    def COMPARE(self, frame, name):
        self.two(frame, COMPARE[name])

    def GETITEM(self, frame, _):
        self.two(frame, lambda x, i: x[i])

    def SETITEM(self, frame, _):
        i, x, value = frame.stack.pop(), frame.stack.pop(), frame.stack.pop()
        x[i] = value

    def DELITEM(self, frame, _):
        i, x = frame.stack.pop(), frame.stack.pop()
        del x[i]

    def GETATTR(self, frame, name):
        frame.stack.append(getattr(frame.stack.pop(), name))

    def SETATTR(self, frame, name):
        x, value = frame.stack.pop(), frame.stack.pop()
        setattr(x, name, value)

    def DELATTR(self, frame, name):
        delattr(frame.stack.pop(), name)

    def SPECIAL(self, frame, name):
        x = frame.stack.pop()
        kind = type(x)
        method = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        if method is None and not NEW:
            raise AttributeError(name)
        if method is None:
            more = " (missed __exit__ method)" if name == "__exit__" else ""
            raise TypeError(f"'{kind.__name__}' object does not support the context manager protocol{more}")
        frame.stack.append(method.__get__(x, kind) if hasattr(method, "__get__") else method)

    def take(self, frame, n):
        values = frame.stack[len(frame.stack) - n :]
        del frame.stack[len(frame.stack) - n :]
        return values

    def TUPLE(self, frame, n):
        frame.stack.append(tuple(self.take(frame, n)))

    def LIST(self, frame, n):
        frame.stack.append(self.take(frame, n))

    def SET(self, frame, n):
        frame.stack.append(set(self.take(frame, n)))

    def MAP(self, frame, n):
        items = self.take(frame, 2 * n)
        frame.stack.append(dict(zip(items[::2], items[1::2])))

    def SLICE(self, frame, _):
        frame.stack.append(slice(*self.take(frame, 3)))

    def FORMAT(self, frame, how):
        conversion, has_spec = how
        spec = frame.stack.pop() if has_spec else ""
        value = CONVERSIONS[conversion.removeprefix("to ")](frame.stack.pop())
        frame.stack.append(value if conversion.startswith("to ") else format(value, spec))

    def JOIN(self, frame, n):
        frame.stack.append("".join(self.take(frame, n)))

    def APPEND(self, frame, n):
        value = frame.stack.pop()
        frame.stack[-n].append(value)

    def ADD(self, frame, n):
        value = frame.stack.pop()
        frame.stack[-n].add(value)

    def PUT(self, frame, n):
        value, key = frame.stack.pop(), frame.stack.pop()
        frame.stack[-n][key] = value

    def EXTEND(self, frame, n):
        items = native("def items(x):", "return [None, *x][1:]")(frame.stack.pop())
        frame.stack[-n].extend(items)

    def UPDATE(self, frame, n):
        items = native("def items(x):", "return {*x}")(frame.stack.pop())
        frame.stack[-n].update(items)

    def MERGE(self, frame, n):
        items = native("def items(x):", "return {**x}")(frame.stack.pop())
        frame.stack[-n].update(items)

    def MERGE_KEYWORDS(self, frame, _):
        mapping = frame.stack.pop()
        function, _items, known = frame.stack[-3:]
        if not hasattr(mapping, "keys"):
            function(**mapping)  # raises
        more = {key: mapping[key] for key in mapping.keys()}  # noqa: SIM118  any mapping
        if not known.keys().isdisjoint(more):
            function(**known, **more)  # raises
        known.update(more)

    def TO_TUPLE(self, frame, _):
        frame.stack.append(tuple(frame.stack.pop()))

    def JUMP(self, frame, target):
        frame.at = target

    def JUMP_IF(self, frame, target):
        if frame.stack.pop():
            frame.at = target

    def JUMP_UNLESS(self, frame, target):
        if not frame.stack.pop():
            frame.at = target

    def JUMP_IF_OR_POP(self, frame, target):
        if frame.stack[-1]:
            frame.at = target
        else:
            frame.stack.pop()

    def JUMP_UNLESS_OR_POP(self, frame, target):
        if not frame.stack[-1]:
            frame.at = target
        else:
            frame.stack.pop()

    def JUMP_IF_NONE(self, frame, target):
        if frame.stack.pop() is None:
            frame.at = target

    def ITER(self, frame, _):
        frame.stack.append(iter(frame.stack.pop()))

    def NEXT(self, frame, target):
        try:
            frame.stack.append(next(frame.stack[-1]))
        except StopIteration:
            frame.stack.pop()
            frame.at = target

    def UNPACK(self, frame, n):
        frame.stack.extend(unpack(frame.stack.pop(), n, None))

    def UNPACK_REST(self, frame, counts):
        frame.stack.extend(unpack(frame.stack.pop(), *counts))

    def CALL(self, frame, how):
        count, names = how
        values = self.take(frame, count)
        positional = count - len(names)
        function = frame.stack.pop()
        keywords = dict(zip(names, values[positional:]))
        frame.stack.append(self.call_any(frame, function, tuple(values[:positional]), keywords))

    def SPREAD(self, frame, _):
        function, arguments, _ = frame.stack[-3:]
        if type(arguments) is not tuple:
            if not hasattr(arguments, "__iter__"):
                function(*arguments)  # raises
            frame.stack[-2] = tuple(arguments)

    def TO_DICT(self, frame, _):
        frame.stack.append(dict(frame.stack.pop()))

    def CALL_SPREAD(self, frame, _):
        keywords, arguments, function = frame.stack.pop(), frame.stack.pop(), frame.stack.pop()
        frame.stack.append(self.call_any(frame, function, arguments, keywords))

    def FUNCTION(self, frame, how):
        code, has = how
        given = dict(zip(has, self.take(frame, len(has))))
        closure = tuple(frame.cells[name] for name in code.co_freevars)
        function = types.FunctionType(code, frame.globals, code.co_name, given.get("defaults"), closure)
        function.__kwdefaults__ = given.get("kwdefaults")
        function.__annotations__ = given.get("annotations", {})
        frame.stack.append(function)

    def HANDLER(self, frame, target):
        frame.handlers.append((target, len(frame.stack)))

    def POP_HANDLER(self, frame, _):
        frame.handlers.pop()

    def CAUGHT(self, frame, _):
        frame.handled.append(frame.stack[-1])

    def END_CAUGHT(self, frame, _):
        frame.handled.pop()

    def MATCHES(self, frame, _):
        kind = frame.stack.pop()
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not all(isinstance(k, type) and issubclass(k, BaseException) for k in kinds):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        frame.stack.append(any(k in type(frame.stack[-1]).__mro__ for k in kinds))

    def RAISE(self, frame, n):
        values = self.take(frame, n)
        if n == 2:
            raise values[0] from values[1]
        if n == 1:
            raise values[0]
        if frame.handled[-1] is None:
            raise RuntimeError("No active exception to reraise")
        raise frame.handled[-1]

    def IMPORT(self, frame, how):
        name, from_names, level = how
        frame.stack.append(__import__(name, frame.globals, None, from_names, level))

    def IMPORT_FROM(self, frame, name):
        module = native("def item(x, name, modules):", "return x")(frame.stack[-1], name, sys.modules)
        if hasattr(module, name):
            frame.stack.append(getattr(module, name))
        elif f"{module.__name__}.{name}" in sys.modules:
            frame.stack.append(sys.modules[f"{module.__name__}.{name}"])
        else:
            exec(f"from {module.__name__} import {name}")  # raises

    def IMPORT_AS(self, frame, path):
        module = frame.stack.pop()
        for name in path:
            module = getattr(module, name)
        frame.stack.append(module)

    def MATCH_SEQUENCE(self, frame, _):
        is_one = native("def test(x):", "match x:", " case [*_]: return True", "return False")
        frame.stack.append(is_one(frame.stack[-1]))

    def MATCH_MAPPING(self, frame, _):
        is_one = native("def test(x):", "match x:", " case {}: return True", "return False")
        frame.stack.append(is_one(frame.stack[-1]))

    def LENGTH(self, frame, _):
        frame.stack.append(len(frame.stack[-1]))

    def MATCH_KEYS(self, frame, _):
        frame.stack.append(match_keys(frame.stack[-2], frame.stack[-1]))

    def MATCH_CLASS(self, frame, how):
        self.two(frame, lambda x, cls: match_class(x, cls, *how))

    def REST_OF_MAPPING(self, frame, _):
        self.two(frame, lambda x, keys: {k: v for k, v in dict(x).items() if k not in keys})


def under(exception: BaseException, action: Any) -> None:
    """Do something while an exception is handled."""
    traceback = exception.__traceback__
    try:
        raise exception
    except BaseException:
        exception.__traceback__ = traceback
        action()


def unbound(name: str) -> str:
    name = name.lstrip(".0123456789")
    if NEW:
        return f"cannot access local variable '{name}' where it is not associated with a value"
    return f"local variable '{name}' referenced before assignment"


def unbound_outside(name: str) -> str:
    if NEW:
        return f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
    return f"free variable '{name}' referenced before assignment in enclosing scope"


def holds_value(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018  fails if it is empty
    except ValueError:
        return False
    return True


def filled_cell(frame: Frame, name: str) -> types.CellType:
    cell = frame.cells[name]
    if holds_value(cell):
        return cell
    if name in frame.code.cells:
        raise UnboundLocalError(unbound(name))
    raise NameError(unbound_outside(name))


def bind(function: types.FunctionType, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any] | None:
    """The parameters of a call; None if it is wrong."""
    code = function.__code__
    count, only = code.co_argcount, code.co_posonlyargcount
    names = code.co_varnames[: count + code.co_kwonlyargcount]
    variables = dict(zip(names[:count], arguments))
    rest = iter(code.co_varnames[len(names) :])
    if code.co_flags & 4:
        variables[next(rest)] = arguments[count:]
    elif len(arguments) > count:
        return None
    more = {}
    for name, value in keywords.items():
        if name in names[only:] and name not in variables:
            variables[name] = value
        elif name in names[only:]:
            return None
        else:
            more[name] = value
    if code.co_flags & 8:
        variables[next(rest)] = more
    elif more:
        return None
    defaults = function.__defaults__ or ()
    for name, value in zip(names[count - len(defaults) : count], defaults):
        variables.setdefault(name, value)
    for name, value in (function.__kwdefaults__ or {}).items():
        variables.setdefault(name, value)
    return variables if all(name in variables for name in names) else None
