"""Where CPython and numpy keep what native code touches: offsets of fields, found by looking for known values in live
objects. Where they cannot be found, calls go the plain way."""

from __future__ import annotations

import ctypes
import sys
from array import array
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

__all__ = ["Fields", "StructuresDiffer"]


class StructuresDiffer(Exception):
    """An object of CPython or numpy does not look as expected."""


@dataclass(frozen=True)
class Fields:
    """Offsets, in bytes, of the fields that native code touches."""

    references: int
    array_data: int
    array_base: int
    array_flags: int
    float_value: int
    slice_start: int
    slice_stop: int
    slice_step: int
    object_type: int
    code_filename: int
    tensor_array: int
    tensor_layout: int
    tensor_node: int
    tensor_base: int
    tensor_epoch: int
    tensor_path: int
    tensor_mark: int
    node_recipe: int
    node_parents: int
    node_saved: int
    node_tick: int
    node_code: int
    node_at: int
    node_hooks: int
    output_key: int

    @classmethod
    def find(cls, tensor: type, node: type, output: type) -> Fields:
        """Look for the fields in fresh objects. Raises StructuresDiffer."""
        if sys.implementation.name != "cpython" or not getattr(sys, "_is_gil_enabled", lambda: True)():
            raise StructuresDiffer("not CPython with an interpreter lock")
        data = {_offset_of(a, a.__array_interface__["data"][0], 80) for a in (np.empty(3), np.empty((2, 5), np.int8))}
        base = {_offset_of(a[1:], id(a), 80) for a in (np.empty(3), np.empty((2, 5), np.int8))}
        counts = {_offset_of_references() for _ in range(2)}
        flags = {_offset_of_flags(a) for a in (np.empty(3), np.empty((3, 2)).T, np.frombuffer(b"ab"[:2], np.int8))}
        value = {_offset_of(x, array("q", array("d", [x]).tobytes())[0], 32) for x in (1.25e-7, -3.5e300)}
        bounds = (1001, "stop", 2.5)
        start, stop, step = (_offset_of(slice(*bounds), id(bound), slice.__basicsize__) for bound in bounds)
        kind = {_offset_of(x, id(type(x)), 32) for x in (1.25, "text", tensor)}
        codes = {
            _offset_of(c, id(c.co_filename), type(c).__basicsize__)
            for c in (_offset_of.__code__, compile("0", "a file", "eval"))
        }
        slots = {}
        for prefix, owner in (("tensor", tensor), ("node", node), ("output", output)):
            for name in (f.name for f in fields(cls) if f.name.startswith(prefix + "_")):
                slot = ("" if prefix == "node" else "_") + name[len(prefix) + 1 :]
                slots[name] = _slot_offset(owner, slot)
        if any(len(found) != 1 for found in (counts, data, base, flags, value, kind, codes)):
            raise StructuresDiffer("fields lie at changing places")
        return cls(
            counts.pop(), data.pop(), base.pop(), flags.pop(), value.pop(), start, stop, step, kind.pop(), codes.pop(),
            **slots,
        )  # fmt: skip


def _offset_of(obj: Any, word: int, limit: int) -> int:
    for offset in range(0, limit, 8):
        if ctypes.c_int64.from_address(id(obj) + offset).value == ctypes.c_int64(word).value:
            return offset
    raise StructuresDiffer(f"{word:#x} not found in a {type(obj).__name__}")


def _offset_of_references() -> int:
    """Where an object counts the references to it, in an int: it goes up with each."""
    found = np.empty(1)

    def counts() -> list[int]:
        return [ctypes.c_int32.from_address(id(found) + offset).value for offset in range(0, 16, 4)]

    before, own = counts(), sys.getrefcount(found)
    holders = [found] * 5
    after = counts()
    for place, (few, many) in enumerate(zip(before, after)):
        if many - few == len(holders) and 0 < few <= own:
            return 4 * place
    raise StructuresDiffer("the references to an object are not counted in it")


def _offset_of_flags(buffer: np.ndarray) -> int:
    """Where an array keeps its flags, an int behind the pointers to its shape and strides."""
    for offset in range(24, np.ndarray.__basicsize__, 4):
        if ctypes.c_int32.from_address(id(buffer) + offset).value == buffer.flags.num:
            return offset
    raise StructuresDiffer("the flags of an array were not found")


def _slot_offset(owner: type, slot: str) -> int:
    """Where instances of a class keep a slot: put a marker there and look for it."""
    instance: Any = object.__new__(owner)
    marker = object()
    setattr(instance, slot, marker)
    return _offset_of(instance, id(marker), owner.__basicsize__)
