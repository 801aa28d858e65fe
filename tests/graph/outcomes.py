"""What tests compare: the bits of what a call gives, or its error; what is left to the interpreter; programs that are
interrupted; work in threads."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anfora as ms
from anfora import Tensor
from anfora.core.tensor import current
from anfora.graph.run.points import Hop


def bits(value: Any) -> Any:
    """A value as something that is equal only if all bits, types and nestings are: -0.0 is not 0.0, and NaN is NaN."""
    if isinstance(value, Tensor):  # not through asnumpy(), which lends the memory out
        return "tensor", value.dtype, value.shape, current(value)._array.tobytes()
    if isinstance(value, (tuple, list)):
        return type(value), [bits(item) for item in value]
    if isinstance(value, dict):
        return type(value), [(bits(key), bits(item)) for key, item in value.items()]
    return type(value), repr(value)


def outcome(function: Callable, *args: Any, errors: Any = Exception) -> Any:
    """The bits of what a call gives, or its error, if it is one of these."""
    try:
        return bits(function(*args))
    except errors as error:
        return type(error), str(error)


def gradients_of_all(function: Callable) -> Callable:
    """The sum of the squares of all tensors that a function of two gives, in whatever nesting, and its gradients."""

    def total(x: Tensor, v: Tensor) -> Any:
        found, pending = 0.0, [function(x, v)]
        while pending:
            value = pending.pop()
            if isinstance(value, Tensor):
                found = found + (value * value).sum()
            else:
                pending += value
        return found

    return ms.value_and_grad(total, (0, 1))


def hops(compiled: Any) -> list[str]:
    """What a compiled function leaves to the interpreter, by reason."""
    points = [*compiled.program.entries.values(), *compiled.program.points.values()]
    return [v.end.reason for p in points for v in p.variants if isinstance(v.end, Hop) and not v.end.is_native]


class Programs(dict[str, tuple[Callable, tuple[str, ...]]]):
    """Programs by name, each with the texts of what is left to the interpreter."""

    def enter(self, *hops: str) -> Callable:
        def keep(function: Callable) -> Callable:
            self[function.__name__] = function, hops
            return function

        return keep


def assert_stops_at_an_interrupt(program: str) -> None:
    """A process says "ready" before it starts something without an end, and "interrupted" where it catches the
    `KeyboardInterrupt` that comes some time later, within two seconds of its own work."""
    program = (
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n" + program
    )  # ignored in the background
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        begin = _processor_seconds(process.pid)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert _processor_seconds(process.pid) - begin < 2


def _processor_seconds(process: int) -> float:
    """What a process has computed so far, however busy the machine is."""
    of_program, of_kernel = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(of_program) + int(of_kernel)) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def written_by_another_thread(flag: Tensor) -> Iterator[None]:
    """Another thread adds one to the flag once what is done here has taken half a second of the processor."""

    def write() -> None:
        while time.process_time() - begin < 0.5:
            time.sleep(0.01)
        flag.add_(1)

    begin = time.process_time()
    other = threading.Thread(target=write)
    other.start()
    yield
    other.join()


def in_threads(work: Callable[[int], None], count: int = 8) -> None:
    """Do `work(0)`, `work(1)`, … at once, each in a thread."""
    workers = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
