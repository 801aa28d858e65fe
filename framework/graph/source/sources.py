"""From a function to its instructions: find its definition, and compile that.

A definition is looked for in the text that `linecache` knows for the file of the function: files, cells of notebooks, the
interactive shell since Python 3.13; and where there is none, in texts that are still in memory (unfiled.py). Those of the
same name in the same line (lambdas) are compiled by Python, until one gives the code object of the function; where none
does, the text is not the one that was loaded, and nothing is guessed. Inner functions of functions that have been compiled
are known (`scopes.DEFINITIONS`).
"""

from __future__ import annotations

import ast
import bisect
import contextlib
import functools
import gc
import inspect
import linecache
import re
import sys
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from anfora.core.own_builtins import undisturbed
from anfora.graph.source import unfiled
from anfora.graph.source.code import Code, Unsupported
from anfora.graph.source.quiet import quietly
from anfora.graph.source.scopes import (
    DEFINITIONS,
    Definition,
    Level,
    Path,
    children_of,
    code_object,
    first_line,
    inside_of,
)
from anfora.graph.source.statements import compile_function

__all__ = ["amount_read", "code_of", "definition_of", "length_to_read", "look_for"]

_amount_read = 0
_FINDING = 40  #: units of code that are read in the time that it takes to find a function in its text
#: What has been compiled, or why it cannot be, by the identity of code objects, which are kept alive with it.
_DONE: dict[int, tuple[types.CodeType, Code | str]] = {}


def code_of(function: types.FunctionType) -> Code:
    """The instructions of a function.

    Args:
        function: made by `def` or `lambda`, as it is: what a decorator made is another function.
    Returns:
        its code, the same object each time for the same code object.
    Raises:
        Unsupported: its source is not to be found, was changed since it was loaded, or has something that there are no
            instructions for.
    """
    global _amount_read
    python = function.__code__
    done = _DONE.get(id(python))
    if done is None:
        _amount_read += length_to_read(function)
        is_collecting = gc.isenabled()
        gc.disable()  # all that is made lives on until the end: to walk over it again and again takes a fifth of the time
        try:
            done = _DONE[id(python)] = (python, _compile(function))
        except RecursionError:  # not remembered: from another place in the program there may be room enough
            raise Unsupported("its source is nested too deeply") from None
        finally:
            if is_collecting:
                gc.enable()
    if isinstance(done[1], str):
        raise Unsupported(done[1])
    return done[1]


def amount_read() -> int:
    """How much has been read so far, of all functions."""
    return _amount_read


def length_to_read(function: types.FunctionType) -> int:
    """How much there is to read of a function that has not been read: what Python has made of it, in units of code, and in
    items of the constants that are large; and so many for finding it."""
    python = function.__code__
    if id(python) in _DONE:
        return 0
    return _FINDING + len(python.co_code) // 2 + sum(len(each) for each in python.co_consts if type(each) is tuple)


def definition_of(function: types.FunctionType) -> Definition:
    """Where a function is defined in the source.

    Raises:
        Unsupported: as `code_of`.
    """
    return DEFINITIONS.get(id(function.__code__)) or _find(function)


def look_for(function: types.FunctionType) -> None:
    """Look for the source of a function that stands in no file, where it is made: later its text may be gone."""
    if function.__code__.co_filename.startswith("<"):
        with contextlib.suppress(Unsupported):
            definition_of(function)


@undisturbed
def _compile(function: types.FunctionType) -> Code | str:
    python = function.__code__
    if python.co_flags & (inspect.CO_COROUTINE | inspect.CO_ITERABLE_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return "async"
    try:
        return compile_function(definition_of(function))
    except Unsupported as error:
        return str(error)


# ----------------------------------------------------------------------------------------------------------------------
# Files


@dataclass
class _File:
    """A file, of which as much is parsed as has been asked for: a file is long, and a function is short.

    Attributes:
        lines: its text.
        definitions: by name and first line.
        module_names: as of `scopes.Definition`.
        statements: the lines in which its outermost statements begin, as far as the margin tells. Text at the margin that
            goes on with a statement looks like more of them, which do not parse, or give other code.
    """

    lines: list[str]
    definitions: dict[tuple[str, int], list[tuple[Any, Path]]] = field(default_factory=dict)
    module_names: set[str] = field(default_factory=set)
    statements: list[int] = field(default_factory=list)
    _parsed: set[int] = field(default_factory=set)  #: of the statements

    def read(self) -> None:
        """All of it."""
        self.definitions.clear()
        self.module_names.clear()
        self._parse(0, len(self.lines))

    def read_around(self, line: int) -> None:
        """The outermost statement that a line, counted from 1, is of, and those that make names of the module."""
        if not self.statements:
            self.statements = [*_outermost(self.lines), len(self.lines)]
            for number, first in enumerate(self.statements[:-1]):
                if _MAKES_NAMES.match(self.lines[first]):
                    self._read_statement(number)
        number = bisect.bisect_left(self.statements, line) - 1
        if 0 <= number < len(self.statements) - 1:  # what is called `<string>` may be of another text
            self._read_statement(number)

    def _read_statement(self, number: int) -> None:
        if number not in self._parsed:
            self._parsed.add(number)
            self._parse(*self.statements[number : number + 2])

    def _parse(self, first: int, behind: int) -> None:
        """Note what stands in some lines."""
        text = "\n" * first + "".join(self.lines[first:behind])
        with contextlib.suppress(SyntaxError, ValueError):
            self._note_parts(ast.iter_child_nodes(quietly(ast.parse, text)), (), set())

    def _note_parts(self, nodes: Iterable[Any], path: Path, declared: set[str]) -> None:
        """Note definitions with the scopes around them.

        Args:
            nodes: parts of the scope that `path` ends with.
            declared: the names that this scope has declared global so far.
        """
        for node in nodes:
            kind = type(node)
            if not path:
                self._note_names(node)
            if kind is ast.Global:
                declared.update(node.names)
            elif kind in (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef):
                inner = (*path, Level(node.name, kind is ast.ClassDef, node.name in declared))
                if kind is not ast.ClassDef:
                    self._note_definition(node, inner)
                outside = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
                self._note_parts(outside, path, declared)
                self._note_parts(node.body, inner, set())
            elif kind is ast.Lambda:
                inner = (*path, Level("<lambda>"))
                self._note_definition(node, inner)
                self._note_parts([node.args], path, declared)
                self._note_parts([node.body], inner, set())
            elif kind in _LEVELS:
                self._note_parts([node.generators[0].iter], path, declared)
                self._note_parts(inside_of(node), (*path, Level(_LEVELS[kind])) if _LEVELS[kind] else path, declared)
            elif kind not in (ast.Name, ast.Constant):
                self._note_parts(children_of(node), path, declared)

    def _note_definition(self, node: Any, path: Path) -> None:
        self.definitions.setdefault((path[-1].name, first_line(node)), []).append((node, path))

    def _note_names(self, node: Any) -> None:
        """The names that a statement of the module makes."""
        names = self.module_names
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name.partition(".")[0] for alias in node.names if alias.name != "*")
        elif "super" in (getattr(node, "id", ""), getattr(node, "name", "")):
            names.add("super")


def _outermost(lines: list[str]) -> Iterator[int]:
    """Where the outermost statements of a text begin."""
    is_decorated = False
    for i, line in enumerate(lines):
        if _BEGINS.match(line):
            if not is_decorated:
                yield i
            is_decorated = line.startswith("@")


#: A line at the margin that is no comment, and does not go on with what is above it.
_BEGINS = re.compile(r"(?!(?:else|elif|except|finally)\b)[^\s#)\]}]")
#: A statement that may make names of the module, beside definitions.
_MAKES_NAMES = re.compile(r"(?:import|from|try|if|for|while|with)\b|.*\bsuper\b")

_FILES: dict[str, _File] = {}

#: Names under which Python runs any text: what `linecache` has there (since 3.13 that of `python -c`) may be another one.
_OF_MANY = frozenset({"<string>", "<stdin>"})


@undisturbed
def _find(function: types.FunctionType) -> Definition:
    python = function.__code__
    lines = linecache.getlines(python.co_filename, function.__globals__)
    if not lines and hasattr(linecache, "_getlines_from_code"):  # since 3.13, of `python -c` and the shell
        lines = linecache._getlines_from_code(python)
    if not lines:
        return _find_unfiled(function)
    found = _find_in_lines(python, lines)
    if found is None:
        linecache.checkcache(python.co_filename)  # a module that was loaded again has another text than it had
        newer = linecache.getlines(python.co_filename, function.__globals__)
        found = _find_in_lines(python, newer) if newer and newer != lines else None
    if found is not None:
        return found
    if python.co_filename in _OF_MANY:
        return _find_unfiled(function)
    raise Unsupported(f"the source of {function.__qualname__} was changed since it was loaded")


def _find_in_lines(python: types.CodeType, lines: list[str]) -> Definition | None:
    file = _FILES.get(python.co_filename)
    if file is None or (file.lines is not lines and file.lines != lines):
        file = _FILES[python.co_filename] = _File(lines)
    for read in (functools.partial(file.read_around, python.co_firstlineno), file.read):
        read()
        found = _find_in(file, python)
        if found is not None:
            return found
    return None


def _find_unfiled(function: types.FunctionType) -> Definition:
    for text in unfiled.texts(function.__code__):
        file = _File(text.splitlines(keepends=True))
        file.read()
        found = _find_in(file, function.__code__)
        if found is not None:
            unfiled.keep(text)
            return found
    raise Unsupported(f"the source of {function.__qualname__} cannot be found")


def _find_in(file: _File, python: types.CodeType) -> Definition | None:
    """The definition that gives a code object.

    Python compiles calls of what the module has imported in their own way. IPython compiles each statement of a cell as a
    module, which has no names then.
    """
    found: list[Definition] = []
    for module_names in dict.fromkeys((frozenset(file.module_names), frozenset[str]())):
        for node, path in file.definitions.get((python.co_name, python.co_firstlineno), ()):
            try:
                compiled = code_object(node, path, module_names, python, python.co_freevars)
            except Unsupported:
                continue
            if _same(compiled, python):
                if compiled.co_linetable == python.co_linetable:  # of equal lambdas in one line the one that it is
                    return Definition(node, python, path, module_names)
                found.append(Definition(node, python, path, module_names))
    return found[0] if found else None


#: Comprehensions, with the names of the functions that they are; since 3.12 those of lists, sets and dicts are none.
_LEVELS = {ast.GeneratorExp: "<genexpr>", ast.ListComp: "", ast.SetComp: "", ast.DictComp: ""}
if sys.version_info < (3, 12):
    _LEVELS.update({ast.ListComp: "<listcomp>", ast.SetComp: "<setcomp>", ast.DictComp: "<dictcomp>"})


def _same(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two code objects do the same; where they stand is not compared."""
    names = (
        "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_posonlyargcount",
        "co_kwonlyargcount",
    )  # fmt: skip
    if (one.co_flags ^ other.co_flags) & ~inspect.CO_NESTED:  # nested is also what stands in type parameters
        return False
    return all(getattr(one, name) == getattr(other, name) for name in names) and _equal(one.co_consts, other.co_consts)


def _equal(one: Any, other: Any) -> bool:
    """Whether constants are equal, and of the same types; 0.0 and -0.0 differ."""
    if type(one) is not type(other):
        return False
    if isinstance(one, types.CodeType):
        return _same(one, other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, (float, complex)):
        return repr(one) == repr(other)
    return one == other
