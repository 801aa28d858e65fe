"""What is plain: numbers, texts, and containers and functions of such. Programs on plain values alone are Python's."""

from __future__ import annotations

import collections
import functools
import io
import itertools
import operator
import re
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from anfora.graph.facts.kinds import is_a, module_of, name_of_module, reduced
from anfora.graph.facts.known import BOUND, DEQUE_ITERATORS, SIMPLE, VIEWS, enters, is_object, viewed
from anfora.graph.facts.origins import Number
from anfora.graph.facts.table import WALKED, fact_of
from anfora.graph.machine.operations import dict_of, mro_of
from anfora.graph.machine.places import may_look_at_frames

__all__ = ["COUNTED", "Plainness", "count_of"]

_NESTED = 8  #: how deep it is looked
_MOST_ITEMS = 20_000  #: that are not simple, and are looked at one by one
_SEQUENCES = (list, tuple, set, frozenset, collections.deque)
_MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
_ALL_SIMPLE = frozenset({*SIMPLE, Number, bytearray, slice})


class Plainness:
    """Says whether values are plain: one look at a program.

    What other packages make is not, nor is what may hold a tensor.

    Attributes:
        may_look: whether something of what was looked at may look at the frames of its callers.
    """

    def __init__(self) -> None:
        self.may_look = False
        self._seen: dict[int, Any] = {}
        self._left = _MOST_ITEMS

    def __call__(self, value: Any, depth: int = 0) -> bool:
        kind = type(value)
        if kind in _ALL_SIMPLE:
            return True
        if id(value) in self._seen:
            return True  # it has been looked at, or is being
        self._seen[id(value)] = value
        if depth > _NESTED:
            return False
        look = _LOOKS.get(kind)
        if look is not None:
            return look(self, value, depth)
        if is_a(value, type):
            return module_of(value) in _LIBRARIES or self._class(value, depth)
        if kind in _OTHERS:
            return True
        if module_of(kind) in ("builtins", "itertools") and hasattr(kind, "__next__"):
            return self._iterator(value, depth)
        return is_object(value) and self(kind, depth) and self(dict_of(value), depth)

    def cell(self, cell: types.CellType, depth: int = 0) -> bool:
        """The same of a variable."""
        try:
            held = cell.cell_contents
        except ValueError:
            return True
        return self(held, depth)

    def _all(self, items: Iterable[Any], depth: int) -> bool:
        waiting = [items]  # lists in lists, however deep
        while waiting:
            items = waiting.pop()
            kinds = set(map(type, items))
            if kinds <= _ALL_SIMPLE:
                continue
            if not all(self(kind, depth + 1) for kind in kinds - _LOOKED_INTO):  # else no item need be looked at
                return False
            for item in items:
                kind = type(item)
                if kind in _ALL_SIMPLE:
                    continue
                self._left -= 1
                if self._left < 0:
                    return True  # those that were looked at are
                if kind not in _SEQUENCES:
                    if not self(item, depth + 1):
                        return False
                elif id(item) not in self._seen:
                    self._seen[id(item)] = item
                    waiting.append(item)
        return True

    def _mapping(self, mapping: Any, depth: int) -> bool:
        factory = getattr(mapping, "default_factory", None)
        is_made_plainly = factory is None or self(factory, depth)
        return is_made_plainly and self._all(mapping, depth) and self._all(mapping.values(), depth)

    def _view(self, view: Any, depth: int) -> bool:
        return self(viewed(view), depth + 1)

    def _bound(self, method: Any, depth: int) -> bool:
        owner = method.__self__
        self.may_look = self.may_look or may_look_at_frames(method)
        return owner is None or is_a(owner, types.ModuleType) or self(owner, depth + 1)

    def _descriptor(self, method: types.MethodDescriptorType, depth: int) -> bool:
        return module_of(method.__objclass__) == "builtins"

    def _partial(self, function: functools.partial, depth: int) -> bool:
        return all(self(part, depth + 1) for part in (function.func, function.args, function.keywords))

    def _module(self, module: types.ModuleType, depth: int) -> bool:
        self.may_look = self.may_look or module is sys or str(getattr(module, "__file__", "")).endswith(".py")
        return name_of_module(module).partition(".")[0] in sys.stdlib_module_names

    def _function(self, function: types.FunctionType, depth: int) -> bool:
        """Whether what a function names is plain."""
        if not enters(function):
            self.may_look = self.may_look or not _calls_nothing(function)
            return module_of(function).partition(".")[0] in sys.stdlib_module_names
        if not all(self.cell(cell, depth + 1) for cell in function.__closure__ or ()):
            return False
        given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        if not all(self(value, depth + 1) for value in given):
            return False
        return all(self.named(name, function, depth + 1) for name in _names_of(function.__code__))

    def _class(self, kind: type, depth: int) -> bool:
        """Whether a class of the program is made of plain functions and values."""
        if type(kind) is not type or module_of(kind).partition(".")[0] == "anfora" or "__slots__" in kind.__dict__:
            return False
        for base in mro_of(kind)[1:-1]:
            if module_of(base) not in _LIBRARIES and not self(base, depth + 1):
                return False
        return all(self._member(value, depth + 1) for value in kind.__dict__.values())

    def _member(self, value: Any, depth: int) -> bool:
        if is_a(value, (classmethod, staticmethod)):
            value = value.__func__
        if type(value) is property:
            return all(self(part, depth) for part in (value.fget, value.fset, value.fdel) if part is not None)
        return type(value) is types.GetSetDescriptorType or self(value, depth)

    def named(self, name: str, function: types.FunctionType, depth: int = 0) -> bool:
        """Whether a variable of a function's module is plain."""
        scope = function.__globals__
        return name not in scope or self(scope[name], depth)

    def _iterator(self, value: Any, depth: int) -> bool:
        if type(value) is types.GeneratorType:
            return False
        try:
            parts = reduced(value)
        except TypeError:
            return False
        return is_a(parts, tuple) and all(self(part, depth + 1) for part in parts[1])


def _calls_nothing(function: types.FunctionType) -> bool:
    """Whether a function of a library names no module, function or attribute, nor has one that looks at frames among its
    variables: it can call nothing but what it is given."""
    inside = Plainness()
    return (
        not _names_of(function.__code__) and all(map(inside.cell, function.__closure__ or ())) and not inside.may_look
    )


@functools.lru_cache(maxsize=4096)
def _names_of(code: types.CodeType) -> frozenset[str]:
    """The names that a function reads from its module, or as attributes, and those in it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if is_a(constant, types.CodeType):
            names |= _names_of(constant)
    return frozenset(names)


_LIBRARIES = frozenset({
    "builtins", "collections", "itertools", "functools", "operator", "math", "re", "string", "random", "heapq", "bisect",
    "decimal", "fractions", "datetime", "array", "io", "_io", "struct", "json",
})  # fmt: skip
#: How it is looked at what is of a type.
_LOOKS: dict[type, Callable[[Plainness, Any, int], bool]] = {
    **dict.fromkeys(_SEQUENCES, Plainness._all),
    **dict.fromkeys(_MAPPINGS, Plainness._mapping),
    **dict.fromkeys(VIEWS, Plainness._view),
    **dict.fromkeys(BOUND, Plainness._bound),
    types.FunctionType: Plainness._function,
    types.MethodDescriptorType: Plainness._descriptor,
    types.CellType: Plainness.cell,
    functools.partial: Plainness._partial,
    types.ModuleType: Plainness._module,
}
#: Types of which every object is plain.
_OTHERS = frozenset({
    type(iter(range(0))), type(iter(range(1 << 70))), type(iter("")), type(iter("é")), type(iter(b"")), *DEQUE_ITERATORS,
    operator.itemgetter, operator.attrgetter, operator.methodcaller, io.TextIOWrapper, io.StringIO, io.BytesIO,
    type(re.compile("")),
})  # fmt: skip
_LOOKED_INTO = frozenset({*_ALL_SIMPLE, *_SEQUENCES, *_MAPPINGS, types.FunctionType, *BOUND, type})


def count_of(items: Any) -> int:
    """How many items come, where that can be told without asking for one; 0 else."""
    kind = type(items)
    if kind is range:
        return max(0, -(-(items.stop - items.start) // items.step))
    if kind in COUNTED:
        return len(items)
    if kind in _COUNTING:
        try:
            return operator.length_hint(items)
        except ValueError:  # more have come of a set that has changed than it held at the start
            return 0
    fact = fact_of(kind)
    if fact is None or fact.hands_on is None:
        return 0
    try:
        parts = reduced(items)[1]
    except (TypeError, IndexError):
        return 0
    return fact.hands_on([count_of(part) for use, part in fact.uses(parts) if use & WALKED])


#: Types that know how many items they hold.
COUNTED = frozenset({range, *_SEQUENCES, *_MAPPINGS, *VIEWS, str, bytes, bytearray})
_COUNTING = frozenset({
    *(type(iter(kind())) for kind in (list, tuple, dict, set, str, bytes)), type(iter("é")), type(iter(range(0))),
    type(iter(range(1 << 70))), type(reversed([])), type(iter({}.values())), type(iter({}.items())), *DEQUE_ITERATORS,
    itertools.repeat,
})  # fmt: skip
