"""Functions of the IR that are no tensor operators: Python's own operators, and what control and order are made of.

A parsed program does not know yet whether `x - 1` is about tensors or numbers, so `sub` here means what Python means by it:
with a Tensor it comes to `ops.sub`, with an int it stays a Python int. Each primitive carries that meaning as a Python
function, which is all that the evaluator needs.

    iadd(x, y), …              what `x += y` assigns
    unpack(x, n)               the items of `x`, which must be `n`, as `a, b = x` takes them
    switch(c, f, g)            chooses a function by the truth of `c`, and calls nothing
    partial(f, x, …)           `f` with its first arguments bound
    return(x)                  ends a graph; every graph has one
    depend(x, before, …)       x, once the others have been computed
    update_state(u, after, …)  the state of the world after effects: a monad
    load(x, u)                 the elements that the tensor `x` has in the state `u`, whatever is written later
    apply(f, form, x, …)       `f(x, *y, name=z, **w)`: the form says how each is passed, ("", "*", "name=", "**")
    gather(kind, form, x, …)   `[x, *y]`, a tuple, a set; for dicts keys and values in turn, and "**"
    signed(f, form, d, …)      `f` with a signature, such as ("x", "y=", "*rest"), and the defaults `d`
    following(it)              the next item of an iterator, in a tuple, which is empty at its end
    make_cell(), …             a variable that inner functions see, and what reads, writes and deletes it
    bound(x, name)             x, if the variable has a value
    interpret(text, reason, names, f, x, …)   what has no graph form: Python does `f(x, …)`; `names` are those of the last
    record()                   how it goes on is not known: it has not been recorded

Effects are in order because they are given the state they start from, as last argument, and the next state needs their
result: `u1 = update_state(U, print(x, U))`, then `depend(result, u1)` so that the result needs them. States carry no data;
functions that are no graphs are called without them.
"""

from __future__ import annotations

import builtins
import functools
import operator
import types
from collections.abc import Callable
from typing import Any

from anfora.core.errors import OpRuntimeError
from anfora.graph.machine import operations
from anfora.ops import copy, is_tensor

__all__ = ["PRIMITIVES", "primitive_of", "UNBOUND", "Monad", "Primitive", "U", "partial", "return_", "switch"]


class _Word:
    """A value that is nothing but the name under which this module has it."""

    __slots__ = ()
    _word: str

    def __repr__(self) -> str:
        return self._word

    __reduce__ = __repr__


class Monad(_Word):
    """The state of the world that effects happen in; a value without data, `U`."""

    __slots__ = ()
    _word = "U"


class Unbound(_Word):
    """What a variable holds that has no value."""

    __slots__ = ()
    _word = "UNBOUND"


U = Monad()  #: the state in which a program starts
UNBOUND = Unbound()


class Primitive:
    """A function of the IR.

    Args:
        name: as the texts of graphs write it.
        function: what it does to values; the evaluator itself ends graphs and binds arguments to them.
        least: how many arguments it takes at least.
        most: how many at most; None: any number.
        form: how Python writes it, `{} - {}`.
        handles_states: whether states of the world are values to it, rather than what it must wait for.
    Example:
        >>> from anfora.ir import PRIMITIVES, FuncGraph, Primitive
        >>> PRIMITIVES["add"].form
        '{} + {}'
        >>> graph = FuncGraph("f")  # one of your own
        >>> graph.output = graph.apply(Primitive("twice", lambda x: x + x, 1, 1), graph.parameter("x"))
        >>> graph(4)
        8
    """

    __slots__ = ("name", "function", "least", "most", "form", "handles_states")

    def __init__(
        self, name: str, function: Callable, least: int, most: int | None, form: str | None = None, *,
        handles_states: bool = False,
    ) -> None:  # fmt: skip
        self.name, self.function, self.least, self.most, self.form = name, function, least, most, form
        self.handles_states = handles_states

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def __reduce__(self) -> tuple:
        return PRIMITIVES.__getitem__, (self.name,)


def _first(value: Any, *others: Any) -> Any:
    return value


def _apply(function: Callable, form: tuple[str, ...], *values: Any) -> Any:
    args: list[Any] = []
    named: dict[str, Any] = {}
    for way, value in zip(form, values, strict=True):
        if way == "":
            args.append(value)
        elif way == "*":
            operations.extend(args, value)
        elif way == "**":
            operations.merge_keywords(named, value, function)
        else:
            operations.merge_keywords(named, {way[:-1]: value}, function)
    return function(*args, **named)


def _gather(kind: type, form: tuple[str, ...], *values: Any) -> Any:
    rest = iter(values)
    if kind is dict:
        made: dict[Any, Any] = {}
        for way in form:
            if way == "**":
                operations.merge(made, next(rest))
            else:
                key = next(rest)
                made[key] = next(rest)
        return made
    items: list[Any] = []
    for way in form:
        if way == "*":
            operations.extend(items, next(rest))
        else:
            items.append(next(rest))
    return kind(items)


def _signed(function: Callable, form: tuple[str, ...], *defaults: Any) -> Callable:
    """A Python function, so that wrong arguments are told in Python's words."""
    rest = iter(range(len(defaults)))
    parameters = ", ".join(f"{each}_defaults_[{next(rest)}]" if each.endswith("=") else each for each in form)
    names = ", ".join(each.strip("*=") for each in form if each not in ("/", "*"))
    name = getattr(function, "__name__", "function")
    scope: dict[str, Any] = {"_defaults_": defaults, "_function_": function}
    made: Any = eval(f"lambda {parameters}: _function_({names})", scope)
    made.__name__ = name  # which errors about arguments tell
    made.__qualname__ = getattr(function, "__qualname__", name)
    return made


def _following(iterator: Any) -> tuple:
    try:
        return (next(iterator),)
    except StopIteration:
        return ()


def _load_cell(cell: types.CellType, name: str, is_own: bool) -> Any:
    if not operations.is_filled(cell):
        raise (operations.unbound if is_own else operations.unbound_outside)(name)
    return cell.cell_contents


def _bound(value: Any, name: str, is_own: bool) -> Any:
    if value is UNBOUND:
        raise (operations.unbound if is_own else operations.unbound_outside)(name)
    return value


def _empty_cell(cell: types.CellType, name: str) -> None:
    _load_cell(cell, name, True)
    operations.empty_cell(cell)


def _load_global(function: types.FunctionType, name: str) -> Any:
    for scope in (function.__globals__, vars(builtins)):
        if name in scope:
            return scope[name]
    raise NameError(f"name '{name}' is not defined")


def _interpret(text: str, reason: str, names: tuple, function: Callable, *args: Any) -> Any:
    first = len(args) - len(names)
    if isinstance(function, Primitive):
        function = function.function
    return function(*args[:first], **dict(zip(names, args[first:])))


def _record(*_: Any) -> None:
    raise OpRuntimeError(
        "the program has not been recorded here", help="run the compiled function with these arguments."
    )


#: How Python writes its operators.
_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "lshift": "<<", "rshift": ">>", "bitand": "&", "bitor": "|", "bitxor": "^", "eq": "==", "ne": "!=", "lt": "<",
    "le": "<=", "gt": ">", "ge": ">=", "is": "is", "is_not": "is not", "in": "in", "not_in": "not in",
}  # fmt: skip
_UNARY = {"neg": "-", "pos": "+", "invert": "~", "not": "not "}

return_ = Primitive("return", _first, 1, 1, handles_states=True)
partial = Primitive("partial", functools.partial, 1, None, handles_states=True)
switch = Primitive("switch", lambda condition, first, second: first if condition else second, 3, 3, handles_states=True)

#: Every primitive, by name.
PRIMITIVES: dict[str, Primitive] = {
    primitive.name: primitive
    for primitive in (
        *(Primitive(name, operations.OPERATIONS[name], 2, 2, f"{{}} {sign} {{}}") for name, sign in _BINARY.items()),
        *(Primitive(name, operations.OPERATIONS[name], 1, 1, f"{sign}{{}}") for name, sign in _UNARY.items()),
        *(Primitive(f"i{name}", function, 2, 2) for name, function in operations.IN_PLACE.items()),
        return_,
        partial,
        switch,
        Primitive("getitem", operator.getitem, 2, 2, "{}[{}]"),
        Primitive("setitem", operator.setitem, 3, 4),  # the fourth: the state it happens in
        Primitive("getattr", getattr, 2, 2),
        Primitive("make_tuple", lambda *items: items, 0, None, handles_states=True),
        Primitive("make_list", lambda *items: [*items], 0, None, handles_states=True),
        Primitive("make_dict", lambda keys, *values: dict(zip(keys, values, strict=True)), 1, None),
        Primitive("make_slice", slice, 3, 3),
        Primitive("unpack", operations.unpack, 2, 2),
        Primitive("depend", _first, 1, None, handles_states=True),
        Primitive("update_state", _first, 1, None, handles_states=True),
        Primitive("load", lambda x, state: copy(x) if is_tensor(x) else x, 2, 2, handles_states=True),
        Primitive("setattr", setattr, 3, 3),
        Primitive("delattr", delattr, 2, 2),
        Primitive("delitem", operator.delitem, 2, 2),
        Primitive("unpack_rest", operations.unpack_rest, 3, 3),
        Primitive("apply", _apply, 2, None),
        Primitive("gather", _gather, 2, None),
        Primitive("signed", _signed, 2, None),
        Primitive("iter", iter, 1, 1),
        Primitive("following", _following, 1, 1),
        Primitive("make_cell", types.CellType, 0, 0),
        Primitive("load_cell", _load_cell, 3, 3),
        Primitive("store_cell", operations.fill_cell, 2, 2),
        Primitive("empty_cell", _empty_cell, 2, 2),
        Primitive("load_global", _load_global, 2, 2),
        Primitive("store_global", operations.set_global, 3, 3),
        Primitive("delete_global", operations.delete_global, 2, 2),
        Primitive("bound", _bound, 3, 3),
        Primitive("raise", operations.raise_, 1, 2),
        Primitive("format", lambda value, conversion, spec: operations.FORMATS[conversion](value, spec), 3, 3),
        Primitive("join", operations.join, 0, None),
        Primitive("interpret", _interpret, 4, None),
        Primitive("record", _record, 0, None),
    )
}


def primitive_of(function: Any, count: int) -> Any:
    """The primitive that does what a function of Python's does with so many arguments; the function if there is none."""
    found = (each for each in PRIMITIVES.values() if each.function is function)
    return next(
        (each for each in found if each.least <= count <= (count if each.most is None else each.most)), function
    )
