"""Why something is left to the interpreter: what it does is not known, it changes something outside, or code of the program
would be called from within."""

from __future__ import annotations

import abc
import builtins
import enum
import functools
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from anfora.core.cell import Cell
from anfora.core.own_builtins import BUILTINS
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.graph.facts import known
from anfora.graph.facts.arrays import iterates
from anfora.graph.facts.classes import class_attribute, defines, is_set_through
from anfora.graph.facts.constructed import asks_surroundings
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.known import SIMPLE, is_plain_key
from anfora.graph.facts.looking import asks, held_by, is_iterator, keys_of, looks_into, parts_of, warns
from anfora.graph.facts.operator_classes import is_operator
from anfora.graph.facts.table import (
    CALLED,
    COUPLES,
    DRAINED,
    EQUAL,
    EQUALS,
    INDEX,
    KEY,
    KEYS,
    WALKED,
    WHOLE,
    is_in_turn,
    resolved,
)
from anfora.graph.machine import operations
from anfora.graph.machine.frames import builtins_of
from anfora.graph.machine.generators import Generator, is_method
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.requests import Drain
from anfora.graph.machine.walks import Walk
from anfora.graph.polyfill import records
from anfora.graph.polyfill.making import may_be_held
from anfora.graph.polyfill.polyfills import first_, list_, list_of_rest
from anfora.graph.polyfill.special import answers_itself, asks_a_class, check_of, method_of
from anfora.graph.polyfill.taking import may_see
from anfora.graph.record.held import Held
from anfora.graph.record.notebook import UNKNOWN
from anfora.graph.source.code import Unsupported
from anfora.graph.source.sources import code_of

__all__ = ["Reasons", "drain", "drained"]


class Reasons(Held):
    """Tells what the machine may do, and what Python must."""

    def is_walked(self, value: Any) -> bool:
        """Whether the machine itself iterates over a value: a generator of the program, or a tensor, row by row."""
        is_of_rows = is_a(value, Tensor) or self.owns_array(value)
        if self.is_own_generator(value) or (is_of_rows and bool(value.shape) and not known.has_methods(value)):
            return True
        return known.has_methods(value) and not self.opaque(value) and method_of(self, value, "__iter__") is not None

    def is_own_generator(self, value: Any) -> bool:
        return type(value) is Generator and self.owns(value)

    def _reason_of_generator(self, machine: Machine, operation: Callable, args: tuple) -> str | None:
        """The machine goes through a generator of the program itself, and gives Python a list; what would see that the
        items do not come one by one is left to the interpreter."""
        if operation is iter or self.given is not None:
            return None
        fact, given = resolved(operation, args)
        if fact is not None and not any(use & _ITERATING and self.is_own_generator(v) for use, v in fact.uses(given)):
            return None
        [generator, *more] = [a for a in args if self.is_own_generator(a)]
        is_there = any(item is generator for item in machine.saved)
        is_drained = any(value is generator for value in drained(operation, args))
        if is_there and not more and not generator.is_running and is_drained:
            changed = given[0] if given and known.writes(operation) else None
            if changed is None or not may_see(generator, changed):
                raise drain(generator, operation, args, list_)
        return "a generator in the hands of Python"

    def _reason(self, operation: Callable, args: tuple, kwargs: dict) -> str | None:
        """Why something is left to the interpreter, or None."""
        values = (*args, *kwargs.values())
        if self.opaque_to(operation, args, *values, operation):
            return f"{known.describe(operation)} of a value that the compiler does not know"
        if self.own and iterates(operation, values):
            return f"{known.describe(operation)} of an array"
        if asks_surroundings(operation, values):
            return "a date, which is written as the locale or the time zone says"
        if known.is_among(operation, (setattr, delattr, object.__setattr__, object.__delattr__)):
            return self._reason_to_set(operation, args)
        reason = self._reason_of_itself(operation, args)
        if reason is not None:
            return reason
        fact, given = resolved(operation, args)
        uses = [] if fact is None else list(fact.uses(given, kwargs))
        compared = self._compared(uses)
        if compared and not self._tell_apart(operation, fact, given, uses, compared):
            return f"{known.describe(operation)}, which tells objects from outside apart"
        reason = self._reason_to_write(operation, given) if known.writes(operation) else None
        if reason is not None:
            return reason
        looked = (
            (*values, operation) if fact is None
            else [keys_of(use, value) for use, value in uses if looks_into(use, value)]
        )  # fmt: skip
        if operation in _MEMBERSHIP and type(args[1]) in known.CONTAINERS:
            looked = [v for v in (args[0], *args[1]) if not (known.is_object(v) and known.has_identity(type(v)))]
        reason = self._reason_to_look(operation, looked) if looked and not known.is_transform(operation) else None
        return reason or _reason_to_ask(operation, uses)

    def _reason_of_itself(self, operation: Callable, args: tuple) -> str | None:
        """The same for what a function is."""
        if operation is __import__:
            return "an import"
        if len(args) > 1 and is_a(operation, type) and issubclass(operation, type):
            return "a class that is made"
        if (operation is isinstance or operation is type) and args and is_method(args[0]):
            return "the class of a method of an iterator"
        if operation is isinstance and len(args) == 2 and _poses(args[0]):
            return f"the `__class__` of a {type(args[0]).__name__}"
        if len(args) == 2 and asks_a_class(operation):
            for kind in args[1] if type(args[1]) is tuple else args[1:]:
                if answers_itself(kind) or check_of(self, operation, args[0], kind) is not None:
                    return f"a method of {type(kind).__name__}"
        if is_a(operation, functools._lru_cache_wrapper):
            return f"a call of {known.describe(operation)}, which remembers its results"
        if not known.computes(operation):
            return f"a call of {known.describe(operation)}, which the compiler cannot look into"
        return None

    def _reason_to_write(self, operation: Callable, given: tuple) -> str | None:
        """The same for what is written to."""
        owner = given[0] if given else None
        if type(owner) is types.CellType and id(owner) not in self.local_cells:
            return "a change of a variable outside"
        rebinds = operation in operations.IN_PLACE.values() and type(owner) not in (list, dict, set)
        if self.is_outside(owner) and not is_a(owner, Tensor) and not rebinds:
            return f"a change of a {type(owner).__name__} from outside"
        if known.is_object(owner) and type(owner) is not types.CellType:
            return f"a method of {type(owner).__name__}"
        return None

    def _reason_to_look(self, operation: Callable, looked: Sequence[Any]) -> str | None:
        """The same for what is looked into."""
        if any(is_a(value, BaseException) and self.is_outside(value) for value in looked):
            # What the interpreter has raised says something else in each call.
            return f"{known.describe(operation)} of a value that the compiler does not know"
        if not all(map(self.natural, looked)):
            return f"{known.describe(operation)} of an object of the program"
        functions = [v for v in looked if is_a(v, types.FunctionType) and v is not operation]
        is_shown = operation in (hash, repr, str) and all(id(v) not in self.local_functions for v in functions)
        if functions and not is_shown:
            return f"{known.describe(operation)} with a function of the program"
        return None

    def _compared(self, uses: list[tuple[int, Any]]) -> list[Any]:
        """The objects from outside of which it matters which are the same: as keys, or where a container is searched."""
        found: list[Any] = []
        for use, value in uses:
            if use & COUPLES:
                self._collect_identities(tuple(value[::2]), False, found)
                continue
            if type(value) in (set, frozenset) and use & (WALKED | DRAINED):  # the order is that of addresses
                found += [item for item in value if not is_plain_key(item)]
            if use & (KEY | EQUAL | KEYS | EQUALS) and not (use & WHOLE and is_a(value, Tensor)):
                self._collect_identities(keys_of(use, value), bool(use & WHOLE), found)
        return found

    def _collect_identities(self, value: Any, deep: bool, found: list[Any]) -> None:
        seen: dict[int, Any] = {}  # what holds itself, or stands at many places, is gone through once
        pending = [value]
        while pending:
            value = pending.pop()
            if type(value) in SIMPLE or id(value) in seen:
                continue
            seen[id(value)] = value
            items = self._items_told_apart(value, deep)
            if items is not None:
                pending += reversed([*items])
            elif self.is_outside(value) and (is_a(value, Tensor) or known.is_object(value)):
                if known.is_object(value) and known.has_identity(type(value)):
                    self.guard_without(type(value), "__eq__")
                    self.guard_without(type(value), "__hash__")
                found.append(value)
            elif known.is_object(value) and type(value).__hash__ is not object.__hash__:
                found.append(value)  # code of the program is called
            elif is_iterator(value) and type(value) not in (Generator, Walk):
                found.append(value)  # nobody knows what comes

    def _items_told_apart(self, value: Any, deep: bool) -> Iterable[Any] | None:
        """What of a container is compared; None if it is none."""
        if is_a(value, (tuple, list, set, frozenset, dict)):
            if not deep and SIMPLE.issuperset(map(type, value)):
                return ()
            if self.is_outside(value):
                self.look(value)  # what it holds is from outside as well
            return (*value, *value.values()) if is_a(value, dict) and deep else value
        if type(value) in known.VIEWS or self.owns_container(value):
            return value
        if type(value) is Walk:
            return (value.base,)
        return held_by(value) if is_iterator(value) and type(value) is not Generator else None

    def _tell_apart(
        self, operation: Callable, fact: Any, given: tuple, uses: list[tuple[int, Any]], compared: list[Any]
    ) -> bool:
        """Let later calls see to it that the keys of dicts and sets are different objects; False where that is not all
        that matters: where objects have a `__hash__` or `__eq__` of their own, or come out in the order of addresses."""
        makes_keys = any(use & COUPLES for use, _ in uses)
        is_of_keys = fact.owner in (dict, set, frozenset) and any(use & KEY for use, _ in uses)
        is_key = makes_keys or is_of_keys or operation in _MEMBERSHIP
        if not is_key or not all(is_a(x, Tensor) or known.has_identity(type(x)) for x in compared):
            return False
        if not all(map(self.is_outside, compared)):  # an iterator, whose items nobody knows
            return False
        if len(compared) + len(self.distinct) > _MOST_DISTINCT:
            return False
        held = given[0] if fact.owner is not None else given[-1]
        if not makes_keys and type(held) not in known.CONTAINERS:
            return False
        if not makes_keys and (self.is_outside(held) or not all(map(self._is_traced, held))):
            return False  # there may be objects in it of which nothing else is known
        if type(held) in (list, tuple) and not makes_keys and any(is_a(x, Tensor) for x in compared):
            return False  # these are compared with `==`
        told = self.distinct
        for value in compared:
            if id(value) not in told:
                origin = self.origins[id(value)][1]
                for other in told.values():
                    self.guard("not same", origin, other)
                told[id(value)] = origin
        return True

    def _is_traced(self, value: Any) -> bool:
        """Whether a value is none that has an identity, or one of which it is known where it comes from."""
        if is_a(value, Tensor):
            return self.is_outside(value) or id(value) in self.memory.tensors
        if is_a(value, tuple):
            return all(map(self._is_traced, value))
        return self.is_outside(value) or not known.is_object(value)

    def _reason_to_set(self, operation: Callable, args: tuple) -> str | None:
        """The same for what sets or deletes an attribute."""
        owner = args[0]
        if self._may_be_set(operation, args):
            return None
        is_elsewhere = self.is_outside(owner) or (is_operator(owner) and id(owner) not in self.own)
        is_elsewhere = is_elsewhere or known.is_compiled(owner)
        if is_elsewhere or not known.is_object(owner) or is_a(owner, Cell):
            return f"a change of an attribute of {known.name_of(owner) or type(owner).__name__}"
        return f"a setter of {type(owner).__name__}" if _has_setter(operation, type(owner), args[1]) else None

    def _may_be_set(self, operation: Callable, args: tuple) -> bool:
        """Whether what an object is tells that to set or delete an attribute is an error, or seen by nobody outside."""
        owner, name = args[:2]
        kind = type(owner)
        if is_a(owner, BaseException) and not self.is_outside(owner) and name in _OF_EXCEPTIONS:
            return True
        if kind is types.FunctionType and id(owner) in self.local_functions:
            return True
        refusing = "__setattr__" if operation is setattr else "__delattr__"
        is_asked = operation in (setattr, delattr) and known.is_object(owner)
        if is_asked and records.refuses_changes(kind, refusing):
            self.guard_class(kind, refusing)
            return True  # an error
        if operation is not setattr or not is_a(owner, Cell):
            return False
        is_data = is_a(args[2], Tensor) and not is_a(args[2], Parameter)
        if is_data and kind.__setattr__ is Cell.__setattr__ and is_a(owner.__dict__.get(name), Parameter):
            self.getattr_plain(owner, name)
            return True
        return may_be_held(self, *args)

    def enters(self, function: types.FunctionType) -> bool:
        names = builtins_of(function)
        if not known.enters(function) or (names is not vars(builtins) and names is not BUILTINS):
            return False
        try:
            code_of(function)
        except Unsupported:
            return False
        return True

    def getattr_plain(self, value: Any, name: str) -> Any:
        """An attribute that lies in the object's own dict."""
        table = operations.dict_of(value)
        found = dict.__getitem__(table, name)  # whatever the class of the dict makes of it
        if not self.is_outside(value) or any(low.cell is value and name in low.stands_for for low in self.lowered):
            self.know_item(table, name)
            return found
        written = self.overlay.attribute(value, name)
        if written is not UNKNOWN:
            return written
        return self.register(found, self.origin("attr", name, self.origins[id(value)][1]))

    def guard_without(self, kind: type, name: str) -> None:
        """A class has no special method of the program, now and in later calls: none at all, or Python's."""
        if is_a(class_attribute(kind, name), types.WrapperDescriptorType):
            self.guard_class(kind, name)
        elif type(kind) in (type, abc.ABCMeta, enum.EnumMeta):
            self.guard("is", self.derive(defines, self.origin("known", kind), name), defines(kind, name))


def drained(operation: Callable, args: tuple) -> tuple:
    """Those of the arguments of a function of which it takes all items, before it asks anything."""
    fact, given = resolved(operation, args)
    if fact is None:
        return ()
    return tuple([value for use, value in fact.uses(given) if use & DRAINED and not is_in_turn(use)])


def _poses(value: Any) -> bool:
    """Whether the class of an object says itself of what class the object is."""
    kind = type(value)
    return kind not in (Generator, Walk) and class_attribute(kind, "__class__") is not object.__dict__["__class__"]


def _has_setter(operation: Callable, kind: type, name: Any) -> bool:
    """Whether code of the program may be called where an attribute of an object of a class is set or deleted."""
    is_raw = operation in (object.__setattr__, object.__delattr__)
    own = kind.__setattr__ if operation is setattr else kind.__delattr__
    if not (is_raw or known.sets_plainly(kind) or own in (object.__setattr__, object.__delattr__)):
        return True
    return is_set_through(class_attribute(kind, name))


def drain(value: Any, operation: Callable, args: tuple, to_list: Any) -> Drain:
    """What is raised to have the machine walk over one of the arguments first."""
    if operation is operations.unpack:
        return Drain(value, first_, args[1] + 1)
    if operation is operations.unpack_rest:
        return Drain(value, list_of_rest, args[1])
    is_sliced = any(type(each) is slice for each in args)  # a list is made of the iterator then
    return Drain(value, list_of_rest, 0) if is_sliced else Drain(value, to_list)


_MOST_DISTINCT = 32  #: objects that a piece tells apart: each is compared with each other


def _reason_to_ask(operation: Callable, uses: Sequence[tuple[int, Any]]) -> str | None:
    """The same for special methods of the program's that are asked, and for what Python warns of."""
    looks_up = operation in _MEMBERSHIP or any(use & _COMPARING and not use & INDEX for use, _ in uses)
    for use, value in uses:
        held = known.viewed(value) if looks_up and type(value) in known.VIEWS else value
        if looks_up and type(held) in (dict, set, frozenset) and not known.are_compared_plainly(held):
            return f"a key of a {type(held).__name__}, which is asked whether it is equal"
        if warns(operation, use, value):
            return f"{known.describe(operation)} of {value!r}, of which Python warns"
        if use & KEY and not use & INDEX and known.is_object(value) and not known.has_identity(type(value)):
            return f"a method of {type(value).__name__}"
        if asks(use, value):
            asked = next(part for part in parts_of(value) if known.has_methods(part))
            return f"a method of {type(asked).__name__}"
    return None


_MEMBERSHIP = (operations.OPERATIONS["in"], operations.OPERATIONS["not_in"])

#: Attributes that every exception has.
_OF_EXCEPTIONS = ("__cause__", "__context__", "__suppress_context__", "__traceback__")

#: Uses in which keys may be compared.
_COMPARING = KEY | KEYS | COUPLES | EQUAL | EQUALS | WHOLE

#: Uses in which an argument is iterated over, or may be.
_ITERATING = WALKED | DRAINED | CALLED
