"""What an object is, asked without a word to it.

`isinstance` asks an object for its `__class__` where its type is another one: a call of the program where that has a
property of this name or `__getattribute__`, an error where a weak proxy has outlived what it stands for. What graph mode
asks for itself goes by the type alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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


__all__ = ["is_a"]
