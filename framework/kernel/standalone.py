"""Native programs as an object file that needs neither Python nor anfora.

What is planned within `asking` (build.py) names its kernels by numbers. Here these are compiled, for the target of this
thread, and put together with the native loop and its threads (executor.py), the words of the programs, the constants, and
a few functions of C, into one object of ELF:

    int NAME_run([int64_t n,] input …, output …, void *workspace)    0, or a code
    int NAME_set_threads(int threads)                                how many there are
    const char *NAME_error(int code)

All else is hidden in it. So the bits are those of the same plans in Python: the kernels, their chunks and their order are
the same, whatever the CPU and the number of threads.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anfora.core.records import Record
from anfora.kernel import executor
from anfora.kernel.apart import apart
from anfora.kernel.build import Asked, Recipe
from anfora.kernel.emit import I1, I32, I64, PTR, Function, Module, Value
from anfora.kernel.executor import LINE, NO_MEMORY, SCRATCH, TAG
from anfora.kernel.target import aiming, target

__all__ = ["BAD_LENGTH", "LIBC", "LIBM", "MOST_THREADS", "Library", "Ready", "object_of", "undefined"]

BAD_LENGTH = -2  #: the code of a run with a length that the library was not made for
_OUT_OF_MEMORY = -1
MOST_THREADS = 256

#: Functions of the C library that an object may need.
LIBC = {
    "clock_gettime", "free", "getpid", "malloc", "memcpy", "memmove", "memset", "pthread_create", "pthread_join",
    "pthread_self", "sched_yield", "syscall",
}  # fmt: skip
#: The same in libm: each has one right result, so the bits stay. CPUs with FMA and SSE 4.1 need but `fmod`.
LIBM = {
    name + suffix for suffix in ("", "f")
    for name in ("ceil", "floor", "fma", "fmod", "nearbyint", "rint", "round", "roundeven", "trunc")
}  # fmt: skip


class Ready(Record):
    """A program, planned.

    Attributes:
        words: of the executor's program; an `Asked` stands for the address of a kernel.
        arena: the bytes of its arena; its number is the last of the arguments.
        first_fault: which of the library's faults is that of its row 0.
    """

    words: tuple[int, ...]
    arena: int
    first_fault: int


class Library(Record):
    """What becomes an object.

    Attributes:
        name: what the names of its functions start with.
        arguments: how many pointers it is given: inputs and outputs. Behind them, the programs have the constants as an
            argument, and then the arena.
        programs: by the length that the caller names; of a library for one length, by None.
        constants: a file with their bytes.
        faults: for each row of each program what `NAME_error` says of bad data there; empty where there can be none.
    """

    name: str
    arguments: int
    programs: dict[int | None, Ready]
    constants: Path
    faults: Sequence[str]

    @property
    def workspace(self) -> int:
        """Bytes of memory for a call."""
        return max(ready.arena for ready in self.programs.values()) + LINE

    @property
    def scratch(self) -> int:
        """Bytes that each thread needs for itself."""
        return max(ready.words[SCRATCH] for ready in self.programs.values())

    @property
    def functions(self) -> tuple[str, ...]:
        """What others can call."""
        return tuple(f"{self.name}_{each}" for each in ("run", "set_threads", "error"))


def object_of(library: Library) -> bytes:
    """The object file of a library, for the target of this thread."""
    here = target()

    def make() -> bytes:
        with aiming(here), here.machine() as machine:
            return _object_of(library, machine)

    return apart(make)


def _object_of(library: Library, machine: Any) -> bytes:
    import llvmlite.binding as llvm

    llvm.initialize_native_asmparser()
    kernels = sorted({word for ready in library.programs.values() for word in ready.words if isinstance(word, Asked)})
    context = llvm.create_context()  # modules of two cannot be linked
    # Modules are closed here: the frames of an error are a cycle, in which a module might go after its context.
    with llvm.parse_assembly(_data(library, kernels), context) as whole:
        whole.triple, whole.data_layout = machine.triple, str(machine.target_data)
        with executor.native.optimised((True,), executor.ENTRIES, context) as part:
            whole.link_in(part)
        with _functions.optimised((_Shape.of(library),), library.functions, context) as part:
            whole.link_in(part)
        for kernel in kernels:
            with kernel.recipe.optimised(kernel.params, (kernel.name,), context) as part:
                part.get_function(kernel.name).name = _symbol(kernel)
                whole.link_in(part)
        for item in (*whole.functions, *whole.global_variables):
            if not item.is_declaration and item.name not in library.functions:
                item.linkage = "internal"
        whole.verify()
        return machine.emit_object(whole)


# -- data -------------------------------------------------------------------------------------------------------------

_CONSTANTS, _POOL, _WORKERS = "anfora_constants", "anfora_pool", "anfora_workers"


def _symbol(kernel: Asked) -> str:
    return f"kernel_{int(kernel)}"


def _program(number: int) -> str:
    return f"anfora_program_{number}"


def _data(library: Library, kernels: Sequence[Asked]) -> str:
    """The text of a module with all that lies in memory. The assembler takes the constants from their file."""
    lines = [f"declare i64 @{_symbol(kernel)}(ptr)" for kernel in kernels]
    for text in (
        '.section .rodata.anfora,"a",@progbits', f".p2align {LINE.bit_length() - 1}", f"{_CONSTANTS}:",
        f".incbin {_quoted(str(library.constants))}", f".size {_CONSTANTS}, .-{_CONSTANTS}", ".previous",
    ):  # fmt: skip
        lines.append(f'module asm "{_escaped(text.encode())}"')
    lines.append(f"@{_CONSTANTS} = external hidden global i8")
    before, behind = executor.THREADS, executor.POOL_BYTES - executor.THREADS - 8
    lines.append(
        f"@{_POOL} = global <{{ [{before} x i8], i64, [{behind} x i8] }}> "
        f"<{{ [{before} x i8] zeroinitializer, i64 1, [{behind} x i8] zeroinitializer }}>, align {LINE}"
    )
    lines.append(f"@{_WORKERS} = global [{_WORKER_WORDS} x i64] zeroinitializer, align {LINE}")
    for number, ready in enumerate(library.programs.values()):
        words = ", ".join(
            f"i64 ptrtoint (ptr @{_symbol(word)} to i64)" if isinstance(word, Asked) else f"i64 {int(word)}"
            for word in ready.words
        )
        lines.append(f"@{_program(number)} = constant [{len(ready.words)} x i64] [{words}], align 16")
    for number, text in enumerate(_texts(library.faults)):
        raw = text.encode() + b"\0"
        lines.append(f'@{_text(number)} = constant [{len(raw)} x i8] c"{_escaped(raw)}"')
    return "\n".join(lines) + "\n"


def _quoted(path: str) -> str:
    """A path as the assembler reads it."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _escaped(raw: bytes) -> str:
    """Bytes as LLVM's texts have them."""
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in raw)


_SAID = (
    "the run has gone well", "there is no memory for the workspace", "the library was not made for this length",
    "there is no such code",
)  # fmt: skip


def _texts(faults: Sequence[str]) -> list[str]:
    return [*_SAID, *dict.fromkeys(text for text in faults if text)]


def _text(number: int) -> str:
    return f"anfora_text_{number}"


# -- functions --------------------------------------------------------------------------------------------------------


class _Shape(Record):
    """What the functions of a library follow from."""

    name: str
    arguments: int
    programs: tuple[tuple[int | None, int, int], ...]  #: length, bytes of the arena, first fault
    faults: tuple[int, ...]  #: the number of the text of each row

    @classmethod
    def of(cls, library: Library) -> _Shape:
        number = {text: i for i, text in enumerate(_texts(library.faults))}
        programs = tuple((length, each.arena, each.first_fault) for length, each in library.programs.items())
        faults = tuple(number[text] if text else len(_SAID) - 1 for text in library.faults)
        return cls(library.name, library.arguments, programs, faults)


def _write(shape: _Shape) -> Module:
    module = Module()
    _write_run(module, shape)
    _write_set_threads(module, shape)
    _write_error(module, shape)
    return module


_functions = Recipe(_write, dict, vectorize=False)


def _write_run(module: Module, shape: _Shape) -> None:
    """NAME_run: find the program, lay down the addresses, and let the executor run it."""
    is_free = shape.programs[0][0] is not None
    names = [("i64", "length")] if is_free else []
    names += [*(("ptr", f"a{i}") for i in range(shape.arguments)), ("ptr", "workspace")]
    fn = Function(f"{shape.name}_run", names, "i32", module)
    *arrays, workspace = fn.args[len(names) - shape.arguments - 1 :]
    program, arena, first = fn.var(fn.const(0, PTR)), fn.var(0), fn.var(0)
    for number, (length, nbytes, fault) in enumerate(shape.programs):
        chosen = fn.args[0] == length if length is not None else fn.const(True, I1)
        with fn.when(chosen):
            program.set(fn.symbol(_program(number)))
            arena.set(nbytes)
            first.set(fault)
    with fn.when(program.value.address() == 0):
        fn.ret(BAD_LENGTH)
    room, block = fn.var(workspace), fn.var(fn.const(0, PTR))
    with fn.when((arena.value > 0) & (workspace.address() == 0)):
        block.set(fn.call(PTR, "malloc", arena.value + LINE))
        room.set(block.value)
        with fn.when(block.value.address() == 0):
            fn.ret(_OUT_OF_MEMORY)
    data = fn.buffer(8 * (shape.arguments + 2))
    for i, pointer in enumerate((*arrays, fn.symbol(_CONSTANTS), room.value)):
        fn.store(pointer.address(), data, i)
    code = fn.call(I64, "run", program.value, data)
    with fn.unless(block.value.address() == 0):
        fn.call(None, "free", block.value)
    with fn.when(code == 0):
        fn.ret(0)
    with fn.when(code == NO_MEMORY):
        fn.ret(_OUT_OF_MEMORY)
    fn.ret(((code >> TAG) + first.value + 1).to("i32"))


#: The words of `anfora_workers`: the process they are of, how many there are, and the system's names of them.
_PROCESS, _COUNT, _FIRST_WORKER = 0, 1, 2
_WORKER_WORDS = _FIRST_WORKER + MOST_THREADS


def _write_set_threads(module: Module, shape: _Shape) -> None:
    """NAME_set_threads: end the workers that are there, and start new ones. A child of a fork has none: what its parent
    knew of them is forgotten."""
    fn = Function(f"{shape.name}_set_threads", [("i32", "threads")], "i32", module)
    given = fn.args[0].to("i64")
    wanted = fn.select(given < 1, 1, fn.select(given > MOST_THREADS, MOST_THREADS, given))
    pool, workers = fn.symbol(_POOL), fn.symbol(_WORKERS)
    process = fn.call(I32, "getpid").to("i64")
    with fn.unless(fn.load(workers, I64, _PROCESS) == process):
        fn.fill_bytes(pool, 0, executor.POOL_BYTES)
        fn.store(process, workers, _PROCESS)
        fn.store(fn.const(0), workers, _COUNT)
    with fn.forever() as free:
        free.when(fn.atomic_swap(pool + executor.BUSY, 1) == 0)
        fn.call(I32, "sched_yield")
    fn.atomic_store(1, pool + executor.STOP)
    with fn.forever() as ended:
        ended.when(fn.atomic_load(pool + executor.ALIVE) == 0)
        generation = fn.atomic_load(pool + executor.GENERATION, I32) + 1
        fn.atomic_store(generation, pool + executor.GENERATION, I32)
        executor.futex(fn, pool + executor.GENERATION, executor.WAKE, fn.const(1 << 30))
        fn.call(I32, "sched_yield")
    null = fn.const(0, PTR)
    with fn.loop(0, fn.load(workers, I64, _COUNT)) as i:
        fn.call(I32, "pthread_join", fn.load(workers, I64, i + _FIRST_WORKER), null)
    fn.atomic_store(0, pool + executor.STOP)
    count = fn.var(0)
    module.declare("worker", "declare ptr @worker(i64)")
    with fn.forever() as done:
        done.when(count.value + 1 >= wanted)
        fn.atomic_add(pool + executor.ALIVE, 1)
        place = fn.element(workers, I64, count.value + _FIRST_WORKER)
        failed = fn.call(I32, "pthread_create", place, null, Value(fn, PTR, "@worker"), (count.value + 1).pointer())
        with fn.when(failed != 0):
            fn.atomic_add(pool + executor.ALIVE, -1)
        done.when(failed != 0)
        count.add(1)
    fn.store(count.value, workers, _COUNT)
    fn.store(count.value + 1, pool + executor.THREADS)
    fn.atomic_store(0, pool + executor.BUSY)
    fn.ret((count.value + 1).to("i32"))


def _write_error(module: Module, shape: _Shape) -> None:
    """NAME_error: the text of a code."""
    fn = Function(f"{shape.name}_error", [("i32", "code")], "ptr", module)
    code = fn.args[0].to("i64")
    said = {0: 0, _OUT_OF_MEMORY: 1, BAD_LENGTH: 2, **{row + 1: text for row, text in enumerate(shape.faults)}}
    for number, text in said.items():
        if text != len(_SAID) - 1:
            with fn.when(code == number):
                fn.ret(fn.symbol(_text(text)))
    fn.ret(fn.symbol(_text(len(_SAID) - 1)))


# -- what it needs ----------------------------------------------------------------------------------------------------


def undefined(image: bytes) -> set[str]:
    """The names that an object of ELF (64 bits, little endian) needs from elsewhere."""
    [start] = struct.unpack_from("<Q", image, 0x28)
    size, count = struct.unpack_from("<HH", image, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, start + i * size) for i in range(count)]
    found = set()
    for _, kind, _, _, offset, nbytes, strings, _, _, entry in sections:
        if kind != 2:  # SHT_SYMTAB
            continue
        names = sections[strings][4]
        for at in range(offset, offset + nbytes, entry):
            name, _, _, section, _, _ = struct.unpack_from("<IBBHQQ", image, at)
            if not section and name:
                end = image.index(b"\0", names + name)
                found.add(image[names + name : end].decode())
    return found - {"_GLOBAL_OFFSET_TABLE_"}
