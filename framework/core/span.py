"""Where in the user's program something happens: file, line, function, and the columns of an argument.

Frames of this package are skipped: the place of an error is the line that a user can change. Nothing is looked up before
somebody asks; recorded calls keep a code object and a position in it.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import os
import re
import sys
from collections.abc import Sequence
from types import CodeType, FrameType, ModuleType, TracebackType
from typing import Any

from anfora.core.cell import Cell
from anfora.core.tensor import Tensor

__all__ = [
    "CellCall", "Span", "calling_frame", "cell_path", "frame_position", "internal_files", "is_internal", "is_own_function",
    "locate",
    "locate_raise", "place_of", "shapes_of",
]  # fmt: skip


class _Files(dict[str, bool]):
    """Whether a file is one of this package's modules, examples excepted: those are user code. Native calls ask too."""

    def __missing__(self, file: str) -> bool:
        found = False
        for name, module in list(sys.modules.items()):
            # not as an attribute: one that is loaded when something of it is asked for would be
            if getattr(module, "__dict__", {}).get("__file__") == file:
                found = found or _is_own(name if name != "__main__" else _run_as(module))
        self[file] = found
        return found


def _is_own(name: str) -> bool:
    return name == "anfora" or (name.startswith("anfora.") and not name.startswith("anfora.examples"))


def _run_as(module: ModuleType) -> str:
    """What `python -m` was given, where that has made a module the main one."""
    spec = getattr(module, "__spec__", None)
    return "" if spec is None else spec.name


internal_files = _Files()


#: Code of this package that stands between two functions of the program, and that a program sees which looks at its frames:
#: what decorators give.
between: list[CodeType] = []


def is_internal(code: CodeType) -> bool:
    """Whether code belongs to this package."""
    return internal_files[code.co_filename]


def is_own_function(function: Any) -> bool:
    """Whether a function belongs to this package; as `is_internal` of its code, and without a look at all modules where
    it lies in the module that its variables say."""
    code = function.__code__
    file, variables = code.co_filename, function.__globals__
    if file not in internal_files and variables.get("__file__") == file:
        name = variables.get("__name__", "")
        if _is_own(name) and getattr(sys.modules.get(name), "__dict__", None) is variables:
            internal_files[file] = True
    return internal_files[file]


def _is_of_graph_mode(code: CodeType) -> bool:
    """Whether code is what runs a compiled function: its handlers may be the program's, see graph/machine/machine.py."""
    return code.co_filename.startswith(_GRAPH_MODE) and is_internal(code)


_GRAPH_MODE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "graph", "")


def calling_frame(skip: int = 1) -> FrameType | None:
    """The innermost frame of the user's program."""
    frame: FrameType | None = sys._getframe(skip)
    while frame is not None and is_internal(frame.f_code):
        frame = frame.f_back
    return frame


def frame_position(frame: FrameType | None) -> tuple[CodeType | None, int]:
    """What is kept of a frame to find its line later: the code and the position in it."""
    if frame is None:
        return None, 0
    return frame.f_code, frame.f_lasti if sys.version_info >= (3, 11) else frame.f_lineno


#: Before Python 3.12 a comprehension is a function of its own; for who reads it is a part of the one that it stands in.
_COMPREHENSIONS = re.compile(r"(\.<locals>\.<(list|set|dict)comp>)+$")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _name_of(code: CodeType, line: int) -> str:
    """The name of a function before Python 3.11, which does not say where it stands: for a comprehension that of the
    function around it."""
    if code.co_name not in ("<listcomp>", "<setcomp>", "<dictcomp>"):
        return code.co_name
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except SyntaxError:
        return code.co_name
    around = [
        node for node in ast.walk(tree)
        if isinstance(node, _FUNCTIONS) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]  # fmt: skip
    return getattr(around[-1], "name", "<lambda>") if around else "<module>"


class Span:
    """A piece of source: lines and columns of a file."""

    __slots__ = ("file", "line", "end_line", "column", "end_column", "function")

    def __init__(
        self, file: str, line: int, function: str, end_line: int | None = None, column: int | None = None,
        end_column: int | None = None,
    ) -> None:  # fmt: skip
        self.file, self.line, self.function = file, line, function
        self.end_line, self.column, self.end_column = end_line or line, column, end_column

    @classmethod
    def of(cls, code: CodeType, at: int) -> Span:
        """The span of a position in a code object (before Python 3.11, of a line)."""
        if sys.version_info < (3, 11):
            return cls(code.co_filename, at, _name_of(code, at))
        name = _COMPREHENSIONS.sub("", code.co_qualname)
        positions = list(code.co_positions())
        line, end_line, column, end_column = positions[at // 2] if 0 <= at // 2 < len(positions) else (None,) * 4
        return cls(code.co_filename, line or code.co_firstlineno, name, end_line, column, end_column)

    @property
    def text(self) -> str:
        """The source line."""
        return linecache.getline(self.file, self.line).rstrip("\n")

    @property
    def short_file(self) -> str:
        try:
            relative = os.path.relpath(self.file)
        except ValueError:  # another drive
            return self.file
        return relative if not relative.startswith("..") else self.file

    def __str__(self) -> str:
        where = f"{self.short_file}:{self.line}"
        return where if self.function == "<module>" else f"{where}, in {self.function}"

    def pointing_at(self, argument: str | None, order: tuple[str, ...], frame: FrameType | None = None) -> Span:
        """The part of a call, operator or method call that is the given argument, where it can be told. `frame` is
        asked whether a name stands for a tensor: `x.add(y)` is a method, `ops.add(x, y)` is not."""
        if argument is None or self.column is None or self.end_line != self.line:
            return self
        line = self.text.encode()
        source = line[self.column : self.end_column].decode(errors="replace")
        try:
            tree = ast.parse(source.strip(), mode="eval").body
        except SyntaxError:
            return self
        node = _argument_node(tree, argument, order, frame)
        if node is None or node.lineno != 1:
            return self
        return Span(self.file, self.line, self.function, self.line, self.column + node.col_offset,
                    self.column + (node.end_col_offset or 0))  # fmt: skip

    def told(self, what: str = "") -> str:
        """The place as errors show it: where, what there is to say of it, and its line."""
        return "\n".join([f"  {self}: {what}" if what else f"  {self}", *self.show()])

    def show(self) -> list[str]:
        """The source line with a caret under the span."""
        line = self.text
        stripped = line.lstrip()
        if not stripped:
            return []
        lines = ["      " + stripped]
        if self.column is not None:
            indent = len(line) - len(stripped)
            raw = line.encode()
            start = len(raw[: self.column].decode(errors="replace")) - indent
            end = self.end_column if self.end_line == self.line and self.end_column else len(raw)
            width = len(raw[self.column : end].decode(errors="replace"))
            if start >= 0 and width > 0:
                lines.append("      " + " " * start + "^" * width)
        return lines


def _argument_node(tree: ast.expr, argument: str, order: tuple[str, ...], frame: FrameType | None) -> ast.expr | None:
    if isinstance(tree, ast.Call):
        for keyword in tree.keywords:
            if keyword.arg == argument:
                return keyword.value
    if argument not in order:
        return None
    position = order.index(argument)
    if isinstance(tree, ast.BinOp):
        return (tree.left, tree.right)[position] if position < 2 else None
    if isinstance(tree, ast.UnaryOp):
        return tree.operand if position == 0 else None
    if isinstance(tree, ast.Compare) and len(tree.comparators) == 1:
        return (tree.left, tree.comparators[0])[position] if position < 2 else None
    if isinstance(tree, ast.Call):
        arguments = tree.args
        if isinstance(tree.func, ast.Attribute) and frame is not None:
            owner = _value_of(tree.func.value, frame)
            if owner is None:
                return None
            if isinstance(owner, Tensor):
                arguments = [tree.func.value, *arguments]
        if position < len(arguments) and not any(isinstance(a, ast.Starred) for a in arguments):
            return arguments[position]
    return None


def _value_of(tree: ast.expr, frame: FrameType) -> Any:
    """What a name, or an attribute of one, stands for in a frame; None for what cannot be told without running it."""
    if isinstance(tree, ast.Name):
        return frame.f_locals.get(tree.id, frame.f_globals.get(tree.id))
    if isinstance(tree, ast.Attribute):
        owner = _value_of(tree.value, frame)
        if isinstance(owner, (ModuleType, Cell)):
            return getattr(owner, tree.attr, None)
    return None


def place_of(code: CodeType | None, at: Any) -> str:
    """A recorded position as text: where, and the source line."""
    if code is None:
        return "an unknown place"
    span = Span.of(code, at)
    return f"{span}: {span.text.strip()}" if span.text.strip() else str(span)


def locate(
    argument: str | None = None, order: tuple[str, ...] = (), traceback: TracebackType | None = None
) -> str | None:
    """Where the program stands: the user's line with a caret under the argument, and the place in the tree of Cells.

    Args:
        argument, order: of what was called there: the name of an argument, and the names of all.
        traceback: of an error that came from below; the place is the innermost line of the program in it, if any.
    """
    found = _innermost(traceback)
    if found is not None:
        lines = _shown(*found, argument)
    else:
        frame = calling_frame(2)
        lines = [] if frame is None else _shown(frame, frame_position(frame)[1], argument, order)
    path = cell_path(sys._getframe(1))
    if path:
        lines.append(f"  in {path}")
    return "\n".join(lines) or None


def locate_raise(traceback: TracebackType | None, argument: str | None = None) -> str | None:
    """The same for an error that was raised in this package but in no operator: from its traceback, where it ends.

    In a function that is compiled, where the program itself looks at an error, the traceback begins with the frames of
    graph mode's machine: they stand for those of the program.
    """
    first = traceback
    while first is not None and _is_of_graph_mode(first.tb_frame.f_code):
        first = first.tb_next
    if first is None or is_internal(first.tb_frame.f_code):
        return None
    found = _innermost(first)
    return None if found is None else "\n".join(_shown(*found, argument))


def _innermost(traceback: TracebackType | None) -> tuple[FrameType, int] | None:
    """The innermost frame of the program in a traceback, and the position in it."""
    found = None
    while traceback is not None:
        if not is_internal(traceback.tb_frame.f_code):
            at = traceback.tb_lasti if sys.version_info >= (3, 11) else traceback.tb_lineno
            found = traceback.tb_frame, at
        traceback = traceback.tb_next
    return found


def _shown(frame: FrameType, at: int, argument: str | None, order: tuple[str, ...] = ()) -> list[str]:
    span = Span.of(frame.f_code, at)
    return [f"  {span}", *span.pointing_at(argument, order, frame).show()]


#: A call of a Cell: the Cell, and the shapes of its arguments, None for those that have none.
CellCall = tuple[Cell, tuple]


def shapes_of(args: tuple) -> tuple:
    """The shapes of arguments."""
    return tuple(getattr(argument, "shape", None) for argument in args)


def cell_path(frame: FrameType | None, inner: Sequence[CellCall] = ()) -> str | None:
    """The innermost Cell that is being called, as `Net.head.fc: Dense(…) got (2, 5)`.

    Args:
        frame: where to begin; looked for in the frames from here on.
        inner: calls that no frame is there of, the outermost first.
    """
    calls: list[CellCall] = [*reversed(inner)]
    while frame is not None:
        if frame.f_code is Cell.__call__.__code__:
            calls.append((frame.f_locals["self"], shapes_of(frame.f_locals["args"])))
        elif frame.f_code.co_name == "natively" and is_internal(frame.f_code):  # graph mode has frames of its own
            calls += reversed(frame.f_locals["self"].cell_calls())
        frame = frame.f_back
    if not calls:
        return None
    cells = [cell for cell, _ in reversed(calls)]
    cells = [cell for i, cell in enumerate(cells) if not i or cell is not cells[i - 1]]  # both may know of one call
    path = type(cells[0]).__name__
    for parent, child in itertools.pairwise(cells):
        names = [name for name, cell in parent.cells_and_names() if cell is child]
        path += f".{names[0] if names else type(child).__name__}"
    got = ", ".join(str(shape) for shape in calls[0][1] if shape is not None)
    own = f": {type(cells[-1]).__name__}({cells[-1].extend_repr()})" if len(cells) > 1 else ""
    return f"{path}{own} got {got}" if got else path + own
