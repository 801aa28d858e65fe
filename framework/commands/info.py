"""`python -m anfora info`: what a report of an error should say of the machine and of the versions."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import sys

__all__ = ["main", "processor"]

_LIBRARIES = ("numpy", "numba", "llvmlite", "safetensors", "tqdm")
_EXTRAS = ("matplotlib", "pillow", "opencv-python-headless", "tensorboardX", "mpi4py")


def main(arguments: list[str]) -> int:
    """Print it."""
    parser = argparse.ArgumentParser(
        prog="python -m anfora info",
        description="Versions, processor, threads, cache of compiled kernels: what a report of an error should have.",
    )
    parser.parse_args(arguments)
    for name, text in _facts():
        print(f"{name:12}{text}")
    return 0


def _facts() -> list[tuple[str, str]]:
    import anfora
    from anfora.alias import VERSION
    from anfora.kernel.target import target

    aim = target()
    return [
        ("anfora", f"{anfora.__version__}, with the names of MindSpore {VERSION}"),
        ("Python", f"{platform.python_version()}, {sys.executable}"),
        ("system", platform.platform()),
        ("libraries", ", ".join(_version(name) for name in _LIBRARIES)),
        ("extras", ", ".join(_version(name) for name in _EXTRAS)),
        ("processor", f"{processor()}, {os.cpu_count()} cores"),
        ("kernels for", f"{aim.cpu}, vectors of {8 * aim.vector_bytes} bits"),
        ("threads", str(anfora.get_num_threads())),
        ("cache", _cache()),
    ]


def _version(name: str) -> str:
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return f"no {name}"


def processor() -> str:
    """The processor as the system calls it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _cache() -> str:
    from anfora.kernel.cache import LIMIT_BYTES, Cache, default_folder

    named = default_folder()
    if named is None:
        return "off (ANFORA_CACHE is empty)"
    folder = Cache(named).folder
    if folder is None:
        return f"off: {named} cannot be used, or others may write there"
    sizes = [entry.stat().st_size for entry in os.scandir(folder) if entry.is_file()]
    return f"{folder}: {len(sizes):,} files, {sum(sizes) / 1e6:.1f} MB; above {LIMIT_BYTES / 1e6:.0f} MB the oldest go"
