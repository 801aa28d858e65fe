"""Memory of the process: what a large array adds to it, and takes with it."""

from pathlib import Path

import numpy as np

import anfora as ms
from anfora import hal, runtime

SIZE = 256 << 20


def test_memory_of_a_large_tensor():
    assert runtime.max_memory_allocated is hal.max_memory_allocated is runtime.max_memory_reserved
    before = runtime.memory_allocated()
    held = ms.Tensor(np.ones(SIZE // 4, np.float32))
    assert runtime.memory_allocated() - before > 0.9 * SIZE
    assert runtime.max_memory_allocated() - before > 0.9 * SIZE
    del held
    runtime.empty_cache()
    assert runtime.memory_allocated() - before < 0.5 * SIZE < runtime.max_memory_allocated() - before
    runtime.reset_peak_memory_stats()
    assert runtime.max_memory_allocated() - before < 0.5 * SIZE


def test_it_is_what_the_system_says():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    assert abs(runtime.memory_allocated() - pages * 4096) < 64 << 20
