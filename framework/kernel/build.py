"""From a recipe to an address: generate, optimise, emit, keep on disk, link.

A *recipe* is a function that writes the IR of one kernel; its parameters are plain values (names, numbers, tuples) and
scalar bodies (Python functions). `recipe.address(*params)` is the address of the machine code: from memory, else from the
object cache, else compiled now. Object files hold no absolute address; what they refer to outside themselves is bound
when they are linked, from `symbols` or from the process (C library, CPython).

The key of an object covers everything it was made from: the source of this package, the parameters, the code of the
bodies with all functions and constants they reach, and the machine.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import math
import os
import re
import sys
import threading
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anfora.kernel.cache import Cache, default_folder
from anfora.kernel.emit import Module
from anfora.kernel.heap import require
from anfora.kernel.target import target

__all__ = ["Progress", "Recipe", "code_key", "disk", "kernel_names", "progress", "recipe"]

_TO_COMPILE, _TO_LINK = 16 << 20, 2 << 20  #: bytes asked for in front of LLVM, eight times what it was seen to take

_lock = threading.RLock()
if hasattr(os, "register_at_fork"):  # a child in which nobody would ever give back the lock could not compile
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


@functools.cache
def disk() -> Cache:
    """The object cache of this process."""
    return Cache(default_folder())


class Progress:
    """Tells on stderr of compilations that take long, since there is nothing else to see meanwhile. What comes soon after
    another one is taken together; kernels that are made for others count as a part of them."""

    PATIENCE = 2.0  #: seconds of compiling after which there is a line, and another one
    PAUSE = 1.0  #: seconds without any, which begin a new count

    def __init__(self) -> None:
        self._depth = self._count = self._held = 0
        self._seconds = self._told = 0.0
        self._started = self._ended = -math.inf

    def __enter__(self) -> None:
        if self._depth == 0:
            self._started = time.perf_counter()
            if self._started - self._ended > self.PAUSE:
                self._count, self._seconds, self._told = 0, 0.0, 0.0
        self._depth += 1

    def __exit__(self, *exc: object) -> None:
        self._depth -= 1
        self._count += 1
        if self._depth == 0:
            self._ended = time.perf_counter()
            self._seconds += self._ended - self._started
            self._tell_if_due()

    def hold(self) -> None:
        """Tell nothing until `release`: what is written meanwhile is taken for the program's."""
        self._held += 1

    def release(self) -> None:
        self._held -= 1
        self._tell_if_due()

    def _tell_if_due(self) -> None:
        if self._seconds - self._told > self.PATIENCE and not self._held:
            self._told = self._seconds
            self._tell()

    def _tell(self) -> None:
        kept = f"; they are kept in {disk().folder}" if disk().folder else ""
        if sys.stderr is not None:  # a process without a window has none
            with contextlib.suppress(OSError, ValueError):  # it is closed
                print(f"anfora: {self._count} kernels compiled in {self._seconds:.1f} s{kept}", file=sys.stderr)


#: Of this process; used under the lock.
progress = Progress()

_recipes: list[Recipe] = []


def kernel_names() -> dict[int, str]:
    """What the kernels made so far are called, by address: their recipe, or for an irregular one its function."""
    found = {}
    for each in _recipes:
        module, name = each._write.__module__.rpartition(".")[2], each._write.__name__.strip("_")
        for params, addresses in list(each._made.items()):
            plain = next((param for param in params if isinstance(param, types.FunctionType)), None)
            label = f"{module}.{name}" if plain is None else f"{module}.{plain.__name__.strip('_')}"
            found.update(dict.fromkeys(addresses.values(), label))
    return found


class Recipe:
    """A generator of kernels and the kernels made so far."""

    def __init__(self, write: Callable[..., Module], symbols: Callable[[], dict[str, int]], vectorize: bool) -> None:
        functools.update_wrapper(self, write)  # type: ignore[arg-type]
        self._write = write
        self._symbols = symbols
        self._vectorize = vectorize
        self._made: dict[tuple, dict[str, int]] = {}
        _recipes.append(self)

    def address(self, *params: Any) -> int:
        """The address of the function `kernel` of the object made for these parameters."""
        return self.addresses(*params)["kernel"]

    def addresses(self, *params: Any, names: tuple[str, ...] = ("kernel",)) -> dict[str, int]:
        """The addresses of several functions of one object."""
        made = self._made.get(params)
        if made is None:
            with _lock:
                made = self._made.get(params)
                if made is None:
                    made = self._made[params] = self._build(params, names)
        return made

    def ir(self, *params: Any) -> str:
        """The IR text, before optimisation."""
        return self._write(*params).text()

    def assembly(self, *params: Any) -> str:
        """The machine code as text, for reading."""
        return target().machine.emit_assembly(self._optimised(params, ("kernel",)))

    def _optimised(self, params: tuple, names: tuple[str, ...]) -> Any:
        # Bodies that are loops over lanes need vectors made of them, whatever is around.
        vectorize = self._vectorize or any(getattr(param, "is_partial", False) for param in params)
        return _optimised(self._write(*params), names, vectorize)

    def _build(self, params: tuple, names: tuple[str, ...]) -> dict[str, int]:
        key = self._key(params)
        require(_TO_LINK, "a kernel")
        image = disk().read(key)
        if image is None:
            require(_TO_COMPILE, "compiling a kernel")
            with progress:
                image = target().machine.emit_object(self._optimised(params, names))
            if _source_digest() == _LOADED:  # else the source was edited under this process, and the key would lie
                disk().write(key, image)
        return _link(image, names, self._symbols())

    def _key(self, params: tuple) -> str:
        digest = hashlib.sha256()
        for part in (_LOADED, target().identity, self._write.__qualname__, code_key(params)):
            digest.update(part.encode() + b"\0")
        return digest.hexdigest()


def recipe(
    write: Callable[..., Module] | None = None,
    *,
    symbols: Callable[[], dict[str, int]] = dict,
    vectorize: bool = False,
) -> Any:
    """Make a `Recipe`. `symbols` gives what the object refers to; `vectorize` is for loops that LLVM shall vectorise."""
    if write is None:
        return lambda fn: Recipe(fn, symbols, vectorize)
    return Recipe(write, symbols, vectorize)


def _optimised(source: Module, names: tuple[str, ...], vectorize: bool) -> Any:
    """One optimised module that defines `names` and shows nothing else."""
    import llvmlite.binding as llvm

    machine = target().machine
    module = llvm.parse_assembly(source.text())
    for text in source.linked:
        if _FAST.search(text):
            raise RuntimeError("bug in this library: linked IR carries fast-math flags\n" + text)
        module.link_in(llvm.parse_assembly(text))
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    for item in (*module.functions, *module.global_variables):
        if not item.is_declaration and item.name not in names:
            item.linkage = "internal"
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = vectorize
    options.loop_unrolling = options.loop_interleaving = vectorize
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    return module


_FAST = re.compile(r"= (?:f\w+|(?:tail )?call|select) (?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc)\b")


# -- linking ---------------------------------------------------------------------------------------------------------

_trackers: list[Any] = []  # machine code lives as long as the process


@functools.cache
def _linker() -> Any:
    import llvmlite.binding as llvm

    return llvm.create_lljit_compiler(target().new_machine(), use_jit_link=False, suppress_errors=False)


def _link(image: bytes, names: tuple[str, ...], symbols: dict[str, int]) -> dict[str, int]:
    import llvmlite.binding as llvm

    builder = llvm.JITLibraryBuilder().add_object_img(image).add_current_process()
    for name in names:
        builder.export_symbol(name)
    for name, address in symbols.items():
        builder.import_symbol(name, address)
    tracker = builder.link(_linker(), f"anfora{len(_trackers)}")
    _trackers.append(tracker)
    return {name: tracker[name] for name in names}


# -- keys ------------------------------------------------------------------------------------------------------------


def _source_digest() -> str:
    """The source of the generators: editing any of them makes new kernels."""
    digest = hashlib.sha256(str(sys.version_info[:2]).encode())
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


_LOADED = _source_digest()


def code_key(value: Any) -> str:
    """A text that changes when the value, or any code or constant that a function reaches, changes."""
    return repr(_describe(value, {}))


def _describe(value: Any, seen: dict[int, int]) -> Any:
    if isinstance(value, (str, int, float, bool, bytes, type(None))):
        return type(value).__name__, value.hex() if isinstance(value, float) else value
    if isinstance(value, (tuple, list, frozenset, set)):
        items = [_describe(item, seen) for item in value]
        return (type(value).__name__, sorted(items) if isinstance(value, (set, frozenset)) else items)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return type(value).__qualname__, _describe(fields, seen)
    if isinstance(value, dict):
        return "dict", [(_describe(k, seen), _describe(v, seen)) for k, v in value.items()]
    if isinstance(value, types.ModuleType):
        return "module", value.__name__  # members that are used are named by the code
    if isinstance(value, types.FunctionType):
        if id(value) in seen:
            return "seen", seen[id(value)]
        seen[id(value)] = len(seen)
        names = _names(value.__code__)
        reached = {name: value.__globals__[name] for name in sorted(names) if name in value.__globals__}
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return (
            "function",
            _describe_code(value.__code__, seen),
            _describe(reached, seen),
            _describe(cells, seen),
            _describe(value.__defaults__ or (), seen),
            _describe(value.__kwdefaults__ or {}, seen),
        )
    if isinstance(value, types.CodeType):
        return _describe_code(value, seen)
    if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        return "named", getattr(value, "__module__", ""), value.__qualname__
    return type(value).__name__, repr(value)


def _describe_code(code: types.CodeType, seen: dict[int, int]) -> Any:
    return code.co_code, code.co_names, code.co_varnames, [_describe(const, seen) for const in code.co_consts]


def _names(code: types.CodeType) -> set[str]:
    found = set(code.co_names)
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            found |= _names(const)
    return found
