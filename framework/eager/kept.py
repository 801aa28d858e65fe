"""Kept calls of functions that are written in operators.

Which operators such a function calls, and with which attributes, follows from the layouts of its tensors and from its
other arguments: that is what a `composite` is, and graph mode counts on it too. So a call whose like has been seen before
is looked at as a recorder looks: which operators ran, and where their inputs came from. Later calls go straight to these,
without the checks and conversions in front of them, which cost several times what the operators cost on small tensors.
The gradient rules of operators are kept in the same way.

Not kept are calls that did something no operator shows, or that a later call might do otherwise: somebody looked at
data, wrote in place, warned, or made a tensor of numbers. What tells a recorder of such things tells the looker here.
While anybody watches operators, or refuses writes as `vmap` does, or a program has put something into the classes of
tensors that may look at data or do anything, and for arguments that are no plain tensors, numbers and words, all goes
the long way.
"""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from anfora.core import memory, random, slots
from anfora.core import tensor as core_tensor
from anfora.core.abstract import Layout
from anfora.core.dtype import DType
from anfora.core.own_builtins import undisturbed
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor, current
from anfora.core.tensor_classes import ours
from anfora.eager import batched, dispatch
from anfora.eager.entry import Entry, tensor_maker
from anfora.kernel import glue
from anfora.kernel.glue import state
from anfora.kernel.site import KeptFront

__all__ = ["Calls", "Rule", "kept_calls"]

_MOST_STEPS = 256  #: operators of a call that is kept
_MOST_IN_VAIN = 8  #: calls looked at in vain, after which a function is not looked at again
_PLAIN = frozenset([int, bool, str, DType, type(None), type(...)])


class Calls:
    """The kept calls of a function."""

    __slots__ = ("front", "function", "recorded", "unrecorded", "vain")

    def __init__(self, function: Callable) -> None:
        self.function = function
        self.front: KeptFront | None = None  #: what is asked before
        #: By key the function of the tensors that does the same; None where a call has been seen once, False where it is
        #: not kept. Of calls that are recorded and of others: a function may ask which it is, or switch recording off.
        self.recorded: dict[tuple, Any] = {}
        self.unrecorded: dict[tuple, Any] = {}
        self.vain = 0

    def __call__(self, args: tuple, kwargs: dict) -> Any:
        """The result of a call; NotImplemented where the function is to be called itself."""
        if state[1] or state[2] or self.vain >= _MOST_IN_VAIN or (ours.tag.value != ours.seen and not ours.stand()):
            return NotImplemented
        tensors: list[Tensor] = []
        key = _key(args, tensors) if args else ()
        if kwargs and key is not None:
            more = _key(tuple(kwargs.values()), tensors)
            key = None if more is None else (*key, *kwargs, more)
        if key is None:
            return NotImplemented
        count = len(tensors)
        if count > 1 and (tensors[0] is tensors[1] if count == 2 else len(set(map(id, tensors))) < count):
            which = list(map(id, tensors))  # the same tensor in two places: a call of its own
            key = (*key, *map(which.index, which))
        is_on = glue.switch.on
        known = self.recorded if is_on else self.unrecorded
        function = known.get(key)
        if function:
            if self.front is not None and not kwargs:
                self.front.learn(args, is_on, function, ours.seen)
            return function(*tensors)
        if function is False:
            return NotImplemented
        if not dispatch.comes_again(known, key):
            return NotImplemented
        looker = _Looker()
        result = looker.look(self.function, args, kwargs)
        function = _written(looker.steps, tensors, result) if looker.is_plain else None
        self.vain = self.vain + 1 if function is None else 0
        known[key] = function or False
        return result


def kept_calls(function: Callable) -> Callable:
    """A function that does the same, by what is kept of earlier calls where that is possible."""
    calls = Calls(function)

    def kept(*args: Any, **kwargs: Any) -> Any:
        result = calls(args, kwargs)
        return function(*args, **kwargs) if result is NotImplemented else result

    kept.__name__ = function.__name__
    version = ctypes.addressof(ours.tag) if isinstance(ours.tag, ctypes.c_uint) else 0
    if not version or not glue.available():
        return kept
    calls.front = KeptFront(kept, version)
    return calls.front.call


def _key(values: tuple | list, tensors: list[Tensor]) -> tuple | None:
    """What decides what a function does with its arguments: layouts of tensors, which are added to a list, and numbers and
    words themselves. None where there is something else."""
    key: list[Any] = []
    for value in values:
        kind = value.__class__
        if kind is Tensor or kind is Parameter:
            base = value._base
            if base is not None and value._epoch is not base._epoch:
                current(value)
            tensors.append(value)
            key.append(value._layout)
            if isinstance(value if base is None else base, Parameter):
                key.append(kind)
                key.append(dispatch.is_trained(value))  # what is written to it has a gradient, or none
        elif kind in _PLAIN:
            key.append(kind)
            key.append(value)
        elif kind is float:
            key.append(kind)
            key.append(value if value and value == value else str(value))  # zeros have signs
        elif kind is tuple or kind is list:
            inner: tuple | None = None
            for item in value:
                if item.__class__ is not int:
                    inner = _key(value, tensors)
                    if inner is None:
                        return None
                    break
            key.append(kind if inner is None else _key)  # of whole numbers alone, or of anything
            key.append(tuple(value) if inner is None else (kind, *inner))
        else:
            return None
    return tuple(key)


class _Looker:
    """What watches one call, as a recorder does (slots.watcher): the operators that run, and whether that is all."""

    def __init__(self) -> None:
        #: Entries with their inputs and results, and draws of random numbers: their counters, seed and offset.
        self.steps: list[tuple] = []
        self.is_plain = True
        self.is_computing = False  #: Python's rule of an operator looks at data
        self.has_written = False  #: what comes behind that might meet what was written

    def look(self, function: Callable, args: tuple, kwargs: dict) -> Any:
        watcher = slots.watcher
        self.is_recording = glue.is_recording()
        has_asked, watcher.has_asked, watcher.has_warned = watcher.has_asked, False, False
        try:
            slots.watch(self)
            return function(*args, **kwargs)
        finally:
            was_watching = watcher.recorder is self  # what was dropped meanwhile, a generator say, may have ended that
            slots.watch(None)
            self.spoil_if(bool(watcher.has_asked) or watcher.has_warned or not was_watching)
            watcher.has_asked = has_asked or watcher.has_asked

    def spoil_if(self, spoils: bool) -> None:
        if spoils or len(self.steps) > _MOST_STEPS:
            self.is_plain = False
        if not self.is_plain:
            self.steps.clear()

    def run(self, entry: Entry, flat: list) -> Any:
        self.is_computing = True
        result = dispatch.run_now(entry, flat)
        self.is_computing = False
        self.spoil_if(self.has_written or entry.op.is_effect or entry.is_advised)
        self.spoil_if(glue.is_recording() is not self.is_recording)
        self.has_written = entry.op.writes is not None
        self.steps.append((entry, flat, result))
        return result

    def note_draw(self, generator: Any, counters: int, seed: int, offset: int) -> None:
        self.steps.append((None, counters, (random.signed(seed), random.signed(offset))))
        self.spoil_if(generator is not random.default_generator)

    # What a later call might do otherwise.

    def note_read(self, tensor: Tensor) -> None:
        self.spoil_if(not self.is_computing)

    def note_base(self, tensor: Any) -> None:
        self.spoil_if(True)

    note_foreign = note_base

    def note_parameter(self, parameter: Parameter, value: Any) -> None:
        self.spoil_if(True)

    def note_move(self, owner: Tensor) -> bool:
        self.spoil_if(True)
        core_tensor.move(owner)
        return True

    def keep_for_tape(self, value: Tensor) -> Any:
        return memory.twin(value._array)  # which notes something foreign

    def call_back(self, function: Callable, args: tuple) -> Any:
        self.spoil_if(True)
        return function(*args)

    @contextmanager
    def unwatched(self) -> Any:
        self.spoil_if(True)
        slots.watch(None)
        try:
            yield
        finally:
            slots.watch(self)


# -- gradient rules ---------------------------------------------------------------------------------------------------


class Rule:
    """A gradient rule of a recorded call, as a function of what the node has saved and the gradient: called twice, it is
    looked at, and what is written then takes its place in the `entry.Call`.

    Args:
        call: whose `run` it is.
        layouts: of the tensors among what is saved; None for what the rule does not take, or not as a tensor.
    """

    __slots__ = ("call", "count", "layouts", "plain")

    def __init__(self, call: Any, plain: Callable, layouts: list[Layout | None]) -> None:
        self.call, self.plain, self.layouts, self.count = call, plain, layouts, 0

    def __call__(self, saved: tuple, g: Any) -> Any:
        if slots.watcher.planned is None:
            self.count += 1
        parts = g if g.__class__ is tuple else (g,)
        plain = all(part is None or part.__class__ is Tensor for part in parts)
        apart = len({id(memory.root(array)) for array in saved}) == len(saved)
        if self.count < 2 or state[1] or batched.state.depth or not plain or not apart or not ours.stand():
            return self.plain(saved, g)
        looker = _Looker()
        result = looker.look(self.plain, (saved, g), {})
        written = self._written(looker.steps, saved, g, parts, result) if looker.is_plain else None
        self.call.run = written or self.plain
        return result

    def _written(self, steps: list[tuple], saved: tuple, g: Any, parts: tuple, result: Any) -> Callable | None:
        script = _Script()
        tests = ["state[1]", f"{script.constant(glue.switch)}.on is not {glue.is_recording()}"]
        classes = script.constant(ours)
        tests.append(f"({classes}.tag.value != {classes}.seen and not {classes}.stand())")
        for i, part in enumerate(parts):
            name = f"g[{i}]" if g.__class__ is tuple else "g"
            if part is None:
                tests.append(f"{name} is not None")
            else:
                tests.append(f"{name}.__class__ is not {script.constant(Tensor)}")
                tests.append(f"{name}._layout is not {script.constant(part._layout)}")
                script.take(part, name)
        script.moving.update(id(memory.root(array)) for array in saved)
        for i, (array, layout) in enumerate(zip(saved, self.layouts)):
            if layout is not None:
                script.arrays[id(array)] = i, layout
        if not script.follow(steps):
            return None
        plain, cell = script.constant(self.plain), script.constant(state)
        head = [f"if {' or '.join(tests).replace('state', cell)}:", f"    return {plain}(saved, g)"]
        maker = script.constant(tensor_maker())
        for i, layout in script.made.items():
            head.append(f"a{i} = {maker}(saved[{i}], {script.constant(layout)}, None)")
        return script.function("saved, g", head, result)


# -- from what was seen to a function ---------------------------------------------------------------------------------

_STREAM = ("seed", "offset")  #: what random operators call the numbers of a draw


@undisturbed
def _written(steps: list[tuple], tensors: list[Tensor], result: Any) -> Callable | None:
    """A function of the tensors that does these steps; None where something came from elsewhere."""
    script = _Script()
    for i, tensor in enumerate(tensors):
        script.take(tensor, f"a{i}")
    names = ", ".join(f"a{i}" for i in range(len(tensors)))
    return script.function(names, [], result) if steps and script.follow(steps) else None


class _Script:
    """What is written of steps."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}  #: of the tensors there are, by their identity
        self.constants: list[Any] = []
        self.lines: list[_Line] = []
        self.moving: set[int] = set()  #: memory of what is another in each call
        self.fixed: set[int] = set()  #: memory of what the function has made of numbers, see `_is_fixed` …
        self.views: set[int] = set()  #: … and views of it, which nobody may get
        self.arrays: dict[int, tuple[int, Layout]] = {}  #: what a node has saved: where, and as what
        self.made: dict[int, Layout] = {}  #: of that, what is made a tensor

    def take(self, tensor: Tensor, name: str) -> None:
        """Let a tensor that comes in have a name."""
        self.names[id(tensor)] = name
        self.moving.add(id(memory.root(tensor._array)))

    def constant(self, value: Any) -> str:
        self.constants.append(value)
        return f"c{len(self.constants) - 1}"

    def follow(self, steps: list[tuple]) -> bool:
        """Write the steps down; gives whether it is known where everything came from."""
        draw: dict[str, tuple[int, str]] = {}  #: of the last one, the numbers and their names
        for number, (entry, given, made) in enumerate(steps):
            if entry is None:
                new = [f"{owner}{number}" for owner in _STREAM]
                draw = dict(zip(_STREAM, zip(made, new)))
                self.lines.append(_Line(self.constant(_draw), [self.constant(given)], new, True))
                continue
            operands = []
            for owner, value in zip(entry.owners(), given):
                if isinstance(value, Tensor):
                    name = self._name(value)
                elif entry.op.is_random and owner in draw:
                    drawn, name = draw[owner]
                    name = name if drawn == value else None
                else:
                    name = self.constant(value)
                if name is None:
                    return False
                operands.append(name)
            results = made if entry.is_tuple else (made,)
            owners = {id(memory.root(result._array)) for result in results}
            if entry.op.writes is not None and not owners.isdisjoint(self.fixed):
                return False
            self.moving |= owners - self.fixed
            new = [f"t{number}_{i}" for i in range(len(results))]
            self.names.update(zip(map(id, results), new))
            self.views.update(id(result) for result in results if id(memory.root(result._array)) in self.fixed)
            self.lines.append(_Line(self.constant(_caller(entry, given)), operands, new, entry.is_tuple))
        used = {name for line in self.lines for name in line.operands}
        return all(name in used for line in self.lines for name in line.made if name.startswith(_STREAM))

    def _name(self, tensor: Tensor) -> str | None:
        """The name of an operand; None where it is not known what it will be."""
        name = self.names.get(id(tensor))
        if name is not None:
            return name
        i, layout = self.arrays.get(id(tensor._array), (-1, None))
        if layout is not None and tensor._layout is layout:
            self.made[i] = layout
            return f"a{i}"
        if tensor._node is not None or id(memory.root(tensor._array)) in self.moving:
            return None
        # It has no step's memory, and nobody has looked at data: made of numbers, it is the same in each call.
        self.fixed.add(id(memory.root(tensor._array)))
        return self.constant(tensor)

    def function(self, parameters: str, head: list[str], result: Any) -> Callable | None:
        """The function; None where its result is not to be had."""
        answer = _answer(result, {key: name for key, name in self.names.items() if key not in self.views})
        if answer is None:
            return None
        source = (*head, *_body(self.lines, answer))
        return _factory(source, parameters, len(self.constants))(*self.constants)


class _Line:
    """A call of a function, and the names of what it gives."""

    def __init__(self, function: str, operands: list[str], made: list[str], is_tuple: bool) -> None:
        self.function, self.operands, self.made, self.is_tuple = function, operands, made, is_tuple


def _answer(result: Any, names: dict[int, str]) -> str | None:
    """The expression of what a function gives: a tensor or None, or tuples and lists of these."""
    if result is None:
        return "None"
    if isinstance(result, Tensor):
        return names.get(id(result))
    if result.__class__ is not tuple and result.__class__ is not list:
        return None
    parts = [_answer(part, names) for part in result]
    if None in parts:
        return None
    inner = ", ".join(parts)  # type: ignore[arg-type]
    return f"[{inner}]" if result.__class__ is list else f"({inner}{',' if len(parts) == 1 else ''})"


def _body(lines: list[_Line], answer: str) -> list[str]:
    """The lines of the function; what is not needed any more is let go of."""
    last = {name: i for i, line in enumerate(lines) for name in (*line.made, *line.operands) if name[0] in "tso"}
    kept = set(re.findall(r"\w+", answer))
    source = []
    for i, line in enumerate(lines):
        target = ", ".join(line.made) + ("," if line.is_tuple else "")
        source.append(f"{target} = {line.function}({', '.join(line.operands)})")
        over = [name for name, at in last.items() if at == i and name not in kept]
        if over and i + 1 < len(lines):
            source.append(f"del {', '.join(over)}")
    return [*source, f"return {answer}"]


@functools.cache
def _factory(source: tuple[str, ...], parameters: str, constants: int) -> Callable:
    """A function that makes the function from its constants; those that are written alike share one."""
    body = "\n        ".join(source)
    names = ", ".join(f"c{i}" for i in range(constants))
    scope: dict[str, Any] = {}
    text = f"def factory({names}):\n    def kept({parameters}):\n        {body}\n    return kept\n"
    exec(compile(text, __file__, "exec"), scope)  # frames of this package are no place of the user's
    return scope["factory"]


def _draw(counters: int) -> tuple[int, int]:
    if batched.state.depth:
        slots.need_examples()
    return random.draw_signed(counters)


def _caller(entry: Entry, flat: list) -> Callable:
    """A function of the inputs of an entry that runs it, natively where that is possible."""
    if entry.caller is None:
        entry.caller = dispatch.caller(entry, flat)
    return entry.caller
