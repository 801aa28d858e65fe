"""From a recipe to an address: generate, optimise, emit, keep on disk, link.

A *recipe* is a function that writes the IR of one kernel; its parameters are plain values (names, numbers, tuples) and
scalar bodies (Python functions). `recipe.address(*params)` is the address of the machine code: from memory, else from the
object cache, else compiled now. Object files hold no absolute address; what they refer to outside themselves is bound
when they are linked, from `symbols` or from the process (C library, CPython).

The key of an object covers everything it was made from: the source of this package, the parameters, the code of the
bodies with all functions and constants they reach, and the machine.

Any number of threads may compile at once (`compile_ahead`). llvmlite takes one lock for all of LLVM, which only asks that
threads work in contexts of their own: the two calls that take long, to optimise and to emit, go past that lock. The main
thread, which signals may interrupt anywhere, only waits (`apart.py`).
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import math
import os
import re
import sys
import threading
import time
import types
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from anfora.core.own_builtins import undisturbed
from anfora.kernel.apart import apart, apart_together
from anfora.kernel.emit import Module
from anfora.kernel.heap import require
from anfora.kernel.target import Target, aiming, target

if TYPE_CHECKING:  # loaded with the first kernel: these, and what they need, are a tenth of what the import takes
    from concurrent.futures import Future

    from anfora.kernel.cache import Cache

__all__ = [
    "Asked", "Progress", "Recipe", "answering", "asking", "code_key", "compile_ahead", "compile_together", "disk",
    "is_asking", "is_cold", "kernel_names", "progress", "recipe",
]  # fmt: skip

_TO_COMPILE, _TO_LINK = 16 << 20, 2 << 20  #: bytes asked for in front of LLVM, eight times what it was seen to take
_TO_SHARE = (
    1 << 30
)  #: bytes that must be free for threads to compile ahead: glibc keeps room for each, also when it has ended

_lock = threading.RLock()  #: of what is made, and of linking
_writing = threading.RLock()  #: of generators; nothing else is waited for with it
_coming: dict[str, Future] = {}  #: objects that a thread compiles, by key


class _Room:
    """Memory in front of LLVM, which ends the process where an allocation fails. It is there for all threads that are at
    work, or they take turns."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._taken = 0
        self._own = threading.local()

    @contextlib.contextmanager
    def of(self, nbytes: int, purpose: str) -> Iterator[None]:
        """A block for which so much memory is there.

        Raises:
            MemoryError: it is not, though nobody else is at work.
        """
        if getattr(self._own, "is_taken", False):  # who waits while others wait for him waits for ever
            require(nbytes, purpose)
            yield
            return
        with self._changed:
            while not self._is_there(nbytes, purpose):
                self._changed.wait()
            self._taken += nbytes
        self._own.is_taken = True
        try:
            yield
        finally:
            self._own.is_taken = False
            with self._changed:
                self._taken -= nbytes
                self._changed.notify_all()

    def _is_there(self, nbytes: int, purpose: str) -> bool:
        try:
            require(self._taken + nbytes, purpose)
        except MemoryError:
            if not self._taken:
                raise
            return False
        return True


_room = _Room()


@functools.cache
def disk() -> Cache:
    """The object cache of this process."""
    from anfora.kernel.cache import Cache, default_folder

    return Cache(default_folder())


class Progress:
    """Tells on stderr of compilations that take long, since there is nothing else to see meanwhile. What comes soon after
    another one is taken together; kernels that are made for others count as a part of them."""

    PATIENCE = 2.0  #: seconds of compiling after which there is a line, and another one
    PAUSE = 1.0  #: seconds without any, which begin a new count

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = self._count = self._held = 0
        self._seconds = self._told = 0.0
        self._started = self._ended = -math.inf

    def __enter__(self) -> None:
        with self._lock:
            if self._depth == 0:
                self._started = time.perf_counter()
                if self._started - self._ended > self.PAUSE:
                    self._count, self._seconds, self._told = 0, 0.0, 0.0
            self._depth += 1

    def __exit__(self, *exc: object) -> None:
        with self._lock:
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


#: Of this process.
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


# -- kernels for elsewhere -------------------------------------------------------------------------------------------


class Asked(int):
    """A kernel in the place of its address, where plans are made for another process (standalone.py): nothing has been
    compiled yet.

    Attributes:
        recipe, params, name: what it is made of.
    """

    recipe: Recipe
    params: tuple
    name: str


class _Asking(threading.local):
    kernels: dict[tuple, Asked] | None = None


_asking = _Asking()


@contextlib.contextmanager
def asking() -> Iterator[dict[tuple, Asked]]:
    """Let recipes give this thread numbers instead of addresses meanwhile; gives the kernels in the order in which they
    were asked for. What is planned meanwhile must not be kept for others."""
    before, _asking.kernels = _asking.kernels, {}
    try:
        yield _asking.kernels
    finally:
        _asking.kernels = before


@contextlib.contextmanager
def answering() -> Iterator[None]:
    """Let recipes give this thread addresses again meanwhile: for operators that run while something is planned, as where
    a tensor is an attribute. What is made for them is kept."""
    before, _asking.kernels = _asking.kernels, None
    try:
        yield
    finally:
        _asking.kernels = before


def is_asking() -> bool:
    """Whether this thread gets numbers instead of addresses."""
    return _asking.kernels is not None


def _asked(kernels: dict[tuple, Asked], recipe: Recipe, params: tuple, name: str) -> Asked:
    key = (recipe, params, name)
    found = kernels.get(key)
    if found is None:
        found = kernels[key] = Asked(len(kernels) + 1)
        found.recipe, found.params, found.name = key
    return found


class Recipe:
    """A generator of kernels and the kernels made so far.

    Args:
        write: the generator.
        symbols: what its kernels call, by name.
        vectorize: whether LLVM may look for vectors in it.
        is_planned: whether these are kernels of plans, of which `asking` gives numbers; not what runs plans.
    """

    def __init__(
        self,
        write: Callable[..., Module],
        symbols: Callable[[], dict[str, int]],
        vectorize: bool,
        is_planned: bool = True,
    ) -> None:
        functools.update_wrapper(self, write)  # type: ignore[arg-type]
        self._write = write
        self._symbols = symbols
        self._vectorize = vectorize
        self._is_planned = is_planned
        self._made: dict[tuple, dict[str, int]] = {}
        _recipes.append(self)

    def address(self, *params: Any) -> int:
        """The address of the function `kernel` of the object made for these parameters."""
        return self.addresses(*params)["kernel"]

    def addresses(self, *params: Any, names: tuple[str, ...] = ("kernel",)) -> dict[str, int]:
        """The addresses of several functions of one object."""
        if self._is_planned and _asking.kernels is not None:
            return {name: _asked(_asking.kernels, self, params, name) for name in names}
        made = self._made.get(params)
        if made is None:
            here = target()
            made = apart(lambda: self._make(here, params, names))
        return made

    def _make(self, here: Target, params: tuple, names: tuple[str, ...]) -> dict[str, int]:
        """The addresses of the functions of an object, which is compiled and linked where nobody has done so."""
        from concurrent.futures import Future

        with aiming(here):
            key = self._key(params)
            with _lock:
                future, ours = _coming.get(key), None
                if future is None and params not in self._made:
                    future = ours = _coming[key] = Future()
            try:
                if ours is not None:
                    _settle(ours, functools.partial(self._image, key, params, names))
                image = future.result() if future is not None else b""
                with _room.of(_TO_LINK, "a kernel"), _lock:
                    made = self._made.get(params)
                    if made is None:
                        made = self._made[params] = _link(image, names, self._symbols())
            finally:
                if ours is not None:
                    del _coming[key]
        return made

    def is_kept(self, *params: Any) -> bool:
        """Whether there is an object on disk."""
        return disk().read(self._key(params)) is not None

    def ir(self, *params: Any) -> str:
        """The IR text, before optimisation."""
        return self._write(*params).text()

    def assembly(self, *params: Any) -> str:
        """The machine code as text, for reading."""
        with target().machine() as machine:
            return machine.emit_assembly(self.optimised(params, ("kernel",)))

    def optimised(self, params: tuple, names: tuple[str, ...], context: Any = None) -> Any:
        """LLVM's module of an object that defines these functions, for the target of this thread.

        Args:
            context: LLVM's, for modules that will be linked; one thread at a time may use it. By default a new one.
        """
        import llvmlite.binding as llvm

        # Bodies that are loops over lanes need vectors made of them, whatever is around.
        vectorize = self._vectorize or any(getattr(param, "is_partial", False) for param in params)
        with _writing:
            source = self._write(*params)
        return _optimised(source, names, vectorize, llvm.create_context() if context is None else context)

    def _image(self, key: str, params: tuple, names: tuple[str, ...]) -> bytes:
        """The object file, from the disk or compiled now."""
        image = disk().read(key)
        _lately.append(image is None)
        if image is None:
            with _room.of(_TO_COMPILE, "compiling a kernel"), progress:
                module = self.optimised(params, names)
                try:
                    image = _emitted(module)
                finally:
                    module.close()  # by itself it might go after its context, if both are garbage in a cycle
            if _states() == _AT_START:  # else the source was edited under this process, and the key would lie
                disk().write(key, image)
        return image

    def _key(self, params: tuple) -> str:
        from hashlib import sha256

        digest = sha256()
        for part in (_source_digest(), target().identity, self._write.__qualname__, code_key(params)):
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


def _settle(future: Future, work: Callable[[], bytes]) -> None:
    """Do what all wait for."""
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)


_lately: deque[bool] = deque(maxlen=3)  #: of the kernels that were asked for last, whether they had to be compiled


def is_cold() -> bool:
    """Whether kernels have to be compiled: the last ones had to be."""
    return len(_lately) == _lately.maxlen and all(_lately)


@undisturbed
def compile_ahead(planning: Callable[[], Any]) -> None:
    """Compile the kernels that plans need together.

    Args:
        planning: makes these plans, and keeps nothing of them: see `asking`.
    """
    if is_asking():
        return
    wanted: dict[tuple[Recipe, tuple], list[str]] = {}
    with asking() as kernels:
        planning()
    for recipe, params, name in kernels:
        wanted.setdefault((recipe, params), []).append(name)
    compile_together([(recipe, params, tuple(names)) for (recipe, params), names in wanted.items()])


def compile_together(wanted: Sequence[tuple[Recipe, tuple, tuple[str, ...]]]) -> None:
    """Compile kernels in as many threads as there are cores. Where memory is short they are left to who needs them.

    Args:
        wanted: recipes, parameters, and the names of their functions.
    """
    wanted = [each for each in wanted if each[1] not in each[0]._made]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if min(len(wanted), cores) < 2:
        return
    try:
        require(_TO_SHARE, "threads that compile")
    except MemoryError:
        return
    here, waiting = target(), deque(wanted)

    def compile_some() -> None:
        with contextlib.suppress(IndexError):  # none is left
            while True:
                recipe, params, names = waiting.popleft()
                with contextlib.suppress(Exception):  # whoever needs it is told
                    recipe._make(here, params, names)

    try:
        apart_together(compile_some, min(len(wanted), cores))
    finally:
        waiting.clear()  # where the program was interrupted


def _optimised(source: Module, names: tuple[str, ...], vectorize: bool, context: Any) -> Any:
    """One optimised module that defines `names` and shows nothing else."""
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(source.text(), context)
    try:
        _optimise(module, source, names, vectorize, context)
    except BaseException:
        module.close()  # see Recipe._image: the frames of an error are such a cycle
        raise
    return module


def _optimise(module: Any, source: Module, names: tuple[str, ...], vectorize: bool, context: Any) -> None:
    import llvmlite.binding as llvm

    for text in source.linked:
        if _FAST.search(text):
            raise RuntimeError("bug in this library: linked IR carries fast-math flags\n" + text)
        module.link_in(llvm.parse_assembly(text, context))
    for item in (*module.functions, *module.global_variables):
        if not item.is_declaration and item.name not in names:
            item.linkage = "internal"
    with target().machine() as machine:
        _run_passes(module, machine, vectorize)


def _run_passes(module: Any, machine: Any, vectorize: bool) -> None:
    import llvmlite.binding as llvm

    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = vectorize
    options.loop_unrolling = options.loop_interleaving = vectorize
    passes = llvm.create_pass_builder(machine, options)
    _unlocked(llvm.ffi.lib.LLVMPY_RunNewModulePassManager)(passes.getModulePassManager(), module, passes)


def _emitted(module: Any) -> bytes:
    """The object file of a module."""
    import llvmlite.binding as llvm

    lib = llvm.ffi.lib
    with llvm.ffi.OutputString() as told, target().machine() as machine:
        buffer = _unlocked(lib.LLVMPY_TargetMachineEmitToMemory)(machine, module, 1, told)
        if not buffer:
            raise RuntimeError(str(told))
    try:
        return ctypes.string_at(lib.LLVMPY_GetBufferStart(buffer), lib.LLVMPY_GetBufferSize(buffer))
    finally:
        lib.LLVMPY_DisposeMemoryBuffer(buffer)


def _unlocked(function: Any) -> Any:
    """A function of llvmlite's, without the lock that it takes."""
    return getattr(function, "_cfn", function)


_FAST = re.compile(r"= (?:f\w+|(?:tail )?call|select) (?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc)\b")


# -- linking ---------------------------------------------------------------------------------------------------------

_trackers: list[Any] = []  # machine code lives as long as the process


@functools.cache
def _linker() -> Any:
    import llvmlite.binding as llvm

    return llvm.create_lljit_compiler(target().new_machine(), use_jit_link=True, suppress_errors=False)


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


def _sources() -> list[str]:
    folder = os.path.dirname(__file__)
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".py"))


def _states() -> list[tuple[int, int, int]]:
    """By which one sees, without reading them, that files have been edited."""
    return [(info.st_ino, info.st_size, info.st_mtime_ns) for info in map(os.stat, _sources())]


_AT_START = _states()


@functools.cache
def _source_digest() -> str:
    """The source of the generators: editing any of them makes new kernels. Read when the first kernel is wanted, and of no
    use to another process if it was edited between."""
    from hashlib import sha256

    digest = sha256(str(sys.version_info[:2]).encode())
    for name in _sources():
        with open(name, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest() if _states() == _AT_START else os.urandom(32).hex()


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
