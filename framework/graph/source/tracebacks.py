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
from typing import Any

from anfora.graph.source.code import Position

__all__ = ["BRINGS_BACK", "Lines", "code_behind", "depth", "freed", "of_program", "stub"]

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
    if os.environ.get("ANFORA_TRACEBACK") == "full":
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
            try:
                eval(made, scope, {".do": _show, ".args": (), ".names": {}})
            except _Shown as shown:
                entry = shown.__traceback__.tb_next  # type: ignore[union-attr]
                inner = types.TracebackType(inner, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)  # type: ignore[union-attr]
        return inner


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
        found = _near[near] = _stub(code, code.co_filename, position), code
    return found[0]


_near: dict[tuple[int, Position], tuple[types.CodeType, types.CodeType]] = {}
_MOST_NEAR = 4096


@functools.lru_cache(maxsize=65536)
def _stub(code: types.CodeType, file: str, position: Position) -> types.CodeType:
    """The same. (Code objects of different files may be equal.)"""
    line, end_line, column, end_column = position
    where = {"lineno": line, "end_lineno": end_line, "col_offset": column, "end_col_offset": end_column}

    def name(text: str) -> ast.Name:
        return ast.Name(text, ast.Load(), **where)

    call = ast.Call(
        name(".do"),
        [ast.Starred(name(".args"), ast.Load(), **where)],
        [ast.keyword(None, name(".names"), **where)],
        **where,
    )
    made = compile(ast.Expression(call), file, "eval")
    made = made.replace(co_consts=(*made.co_consts, code))
    if sys.version_info >= (3, 11):
        return made.replace(co_name=code.co_name, co_qualname=code.co_qualname)  # lines count from its own first one
    return made.replace(co_name=code.co_name)


def code_behind(code: types.CodeType) -> types.CodeType:
    """The user's function, of code that seems to stand in it."""
    return code.co_consts[-1] if ".do" in code.co_names else code
