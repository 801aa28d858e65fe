"""Handles of hooks."""

from __future__ import annotations

from typing import Any

__all__ = ["HookHandle"]


class HookHandle:
    """What a `register_…_hook` gives: `remove()` takes the hook away."""

    _next = 0

    def __init__(self, hooks: dict[int, Any]) -> None:
        HookHandle._next += 1
        self.handle_id = HookHandle._next
        self._hooks = hooks

    def remove(self) -> None:
        """Take the hook away; doing so twice is no error."""
        self._hooks.pop(self.handle_id, None)

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()
