"""Recorded programs in words: what values are called, what guards ask, what hops gave, and where things stand."""

from __future__ import annotations

import inspect
import linecache
import types
from collections.abc import Callable, Sequence
from typing import Any

from anfora.core.cell import Cell
from anfora.core.span import Span
from anfora.graph.facts.origins import Emitter, Origin, value_of
from anfora.graph.lower.ranges import Jump
from anfora.graph.run.compiled import RecordedProgram
from anfora.graph.run.guards import write_guard
from anfora.graph.run.points import Hop, Point, Same
from anfora.graph.source.code import Position, about
from anfora.graph.state.images import Image
from anfora.graph.state.sharing import differ, lie_alike, lie_apart

__all__ = [
    "Names", "changed", "first_failing", "guard_text", "hop_span", "is_raised", "name_of", "outcome_text",
    "owner_of", "place_text", "position_span", "span_text", "variables_of",
]  # fmt: skip


def is_raised(key: Any) -> bool:
    """Whether an outcome is an exception."""
    plain = key.key if type(key) is Same else key
    return isinstance(plain, tuple) and plain[:1] == ("raised",)


def outcome_text(key: Any) -> str:
    """What of an outcome decides how the program goes on, in words."""
    if isinstance(key, type):
        return f"a {key.__name__}"
    if type(key) is Same:
        return f"{outcome_text(key.key)} that was there before"
    if isinstance(key, tuple) and len(key) == 2:
        kind, value = key
        if kind == "raised":
            return f"raised {value.__name__}"
        if kind is tuple:
            return f"({', '.join(map(outcome_text, value))})"
        if isinstance(kind, type):
            return repr(value)
        if kind == "is":
            return "an object"
    return str(key)


def owner_of(program: RecordedProgram) -> Any:
    """The Cell, or the function made by `grad`, whose calls a program runs; None for a function's own program."""
    owner = getattr(program, "owner", None)
    return None if owner is None else owner()


def name_of(program: RecordedProgram) -> str:
    """What messages call a program."""
    owner = owner_of(program)
    if owner is None:
        return program.function.__name__
    return type(owner).__name__ if isinstance(owner, Cell) else getattr(owner, "__name__", type(owner).__name__)


# -- names ------------------------------------------------------------------------------------------------------------


class Names:
    """How the program would write what its values come from.

    Args:
        slots: the names of what stands in slots.
    """

    def __init__(self, slots: dict[int, str]) -> None:
        self.slots = slots

    @classmethod
    def at(cls, program: RecordedProgram, point: Point) -> Names:
        """The names of the variables at a moment of a program; where a call starts, of its arguments."""
        if point.frames[0] != "entry":
            return cls(variables_of(point.frames))
        count, keywords = point.form
        owner = owner_of(program)
        if owner is None:
            names = _parameters(program.function)
        elif isinstance(owner, Cell):
            names = ["self", *_parameters(type(owner).construct)[1:]]
        else:
            names = ["self", *_parameters(owner.fn)]
        given = [names[i] if i < len(names) else f"args[{i - len(names)}]" for i in range(count)]
        return cls(dict(enumerate([*given, *keywords])))

    def path(self, origin: Origin) -> str:
        kind, key, base = origin.kind, origin.key, origin.base
        if kind == "slot":
            return self.slots.get(key, f"value {key}")
        if kind == "known":
            name = getattr(key, "__qualname__", None) or getattr(key, "__name__", None)
            return name if isinstance(name, str) else type(key).__name__
        if kind in ("attr", "method"):
            if key == "cell_contents":
                return self._variable(base)
            return f"{self.path(base)}.{key}"
        if kind == "item":
            if base.kind == "known" and type(base.key) is dict and type(key) is str:
                return key
            return f"{self.path(base)}[{key!r}]"
        if kind == "number":
            parts = [self.path(part) if isinstance(part, Origin) else repr(part) for part in base]
            name = getattr(key, "__name__", str(key))
            sign = _SIGNS.get(str(name))
            return f"{parts[0]} {sign} {parts[1]}" if sign and len(parts) == 2 else f"{name}({', '.join(parts)})"
        return kind

    def _variable(self, cell: Origin) -> str:
        """The name of the variable that lives in a cell of a function."""
        if (
            cell.kind == "item"
            and cell.base.kind == "attr"
            and cell.base.base.kind in ("known", "slot", "item", "attr")
        ):
            function = cell.base.base.key
            if isinstance(function, types.FunctionType) and type(cell.key) is int:
                return function.__code__.co_freevars[cell.key]
        if cell.kind == "slot":
            return self.path(cell)
        return "a variable around it"


def _parameters(function: Any) -> list[str]:
    """The names of the positional parameters of a function: of a method without the first, of a Cell its `construct`s."""
    if isinstance(function, Cell):
        function = function.construct
    inner = inspect.unwrap(getattr(function, "__func__", function))
    code = getattr(inner, "__code__", None)
    names = [] if code is None else list(code.co_varnames[: code.co_argcount])
    return names[1:] if types.MethodType in (type(function), type(inner)) else names


_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "eq": "==",
    "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip


def _frames(image: Image) -> list[Image]:
    """The frames in the image of a moment, the outermost first."""
    return [frame for frame in image[1] if frame[0] == "frame"] if image[0] == "tuple" else []


def variables_of(image: Image) -> dict[int, str]:
    """The slots that hold variables of the program, with their names; inner functions' hide outer ones'."""
    found: dict[int, str] = {}
    for frame in reversed(_frames(image)):
        for part in frame[5][2:4]:  # local variables, variables in cells
            for name, value in part[1] if part[0] == "dict" else ():
                if value[0] == "cell":
                    value = value[1]
                if name[0] == "is" and value[0] in ("slot", "number"):
                    found.setdefault(value[1], str(name[1]).lstrip(".0123456789") or "item")
        stack = frame[5][1]
        for value in stack[1] if stack[0] == "tuple" else ():
            if value[0] == "counter":
                found.setdefault(value[1][1], "range.next")
                found.setdefault(value[2][1], "range.stop")
    return found


# -- guards -----------------------------------------------------------------------------------------------------------


def guard_text(guard: tuple, names: Names) -> str:
    """What must be so again, in words."""
    kind, origin, payload = guard
    if kind not in _OF_TENSORS:
        if origin.kind == "attr" and origin.key in ("__code__", "__defaults__", "__kwdefaults__"):
            what = "code" if origin.key == "__code__" else "defaults"
            return f"the {what} of {names.path(origin.base)}"
        if origin.kind == "number" and origin.key in _OF_SEVERAL:
            paths = [names.path(part) for part in origin.base if isinstance(part, Origin)]
            told = " and ".join([", ".join(paths[:-1]), paths[-1]] if paths[1:] else paths)
            return f"{told} {_OF_SEVERAL[origin.key]}"
        if payload is None:
            kind = "is"
    text = _TEXTS.get(kind)
    path = names.path(origin)
    return f"{path}: {kind} {_shown(payload)}" if text is None else text(path, payload, names, origin)


def _absence_text(path: str, key: Any, names: Names, origin: Origin) -> str:
    if origin.kind == "attr" and origin.key == "__dict__":
        return f"{names.path(origin.base)} has no attribute {key}"
    return f"no global variable is called {key}"


#: By the kind of a guard, from the path and what the guard wants there.
_TEXTS: dict[str, Callable[[str, Any, Names, Origin], str]] = {
    "type": lambda path, kind, *_: f"type({path}) is {kind.__name__}",
    "number": lambda path, kind, *_: f"type({path}) is {kind.__name__}",
    "no hooks": lambda path, *_: f"{path} has no hooks",
    "not own": lambda path, name, *_: f"{path} has no attribute {name} of its own",
    "is": lambda path, value, *_: f"{path} is {_shown(value)}",
    "operator": lambda path, value, *_: f"{path} is {_shown(value)}",
    "equal": lambda path, value, *_: f"{path} == {_shown(value)}",
    "same": lambda path, other, names, _: f"{path} is {names.path(other)}",
    "not same": lambda path, other, names, _: f"{path} is not {names.path(other)}",
    "layout": lambda path, layout, *_: f"{path}: {layout!r}",
    "history": lambda path, is_on, *_: f"{path} is {'' if is_on else 'not '}on the tape",
    "leaf": lambda path, is_leaf, *_: f"{path} is {'a leaf of' if is_leaf else 'not on'} the tape",
    "no leaf": lambda path, is_leaf, *_: f"{path} is {'a leaf of' if is_leaf else 'a result on'} the tape",
    "distinct": lambda _, origins, names, __: f"{', '.join(map(names.path, origins))} are different objects",
    "length": lambda path, length, *_: f"len({path}) == {length}",
    "keys": lambda path, keys, *_: f"the keys of {path} are {', '.join(map(repr, keys))}",
    "no key": _absence_text,
    "method": lambda path, method, *_: f"{path} is the method {getattr(method, '__qualname__', method)}",
}
#: Kinds of guards that nobody asks of anything else.
_OF_TENSORS = ("type", "number", "no hooks", "not own")
#: Guards on several tensors.
_OF_SEVERAL = {
    differ: "are different objects", lie_apart: "share no memory", lie_alike: "lie in memory as they did",
}  # fmt: skip


def _shown(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    text = name if isinstance(name, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def first_failing(guards: Sequence[tuple], values: Sequence[Any]) -> int | None:
    """The first guard that does not hold for the values in the slots; None when all do."""
    emit = Emitter()
    lines: list[str] = []
    for number, (kind, origin, payload) in enumerate(guards):
        emit.lines = []
        write_guard(emit, kind, origin, payload)
        lines += [f"at = {number}", *(line.replace("return None", "return at") for line in emit.lines)]
    emit.lines = ["at = 0", *lines]
    return emit.function("None", failed="at")(values)


def changed(guard: tuple, values: Sequence[Any], names: Names) -> str:
    """What is other than a guard wants: `lr: 0.1 -> 0.2`."""
    kind, origin, payload = guard
    path = names.path(origin)
    try:
        now = value_of(origin, values)
    except Exception as error:
        return f"{path} cannot be read: {error}"
    if origin.kind == "attr" and origin.key in ("__code__", "__defaults__", "__kwdefaults__"):
        return f"{guard_text(guard, names)} changed"
    if kind in ("type", "number") or (kind in ("equal", "is") and type(now) is not type(payload)):
        wanted = payload if kind in ("type", "number") else type(payload)
        return f"type({path}): {wanted.__name__} -> {type(now).__name__}"
    if origin.kind == "number" and origin.key in _OF_SEVERAL:
        return f"no more: {guard_text(guard, names)}"
    if kind in ("is", "equal", "operator", "method"):
        return f"{path}: {_shown(payload)} -> {_shown(now)}"
    if kind == "layout":
        return f"{path}: {payload!r} -> {getattr(now, '_layout', now)!r}"
    if kind == "history":
        return f"{path} is {'not ' if payload else ''}on the tape any more" if payload else f"{path} is on the tape now"
    if kind == "length":
        return f"len({path}): {payload} -> {len(now)}"
    if kind == "keys":
        return f"the keys of {path}: {', '.join(map(repr, payload))} -> {', '.join(map(repr, now))}"
    return f"no more: {guard_text(guard, names)}"


# -- places -----------------------------------------------------------------------------------------------------------


def hop_span(hop: Hop | Jump) -> Span:
    """Where the program asks for a hop, or starts an iteration."""
    return position_span(*hop.at[:2])


def position_span(code: types.CodeType, position: Position) -> Span:
    """A place in the program."""
    line, end_line, column, end_column = about(position)
    return Span(code.co_filename, line, getattr(code, "co_qualname", code.co_name), end_line, column, end_column)


def place_text(span: Span) -> str:
    """File and line."""
    return f"{span.short_file}:{span.line}"


def span_text(span: Span) -> str:
    """The source between the columns of a span, on one line."""
    lines = [linecache.getline(span.file, number).rstrip("\n") for number in range(span.line, span.end_line + 1)]
    if span.column is not None and lines:
        lines[-1] = lines[-1].encode()[: span.end_column].decode(errors="replace")
        lines[0] = lines[0].encode()[span.column :].decode(errors="replace")
    return " ".join(line.strip() for line in lines)
