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

Effects are in order because they are given the state they start from, as last argument, and the next state needs their
result: `u1 = update_state(U, print(x, U))`, then `depend(result, u1)` so that the result needs them. States carry no data;
functions that are no graphs are called without them.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

from anfora.ops import copy, is_tensor

__all__ = ["PRIMITIVES", "Monad", "Primitive", "U", "partial", "return_", "switch"]


class Monad:
    """The state of the world that effects happen in; a value without data, `U`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "U"

    def __reduce__(self) -> str:
        return "U"


U = Monad()  #: the state in which a program starts


class Primitive:
    """A function of the IR.

    Args:
        name: as the texts of graphs write it.
        function: what it does to values; the evaluator itself ends graphs and binds arguments to them.
        least: how many arguments it takes at least.
        most: how many at most; None: any number.
        form: how Python writes it, `{} - {}`.
        handles_states: whether states of the world are values to it, rather than what it must wait for.
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


def _identity(value: Any) -> Any:
    return value


def _switch(condition: Any, first: Any, second: Any) -> Any:
    return first if condition else second


def _make_tuple(*items: Any) -> tuple:
    return items


def _make_list(*items: Any) -> list:
    return list(items)


def _make_dict(keys: tuple, *values: Any) -> dict:
    return dict(zip(keys, values, strict=True))


def _unpack(value: Any, count: int) -> tuple:
    """The items of what is assigned to `count` targets, with Python's errors."""
    try:
        rest = iter(value)
    except TypeError:
        raise TypeError(f"cannot unpack non-iterable {type(value).__name__} object") from None
    items = tuple(itertools.islice(rest, count))
    if len(items) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
    for _ in rest:
        raise ValueError(f"too many values to unpack (expected {count})")
    return items


def _depend(value: Any, *before: Any) -> Any:
    return value


def _update_state(state: Monad, *after: Any) -> Monad:
    return state


def _load(value: Any, state: Monad) -> Any:
    return copy(value) if is_tensor(value) else value


def _not_in(item: Any, container: Any) -> bool:
    return item not in container


def _in(item: Any, container: Any) -> bool:
    return item in container


_BINARY: dict[str, tuple[Callable, str]] = {
    "add": (operator.add, "+"), "sub": (operator.sub, "-"), "mul": (operator.mul, "*"),
    "truediv": (operator.truediv, "/"), "floordiv": (operator.floordiv, "//"), "mod": (operator.mod, "%"),
    "pow": (operator.pow, "**"), "matmul": (operator.matmul, "@"), "lshift": (operator.lshift, "<<"),
    "rshift": (operator.rshift, ">>"), "bitand": (operator.and_, "&"), "bitor": (operator.or_, "|"),
    "bitxor": (operator.xor, "^"), "eq": (operator.eq, "=="), "ne": (operator.ne, "!="), "lt": (operator.lt, "<"),
    "le": (operator.le, "<="), "gt": (operator.gt, ">"), "ge": (operator.ge, ">="), "is": (operator.is_, "is"),
    "is_not": (operator.is_not, "is not"), "in": (_in, "in"), "not_in": (_not_in, "not in"),
}  # fmt: skip
_IN_PLACE: dict[str, Callable] = {
    "iadd": operator.iadd, "isub": operator.isub, "imul": operator.imul, "itruediv": operator.itruediv,
    "ifloordiv": operator.ifloordiv, "imod": operator.imod, "ipow": operator.ipow, "imatmul": operator.imatmul,
    "ilshift": operator.ilshift, "irshift": operator.irshift, "ibitand": operator.iand, "ibitor": operator.ior,
    "ibitxor": operator.ixor,
}  # fmt: skip
_UNARY: dict[str, tuple[Callable, str]] = {
    "neg": (operator.neg, "-"), "pos": (operator.pos, "+"), "invert": (operator.invert, "~"),
    "not": (operator.not_, "not "),
}  # fmt: skip

return_ = Primitive("return", _identity, 1, 1, handles_states=True)
partial = Primitive("partial", functools.partial, 1, None, handles_states=True)
switch = Primitive("switch", _switch, 3, 3, handles_states=True)

#: Every primitive, by name.
PRIMITIVES: dict[str, Primitive] = {
    primitive.name: primitive
    for primitive in (
        *(Primitive(name, function, 2, 2, f"{{}} {sign} {{}}") for name, (function, sign) in _BINARY.items()),
        *(Primitive(name, function, 1, 1, f"{sign}{{}}") for name, (function, sign) in _UNARY.items()),
        *(Primitive(name, function, 2, 2) for name, function in _IN_PLACE.items()),
        return_,
        partial,
        switch,
        Primitive("getitem", operator.getitem, 2, 2, "{}[{}]"),
        Primitive("setitem", operator.setitem, 3, 4),  # the fourth: the state it happens in
        Primitive("getattr", getattr, 2, 2),
        Primitive("make_tuple", _make_tuple, 0, None, handles_states=True),
        Primitive("make_list", _make_list, 0, None, handles_states=True),
        Primitive("make_dict", _make_dict, 1, None),
        Primitive("make_slice", slice, 3, 3),
        Primitive("unpack", _unpack, 2, 2),
        Primitive("depend", _depend, 1, None, handles_states=True),
        Primitive("update_state", _update_state, 1, None, handles_states=True),
        Primitive("load", _load, 2, 2, handles_states=True),
    )
}
