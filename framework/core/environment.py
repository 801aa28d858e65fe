"""Environment variables, as compiled calls ask for them: each one does, so it may take no time, and no code of Python's
library may run that looks at builtins which a program has replaced (see own_builtins.py)."""

from __future__ import annotations

import os
from collections.abc import Callable

__all__ = ["variable"]

_HELD: dict[bytes, bytes] = getattr(os.environ, "_data", {})  # what `os.environ` keeps, and changes


def _held(name: str) -> str:
    return _HELD.get(name.encode(), b"").decode(errors="surrogateescape")


def _asked(name: str) -> str:
    return os.environ.get(name, "")


#: The value of a variable, empty if it is not set.
variable: Callable[[str], str] = _held if os.name == "posix" and type(_HELD) is dict and _HELD else _asked
