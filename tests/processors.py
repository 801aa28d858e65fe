"""Processes that do without what this machine's CPU has."""

from __future__ import annotations

import importlib
import pathlib

import numpy as np


def chosen_by_numpy() -> list[str]:
    """The CPU features by which this numpy chooses among its loops; each version has names of its own."""
    core = importlib.import_module(f"numpy.{'_core' if hasattr(np, '_core') else 'core'}._multiarray_umath")
    return [name for name in core.__cpu_dispatch__ if core.__cpu_features__[name]]


def present() -> set[str]:
    """What this CPU has, in Linux's words."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    return set(next((line for line in lines if line.startswith("flags")), "").split())


#: The environment of a process whose C library and numpy do without AVX2, AVX-512 and fused multiply-add.
WITHOUT = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
    "NPY_DISABLE_CPU_FEATURES": " ".join(chosen_by_numpy()),
}

if __name__ == "__main__":  # what a process sees, and numbers by which its C library's powers are told
    print(*chosen_by_numpy(), "|", *(float.hex(0.9**n + 1.0001**n) for n in range(30000)))
