"""Code: a Python function as instructions for a small stack machine, the same for every version of Python.

`machine.py` runs it. Python's own bytecode would do too, but differs from version to version, and its frames cannot be
copied; a frame here is a list of values, which can, so a program can be continued twice from one point.

An instruction is (opcode, argument, position). TOS is the top of the stack; `a b -> c` says what is taken and left, the
top at the right.

    CONST value             -> value
    LOAD name               -> the local variable; UnboundLocalError if it has none
    LOAD_OUTER name         -> the same in a comprehension where Python has a function for that: NameError
    STORE name              value ->
    DELETE name             UnboundLocalError if it has none
    LOAD_CELL name          -> the variable in a cell, of this function or one around it; NameError if it is empty
    STORE_CELL name         value ->
    DELETE_CELL name
    LOAD_GLOBAL name        -> the variable of the module, or the builtin; NameError
    LOAD_BUILTIN name       -> what Python calls for a statement: `__build_class__`, in the words of an error "not found"
    STORE_GLOBAL name       value ->
    DELETE_GLOBAL name
    POP                     value ->
    COPY n                  -> a copy of the n-th value from the top; COPY 1 is the top
    SWAP n                  the top and the n-th value change places; SWAP 2 swaps the two on top
    ROTATE n                the top goes below the n - 1 values under it

    UNARY name              x -> result                 neg pos invert not
    BINARY name             x y -> result               add sub mul truediv floordiv mod pow matmul lshift rshift
                                                        bitand bitor bitxor
    INPLACE name            x y -> what `x op= y` assigns; the names as of BINARY
    COMPARE name            x y -> result               eq ne lt le gt ge is is_not in not_in
    GETITEM                 x i -> x[i]
    SETITEM                 value x i ->                x[i] = value
    DELITEM                 x i ->
    GETATTR name            x -> x.name
    SETATTR name            value x ->                  x.name = value
    DELATTR name            x ->
    SPECIAL name            x -> the method `name` of type(x), bound to x; what `with` takes __enter__ and __exit__ from

    TUPLE n, LIST n, SET n  n values -> one
    MAP n                   k v, n times -> dict
    SLICE                   start stop step -> slice
    FORMAT (conversion, has_spec)   value [spec] -> text    conversion: "", "s", "r" or "a"
    JOIN n                  n texts -> text
    APPEND n                value ->                    to the list that is then the n-th from the top
    ADD n                   value ->                    to the set there
    PUT n                   key value ->                into the dict there
    EXTEND n                iterable ->                 the list there takes its items: *x
    UPDATE n                iterable ->                 the set there
    MERGE n                 mapping ->                  the dict there: {**x}
    MERGE_KEYWORDS          mapping ->                  the same for f(**x): keys must be new, and strings
    TO_TUPLE                list -> tuple

    JUMP target
    JUMP_IF target          x ->                        if bool(x)
    JUMP_UNLESS target      x ->
    JUMP_IF_OR_POP target   x -> x, or nothing          `or`: jumps with x on the stack if bool(x), else pops it
    JUMP_UNLESS_OR_POP target                           `and`
    JUMP_IF_NONE target     x ->                        if x is None
    ITER                    x -> iter(x)
    NEXT target             it -> it item;  at the end: it ->, and jump
    LOOP loop                                           a `while` loop starts
    LANDED loop             ended ->                    what Python made of a loop that was left to it (outline.py): the
                                                        variables get their values, and it goes on as the loop has ended
    UNPACK n                x -> its n items, the first on top
    UNPACK_REST (n, m)      x -> its first n items, a list, its last m: the first on top

    CALL (n, names)         f, n values -> result       the last len(names) of the values are keyword arguments
    SPREAD                  f items dict -> f tuple dict    of f(*x), where x is made a tuple after the dict
    TO_DICT                 dict -> dict                read again: what has filled it may be the interpreter
    CALL_SPREAD             f tuple dict -> result      f(*tuple, **dict)
    FUNCTION (code, has)    [defaults] [kwdefaults] [annotations] -> function   `code` is a types.CodeType; `has` names
                                                        those of the three (a tuple, a dict, a dict) that are on the stack,
                                                        in this order. Cells are found by the names in code.co_freevars.
    RETURN                  value ->                    ends the function
    YIELD                   value -> what is sent       the function is a generator
    YIELD_FROM              iterator, None -> its result   delegates, `yield from`: the iterator has been made by ITER

    HANDLER target          from here to POP_HANDLER an exception jumps to the target; the stack is cut to the height
                            that it has now, and the exception is pushed
    POP_HANDLER
    CAUGHT                  the exception on top of the stack becomes the one that is handled (sys.exc_info, `raise`)
    END_CAUGHT              the one before is handled again; takes nothing from the stack
    MATCHES                 exception type -> exception bool     `except type`; the type may be a tuple; TypeError if it is
                                                        no exception class
    RAISE n                 n: 0 `raise`, 1 exception ->, 2 exception cause ->
    RERAISE                 exception ->                goes on with it as it is, traceback and context untouched

    IMPORT (name, from_names, level)   -> module        as __import__; from_names: None or a tuple of names
    IMPORT_FROM name        module -> module value
    IMPORT_AS path          module -> module            for `import a.b as c`: a.b of the module a; path: ("b",)

    MATCH_SEQUENCE          x -> x bool
    MATCH_MAPPING           x -> x bool
    LENGTH                  x -> x len(x)
    MATCH_KEYS              x keys -> x keys values     values: a tuple, or None when a key is missing
    MATCH_CLASS (n, names)  x class -> values           a tuple of n positional and the named attributes, or None
    REST_OF_MAPPING         x keys -> dict              what {**rest} binds

Names of the frame that start with a dot are the compiler's: `.1x` is the variable x of a comprehension that is a loop in
the function it stands in, `.2` holds a value for some instructions. What follows dots and digits is the name in the source.

A variable lives in a cell where an inner function uses it, else in the frame. What is not in this list (async) is refused
by the compiler, with a reason, and the function is run by Python.
"""

from __future__ import annotations

import ast
import functools
import types
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["BINARY", "COMPARE", "UNARY", "Code", "Part", "Position", "Unsupported", "about"]


UNARY: dict[type[ast.unaryop], str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "not"}
BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "bitand",
    ast.BitOr: "bitor", ast.BitXor: "bitxor",
}  # fmt: skip
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Is: "is",
    ast.IsNot: "is_not", ast.In: "in", ast.NotIn: "not_in",
}  # fmt: skip


class Unsupported(Exception):
    """A function that cannot be turned into Code; the argument says why: it is run by Python as it is."""


#: Where an instruction stands: (line, end line, column, end column); columns count bytes, as in `ast`. Where Python says
#: that it stands in more than what it is about (`scopes.seen_at`), that is a fifth, a position too: tracebacks show what
#: Python says, and reports what it is about.
Position = tuple[Any, ...]


def about(position: Position) -> Position:
    """What an instruction is about."""
    return position[4] if len(position) > 4 else position


class Part(NamedTuple):
    """What a piece of syntax has become, of those that a graph shows as one (graph/ir/parser.py): a definition, a statement
    that is more than jumps, a choice of values, a generator, a comprehension once its iterator is on the stack."""

    start: int  #: its first instruction
    end: int  #: the one behind its last
    node: ast.AST


@dataclass
class Code:
    """A function as instructions.

    Attributes:
        python: the code object of the function; names, parameters, flags and the file come from there.
        opcodes, arguments, positions: the instructions, as three lists of one length. Jump targets are indices.
        cells: variables of this function that live in cells, parameters among them.
        free: variables that live in cells of the functions around it, as `python.co_freevars`.
        inner: the definitions of inner functions, by their code objects, so that they need not be searched for.
    """

    python: types.CodeType
    opcodes: list[str] = field(default_factory=list)
    arguments: list[Any] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)
    cells: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    is_generator: bool = False
    is_internal: bool = False  #: whether it belongs to this package: then the line that calls it is the program's
    #: Whether that puts something back at its end, in a `finally` say. What a handler of a signal raises waits until the
    #: program is called from there: between two instructions of its own it might not be noticed that something is open.
    puts_back: bool = False
    #: The loops, by the index of the instruction that each iteration starts with.
    loops: dict[int, Any] = field(default_factory=dict)
    #: Those that go over something, by the index of the instruction that makes the iterator.
    walks: dict[int, Any] = field(default_factory=dict)
    #: Pieces of the syntax, those in others in front of these.
    parts: list[Part] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<code of {self.python.co_qualname if hasattr(self.python, 'co_qualname') else self.python.co_name}>"

    @functools.cached_property
    def constants(self) -> dict[int, Any]:
        """The tuples and frozen sets that Python has made when it compiled the function, by identity: the same ones in each
        call, where all others are new."""
        found: dict[int, Any] = {}
        pending = [argument for opcode, argument in zip(self.opcodes, self.arguments) if opcode == "CONST"]
        while pending:
            value = pending.pop()
            if type(value) is tuple or type(value) is frozenset:
                found[id(value)] = value
                pending.extend(value)
        return found

    def may_stop(self, pc: int) -> bool:
        """Whether what the handler of a signal raises may come in front of an instruction: not where this library holds
        something open, and not where an exception is at its handler and is not the one that is handled, or no more; nor
        where the program has entered a context and is not to leave it yet, or is no more to leave it: Python looks for no
        signals there."""
        if self.puts_back or self.opcodes[pc] in ("CAUGHT", "RERAISE"):
            return False
        return self.is_internal or not (self.opcodes[pc] == "POP_HANDLER" or "HANDLER" in self.opcodes[pc : pc + 2])

    def listing(self) -> str:
        """The instructions, one a line, with a mark at those that are jumped to."""
        jumps = {a for o, a in zip(self.opcodes, self.arguments) if isinstance(a, int) and o in JUMPS}
        lines = []
        for i, (opcode, argument, position) in enumerate(zip(self.opcodes, self.arguments, self.positions)):
            shown = "" if argument is None and opcode != "CONST" else repr(argument)
            lines.append(f"{'>' if i in jumps else ' '} {i:4} {position[0]:5}  {opcode} {shown}".rstrip())
        return "\n".join(lines)


#: Opcodes whose argument is the index of an instruction.
JUMPS = frozenset(
    ["JUMP", "JUMP_IF", "JUMP_UNLESS", "JUMP_IF_OR_POP", "JUMP_UNLESS_OR_POP", "JUMP_IF_NONE", "NEXT", "HANDLER"]
)
