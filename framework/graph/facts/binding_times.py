"""Binding times: what follows from the text of a program alone, and what only a call brings.

`ops.isconstant(x)`, `ops.is_sequence_value_unknown(x)` and `ops.is_sequence_shape_unknown(x)` ask this of a compiler. The
recorder cannot answer them: it runs the program, so it knows all values, and what a mark is about is that the program
shall not count on them. The answer is found in the instructions of the function that asks, by an abstract interpretation:

    constant         literals, names of modules, functions and numbers outside, attributes; arguments that hold no tensor
    unknown value    tensors that come as arguments, Parameters, what `mutable` marks, and whatever is computed of these
    unknown length   `mutable(…, dynamic_len=True)`, and sequences whose length such values decide

The shape and type of an unknown tensor are constant, and so is the length of a sequence of unknown items. A variable that
is set on one side of an unknown branch only, or in a loop that may end at any time, is unknown behind it. Functions that
are called are not looked into: their results are as known as their arguments.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterable
from typing import Any, Union

from anfora.core.parameter import Parameter
from anfora.core.tree import has_tensors, tensors
from anfora.graph.facts import rows  # noqa: F401 (they fill the table)
from anfora.graph.facts.origins import Number
from anfora.graph.facts.table import IDENTITY, KEPT, PLAIN, fact_of, methods_of
from anfora.graph.machine.frames import builtins_of
from anfora.graph.source.code import JUMPS, Code
from anfora.graph.source.scopes import DEFINITIONS
from anfora.graph.source.statements import compile_function

__all__ = ["Known", "answers", "known"]

_ABSENT = object()


class Known:
    """What is known of a value. Containers are shared by those who name them, so marks on their items are seen by all.

    Args:
        value: whether the value is unknown.
        length: whether the length, of a sequence, is unknown.
        items: what is known of the items, where they are written out.
        object: what it is, where the text says so: a literal, what a name outside stands for.
        method: whose attribute of which name it is, where it may be a method.
    """

    __slots__ = ("items", "length", "method", "object", "value")

    def __init__(
        self, value: bool = False, length: bool = False, items: list[Known] | None = None, object: Any = _ABSENT,
        method: tuple[Known, str] | None = None,
    ) -> None:  # fmt: skip
        self.value, self.length, self.items, self.object, self.method = value, length, items, object, method

    @property
    def holds_unknown(self) -> bool:
        """Whether anything of it is unknown."""
        return self.value or self.length or any(item.holds_unknown for item in self.items or ())

    def spoil(self, value: bool, length: bool = False) -> None:
        """From now on more is unknown; it is not said of which item."""
        value, length = value or self.holds_unknown, length or self.length
        if value or length:
            self.value, self.length, self.items = value, length, None


def _together(parts: Iterable[Known]) -> Known:
    """What is computed of some values."""
    return Known(any([part.holds_unknown for part in parts]))


def _of_value(value: Any) -> Known:
    """What is known of a value that comes as an argument."""
    return Known(has_tensors(value))


def _of_object(value: Any) -> Known:
    """What is known of what a name outside stands for, or of a literal."""
    items = list(map(_of_object, value)) if type(value) is tuple else None
    return Known(isinstance(value, Parameter), items=items, object=value)


def known(frames: list[Any]) -> Known | None:
    """What is known of the first argument of the call that the innermost of the machine's frames stands at; None where
    the source does not tell."""
    return _Reader(frames).read()


#: What is known at an instruction: of variables by name, of the stack by place.
_State = dict[Union[str, int], Known]


class _Reader:
    """Follows the instructions of a function, all ways that they may go, until nothing new becomes unknown."""

    def __init__(self, frames: list[Any]) -> None:
        frame = frames[-1]
        self.function: types.FunctionType = frame.function
        self.code: Code = frame.code
        self.asked = frame.pc - 1  #: the call in question
        self.found: list[tuple[bool, bool]] = []
        self.arguments: list[Known] = []  #: of the call
        self.keywords: dict[str, Known] = {}
        python = self.code.python
        count = python.co_argcount + python.co_kwonlyargcount + bool(python.co_flags & 4) + bool(python.co_flags & 8)
        self.parameters: _State = {name: _of_value(_value_of(frame, name)) for name in python.co_varnames[:count]}
        if len(frames) > 1:
            self._take_from_caller(frames[:-1])
        self.leaders = {a for o, a in zip(self.code.opcodes, self.code.arguments) if o in JUMPS}
        self.unknown: set[int] = set()  #: blocks, by their first instructions, that end in a choice of unknown outcome
        self.begin()

    def begin(self) -> None:
        """Nothing has been read."""
        #: By the first instruction of a block: what comes from where (a block, and an instruction of it), and what of that
        #: differs, the block that all ways there go through, and the `try` around: where to go, the height of the stack.
        self.incoming: dict[int, dict[tuple[int, int], _State]] = {}
        self.differing: dict[tuple[int, str | int], Known] = {}
        self.before: dict[int, int | None] = {0: None}
        self.handlers: dict[int, tuple[tuple[int, int], ...]] = {}
        self.pending: set[int] = {0}
        self.found.clear()

    def _take_from_caller(self, frames: list[Any]) -> None:
        """What the caller gives is as unknown as it is there."""
        caller = _Reader(frames)
        caller.read()
        names = [name for name in self.parameters if isinstance(name, str)]
        first = 1 if names[:1] == ["self"] else 0
        for name, what in (*zip(names[first:], caller.arguments), *caller.keywords.items()):
            if name in self.parameters and what.holds_unknown:
                self.parameters[name] = what

    def read(self) -> Known | None:
        """What is known of the argument, whichever way the program came to it."""
        while self.pending:
            start = min(self.pending)
            self.pending.discard(start)
            count = len(self.unknown)
            _Block(self, start, self.state(start)).run()
            if len(self.unknown) > count:  # what has been said without that is wrong
                self.begin()
        if not self.found:
            return None
        return Known(any(value for value, _ in self.found), any(length for _, length in self.found))

    # -- control flow -------------------------------------------------------------------------------------------------

    def go(self, start: int, at: int, target: int, state: _State) -> None:
        """From an instruction, of the block that begins with `start`, it may go on at another one."""
        is_new = target not in self.incoming
        before = {} if is_new else self.state(target)
        flags = {key: (what.value, what.length) for key, what in before.items()}
        incoming = self.incoming.setdefault(target, {})
        if start < target:  # what a loop has left of values from before it is old
            incoming = self.incoming[target] = {place: each for place, each in incoming.items() if place[0] < target}
        incoming[start, at] = state
        if is_new:
            self.before[target] = start
        elif target > start:
            self.before[target] = self._common(self.before[target], start)
        after = self.state(target)
        if is_new or any(
            before.get(key) is not what or flags[key] != (what.value, what.length) for key, what in after.items()
        ):
            self.pending.add(target)

    def _common(self, one: int | None, other: int | None) -> int | None:
        """The last block that all ways to two blocks go through."""
        seen = set()
        while one is not None:
            seen.add(one)
            one = self.before[one]
        while other not in seen:
            assert other is not None
            other = self.before[other]
        return other

    def state(self, start: int) -> _State:
        """What is known where a block begins: of what differs what any way leaves, and nothing where the choice is unknown."""
        if start not in self.incoming:
            return dict(self.parameters)
        states = list(self.incoming[start].values())
        state: _State = {}
        for key in dict.fromkeys(key for each in states for key in each):
            found = [each.get(key) for each in states]
            first = found[0]
            if first is None or any(what is not first for what in found):
                known = [what for what in found if what is not None]
                first = self.differing.setdefault((start, key), Known())
                first.spoil(_together(known).value or self._is_chosen(start), any(what.length for what in known))
            state[key] = first
        return state

    def _is_chosen(self, start: int) -> bool:
        """Whether it depends on something unknown from where the program comes to a block."""
        seen: set[int] = set()
        todo = [each for each, _ in self.incoming[start]]
        while todo:
            block = todo.pop()
            if block not in seen:
                seen.add(block)
                if block != self.before[start]:
                    todo += [each for each, _ in self.incoming[block]]
        return not seen.isdisjoint(self.unknown)

    def comprehension(self, at: int) -> Any:
        """The innermost comprehension that an instruction is in."""
        return next((p for p in self.code.parts if type(p.node) in _COMPREHENSIONS and p.start <= at < p.end), None)


class _Block:
    """Instructions one after the other; for the opcode X the method X, or what it takes and leaves.

    Args:
        reader: of the function.
        start: the first of them.
        state: what is known there.
    """

    def __init__(self, reader: _Reader, start: int, state: _State) -> None:
        self.reader, self.start = reader, start
        self.stack = [state[place] for place in sorted(key for key in state if isinstance(key, int))]
        self.variables = {name: what for name, what in state.items() if isinstance(name, str)}
        self.at = start
        self.handlers = list(reader.handlers.get(start, ()))

    def run(self) -> None:
        code = self.reader.code
        while True:
            opcode, argument = code.opcodes[self.at], code.arguments[self.at]
            if opcode in ("RETURN", "RAISE", "RERAISE"):
                self.fail()
                return
            if opcode in JUMPS and opcode != "HANDLER":
                self.jump(opcode, argument)
                return
            method: Callable | None = getattr(self, opcode, None)
            if method is not None:
                method(argument)
            else:
                taken, left = _EFFECTS[opcode]
                found = _together(self.pops(taken(argument) if callable(taken) else taken))
                self.stack += [found] * left
            self.at += 1
            if self.at in self.reader.leaders:
                self.go(self.at)
                return

    def go(self, target: int, *more: Known) -> None:
        """It may go on at another instruction, with more on the stack; or where an exception is handled."""
        reader = self.reader
        reader.handlers[target] = tuple(self.handlers)
        reader.go(self.start, self.at, target, {**self.variables, **dict(enumerate([*self.stack, *more]))})
        self.fail()

    def fail(self) -> None:
        for n, (target, depth) in enumerate(self.handlers):
            self.reader.handlers[target] = tuple(self.handlers[:n])
            stack = [*self.stack[:depth], Known()]
            self.reader.go(self.start, -self.at, target, {**self.variables, **dict(enumerate(stack))})

    def jump(self, opcode: str, target: int) -> None:
        at = self.at
        if opcode == "JUMP":
            self.go(target)
            return
        top = self.stack.pop()
        if opcode == "NEXT":
            if top.length:
                self.reader.unknown.add(self.start)
            self.go(target)
            item = top.items[0] if top.items and len(top.items) == 1 else _together([top])
            self.stack.append(top)
            self.go(at + 1, item)
            return
        if top.holds_unknown:
            self.reader.unknown.add(self.start)
        self.go(target, *([top] if opcode.endswith("OR_POP") else []))
        self.go(at + 1)

    def HANDLER(self, target: int) -> None:
        self.handlers.append((target, len(self.stack)))
        self.fail()

    def POP_HANDLER(self, _: None) -> None:
        self.fail()
        self.handlers.pop()

    # -- the stack and variables --------------------------------------------------------------------------------------

    def pops(self, count: int) -> list[Known]:
        taken = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return taken

    def push(self, what: Known) -> None:
        self.stack.append(what)

    def CONST(self, value: Any) -> None:
        self.push(_of_object(value))

    def COPY(self, n: int) -> None:
        self.push(self.stack[-n])

    def SWAP(self, n: int) -> None:
        self.stack[-1], self.stack[-n] = self.stack[-n], self.stack[-1]

    def ROTATE(self, n: int) -> None:
        self.stack.insert(len(self.stack) - n, self.stack.pop())

    def LOAD(self, name: str) -> None:
        self.push(self.variables.get(name) or Known())

    LOAD_OUTER = LOAD

    def LOAD_CELL(self, name: str) -> None:
        function = self.reader.function
        names = function.__code__.co_freevars
        if name in self.variables or name not in names:
            self.LOAD(name)
            return
        try:
            self.push(_of_object((function.__closure__ or ())[names.index(name)].cell_contents))
        except ValueError:
            self.push(Known())

    LOAD_OUTER_CELL = LOAD_CELL

    def STORE(self, name: str) -> None:
        self.variables[name] = self.stack.pop()

    STORE_CELL = STORE_GLOBAL = STORE

    def DELETE(self, name: str) -> None:
        self.variables.pop(name, None)

    DELETE_CELL = DELETE_GLOBAL = DELETE

    def LOAD_GLOBAL(self, name: str) -> None:
        function = self.reader.function
        if name in self.variables:
            self.LOAD(name)
        else:
            self.push(_of_object(function.__globals__.get(name, builtins_of(function).get(name, _ABSENT))))

    # -- attributes and items -----------------------------------------------------------------------------------------

    def GETATTR(self, name: str) -> None:
        owner = self.stack.pop()
        if isinstance(owner.object, (types.ModuleType, type)) and hasattr(owner.object, name):
            self.push(_of_object(getattr(owner.object, name)))
        else:
            self.push(Known(owner.holds_unknown and name not in _STATIC, method=(owner, name)))

    def SLICE(self, _: None) -> None:
        self.push(Known(_together(self.pops(3)).value, object=slice))

    def GETITEM(self, _: None) -> None:
        owner, index = self.pops(2)
        item = _item(owner, index)
        if index.object is slice:
            self.push(Known(owner.holds_unknown or index.value, owner.length or index.value))
        else:
            self.push(_together([owner, index]) if item is None else owner.items[item])  # type: ignore[index]

    def SETITEM(self, _: None) -> None:
        what, owner, index = self.pops(3)
        item = _item(owner, index)
        if item is not None and owner.items is not None:
            owner.items[item] = what
        else:
            decides = index.object is slice and (index.holds_unknown or what.length)
            owner.spoil(what.holds_unknown or index.holds_unknown, decides)

    def BINARY(self, name: str) -> None:
        left, right = self.pops(2)
        if name == "add" and left.items is not None and right.items is not None:
            self.push(Known(items=[*left.items, *right.items]))
            return
        length = left.length or right.length
        if name == "mul":  # a sequence, so many times
            for sequence, times in ((left, right), (right, left)):
                length = length or (sequence.items is not None and times.value)
        self.push(Known(left.holds_unknown or right.holds_unknown, length))

    INPLACE = BINARY

    def TUPLE(self, n: int) -> None:
        self.push(Known(items=self.pops(n)))

    LIST = TUPLE

    def UNPACK(self, n: int) -> None:
        what = self.stack.pop()
        is_known = what.items is not None and len(what.items) == n
        self.stack += what.items[::-1] if is_known else [_together([what]) for _ in range(n)]  # type: ignore[index]

    def UNPACK_REST(self, ends: tuple[int, int]) -> None:
        what = self.stack.pop()
        self.stack += [_together([what]) for _ in range(sum(ends) + 1)]

    def APPEND(self, depth: int, taken: int = 1) -> None:
        """More in a container: of one that a comprehension fills, it is known how much if all choices in it are."""
        what, reader = _together(self.pops(taken)), self.reader
        into = self.stack[-depth]
        around = reader.comprehension(self.at) if depth > 1 else None
        is_chosen = around is not None and any(reader.comprehension(block) == around for block in reader.unknown)
        into.spoil(what.value or is_chosen, is_chosen)
        into.items = None

    ADD = APPEND

    def PUT(self, depth: int) -> None:
        self.APPEND(depth, 2)

    def EXTEND(self, depth: int | None) -> None:
        what, into = self.stack.pop(), self.stack[-(depth or 1)]
        into.spoil(what.holds_unknown, what.length)
        into.items = None

    UPDATE = MERGE = MERGE_KEYWORDS = EXTEND

    def MATCH_SEQUENCE(self, _: None) -> None:
        self.push(_together(self.stack[-1:]))

    MATCH_MAPPING = MATCH_SEQUENCE

    def LENGTH(self, _: None) -> None:
        self.push(Known(self.stack[-1].length))

    def MATCH_KEYS(self, _: None) -> None:
        self.push(_together(self.stack[-2:-1]))

    # -- calls --------------------------------------------------------------------------------------------------------

    def FUNCTION(self, argument: tuple[types.CodeType, tuple[str, ...]]) -> None:
        code, has = argument
        self.pops(len(has))
        self.push(Known(object=code))

    def CALL(self, form: tuple[int, tuple[str, ...]]) -> None:
        count, names = form
        arguments = self.pops(count)
        first = count - len(names)
        self.call(arguments[:first], dict(zip(names, arguments[first:])))

    def CALL_SPREAD(self, _: None) -> None:
        items, named = self.pops(2)
        self.call([items] if items.items is None else items.items, {"": named})

    def call(self, arguments: list[Known], keywords: dict[str, Known]) -> None:
        reader, function = self.reader, self.stack.pop()
        everything = [*arguments, *keywords.values()]
        if self.at == reader.asked:
            reader.arguments, reader.keywords = arguments, keywords
            reader.found += [(what.holds_unknown, what.length) for what in everything[:1]]
        self.push(self._result(function, arguments, keywords, everything))

    def _result(
        self, function: Known, arguments: list[Known], keywords: dict[str, Known], everything: list[Known]
    ) -> Known:
        called = function.object
        if called is _mutable():
            has_length = [*arguments[1:2], *([keywords["dynamic_len"]] if "dynamic_len" in keywords else [])]
            return Known(True, any(what.object is True for what in has_length))
        found = _of_sequences(called, everything)
        if found is not None:
            return found
        if called is not _ABSENT and _is_question(called, len(arguments)):
            return Known()
        if isinstance(called, types.CodeType):
            return self._filled(called, everything)
        if function.method is not None:
            return _of_method(*function.method, everything)
        return Known(_together(everything).value or (called is _ABSENT and function.holds_unknown))

    def _filled(self, code: types.CodeType, given: list[Known]) -> Known:
        """What an inner function gives; a comprehension or generator that is one, as much as it is given or chooses."""
        captured = [self.variables[name] for name in code.co_freevars if name in self.variables]
        value = _together([*given, *captured]).value
        if not code.co_name.startswith("<") or code.co_name == "<lambda>":
            return Known(_together(given).value)
        opcodes = compile_function(DEFINITIONS[id(code)]).opcodes
        chooses = opcodes.count("NEXT") > 1 or any(opcode.startswith("JUMP_") for opcode in opcodes)
        return Known(value, any(what.length for what in given) or (chooses and value))


def _item(owner: Known, index: Known) -> int | None:
    """Which of the items that are written out an index means."""
    number = index.object
    is_there = type(number) is int and owner.items is not None and -len(owner.items) <= number < len(owner.items)
    return number if is_there else None


def _of_method(owner: Known, name: str, arguments: list[Known]) -> Known:
    """What a method gives of something that is not known by name."""
    unknown = any(what.holds_unknown for what in arguments)
    if name in _STATIC:
        return Known()
    if name == "append" and owner.items is not None:
        owner.items.extend(arguments[:1])
    elif name in _CHANGING:
        owner.spoil(unknown, any(what.length for what in arguments))
        owner.items = None
    return Known(owner.holds_unknown or unknown, owner.length and name == "copy")


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)

#: How many values an instruction takes and leaves, of which nothing else is to be said.
_EFFECTS: dict[str, tuple[Any, int]] = {
    **dict.fromkeys(["UNARY", "SPECIAL", "MATCHES", "YIELD", "IMPORT_AS"], (1, 1)),
    **dict.fromkeys(["COMPARE", "YIELD_FROM", "REST_OF_MAPPING", "MATCH_CLASS"], (2, 1)),
    **dict.fromkeys(["POP", "DELATTR"], (1, 0)), **dict.fromkeys(["SETATTR", "DELITEM"], (2, 0)),
    **dict.fromkeys(["LOOP", "CAUGHT", "END_CAUGHT", "ITER", "TO_TUPLE", "TO_DICT", "SPREAD"], (0, 0)),
    **dict.fromkeys(["IMPORT", "IMPORT_FROM", "LOAD_BUILTIN"], (0, 1)),
    "SET": (lambda n: n, 1), "MAP": (lambda n: 2 * n, 1), "JOIN": (lambda n: n, 1),
    "FORMAT": (lambda how: 1 + how[1], 1),
}  # fmt: skip


def _value_of(frame: Any, name: str) -> Any:
    if name in frame.locals:
        return frame.locals[name]
    try:
        return frame.cells[name].cell_contents
    except (KeyError, ValueError):
        return None


def _is_question(function: Any, count: int) -> bool:
    """Whether the answer of a function does not depend on what is in its first argument."""
    fact = fact_of(function)
    return fact is not None and count > 0 and fact.gives == PLAIN and not fact.use(0, count) & ~(KEPT | IDENTITY)


def _of_sequences(function: Any, arguments: list[Known]) -> Known | None:
    """What is known of what a function of Python's that takes or makes sequences gives; None if it is none of these."""
    length = any(what.length for what in arguments)
    if function is len:
        return Known(length)
    unknown = _together(arguments).value
    if function is range:
        return Known(unknown, unknown)
    if not _is_in(function, (tuple, list, sorted, reversed, enumerate, zip, map, filter, set)):
        return None
    if function in (tuple, list) and len(arguments) == 1 and arguments[0].items is not None:
        return Known(items=list(arguments[0].items))
    return Known(unknown, length or (_is_in(function, (filter, set)) and unknown))


def _is_in(function: Any, table: Iterable[Any]) -> bool:
    return any(function is item for item in table)


def _mutable() -> Any:
    from anfora.modes import mutable  # it stands above

    return mutable


#: What is known of a tensor whose data is not, and of a container.
_STATIC = frozenset(["shape", "dtype", "ndim", "size", "itemsize", "nbytes", "strides", "dim", "numel", "name"])
#: The names of methods that change a container.
_CHANGING = frozenset(name for kind in (list, dict, set) for name, fact in methods_of(kind).items() if fact.writes)


def answers() -> dict[Callable, Callable]:
    """What the recorder does where a program calls one of these, by function."""
    from anfora import ops  # it is large, and not needed to compile

    return {
        ops.isconstant: _asked(ops.isconstant, lambda what: not what.holds_unknown),
        ops.is_sequence_value_unknown: _asked(ops.is_sequence_value_unknown, lambda what: what.holds_unknown),
        ops.is_sequence_shape_unknown: _asked(ops.is_sequence_shape_unknown, lambda what: what.length),
        _mutable(): _marked,
    }


def _asked(function: Callable, answer: Callable[[Known], bool]) -> Callable:
    """A question about a value is answered from the source; where that does not tell, as of a value from outside."""

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if len(args) != 1 or kwargs:
            return False
        machine.natively(function, (recorder.force(args[0]),), {})  # refuses what it does not take
        for frame in machine.frames:
            for held in frame.locals.values():
                recorder.look(held)  # whether there are tensors in it
        what = known(machine.frames)
        machine.push(answer(_of_value(args[0]) if what is None else what))
        return True

    return special


def _marked(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`mutable` gives its argument back; what it marks is seen in the source."""
    if not args or any(tensor.const_arg for tensor in tensors(args[0])):
        return False
    plain = args[0].value if type(args[0]) is Number else args[0]
    machine.natively(_mutable(), (plain, *args[1:]), kwargs)  # refuses what it does not take
    machine.push(args[0])
    return True
