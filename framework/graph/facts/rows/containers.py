"""Methods of containers, and of modules' functions on lists."""

from __future__ import annotations

import bisect
import heapq
import types
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from anfora.graph.facts.table import (
    ALL,
    CALLED,
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
    WALKED,
    WHOLE,
    WRITTEN,
    Fact,
    add,
    add_methods,
    as_many,
)

__all__ = ["TABLES"]

_CHANGED = WRITTEN | RELEASED
_MOVING = (list, dict)
_KNOWN = (list, dict, set, frozenset)  #: those that can be looked into wherever they come from


def _methods(kind: type, rows: dict[str, Any]) -> None:
    add_methods(
        kind,
        {
            name: Fact(
                getattr(kind, name), takes, owner=kind, is_of_own=kind not in _KNOWN, moves=kind in _MOVING, **more
            )
            for name, (takes, more) in rows.items()
            if not isinstance(getattr(kind, name, None), (types.FunctionType, type(None)))
        },
    )


def _row(*takes: int, gives: str = PLAIN, **more: Any) -> tuple[tuple[int, ...], dict]:
    return takes, {"gives": gives, **more}


_READ = {
    "__len__": _row(LENGTH),
    "__iter__": _row(WALKED, gives=NEW),
    "__reversed__": _row(WALKED, gives=NEW),
    "__repr__": _row(WHOLE),
    "__str__": _row(WHOLE),
    "__format__": _row(WHOLE, WHOLE),
    **{f"__{name}__": _row(WHOLE | EQUALS, WHOLE | EQUALS) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
}
_COMPARED_SETS = {f"__{name}__": _row(KEYS, KEYS) for name in ("eq", "ne", "lt", "le", "gt", "ge")}

_SEQUENCE = {
    "__getitem__": _row(0, INDEX, gives=ITEM),
    "__contains__": _row(EQUALS, EQUAL),
    "count": _row(EQUALS, EQUAL),
    "index": _row(EQUALS, EQUAL | WHOLE, INDEX, INDEX),  # the error shows it
    "__mul__": _row(WALKED, INDEX, gives=NEW),
    "__rmul__": _row(WALKED, INDEX, gives=NEW),
    "__add__": _row(WALKED, DRAINED, gives=NEW),
}

_CHANGING_SEQUENCE = {
    "append": _row(WRITTEN, KEPT),
    "insert": _row(WRITTEN, INDEX, KEPT),
    "extend": _row(WRITTEN, DRAINED | LENGTH),
    "pop": _row(WRITTEN, INDEX, gives=ITEM, puts="item"),
    "remove": _row(_CHANGED | EQUALS, EQUAL),
    "reverse": _row(WRITTEN),
    "clear": _row(_CHANGED, puts="all"),
    "copy": _row(WALKED, gives=NEW),
    "__setitem__": _row(_CHANGED, INDEX, KEPT, puts="item", sliced=DRAINED | LENGTH),
    "__delitem__": _row(_CHANGED, INDEX, puts="item"),
    "__iadd__": _row(WRITTEN, DRAINED | LENGTH, gives=ITEM),
    "__imul__": _row(_CHANGED, INDEX, gives=ITEM),
}

_methods(
    list,
    {
        **_READ,
        **_SEQUENCE,
        **_CHANGING_SEQUENCE,
        "sort": _row(WRITTEN | ORDERS | ALL, named={"key": CALLED, "reverse": TRUTH | INDEX}),
        "__init__": _row(_CHANGED, DRAINED | LENGTH),
    },
)
_methods(
    deque,
    {
        **_READ,
        **_SEQUENCE,
        **_CHANGING_SEQUENCE,
        **{name: _row(_CHANGED, KEPT) for name in ("append", "appendleft")},  # with a `maxlen`, another one goes
        **{name: _row(_CHANGED, DRAINED) for name in ("extend", "extendleft")},
        "popleft": _row(WRITTEN, gives=ITEM),
        "pop": _row(WRITTEN, gives=ITEM),
        "rotate": _row(WRITTEN, INDEX),
    },
)

_TABLE = {
    **_READ,
    "__eq__": _row(KEYS | WHOLE | EQUALS, KEYS | WHOLE | EQUALS),
    "__ne__": _row(KEYS | WHOLE | EQUALS, KEYS | WHOLE | EQUALS),
    "__contains__": _row(KEYS, KEY),
    "__getitem__": _row(KEYS, KEY, gives=ITEM),
    "get": _row(KEYS, KEY, KEPT, gives=ITEM),
    **{name: _row(WALKED, gives=NEW, hands_on=as_many) for name in ("keys", "values", "items")},
    "copy": _row(WALKED, gives=NEW),
    "__or__": _row(WALKED | KEYS, WALKED | MAPPING | KEYS, gives=NEW),
    "__ror__": _row(WALKED | KEYS, WALKED | MAPPING | KEYS, gives=NEW),
    "__setitem__": _row(_CHANGED | KEYS, KEY, KEPT, puts="item"),
    "__delitem__": _row(_CHANGED | KEYS, KEY, puts="item"),
    "__ior__": _row(_CHANGED | KEYS, DRAINED | MAPPING | KEYS, gives=ITEM),
    "pop": _row(_CHANGED | KEYS, KEY, KEPT, gives=ITEM),  # the key is let go
    "popitem": _row(WRITTEN, TRUTH, named={"last": TRUTH}, gives=NEW),
    "setdefault": _row(WRITTEN | KEYS, KEY, KEPT, gives=ITEM),
    "update": _row(_CHANGED | KEYS, DRAINED | MAPPING | KEYS, others=KEPT),
    "clear": _row(_CHANGED, puts="all"),
    "__init__": _row(_CHANGED | KEYS, DRAINED | MAPPING | KEYS, others=KEPT),
}
#: Kinds of dicts.
TABLES = (dict, defaultdict, OrderedDict, Counter)
for _kind in TABLES:
    _methods(_kind, _TABLE)
_methods(OrderedDict, {"move_to_end": _row(WRITTEN | KEYS, KEY, TRUTH, named={"key": KEY, "last": TRUTH})})

_OF_SETS = {
    **_READ,
    **_COMPARED_SETS,
    "__contains__": _row(KEYS, KEY),
    "__iter__": _row(WALKED | KEYS, gives=NEW),  # the order is that of the hashes
    "copy": _row(WALKED | KEYS, gives=NEW),
    **{
        name: _row(KEYS, rest=DRAINED | KEYS, gives=NEW)
        for name in ("union", "intersection", "difference", "symmetric_difference")
    },
    **{name: _row(KEYS, DRAINED | KEYS) for name in ("isdisjoint", "issubset", "issuperset")},
    **{
        f"__{name}__": _row(KEYS, DRAINED | KEYS, gives=NEW)
        for name in ("and", "or", "sub", "xor", "rand", "ror", "rsub", "rxor")
    },
}
_methods(frozenset, {**_OF_SETS, "__hash__": _row(KEYS | WHOLE)})
_methods(
    set,
    {
        **_OF_SETS,
        "add": _row(WRITTEN | KEYS, KEY | KEPT),
        "remove": _row(_CHANGED | KEYS, KEY),
        "discard": _row(_CHANGED | KEYS, KEY),
        "pop": _row(WRITTEN | WALKED | KEYS, gives=ITEM),
        "clear": _row(_CHANGED, puts="all"),
        "update": _row(WRITTEN | KEYS, rest=DRAINED | KEYS),
        "__ior__": _row(WRITTEN | KEYS, DRAINED | KEYS, gives=ITEM),
        **{
            name: _row(_CHANGED | KEYS, rest=DRAINED | KEYS)
            for name in ("intersection_update", "difference_update", "symmetric_difference_update")
        },
        **{f"__{name}__": _row(_CHANGED | KEYS, DRAINED | KEYS, gives=ITEM) for name in ("iand", "isub", "ixor")},
        "__init__": _row(_CHANGED | KEYS, DRAINED | KEYS),
    },
)

add(deque, DRAINED, INDEX, named={"iterable": DRAINED, "maxlen": INDEX}, is_of_own=True)
add(defaultdict, KEPT, DRAINED | MAPPING | KEYS, others=KEPT, is_of_own=True)
add(OrderedDict, DRAINED | MAPPING | KEYS, others=KEPT, is_of_own=True)
add(Counter, DRAINED | MAPPING | KEYS, others=KEPT, is_of_own=True)
for _function in (Counter.update, Counter.subtract):  # they are written in Python: see collected.py
    add(_function, WRITTEN | WHOLE | KEYS, DRAINED | MAPPING | WHOLE | KEYS, others=WHOLE, gives=PLAIN, by_python=True)
add(Counter.most_common, KEYS | WHOLE, INDEX, by_python=True)
add(Counter.copy, KEYS, by_python=True)

_HEAP = WRITTEN | ORDERS
add(heapq.heapify, _HEAP, gives=PLAIN)
add(heapq.heappush, _HEAP, ORDER | KEPT, gives=PLAIN)
add(heapq.heappop, _HEAP, gives=ITEM)
add(heapq.heapreplace, _HEAP, ORDER | KEPT, gives=ITEM)
add(heapq.heappushpop, _HEAP, ORDER | KEPT, gives=ITEM)

for _insort in (bisect.insort_left, bisect.insort_right):
    add(
        _insort, WRITTEN | ORDERS, ORDER | KEPT, INDEX, INDEX,
        named={"key": CALLED}, gives=PLAIN,
    )  # fmt: skip
