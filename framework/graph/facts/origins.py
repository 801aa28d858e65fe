"""Origins: how to find again, in a later call, a value that the program has read.

A piece of program starts from *slots*: the arguments of the call, or what was alive when the piece before it ended.
Everything else is reached from these, and from objects that are known (modules, functions, classes), by reading
attributes and items. An origin is such a path, and says which `call` gives it: dumps make that a node. `Emitter` turns
origins, and guards on them, into the Python text of a check.
"""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from anfora.core.tensor import current

__all__ = [
    "Emitter", "Guard", "Number", "Origin", "starts_of", "places_read", "plain_dict", "plain_tuple", "value_of",
    "value_of_number",
]  # fmt: skip


class Origin:
    """Where a value comes from.

    `kind` is one of
        slot     number `key` of what the piece starts from
        known    the object `key`
        attr     attribute `key` of what `base` gives; item: item `key` of it; method: attribute `key`, of its class
        number   arithmetic on Python numbers: operator `key` on `base`, a pair; or what a function says of a value
        draw     "seed" or "offset" of a draw of random numbers
        made     tensor number `key` that the piece makes;  view: the same, a view of the tensor of `base`
        result   what the interpreter gave at the end of the piece;  built: object number `key` that was made for it
        kept     object number `key` that the writes of the piece make
    """

    __slots__ = ("kind", "base", "key", "depth")

    def __init__(self, kind: str, key: Any, base: Any = None) -> None:
        self.kind, self.key, self.base = kind, key, base
        #: How many reads stand on each other. Arithmetic counts as some: who goes through it calls more functions.
        self.depth = 0
        if kind == "number":
            self.depth = _ARITHMETIC + max((part.depth for part in base if type(part) is Origin), default=0)
        elif type(base) is Origin:
            self.depth = 1 + base.depth

    @property
    def is_too_deep(self) -> bool:
        """Whether functions that call themselves for each part would go too deep."""
        return self.depth > _DEEPEST

    def __repr__(self) -> str:
        return self.path

    @property
    def parts(self) -> tuple[Any, ...]:
        """What it is read of or computed of: origins, and what is known."""
        return self.base if self.kind == "number" else (self.base,)

    @property
    def call(self) -> tuple[Any, ...]:
        """Of what is read or computed, the call that gives it: a function, and what that takes."""
        if self.kind == "number":
            return self.key, *self.base
        return operator.getitem if self.kind == "item" else getattr, self.base, self.key

    @property
    def path(self) -> str:
        """How the program would write it, for reports."""
        if self.kind == "slot":
            return f"argument {self.key}"
        if self.kind == "known":
            return getattr(self.key, "__name__", type(self.key).__name__)
        if self.kind in ("attr", "method"):
            return f"{self.base.path}.{self.key}"
        if self.kind == "item":
            return f"{self.base.path}[{_shown(self.key)}]"
        if self.kind == "number" and self.key is len:
            return f"len({self.base[0].path})"
        return self.kind


_DEEPEST = 200  #: `head.next.next` has two
_ARITHMETIC = 4


def _shown(key: Any) -> str:
    """A key, for reports: no code of the program is called for that."""
    parts = key if type(key) is tuple else (key,)
    return repr(key) if all(type(part) in _SHOWN for part in parts) else f"<{type(key).__name__}>"


_SHOWN = (int, float, bool, str, bytes, type(None))


def value_of(origin: Any, slots: Sequence[Any]) -> Any:
    """What an origin gives now; what is known as it is."""
    if type(origin) is not Origin:
        return origin
    if origin.kind == "slot":
        return slots[origin.key]
    if origin.kind == "known":
        return origin.key
    assert origin.kind in _CALLS, origin.kind
    function, *parts = origin.call
    return function(*[value_of(part, slots) for part in parts])


_CALLS = ("attr", "method", "item", "number")  #: kinds of what is read or computed


class Guard(NamedTuple):
    """What must hold so that what was recorded may be run again; `run/guards.py` has the kinds, and asks.

    Attributes:
        kind: what is asked: the type, the identity, the layout, …
        origin: of what.
        wanted: the answer that was seen.
    """

    kind: str
    origin: Origin
    wanted: Any = None


class Number:
    """A Python number whose value may differ from call to call: arithmetic and operators take it from its origin."""

    __slots__ = ("origin", "value")

    def __init__(self, origin: Origin, value: float) -> None:
        self.origin, self.value = origin, value

    def __repr__(self) -> str:
        return f"<number {self.value} of {self.origin}>"


def value_of_number(value: Any) -> Any:
    """The value of a number that varies; anything else as it is."""
    return value.value if type(value) is Number else value


def starts_of(origin: Any) -> Iterator[Origin]:
    """What arithmetic on numbers starts from."""
    if isinstance(origin, Origin):
        if origin.kind == "number":
            for part in origin.base:
                yield from starts_of(part)
        else:
            yield origin


def places_read(origin: Origin) -> list[Origin] | None:
    """The attributes and items that a number is worked out from; None where anything else is among them."""
    leaves = list(starts_of(origin))
    return leaves if all(leaf.kind in ("attr", "item") for leaf in leaves) else None


def plain_tuple(values: tuple) -> tuple:
    """The same, with values in the places of numbers that vary, in tuples among them as well."""
    return tuple(map(_plain_value, values))


def _plain_value(value: Any) -> Any:
    if type(value) is tuple and any(type(item) is Number for item in value):
        return plain_tuple(value)
    return value.value if type(value) is Number else value


def plain_dict(values: dict) -> dict:
    """The same of the values of a dict."""
    return {name: x.value if type(x) is Number else x for name, x in values.items()}


class Emitter:
    """Writes the text of a function that reads origins; each is read once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.constants: dict[str, Any] = {"current": current, "type": type, "len": len}
        self._names: dict[Origin, str] = {}
        self._known: dict[int, str] = {}

    def constant(self, value: Any) -> str:
        """A name for an object."""
        name = self._known.get(id(value))
        if name is None:
            name = self._known[id(value)] = f"c{len(self._known)}"
            self.constants[name] = value
        return name

    def name(self, origin: Origin) -> str:
        """The variable that holds what an origin gives, from here on."""
        found = self._names.get(origin)
        if found is None:
            text = self._text(origin)
            found = self._names[origin] = f"o{len(self._names)}"
            self.lines.append(f"{found} = {text}")
        return found

    def define(self, origin: Origin, text: str) -> str:
        """Give an origin the value of an expression."""
        found = self._names[origin] = f"o{len(self._names)}"
        self.lines.append(f"{found} = {text}")
        return found

    def again(self, origin: Origin) -> str:
        """The line that computes anew what an origin gives, where what it follows from has changed."""
        return f"{self._names[origin]} = {self._text(origin)}"

    def reserve(self, origin: Origin, name: str) -> None:
        """Say which variable will hold what an origin gives."""
        self._names[origin] = name

    def is_defined(self, origin: Origin) -> bool:
        return origin in self._names

    def function(self, result: str, failed: str = "None") -> Callable[[Sequence[Any]], Any]:
        """A function of the slots that does what has been written, and gives what an expression says; or what another one
        says where one of the two fails."""
        lines = [*self.lines, f"return {result}"]
        text = ["def function(slots):", "    try:", *(f"        {line}" for line in lines)]
        text += ["    except Exception:", f"        return {failed}"]
        scope = dict(self.constants)
        exec(compile("\n".join(text), __file__, "exec"), scope)
        return scope["function"]

    def _text(self, origin: Origin) -> str:
        kind, key = origin.kind, origin.key
        if kind == "slot":
            return f"slots[{key}]"
        if kind == "known":
            return self.constant(key)
        if kind in ("attr", "method"):
            base = self.name(origin.base)
            is_word = key.isascii() and key.isidentifier() and not keyword.iskeyword(key)
            return f"{base}.{key}" if is_word else f"getattr({base}, {key!r})"
        if kind == "item":
            base = self.name(origin.base)
            index = repr(key) if type(key) in (int, str) else self.constant(key)
            return f"{base}[{index}]"
        if kind == "number":
            function = self.constant(key)
            return f"{function}({', '.join(self.number(part) for part in origin.base)})"
        raise AssertionError(f"bug in this library: {kind} is not known at the start")

    def number(self, part: Any) -> str:
        """A part of arithmetic: a number's origin, or a number."""
        return self.name(part) if isinstance(part, Origin) else self.constant(part)
