"""What a piece has changed of what is outside, and what is read behind that.

A part of the recorder, and another one for each piece. Guards and origins look at things as they are where the piece
starts. What has just been written is therefore known by itself; where anything else is read that may have been changed by
a write, the piece ends there (`Pause`), and the next one finds what was written; so it does where something is read that
was deleted, or an attribute of that name after one of a class was written. A read from another object is one from another
object in each later call too: a guard says so.
"""

from __future__ import annotations

from typing import Any, Protocol

from anfora.graph.facts import known
from anfora.graph.facts.classes import class_attribute
from anfora.graph.facts.containers import GONE, QUESTIONS
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.known import is_plain_key
from anfora.graph.facts.origins import Origin
from anfora.graph.machine import operations
from anfora.graph.machine.requests import Pause

__all__ = ["UNKNOWN", "Overlay"]

#: In the place of a value of which nothing is known, since there may be none.
UNKNOWN = object()


class Driver(Protocol):
    """What is asked of the recorder."""

    origins: dict[int, tuple[Any, Origin]]
    looked: dict[int, Any]

    def guard(self, kind: str, origin: Origin, payload: Any = None) -> None: ...
    def note_guard(self, kind: str, origin: Origin, payload: Any = None) -> None: ...
    def make_origin(self, kind: str, key: Any, base: Any = None) -> Origin: ...
    def origin_of_value(self, value: Any) -> Origin: ...


class Changed:
    """A container that was written to in the piece."""

    def __init__(self, value: Any, origin: Origin) -> None:
        self.value, self.origin = value, origin
        self.items: dict[Any, Any] = {}  #: of a dict, those that were written, if nothing else was done to it
        self.is_whole = type(value) is not dict  #: whether any read may find something else

    def touches(self, key: Any) -> bool:
        """Whether an item may be another one now."""
        return self.is_whole or not is_plain_key(key) or key in self.items


class Overlay:
    """What has been written in one piece.

    Args:
        recorder: what records the piece.

    Attributes:
        is_any: whether anything has been.
    """

    def __init__(self, recorder: Driver) -> None:
        self.recorder = recorder
        self.is_any = False
        #: attributes that were written: by name, the owner's origin, the owner and the value
        self._named: dict[str, dict[int, tuple[Origin, Any, Any]]] = {}
        self._changed: dict[int, Changed] = {}  #: containers that were written to, by the identity of their origins

    def note_attribute(self, name: str, origin: Origin, owner: Any, value: Any) -> None:
        """An attribute of an object has been written, or deleted: its value is GONE then."""
        self.is_any = True
        owners = self._named.setdefault(name, {})
        owners.pop(id(origin), None)  # the last that was written comes last
        owners[id(origin)] = origin, owner, value

    def note_asked(self, kind: str, origin: Origin, payload: Any) -> None:
        """Told of a guard, before it is noted."""
        if kind in ("length", "keys", "no key") or (kind == "equal" and type(payload) in (set, frozenset)):
            self.note_look(kind, origin, payload)
        elif origin.kind == "number" and origin.base:
            self.note_question(origin.key, *origin.base)

    def attribute(self, owner: Any, name: str) -> Any:
        """What the program finds as an attribute that it has written; UNKNOWN if it has not. What has been written behind
        that was written elsewhere, in later calls too."""
        behind: list[tuple[Origin, Any]] = []
        for origin, other, value in reversed(self._named.get(name, {}).values()):
            if other is not owner:
                if _share_a_dict(other, owner):
                    raise Pause
                behind.append((origin, other))
                continue
            if value is GONE:
                raise Pause
            for written, another in behind:
                self._tell_apart_from(origin, written, another)
            for changed in self._changed.values():
                if type(changed.value) is dict and changed.touches(name):
                    self._tell_apart_from(self._dict_of(origin), changed.origin, changed.value)
            return value
        return UNKNOWN

    def item(self, owner: Any, origin: Origin, key: Any) -> Any:
        """The same of an item of a dict, which has been found there."""
        for changed in self._changed.values():
            if changed.value is owner and key in changed.items and not changed.is_whole:
                if changed.items[key] is GONE:
                    raise Pause
                if changed.origin is not origin:
                    self.recorder.note_guard("same", origin, changed.origin)
                for other in self._changed.values():
                    if other is not changed and type(other.value) is dict and other.touches(key):
                        self._tell_apart_from(changed.origin, other.origin, other.value)
                self._tell_apart_from_objects(changed.origin, key)
                return changed.items[key]
        return UNKNOWN

    def changes(self, owner: Any, origin: Origin) -> Changed:
        """The note on a container that is being written to."""
        self.is_any = True
        # Those of which all is known are read without being looked at again.
        for other in self.recorder.looked.values():
            if type(other) is type(owner) and other is not owner:
                self.recorder.guard("not same", origin, self.recorder.origins[id(other)][1])
        changed = self._changed.get(id(origin))
        if changed is None:
            if any(other.value is owner for other in self._changed.values()):  # it has been found in another place
                raise Pause
            changed = self._changed[id(origin)] = Changed(owner, origin)
        return changed

    def is_written(self, owner: Any, kind: str, *where: Any) -> bool:
        """Whether a place has been written to in the piece."""
        if kind in ("attribute", "variable"):
            name = where[0] if kind == "attribute" else "cell_contents"
            return any(other is owner for _, other, _ in self._named.get(name, {}).values())
        changed = self._changed.get(id(self.recorder.origin_of_value(owner)))
        if changed is None:
            return False
        is_written = not changed.is_whole and all(key in changed.items for key in where)
        if not is_written and (changed.is_whole or kind == "all"):
            raise Pause
        return is_written

    def note_question(self, question: Any, base: Any, *more: Any) -> None:
        """Something is asked of a value from outside."""
        if question in (hasattr, operations.has_own, class_attribute):
            self.note_read("attr", more[0], base)
        elif question is operations.is_filled:
            self.note_read("attr", "cell_contents", base)
        elif question is operations.holds:
            self.note_read("item", more[0], base)
        elif known.is_among(question, QUESTIONS):
            self.note_look("length", base, None)

    def note_read(self, kind: str, key: Any, base: Origin) -> None:
        """An attribute or item is read that was not written in this piece, if its owner is another one than those that
        were changed: see to it that it is one in later calls too."""
        if kind in ("attr", "method"):
            for name, owners in self._named.items():
                if key in (name, "__dict__"):
                    reader = self._value_at(base)
                    for other, owner, _ in owners.values():
                        if is_a(owner, type) or _share_a_dict(owner, reader):
                            raise Pause  # its objects and subclasses, or those with its dict, have that attribute too
                        self._tell_apart_from(base, other, owner)
            for changed in self._changed.values():  # the variables of an object or module are its attributes
                if key == "__dict__" or (type(changed.value) is dict and changed.touches(key)):
                    self._tell_apart_from(self._dict_of(base), changed.origin, changed.value)
        elif kind == "item":
            for changed in self._changed.values():
                if changed.touches(key):
                    self._tell_apart_from(base, changed.origin, changed.value)
            self._tell_apart_from_objects(base, key)

    def note_look(self, kind: str, origin: Origin, payload: Any) -> None:
        """A container is read as a whole; or, `no key`, it has no such item."""
        for changed in self._changed.values():
            if kind != "no key" or changed.touches(payload):
                self._tell_apart_from(origin, changed.origin, changed.value)
        for name, owners in self._named.items():
            if kind == "keys" or (kind == "no key" and payload == name):
                for other, owner, _ in owners.values():
                    self._tell_apart_from(origin, self._dict_of(other), operations.dict_of(owner))

    def _tell_apart_from_objects(self, table: Origin, key: Any) -> None:
        """A dict is none in which an attribute lies that was written."""
        for other, owner, _ in self._named.get(key, {}).values() if type(key) is str else ():
            self._tell_apart_from(table, self._dict_of(other), operations.dict_of(owner))

    def _value_at(self, origin: Origin) -> Any:
        """What has been found there; None where that is not known."""
        if origin.kind == "known":
            return origin.key
        return next((value for value, found in self.recorder.origins.values() if found is origin), None)

    def _dict_of(self, origin: Origin) -> Origin:
        if origin.kind == "known":
            return self.recorder.make_origin("known", operations.dict_of(origin.key))
        return self.recorder.make_origin("attr", "__dict__", origin)

    def _tell_apart_from(self, origin: Origin, other: Origin, value: Any) -> None:
        """What is read is not what was written, in later calls too; where it is, the piece ends here."""
        held = self.recorder.origins.get(id(value))
        if origin is other or (origin.kind == "known" and origin.key is value) or (held and held[1] is origin):
            raise Pause
        if origin.kind == "known" and is_a(origin.key, type) and not is_a(value, type):
            return  # an object of the type that is guarded is no class
        if value is not None and (origin.kind != "known" or other.kind != "known"):
            self.recorder.note_guard("not same", _safe(origin), _safe(other))


def _share_a_dict(one: Any, other: Any) -> bool:
    """Whether two objects have the same attributes: `__dict__` can be set."""
    table = operations.dict_of(one)
    return table is not None and one is not other and table is operations.dict_of(other)


def _safe(origin: Origin) -> Origin:
    """The dict of an object that may have none."""
    if origin.kind == "attr" and origin.key == "__dict__":
        return Origin("number", operations.dict_of, (origin.base,))
    return origin
