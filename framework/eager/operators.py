"""The operators that PyNative mode calls by itself, as in `operators.copy(x)`.

They import what stands here, so each is looked up when it is first asked for, and stays. An import in the function that
needs it would be one in each call.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from anfora.core.nearest import MissingName

#: Those that are no functions of `anfora.ops`.
_HOME = {
    "assemble": "anfora.ops.copying", "place": "anfora.ops.copying", "zeros_of": "anfora.ops.creation",
    "real_part": "anfora.ops.complexes", "standing_for": "anfora.ops.copying",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise MissingName(__name__, name)
    globals()[name] = value = getattr(import_module(_HOME.get(name, "anfora.ops")), name)
    return value
