"""Native calls from Python: what stands between `x + y` and a kernel.

Builtin functions are made of IR (`call.py`), so no C compiler is needed:

`launch(program, *arrays)`   runs a program on numpy arrays (or None); gives the failure code. Works for any operator.
`Site(…).call(*args)`        (`site.py`) the whole of a call that has been seen before.

The code reads and writes fields of CPython's and numpy's objects (`fields.py`). Where these cannot be found, or a trial
call does not give what it should, `available()` is false, and everything goes the plain way: slower and equal.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import threading
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.kernel import executor
from anfora.kernel.build import Recipe, compile_together
from anfora.kernel.call import METHODS, write_call, write_launch, write_methods
from anfora.kernel.change import write_change, write_set_item
from anfora.kernel.fields import Fields, StructuresDiffer

__all__ = [
    "available", "bind", "claim", "close_block", "is_recording", "launch", "native_wrap", "open_block", "refuse_writes",
    "set_recording", "state", "switch", "watch",
]  # fmt: skip

#: Cells that native code reads on every call: [2 · a thread + whether its tape is on, calls must take the Python path,
#: those that write in place must].
#: Another thread takes the Python path, which claims the cell for it; so no thread ever reads the switch of another.
state = array("q", [0, 0, 0])


class _Switch(threading.local):
    """Whether operators are recorded, in this thread; to be read only."""

    on = True
    blocks = 0  #: of `no_grad` that are open: a gradient transform turns the tape on for itself inside them


switch = _Switch()


def is_recording() -> bool:
    """Whether operators are recorded now, in this thread."""
    return switch.on


def set_recording(on: bool) -> bool:
    """Switch recording in this thread; gives what it was before."""
    before = switch.on
    switch.on = on
    claim()
    return before


def open_block() -> bool:
    """Begin a block of `no_grad`; gives whether operators were recorded before."""
    before = switch.on
    switch.blocks += 1
    switch.on = False
    claim()
    return before


def close_block(before: bool) -> None:
    """End it, and record again if operators were recorded before."""
    switch.blocks -= 1
    switch.on = before
    claim()


def claim() -> None:
    """Let native code serve this thread."""
    state[0] = 2 * threading.get_ident() + switch.on


#: The sites of native methods, by number: a method has no object of its own where it could find its site.
sites = array("q", [0] * 512)

_watchers: set[Any] = set()  #: who wants to see every operator


def watch(who: Any, on: bool) -> None:
    """Let calls take the Python path as long as somebody wants to see every operator."""
    (_watchers.add if on else _watchers.discard)(who)
    state[1] = len(_watchers)


_refusers: set[Any] = set()  #: who wants to see every write in place


def refuse_writes(who: Any, on: bool) -> None:
    """Let writes in place take the Python path as long as somebody wants to see them."""
    (_refusers.add if on else _refusers.discard)(who)
    state[2] = len(_refusers)


# -- builtin functions ------------------------------------------------------------------------------------------------


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_FASTCALL, _FASTCALL_KEYWORDS = 0x80, 0x82


def definition(address: int, named: Any, flags: int = _FASTCALL_KEYWORDS, is_method: bool = True) -> _MethodDef:
    return _definition(address, getattr(named, "__name__", "call"), _told(named, is_method), flags)


def _told(named: Any, is_method: bool) -> str:
    """The documentation of a builtin, with its signature in front in the form that Python takes apart."""
    doc, signature = getattr(named, "__doc__", None) or "", getattr(named, "__signature__", None)
    if signature is None:
        return doc
    parts = [] if is_method else ["$module"]
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        is_plain = parameter.default is None or type(parameter.default) in (bool, int, float, str)
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}" if is_plain else "=..."
        parts.append(f"{parameter.name if parts else '$self'}{default}")
    return f"{named.__name__}({', '.join(parts)})\n--\n\n{doc}"


@functools.cache  # builtins of one operator share one
def _definition(address: int, name: str, doc: str, flags: int) -> _MethodDef:
    definition = _MethodDef(name.encode(), address, flags, doc.encode() or None)
    # CPython keeps pointers to it, and looks there when the function is dropped, be it after this module at the very end.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(definition))
    return definition


def builtin(address: int, named: Any, self: Any, flags: int = _FASTCALL_KEYWORDS) -> Callable:
    method = definition(address, named, flags, is_method=False)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(method), self, None)


@functools.cache
def _numpy_functions() -> dict[str, int]:
    """Addresses from numpy's C interface: entry 94 makes an array, 282 sets the owner of its memory, 2 is its type."""
    try:
        from numpy._core import _multiarray_umath as module  # type: ignore[attr-defined]
    except ImportError:  # numpy 1
        from numpy.core import _multiarray_umath as module
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(get(module._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    if table[2] != id(np.ndarray):
        raise StructuresDiffer("numpy's C interface is arranged in another way")
    return {"anfora_new_array": table[94], "anfora_set_base": table[282], "anfora_array_type": table[2]}


_bound: dict[str, Any] = {}


def bind(
    tensor: type, parameter: type, node: type, output: type, followed: type, saved: Any, clock: array,
    files: dict[str, bool],
) -> None:  # fmt: skip
    """Tell which classes calls make and meet, and which files are not the user's. Done once, by `anfora.eager`."""
    _bound.update(tensor=tensor, parameter=parameter, node=node, output=output, followed=followed)
    _bound.update(saved=saved, clock=clock, nothing=(), files=files)


def _entry_points() -> dict[str, int]:
    points = executor.ready_addresses()
    return {"run": points["run"], "serial": points["serial"]}


def _symbols() -> dict[str, int]:
    return {
        **_entry_points(),
        **_numpy_functions(),
        "anfora_tensor": id(_bound["tensor"]),
        "anfora_parameter": id(_bound["parameter"]),
        "anfora_node": id(_bound["node"]),
        "anfora_output": id(_bound["output"]),
        "anfora_followed": id(_bound["followed"]),
        "anfora_files": id(_bound["files"]),
        "anfora_saved": id(_bound["saved"]),
        "anfora_clock": _bound["clock"].buffer_info()[0],
        "anfora_empty_tuple": id(_bound["nothing"]),
        "anfora_state": state.buffer_info()[0],
    }


_no_memory = ctypes.create_string_buffer(executor.OUT_OF_MEMORY.encode())


def _launch_symbols() -> dict[str, int]:
    return {**_entry_points(), "anfora_no_memory": ctypes.addressof(_no_memory)}


_launch_recipe = Recipe(write_launch, _launch_symbols, vectorize=False, is_planned=False)
_call_recipe = Recipe(write_call, _symbols, vectorize=False, is_planned=False)
_change_recipe = Recipe(write_change, _symbols, vectorize=False, is_planned=False)
_set_item_recipe = Recipe(write_set_item, _symbols, vectorize=False, is_planned=False)
_methods_recipe = Recipe(
    write_methods, lambda: {"anfora_sites": sites.buffer_info()[0]}, vectorize=False, is_planned=False
)


@functools.cache
def _where() -> Fields:
    return Fields.find(_bound["tensor"], _bound["node"], _bound["output"])


def addresses() -> dict[str, int]:
    """Of `kernel`, `front`, `kept`, `invoke` and `wrap` (call.py)."""
    return _call_recipe.addresses(_where(), sys.version_info[:2], names=_CALLS)


_CALLS = ("kernel", "front", "kept", "invoke", "wrap")


def serving(writes: int) -> int:
    """The address of the native function that serves a site.

    Args:
        writes: whether its calls write into their first argument (1), into what a key, the second, names of that (2).
    """
    if not writes:
        return addresses()["invoke"]
    return (_change_recipe if writes == 1 else _set_item_recipe).address(_where(), sys.version_info[:2])


def method(number: int) -> int:
    """The address of the code of a method, which calls the site in this place of `sites` with its instance in front."""
    first = number - number % METHODS
    return _methods_recipe.addresses(first, sys.version_info[:2], names=_METHOD_NAMES)[f"method{number - first}"]


_METHOD_NAMES = tuple(f"method{i}" for i in range(METHODS))


@functools.cache
def available() -> bool:
    """Whether the native call path works with this interpreter and this numpy."""
    try:
        where, version = _where(), sys.version_info[:2]
        if not _call_recipe.is_kept(where, version):
            compile_together(
                [
                    (executor.native, (sys.platform == "linux",), executor.ENTRIES),
                    (_call_recipe, (where, version), _CALLS),
                    (_launch_recipe, (where.array_data,), ("kernel",)),
                    (_methods_recipe, (0, version), _METHOD_NAMES),
                ]
            )
        wrap = builtin(addresses()["wrap"], native_wrap, None, _FASTCALL)
    except StructuresDiffer:
        return False
    buffer, marker = np.zeros(2), object()
    trial = wrap(buffer, marker, None)
    fine = type(trial) is _bound["tensor"] and trial._array is buffer and trial._layout is marker and trial._path == ()
    return fine and trial._node is None and _native_launch() is not None


def native_wrap() -> Callable | None:
    """The builtin (array, layout, node) -> Tensor, where there is one."""
    return builtin(addresses()["wrap"], native_wrap, None, _FASTCALL) if available() else None


@functools.cache
def _native_launch() -> Callable | None:
    try:
        return builtin(_launch_recipe.address(_where().array_data), launch, None, _FASTCALL)
    except StructuresDiffer:
        return None


def launch(program: executor.Program, *arrays: np.ndarray | None) -> int:
    """Run a program on arrays; 0, or the failure code."""
    native = _native_launch()
    if native is not None:
        return native(program.address, *arrays)
    return _plain_launch(program.address, *arrays)


def launcher() -> Callable[..., int]:
    """The function (address of a program, *arrays) -> code, for callers that keep it."""
    return _native_launch() or _plain_launch


def _plain_launch(address: int, *arrays: np.ndarray | None) -> int:
    return executor.run_at(address, [0 if a is None else a.__array_interface__["data"][0] for a in arrays])
