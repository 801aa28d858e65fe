"""Changes of lists, dicts and sets from outside, method by method: what must be known of the container for the change to do
the same in each call, and to call nothing of the program.

Most methods do the same whatever a container holds (`append`, `clear`, `del values[1:3]`). Others need an answer to one
question, which later calls ask again: whether there is such an index, whether all items are numbers. Where the answer is
another one (an error, most often), Python does it.

A container all of which is known already (`Writes.looked`) answers by itself; what is put into it becomes known too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from anfora.graph.facts.known import is_plain_key
from anfora.graph.facts.origins import Origin
from anfora.graph.facts.table import ORDERS, WRITTEN, Fact, add, methods_of
from anfora.graph.machine import operations

__all__ = ["GONE", "QUESTIONS", "UNCHANGED", "Change"]

#: Instead of a result: nothing has been done, since it is not known what the method does.
UNCHANGED = object()
#: In the place of an item, or an attribute, that was deleted.
GONE = object()


class Change:
    """A call of a method that changes a container from outside.

    Args:
        recorder, machine: where the program is run.
        owner: the container.
        given: the other arguments.
    """

    def __init__(self, recorder: Any, machine: Any, owner: Any, given: tuple, kwargs: dict) -> None:
        self.recorder, self.machine, self.owner = recorder, machine, owner
        self.given, self.kwargs = given, kwargs
        self.origin: Origin = recorder.origins[id(owner)][1]
        self.is_known = id(owner) in recorder.looked
        self.is_whole = True  #: whether any item may be another one afterwards

    def run(self, fact: Fact | None) -> Any:
        """Do what a row is about, and write it down for the end of the piece; UNCHANGED if that must not be."""
        way = None if fact is None else _METHODS.get(fact)
        if way is None or len(self.given) not in way.counts or (self.kwargs and not way.takes_names):
            return UNCHANGED
        given = (*self.given, *self.kwargs.values())
        if not self.recorder.can_be_put_down((self.owner, *given)):
            return UNCHANGED
        if self.is_known and (not all(map(self.recorder.natural, given)) or any(map(self.recorder.opaque, given))):
            return UNCHANGED
        return way.method(self, *self.given)

    # -- what is asked ------------------------------------------------------------------------------------------------

    def is_so(self, question: Callable[..., bool], *more: Any, of: Any = None) -> bool:
        """The answer to a question about a container, which is the same in later calls.

        Args:
            question: a function of the container that calls nothing of the program.
            more: its other arguments.
            of: another container than the owner.
        """
        held = self.owner if of is None else of
        answer = question(held, *more)
        if self.recorder.is_outside(held) and id(held) not in self.recorder.looked:
            origin = self.recorder.derive(question, self.recorder.origins[id(held)][1], *more)
            self.recorder.guard("is", origin, answer)
        return answer

    def index(self, value: Any) -> int | None:
        """An index, on which the program depends."""
        value = self.recorder.force(value)
        return value if type(value) is int else None

    def items(self, value: Any, kinds: tuple[type, ...]) -> Any:
        """What the items are taken from that come in: a list of the program's as it is now, a container from outside
        itself, since all that changes it is done in order; UNCHANGED where it is of another kind."""
        if type(value) not in kinds:
            return UNCHANGED
        if type(value) not in (list, dict, set) or self.recorder.is_outside(value):
            return value
        return tuple(value) if type(value) is list else UNCHANGED

    # -- what is done -------------------------------------------------------------------------------------------------

    def do(self, operation: Callable, *args: Any) -> Any:
        """The change itself."""
        recorder = self.recorder
        if self.is_known:
            args = tuple(map(recorder.force, args))
            for value in args:
                recorder.look(value)
        reason = f"a change of a {type(self.owner).__name__} from outside"
        result = recorder.put_off(self.machine, operation, (self.owner, *args), reason)
        changed = recorder.overlay.changes(self.owner, self.origin)
        changed.is_whole = changed.is_whole or self.is_whole
        return result

    def fails(self, operation: Callable, *args: Any) -> Any:
        """A change that is an error, and changes nothing."""
        return self.machine.natively(operation, (self.owner, *map(self.recorder.force, args)), {})

    def note_item(self, key: Any, value: Any) -> None:
        """An item of a dict is another one now, and no other has changed."""
        self.recorder.overlay.changes(self.owner, self.origin).items[key] = value


class _Way(NamedTuple):
    """How a method of a container is done."""

    method: Callable[..., Any]  #: gets the change, and the arguments by place
    counts: range  #: how many of these there may be
    takes_names: bool = False  #: whether there may be others by name


def _plainly(operation: Callable) -> Callable[..., Any]:
    """What does the same whatever a container holds, and whatever it is given."""
    return lambda change, *given: change.do(operation, *given)


# -- lists ------------------------------------------------------------------------------------------------------------


def _insert(change: Change, place: Any, item: Any) -> Any:
    index = change.index(place)
    return UNCHANGED if index is None else change.do(list.insert, index, item)


def _extend(change: Change, more: Any) -> Any:
    items = change.items(more, _SEQUENCES)
    return UNCHANGED if items is UNCHANGED else change.do(list.extend, items)


def _in_place(method: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that gives the container back."""
    return lambda change, *given: UNCHANGED if method(change, *given) is UNCHANGED else change.owner


def _pop(change: Change, place: Any = -1) -> Any:
    index = change.index(place)
    if index is None:
        return UNCHANGED
    if not change.is_so(operations.has_index, index):
        return change.fails(list.pop, *change.given)
    item = change.recorder.item_of(change.owner, index)
    change.do(list.pop, index)
    return item


def _remove(change: Change, value: Any) -> Any:
    value = change.recorder.force(value)
    if not is_plain_key(value) or not change.is_so(is_plain):
        return UNCHANGED
    if not change.is_so(operations.holds, value):
        return change.fails(list.remove, value)
    return change.do(list.remove, value)


def _sort(change: Change) -> Any:
    reverse = change.recorder.force(change.kwargs.get("reverse", False))
    if not change.kwargs.keys() <= {"key", "reverse"} or change.kwargs.get("key") is not None:
        return UNCHANGED
    if type(reverse) not in (bool, int) or not change.is_so(is_sortable):
        return UNCHANGED
    return change.do(sort, bool(reverse))


def _set_item_of_list(change: Change, place: Any, value: Any) -> Any:
    if type(place) is slice:
        items = change.items(value, _SEQUENCES)
        parts = place.start, place.stop, place.step
        if items is UNCHANGED or not all(type(part) in (int, type(None)) for part in parts):
            return UNCHANGED
        if place.step not in (None, 1) and not _fits(change, items, parts):
            return UNCHANGED
        return change.do(operator.setitem, place, items)
    index = change.index(place)
    if index is None:
        return UNCHANGED
    if not change.is_so(operations.has_index, index):
        return change.fails(operator.setitem, index, None)
    return change.do(operator.setitem, index, value)


def _fits(change: Change, items: Any, parts: tuple) -> bool:
    """Whether there are as many items as places, where these do not stand side by side."""
    count = len(items)
    return change.is_so(_has_length, count, of=items) and change.is_so(has_places, *parts, count)


def _delete_item_of_list(change: Change, place: Any) -> Any:
    if type(place) is slice:
        parts = place.start, place.stop, place.step
        if not all(type(part) in (int, type(None)) for part in parts) or place.step == 0:
            return UNCHANGED
        return change.do(operator.delitem, place)
    index = change.index(place)
    if index is None:
        return UNCHANGED
    if not change.is_so(operations.has_index, index):
        return change.fails(operator.delitem, index)
    return change.do(operator.delitem, index)


def sort(items: list, reverse: bool) -> None:
    items.sort(reverse=reverse)


add(sort, WRITTEN | ORDERS, 0)


def is_sortable(items: list) -> bool:
    """Whether to sort a list calls nothing of the program, and does not fail."""
    kinds = set(map(type, items))
    if kinds <= {int, float, bool} or kinds == {str}:
        return True
    if not is_plain(items):
        return False
    try:
        sorted(items)
    except TypeError:
        return False
    return True


def has_places(items: list, start: int | None, stop: int | None, step: int | None, count: int) -> bool:
    """Whether a slice takes so many items."""
    return step != 0 and len(range(len(items))[start:stop:step]) == count


def _has_length(items: Any, count: int) -> bool:
    return len(items) == count


# -- dicts ------------------------------------------------------------------------------------------------------------


def _update(change: Change, *given: Any) -> Any:
    recorder = change.recorder
    more = given[0] if given else {}
    if type(more) is not dict:
        return UNCHANGED
    if change.is_known:
        recorder.look(more)
    if not change.is_so(is_plain, of=more):
        return UNCHANGED
    named = {key: recorder.force(value) for key, value in change.kwargs.items()}
    if recorder.is_outside(more):
        return change.do(update, more, tuple(named), tuple(named.values()))
    items = {**more, **named}
    change.is_whole = False
    change.do(update, None, tuple(items), tuple(items.values()))
    for key, value in items.items():
        change.note_item(key, value)
    return None


def update(table: dict, more: dict | None, keys: tuple, values: tuple) -> None:
    if more is not None:
        table.update(more)
    table.update(zip(keys, values))


def _of_key(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose first argument is a key, on which the program depends."""

    def run(change: Change, key: Any, *given: Any) -> Any:
        key = change.recorder.force(key)
        return method(change, key, *given) if is_plain_key(key) else UNCHANGED

    return run


@_of_key
def _set_item_of_dict(change: Change, key: Any, value: Any) -> None:
    change.is_whole = False
    change.do(operator.setitem, key, value)
    change.note_item(key, value)


@_of_key
def _delete_item_of_dict(change: Change, key: Any) -> Any:
    if not change.recorder.has_key(change.owner, key):
        return change.fails(operator.delitem, key)
    _take_out(change, key)
    return None


@_of_key
def _pop_of_dict(change: Change, key: Any, *default: Any) -> Any:
    if not change.recorder.has_key(change.owner, key):
        return default[0] if default else change.fails(dict.pop, key)
    item = change.recorder.item_of(change.owner, key)
    _take_out(change, key)
    return item


def _take_out(change: Change, key: Any) -> None:
    change.is_whole = False
    change.do(operator.delitem, key)
    change.note_item(key, GONE)


@_of_key
def _setdefault(change: Change, key: Any, value: Any = None) -> Any:
    if change.recorder.has_key(change.owner, key):
        return change.recorder.item_of(change.owner, key)
    _set_item_of_dict(change, key, value)
    return value


# -- sets -------------------------------------------------------------------------------------------------------------


@_of_key
def _remove_member(change: Change, value: Any) -> Any:
    if not change.is_so(operations.holds, value):
        return change.fails(set.remove, value)
    return change.do(set.remove, value)


def _add_all(change: Change, more: Any) -> Any:
    items = change.items(more, (list, tuple, dict, set, frozenset))
    if items is UNCHANGED or not change.is_so(is_plain, of=items):
        return UNCHANGED
    return change.do(set.update, items)


def _unite(change: Change, more: Any) -> Any:
    return _add_all(change, more) if type(more) in (set, frozenset) else UNCHANGED


def is_plain(items: Any) -> bool:
    """Whether to compare the items of a list, or the keys of a dict or set, calls nothing of the program."""
    return all(map(is_plain_key, items))


#: Functions of a container, and of other things, that `is_so` asks.
QUESTIONS: frozenset[Any] = frozenset({
    operations.has_index, is_plain, is_sortable, has_places, _has_length,
})  # fmt: skip

_SEQUENCES = (list, tuple, str, range)
_NONE, _ONE, _TWO, _UP_TO_ONE, _UP_TO_TWO = range(1), range(1, 2), range(2, 3), range(2), range(1, 3)
_NAMED: dict[type, dict[str, _Way]] = {
    list: {
        "append": _Way(_plainly(list.append), _ONE), "insert": _Way(_insert, _TWO), "extend": _Way(_extend, _ONE),
        "__iadd__": _Way(_in_place(_extend), _ONE), "pop": _Way(_pop, _UP_TO_ONE), "remove": _Way(_remove, _ONE),
        "sort": _Way(_sort, _NONE, True), "reverse": _Way(_plainly(list.reverse), _NONE),
        "clear": _Way(_plainly(list.clear), _NONE), "__setitem__": _Way(_set_item_of_list, _TWO),
        "__delitem__": _Way(_delete_item_of_list, _ONE),
    },
    dict: {
        "update": _Way(_update, _UP_TO_ONE, True), "__ior__": _Way(_in_place(_update), _ONE),
        "clear": _Way(_plainly(dict.clear), _NONE), "__setitem__": _Way(_set_item_of_dict, _TWO),
        "__delitem__": _Way(_delete_item_of_dict, _ONE), "pop": _Way(_pop_of_dict, _UP_TO_TWO),
        "setdefault": _Way(_setdefault, _UP_TO_TWO),
    },
    set: {
        "add": _Way(_of_key(_plainly(set.add)), _ONE), "discard": _Way(_of_key(_plainly(set.discard)), _ONE),
        "remove": _Way(_remove_member, _ONE), "clear": _Way(_plainly(set.clear), _NONE),
        "update": _Way(_add_all, _ONE), "__ior__": _Way(_in_place(_unite), _ONE),
    },
}  # fmt: skip
_METHODS = {methods_of(kind)[name]: way for kind, named in _NAMED.items() for name, way in named.items()}
