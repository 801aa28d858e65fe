"""Texts of programs that stand in no file: what `exec` was given, `python -c`, the interactive shell before Python 3.13.

Python does not keep them, so they are looked for where they may still be: on the command line, in the history of the shell,
among the strings of the functions that are running now. Whoever asks takes for the source only what gives the very code
object of the function.
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
import textwrap
import types
from collections.abc import Iterator
from typing import Any

__all__ = ["keep", "texts"]

_MOST_KEPT = 100
_MOST_LINES = 500  #: of one statement in the shell
_MOST_TYPED = 2000  #: lines of the shell that are looked at
_MOST_FRAMES = 200
_GO_ON = ("else", "elif", "except", "finally")

_kept: list[str] = []  #: texts that functions were found in: others may come from there as well, the last one first


def texts(python: types.CodeType) -> Iterator[str]:
    """Texts that a function may stand in.

    Args:
        python: its code object.
    """
    is_there = re.compile(r"\blambda\b" if python.co_name == "<lambda>" else rf"\bdef\s+{re.escape(python.co_name)}\b")
    for text in _on_the_stack():
        if is_there.search(text):
            yield text
            yield textwrap.dedent(text)
    for text in (*_of_the_command_line(), *_typed_in(python.co_firstlineno, is_there), *_kept):
        if is_there.search(text):
            yield text


def keep(text: str) -> None:
    """A function was found in a text."""
    if text in _kept:
        _kept.remove(text)
    _kept.insert(0, text)
    del _kept[_MOST_KEPT:]


def _of_the_command_line() -> Iterator[str]:
    for option, text in itertools.pairwise(sys.orig_argv):
        if re.fullmatch("-[a-zA-Z]*c", option):
            yield text


def _typed_in(line: int, is_there: re.Pattern) -> Iterator[str]:
    """Statements from the history of the shell, the last one first, in which something is defined in a line."""
    history: Any = sys.modules.get("readline")
    if history is None:
        return
    count = history.get_current_history_length()
    lines = [history.get_history_item(i) or "" for i in range(max(1, count - _MOST_TYPED + 1), count + 1)]
    for start in reversed(range(len(lines) - line + 1)):
        at = start + line - 1  # of the first decorator
        is_near = any(map(is_there.search, lines[at : at + _MOST_LINES if lines[at].startswith("@") else at + 1]))
        if is_near and not lines[start][:1].isspace():
            text = _statement(lines[start : start + _MOST_LINES], line)
            if text is not None:
                yield text


def _statement(lines: list[str], least: int) -> str | None:
    """The statement that starts with the first of some lines, and has so many at least. Empty lines are not among them."""
    for count in range(least, len(lines) + 1):
        if count < len(lines) and (lines[count][:1].isspace() or lines[count].startswith(_GO_ON)):
            continue
        text = "\n".join(lines[:count])
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        return text
    return None


def _on_the_stack() -> Iterator[str]:
    """Strings that the functions which are running now have, as variables and as constants."""
    frame: types.FrameType | None = sys._getframe()
    seen: set[str] = set()
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        for value in (*frame.f_code.co_consts, *list(frame.f_locals.values())):
            if type(value) is str and value not in seen:
                seen.add(value)
                yield value
        frame = frame.f_back
