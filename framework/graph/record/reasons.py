"""Why something is left to the interpreter: what it does is not known, it changes something outside, or code of the program
would be called from within."""

from __future__ import annotations

import collections
import functools
import itertools
import operator
import types
from collections.abc import Callable
from typing import Any

from anfora.core.cell import Cell
from anfora.core.parameter import Parameter, ParameterTuple
from anfora.core.tensor import Tensor
from anfora.graph.facts import known
from anfora.graph.facts.arrays import iterates
from anfora.graph.facts.collected import KINDS
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.operator_classes import is_operator
from anfora.graph.machine import operations
from anfora.graph.machine.machine import Drain, Generator, Machine, Walk
from anfora.graph.polyfill import records
from anfora.graph.polyfill.making import may_be_held
from anfora.graph.polyfill.polyfills import first_, list_
from anfora.graph.polyfill.special import CHECKS, check_of, class_attribute, method_of
from anfora.graph.record.held import Held
from anfora.graph.source.code import Unsupported
from anfora.graph.source.sources import code_of

__all__ = ["Reasons", "drain", "drained"]


class Reasons(Held):
    """Tells what the machine may do, and what Python must."""

    def is_walked(self, value: Any) -> bool:
        """Whether the machine itself iterates over a value: a generator of the program, or a tensor, row by row."""
        is_of_rows = isinstance(value, Tensor) or self.owns_array(value)
        if self.is_own_generator(value) or (is_of_rows and bool(value.shape)):
            return True
        return known.has_methods(value) and not self.opaque(value) and method_of(self, value, "__iter__") is not None

    def is_own_generator(self, value: Any) -> bool:
        return type(value) is Generator and self.owns(value)

    def _reason_of_generator(self, machine: Machine, operation: Callable, args: tuple) -> str | None:
        """The machine goes through a generator of the program itself, and gives Python a list; what would see that the
        items do not come one by one is left to the interpreter."""
        if known.is_among(operation, _BLIND) or self.given is not None:
            return None
        [generator, *more] = [a for a in args if self.is_own_generator(a)]
        is_there = any(item is generator for item in machine.saved)
        is_join = known.name_of(operation) == "join" and type(getattr(operation, "__self__", None)) is str
        is_drained = is_join or any(value is generator for value in drained(operation, args))
        if is_there and not more and not generator.is_running and is_drained:
            raise drain(generator, operation, args, list_)
        return "a generator in the hands of Python"

    def _reason(self, operation: Callable, args: tuple, kwargs: dict) -> str | None:
        """Why something is left to the interpreter, or None."""
        values = (*args, *kwargs.values())
        if any(self.opaque_to(operation, value) for value in (*values, operation)):
            return f"{known.describe(operation)} of a value that the compiler does not know"
        if self.own and iterates(operation, values):
            return f"{known.describe(operation)} of an array"
        if known.is_among(operation, (setattr, delattr, object.__setattr__, object.__delattr__)):
            return self._reason_to_set(operation, args)
        if operation is __import__:
            return "an import"
        if known.is_among(operation, CHECKS) and len(args) == 2:
            for kind in args[1] if type(args[1]) is tuple else args[1:]:
                if check_of(self, operation, args[0], kind) is not None:
                    return f"a method of {type(kind).__name__}"
        if isinstance(operation, functools._lru_cache_wrapper):
            return f"a call of {known.describe(operation)}, which remembers its results"
        if not known.computes(operation):
            return f"a call of {known.describe(operation)}, which the compiler cannot look into"
        compared = self._compared(operation, args)
        if compared and not self._tell_apart(operation, args, compared):
            return f"{known.describe(operation)}, which tells objects from outside apart"
        if known.writes(operation):
            owner = (
                getattr(operation, "__self__", None) if not isinstance(operation, types.MethodDescriptorType) else None
            )
            if owner is None or isinstance(owner, types.ModuleType):
                owner = args[0] if args else None
            if type(owner) is types.CellType and id(owner) not in self.local_cells:
                return "a change of a variable outside"
            rebinds = operation in operations.IN_PLACE.values() and type(owner) not in (list, dict, set)
            if self.is_outside(owner) and not isinstance(owner, Tensor) and not rebinds:
                return f"a change of a {type(owner).__name__} from outside"
            if known.is_object(owner) and type(owner) is not types.CellType:
                return f"a method of {type(owner).__name__}"
        if operation in _MEMBERSHIP and type(args[1]) in known.CONTAINERS:
            values = tuple(v for v in (args[0], *args[1]) if not (known.is_object(v) and known.has_identity(type(v))))
        if not known.only_arranges(operation) and not known.is_transform(operation):
            if any(isinstance(value, BaseException) and self.is_outside(value) for value in values):
                # What the interpreter has raised says something else in each call.
                return f"{known.describe(operation)} of a value that the compiler does not know"
            if not all(map(self.natural, values)) or not self.natural(operation):
                return f"{known.describe(operation)} of an object of the program"
            functions = [v for v in values if isinstance(v, types.FunctionType)]
            if functions and (
                operation not in (hash, repr, str) or any(id(v) in self.local_functions for v in functions)
            ):
                return f"{known.describe(operation)} with a function of the program"
        elif known.is_among(operation, _LOOKS_INTO):
            is_by_key = operation in _OF_KEYS and isinstance(args[0], dict)
            for i, value in enumerate(args[: _LOOKS_INTO[operation]]):
                if i == _NAMED.get(operation):
                    continue
                for part in (value.start, value.stop, value.step) if type(value) is slice else (value,):
                    is_key = i == 1 and is_by_key and known.has_identity(type(part))
                    if known.has_methods(part) and not is_key:
                        return f"a method of {type(part).__name__}"
        for value in self._called_back(operation, args):
            return f"a method of {type(value).__name__}"
        return None

    def _called_back(self, operation: Callable, args: tuple) -> list[Any]:
        """The objects of the program whose methods a method of a container would call: to be walked over, or as keys."""
        owner = getattr(operation, "__self__", None)
        if type(owner) in (list, dict, set) and operation.__name__ in ("extend", "update"):
            return [value for value in args if known.is_object(value)]
        keys = args[:1] if type(owner) in (dict, set) else ()
        return [key for key in keys if known.is_object(key) and not known.has_identity(type(key))]

    def _compared(self, operation: Callable, args: tuple) -> list[Any]:
        """The objects from outside of which it matters which are the same: as keys, or where a container is searched."""
        owner = getattr(operation, "__self__", None)
        deep = known.is_among(operation, _EQUALITIES)
        if type(owner) in known.CONTAINERS:
            if type(owner) in (list, tuple) and operation.__name__ not in _SEARCHES:
                return []
            args = (owner, *args) if type(owner) is not dict else (owner, *args[:1])
        elif isinstance(operation, types.MethodDescriptorType) and operation.__objclass__ in known.CONTAINERS:
            if operation.__objclass__ in (list, tuple) and operation.__name__ not in _SEARCHES:
                return []
            args = args[:2]
        elif operation in (operator.getitem, operator.setitem, operator.delitem):
            if not isinstance(args[0], dict):
                return []
            args = args[:2]
        elif deep:
            args = tuple(a for a in args if not isinstance(a, Tensor))
        elif operation is operations.make_dict:
            args = tuple(args[0][::2])
        elif operation in (iter, list, tuple, Walk) and type(args[0]) in (set, frozenset):
            pass  # the order is that of addresses
        elif not known.is_among(operation, _COMPARING):
            return []
        found: list[Any] = []
        for value in args:
            self._collect_identities(value, deep, found)
        return found

    def _collect_identities(self, value: Any, deep: bool, found: list[Any], depth: int = 0) -> None:
        if type(value) in SIMPLE or depth > 20:
            return
        if isinstance(value, (tuple, list, set, frozenset, dict)):
            items = (*value, *value.values()) if isinstance(value, dict) and deep else value
            for item in items:
                self._collect_identities(item, deep, found, depth + 1)
        elif self.is_outside(value) and (isinstance(value, Tensor) or known.is_object(value)):
            for name in ("__eq__", "__hash__") if known.is_object(value) and known.has_identity(type(value)) else ():
                self.guard_without(type(value), name)
            found.append(value)
        elif known.is_object(value) and type(value).__hash__ is not object.__hash__:
            found.append(value)  # code of the program is called

    def _tell_apart(self, operation: Callable, args: tuple, compared: list[Any]) -> bool:
        """Let later calls see to it that the keys of dicts and sets are different objects; False where that is not all
        that matters: where objects have a `__hash__` or `__eq__` of their own, or come out in the order of addresses."""
        name = known.name_of(operation)
        owner = getattr(operation, "__self__", None)
        kind = operation.__objclass__ if isinstance(operation, types.MethodDescriptorType) else type(owner)
        is_key = operation in (operator.getitem, operator.setitem, operations.make_dict, *_MEMBERSHIP) or (
            kind in (dict, set) and name in ("__setitem__", "__getitem__", "__contains__", "get", "add", "setdefault")
        )
        if not is_key or not all(isinstance(x, Tensor) or known.has_identity(type(x)) for x in compared):
            return False
        if len(compared) + len(self.distinct) > _MOST_DISTINCT:
            return False
        held = owner if kind in (dict, set) and owner is not None else args[0]
        if operation in _MEMBERSHIP:
            held = args[1]
        if operation is not operations.make_dict and (self.is_outside(held) or not all(map(self._is_traced, held))):
            return False  # there may be objects in it of which nothing else is known
        if operation in _MEMBERSHIP and type(args[1]) in (list, tuple) and any(isinstance(x, Tensor) for x in compared):
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
        if isinstance(value, Tensor):
            return self.is_outside(value) or id(value) in self.tensors
        if isinstance(value, tuple):
            return all(map(self._is_traced, value))
        return self.is_outside(value) or not known.is_object(value)

    def _reason_to_set(self, operation: Callable, args: tuple) -> str | None:
        owner = args[0]
        if isinstance(owner, BaseException) and not self.is_outside(owner) and args[1] in _OF_EXCEPTIONS:
            return None
        if type(owner) is types.FunctionType and id(owner) in self.local_functions:
            return None
        refusing = "__setattr__" if operation is setattr else "__delattr__"
        if (
            operation in (setattr, delattr)
            and known.is_object(owner)
            and records.refuses_changes(type(owner), refusing)
        ):
            self.guard_class(type(owner), refusing)
            return None  # an error
        is_plain = isinstance(owner, Cell) and type(owner).__setattr__ is Cell.__setattr__
        if is_plain and operation is setattr and not isinstance(args[2], Parameter):
            held = owner.__dict__.get(args[1])
            if isinstance(held, Parameter) and isinstance(args[2], Tensor):
                self.getattr_plain(owner, args[1])
                return None
        if isinstance(owner, Cell) and operation is setattr and may_be_held(self, *args):
            return None
        is_elsewhere = self.is_outside(owner) or (is_operator(owner) and id(owner) not in self.own)
        if is_elsewhere or not known.is_object(owner) or isinstance(owner, Cell):
            return f"a change of an attribute of {known.name_of(owner) or type(owner).__name__}"
        is_raw = operation in (object.__setattr__, object.__delattr__)
        own = type(owner).__setattr__ if operation is setattr else type(owner).__delattr__
        if not (is_raw or known.sets_plainly(type(owner)) or own in (object.__setattr__, object.__delattr__)):
            return f"a setter of {type(owner).__name__}"
        if hasattr(type(class_attribute(type(owner), args[1])), "__set__"):
            return f"a setter of {type(owner).__name__}"
        return None

    def enters(self, function: types.FunctionType) -> bool:
        if not known.enters(function):
            return False
        try:
            code_of(function)
        except Unsupported:
            return False
        return True


def drained(operation: Callable, args: tuple) -> tuple:
    """Those of the arguments of a function of which it takes all items, before anything else happens."""
    if not known.is_among(operation, _DRAINING):
        return ()
    if operation is min or operation is max:
        return args if len(args) == 1 else ()
    return args[1:] if operation is operations.spread or operation is collections.defaultdict else args


def drain(value: Any, operation: Callable, args: tuple, to_list: Any) -> Drain:
    """What is raised to have the machine walk over one of the arguments first."""
    return Drain(value, first_, args[1] + 1) if operation is operations.unpack else Drain(value, to_list)


#: Functions that ask the class of a class, where it has a method for it.
#: Functions that do not iterate over what they get; and those that take all its items before anything else happens.
_BLIND = frozenset({
    isinstance, issubclass, type, iter, bool, callable, hash, repr, str, operator.is_, operator.is_not, operator.not_,
    operator.eq, operator.ne, setattr, operations.fill_cell,
})  # fmt: skip

_DRAINING = frozenset({
    list, tuple, tuple.__new__, set, frozenset, sorted, min, max, dict, operations.extend, operations.spread,
    operations.unpack, operations.unpack_rest, set.update, ParameterTuple, *KINDS,
})  # fmt: skip

_OF_KEYS = (operator.getitem, operator.setitem, operator.delitem)
#: Functions that arrange things and call methods of some of their arguments: of how many, from the first.
_LOOKS_INTO: dict[Any, int | None] = {
    **dict.fromkeys((
        len, list, tuple, iter, reversed, dict, next, operations.unpack, operations.unpack_rest,
        operations.values_of_keys, operations.rest_of_mapping, itertools.cycle,
    ), 1),
    **dict.fromkeys(_OF_KEYS, 2),
    **dict.fromkeys((
        enumerate, range, itertools.islice, itertools.count, itertools.repeat, zip, operations.extend, operations.spread,
        operations.merge, operations.merge_keywords, set.update, itertools.chain, itertools.product,
        itertools.zip_longest, *filter(None, [getattr(itertools, "pairwise", None)]),
    )),
}  # fmt: skip

#: The argument that is a function, for messages.
_NAMED = {operations.spread: 0, operations.merge_keywords: 2}

_MOST_DISTINCT = 32  #: objects that a piece tells apart: each is compared with each other

_MEMBERSHIP = (operations.OPERATIONS["in"], operations.OPERATIONS["not_in"])

#: Attributes that every exception has.
_OF_EXCEPTIONS = ("__cause__", "__context__", "__suppress_context__", "__traceback__")

_EQUALITIES = frozenset({operator.eq, operator.ne})

_SEARCHES = frozenset(["index", "count", "remove", "__contains__", "__eq__", "__ne__"])

_COMPARING = frozenset({
    operations.OPERATIONS["in"], operations.OPERATIONS["not_in"], operator.contains, operator.indexOf, operator.countOf,
    set, frozenset, dict, dict.fromkeys, hash, operations.values_of_keys, operations.merge, operations.make_set,
})  # fmt: skip
