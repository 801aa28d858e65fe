"""Tracebacks as programs see them: the frames of the program, and none of the machine that has run it.

A traceback holds frames, and with them all that was alive there. So what is written down of one are its lines alone, of
which another is made, with frames that hold nothing, wherever an exception is made anew.
"""

from __future__ import annotations

import ast
import functools
import itertools
import os
import sys
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from anfora.core.environment import variable
from anfora.graph.source.code import Position, about

__all__ = ["BRINGS_BACK", "INNER", "Inner", "Lines", "code_behind", "depth", "freed", "named", "of_program", "stub"]

#: In Python 3.10 a bare `raise` brings back the traceback that the exception has come with, whatever it has got since.
BRINGS_BACK = sys.version_info < (3, 11)

#: the folder of graph mode
_HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


def of_program(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback without the frames of graph mode itself."""
    entries = list(_entries(traceback))
    kept = [entry for entry in entries if not entry.tb_frame.f_code.co_filename.startswith(_HERE)]
    if len(kept) == len(entries):
        return traceback
    following: types.TracebackType | None = None
    for entry in reversed(kept):
        if entry.tb_next is not following:
            entry.tb_next = following
        following = entry
    return following


def freed(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """The same, and what the others hold is dropped: the frames that are left know which ones have called them, and these
    may hold the exception itself. `ANFORA_TRACEBACK=full` leaves everything, to debug graph mode."""
    if variable("ANFORA_TRACEBACK") == "full":
        return traceback
    entries = list(_entries(traceback))
    kept = of_program(traceback)
    for entry in entries:
        if entry.tb_frame.f_code.co_filename.startswith(_HERE):
            try:
                entry.tb_frame.clear()
            except RuntimeError:  # it is running still
                pass
    return kept


def _entries(traceback: types.TracebackType | None) -> Iterator[types.TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def depth(traceback: types.TracebackType | None) -> int:
    """How many entries it has."""
    return sum(1 for _ in _entries(traceback))


class Lines:
    """What a traceback says.

    Args:
        traceback: may be None.
        most: how many of its entries are taken, from the outermost; None for all.
    """

    __slots__ = ("_places", "key")

    def __init__(self, traceback: types.TracebackType | None, most: int | None = None) -> None:
        entries = itertools.islice(_entries(of_program(traceback)), most)
        #: of each entry: code that seems to stand there, and the module's variables
        self._places = [(_stub_of(entry), entry.tb_frame.f_globals) for entry in entries]
        self.key = tuple([id(made) for made, _ in self._places])

    def traceback(self, inner: types.TracebackType | None = None) -> types.TracebackType | None:
        """A traceback that says it.

        Args:
            inner: what it goes on with.
        """
        for made, scope in reversed(self._places):
            (entries,) = _frames_of(made, scope)  # several for what is inside of comprehensions
            for entry in reversed(entries):
                inner = types.TracebackType(inner, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
        return inner


def _frames_of(made: types.CodeType, scope: dict[str, Any]) -> Iterator[list[types.TracebackType]]:
    """The entries of a traceback for what seems to stand in the program. A generator, of which Python forgets who has
    called it: frames know who has called them, and would hold all that those hold, the exception itself among it."""
    try:
        eval(made, scope, _Empty({".do": _show, ".args": (), ".names": {}}))
    except _Shown as shown:
        yield [*_entries(of_program(shown.__traceback__))]


class _Empty(dict):
    """The variables of frames that hold nothing, those of comprehensions in them likewise."""

    __slots__ = ()

    def within(self, _: Inner) -> _Empty:
        return self


class _Shown(Exception):
    """Leaves a frame, so that there is a traceback with it."""


def _show() -> None:
    raise _Shown


def _stub_of(entry: types.TracebackType) -> types.CodeType:
    code, line = entry.tb_frame.f_code, entry.tb_lineno
    position: Any = (line, line, 0, 0)
    if sys.version_info >= (3, 11):
        found = next(itertools.islice(code.co_positions(), entry.tb_lasti // 2, None), (None,))
        if None not in found:
            position = found
    return stub(code, position)


def stub(code: types.CodeType, position: Position) -> types.CodeType:
    """Code that calls `.do(*.args, **.names)`, and seems to stand at a position of the user's function."""
    near = id(code), position  # to hash code, and to compare it, takes longer than all else here
    found = _near.get(near)
    if found is None:
        if len(_near) >= _MOST_NEAR:
            _near.clear()
        of, all_inner, function = INNER.get(id(code), (None, (), code))
        if of is code:
            around = tuple([inner for inner in all_inner if inner.holds(position)])
            found = _near[near] = _stub(_held(function), code.co_filename, position, around), code
        else:
            found = _near[near] = _stub(_held(code), code.co_filename, position), code
    return found[0]


def place_at(code: types.CodeType, position: Position) -> tuple[types.CodeType, int] | None:
    """What is kept of a frame of such code (`core.span.frame_position`); None where there would be several."""
    if id(code) in INNER:
        return None
    made = stub(code, position)
    return made, _at_call() if sys.version_info >= (3, 11) else position[0]


@functools.cache
def _at_call() -> int:
    """The instruction of a stub that calls."""
    return eval(
        stub(_at_call.__wrapped__.__code__, (1, 1, 0, 0)), {".do": sys._getframe, ".args": (), ".names": {}}
    ).f_lasti


_near: dict[tuple[int, Position], tuple[types.CodeType, types.CodeType]] = {}
_MOST_NEAR = 4096


class Inner(NamedTuple):
    """A comprehension for which this Python has a function, and graph mode none.

    Attributes:
        position: in the source.
        outside: what the function around it does, the first thing that it goes over.
        name, qualified_name: of the function.
        variables: that it has or reads, and what the frame calls them.
        is_all: whether all of a code object is in it: of one that does a comprehension alone.
    """

    position: Position
    outside: Position
    name: str
    qualified_name: str
    variables: tuple[tuple[str, str], ...]
    is_all: bool = False

    def holds(self, position: Position) -> bool:
        position = about(position)
        is_within = _is_within(position, self.position) and not _is_within(position, self.outside)
        return self.is_all or is_within

    @property
    def caller(self) -> Position:
        """Where the function around it stands meanwhile."""
        return (*self.position[:4], self.outside)

    def is_around(self, position: Position) -> bool:
        """Whether it is the comprehension at a position, or one around that."""
        return position == self.position or self.holds(position)


#: Those in a function, the outer ones first, by the identity of its code object, with the code of the function around all.
INNER: dict[int, tuple[types.CodeType, tuple[Inner, ...], types.CodeType]] = {}


def _is_within(one: Position, other: Position) -> bool:
    return (other[0], other[2]) <= (one[0], one[2]) < (one[1], one[3]) <= (other[1], other[3])


class _Code:
    """A code object, to be told by which one it is."""

    __slots__ = ("code",)

    def __init__(self, code: types.CodeType) -> None:
        self.code = code


def _held(code: types.CodeType) -> _Code:
    """One object for all code objects that are equal, found without a look into them: to hash one goes over all of its
    constants, and each instruction of a function has a stub."""
    found = _known.get(id(code))
    if found is None:
        if len(_known) >= _MOST_NEAR:
            _known.clear()
        found = _known[id(code)] = code, _one_of(code, code.co_filename)
    return found[1]


_known: dict[int, tuple[types.CodeType, _Code]] = {}


@functools.lru_cache(maxsize=_MOST_NEAR)
def _one_of(code: types.CodeType, file: str) -> _Code:
    """The same. (Code objects of different files may be equal.)"""
    return _Code(code)


@functools.lru_cache(maxsize=65536)
def _stub(of: _Code, file: str, position: Position, around: tuple[Inner, ...] = ()) -> types.CodeType:
    """The same as `stub`.

    Args:
        around: the comprehensions around the position, the outer ones first, each of which has a frame.
    """
    code = of.code
    made = _calling(file, position, around[-1].position[0] if around else code.co_firstlineno)
    for number in range(len(around), 0, -1):  # from the innermost: what its frame does is called from another
        inner = around[number - 1]
        made = _named(made, code, inner.name, inner.qualified_name)
        outer = around[number - 2].position[0] if number > 1 else code.co_firstlineno
        made = _evaluating(made, inner, file, outer)
    return _named(made, code, code.co_name, getattr(code, "co_qualname", ""))


def _named(made: types.CodeType, code: types.CodeType, name: str, qualified_name: str) -> types.CodeType:
    return named(made, name, qualified_name, co_consts=(*made.co_consts, code))


def named(code: types.CodeType, name: str, qualified_name: str, **others: Any) -> types.CodeType:
    """The same code under another name; before 3.11 the qualified name is no part of it.

    Args:
        others: what else is to be another.
    """
    if sys.version_info >= (3, 11):
        others["co_qualname"] = qualified_name
    return code.replace(co_name=name, **others)


class _Held:
    """A constant of code that evaluates other code: what it needs for that. Code objects hash their constants."""

    __slots__ = ("code", "inner")

    eval, globals, locals = staticmethod(eval), staticmethod(globals), staticmethod(locals)

    def __init__(self, code: types.CodeType, inner: Inner) -> None:
        self.code, self.inner = code, inner


def _evaluating(code: types.CodeType, inner: Inner, file: str, first: int) -> types.CodeType:
    """Code that evaluates that of a comprehension with the variables that it is evaluated with itself. No frame of ours is
    between."""
    held_there = _Held(code, inner)
    where = _where(inner.position, first)
    on_one_line = {**where, "end_lineno": where["lineno"], "end_col_offset": where["col_offset"]}

    def of(owner: ast.expr, name: str) -> ast.expr:  # a call of what goes over several lines seems to stand in the last
        return ast.Attribute(owner, name, ast.Load(), **on_one_line)

    def call(function: ast.expr, *arguments: ast.expr) -> ast.expr:
        return ast.Call(function, list(arguments), [], **where)

    held = ast.Constant("held", **where)
    within = call(of(call(of(held, "locals")), "within"), of(held, "inner"))
    evaluated = call(of(held, "eval"), of(held, "code"), call(of(held, "globals")), within)
    made = _placed(evaluated, file, inner.position, first)
    constants = tuple(held_there if constant == "held" else constant for constant in made.co_consts)
    return made.replace(co_consts=constants, co_names=(*made.co_names, ".do"))


def _calling(file: str, position: Position, first: int) -> types.CodeType:
    """Code that calls `.do(*.args, **.names)`. Each instruction of a program needs one, so where code has a table that says
    where it stands, another table is written: that takes a tenth of what compiling does."""
    if sys.version_info < (3, 11):
        return _placed(_call(_where(position, first)), file, position, first)
    first, (line, end_line, column, end_column) = min(first, position[0]), position[:4]
    code = _at_line_one()
    table = _START + _entry(len(code.co_code) // 2 - 1, line - first + 1, end_line - line, column, end_column)
    return code.replace(co_filename=file, co_firstlineno=first, co_linetable=table)


def _call(where: dict[str, Any]) -> ast.Call:
    def name(text: str) -> ast.Name:
        return ast.Name(text, ast.Load(), **where)

    starred = ast.Starred(name(".args"), ast.Load(), **where)
    return ast.Call(name(".do"), [starred], [ast.keyword(None, name(".names"), **where)], **where)


@functools.cache
def _at_line_one() -> types.CodeType:
    return _placed(_call(_where((1, 1, 0, 0), 1)), "", (1, 1, 0, 0), 1)


#: The entry of an expression's first instruction, which stands one line above.
_START = bytes([0x80 | 14 << 3, 3, 1, 1, 1])


def _entry(units: int, down: int, lines: int, column: int, end_column: int) -> bytes:
    """What a table of positions says of so many units of code, eight at most, in its longest form
    (CPython's `Objects/locations.md`).

    Args:
        down: how many lines they are below what stands in front of them.
        lines: over how many more they go.
    """
    numbers = [down << 1, lines, column + 1, end_column + 1]
    found = [0x80 | 14 << 3 | units - 1]
    for number in numbers:
        while number >= 0x40:
            found.append(0x40 | number & 0x3F)
            number >>= 6
        found.append(number)
    return bytes(found)


def _where(position: Position, first: int) -> dict[str, Any]:
    line, end_line, column, end_column = position[:4]
    before = min(first, line) - 1  # lines are stored as distances from the first
    return {
        "lineno": line - before, "end_lineno": end_line - before, "col_offset": column, "end_col_offset": end_column
    }  # fmt: skip


def _placed(made: ast.expr, file: str, position: Position, first: int) -> types.CodeType:
    """Code that seems to stand in a function which starts at a line."""
    code = compile(ast.Expression(made), file, "eval")
    return code.replace(co_firstlineno=min(first, position[0]))


def code_behind(code: types.CodeType) -> types.CodeType:
    """The user's function, of code that seems to stand in it."""
    return code.co_consts[-1] if ".do" in code.co_names else code
