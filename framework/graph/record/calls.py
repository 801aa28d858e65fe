"""What a call is done by: the frame of a function of the program, an operator, the interpreter.

A part of the recorder. `call` first finds what is called in the end, behind methods, partial functions and compiled ones.
What has a way of its own is asked for by identity (`Keeper.special`, polyfills most of it), then by what kind of thing it
is (`_way_to_call`); all else is an operation as any other (`Recorder.do`).
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anfora.api import GradientFunction, _Run
from anfora.core.cell import Cell
from anfora.core.tree import tensors
from anfora.eager.batched import NeedsExamples
from anfora.eager.cells import call_cell
from anfora.eager.tape import transforms
from anfora.eager.updating import Updater
from anfora.graph.facts import contexts, known, makers
from anfora.graph.facts.classes import class_attribute, defines
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.operator_classes import is_operator, is_stateless, makes_operator
from anfora.graph.facts.table import by_place, resolved
from anfora.graph.ir.nodes import Graph
from anfora.graph.ir.python_form import python_function
from anfora.graph.machine import operations
from anfora.graph.machine.frames import ORIGINALS
from anfora.graph.machine.generators import Generator, thrown
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.operations import is_of_python
from anfora.graph.machine.requests import Pause
from anfora.graph.machine.walks import Walk
from anfora.graph.polyfill import records
from anfora.graph.polyfill.generic import implementation
from anfora.graph.polyfill.gradients import UNSEEN, can_walk, differentiate_in_pieces
from anfora.graph.polyfill.polyfills import (
    differentiate,
    getter,
    parts_of_getter,
)
from anfora.graph.polyfill.surroundings import initialise_here, make_here
from anfora.graph.polyfill.transforms import guard_hooks
from anfora.graph.record.updates import update
from anfora.graph.source.sources import code_of
from anfora.graph.state.images import ORDINARY, is_plain_object

if TYPE_CHECKING:
    from anfora.graph.record.recorder import Recorder

__all__ = ["Calls"]


class Calls:
    """The calls that a program makes.

    Args:
        recorder: what they are recorded by.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def call(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> None:
        recorder = self.recorder
        is_of_one = not kwargs and len(args) == 1 and type(function) is types.BuiltinMethodType
        if is_of_one and self._appends(function, args[0]):
            machine.push(None)
            return
        if kwargs:
            args, kwargs = by_place(function, args, kwargs)
        if recorder.outlining.calls_plainly(machine, function, args, kwargs):
            return
        unwrapped = self._unwrapped(machine, function, args, kwargs)
        if unwrapped is None:
            return
        function, args, kwargs = unwrapped
        if kwargs:
            args, kwargs = by_place(function, args, kwargs)
        if recorder.given is not None and function is recorder.given_operation:
            machine.push(recorder.redo())
            return
        is_of_iterators = known.is_among(function, _BY_PYTHON) or function is next
        if is_of_iterators and self._resume(machine, function, args, kwargs):
            return
        if recorder.opaque(function) or (type(function) is types.FunctionType and known.is_transform(function)):
            self._call_opaque(machine, function, args, kwargs)
            return
        if is_a(function, GradientFunction):
            self._differentiate(machine, function, args, kwargs)
            return
        if type(function) in known.GETTERS:
            replacement, parts = getter(function)
            if recorder.is_outside(function):
                origin = recorder.derive(parts_of_getter, recorder.origins[id(function)][1])
                recorder.look(recorder.register(parts, origin))
            recorder.enter(machine, replacement, (*parts, *args), kwargs)
            return
        if self._has_way(machine, function, args, kwargs):
            return
        if is_of_iterators:
            function = _BY_PYTHON.get(function, function)
        by_kind = self._way_to_call(function)
        if by_kind is None or not by_kind(machine, function, args, kwargs):
            machine.push(recorder.do(machine, function, args, kwargs))

    def _has_way(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> bool:
        """Call what has a way of its own, a bound method of a container too: whether it was that."""
        special = self.recorder.keeper.special
        if type(function) is types.BuiltinMethodType and not known.is_among(function, special):
            fact, args = resolved(function, args)
            if fact is None or fact.owner is None:
                return False
            function = fact.function
        way = special.get(function) if known.is_among(function, special) else None
        return way is not None and way(self.recorder, machine, args, kwargs)

    def _appends(self, function: types.BuiltinMethodType, value: Any) -> bool:
        """Append a tensor, a number or a text to a list of the program's, where that is no more: whether it was that."""
        recorder = self.recorder
        items = function.__self__
        if type(items) is not list or function.__name__ != "append" or recorder.given is not None:
            return False
        if not recorder.is_operand(value) or id(items) in recorder.origins or id(items) in recorder.shown:
            return False
        items.append(value)
        return True

    def _unwrapped(
        self, machine: Machine, function: Any, args: tuple, kwargs: dict
    ) -> tuple[Any, tuple, dict[str, Any]] | None:
        """What is called in the end, behind methods, partial functions and compiled ones, and with which arguments; None
        if that has been called."""
        recorder = self.recorder
        while True:
            function = recorder.force(function)
            kind = type(function)
            if kind is types.MethodType:
                if recorder.is_outside(function):
                    if recorder.opaque(function):
                        break
                    function = recorder.register(function, recorder.origins[id(function)][1])
                args, function = (function.__self__, *args), function.__func__
            elif kind is functools.partial:
                if recorder.is_outside(function):
                    self._look_into_partial(function)
                args, kwargs = (*function.args, *args), {**function.keywords, **kwargs}
                function = function.func
            elif kind is types.FunctionType:
                is_outside = id(function) not in recorder.origins and id(function) not in recorder.local_functions
                compiled = recorder.keeper.compiled_by_itself(function, is_outside)
                if compiled is None:
                    break
                recorder.call_recursive(machine, compiled, args if is_outside else (function, *args), kwargs)
                return None
            elif kind is types.MethodWrapperType and function.__name__ in _RAW:
                plain = _RAW[function.__name__]
                if function != plain.__get__(function.__self__):
                    break
                args, function = (function.__self__, *args), plain
            elif known.is_compiled(function):
                if recorder.is_outside(function):
                    recorder.guard("is", recorder.origins[id(function)][1], function)
                if function.program.is_recursive:
                    recorder.call_recursive(machine, function, args, kwargs)
                    return None
                recorder.keeper.called[function.__wrapped__.__code__] = function.program
                function = function.__wrapped__
            elif issubclass(kind, Graph):
                origin = recorder.origin_of_value(function)
                function = python_function(function)
                recorder.guard("is", recorder.derive(python_function, origin), function)
            else:
                break
        return function, args, kwargs

    def _way_to_call(self, function: Any) -> Callable[[Machine, Any, tuple, dict], bool] | None:
        """How what is of a kind is called: a method that says whether it has done so."""
        if function is getattr or function is hasattr:
            return self._call_getattr
        if type(function) is types.FunctionType:
            return self._call_function
        if is_a(function, Cell):
            return self.call_cell
        if function is object.__new__ or is_a(function, type):
            return self._call_class
        if (is_operator(function) and function.__call__ is functools.partial) or known.is_object(function):
            return self._call_object
        return None

    def _call_getattr(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> bool:
        fits = not kwargs and len(args) in ((2, 3) if function is getattr else (2,))
        return fits and self.recorder.named_attribute(machine, function, args)

    def _call_function(self, machine: Machine, function: types.FunctionType, args: tuple, kwargs: dict) -> bool:
        recorder = self.recorder
        if initialise_here(recorder, machine, function, args, kwargs):
            return True
        owner_is_outside = bool(args) and recorder.is_outside(args[0])
        is_python = contexts.is_left_to_python(function, machine.frames[-1], owner_is_outside)
        if not recorder.enters(function) or is_python:
            return self._call_of_library(machine, function, args, kwargs)
        if _is_closed(function) and not contexts.ends_here(machine.frames):
            self._leave_and_call(machine, function, args, kwargs)
        else:
            recorder.enter(machine, function, args, kwargs)
        return True

    def _call_class(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> bool:
        """Make an object."""
        if function is object.__new__:
            is_plain = len(args) == 1 and not kwargs and is_plain_object(args[0])
            if is_plain:
                machine.push(self.recorder.adopt(machine.natively(function, args, kwargs)))
            return is_plain
        if defines(function, "__del__") and is_of_python(function):
            self._leave_and_call(machine, function, args, kwargs)
            return True
        return self._make(machine, function, args, kwargs)

    def _make(self, machine: Machine, kind: type, args: tuple, kwargs: dict) -> bool:
        """Make an object of a class of the program: its `__init__` is gone into."""
        recorder = self.recorder
        if makes_operator(recorder, kind, args, kwargs):
            made: Any = machine.natively(kind, args, kwargs)
            if is_stateless(made):
                recorder.own[id(made)] = made
                machine.push(made)
                return True
        if defines(kind, "_is_compiled"):
            machine.push(recorder.adopt(machine.natively(kind, args, kwargs)))
            return True
        if known.is_layer(kind):
            return make_here(recorder, machine, kind, args, kwargs)
        if type(kind) not in ORDINARY:
            return False
        way = makers.maker(kind)
        recorder.guard("is", recorder.derive(makers.maker, recorder.origin("known", kind)), way)
        if way is makers.ROW and not known.computes(kind):  # it shows other items than it holds
            return False
        if way in (makers.BARE, makers.RECORD, makers.ROW):
            defaults = makers.defaults_of(kind)
            if defaults is not None:
                recorder.read_function(defaults)
            machine.push(recorder.adopt(machine.natively(kind, args, kwargs)))
            return True
        if way is None or not contexts.may_be_made(kind, machine.frames) or not recorder.enters(way):
            return False
        made = recorder.adopt(machine.natively(object.__new__, (kind,), {}))
        recorder.enter(machine, way, (made, *args), kwargs, "object")
        machine.frames[-1].target = made
        return True

    def _call_object(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> bool:
        """Call an object of a class that says how."""
        recorder = self.recorder
        if is_operator(function) and function.__call__ is functools.partial:
            machine.push(recorder.do(machine, functools.partial, args, kwargs))
            return True
        kind = type(function)
        method = class_attribute(kind, "__call__")
        if known.is_transform(method):
            machine.push(recorder.do(machine, method, (function, *args), kwargs))
            return True
        if is_a(method, types.FunctionType) and recorder.enters(method):
            recorder.guard_class(kind, "__call__")
            recorder.enter(machine, method, (function, *args), kwargs)
            return True
        return False

    def call_cell(self, machine: Machine, cell: Cell, args: tuple, kwargs: dict) -> bool:
        """Go into the call of a Cell."""
        recorder = self.recorder
        own = class_attribute(type(cell), "__call__")
        recorder.guard_class(type(cell), "__call__")
        if own is Cell.__call__:
            return self.call_construct(machine, cell, args, kwargs)
        if not is_a(own, types.FunctionType) or not recorder.enters(own):
            return False
        recorder.enter(machine, own, (cell, *args), kwargs)
        return True

    def call_construct(self, machine: Machine, cell: Cell, args: tuple, kwargs: dict) -> bool:
        """Do what `Cell.__call__` does: go into `construct`, with what surrounds it."""
        recorder = self.recorder
        attributes = cell.__dict__
        if "_hooks" not in attributes:
            return False
        method = class_attribute(type(cell), "construct")
        if known.is_compiled(method):
            method = method.__wrapped__
        is_own = "construct" in attributes
        for name in ("_hooks", "_compute_type"):
            recorder.getattr_plain(cell, name)
        is_bare = attributes["_hooks"] is None and attributes["_compute_type"] is None
        if is_bare and not is_own and is_a(cell, Updater) and update(recorder, machine, cell, args, kwargs):
            return True
        if not is_own and not (is_a(method, types.FunctionType) and recorder.enters(method)):
            return False
        if is_bare and not is_own and not defines(type(cell), "bprop"):
            recorder.guard("is", recorder.derive(defines, recorder.origin("known", type(cell)), "bprop"), False)
            if recorder.is_outside(cell):
                recorder.guard("method", recorder.origin("method", "construct", recorder.origins[id(cell)][1]), method)
            recorder.enter(machine, method, (cell, *args), kwargs)
        else:
            args = tuple(map(recorder.force, args))
            kwargs = {name: recorder.force(value) for name, value in kwargs.items()}
            recorder.enter(machine, call_cell, (cell, args, kwargs), {})
        machine.frames[-1].cell_call = (cell, args)
        return True

    def _call_of_library(self, machine: Machine, function: types.FunctionType, args: tuple, kwargs: dict) -> bool:
        """Call a function of Python's library of which it is known what it does."""
        recorder = self.recorder
        found = None if kwargs or any(map(recorder.opaque, args)) else records.comparison(function, args)
        if found is not None:
            replacement, parts = found
            recorder.guard_class(type(args[0]), function.__name__)
            recorder.enter(machine, replacement, (*parts, *args), {})
            return True
        chosen = implementation(recorder, function, args)
        if chosen is None:
            return False
        self.call(machine, chosen, args, kwargs)
        return True

    def _leave_and_call(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> None:
        """Leave the rest of the program to Python, this call included."""
        recorder = self.recorder
        args = tuple(map(recorder.force, args))
        kwargs = {name: recorder.force(value) for name, value in kwargs.items()}
        name = known.describe(function)
        recorder.keeper.give_up(
            f"what {name} makes does something when it is dropped, and only Python knows when", machine
        )
        recorder.leave(machine)
        machine.push(machine.natively(function, args, kwargs))

    def _call_opaque(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> None:
        """Call what cannot be gone into, or a step of a transform."""
        recorder = self.recorder
        try:
            if function is _Run.finish and not can_walk(recorder, args[1]):
                machine.push(recorder.interpret(machine, function, args, kwargs, UNSEEN))
            else:
                machine.push(recorder.do(machine, function, args, kwargs))
            if function is _Run.finish:
                recorder.look_at_histories(machine, args[0].gradient.parameters)
        except (Exception, NeedsExamples):
            if recorder.region and function is GradientFunction.start:
                recorder.region.pop()
            raise
        finally:
            if recorder.region and (function is _Run.finish or function is _Run.leave):
                recorder.region.pop()
                recorder.memory.holders.look_soon()

    def _look_into_partial(self, function: functools.partial) -> None:
        """Guard what a partial function from outside holds."""
        recorder = self.recorder
        origin = recorder.origins[id(function)][1]
        recorder.register(function.func, recorder.origin("attr", "func", origin))
        for name in ("args", "keywords"):
            held = getattr(function, name)
            if held:
                recorder.look(recorder.register(held, recorder.origin("attr", name, origin)))
            else:
                recorder.guard("length", recorder.origin("attr", name, origin), 0)

    def _resume(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> bool:
        """Go into a generator of the program's for `next`, `send` and `throw`."""
        if kwargs or not args or type(args[0]) is not Generator or not self.recorder.owns(args[0]):
            return False
        generator = args[0]
        if generator.real is not None or (function is next and len(args) > 1):
            return False
        if function in (Generator.close, Generator.__iter__) or len(args) > (4 if function is Generator.throw else 2):
            return False
        if generator.frame is None:  # it has ended
            if function is Generator.throw:
                return False
            machine.natively(operations.raise_, (StopIteration(),), {})
        if generator.is_running:
            generator = generator.again()
        if function is Generator.throw:
            machine.resume(generator, None, thrown(*args[1:]), deliver="item")
        else:
            machine.resume(generator, args[1] if len(args) > 1 else None, deliver="item")
        return True

    def _differentiate(self, machine: Machine, gradient: GradientFunction, args: tuple, kwargs: dict) -> None:
        """Go into the function of which a gradient is taken; the operators of the walk back are recorded like others."""
        recorder = self.recorder
        frame = machine.frames[-1]
        site = (frame.code.python, frame.pc)
        given = (*args, *kwargs.values())
        walked = given if gradient.sens_param else [given[i] for i in gradient.positions if i < len(given)]
        if not all(can_walk(recorder, tree) for tree in walked):
            machine.push(recorder.interpret(machine, gradient.call_plainly, (args, kwargs), {}, UNSEEN))
            return
        if not recorder.region and site in recorder.keeper.undivided:
            reason = f"a gradient that cannot be taken in pieces: {recorder.keeper.undivided[site]}"
            machine.push(recorder.interpret(machine, gradient.call_plainly, (args, kwargs), {}, reason))
            return
        in_pieces = not recorder.region and (site in recorder.keeper.divided or transforms.depth > 0)
        if not in_pieces and (recorder.piece.writes or (recorder.piece.is_taped and not recorder.region)):
            raise Pause  # a piece cannot end in the middle of a gradient, so it must not have to
        if recorder.is_outside(gradient):
            for name in ("positions", "parameters", "weights", "has_aux", "return_ids", "sens_param", "gives_value"):
                recorder.look(recorder.getattr_plain(gradient, name))
        has_hooks = self._look_at_hooks(gradient, args, kwargs)
        recorder.held((*args, *kwargs.values()))
        if in_pieces:
            recorder.enter(machine, differentiate_in_pieces, (gradient, [args, kwargs], has_hooks), {})
            return
        recorder.piece.weights.update(map(id, gradient.parameters))
        recorder.enter(machine, differentiate, (gradient, args, kwargs), {})
        recorder.region.append(site)
        recorder.piece.gradients.append(recorder.region[0])

    def _look_at_hooks(self, gradient: GradientFunction, args: tuple, kwargs: dict) -> bool:
        """Let later calls see to it that what is differentiated by has the hooks that it has now; whether there are any."""
        given = (*args, *kwargs.values())
        followed = [tensor for i in gradient.positions if i < len(given) for tensor in tensors(given[i])]
        return guard_hooks(self.recorder, (*gradient.parameters, *followed))


def _is_closed(function: types.FunctionType) -> bool:
    """Whether a generator may do something when it is dropped half-way: where it waits, a `try` or `with` may be open. What
    stands for an iterator that is written in C does nothing then."""
    code = code_of(function)
    return code.is_generator and "HANDLER" in code.opcodes and function not in ORIGINALS


#: What the machine asks its iterators by, and what Python does instead, of its own.
_BY_PYTHON: dict[Callable, Callable] = {
    Generator.send: operations.send, Generator.throw: operations.throw, Generator.close: operations.close,
    Generator.__next__: next, Generator.__iter__: iter, Walk.__next__: next, Walk.__iter__: iter,
}  # fmt: skip
#: Methods that set and delete attributes, whatever the class does about it.
_RAW = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
