"""Libraries that ask a tensor's library to tell them what it can: einops.

What they want is defined when they are there: at the import of anfora where they are loaded already, else behind their own
import, by a finder that waits for it. Nobody who does not use them pays for them.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["install"]

_BACKENDS = "einops._backends"


def install() -> None:
    """Let einops take tensors, whichever of both is imported first."""
    module = sys.modules.get(_BACKENDS)
    if hasattr(module, "AbstractBackend"):
        _define(module)
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder:
    """Waits for the import of the module in which einops keeps its backends."""

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != _BACKENDS:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(self, spec.loader)  # type: ignore[assignment]
                return spec
        return None


class _Loader:
    """Loads the module as its own loader does, and defines what is ours in it."""

    def __init__(self, finder: _Finder, own: Any) -> None:
        self.finder, self.own = finder, own

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.own
        if module.__spec__ is not None:
            module.__spec__.loader = self.own
        self.own.exec_module(module)
        _define(module)
        if self.finder in sys.meta_path:
            sys.meta_path.remove(self.finder)  # type: ignore[arg-type]


def _define(backends: Any) -> None:
    """The backend for tensors, which einops finds among the subclasses of its own class."""

    class AnforaBackend(backends.AbstractBackend):
        framework_name = "anfora"

        def __init__(self) -> None:
            from anfora import ops
            from anfora.core.tensor import Tensor

            self.ops, self.tensor = ops, Tensor

        def is_appropriate_type(self, tensor: Any) -> bool:
            return isinstance(tensor, self.tensor)

        def from_numpy(self, x: Any) -> Any:
            return self.tensor(x)

        def to_numpy(self, x: Any) -> Any:
            return x.asnumpy()

        def arange(self, start: int, stop: int) -> Any:
            return self.ops.arange(start, stop)

        def reshape(self, x: Any, shape: Any) -> Any:
            return self.ops.reshape(x, tuple(shape))

        def transpose(self, x: Any, axes: Any) -> Any:
            return self.ops.transpose(x, tuple(axes))

        def reduce(self, x: Any, operation: str, axes: Any) -> Any:
            name = {"max": "amax", "min": "amin"}.get(operation, operation)
            return getattr(self.ops, name)(x, tuple(axes))

        def stack_on_zeroth_dimension(self, tensors: Any) -> Any:
            return self.ops.stack(list(tensors), 0)

        def add_axis(self, x: Any, new_position: int) -> Any:
            return self.ops.expand_dims(x, new_position)

        def tile(self, x: Any, repeats: Any) -> Any:
            return self.ops.tile(x, tuple(repeats))

        def concat(self, tensors: Any, axis: int) -> Any:
            return self.ops.concat(list(tensors), axis)

        def is_float_type(self, x: Any) -> bool:
            return x.dtype.is_float

        def einsum(self, pattern: str, *x: Any) -> Any:
            return self.ops.einsum(pattern, *x)

    backends.AnforaBackend = AnforaBackend  # a class knows its subclasses as long as somebody holds them
