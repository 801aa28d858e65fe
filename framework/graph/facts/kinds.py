"""What an object is, asked without a word to it.

`isinstance` asks an object for its `__class__` where its type is another one: a call of the program where that has a
property of this name or `__getattribute__`, an error where a weak proxy has outlived what it stands for. What graph mode
asks for itself goes by the type alone.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anfora.graph.source.quiet import quietly

if TYPE_CHECKING:
    from builtins import isinstance as is_a
else:

    def is_a(value: Any, kinds: Any) -> bool:
        """Whether an object is of a class, or of one of several, by its type.

        Example:
            >>> from unittest.mock import Mock
            >>> is_a(Mock(spec=int), int)
            False
        """
        return issubclass(type(value), kinds)


def module_of(value: Any) -> str:
    """The module that a class or a function says that it is of; "" where it says nothing of the kind: a program may put
    anything there, and classes that Cython makes have a descriptor in this place. No metaclass is asked.

    Example:
        >>> module_of(int), module_of(type("Odd", (), {"__module__": 5}))
        ('builtins', '')
    """
    try:
        found = _MODULE_OF_CLASS(value) if is_a(value, type) else value.__module__
    except AttributeError:
        return ""
    return found if type(found) is str else ""


def dict_of_module(module: types.ModuleType) -> dict[str, Any]:
    """The variables of a module, whatever its class makes of its attributes."""
    return _MODULE_DICT(module) or {}  # in Python 3.10 one that has not been given a name has none


def name_of_module(module: types.ModuleType) -> str:
    """The name of a module; "" where it has none, or something that is no name.

    Example:
        >>> import types
        >>> name_of_module(types), name_of_module(types.ModuleType.__new__(types.ModuleType))
        ('types', '')
    """
    name = dict_of_module(module).get("__name__")
    return name if type(name) is str else ""


_MODULE_DICT: Callable[[Any], Any] = vars(types.ModuleType)["__dict__"].__get__


_MODULE_OF_CLASS: Callable[[type], Any] = type.__dict__["__module__"].__get__


def reduced(iterator: Any) -> Any:
    """What an iterator of Python's is made of, as `__reduce__` gives it.

    Raises:
        TypeError: it does not say.

    Example:
        >>> reduced(iter((1, 2)))[1:]
        (((1, 2),), 0)
    """
    try:
        return quietly(iterator.__reduce__)
    except (RuntimeError, ValueError) as error:  # what it goes over has changed
        raise TypeError("an iterator that does not say where it is") from error


__all__ = ["dict_of_module", "is_a", "module_of", "name_of_module", "reduced"]
