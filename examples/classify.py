"""Recognise digits with a library of C from Python, which needs neither anfora nor numpy for it; see without_python.py.

python classify.py ./lenet.so images.f32 logits.f32 4
"""

from __future__ import annotations

import ctypes
import sys
from array import array

MOST, PIXELS, DIGITS = 32, 32 * 32, 10


def main(file: str, images: str, logits: str, threads: str = "1") -> int:
    """Read images of 32 × 32 floats, write ten floats for each, and print what digit it is."""
    library = ctypes.CDLL(file)
    pointer = ctypes.POINTER(ctypes.c_float)
    library.lenet_run.argtypes = [ctypes.c_int64, pointer, pointer, ctypes.c_void_p]
    library.lenet_error.restype = ctypes.c_char_p
    library.lenet_set_threads(int(threads))
    with open(images, "rb") as source:
        given = array("f", source.read())
    count = len(given) // PIXELS
    found = array("f", bytes(4 * DIGITS * count))
    x, scores = ((ctypes.c_float * len(each)).from_buffer(each) for each in (given, found))
    at = 0
    while at < count:
        step = MOST if count - at >= MOST else 1
        code = library.lenet_run(
            step,
            ctypes.cast(ctypes.byref(x, 4 * PIXELS * at), pointer),
            ctypes.cast(ctypes.byref(scores, 4 * DIGITS * at), pointer),
            None,
        )
        if code:
            print(library.lenet_error(code).decode(), file=sys.stderr)
            return 1
        at += step
    for i in range(count):
        row = found[i * DIGITS : (i + 1) * DIGITS]
        print(row.index(max(row)), end=" ")
    print()
    with open(logits, "wb") as target:
        found.tofile(target)
    library.lenet_set_threads(1)  # as it must be before it is unloaded
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
