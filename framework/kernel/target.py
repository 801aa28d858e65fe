"""The machine that kernels are compiled for: CPU name, features, vector width.

`ANFORA_CPU` names another CPU than the host's (`x86-64`, `haswell`, …). Tests use it to compile and run without AVX-512
or AVX2; naming a CPU with instructions that the host lacks ends in an illegal instruction, as with any compiler.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import threading
from collections.abc import Iterator
from typing import Any

from anfora.core.records import Record
from anfora.kernel.apart import apart
from anfora.kernel.heap import require

__all__ = ["CPUS", "Target", "aiming", "target", "target_named"]


class Target(Record):
    """What the generators ask of the machine."""

    cpu: str
    features: str
    vector_bytes: int  #: width of the widest vector registers: 64, 32 or 16
    registers: int  #: how many of them

    @contextlib.contextmanager
    def machine(self) -> Iterator[Any]:
        """LLVM's machine for it, which nobody else uses meanwhile. One takes 0.3 ms to make, so it is kept for the next."""
        spare = _spare.setdefault(self, [])
        try:
            made = spare.pop()
        except IndexError:
            made = self.new_machine()
        yield made
        spare.append(made)

    def new_machine(self) -> Any:
        """A fresh target machine (the JIT linker takes possession of the one it gets)."""
        import llvmlite.binding as llvm

        triple = llvm.Target.from_default_triple()
        # Position independent, so that the linker may put an object anywhere.
        return triple.create_target_machine(
            cpu=self.cpu, features=self.features, opt=3, reloc="pic", codemodel="small", jit=True
        )

    def lanes(self, elem: str) -> int:
        """How many elements of a type (`f32`, `i8`) fill a vector register."""
        return self.vector_bytes // max(int(elem[1:]) // 8, 1)

    @property
    def identity(self) -> str:
        """What a compiled object depends on besides its code."""
        import llvmlite
        import llvmlite.binding as llvm

        return f"{self.cpu} {self.features} llvm{llvm.llvm_version_info} llvmlite {llvmlite.__version__}"


_spare: dict[Target, list[Any]] = {}  #: machines that nobody uses just now

#: CPUs by the width of their vectors in bytes: 64 with AVX-512 (F, BW, DQ, VL), 32 with AVX2 and FMA, else 16.
_X86 = {
    **dict.fromkeys(
        ("x86-64-v4", "skylake-avx512", "cascadelake", "cooperlake", "cannonlake", "icelake-client", "icelake-server",
         "tigerlake", "rocketlake", "sapphirerapids", "emeraldrapids", "graniterapids", "znver4", "znver5"), 64,
    ),
    **dict.fromkeys(
        ("x86-64-v3", "haswell", "broadwell", "skylake", "alderlake", "raptorlake", "meteorlake", "arrowlake",
         "gracemont", "sierraforest", "bdver4", "znver1", "znver2", "znver3"), 32,
    ),
    **dict.fromkeys(
        ("x86-64", "x86-64-v2", "nehalem", "westmere", "sandybridge", "ivybridge", "core2", "silvermont", "goldmont",
         "tremont", "bdver1", "bdver2", "btver2"), 16,
    ),
}  # fmt: skip
_ARM = dict.fromkeys(("generic", "cortex-a53", "cortex-a72", "cortex-a76", "neoverse-n1", "neoverse-v1"), 16)
_IS_ARM = platform.machine().lower() in ("aarch64", "arm64")
#: Names of CPUs of this machine's kind.
CPUS: dict[str, int] = _ARM if _IS_ARM else _X86

_TO_LOAD = 224 << 20  #: bytes of address space; it was seen to take 182 MiB


def target() -> Target:
    """The target that this thread makes kernels for: that of the process, but within `aiming`."""
    return _aim.target or _own()


class _Aim(threading.local):
    target: Target | None = None

    def __repr__(self) -> str:
        return "aim"  # keys of kernels have the target itself, see build.py


_aim = _Aim()


@contextlib.contextmanager
def aiming(other: Target) -> Iterator[None]:
    """Let this thread make kernels for another machine meanwhile; they cannot be run here."""
    before, _aim.target = _aim.target, other
    try:
        yield
    finally:
        _aim.target = before


def target_named(cpu: str) -> Target:
    """The target of a CPU's name, with the features that the name implies."""
    width = CPUS.get(cpu, 16)
    return Target(cpu, "", width, _registers(width))


def _registers(vector_bytes: int) -> int:
    return 32 if vector_bytes == 64 or _IS_ARM else 16


@functools.cache
def _own() -> Target:
    """The target of this process."""
    return apart(_find_own)


def _find_own() -> Target:
    require(_TO_LOAD, "LLVM", is_library=True)
    import llvmlite.binding as llvm  # not at the head: import of the package stays light

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cpu = os.environ.get("ANFORA_CPU", "")
    if cpu:
        return target_named(cpu)
    present = llvm.get_host_cpu_features()
    wide = all(present.get(name) for name in ("avx512f", "avx512bw", "avx512dq", "avx512vl"))
    middle = bool(present.get("avx2") and present.get("fma"))
    vector_bytes = 64 if wide else 32 if middle else 16
    return Target(llvm.get_host_cpu_name(), present.flatten(), vector_bytes, _registers(vector_bytes))
