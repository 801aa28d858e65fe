"""CRC-32C, the checksum of files of records (RFC 3720, B.4)."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from anfora.kernel.irregular import irregular
from anfora.kernel.loops import HEADER

__all__ = ["crc32c"]

_POLYNOMIAL = 0x82F63B78
_SHORT = 64  # up to so many bytes a plain loop is as fast


@functools.cache
def _byte_table() -> list[int]:
    table = []
    for byte in range(256):
        word = byte
        for _ in range(8):
            word = (word >> 1) ^ (_POLYNOMIAL if word & 1 else 0)
        table.append(word)
    return table


@irregular
def _of_bytes(lo, hi, scratch, data: "u8*", table: "u32*"):
    word = 0xFFFFFFFF
    for i in range(lo, hi):
        word = table[(word ^ data[i]) & 255] ^ (word >> 8)
    return word ^ 0xFFFFFFFF


@functools.cache
def _kernel() -> tuple[Any, int, np.ndarray]:
    """The loop over bytes as native code, and its table."""
    table = np.array(_byte_table(), np.uint32)
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(_of_bytes.address()), table.ctypes.data, table


def crc32c(data: bytes) -> int:
    """The checksum of data.

    Example:
        >>> hex(crc32c(b"123456789"))
        '0xe3069283'
    """
    if len(data) <= _SHORT:
        table, word = _byte_table(), 0xFFFFFFFF
        for byte in data:
            word = table[(word ^ byte) & 255] ^ (word >> 8)
        return word ^ 0xFFFFFFFF
    function, table_at, _ = _kernel()
    words = (ctypes.c_int64 * (HEADER + 2))(0, len(data))
    words[HEADER], words[HEADER + 1] = np.frombuffer(data, np.uint8).ctypes.data, table_at
    return function(words)
