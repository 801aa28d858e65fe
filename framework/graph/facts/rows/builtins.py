"""Functions and classes of builtins, operator and math, and what the machine's instructions do."""

from __future__ import annotations

import functools
import math
import operator
import types
from typing import Any

from anfora.graph.facts.table import (
    CALLED,
    COUPLES,
    DRAINED,
    EQUAL,
    EQUALS,
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
    Numbers,
    add,
    dispatch,
    fact_of,
)
from anfora.graph.machine import operations
from anfora.graph.machine.machine import Walk
from anfora.graph.machine.operations import FORMATS, IN_PLACE, OPERATIONS

__all__: list[str] = []

_function: Any
_CHANGED = WRITTEN | RELEASED
_FOLLOWED = Numbers()
_PARTIAL = Numbers(may_fail=True)

# -- what looks at types and identities -------------------------------------------------------------------------------

add(isinstance, 0, 0, gives=PLAIN)
add(issubclass, 0, 0, gives=PLAIN)
add(callable, 0, gives=PLAIN)
add(type, 0, WALKED, KEPT, alone=0, others=KEPT, gives=PLAIN, moves=True)
add(super, KEPT, KEPT, moves=True)
add(id, KEPT, gives=PLAIN, by_python=True)  # its identity is
add(operator.is_, 0, 0, gives=PLAIN)
add(operator.is_not, 0, 0, gives=PLAIN)
add(operations.special_method, KEPT, 0, moves=True)
add(operations.no_comparison, 0, 0, 0, gives=PLAIN)
add(operations.no_operator, 0, 0, 0, gives=PLAIN)
add(operations.as_length, INDEX, gives=PLAIN)
add(operations.as_filled, INDEX, gives=PLAIN)
add(operations.as_truth, 0, gives=PLAIN)
add(operations.as_text, KEPT, gives=ITEM)
add(operations.as_iterator, KEPT, gives=ITEM)

# -- what makes containers, and walks over them ------------------------------------------------------------------------

add(len, LENGTH, named={}, gives=PLAIN, of_arrays=True)
add(list, DRAINED | LENGTH, of_arrays=True, moves=True)
add(tuple, DRAINED | LENGTH, of_arrays=True, moves=True)
add(tuple.__new__, 0, DRAINED | LENGTH, moves=True)
add(set, DRAINED | KEYS)
add(frozenset, DRAINED | KEYS)
add(dict, DRAINED | MAPPING | KEYS, others=KEPT, moves=True)
add(dict.fromkeys, DRAINED | KEYS, KEPT)
add(sorted, DRAINED | LENGTH | ORDERS, named={"key": CALLED, "reverse": TRUTH | INDEX}, of_arrays=True)
add(slice, KEPT, KEPT, KEPT)
add(range, INDEX, INDEX, INDEX, of_arrays=True)
add(iter, CALLED, EQUAL, alone=WALKED, moves=True)
add(Walk, WALKED, moves=True)
add(reversed, WALKED | LENGTH, moves=True)
add(enumerate, WALKED, INDEX, named={"iterable": WALKED, "start": INDEX}, moves=True)
add(zip, rest=WALKED, named={"strict": TRUTH}, moves=True)
add(map, CALLED, rest=WALKED, by_python=True)
add(filter, CALLED, WALKED, by_python=True)
add(next, WRITTEN | WALKED, KEPT, gives=ITEM)
add(operations.send, WRITTEN | WALKED, KEPT, gives=ITEM)
add(functools.partial, KEPT, rest=KEPT, others=KEPT, moves=True)
add(types.MethodType, KEPT, KEPT)
add(types.SimpleNamespace, others=KEPT)

add(operations.spread, 0, DRAINED | LENGTH, of_arrays=True, moves=True)
add(operations.extend, WRITTEN, DRAINED | LENGTH, gives=PLAIN, of_arrays=True)
add(operations.unpack, DRAINED, 0, of_arrays=True, moves=True)
add(operations.unpack_rest, DRAINED, 0, 0, of_arrays=True, moves=True)
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
add(setattr, _CHANGED, KEY, KEPT, gives=PLAIN, by_python=True)
add(delattr, _CHANGED, KEY, gives=PLAIN, by_python=True)
add(object.__setattr__, _CHANGED, KEY, KEPT, gives=PLAIN, by_python=True)
add(object.__delattr__, _CHANGED, KEY, gives=PLAIN, by_python=True)
add(operations.fill_cell, _CHANGED, KEPT, gives=PLAIN, moves=True)
add(operations.empty_cell, _CHANGED, gives=PLAIN)
add(operations.set_global, _CHANGED, KEY, KEPT, gives=PLAIN, by_python=True)
add(operations.delete_global, _CHANGED, KEY, gives=PLAIN, by_python=True)
add(operations.dict_of, 0, gives=ITEM, by_python=True)
# Of what the table has no rows for: tensors, arrays and objects of the program.
add(operator.getitem, LENGTH, INDEX, gives=ITEM, of_arrays=True)
add(operator.setitem, _CHANGED | LENGTH, INDEX, KEPT, gives=PLAIN, of_arrays=True)
add(operator.delitem, _CHANGED | LENGTH, INDEX, gives=PLAIN)
dispatch(operator.getitem, "__getitem__")
dispatch(operator.setitem, "__setitem__")
dispatch(operator.delitem, "__delitem__")

# -- values ------------------------------------------------------------------------------------------------------------

add(bool, TRUTH, gives=PLAIN, of_arrays=True)
add(hash, KEY | WHOLE, gives=PLAIN)
add(any, DRAINED | TRUTHS, gives=PLAIN)
add(all, DRAINED | TRUTHS, gives=PLAIN)
add(complex, WHOLE, WHOLE, gives=PLAIN, of_arrays=True)
add(bytes, WHOLE, WHOLE, WHOLE, gives=PLAIN)
for _function in (ord, chr, ascii, bin, hex, oct):
    add(_function, WHOLE, gives=PLAIN)
for _function in (str, repr, format):
    add(_function, rest=WHOLE, gives=PLAIN, numbers=Numbers(False, True, may_fail=_function is format))
for _function in FORMATS.values():
    add(_function, WHOLE, WHOLE, gives=PLAIN, numbers=Numbers(False, True, may_fail=True))
add(operations.join, rest=WHOLE, gives=PLAIN, numbers=Numbers(False, True))
add(abs, WHOLE, gives=PLAIN, numbers=_FOLLOWED, of_arrays=True)
add(float, WHOLE, gives=PLAIN, numbers=_FOLLOWED, of_arrays=True)
add(int, WHOLE, WHOLE, gives=PLAIN, numbers=_PARTIAL, of_arrays=True)
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
add(print, rest=WHOLE, gives=PLAIN, by_python=True)

# -- operators ---------------------------------------------------------------------------------------------------------

_MAY_FAIL = ("truediv", "floordiv", "mod", "pow")
_FOLLOWS = ("add", "sub", "mul", *_MAY_FAIL, "neg", "pos", "eq", "ne", "lt", "le", "gt", "ge")
_TEXTS = ("add", "eq", "ne")  #: those that follow from texts that vary, too
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_SYMBOLS = {"bitand": "and", "bitor": "or", "bitxor": "xor"}

for _function in vars(operator).values():  # those that no instruction does
    if isinstance(_function, types.BuiltinFunctionType) and fact_of(_function) is None:
        add(_function, rest=WHOLE, gives=NEW)
for _name, _function in OPERATIONS.items():
    if _name in ("is", "is_not"):
        continue
    if _name in ("in", "not_in"):
        add(_function, EQUAL, WALKED | EQUALS, gives=PLAIN, of_arrays=True)
        dispatch(_function, "__contains__", 1)
        continue
    _gives = PLAIN if _name in (*_COMPARISONS, "not") else NEW
    _numbers = Numbers(True, _name in _TEXTS, _name in _MAY_FAIL) if _name in _FOLLOWS else None
    _use = TRUTH if _name == "not" else WHOLE | EQUALS if _name in _COMPARISONS else WHOLE
    add(_function, _use, _use, gives=_gives, numbers=_numbers, of_arrays=True)
    if _name in ("add", "mul", "bitand", "bitor", "bitxor", "sub", "eq", "ne", "lt", "le", "gt", "ge"):
        dispatch(_function, f"__{_SYMBOLS.get(_name, _name)}__", is_binary=True)
for _name, _function in IN_PLACE.items():
    _numbers = Numbers(may_fail=_name in _MAY_FAIL) if _name in _FOLLOWS else None
    add(_function, _CHANGED | WHOLE, WHOLE, gives=ITEM, numbers=_numbers, of_arrays=True)
    dispatch(_function, f"__i{_SYMBOLS.get(_name, _name)}__", is_binary=True)
add(operator.index, INDEX, gives=PLAIN, of_arrays=True)
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
