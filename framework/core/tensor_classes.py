"""What this library has put into the classes of tensors, by name.

A program may put something else there, at any time, and take it away again: a function of its own, which may look at data
or do anything, or one of ours in the place of another. What was found out about calls before holds while that is not so.
"""

from __future__ import annotations

from typing import Any

from anfora.core.class_versions import NEVER, tag_of, version_of
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor

__all__ = ["CLASSES", "changed", "is_code", "is_met", "is_put", "note_all", "ours", "replace"]

CLASSES = (Tensor, Parameter)
_put: dict[type, dict[str, tuple]] = {kind: {} for kind in CLASSES}


def note_all() -> None:
    """What stands in the classes now is this library's: said once, when it has given them all."""
    for kind, put in _put.items():
        put.update((name, (value,)) for name, value in vars(kind).items())


def replace(name: str, old: Any, new: Any) -> None:
    """Put something that does the same into the place of what this library has put into Tensor; what the program has put
    there stays, and may call the old one."""
    if not is_put(Tensor, name, new):
        _put[Tensor][name] += (new,)
    if vars(Tensor).get(name) is old:
        setattr(Tensor, name, new)


def is_put(kind: type, name: str, value: Any) -> bool:
    """Whether this library has put something into one of the classes under a name."""
    return any(value is each for each in _put[kind].get(name, ()))


def is_met(name: str) -> bool:
    """Whether operators and functions, Python's and ours, may come upon what a class of tensors has under a name."""
    return name.startswith("__") or any(name in put for put in _put.values())


def changed(kind: type) -> dict[str, Any]:
    """What stands in one of the classes in the place of what this library has put there, None where that is gone; and what
    it has not put there but may meet."""
    put, stand = _put[kind], dict(vars(kind))
    found = dict.fromkeys(put.keys() - stand.keys())
    for name, value in stand.items():
        if name in put:
            is_changed = not is_put(kind, name, value)
        else:
            is_changed = is_met(name) and is_code(value)
        if is_changed:
            found[name] = value
    return found


def is_code(value: Any) -> bool:
    """Whether something that stands in a class does anything."""
    return callable(value) or hasattr(type(value), "__get__")


class _Ours:
    """Whether Tensor and Parameter have what this library has put there. To ask costs a look while nothing is set in them:
    `ours.tag.value != ours.seen and not ours.stand()`."""

    def __init__(self) -> None:
        self.tag = tag_of(Parameter)  # which loses it with Tensor
        self.seen = NEVER  #: its value when all stood as it was put

    def stand(self) -> bool:
        version = version_of(Parameter)
        if any(map(changed, CLASSES)):
            return False
        self.seen = version
        return True


ours = _Ours()
