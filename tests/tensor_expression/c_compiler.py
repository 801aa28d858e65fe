"""Compile C and C++ texts with every warning an error, and call what they define."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

COMPILERS = {"c": ["gcc", "-std=c99"], "c++": ["g++", "-x", "c++"], "c as c++": ["g++", "-x", "c++"]}
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror"]


def compile_library(folder: Path, text: str, language: str) -> ctypes.CDLL:
    """The library of a text; skips the test where there is no compiler."""
    compiler = COMPILERS[language]
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"there is no {compiler[0]} on this machine")
    source, library = folder / "kernels.c", folder / "kernels.so"
    lines = text.splitlines()
    head = sorted({line for line in lines if line.startswith("#include")})  # not within extern "C"
    body = [line for line in lines if not line.startswith("#include")]
    if language != "c":
        body = ['extern "C" {', *body, "}"]
    source.write_text("\n".join([*head, *body]) + "\n")
    flags = ["-O1", "-ffp-contract=off", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
    done = subprocess.run([*compiler, *WARNINGS, *flags], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + text
    return ctypes.CDLL(str(library))


def call(library: ctypes.CDLL, name: str, arguments: list) -> None:
    """Call a function with arrays (by address) and numbers (by value, of numpy types)."""
    kinds = {"float32": ctypes.c_float, "float64": ctypes.c_double, "int32": ctypes.c_int}
    converted = [
        ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else kinds[a.dtype.name](a.item())
        for a in arguments
    ]  # fmt: skip
    function = library[name]
    function.restype = None
    function(*converted)
