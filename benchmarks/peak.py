"""The machine's limit for float32 products: fused multiply-adds that never leave the registers, on one core and on all.

python benchmarks/peak.py
"""

from __future__ import annotations

import ctypes
import threading
import time
from array import array

from anfora.kernel.build import recipe
from anfora.kernel.emit import Function, Module, Type
from anfora.kernel.executor import available_threads
from anfora.kernel.target import target

CHAINS = 12  #: independent sums: enough to fill two units of latency 4 to 6
ROUNDS = 2_000_000


@recipe
def multiply_add() -> Module:
    """words: rounds, where to store a sum (so that nothing is left out)."""
    fn = Function("kernel", [("ptr", "words")])
    kind = Type("f32", target().lanes("f32"))
    factor = fn.splat(fn.load(fn.word(1).pointer(), kind.scalar), kind.lanes)
    sums = [fn.var(fn.const(float(i), kind), kind) for i in range(CHAINS)]
    with fn.loop(0, fn.word(0)):
        for total in sums:
            total.set(fn.intrinsic("fma", total.value, factor, factor))
    for i, total in enumerate(sums):
        fn.store(total.value, fn.word(2).pointer(), i, align=4)
    fn.ret(0)
    return fn.module


def gigaflops(threads: int) -> float:
    """Billions of operations a second, all threads together; the best of several turns."""
    kernel = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(multiply_add.address())
    factor = (ctypes.c_float * 1)(0.5)
    stores = [(ctypes.c_float * (CHAINS * 16))() for _ in range(threads)]
    words = [array("q", [ROUNDS, ctypes.addressof(factor), ctypes.addressof(store)]) for store in stores]
    best = float("inf")
    for _ in range(7):
        workers = [threading.Thread(target=kernel, args=(w.buffer_info()[0],)) for w in words]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        best = min(best, time.perf_counter() - start)
    return 2 * CHAINS * target().lanes("f32") * ROUNDS * threads / best / 1e9


if __name__ == "__main__":
    for threads in sorted({1, available_threads()}):
        print(f"{threads} threads: {gigaflops(threads):.0f} GFLOP/s")
