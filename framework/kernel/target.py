"""The machine that kernels are compiled for: CPU name, features, vector width.

`ANFORA_CPU` names another CPU than the host's (`x86-64`, `haswell`, …). Tests use it to compile and run without AVX-512
or AVX2; naming a CPU with instructions that the host lacks ends in an illegal instruction, as with any compiler.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from typing import Any

from anfora.kernel.heap import require

__all__ = ["Target", "target"]


@dataclass(frozen=True)
class Target:
    """What the generators ask of the machine."""

    cpu: str
    features: str
    vector_bytes: int  #: width of the widest vector registers: 64, 32 or 16
    registers: int  #: how many of them

    @functools.cached_property
    def machine(self) -> Any:
        return self.new_machine()

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


_TO_LOAD = 224 << 20  #: bytes of address space; it was seen to take 182 MiB


@functools.cache
def target() -> Target:
    """The target of this process."""
    require(_TO_LOAD, "LLVM", is_library=True)
    import llvmlite.binding as llvm  # not at the head: import of the package stays light

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cpu = os.environ.get("ANFORA_CPU", "")
    if cpu:
        features = ""  # what the name implies
        wide = cpu in ("skylake-avx512", "cascadelake", "icelake-server", "sapphirerapids", "x86-64-v4") or (
            cpu.startswith("znver") and cpu[5:] >= "4"
        )
        middle = wide or cpu in ("haswell", "broadwell", "skylake", "x86-64-v3") or cpu.startswith("znver")
    else:
        cpu = llvm.get_host_cpu_name()
        present = llvm.get_host_cpu_features()
        features = present.flatten()
        wide = all(present.get(name) for name in ("avx512f", "avx512bw", "avx512dq", "avx512vl"))
        middle = bool(present.get("avx2") and present.get("fma"))
    vector_bytes = 64 if wide else 32 if middle else 16
    return Target(cpu, features, vector_bytes, 32 if wide else 16)
