"""Arrays between protected pages: a kernel that reads or writes one byte outside them ends the process."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np

_PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Region:
    """Bytes that end (or begin) exactly at a page that may not be touched; with `align`, as close to it as that allows."""

    def __init__(self, nbytes: int, at_end: bool = True, fill: int = 0, align: int = 1) -> None:
        pages = -(-max(nbytes, 1) // _PAGE)
        block = mmap.mmap(-1, (pages + 2) * _PAGE)
        base = ctypes.addressof(ctypes.c_char.from_buffer(block))
        start = _PAGE + ((pages * _PAGE - nbytes) // align * align if at_end else 0)
        self.at_end = at_end
        self.address = base + start
        self.bytes = np.frombuffer(block, np.uint8, nbytes, start)
        self.bytes[:] = fill
        for page in (base, base + (pages + 1) * _PAGE):
            if _libc.mprotect(page, _PAGE, 0):
                raise OSError(ctypes.get_errno(), "mprotect")


def guarded(array: np.ndarray, at_end: bool = True) -> np.ndarray:
    """A copy of `array`, contiguous, that ends (or begins) exactly at a page that may not be touched."""
    array = np.ascontiguousarray(array)
    result = Region(array.nbytes, at_end).bytes.view(array.dtype).reshape(array.shape)
    result[...] = array
    return result
