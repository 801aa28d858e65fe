"""Methods of what never changes. All they can do is look: at what they are given, and at all that it holds where no row
says that it is less."""

from __future__ import annotations

import types
from typing import Any

from anfora.graph.facts.table import (
    DRAINED,
    EQUAL,
    EQUALS,
    INDEX,
    ITEM,
    KEYS,
    LENGTH,
    NEW,
    PLAIN,
    WALKED,
    WHOLE,
    Fact,
    add_methods,
)

__all__: list[str] = []

_DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType)
#: What makes objects, and what reads and sets attributes.
_LEFT_OUT = frozenset([
    "__init__", "__getattribute__", "__setattr__", "__delattr__", "__reduce__", "__reduce_ex__", "__dir__", "__getstate__",
])  # fmt: skip


def _looking(kind: type, gives: str = PLAIN, **rows: Any) -> None:
    """Rows for all methods of a class: some that say more than that they look."""
    table = {}
    for name in dir(kind):
        method = getattr(kind, name)
        if type(method) in _DESCRIPTORS and name not in _LEFT_OUT:
            takes, more = rows.get(name, ((WHOLE,), {"rest": WHOLE, "gives": gives}))
            table[name] = Fact(method, takes, owner=kind, moves=kind is tuple, **more)
    add_methods(kind, table)


def _row(*takes: int, gives: str = PLAIN, **more: Any) -> tuple[tuple[int, ...], dict]:
    return takes, {"gives": gives, **more}


for _number in (bool, int, float, complex):
    _looking(_number)
for _kind in (str, bytes):
    _looking(
        _kind,
        NEW,
        join=_row(0, DRAINED | LENGTH | WHOLE),
        __iter__=_row(WALKED, gives=NEW),
        __len__=_row(LENGTH),
        __getitem__=_row(0, INDEX),
    )
_looking(
    tuple,
    NEW,
    index=_row(EQUALS, EQUAL | WHOLE, INDEX, INDEX),
    count=_row(EQUALS, EQUAL),
    __contains__=_row(EQUALS, EQUAL),
    __getitem__=_row(0, INDEX, gives=ITEM),
    __len__=_row(LENGTH),
    __iter__=_row(WALKED, gives=NEW),
    __hash__=_row(KEYS | WHOLE),
    **{f"__{name}__": _row(WHOLE | EQUALS, WHOLE | EQUALS) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    __add__=_row(WALKED, DRAINED, gives=NEW),
    __mul__=_row(WALKED, INDEX, gives=NEW),
    __rmul__=_row(WALKED, INDEX, gives=NEW),
)
_looking(
    range,
    NEW,
    index=_row(0, EQUAL | WHOLE),
    count=_row(0, EQUAL),
    __contains__=_row(0, EQUAL),
    __getitem__=_row(0, INDEX),
    __len__=_row(LENGTH),
    __iter__=_row(WALKED, gives=NEW),
    __reversed__=_row(WALKED, gives=NEW),
)
_looking(slice, NEW, indices=_row(WHOLE, INDEX))
