"""Changes of what is outside, put off to the end of their piece.

    self.steps += 1              y = f(x)                    guards, operators         natively
    y = f(x)            as       self.steps += 1     so      self.steps = …            by Python, and no hop
    self.seen.append(y)          self.seen.append(y)         self.seen.append(…)

A write of which is known beforehand what it does (an attribute of a plain object, a Cell, a class or a module, methods of
containers, a variable around the function, and what deletes them) need not end the piece: between it and the end there is
nothing but operators, which nobody sees. So it is done at the end, in order with the others, with the objects that the
program has put into what it wrote.

**What is read behind a write.** What has just been written is known by itself: see overlay.py.

**What could fail.** An operator that may raise, behind a write, would leave the write undone: the piece ends in front of
it.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anfora.core.cell import Cell
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.graph.facts import known
from anfora.graph.facts.classes import class_attribute, defines, is_set_through
from anfora.graph.facts.containers import GONE, UNCHANGED, Change
from anfora.graph.facts.drops import dropped, drops_plainly, is_finished, place_of
from anfora.graph.facts.kinds import is_a, module_of, name_of_module
from anfora.graph.facts.known import SIMPLE, is_plain_key
from anfora.graph.facts.origins import Origin
from anfora.graph.facts.table import EQUALS, ORDERS, Fact, fact_of, method_fact, resolved
from anfora.graph.machine import operations
from anfora.graph.machine.frames import Frame
from anfora.graph.machine.generators import Generator
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.operations import is_of_python
from anfora.graph.machine.places import Location, do_late
from anfora.graph.machine.requests import Pause
from anfora.graph.machine.walks import Walk
from anfora.graph.polyfill.special import called_to_set
from anfora.graph.record.attributes import Attributes
from anfora.graph.record.overlay import UNKNOWN
from anfora.graph.state.images import Image, NoImage, build, builder
from anfora.graph.state.moments import Escaped, Live, Piece

__all__ = ["Write", "Writes", "Written", "leave_block", "set_gradients"]


class Write(NamedTuple):
    """A write that has been done in the first run, and is done at the end of the piece in later ones."""

    operation: Any
    args: tuple
    place: Any  #: see `Machine.place`
    reason: str
    is_node: bool = False  #: whether it leaves something on the tape, and changes nothing else


class Written:
    """The writes of a piece, as an image over what is alive at its end.

    Args:
        writes: what was done.
        live: the values at the end of the piece. What the writes have put somewhere is from outside for what follows: to be
            made before anything else is looked up in `live`.
    """

    def __init__(self, recorder: Writes, live: Live) -> None:
        self.writes = recorder.piece.writes
        self.blocks = len(recorder.piece.cuts)  #: behind what is alive stand functions that leave them on the tape
        self._live = live
        imager, calls = Live(recorder).imager(), self._calls()
        imager.image(calls)
        ours = {id(calls), *map(id, calls), *(id(args) for _, args in calls)}
        made = enumerate(imager.made)
        live.kept = {id(value): (value, number) for number, value in made if id(value) not in ours}

    def _calls(self) -> tuple:
        return tuple((write.operation, write.args) for write in self.writes)

    def finish(self, recorder: Writes) -> None:
        """The rest of what is alive has been looked up: now for what the writes need."""
        live = self._live
        imager = recorder.imager(lambda value: None if id(value) in live.kept else live.slot(value))
        self.image: Image = imager.image(self._calls())
        self._places = [None if _is_silent(write) else _at(write) for write in self.writes]
        #: slot of what was made -> its number among what the image makes
        self.kept = {i: origin.key for i, origin in enumerate(live.origins) if origin.kind == "kept"}
        self._build = None if self.kept else builder(self.image)
        live.kept = {}  # the program may drop it from here on

    def release(self, piece: Piece, alive: int | None) -> None:
        """The piece has ended: hold nothing of the first run.

        Args:
            alive: how many values are alive behind the writes; None where what only these need may stay among them.
        """
        self._alive = alive
        del self._live
        piece.writes = self.writes = [write._replace(operation=None, args=()) for write in self.writes]

    def do(self, live: list[Any]) -> None:
        """Do what was written down."""
        if self._build is not None:
            calls = self._build(live)
        else:
            made: list[Any] = []
            calls = build(self.image, live, made)
            for slot, number in self.kept.items():
                live[slot] = made[number]
        for place, (operation, args) in zip(self._places, calls):
            if place is None:
                operation(*args)
            elif operation is leave_block:
                live[len(live) - self.blocks + args[0]]()
            else:
                do_late(place, operation, args)
        if self._alive is not None:
            del live[self._alive :]


def _at(write: Write) -> Location:
    code, position, scope = write.place
    return Location(code, position, scope, dict)


def _is_silent(write: Write) -> bool:
    """Whether a write cannot fail, and calls nothing that would look for its place in the program: it only puts something
    into a dict or a list."""
    owner = write.args[0] if write.args else None
    if write.operation is setattr:
        return known.is_object(owner) and known.sets_plainly(type(owner))
    if write.operation is operator.setitem:
        return type(owner) is dict and is_plain_key(write.args[1])
    return write.operation is list.append


class Writes(Attributes):
    """Puts off changes of what is outside."""

    def begin(self, origins: dict[int, tuple[Any, Origin]]) -> None:
        super().begin(origins)
        #: How many operators and draws there were before what Python is doing now.
        self.began: tuple[int, int] | None = None

    def written(self, live: Live) -> Written | None:
        """What the piece writes at its end, with what is alive there."""
        return Written(self, live) if self.piece.writes else None

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict) -> Any:
        """Do a change of what is outside, and write it down for the end of the piece; UNKNOWN, and nothing has been done,
        if that must not be."""
        if self.given is not None or not self.keeper.puts_writes_off():
            return UNKNOWN
        if not known.writes(operation):
            return UNKNOWN
        fact, given = resolved(operation, args)
        owner: Any = given[0] if given else None
        if type(owner) in (list, dict, set) and self.is_outside(owner):
            return self._change(machine, fact, owner, given[1:], kwargs)
        if kwargs:
            return UNKNOWN
        if fact is not None and fact.puts == "attribute" and len(args) == len(fact.takes):
            return (self._set_attribute if len(args) == 3 else self._delete_attribute)(machine, operation, *args)
        if operation is operations.fill_cell:
            return self._fill_cell(machine, *args)
        if operation is operations.delete_global:
            return self._delete_global(machine, *args)
        if operation is operations.set_global:
            function, name, value = args
            scope = function.__globals__
            if type(scope) is not dict:
                return UNKNOWN
            return self._set_item(machine, operation, args, scope, self.origin("known", scope), name, value)
        if type(owner) is tuple and fact is not None and fact.puts == "item" and not self.opaque(owner):
            return machine.natively(operation, args, {})  # an error
        return UNKNOWN

    def _set_attribute(self, machine: Machine, operation: Callable, owner: Any, name: Any, value: Any) -> Any:
        name = self.force(name)
        is_raw = operation is not setattr
        if type(name) is not str or self.opaque(owner) or not self._is_plainly_set(owner, name, value, is_raw):
            return UNKNOWN
        if not self.can_be_put_down((owner, value)):
            return UNKNOWN
        origin = self.origin_of_value(owner)
        if is_a(owner, Cell) and is_a(value, Tensor) and self.overlay.attribute(owner, name) is UNKNOWN:
            # A Cell writes a tensor into a Parameter of that name, so what stands there must be as it is now.
            if is_a(owner.__dict__.get(name), Parameter):
                return UNKNOWN
            if name in owner.__dict__:
                self.getattr_plain(owner, name)
            else:
                self._guard_absence(owner, name)
        for held in self.looked.values():
            if held is operations.dict_of(owner):
                value = self.force(value)
            elif type(held) is dict:
                self.guard("not same", self.origins[id(held)][1], Origin("number", operations.dict_of, (origin,)))
        self.put_off(machine, operation, (owner, name, value), f"a change of an attribute of {_name(owner)}")
        self.overlay.note_attribute(name, origin, owner, value)
        return None

    def _delete_attribute(self, machine: Machine, operation: Callable, owner: Any, name: Any) -> Any:
        name = self.force(name)
        is_raw = operation is not delattr
        if type(name) is not str or self.opaque(owner) or not self._is_plainly_set(owner, name, None, is_raw):
            return UNKNOWN
        if not is_raw and type(owner).__delattr__ not in (object.__delattr__, type.__delattr__, _of_module):
            return UNKNOWN
        if is_a(owner, Cell) or any(type(held) is dict for held in self.looked.values()):
            return UNKNOWN
        if is_a(class_attribute(type(owner), name), types.MemberDescriptorType):
            return UNKNOWN
        origin = self.origin_of_value(owner)
        is_there = operations.has_own(owner, name)
        if self.overlay.attribute(owner, name) is UNKNOWN:
            self.guard("is", self.derive(operations.has_own, origin, name), is_there)
        if not is_there:
            return machine.natively(operation, (owner, name), {})  # an error
        self.put_off(machine, operation, (owner, name), f"a change of an attribute of {_name(owner)}")
        self.overlay.note_attribute(name, origin, owner, GONE)
        return None

    def _is_plainly_set(self, owner: Any, name: str, value: Any, is_raw: bool) -> bool:
        """Whether to set an attribute from outside puts a value into the dict of its owner, or a slot, and no more.

        Args:
            is_raw: it is done by `object.__setattr__`.
        """
        kind = type(owner)
        if is_raw and (not known.is_object(owner) or is_a(owner, (Cell, type, types.FunctionType))):
            return False
        if is_a(owner, type):
            return _is_put_into_class(owner, name, value)
        if kind is types.ModuleType:
            module = name_of_module(owner)
            return not (module in ("builtins", "sys") or _is_special(name) or _is_of_ours(module))
        is_function = is_a(owner, types.FunctionType) or known.is_compiled(owner)
        is_function = is_function and id(owner) not in self.local_functions
        if not is_function and not (self.is_outside(owner) and known.is_object(owner)):
            return False
        if is_a(owner, Cell):
            if kind.__setattr__ is not Cell.__setattr__ or is_a(value, (Parameter, Cell)):
                return False
        elif not known.sets_plainly(kind) and not is_raw:
            return False
        static = class_attribute(kind, name)
        if is_a(static, types.MemberDescriptorType):
            return not is_a(owner, Cell) and not is_function
        self.guard("is", self.derive(called_to_set, self.origin("known", kind), name), called_to_set(kind, name))
        self.guard_describing(static)
        return not is_set_through(static) and operations.dict_of(owner) is not None

    def _fill_cell(self, machine: Machine, cell: types.CellType, value: Any) -> Any:
        if id(cell) in self.local_cells or not self.can_be_put_down((cell, value)):
            return UNKNOWN
        origin = self.origin_of_value(cell)
        self.put_off(machine, operations.fill_cell, (cell, value), "a change of a variable outside")
        self.overlay.note_attribute("cell_contents", origin, cell, value)
        return None

    def _set_item(
        self, machine: Machine, operation: Callable, args: tuple, owner: dict, origin: Origin, key: Any, value: Any
    ) -> Any:
        if not is_plain_key(key) or _is_of_object(origin) or not self.can_be_put_down((value,)):
            return UNKNOWN
        self.put_off(machine, operation, args, f"a change of a {type(owner).__name__} from outside")
        self.overlay.changes(owner, origin).items[key] = value
        return None

    def _delete_global(self, machine: Machine, function: types.FunctionType, name: str) -> Any:
        scope = function.__globals__
        if type(scope) is not dict:
            return UNKNOWN
        self.put_off(machine, operations.delete_global, (function, name), "a change of a dict from outside")
        self.overlay.changes(scope, self.origin("known", scope)).items[name] = GONE
        return None

    def _change(self, machine: Machine, fact: Fact | None, owner: Any, given: tuple, kwargs: dict) -> Any:
        origin = self.origins[id(owner)][1]
        if not _finds_plainly(owner):
            return UNKNOWN
        if not _is_of_object(origin):
            result = Change(self, machine, owner, given, kwargs).run(fact)
            return UNKNOWN if result is UNCHANGED else result
        if fact is _SET_ITEM and len(given) == 2 and not kwargs:
            return self._set_in_dict(machine, operator.setitem, (owner, self.force(given[0]), given[1]), origin)
        return UNKNOWN

    def _set_in_dict(self, machine: Machine, operation: Callable, args: tuple, origin: Origin) -> Any:
        """An attribute that is written through the dict of its object."""
        table, name, value = args
        owner = next((held for held, found in self.origins.values() if found is origin.base), None)
        if type(name) is not str or type(value) not in SIMPLE or operations.dict_of(owner) is not table:
            return UNKNOWN
        self.put_off(machine, operation, args, f"a change of an attribute of {_name(owner)}")
        self.overlay.changes(table, origin).items[name] = value
        self.overlay.note_attribute(name, origin.base, owner, value)
        return None

    def put_off(self, machine: Machine, operation: Callable, args: tuple, reason: str) -> Any:
        fact, given = resolved(operation, args)
        if fact is not None and any(use & (EQUALS | ORDERS) for use, _ in fact.uses(given)):
            args = self.known(args)
        is_plain, is_last = self._drops(operation, args)
        if is_last:
            args = tuple(map(self.force, args))
            self.keeper.give_up(
                "what it takes away does something when it is dropped, and only Python knows when", machine
            )
            self.leave(machine)
            return machine.natively(operation, args, {})
        before, self.lent = self.lent, []
        seen = tuple(map(self.shown_outside, args))
        more, self.lent = self.lent, before  # nobody looks into what is shown now
        try:
            result = machine.natively(operation, seen, {})
        finally:
            self.lent += more
        self.piece.writes.append(Write(operation, args, machine.place, reason))
        if not is_plain and not self.is_unkept:
            self.ends_behind = self.pending = True
        return result

    def _drops(self, operation: Callable, args: tuple) -> tuple[bool, bool]:
        """What a write lets go of: whether nobody notices that, now and in later calls; and whether somebody would, and the
        program may still hold it, so that it is dropped at another moment."""
        place = place_of(operation, args)
        if place is None:
            return True, False
        owner, kind = args[0], place[0]
        if operation is operations.set_global or operation is operations.delete_global:
            owner = owner.__globals__
        is_put = kind in ("attribute", "item", "variable") and self.is_outside(args[-1])
        if is_put and any(args[-1] is value for value in dropped(owner, *place)):
            return True, False  # `box.items += more` puts the same list back
        if not drops_plainly(owner, *place):
            is_held = any(id(value) in self.origins and is_finished(value) for value in dropped(owner, *place))
            return False, is_held
        if id(owner) in self.looked and all(type(value) in SIMPLE for value in dropped(owner, *place)):
            return True, False  # of which later calls see to it that it holds the same
        if not self.overlay.is_written(owner, *place):
            self.note_guard("is", self.derive(drops_plainly, self.origin_of_value(owner), *place), True)
        return True, False

    def can_be_put_down(self, values: tuple) -> bool:
        """Whether there is an image of what is written, with nothing in it that goes on by itself."""
        try:
            imager = Live(self).imager()
            imager.image(values)
        except (NoImage, Escaped):
            return False
        return not any(is_a(made, (Generator, Frame, Walk)) or defines(type(made), "__next__") for made in imager.made)

    # -- reading behind a write ---------------------------------------------------------------------------------------

    def has_key(self, owner: dict, key: Any) -> bool:
        """Whether a dict from outside has an item, now and in later calls."""
        if id(owner) in self.looked:
            return key in owner
        return self._read_item(_MEMBERSHIP[0], (key, owner), owner, key)

    def item_of(self, owner: Any, key: Any) -> Any:
        """An item that is there, of a list or dict from outside."""
        if id(owner) in self.looked:
            return owner[key]
        return self._read_item(operator.getitem, (owner, key), owner, key)

    def read_item(self, operation: Callable, args: tuple) -> Any:
        """An item of a container from outside, of which nothing else is asked; UNKNOWN if that is not what it is."""
        owner: Any = args[0] if args else None
        if operation is len and len(args) == 1 and type(owner) in (dict, list, set):
            if id(owner) in self.looked or not self.is_outside(owner) or self.given is not None:
                return UNKNOWN
            origin = self.origins[id(owner)][1]
            self.overlay.note_look("length", origin, None)
            name = ("number", id(len), id(origin))
            count = self.derived.setdefault(name, Origin("number", len, (origin,)))
            return self.register(len(owner), count)  # type: ignore[arg-type]
        if operation is operator.getitem and type(owner) in (dict, list, tuple) and len(args) == 2:
            key = args[1]
        elif fact_of(operation) is _GET and known.is_bound(operation) and 0 < len(args) < 3:
            owner, key = operation.__self__, args[0]
        elif known.is_among(operation, _MEMBERSHIP) and type(args[1]) in (dict, set, frozenset):
            key, owner = args
        else:
            return UNKNOWN
        if not self.is_outside(owner) or id(owner) in self.looked or self.given is not None:
            return UNKNOWN
        key = self.force(key)
        if type(key) is not int if type(owner) in (list, tuple) else not is_plain_key(key):
            return UNKNOWN
        if self.opaque(owner) if type(owner) in (set, frozenset) else not _finds_plainly(owner):
            return UNKNOWN
        if _is_of_object(self.origins[id(owner)][1]):
            return UNKNOWN
        return self._read_item(operation, args, owner, key)

    def _read_item(self, operation: Callable, args: tuple, owner: Any, key: Any) -> Any:
        origin = self.origins[id(owner)][1]
        is_list = type(owner) in (list, tuple)
        written = UNKNOWN if is_list else self.overlay.item(owner, origin, key)
        is_there = written is not UNKNOWN or (-len(owner) <= key < len(owner) if is_list else key in owner)
        is_question = known.is_among(operation, _MEMBERSHIP)
        if is_question or not is_there:
            if operation is operator.getitem:
                return UNKNOWN  # an error
            if written is UNKNOWN:
                self.guard("is", Origin("number", operations.holds, (origin, key)), is_there)
            if is_question:
                return is_there is (operation is operations.OPERATIONS["in"])
            return args[1] if len(args) > 1 else None
        if written is not UNKNOWN:
            return written
        return self.register(owner[key], self.origin("item", key, origin))

    # -- ending a piece -----------------------------------------------------------------------------------------------

    def start_anew(self, what: str) -> None:
        """What comes must not stand behind what the piece holds already: the piece ends in front of the instruction, or,
        where that has had effects by now, the interpreter does it."""
        calls, draws = self.began or (0, 0)
        done = self.piece.calls[calls:]
        if len(self.piece.draws) > draws or any(call.entry.op.writes is not None for call in done):
            self.touched = what
        else:
            raise Pause

    def pause(self, machine: Machine) -> None:
        """The present instruction starts a piece of its own."""
        if self.is_unkept:
            self._begin_unkept()
            return
        if self.began is not None:
            self.forget_from(*self.began)
        self.put_down(machine, lambda: self.keeper.join(self, machine))

    def put_down(self, machine: Machine, make: Callable[[], Any]) -> Any:
        """What is made of the present moment; None, and no more is kept, if that cannot be written down."""
        whole = self.whole(machine)
        if whole is not None:  # what a tape holds, say, cannot be put down: from now on the interpreter does all of it
            self.keeper.divide([whole])
            self.stop_keeping(machine, [whole])
            return None
        try:
            return make()
        except Escaped as escaped:
            self.stop_keeping(machine, self.note_escape(escaped))
        except NoImage as trouble:
            self.keeper.give_up(f"{trouble} is alive where the interpreter is needed", machine)
            self.leave(machine)
        return None

    def whole(self, machine: Machine) -> Any:
        """The outermost of the calls that are going on inside of which no piece can end: gradients, and others."""
        found = [frame.whole for below in machine.chain() for frame in below.frames if frame.whole is not None]
        if found:  # those are noted where no gradient is around them
            return found[0]
        return self.region[0] if self.region else None

    def note_escape(self, escaped: Escaped) -> list[tuple]:
        """A tensor has left a gradient with the history that it has in there: the interpreter takes that from now on.
        Gives the calls of gradient functions that this is about."""
        calls = self.piece.gradients if escaped.calls is None else escaped.calls
        self.keeper.divide(calls)
        return calls

    # -- what the layer above does ------------------------------------------------------------------------------------

    def leave(self, machine: Machine) -> None:
        """Record no more: the run goes on as Python's would."""
        raise NotImplementedError

    def stop_keeping(self, machine: Machine, calls: Sequence[tuple] = (), for_good: bool = False) -> None:
        """The same, but where the program refuses what the interpreter does."""
        raise NotImplementedError

    def _begin_unkept(self) -> None:
        """Start a piece of which nothing is kept."""
        raise NotImplementedError


def leave_block(number: int) -> None:
    """Leave on the tape what operators behind a node that calls Python have computed: see `Written.do`."""


def set_gradients(tensors: tuple, gradients: tuple) -> None:
    """Put gradients into `.grad` of tensors."""
    for tensor, gradient in zip(tensors, gradients):
        tensor.grad = gradient


def _is_put_into_class(owner: type, name: str, value: Any) -> bool:
    """Whether to set an attribute of a class puts a value into its dict, and no more."""
    kind = type(owner)
    is_ordinary = kind.__setattr__ is type.__setattr__ and is_of_python(owner)
    if not is_ordinary or _is_of_ours(module_of(owner)) or class_attribute(kind, name) is not None:
        return False
    held = (class_attribute(owner, name), value)
    return not _is_special(name) and not any(defines(type(each), "__get__") for each in held)


def _is_of_object(origin: Origin) -> bool:
    """Whether it is the dict of an object, whose items are attributes."""
    return origin.kind == "attr" and origin.key in ("__dict__", "__globals__")


def _finds_plainly(owner: Any) -> bool:
    """Whether nothing of the program is called where an item of a container is looked for."""
    return type(owner) in (list, tuple) or known.are_compared_plainly(owner)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_of_ours(module: str) -> bool:
    return module == "anfora" or module.startswith("anfora.")


def _name(owner: Any) -> str:
    return known.name_of(owner) or type(owner).__name__


_GET, _SET_ITEM = method_fact(dict, "get"), method_fact(dict, "__setitem__")
_of_module = types.ModuleType.__delattr__
_MEMBERSHIP = (operations.OPERATIONS["in"], operations.OPERATIONS["not_in"])
