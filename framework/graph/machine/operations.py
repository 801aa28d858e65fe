"""What instructions do to values, in Python's words: operators, unpacking, calls, patterns, `raise`, `import`."""

from __future__ import annotations

import collections
import functools
import gc
import itertools
import operator
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

__all__ = [
    "ARITHMETIC", "FORMATS", "IN_PLACE", "OF_ITEMS", "OPERATIONS", "VIEWS", "as_filled", "as_iterator", "as_length",
    "as_text", "as_truth", "attributes_of_class", "delete_global", "dict_of", "empty_cell", "extend", "fill_cell",
    "give_dict", "go_on_with",
    "has_index", "has_own", "holds", "import_absent", "is_filled", "is_made", "is_mapping", "is_of_python",
    "flags_of", "is_sequence", "is_set",
    "join", "make_dict", "make_set", "matches", "merge", "merge_keywords", "mro_of", "names_of_pattern", "no_comparison",
    "no_operator", "order_of", "raise_", "reraise", "rest_of_mapping", "send", "set_global", "special_method", "spread",
    "table_of",
    "unbound", "unbound_outside", "unpack", "unpack_rest", "update", "values_of_keys", "viewed",
]  # fmt: skip

OPERATIONS: dict[str, Callable] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow, "matmul": operator.matmul,
    "lshift": operator.lshift, "rshift": operator.rshift, "bitand": operator.and_, "bitor": operator.or_,
    "bitxor": operator.xor, "neg": operator.neg, "pos": operator.pos, "invert": operator.invert, "not": operator.not_,
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "is": operator.is_, "is_not": operator.is_not, "in": lambda x, y: x in y, "not_in": lambda x, y: x not in y,
}  # fmt: skip
IN_PLACE: dict[str, Callable] = {
    "add": operator.iadd, "sub": operator.isub, "mul": operator.imul, "truediv": operator.itruediv,
    "floordiv": operator.ifloordiv, "mod": operator.imod, "pow": operator.ipow, "matmul": operator.imatmul,
    "lshift": operator.ilshift, "rshift": operator.irshift, "bitand": operator.iand, "bitor": operator.ior,
    "bitxor": operator.ixor,
}  # fmt: skip
#: Operators with a method for each operand: our name, the one in the names of methods, and the sign.
ARITHMETIC = (
    ("add", "add", "+"), ("sub", "sub", "-"), ("mul", "mul", "*"), ("truediv", "truediv", "/"),
    ("floordiv", "floordiv", "//"), ("mod", "mod", "%"), ("pow", "pow", "**"), ("matmul", "matmul", "@"),
    ("lshift", "lshift", "<<"), ("rshift", "rshift", ">>"), ("bitand", "and", "&"), ("bitor", "or", "|"),
    ("bitxor", "xor", "^"),
)  # fmt: skip

#: The bases of a class, itself the first, what lies in it, and its flags, whatever its own class makes of these names.
mro_of: Callable[[type], tuple[type, ...]] = vars(type)["__mro__"].__get__
table_of: Callable[[type], Mapping[str, Any]] = vars(type)["__dict__"].__get__
flags_of: Callable[[type], int] = vars(type)["__flags__"].__get__


def unpack(value: Any, count: int) -> tuple:
    """The items of what is assigned to `count` targets."""
    rest = _iterator(value)
    items = tuple(itertools.islice(rest, count))
    if len(items) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
    for _ in rest:
        got = f", got {len(value)}" if sys.version_info >= (3, 14) and type(value) in (list, tuple, dict) else ""
        raise ValueError(f"too many values to unpack (expected {count}{got})")
    return items


def _iterator(value: Any) -> Any:
    """An iterator over what is unpacked. Only a class that has none at all is refused in the words of unpacking."""
    if not _can_be_iterated(value):
        raise TypeError(f"cannot unpack non-iterable {_shown(type(value))} object")
    return iter(value)


def unpack_rest(value: Any, before: int, after: int) -> tuple:
    """The items of what is assigned to targets of which one has a star: first ones, a list, last ones."""
    rest = _iterator(value)
    items = list(itertools.islice(rest, before))
    if len(items) == before:
        items += list(rest)  # as Python does: what is left is asked how long it is
    if len(items) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(items)})")
    end = len(items) - after
    return (*items[:before], items[before:end], *items[end:])


def matches(error: BaseException, kind: Any) -> bool:
    """Whether an `except` clause takes an exception."""
    for each in kind if isinstance(kind, tuple) else (kind,):
        if not (isinstance(each, type) and issubclass(each, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
    return isinstance(error, kind)


def raise_(error: Any, *cause: Any) -> None:
    """`raise error` and `raise error from cause`."""
    if isinstance(error, type) and issubclass(error, BaseException):
        error = error()
    if not isinstance(error, BaseException):
        raise TypeError("exceptions must derive from BaseException")
    if cause:
        raise error from cause[0]
    raise error


def reraise(error: BaseException) -> NoReturn:
    """Go on with an exception that has been raised before, in the context that it has."""
    context = error.__context__
    try:
        raise error
    finally:
        error.__context__ = context
        del error, context  # this frame stands in the traceback


class _Without:
    """What is no module, without one of its attributes.

    Args:
        module: what an import has given.
        name: of what it does not have.
    """

    def __init__(self, module: Any, name: str) -> None:
        self._module, self._name = module, name

    def __getattribute__(self, name: str) -> Any:
        if name == object.__getattribute__(self, "_name"):
            raise AttributeError(name)
        return getattr(object.__getattribute__(self, "_module"), name)


def import_absent(module: Any, name: str) -> Any:
    """`from module import name` of what is no attribute there: a module below it that is being imported, or an error.
    Python does it, as the rest of an import whose first half has given the module."""
    asked: Any = _Without(module, name)
    if isinstance(module, types.ModuleType):  # of which errors tell the file
        asked = types.ModuleType("")
        asked.__dict__.clear()
        asked.__dict__.update(module.__dict__ or ())  # in Python 3.10 one that has not been given a name has none
        asked.__dict__.pop("__getattr__", None)  # it has been asked
    found: dict[str, Any] = {"__builtins__": {"__import__": lambda *_: asked}}
    exec(_importing(name), found)
    return found["found"]


@functools.cache
def _importing(name: str) -> types.CodeType:
    return compile(f"from module import {name} as found", __file__, "exec")


def is_sequence(value: Any) -> bool:
    match value:  # a flag of its type says it, for classes written in C too
        case [*_]:
            return True
    return False


def is_mapping(value: Any) -> bool:
    match value:
        case {}:
            return True
    return False


def values_of_keys(value: Any, keys: tuple) -> tuple | None:
    """The values of keys, None where one is missing."""
    seen: set[Any] = set()
    values = []
    for key in keys:
        if key in seen:
            raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
        seen.add(key)
        found = value.get(key, seen)
        if found is seen:
            return None
        values.append(found)
    return tuple(values)


def attributes_of_class(value: Any, kind: Any, positional: int, names: tuple[str, ...]) -> tuple | None:
    """What a class pattern takes from a value, None where it does not match."""
    if not isinstance(kind, type):
        raise TypeError("called match pattern must be a class")
    if not isinstance(value, kind):
        return None
    try:
        return tuple(
            value if name is None else getattr(value, name) for name in names_of_pattern(kind, positional, names)
        )
    except AttributeError:
        return None


def names_of_pattern(kind: type, positional: int, names: tuple[str, ...]) -> list[str | None]:
    """The attributes that a class pattern takes, None for the value itself."""
    found: list[str | None] = []
    given: list[str] = []
    if positional:
        allowed = getattr(kind, "__match_args__", None)
        if allowed is None and _matches_itself(kind):
            if positional > 1:
                raise TypeError(f"{kind.__name__}() accepts 1 positional sub-pattern ({positional} given)")
            found.append(None)
        else:
            allowed = () if allowed is None else allowed
            if not isinstance(allowed, tuple):
                raise TypeError(f"{kind.__name__}.__match_args__ must be a tuple (got {type(allowed).__name__})")
            if positional > len(allowed):
                some = f"{len(allowed)} positional sub-pattern" + ("" if len(allowed) == 1 else "s")
                raise TypeError(f"{kind.__name__}() accepts {some} ({positional} given)")
            given = list(allowed[:positional])
            for name in given:
                if not isinstance(name, str):
                    raise TypeError(f"__match_args__ elements must be strings (got {type(name).__name__})")
    for name in (*given, *names):
        if given.count(name) + (name in names and name in given) > 1:
            raise TypeError(f"{kind.__name__}() got multiple sub-patterns for attribute {name!r}")
        found.append(name)
    return found


def _matches_itself(kind: type) -> bool:
    return issubclass(kind, (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple))


def rest_of_mapping(value: Any, keys: tuple) -> dict:
    """A copy without some keys."""
    rest = dict(value)
    for key in keys:
        del rest[key]
    return rest


def fill_cell(cell: types.CellType, value: Any) -> None:
    cell.cell_contents = value


def is_set(place: types.MemberDescriptorType, owner: Any) -> bool:
    """Whether something stands in a slot of an object."""
    try:
        place.__get__(owner)
    except AttributeError:
        return False
    return True


def is_filled(cell: types.CellType) -> bool:
    """Whether a variable has a value."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def holds(container: Any, key: Any) -> bool:
    return key in container


def has_index(items: list, index: int) -> bool:
    return -len(items) <= index < len(items)


def dict_of(value: Any) -> Any:
    """The attributes of an object, as a dict; None where it has none. Its class is not asked: it may have a
    `__getattribute__`, or a `__getattr__` for what it has no dict."""
    where = _place_of_dict(type(value))
    return None if where is None else where.__get__(value)


def attributes_of_partial(function: functools.partial) -> dict | None:
    """The attributes of a partial function; None where it has not been asked for any: the question makes a dict."""
    told: Any = function.__reduce__()
    attributes: dict | None = told[2][3]
    return attributes


def stays_whole(function: functools.partial) -> bool:
    """Whether a partial function of this one calls it: `functools.partial` takes those apart that have no attributes."""
    return attributes_of_partial(function) is not None


def give_dict(value: Any, table: dict) -> None:
    """Let a dict be the attributes of an object."""
    where = _place_of_dict(type(value))
    assert where is not None
    where.__set__(value, table)


def _place_of_dict(kind: type) -> types.GetSetDescriptorType | types.MemberDescriptorType | None:
    for base in mro_of(kind):
        found = table_of(base).get("__dict__")
        if found is not None and type(found) in _DESCRIPTORS:
            return found
    return None


_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)


def has_own(owner: Any, name: str) -> bool:
    """Whether an object, a class or a module has an attribute of its own."""
    return name in (dict_of(owner) or ())


def empty_cell(cell: types.CellType) -> None:
    del cell.cell_contents


def set_global(function: types.FunctionType, name: str, value: Any) -> None:
    function.__globals__[name] = value


def delete_global(function: types.FunctionType, name: str) -> None:
    del function.__globals__[name]


def unbound_outside(name: str) -> NameError:
    return NameError(
        f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
        if sys.version_info >= (3, 11)
        else f"free variable '{name}' referenced before assignment in enclosing scope",
        name=name,
    )


def unbound(name: str) -> UnboundLocalError:
    return UnboundLocalError(
        f"cannot access local variable '{name}' where it is not associated with a value"
        if sys.version_info >= (3, 11)
        else f"local variable '{name}' referenced before assignment"
    )


def special_method(value: Any, name: str) -> Any:
    """The method of the type of a value, bound to it, as `with` looks it up."""
    kind = type(value)
    method = next((table_of(base)[name] for base in mro_of(kind) if name in table_of(base)), None)
    if method is None:
        if sys.version_info >= (3, 11):
            what = f"'{_shown(kind)}' object does not support the context manager protocol"
            if name == "__exit__" and any("__enter__" in table_of(base) for base in mro_of(kind)):
                what += " (missed __exit__ method)"
            raise TypeError(what)
        raise AttributeError(name)
    return method.__get__(value, kind) if hasattr(type(method), "__get__") else method


def make_set(items: tuple) -> set:
    return set(items)


def make_dict(items: list) -> dict:
    return dict(zip(items[::2], items[1::2]))


def _format(value: Any, spec: str) -> str:
    return format(value, spec)


#: By conversion; "to" and one of these is the conversion alone.
FORMATS: dict[str, Callable] = {
    "": _format,
    "to s": lambda value, _: str(value),
    "to r": lambda value, _: repr(value),
    "to a": lambda value, _: ascii(value),
    "s": lambda value, spec: format(str(value), spec),
    "r": lambda value, spec: format(repr(value), spec),
    "a": lambda value, spec: format(ascii(value), spec),
}


def join(*parts: str) -> str:
    """A string with `{…}` in it, of its parts."""
    return "".join(parts)


def extend(items: list, more: Any) -> None:
    if not _can_be_iterated(more):
        raise TypeError(f"Value after * must be an iterable, not {_shown(type(more))}")
    items.extend(more)


def spread(function: Any, items: Any) -> tuple:
    """The arguments of `f(*items)`."""
    if not _can_be_iterated(items):
        raise TypeError(f"{_called(function)} argument after * must be an iterable, not {_shown(type(items))}")
    return tuple(items)


def _called(function: Any) -> str:
    """What messages about the arguments of a call name it."""
    name = getattr(function, "__qualname__", None)
    if name is None:
        return str(function)
    module = getattr(function, "__module__", None)
    return f"{name}()" if module is None or module == "builtins" else f"{module}.{name}()"


def _can_be_iterated(value: Any) -> bool:
    """Whether there is somebody to ask for an iterator, who may say no in words of his own."""
    if any("__iter__" in table_of(base) for base in mro_of(type(value))):
        return True
    try:
        iter(value)  # over its items, which calls nothing of the program; to have `__getitem__` is not enough in C
    except TypeError:
        return False
    return True


def update(items: set, more: Any) -> None:
    """`{*items, *more}`."""
    items.update(more)


def go_on_with(function: Callable, args: tuple, found: list, rest: Any) -> Any:
    """Give a function an iterator of which some items have been taken."""
    return function(*args, itertools.chain(found, rest))


def merge(into: dict, more: Any) -> None:
    if not hasattr(more, "keys"):
        raise TypeError(f"'{_shown(type(more))}' object is not a mapping")
    into.update(more)


def merge_keywords(into: dict, more: Any, function: Any) -> None:
    """More of the keyword arguments of `f(**into, **more)`."""
    if not hasattr(more, "keys"):
        raise TypeError(f"{_called(function)} argument after ** must be a mapping, not {_shown(type(more))}")
    if isinstance(more, dict) and type(more).__iter__ is dict.__iter__:
        more = dict(more)  # as it stands there: Python asks no method of such a class
    for key in more.keys():  # noqa: SIM118  (a mapping may have no other way)
        if not isinstance(key, str):
            raise TypeError("keywords must be strings")
        if key in into:
            raise TypeError(f"{_called(function)} got multiple values for keyword argument '{key}'")
        into[key] = more[key]


def sum_of(*items: Any) -> Any:
    return sum(items)


def max_of(*items: Any) -> Any:
    return max(items)


def min_of(*items: Any) -> Any:
    return min(items)


#: Functions of numbers in a list or tuple, and the same of as many arguments.
OF_ITEMS: dict[Callable, Callable] = {sum: sum_of, max: max_of, min: min_of}


def order_of(keys: list, reverse: bool) -> list[int]:
    """The positions of keys, sorted by them."""
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def send(iterator: Any, value: Any) -> Any:
    return iterator.send(value)


def throw(iterator: Any, *error: Any) -> Any:
    return iterator.throw(*error)


def close(iterator: Any) -> None:
    iterator.close()


def throw_into(iterator: Any, error: BaseException) -> Any:
    """What `yield from iterator` does with an exception that is raised there from outside."""
    if isinstance(error, GeneratorExit):
        close = getattr(iterator, "close", None)
        if close is not None:
            close()
        raise error
    throw = getattr(iterator, "throw", None)
    if throw is None:
        raise error
    return throw(error)


def viewed(view: Any) -> dict:
    """The dict that a view is of: Python tells it to the collector of garbage alone."""
    return next(owner for owner in gc.get_referents(view) if issubclass(type(owner), dict))


#: What `keys`, `values` and `items` of a dict give.
VIEWS: tuple[type, ...] = tuple(
    type(view)
    for table in (dict[str, int](), collections.OrderedDict[str, int]())
    for view in (table.keys(), table.values(), table.items())
)


# -- what Python makes of the results of special methods ---------------------------------------------------------------


def _through(name: str, function: Callable) -> Callable[[Any], Any]:
    """What `function` gives for an object whose special method gives a value: the value, or the error about it."""
    probe = type("probe", (), {name: lambda self: self.value})

    def check(value: Any) -> Any:
        held = probe()
        held.value = value
        return function(held)

    return check


as_length, as_truth, as_filled = _through("__len__", len), _through("__bool__", bool), _through("__len__", bool)
as_text, as_iterator = _through("__repr__", repr), _through("__iter__", iter)


def is_made(kind: type) -> bool:
    """Whether a class is made while the program runs. From one version of Python to the next more of those that are written
    in C are."""
    return bool(flags_of(kind) & _IS_MADE)


def is_of_python(kind: type) -> bool:
    """Whether a class is made by `class`: in those that are written in C nothing can be set.

    Example:
        >>> import itertools, fractions
        >>> is_of_python(itertools.chain), is_of_python(fractions.Fraction)
        (False, True)
    """
    return flags_of(kind) & (_IS_MADE | _IS_IMMUTABLE) == _IS_MADE


#: The flags of classes that are made while a program runs, and of those in which nothing can be set or deleted.
_IS_MADE, _IS_IMMUTABLE = 1 << 9, 1 << 8


def _shown(kind: type) -> str:
    """The name of a class in Python's messages: those that are written in C have their module's in it."""
    is_in_module = not is_of_python(kind) and kind.__module__ != "builtins"
    return f"{kind.__module__}.{kind.__name__}" if is_in_module else kind.__name__


def no_operator(symbol: str, left: Any, right: Any) -> None:
    """The error of an operator that neither operand knows."""
    shown = "** or pow()" if symbol == "**" else symbol
    names = f"{_shown(type(left))!r} and {_shown(type(right))!r}"
    raise TypeError(f"unsupported operand type(s) for {shown}: {names}")


def no_comparison(symbol: str, left: Any, right: Any) -> None:
    """The error of a comparison that neither operand knows."""
    names = f"{_shown(type(left))!r} and {_shown(type(right))!r}"
    raise TypeError(f"{symbol!r} not supported between instances of {names}")
