"""What is done with values: by the operators in it, by a way of its own, or by the interpreter."""

from __future__ import annotations

import builtins
import collections
import enum
import operator
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from anfora.api import GradientFunction
from anfora.core.cell import Cell
from anfora.core.op import Op
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.eager.batched import NeedsExamples
from anfora.graph.facts import arrays, known
from anfora.graph.facts.classes import class_attribute, defines
from anfora.graph.facts.collected import KINDS, calls_default, changes_or_makes
from anfora.graph.facts.constructed import adopt_constructed, constructs
from anfora.graph.facts.kinds import dict_of_module, is_a
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.looking import changes_unplainly, may_warn
from anfora.graph.facts.origins import Number, Origin, places_read, plain_dict, plain_tuple, value_of_number
from anfora.graph.facts.rows.constructed import CONSTRUCTORS
from anfora.graph.facts.table import DRAINED, LENGTH, MAPPING, WALKED, all_facts, fact_of, is_in_turn, resolved
from anfora.graph.facts.values import exact, has_identity
from anfora.graph.machine import operations
from anfora.graph.machine.frames import Frame
from anfora.graph.machine.generators import Generator
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.requests import Enter
from anfora.graph.machine.walks import Walk
from anfora.graph.polyfill.iterators import goes_over_iterators, with_iterators
from anfora.graph.polyfill.making import settle
from anfora.graph.polyfill.polyfills import (
    class_pattern,
    default_item,
    dict_,
    list_,
    list_with_length,
    rows_,
)
from anfora.graph.polyfill.special import asks_a_class, check_of, entered, method_of, setter_of
from anfora.graph.polyfill.taking import may_be_mapping, taken_in_turn
from anfora.graph.polyfill.tensors import SEARCHES
from anfora.graph.record.held import stored_from
from anfora.graph.record.hops import Hops
from anfora.graph.record.numeric import Numeric, is_written_in_operators, takes_as_operands, tells_by_type
from anfora.graph.record.outlining import Outlining
from anfora.graph.record.reasons import drain
from anfora.graph.record.writes import UNKNOWN
from anfora.graph.source.sources import code_of
from anfora.graph.state.moments import CALL, Outcome, State

__all__ = ["Doing"]


class Doing(Hops):
    """The operations that the machine asks for.

    Attributes:
        numeric: what is done with numbers that vary.
        outlining: what goes to Python as a whole.
    """

    def __init__(self, keeper: Any) -> None:
        super().__init__(keeper)
        self.numeric = Numeric(self)
        self.outlining = Outlining(self)

    def do(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if self.given is not None and operation is self.given_operation:
            return self.redo()
        if self.given is None and id(operation) in _ASKING_IDENTITY and not self.pin(args):
            return self._left_alone(machine, operation, args)
        if not kwargs and not may_warn(operation, args):
            if id(operation) in _OPERATORS:
                if operation not in _GROWING and all(map(_is_small, args)):
                    try:
                        return operation(*args)
                    except Exception:  # Python raises it once more, in its place
                        pass
                computes = self.operator_of(operation, args)
                if computes is not None or all(map(self.is_operand, args)):
                    return self._traced(machine, operation, args, kwargs, computes=computes)
            if all(type(a) in SIMPLE for a in args) and _is_of_values(operation):
                result = machine.natively(operation, args, kwargs)
                return self.outlining.gives_many(machine, operation, args, kwargs, result)
        self.looks += 1
        result = self._do_with_own(machine, operation, args, kwargs)
        if result is not UNKNOWN:
            return result
        args = self.taken_apart(operation, args)
        result, args, kwargs = self._do_on_numbers(machine, operation, args, kwargs)
        if result is not UNKNOWN:
            return result
        way = _WAYS.get(id(operation))
        result = UNKNOWN if way is None else way(self, machine, args, kwargs)
        if result is not UNKNOWN:
            return result
        return self._do_or_leave(machine, operation, args, kwargs)

    def _do_or_leave(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict) -> Any:
        """Do what is known to follow from its arguments alone; leave to the interpreter what there is a reason for."""
        places = () if self.given is not None else _places_of_walks(operation, args)
        if places:
            raise Enter(with_iterators, (operation, places, args, kwargs))
        walked, items = _as_can_be_walked(operation, args)
        reason = self._reason(walked, items, kwargs)
        if reason is None and any(map(self.is_own_generator, args)):
            reason = self._reason_of_generator(machine, walked, items)
        if reason is None:
            operation, args = walked, items
        else:
            reason = reason if walked is operation else self._reason(operation, args, kwargs) or reason
            if self.given is None and self.outlining.is_plain_call(operation, args, kwargs):
                return self.do_between(machine, operation, args, kwargs, CALL)
            return self.interpret(machine, operation, args, kwargs, reason)
        if self.given is None and self.origins:
            if self.outlining.walks_on(machine, operation, args) and operation is not reversed:
                return machine.natively(operation, args, kwargs)
            if self.outlining.holds_many(machine, operation, args, kwargs):
                return self.do_between(machine, operation, args, kwargs, CALL)
        result = self.compute(machine, operation, args, kwargs)
        if known.writes(operation):
            return result
        return self.outlining.gives_many(machine, operation, args, kwargs, result)

    def _do_with_own(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict) -> Any:
        """Do something with arrays and containers of which all is known, and reads and writes of items; UNKNOWN if it is
        none of that."""
        if self.given is None and arrays.holds_array(self, operation, args, kwargs):
            done, result = self._with_arrays(machine, operation, *self._as_numpy_takes_it(operation, args, kwargs))
            if done:
                return result
        if self.given is None and (self.own or known.is_among(operation, _MAKING)):
            if constructs(self, operation, args, kwargs):
                result = self.compute(machine, operation, args, kwargs)
                adopt_constructed(self, result)
                return result
            done, result = self._with_containers(machine, operation, args, kwargs)
            if done:
                return result
        if not kwargs and not self.opaque_to(operation, args, *args):
            if operation is iter and defines(type(args[0]), "__next__") and goes_over_iterators(machine):
                return args[0]
            self._go_into_methods(machine, operation, args)
        if self.given is not None:  # what a hop was given may be from outside when it is done over
            return UNKNOWN
        result = self.read_item(operation, args) if not kwargs else UNKNOWN
        return self.write(machine, operation, args, kwargs) if result is UNKNOWN else result

    def _do_on_numbers(
        self, machine: Machine, operation: Callable, args: tuple, kwargs: dict
    ) -> tuple[Any, tuple, dict]:
        """Do something with numbers that vary. Where none is given, or it depends on what they are, the result is UNKNOWN,
        and the arguments are what they are."""
        if self.holds and not kwargs and known.is_among(operation, operations.OF_ITEMS) and _are_numbers(args):
            done, result = self.numeric.arithmetic(machine, operations.OF_ITEMS[operation], tuple(args[0]))
            if done:
                return result, args, kwargs
        if not any(type(a) is Number for a in (*args, *kwargs.values())):
            return UNKNOWN, args, kwargs
        if not kwargs:
            if tells_by_type(operation, args):
                return machine.natively(operation, plain_tuple(args), {}), args, kwargs
            done, result = self.numeric.arithmetic(machine, operation, args)
            if done:
                return result, args, kwargs
        if takes_as_operands(operation, args, kwargs):
            return self.numeric.do_with_numbers(machine, operation, args, kwargs), args, kwargs
        reason = self._reason(operation, plain_tuple(args), plain_dict(kwargs))
        if reason is not None:  # the interpreter takes it as it comes
            return self.interpret(machine, operation, args, kwargs, reason), args, kwargs
        if is_written_in_operators(operation, args):
            return self.numeric.do_with_numbers(machine, operation, args, kwargs), args, kwargs
        stored = stored_from(operation, args)
        if stored is not None:
            return UNKNOWN, (*map(self.force, args[:stored]), *args[stored:]), kwargs
        return UNKNOWN, *self.forced(args, kwargs)

    # Each of these does one function, of the values for which that is known; UNKNOWN for others.

    def _do_id(self, machine: Machine, args: tuple, kwargs: dict) -> Any:
        if self.given is not None or len(args) != 1 or not self.is_outside(args[0]):
            return UNKNOWN
        return Number(Origin("number", id, (self.origins[id(args[0])][1],)), id(args[0]))

    def _do_type(self, machine: Machine, args: tuple, kwargs: dict) -> Any:
        return args[0].kind if len(args) == 1 and type(args[0]) in (Generator, Walk) else UNKNOWN

    def _do_iter(self, machine: Machine, args: tuple, kwargs: dict) -> Any:
        is_of_rows = len(args) == 1 and (is_a(args[0], Tensor) or self.owns_array(args[0]))
        is_plain = is_of_rows and args[0].shape and not known.has_methods(args[0])
        return self._walking(rows_, args[0]) if is_plain else UNKNOWN

    def _do_import(self, machine: Machine, args: tuple, kwargs: dict) -> Any:
        is_done = len(args) == 5 and self._is_imported(*args)
        return machine.natively(_IMPORT, args, kwargs) if is_done else UNKNOWN

    def is_operand(self, value: Any) -> bool:
        """Whether operators on it call nothing of the program."""
        kind = type(value)
        if kind is Tensor or kind is Parameter:
            return not self.has_methods(value)
        return kind in SIMPLE

    def _as_numpy_takes_it(self, operation: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """The arguments of a function of numpy's: numbers read from attributes and items, such as `2 * np.pi`, are known to
        it until one of them changes."""
        if not any(type(value) is Number for value in (*args, *kwargs.values())):
            return args, kwargs
        are_steady = all(map(self._is_steady, (*args, *kwargs.values())))
        if not are_steady or not arrays.follows(self, operation, plain_tuple(args), plain_dict(kwargs)):
            return args, kwargs
        return self.forced(args, kwargs)

    def _is_steady(self, value: Any) -> bool:
        """Whether a value is no number that varies, or one that has not been seen to change."""
        if type(value) is not Number:
            return True
        places = places_read(value.origin) or []
        return bool(places) and not any(map(self.keeper.varies, places))

    def _with_arrays(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict) -> tuple[bool, Any]:
        """What follows from arrays of numpy's that the program has made: (whether it was done, the result)."""
        if not arrays.follows(self, operation, args, kwargs):
            return False, None
        if id(operation) in self.origins:
            self.guard("is", self.origins[id(operation)][1], operation)
        if not arrays.gives_tensors(operation, args) and not arrays.may_be_done(operation, args, kwargs):
            reason = f"{known.describe(operation)} of arrays, which warns, or gives what is not kept"
            return True, self.interpret(machine, operation, args, kwargs, reason)
        result = self.compute(machine, operation, args, kwargs)
        if self.hop is None:
            arrays.adopt(self, args[0] if operation is operations.extend else result)
        return True, result

    def _with_containers(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict) -> tuple[bool, Any]:
        """What makes deques and their like, or is done to those of the program: (whether it was done, the result)."""
        is_method = known.is_bound(operation) and self.owns_container(operation.__self__)
        is_making = known.is_among(operation, KINDS)
        if any(type(value) is Number for value in (*args, *kwargs.values())):
            if not is_method and not is_making and not any(map(self.owns_container, args)):
                return False, None
            reason = f"{known.describe(operation)} with a number that varies"
            return True, self.interpret(machine, operation, args, kwargs, reason)
        if calls_default(self, operation, args):
            raise Enter(default_item, args)
        if is_making and any(map(self.is_own_generator, args)):
            self._reason_of_generator(machine, operation, args)  # the machine goes through it first
        if not changes_or_makes(self, operation, args, kwargs):
            return False, None
        result = self.compute(machine, operation, args, kwargs)
        if type(result) in KINDS and not self.is_outside(result):
            self.own[id(result)] = result
        return True, result

    def _go_into_methods(self, machine: Machine, operation: Callable, args: tuple) -> None:
        """Where an operation on objects of the program is a call of their special methods, raise what makes it one."""
        if self.given is not None:  # Python has done it: a method may be there by now
            return
        if operation is operations.attributes_of_class:
            raise Enter(class_pattern, args)
        is_search = known.is_among(operation, SEARCHES) and is_a(args[1], Tensor) and type(args[0]) in _COMPARED
        if is_search and known.is_attribute_of_ours(type(args[1]), "__contains__"):
            raise Enter(SEARCHES[operation], (args[1], args[0]))
        if len(args) == 2 and asks_a_class(operation):
            call = check_of(self, operation, *args)
            if call is not None:
                raise call
        if any(map(self.is_own_generator, args)):
            self._take_in_turn(operation, args)
        if not any(map(known.has_methods, args)) and not (operation is operator.getitem and is_a(args[0], type)):
            return
        if operation is operations.special_method and known.is_object(args[0]):
            kind, name = type(args[0]), args[1]
            is_of_program = is_a(class_attribute(kind, name), types.FunctionType)
            (self.guard_class if is_of_program else self.guard_without)(kind, name)
        if operation is setattr and len(args) == 3:
            call = setter_of(self, *args)
            if call is not None:
                raise call
        call = entered(self, operation, args)
        if call is not None:
            raise call
        self._take_in_turn(operation, args)
        self._walk_first(machine, operation, args)

    def _take_in_turn(self, operation: Callable, args: tuple) -> None:
        """Where an instruction takes items of the program's one by one, raise what has the machine do so."""
        call = taken_in_turn(self, operation, args) if len(args) == 2 else None
        if call is not None:
            raise call

    def _walk_first(self, machine: Machine, operation: Callable, args: tuple) -> None:
        """Where a function takes all items of an object of the program, raise what has the machine walk over it first."""
        fact, given = resolved(operation, args)
        for use, value in () if fact is None else fact.uses(given):
            if not use & DRAINED:
                continue
            is_there = any(item is value for item in machine.saved)
            if use & MAPPING and may_be_mapping(value):
                if operation is dict and len(args) == 1 and method_of(self, value, "keys") is not None:
                    raise Enter(dict_, args)
                continue
            if is_there and not is_in_turn(use) and method_of(self, value, "__iter__") is not None:
                kind = type(value)
                has_length = defines(kind, "__len__") or defines(kind, "__length_hint__")  # it is asked, to make room
                raise drain(value, operation, args, list_with_length if use & LENGTH and has_length else list_)

    def _is_imported(self, name: str, scope: dict, _: None, names: tuple | None, level: int) -> bool:
        """Whether an import only finds what has been imported, as long as that stays so."""
        if level or (names and "*" in names):
            return False
        parts = name.split(".")
        paths = [".".join(parts[: n + 1]) for n in range(len(parts))]
        modules: list[Any] = [sys.modules.get(path) for path in paths]
        if not all(type(module) is types.ModuleType for module in modules):
            return False
        if names and not _gives_plainly(modules[-1], names):
            return False
        for path, module in zip(paths, modules):
            self.guard("is", self.origin("item", path, self.origin("known", sys.modules)), module)
        if names:
            self.guard("is", Origin("number", _gives_plainly, (self.origin("known", modules[-1]), names)), True)
        return True

    def compute(
        self, machine: Machine, operation: Callable, args: tuple, kwargs: dict, shown: tuple[tuple, dict] | None = None
    ) -> Any:
        """Do what follows from its arguments: only the operators in it leave a trace.

        Args:
            shown: what is really given to it, if that is not the same: arguments of which some tell where they come from.
        """
        self.look_for(operation, args, kwargs)
        fact, given = resolved(operation, args)
        # What changes an object of the program's must be written down before, in case that it turns out to be a hop.
        must_be_written = self.given is None and fact is not None and changes_unplainly(fact, given, kwargs)
        before = self.snapshot(machine, operation, args, kwargs) if must_be_written else None
        result = self._traced(machine, operation, args, kwargs, before, shown)
        if operation in (operator.is_, operator.is_not) and any(map(self.is_outside, args)):
            self._guard_identity(args, bool(result) is (operation is operator.is_))
        if operation is setattr and is_a(args[0], Cell) and is_a(args[2], (Parameter, Cell)):
            settle(self, args[2])  # it may have got its name
        if operation is GradientFunction.start and result is not None and result.create_graph and len(self.region) == 1:
            self.leave_to_a_tape_outside(machine)
        if self.own and type(result) in KINDS and any(map(self.owns_container, args)):
            self.own.setdefault(id(result), result)
        if is_a(operation, type):
            self.adopt(result)
        if known.is_transform(operation) and type(result) in (types.FunctionType, GradientFunction):
            self.made(result)  # for this call, with its values
            for cell in getattr(result, "__closure__", None) or ():
                self.local_cells[id(cell)] = cell
        return result

    def _traced(
        self,
        machine: Machine,
        operation: Callable,
        args: tuple,
        kwargs: dict,
        before: State | None = None,
        shown: tuple[tuple, dict] | None = None,
        computes: tuple[Op, list] | None = None,
    ) -> Any:
        """Do something by Python, which turns out to be a hop when somebody looks at data meanwhile.

        Args:
            before: the state in front of it, if it has been written down already.
            shown: as for `compute`.
            computes: the operator that Python would find for it, and of what.
        """
        if self.given is not None:
            return self.redo()
        piece = self.piece
        before_began = self.began  # inside of a walk back, that has begun something too
        calls, draws = self.began = len(piece.calls), len(piece.draws)
        outer, self.touched = self.touched, None
        error: BaseException | None = None
        result = None
        try:
            if computes is not None:
                result = self.apply_operator(machine, *computes, operation, args)
            else:
                result = machine.natively(operation, *(shown or (args, kwargs)))
        except (Exception, NeedsExamples) as raised:
            error = raised
        touched, self.touched = self.touched, outer
        self.began = before_began
        if self.abandoned:
            self.keeper.give_up("Python goes on with a generator of the program", machine)
            self.leave(machine)
        elif touched is not None or not all(draw.is_used for draw in piece.draws[draws:]):
            self.forget_from(calls, draws)
            state = before or self.snapshot(machine, operation, args, kwargs)
            if state is not None:
                self.settle_outside(state)
            return self._hopped(machine, state, touched or "random numbers", Outcome(result, error), operation, args)
        if error is not None:
            try:
                raise error
            finally:
                del error  # which holds this frame
        return result

    def _guard_identity(self, args: tuple, same: bool) -> None:
        origins = [self.origins[id(a)][1] if id(a) in self.origins else self.origin("known", a) for a in args]
        if all(id(a) in self.origins or type(a) in SIMPLE or known.is_constant(a) for a in args):
            self.guard("same" if same else "not same", origins[0], origins[1])

    def _walking(self, function: Any, value: Any) -> Generator:
        """What goes over a value one by one, as a generator of the program does."""
        [name] = code_of(function).python.co_varnames[: code_of(function).python.co_argcount]
        return Generator(Frame(code_of(function), function, {name: value}), self, (function, (value,), {}))

    def _throw_into(self, _: Machine, args: tuple, __: dict) -> Any:
        """An exception goes to what a generator delegates to, which may have methods of the program, or be a generator."""
        raise Enter(operations.throw_into, args)

    def _left_alone(self, machine: Machine, operation: Callable, args: tuple) -> Any:
        """Leave the rest of the program to Python, where it asks which of equal numbers or texts it has got, and that is no
        longer known."""
        args = tuple(map(self.force, args))
        self.keeper.give_up("it asks for the identity of a number or text that it got before a hop", machine)
        self.leave(machine)
        return machine.natively(operation, args, {})

    def pin(self, values: Sequence[Any]) -> bool:
        """The program asks which objects numbers and texts are: let later calls bring the same. False where one of them has
        come into an earlier piece, which has only asked for its value."""
        plain = list(map(value_of_number, values))
        if not all(map(has_identity, plain)) or any(exact(value) != exact(plain[0]) for value in plain[1:]):
            return True  # what has no identity, or another value, is told apart by its value
        for value, given in zip(plain, values):
            if type(given) is Number:
                origins = [given.origin] if given.origin.kind != "number" else []
            elif id(value) in self.read:
                origins = self.read[id(value)][1]
            elif self.point is None or self.point.frames[0] != "entry":
                return False
            else:
                origins = []
            for origin in origins:
                self.guard("is", origin, value)
        return True


def _are_numbers(args: tuple) -> bool:
    """Whether it is one list or tuple of numbers, of which some vary."""
    if len(args) != 1 or type(args[0]) not in (list, tuple):
        return False
    kinds = {type(item) for item in args[0]}
    return Number in kinds and kinds <= {Number, *known.NUMBERS}


def _is_of_values(operation: Any) -> bool:
    """Whether it is one of Python's functions, and no method of an object that changes."""
    if not known.is_pythons(operation):
        return False
    owner = getattr(operation, "__self__", None)
    return type(owner) in SIMPLE or is_a(owner, types.ModuleType)


def _as_can_be_walked(operation: Any, args: tuple) -> tuple[Any, tuple]:
    """An iterator of the program's own is one that can be written down."""
    if (operation is iter or operation is reversed) and len(args) == 1 and type(args[0]) in _TOLD:
        return Walk, args if operation is iter else (args[0], 0, True)
    if operation is iter and is_a(args[0], enum.EnumMeta) and type(args[0]).__iter__ is enum.EnumMeta.__iter__:
        return operation, (tuple(args[0]),)
    return operation, args


def _places_of_walks(operation: Any, args: tuple) -> tuple[int, ...]:
    """The arguments of which Python makes an iterator that does not tell what it goes over, for one that it gives."""
    if not any(type(value) in _TOLD for value in args):
        return ()
    fact = fact_of(operation)
    if fact is None or not fact.hands_later or fact.is_late or operation is Walk:
        return ()
    uses = [fact.use(n, len(args)) & (WALKED | LENGTH) for n in range(len(args))]  # `reversed` asks for the length
    return tuple([n for n, value in enumerate(args) if type(value) in _TOLD and uses[n] == WALKED])


#: What is walked over by an iterator that tells where it is.
_TOLD = (dict, *known.VIEWS, collections.deque)
_ASKING_IDENTITY = frozenset(id(fact.function) for fact in all_facts() if fact.asks_identity)


#: By identity, operators that only compute, where they are given nothing that changes in place.
_OPERATORS = frozenset(
    id(operation)
    for name, operation in (*operations.OPERATIONS.items(), *operations.IN_PLACE.items())
    if name not in ("is", "is_not", "in", "not_in")
)
#: Those whose results may be of any length, and what is less is small.
_GROWING, _SMALL = frozenset([operator.pow, operator.ipow, operator.lshift, operator.ilshift]), 1 << 64
#: What may be looked for in a tensor: of anything else Python says that it is not there.
_COMPARED = (bool, int, float, Number, Tensor, Parameter)


def _is_small(value: Any) -> bool:
    """Whether it is a number of which operators make others at once: nobody can tell from where they are called, and no
    signal waits for them."""
    kind = type(value)
    return kind is float or kind is bool or (kind is int and -_SMALL < value < _SMALL)


def _gives_plainly(module: types.ModuleType, names: tuple[str, ...]) -> bool:
    """Whether an import of names from a module finds variables of it, and calls nothing: it asks for `__path__` too."""
    held = dict_of_module(module)
    return all(name in held for name in names) and ("__path__" in held or "__getattr__" not in held)


#: What makes objects of types of which all is known where the program has made them.
_MAKING = frozenset({*KINDS, *CONSTRUCTORS})
_IMPORT = builtins.__import__
#: By identity, how functions of Python's are done of which it matters what they are given.
_WAYS: dict[int, Callable[[Doing, Machine, tuple, dict], Any]] = {
    id(id): Doing._do_id,
    id(type): Doing._do_type,
    id(iter): Doing._do_iter,
    id(_IMPORT): Doing._do_import,
    id(operations.throw_into): Doing._throw_into,
}
