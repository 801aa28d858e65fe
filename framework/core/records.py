"""Records: frozen dataclasses whose methods are written when the first one is made.

`dataclass` compiles half a dozen methods for a class, which takes half a millisecond. The kernels have forty such classes;
an import needs two of them, and a program a few.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from anfora.core.own_builtins import undisturbed

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        return lambda cls: cls


__all__ = ["Record"]

_lock = threading.RLock()
_as_dataclass: Callable[[type], type] = undisturbed(dataclass(frozen=True))


class _Ready(type):
    """The kind of a class that is a dataclass: calls are those of any class."""


class _Waiting(type):
    """The kind of one that is none yet: the first call makes it one."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        with _lock:
            _finish(cls)
        return type.__call__(cls, *args, **kwargs)


def _finish(cls: type) -> None:
    for base in cls.__bases__:
        if base is not Record:
            _finish(base)
    if type(cls) is not _Waiting:
        return
    plain = dict(vars(cls))
    try:
        _as_dataclass(cls)
        cls.__class__ = _Ready  # type: ignore[assignment]
    except BaseException:  # the handler of a signal may raise anywhere: as if nobody had called
        for name in vars(cls).keys() - plain.keys():
            delattr(cls, name)
        for name, value in plain.items():
            if vars(cls).get(name) is not value:
                setattr(cls, name, value)
        raise


@dataclass_transform(frozen_default=True)
class Record(metaclass=_Waiting):
    """The base of such a class: what that has are the fields of the dataclass, and their defaults.

    Example:
        >>> class Point(Record):
        ...     x: int
        ...     y: int = 0
        >>> Point(1)
        Point(x=1, y=0)
        >>> Point(1) == Point(1, 0), {Point(1): "there"}[Point(1)]
        (True, 'there')
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Pickled ones come without a call, maybe as the first."""
        with _lock:
            _finish(type(self))
        self.__dict__.update(state)

    def __init_subclass__(cls) -> None:
        cls.__class__ = _Waiting  # type: ignore[assignment]  # also where its base is ready
