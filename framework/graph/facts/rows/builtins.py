"""Functions and classes of builtins, operator, math, cmath and struct, and what the machine's instructions do."""

from __future__ import annotations

import cmath
import functools
import math
import operator
import struct
import types
from typing import Any

from anfora.graph.facts.table import (
    CALLED,
    COUPLES,
    DATA_NUMBERS,
    DATA_TRUTH,
    DRAINED,
    EQUAL,
    EQUALS,
    IDENTITY,
    INDEX,
    ITEM,
    KEPT,
    KEY,
    KEYS,
    LENGTH,
    MAPPING,
    NEW,
    ORDER,
    ORDERS,
    PLAIN,
    RELEASED,
    TRUTH,
    TRUTHS,
    WALKED,
    WHOLE,
    WRITTEN,
    Asking,
    Numbers,
    add,
    as_many,
    dispatch,
    fact_of,
    fewest,
)
from anfora.graph.machine import operations
from anfora.graph.machine.operations import FORMATS, IN_PLACE, OPERATIONS
from anfora.graph.machine.walks import Walk

__all__: list[str] = []

_function: Any
_CHANGED = WRITTEN | RELEASED
_FOLLOWED = Numbers()
_PARTIAL = Numbers(may_fail=True)


# -- what looks at types and identities -------------------------------------------------------------------------------

add(isinstance, 0, 0, gives=PLAIN, asking=Asking("__instancecheck__", kind="class"))
add(issubclass, 0, 0, gives=PLAIN, asking=Asking("__subclasscheck__", kind="class"))
add(callable, 0, gives=PLAIN)
add(type, 0, WALKED, KEPT, alone=0, others=KEPT, gives=PLAIN, moves=True)
add(super, KEPT, KEPT, moves=True)
add(id, KEPT | IDENTITY, gives=PLAIN, by_python=True)
add(operator.is_, IDENTITY, IDENTITY, gives=PLAIN)
add(operator.is_not, IDENTITY, IDENTITY, gives=PLAIN)
add(operations.special_method, KEPT, 0, moves=True)
add(operations.no_comparison, 0, 0, 0, gives=PLAIN)
add(operations.no_operator, 0, 0, 0, gives=PLAIN)
add(operations.as_length, INDEX, gives=PLAIN)
add(operations.as_filled, INDEX, gives=PLAIN)
add(operations.as_truth, 0, gives=PLAIN)
add(operations.as_text, KEPT, gives=ITEM)
add(operations.as_iterator, KEPT, gives=ITEM)

# -- what makes containers, and walks over them ------------------------------------------------------------------------

add(len, LENGTH, gives=PLAIN, of_arrays=True, asking=Asking("__len__", check=operations.as_length))
add(list, DRAINED | LENGTH, of_arrays=True, moves=True)
add(tuple, DRAINED | LENGTH, of_arrays=True, moves=True)
add(tuple.__new__, 0, DRAINED | LENGTH, moves=True)
add(set, DRAINED | KEYS)
add(frozenset, DRAINED | KEYS)
add(dict, DRAINED | MAPPING | KEYS, others=KEPT, moves=True)
add(dict.fromkeys, DRAINED | KEYS, KEPT)
add(sorted, DRAINED | LENGTH | ORDERS, named={"key": CALLED, "reverse": TRUTH | INDEX}, of_arrays=True)
add(slice, KEPT, KEPT, KEPT)
add(range, INDEX, INDEX, INDEX, of_arrays=True, of_data=DATA_NUMBERS)
add(
    iter,
    CALLED,
    EQUAL,
    alone=WALKED,
    moves=True,
    hands_on=as_many,
    asking=Asking("__iter__", check=operations.as_iterator),
)
add(Walk, WALKED, moves=True)
add(reversed, WALKED | LENGTH, moves=True, hands_on=as_many, asking=Asking("__reversed__"))
add(enumerate, WALKED, INDEX, named={"iterable": WALKED, "start": INDEX}, moves=True, hands_on=as_many)
add(zip, rest=WALKED, named={"strict": TRUTH}, moves=True, hands_on=fewest)
add(map, CALLED, rest=WALKED, by_python=True, hands_on=fewest)
add(filter, CALLED, WALKED, by_python=True, hands_on=as_many)
add(next, WRITTEN | WALKED, KEPT, gives=ITEM, asking=Asking("__next__"))
add(operations.send, WRITTEN | WALKED, KEPT, gives=ITEM)
add(functools.partial, KEPT, rest=KEPT, others=KEPT, moves=True)
add(types.MethodType, KEPT, KEPT)
add(types.SimpleNamespace, others=KEPT)

add(operations.spread, 0, DRAINED | LENGTH, of_arrays=True, moves=True)
add(operations.extend, WRITTEN, DRAINED | LENGTH, gives=PLAIN, of_arrays=True)
add(operations.unpack, DRAINED, 0, of_arrays=True, moves=True)
add(operations.unpack_rest, DRAINED, 0, 0, of_arrays=True, moves=True)
add(operations.update, WRITTEN | KEYS, DRAINED | KEYS, gives=PLAIN)
add(operations.make_set, DRAINED | KEYS)
add(operations.make_dict, DRAINED | COUPLES, moves=True)
add(operations.merge, _CHANGED | KEYS, WALKED | MAPPING | KEYS, gives=PLAIN)
add(operations.merge_keywords, WRITTEN | KEYS, WALKED | MAPPING | KEYS, 0, gives=PLAIN)
add(operations.values_of_keys, MAPPING | KEYS, DRAINED | KEYS, moves=True)
add(operations.rest_of_mapping, WALKED | MAPPING | KEYS, KEYS, moves=True)
add(operations.order_of, DRAINED | LENGTH | ORDERS, TRUTH | INDEX)
add(operations.names_of_pattern, 0, 0, 0)

# -- attributes, items and variables -----------------------------------------------------------------------------------

add(getattr, 0, KEY, KEPT, gives=ITEM, by_python=True)
add(hasattr, 0, KEY, gives=PLAIN, by_python=True)
for _function in (setattr, object.__setattr__):
    add(_function, _CHANGED, KEY, KEPT, gives=PLAIN, by_python=True, puts="attribute")
for _function in (delattr, object.__delattr__):
    add(_function, _CHANGED, KEY, gives=PLAIN, by_python=True, puts="attribute")
add(operations.fill_cell, _CHANGED, KEPT, gives=PLAIN, moves=True, puts="variable")
add(operations.empty_cell, _CHANGED, gives=PLAIN)
add(operations.set_global, _CHANGED, KEY, KEPT, gives=PLAIN, by_python=True, puts="item")
add(operations.delete_global, _CHANGED, KEY, gives=PLAIN, by_python=True, puts="item")
add(operations.dict_of, 0, gives=ITEM, by_python=True)
# Of what the table has no rows for: tensors, arrays and objects of the program.
add(operator.getitem, LENGTH, INDEX, gives=ITEM, of_arrays=True, asking=Asking("__getitem__"))
add(
    operator.setitem,
    _CHANGED | LENGTH,
    INDEX,
    WHOLE,  # a tensor reads numbers from it
    gives=PLAIN,
    of_arrays=True,
    puts="item",
    asking=Asking("__setitem__"),
)
add(operator.delitem, _CHANGED | LENGTH, INDEX, gives=PLAIN, puts="item", asking=Asking("__delitem__"))
dispatch(operator.getitem, "__getitem__")
dispatch(operator.setitem, "__setitem__")
dispatch(operator.delitem, "__delitem__")

# -- values ------------------------------------------------------------------------------------------------------------

add(bool, TRUTH, gives=PLAIN, of_arrays=True, of_data=DATA_TRUTH, asking=Asking("__bool__", "__len__", kind="truth"))
add(hash, KEY | WHOLE, gives=PLAIN)
add(any, DRAINED | TRUTHS, gives=PLAIN)
add(all, DRAINED | TRUTHS, gives=PLAIN)
add(complex, WHOLE, WHOLE, gives=PLAIN, of_arrays=True)
add(bytes, WHOLE, WHOLE, WHOLE, gives=PLAIN)
for _function in (ord, chr, ascii, bin, hex, oct):
    add(_function, WHOLE, gives=PLAIN)
for _function in (str, repr, format):
    add(
        _function,
        rest=WHOLE,
        gives=PLAIN,
        numbers=Numbers(False, True, may_fail=_function is format),
        asking=Asking("__repr__", check=operations.as_text) if _function is repr else None,
    )
for _function in FORMATS.values():
    add(_function, WHOLE, WHOLE, gives=PLAIN, numbers=Numbers(False, True, may_fail=True))
add(operations.join, rest=WHOLE, gives=PLAIN, numbers=Numbers(False, True))
add(abs, WHOLE, gives=PLAIN, numbers=_FOLLOWED, of_arrays=True, asking=Asking("__abs__"))
add(float, WHOLE, gives=PLAIN, numbers=_FOLLOWED, of_arrays=True, of_data=DATA_NUMBERS)
add(int, WHOLE, WHOLE, gives=PLAIN, numbers=_PARTIAL, of_arrays=True, of_data=DATA_NUMBERS)
add(round, WHOLE, WHOLE, gives=PLAIN, numbers=_PARTIAL, of_arrays=True)
add(divmod, WHOLE, WHOLE, of_arrays=True)
add(pow, WHOLE, WHOLE, WHOLE, gives=PLAIN, numbers=Numbers(may_fail=True, only=True), of_arrays=True)
for _function in (min, max):
    add(
        _function,
        rest=ORDER | KEPT,
        alone=DRAINED | ORDERS,
        named={"key": CALLED, "default": KEPT},
        gives=ITEM,
        numbers=Numbers(may_fail=True, only=True),
        of_arrays=True,
    )
add(sum, DRAINED | WHOLE, WHOLE, gives=ITEM, of_arrays=True)
for _function in operations.OF_ITEMS.values():
    add(_function, rest=WHOLE, gives=ITEM, numbers=Numbers(may_fail=True, only=True))
#: Those of math that take all items of something; `gcd`, `lcm` and `hypot` take any number of arguments.
_OF_ITEMS = {getattr(math, _name) for _name in ("fsum", "prod", "dist", "sumprod") if hasattr(math, _name)}
for _function in vars(math).values():
    if callable(_function):
        _uses = DRAINED | WHOLE if _function in _OF_ITEMS else WHOLE
        add(_function, rest=_uses, gives=PLAIN, numbers=Numbers(may_fail=True, only=True))
for _function in (*vars(cmath).values(), struct.calcsize, struct.pack, struct.unpack):
    if callable(_function):
        add(_function, rest=WHOLE, gives=NEW if _function is struct.unpack else PLAIN)
add(print, rest=WHOLE, gives=PLAIN, by_python=True)

# -- operators ---------------------------------------------------------------------------------------------------------

_MAY_FAIL = ("truediv", "floordiv", "mod", "pow")
_FOLLOWS = ("add", "sub", "mul", *_MAY_FAIL, "neg", "pos", "eq", "ne", "lt", "le", "gt", "ge")
_TEXTS = ("add", "eq", "ne")  #: those that follow from texts that vary, too
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_SYMBOLS = {"bitand": "and", "bitor": "or", "bitxor": "xor"}
#: The method of the right operand that answers a comparison where the left one's does not.
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">="}


def _asking(name: str, is_in_place: bool = False) -> Asking | None:
    """The special method that an operator of the machine's is a call of."""
    for own, method, sign in operations.ARITHMETIC:
        if own == name:
            names = (f"__i{method}__", f"__{method}__") if is_in_place else (f"__{method}__",)
            return Asking(*names, kind="operator", reflected=f"__r{method}__", symbol=sign + "=" * is_in_place)
    if name in _COMPARISONS:
        return Asking(f"__{name}__", kind="comparison", reflected=f"__{_MIRRORED[name]}__", symbol=_SIGNS[name])
    return Asking(f"__{name}__") if name in ("neg", "pos", "invert") else None


for _function in vars(operator).values():  # those that no instruction does
    if isinstance(_function, types.BuiltinFunctionType) and fact_of(_function) is None:
        add(_function, rest=WHOLE, gives=NEW)
for _name, _function in OPERATIONS.items():
    if _name in ("is", "is_not"):
        continue
    if _name in ("in", "not_in"):
        _asked: Asking | None = Asking("__contains__", kind="member" if _name == "in" else "no member")
        add(_function, EQUAL, WALKED | EQUALS, gives=PLAIN, of_arrays=True, asking=_asked)
        dispatch(_function, "__contains__", 1)
        continue
    _gives = PLAIN if _name in (*_COMPARISONS, "not") else NEW
    _numbers = Numbers(True, _name in _TEXTS, _name in _MAY_FAIL) if _name in _FOLLOWS else None
    _use = TRUTH if _name == "not" else WHOLE | EQUALS if _name in _COMPARISONS else WHOLE
    add(_function, _use, _use, gives=_gives, numbers=_numbers, of_arrays=True, asking=_asking(_name))
    if _name in ("add", "mul", "bitand", "bitor", "bitxor", "sub", "eq", "ne", "lt", "le", "gt", "ge"):
        dispatch(_function, f"__{_SYMBOLS.get(_name, _name)}__", is_binary=True)
for _name, _function in IN_PLACE.items():
    _numbers = Numbers(may_fail=_name in _MAY_FAIL) if _name in _FOLLOWS else None
    _asked = _asking(_name, is_in_place=True)
    add(_function, _CHANGED | WHOLE, WHOLE, gives=ITEM, numbers=_numbers, of_arrays=True, asking=_asked)
    dispatch(_function, f"__i{_SYMBOLS.get(_name, _name)}__", is_binary=True)
add(operator.index, INDEX, gives=PLAIN, of_arrays=True, of_data=DATA_NUMBERS)
add(operator.truth, TRUTH, gives=PLAIN)
add(operator.length_hint, LENGTH, INDEX, gives=PLAIN)
add(operator.contains, WALKED | EQUALS, EQUAL, gives=PLAIN)
add(operator.countOf, DRAINED | EQUALS, EQUAL, gives=PLAIN)
add(operator.indexOf, DRAINED | EQUALS, EQUAL, gives=PLAIN)
dispatch(operator.contains, "__contains__")
if hasattr(operator, "call"):
    add(operator.call, CALLED, rest=KEPT, others=KEPT, gives=ITEM, by_python=True)
add(operator.itemgetter, KEPT, rest=KEPT)
add(operator.attrgetter, KEPT, rest=KEPT)
add(operator.methodcaller, KEPT, rest=KEPT, others=KEPT)
