"""What each instruction does: a function for each, of the machine, the frame that it stands in, and its argument.

Values go from and to the stack of the frame. All that the program can notice is asked of the machine's world.
"""

from __future__ import annotations

import operator
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anfora.graph.machine import operations
from anfora.graph.machine.frames import Frame
from anfora.graph.machine.generators import Generator, Thrown
from anfora.graph.machine.outline import land
from anfora.graph.machine.requests import ENTERED, Enter

if TYPE_CHECKING:
    from anfora.graph.machine.machine import Machine

__all__ = ["INSTRUCTIONS", "no_more"]

Instruction = Callable[["Machine", Frame, Any], None]
_ABSENT = object()

#: Of the instructions that look whether a value is true: whether they jump if it is, and whether it stays on the stack.
_BRANCHES = {
    "JUMP_IF": (True, False), "JUMP_UNLESS": (False, False), "JUMP_IF_OR_POP": (True, True),
    "JUMP_UNLESS_OR_POP": (False, True),
}  # fmt: skip


def op_CONST(machine: Machine, frame: Frame, value: Any) -> None:
    frame.stack.append(value)


def _load(unbound: Callable[[str], NameError]) -> Instruction:
    def op(machine: Machine, frame: Frame, name: str) -> None:
        value = frame.locals.get(name, _ABSENT)
        if value is _ABSENT:
            machine.natively(operations.raise_, (unbound(name),), {})
        frame.stack.append(value)

    return op


op_LOAD, op_LOAD_OUTER = _load(operations.unbound), _load(operations.unbound_outside)


def op_LOAD_OUTER_CELL(machine: Machine, frame: Frame, name: str) -> None:
    try:
        op_LOAD_CELL(machine, frame, name)
        return
    except UnboundLocalError:
        pass  # the error is raised outside, so that this one is not its context
    raise operations.unbound_outside(name)


def op_STORE(machine: Machine, frame: Frame, name: str) -> None:
    frame.locals[name] = frame.stack.pop()


def op_DELETE(machine: Machine, frame: Frame, name: str) -> None:
    if name not in frame.locals:
        machine.natively(operations.raise_, (operations.unbound(name),), {})
    del frame.locals[name]


def op_LOAD_CELL(machine: Machine, frame: Frame, name: str) -> None:
    frame.stack.append(machine.world.load_cell(machine, frame.cells[name], name))


def op_STORE_CELL(machine: Machine, frame: Frame, name: str) -> None:
    machine.world.do(machine, operations.fill_cell, (frame.cells[name], frame.stack.pop()))


def op_DELETE_CELL(machine: Machine, frame: Frame, name: str) -> None:
    machine.world.load_cell(machine, frame.cells[name], name)
    machine.world.do(machine, operations.empty_cell, (frame.cells[name],))


def op_LOAD_GLOBAL(machine: Machine, frame: Frame, name: str) -> None:
    frame.stack.append(machine.world.load_global(machine, name))


def op_LOAD_BUILTIN(machine: Machine, frame: Frame, name: str) -> None:
    frame.stack.append(machine.world.load_builtin(machine, name))


def op_STORE_GLOBAL(machine: Machine, frame: Frame, name: str) -> None:
    machine.world.do(machine, operations.set_global, (frame.function, name, frame.stack.pop()))


def op_DELETE_GLOBAL(machine: Machine, frame: Frame, name: str) -> None:
    if not machine.world.has_global(machine, name):
        raise NameError(f"name '{name}' is not defined", name=name)
    machine.world.do(machine, operations.delete_global, (frame.function, name))


def op_POP(machine: Machine, frame: Frame, _: None) -> None:
    frame.stack.pop()


def op_COPY(machine: Machine, frame: Frame, n: int) -> None:
    frame.stack.append(frame.stack[-n])


def op_SWAP(machine: Machine, frame: Frame, n: int) -> None:
    stack = frame.stack
    stack[-1], stack[-n] = stack[-n], stack[-1]


def op_ROTATE(machine: Machine, frame: Frame, n: int) -> None:
    frame.stack.insert(len(frame.stack) - n, frame.stack.pop())


def op_UNARY(machine: Machine, frame: Frame, name: str) -> None:
    if name == "not":
        _branch(machine, frame, machine.world.truth(machine, frame.stack[-1]))
    else:
        frame.stack.append(machine.world.do(machine, operations.OPERATIONS[name], (frame.stack.pop(),)))


def _binary(table: dict[str, Callable]) -> Instruction:
    def op(machine: Machine, frame: Frame, name: str) -> None:
        right = frame.stack.pop()
        left = frame.stack.pop()
        frame.stack.append(machine.world.do(machine, table[name], (left, right)))

    return op


op_BINARY, op_INPLACE = _binary(operations.OPERATIONS), _binary(operations.IN_PLACE)
op_COMPARE = op_BINARY


def op_GETITEM(machine: Machine, frame: Frame, _: None) -> None:
    index = frame.stack.pop()
    value = frame.stack.pop()
    frame.stack.append(machine.world.do(machine, operator.getitem, (value, index)))


def _do(machine, operation: Callable, args: tuple) -> None:
    """Do something whose result nobody wants."""
    try:
        machine.world.do(machine, operation, args)
    except Enter as call:
        call.deliver = "drop"
        raise


def op_SETITEM(machine: Machine, frame: Frame, _: None) -> None:
    index = frame.stack.pop()
    owner = frame.stack.pop()
    _do(machine, operator.setitem, (owner, index, frame.stack.pop()))


def op_DELITEM(machine: Machine, frame: Frame, _: None) -> None:
    index = frame.stack.pop()
    _do(machine, operator.delitem, (frame.stack.pop(), index))


def op_GETATTR(machine: Machine, frame: Frame, name: str) -> None:
    owner = frame.stack.pop()
    value = machine.world.getattr(machine, owner, name)
    if value is not ENTERED:
        frame.stack.append(value)
    else:
        machine.note_attribute(frame, owner, name)


def op_SETATTR(machine: Machine, frame: Frame, name: str) -> None:
    owner = frame.stack.pop()
    _do(machine, setattr, (owner, name, frame.stack.pop()))


def op_DELATTR(machine: Machine, frame: Frame, name: str) -> None:
    _do(machine, delattr, (frame.stack.pop(), name))


def op_SPECIAL(machine: Machine, frame: Frame, name: str) -> None:
    frame.stack.append(machine.world.do(machine, operations.special_method, (frame.stack.pop(), name)))


def _build(kind: Callable) -> Instruction:
    def op(machine: Machine, frame: Frame, n: int) -> None:
        stack = frame.stack
        items = stack[len(stack) - n :]
        del stack[len(stack) - n :]
        stack.append(kind(machine.world.held(items)))

    return op


op_TUPLE, op_LIST = _build(tuple), _build(list)


def op_SET(machine: Machine, frame: Frame, n: int) -> None:
    stack = frame.stack
    items = machine.world.plain(tuple(stack[len(stack) - n :]))
    del stack[len(stack) - n :]
    stack.append(machine.world.do(machine, operations.make_set, (items,)) if n else set())


def op_MAP(machine: Machine, frame: Frame, n: int) -> None:
    stack = frame.stack
    items = machine.world.held(stack[len(stack) - 2 * n :])
    items[::2] = machine.world.plain(tuple(items[::2]))
    del stack[len(stack) - 2 * n :]
    stack.append(machine.world.do(machine, operations.make_dict, (items,)) if n else {})


def op_SLICE(machine: Machine, frame: Frame, _: None) -> None:
    step = frame.stack.pop()
    stop = frame.stack.pop()
    frame.stack.append(slice(*machine.world.plain((frame.stack.pop(), stop, step))))


def op_FORMAT(machine: Machine, frame: Frame, how: tuple[str, bool]) -> None:
    conversion, has_spec = how
    spec = frame.stack.pop() if has_spec else ""
    frame.stack.append(machine.world.do(machine, operations.FORMATS[conversion], (frame.stack.pop(), spec)))


def op_JOIN(machine: Machine, frame: Frame, n: int) -> None:
    stack = frame.stack
    parts = tuple(stack[len(stack) - n :])
    del stack[len(stack) - n :]
    stack.append(machine.world.do(machine, operations.join, parts))


def op_APPEND(machine: Machine, frame: Frame, n: int) -> None:
    value = frame.stack.pop()
    items = frame.stack[-n]
    if machine.world.has_made(items):
        items += machine.world.held((value,))
    else:  # the interpreter has put something into it
        machine.world.do(machine, list.append, (items, value))


def _put_into(operation: Callable) -> Instruction:
    """Put a value into a container further down."""

    def op(machine: Machine, frame: Frame, n: int) -> None:
        value = frame.stack.pop()
        machine.world.do(machine, operation, (frame.stack[-n], value))

    return op


op_ADD, op_EXTEND = _put_into(set.add), _put_into(operations.extend)
op_UPDATE, op_MERGE = _put_into(operations.update), _put_into(operations.merge)


def op_PUT(machine: Machine, frame: Frame, n: int) -> None:
    value = frame.stack.pop()
    key = frame.stack.pop()
    machine.world.do(machine, dict.__setitem__, (frame.stack[-n], key, value))


def op_MERGE_KEYWORDS(machine: Machine, frame: Frame, _: None) -> None:
    value = frame.stack.pop()
    function, _items, keywords = frame.stack[-3:]
    machine.world.do(machine, operations.merge_keywords, (keywords, value, function))


def op_TO_TUPLE(machine: Machine, frame: Frame, _: None) -> None:
    items = frame.stack.pop()
    frame.stack.append(tuple(items) if machine.world.has_made(items) else machine.world.do(machine, tuple, (items,)))


def op_JUMP(machine: Machine, frame: Frame, target: int) -> None:
    if target < frame.pc:
        loop = frame.code.loops.get(target)
        if loop is not None and machine.world.outlines(machine, frame, loop):
            return
    frame.pc = target


def _op_branch(machine: Machine, frame: Frame, _: int) -> None:
    _branch(machine, frame, machine.world.truth(machine, frame.stack[-1]))


op_JUMP_IF = op_JUMP_UNLESS = op_JUMP_IF_OR_POP = op_JUMP_UNLESS_OR_POP = _op_branch


def _branch(machine: Machine, frame: Frame, truth: bool) -> None:
    """Go on, at an instruction that asks for the truth of what is on the stack, when this is known."""
    opcode = frame.code.opcodes[frame.pc - 1]
    if opcode == "UNARY":
        frame.stack[-1] = not truth
        return
    jumps_on, keeps = _BRANCHES[opcode]
    jumps = truth is jumps_on
    if not (jumps and keeps):
        frame.stack.pop()
    if jumps:
        frame.pc = frame.code.arguments[frame.pc - 1]


def op_JUMP_IF_NONE(machine: Machine, frame: Frame, target: int) -> None:
    if frame.stack.pop() is None:
        frame.pc = target


def op_ITER(machine: Machine, frame: Frame, _: None) -> None:
    loop = frame.code.walks.get(frame.pc - 1)
    if loop is not None and machine.world.outlines(machine, frame, loop, frame.stack[-1]):
        return
    value = frame.stack.pop()
    if type(value) is Generator:
        frame.stack.append(value)
    else:
        frame.stack.append(machine.world.iterate(machine, value))


def op_NEXT(machine: Machine, frame: Frame, target: int) -> None:
    iterator = frame.stack[-1]
    if type(iterator) is Generator and machine.world.owns(iterator):
        if iterator.frame is None:
            no_more(frame, target)
        else:
            machine.resume(iterator.again() if iterator.is_running else iterator, None, deliver="next", target=target)
        return
    try:
        frame.stack.append(machine.world.next(machine, iterator))
        return
    except StopIteration as stop:
        machine.raised = 0
        stop.__traceback__ = None  # its frames may hold it
    except Enter as call:
        call.deliver, call.target = "step", target
        raise
    no_more(frame, target)  # outside of the handler: this end is the context of no other


def no_more(frame: Frame, target: int) -> None:
    """What a loop goes over has no more items: it has ended. Where the frame stands for an iterator that is written in C,
    and that asks again what it goes over when it is asked again, only this item is missing."""
    if frame.asks_again():
        raise StopIteration
    frame.stack.pop()
    frame.pc = target


def op_LOOP(machine: Machine, frame: Frame, loop: Any) -> None:
    machine.world.outlines(machine, frame, loop, None)


def op_LANDED(machine: Machine, frame: Frame, _: Any) -> None:
    land(frame, frame.stack.pop())


def op_UNPACK(machine: Machine, frame: Frame, n: int) -> None:
    value = frame.stack.pop()
    if not (type(value) is tuple and len(value) == n and machine.world.has_made(value)):
        value = machine.world.do(machine, operations.unpack, (value, n))
    frame.stack.extend(reversed(value))


def op_UNPACK_REST(machine: Machine, frame: Frame, counts: tuple[int, int]) -> None:
    items = machine.world.do(machine, operations.unpack_rest, (frame.stack.pop(), *counts))
    frame.stack.extend(reversed(items))


def op_CALL(machine: Machine, frame: Frame, shape: tuple[int, tuple[str, ...]]) -> None:
    n, names = shape
    stack = frame.stack
    first = len(stack) - n
    args = stack[first : len(stack) - len(names)]
    kwargs = dict(zip(names, stack[len(stack) - len(names) :])) if names else {}
    function = stack[first - 1]
    del stack[first - 1 :]
    machine.world.call(machine, function, tuple(args), kwargs)


def op_SPREAD(machine: Machine, frame: Frame, _: None) -> None:
    function, items, _kwargs = frame.stack[-3:]
    if not (type(items) is tuple and machine.world.has_made(items)):
        frame.stack[-2] = machine.world.do(machine, operations.spread, (function, items))


def op_TO_DICT(machine: Machine, frame: Frame, _: None) -> None:
    frame.stack.append(machine.world.do(machine, dict, (frame.stack.pop(),)))


def op_CALL_SPREAD(machine: Machine, frame: Frame, _: None) -> None:
    kwargs = frame.stack.pop()
    args = frame.stack.pop()
    machine.world.call(machine, frame.stack.pop(), args, dict(kwargs))


def op_FUNCTION(machine: Machine, frame: Frame, what: tuple[types.CodeType, tuple[str, ...]]) -> None:
    code, has = what
    given = {name: frame.stack.pop() for name in reversed(has)}
    closure = tuple(frame.cells[name] for name in code.co_freevars)
    made = types.FunctionType(code, frame.function.__globals__, code.co_name, given.get("defaults"), closure or None)
    if "kwdefaults" in given:
        made.__kwdefaults__ = given["kwdefaults"]
    if "annotations" in given:
        made.__annotations__ = given["annotations"]
    machine.world.made(made)
    frame.stack.append(made)


def op_RETURN(machine: Machine, frame: Frame, _: None) -> None:
    deliver(machine, frame, frame.stack.pop())


def deliver(machine: Machine, frame: Frame, value: Any) -> None:
    """End a frame with a value."""
    machine.frames.pop()
    if frame.deliver in ("value", "step", "attribute"):
        if machine.frames:
            machine.frames[-1].stack.append(value)
        else:
            machine.result = value
    elif frame.deliver == "truth":
        _branch(machine, machine.frames[-1], value)
    elif frame.deliver == "delegate":
        _yield_on(machine, machine.frames[-1], value)
    elif frame.deliver == "drained":
        machine.frames[-1].pc -= 1
        stack = machine.frames[-1].stack  # further down it may wait to be used as what it is
        stack[max(i for i, item in enumerate(stack) if item is frame.target)] = value
    elif frame.deliver == "object":
        if value is not None:
            [value] = machine.world.plain((value,))
            raise TypeError(f"__init__() should return None, not '{type(value).__name__}'")
        machine.frames[-1].stack.append(frame.target)
    elif frame.deliver != "drop":
        generator, target = frame.target
        generator.frame, generator.is_running = None, False
        if frame.deliver == "generator":
            machine.result = ("return", value)
        elif frame.deliver == "item":
            machine.natively(operations.raise_, (StopIteration(*(() if value is None else (value,))),), {})
        elif frame.deliver == "next":
            no_more(machine.frames[-1], target)
        elif frame.deliver == "from":
            caller = machine.frames[-1]
            caller.stack[-1] = value


def op_YIELD(machine: Machine, frame: Frame, _: None) -> None:
    value = frame.stack.pop()
    machine.frames.pop()
    generator, _ = frame.target
    frame.target = None  # a cycle, else, while it waits
    generator.is_running = False
    if frame.deliver == "generator":
        machine.result = ("yield", value)
    elif frame.deliver in ("next", "item"):
        machine.frames[-1].stack.append(value)
    elif frame.deliver == "from":
        _yield_on(machine, machine.frames[-1], value)


def op_YIELD_FROM(machine: Machine, frame: Frame, _: None) -> None:
    sent = frame.stack.pop()
    iterator = frame.stack[-1]
    is_thrown = type(sent) is Thrown
    if type(iterator) is Generator and machine.world.owns(iterator) and not is_thrown:
        if iterator.frame is None:
            frame.stack[-1] = None
        else:
            machine.resume(iterator.again() if iterator.is_running else iterator, sent, deliver="from")
        return
    try:
        if is_thrown:
            value = machine.world.do(machine, operations.throw_into, (iterator, sent.error))
        elif sent is None:
            value = machine.world.do(machine, next, (iterator,))
        else:
            value = machine.world.do(machine, operations.send, (iterator, sent))
    except StopIteration as stop:
        machine.raised = 0
        stop.__traceback__ = None
        frame.stack[-1] = stop.value
        return
    except Enter as call:
        call.deliver = "delegate"
        raise
    _yield_on(machine, frame, value)


def _yield_on(machine: Machine, frame: Frame, value: Any) -> None:
    """What an iterator gives to a `yield from` goes to whoever has asked the generator, which then asks it again."""
    frame.pc -= 1
    frame.stack.append(value)
    op_YIELD(machine, frame, None)


def op_HANDLER(machine: Machine, frame: Frame, target: int) -> None:
    frame.handlers.append((target, len(frame.stack)))


def op_POP_HANDLER(machine: Machine, frame: Frame, _: None) -> None:
    frame.handlers.pop()


def op_CAUGHT(machine: Machine, frame: Frame, _: None) -> None:
    frame.caught.append(frame.stack[-1])


def op_END_CAUGHT(machine: Machine, frame: Frame, _: None) -> None:
    frame.caught.pop()


def op_MATCHES(machine: Machine, frame: Frame, _: None) -> None:
    kind = frame.stack.pop()
    frame.stack.append(operations.matches(frame.stack[-1], kind))


def op_RAISE(machine: Machine, frame: Frame, n: int) -> None:
    cause = frame.stack.pop() if n == 2 else _ABSENT
    if n == 0:
        error = machine.handled() or sys.exc_info()[1]
        if error is None:
            raise RuntimeError("No active exception to reraise")
        machine.world.reraise(machine, error)
    error = frame.stack.pop()
    machine.world.raise_(machine, error, *(() if cause is _ABSENT else (cause,)))


def op_RERAISE(machine: Machine, frame: Frame, _: None) -> None:
    machine.world.reraise(machine, frame.stack.pop())


def op_IMPORT(machine: Machine, frame: Frame, what: tuple[str, tuple | None, int]) -> None:
    name, names, level = what
    scope = frame.function.__globals__
    here = {key: scope[key] for key in ("__name__", "__package__", "__path__") if key in scope}  # for relative ones
    importing = machine.world.load_builtin(machine, "__import__")
    frame.stack.append(machine.world.do(machine, importing, (name, here, None, names, level)))


def op_IMPORT_FROM(machine: Machine, frame: Frame, name: str) -> None:
    frame.stack.append(_import_from(machine, frame.stack[-1], name))


def _import_from(machine: Machine, module: Any, name: str) -> Any:
    """`from module import name`: an attribute, or what is done where there is none."""
    if type(module) is types.ModuleType and operations.has_own(module, name):
        return machine.world.getattr(machine, module, name)
    try:
        return machine.world.do(machine, getattr, (module, name))
    except AttributeError:
        pass  # what comes is raised outside, so that this one is not its context
    return machine.world.do(machine, operations.import_absent, (module, name))


def op_IMPORT_AS(machine: Machine, frame: Frame, path: tuple[str, ...]) -> None:
    module = frame.stack.pop()
    for name in path:
        module = _import_from(machine, module, name)
    frame.stack.append(module)


def op_MATCH_SEQUENCE(machine: Machine, frame: Frame, _: None) -> None:
    frame.stack.append(operations.is_sequence(frame.stack[-1]))


def op_MATCH_MAPPING(machine: Machine, frame: Frame, _: None) -> None:
    frame.stack.append(operations.is_mapping(frame.stack[-1]))


def op_LENGTH(machine: Machine, frame: Frame, _: None) -> None:
    frame.stack.append(machine.world.do(machine, len, (frame.stack[-1],)))


def op_MATCH_KEYS(machine: Machine, frame: Frame, _: None) -> None:
    keys = frame.stack[-1]
    frame.stack.append(machine.world.do(machine, operations.values_of_keys, (frame.stack[-2], keys)))


def op_MATCH_CLASS(machine: Machine, frame: Frame, what: tuple[int, tuple[str, ...]]) -> None:
    kind = frame.stack.pop()
    value = frame.stack.pop()
    frame.stack.append(machine.world.do(machine, operations.attributes_of_class, (value, kind, *what)))


def op_REST_OF_MAPPING(machine: Machine, frame: Frame, _: None) -> None:
    keys = frame.stack.pop()
    frame.stack.append(machine.world.do(machine, operations.rest_of_mapping, (frame.stack.pop(), keys)))


#: By the name of the instruction.
INSTRUCTIONS: dict[str, Instruction] = {
    name[3:]: function for name, function in list(globals().items()) if name.startswith("op_")
}
