"""Where the time and the memory of a program go: by operator, kernel, line of the program and Cell.

    with anfora.Profiler() as profile:
        train(net, data)
    print(profile)                          # the operators and the lines that cost most
    profile.by("kernel")                    # or "operator", "line", "cell": rows to compute with
    profile.save("trace.json")              # for https://ui.perfetto.dev, chrome://tracing or VS Code

Kernels are timed where they run, in the native loop of the executor (kernel/executor.py, Trace), by each thread for its own
part: a compiled step is measured as it is, and not taken apart. What PyNative mode does around its kernels is timed in
Python, so its operators take the path through Python while one measures, which is slower; their kernels are the same.
A loop on single numbers that runs natively from end to end has no steps and is not seen.
"""

from __future__ import annotations

import bisect
import functools
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

from anfora.core.arguments import answers
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.nearest import missing_in
from anfora.core.op import Op
from anfora.core.span import Span, calling_frame, cell_path, frame_position
from anfora.eager import dispatch, tape
from anfora.kernel.build import kernel_names
from anfora.kernel.executor import Ran, Trace, get_num_threads

__all__ = ["Profiler"]

KEYS = ("operator", "kernel", "line", "cell")
_BACK = " (back)"


class Took(NamedTuple):
    """A step of a native program, by all threads together.

    Attributes:
        operator: its name; those of a fused group stand in one row, as `mul+add+relu`, with the line and Cell of the
            last, or of the product or convolution in front.
        kernel: what its machine code was made by.
        line: of the program, as `train.py:12`; "" where none is known.
        cell: the Cell that was called, as `Net.head.fc`; "" outside of Cells.
        is_back: whether it belongs to the walk back of a gradient; its line and Cell are those of the way there.
        began, seconds: when, after the profile was started, and how long, on the clock on the wall.
        busy: seconds of all threads together.
        parts: of each thread: its identifier, and when it began and ended, in nanoseconds.
    """

    operator: str
    kernel: str
    line: str
    cell: str
    is_back: bool
    began: float
    seconds: float
    busy: float
    parts: tuple[tuple[int, int, int], ...]


class Cost(NamedTuple):
    """What the steps with something in common took.

    Attributes:
        name: what they have in common, as in `Took`.
        steps: how many there are.
        seconds, busy: on the clock on the wall; of all threads together.
        share: of the seconds of all steps, in [0, 1].
    """

    name: str
    steps: int
    seconds: float
    busy: float
    share: float


class _Call(NamedTuple):
    """A call of an operator in PyNative mode."""

    op: Op
    place: tuple[CodeType | None, int]
    cell: str
    is_back: bool
    thread: int
    began: int
    ended: int


@answers
class Profiler:
    """Measure what the program does from here on until `stop()`, or in a `with` block.

    Args:
        output_path: a folder; `analyse()` and the end of a `with` block write `trace.json` there. None writes nothing.
        start_profile: whether it starts at once; else `start()` does.
        profile_memory: whether the memory of the process is looked at, every few milliseconds, by a thread.

    Raises:
        OpTypeError: `output_path` is no path.   OpRuntimeError: another profile is running; only one can.

    Source: the names are MindSpore's; its options for other devices do not exist here.

    Example:
        >>> import numpy as np
        >>> from anfora import Tensor, ops
        >>> x = Tensor(np.ones((64, 64), np.float32))
        >>> with Profiler() as profile:
        ...     y = ops.matmul(x, x)
        >>> profile.by("operator")[0].name
        'matmul'
    """

    def __init__(
        self, output_path: str | os.PathLike | None = None, *, start_profile: bool = True, profile_memory: bool = True
    ) -> None:
        if output_path is not None and not isinstance(output_path, (str, os.PathLike)):
            raise OpTypeError(f"Profiler: output_path must be the path of a folder, but got {output_path!r}")
        self.took: list[Took] = []  #: all steps, in the order in which they ended
        self.memory: list[tuple[float, int]] = []  #: seconds after the start, and bytes of the process in memory
        self.seconds = 0.0  #: that were measured, on the wall
        self.lost = 0  #: steps that there was no room to note
        self._folder = None if output_path is None else Path(output_path)
        self._wants_memory = bool(profile_memory)
        self._calls: list[_Call] = []
        self._paths: dict[float, str] = {}  #: of nodes of the tape, by tick: the Cell that recorded them
        self._marks: list[tuple[str, int]] = []
        self._trace: Trace | None = None
        self._start = 0
        if start_profile:
            self.start()

    # -- measuring ----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to measure, and forget what was measured before. Does nothing where it measures already.

        Raises:
            OpRuntimeError: another profile is running.
        """
        if self._trace is not None:
            return
        trace = Trace()
        trace.start()
        self._trace = trace
        self.took, self.memory, self._calls, self._marks = [], [], [], []
        self._paths.clear()
        self._start = time.monotonic_ns()
        dispatch.observe(self._observe)
        self._sampler = _Sampler(self._start, self.memory) if self._wants_memory else None

    def stop(self) -> None:
        """End measuring. Does nothing where it has ended."""
        if self._trace is None:
            return
        self.seconds = (time.monotonic_ns() - self._start) / 1e9
        dispatch.observe(None)
        if self._sampler is not None:
            self._sampler.stop()
        ran, self.lost = self._trace.stop()
        self._trace = None
        self.took = list(_joined(ran, _Calls(self._calls), self._start))

    def step(self, name: str = "step") -> None:
        """Mark a moment, such as the end of a training step; it is drawn in the trace."""
        self._marks.append((str(name), time.monotonic_ns()))

    def analyse(self, *, show: bool = True) -> Profiler:
        """End measuring; print the tables, and write the trace if there is an `output_path`."""
        self.stop()
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self.save(self._folder / "trace.json")
        if show:
            print(self)
        return self

    def __enter__(self) -> Profiler:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.analyse(show=False)

    def _observe(self, run: Callable, entry: Any, flat: list) -> Any:
        """Run an operator of PyNative mode and note it."""
        frame = calling_frame(2)
        node = tape.node_walked_back(sys._getframe(2))
        place, cell = frame_position(frame), ""
        if node is not None:
            place, cell = (node.code, node.at), self._paths.get(node.tick, "")
        elif frame is not None:
            cell = _path(cell_path(sys._getframe(2)))
        began = time.monotonic_ns()
        try:
            result = run(entry, flat)
        finally:
            call = _Call(entry.op, place, cell, node is not None, threading.get_ident(), began, time.monotonic_ns())
            self._calls.append(call)
        recorded = tape.node_of(result) if cell else None
        if recorded is not None:
            self._paths[recorded.tick] = cell
        return result

    # -- what was found ------------------------------------------------------------------------------------------------

    def by(self, key: str = "operator") -> list[Cost]:
        """What the native steps took, by `key`: "operator", "kernel", "line" or "cell", the dearest first.

        Raises:
            OpValueError: another key.
        """
        if key not in KEYS:
            raise OpValueError(f"Profiler.by: a key is one of {', '.join(KEYS)}, but got {key!r}")
        self._needs_an_end()
        groups: dict[str, list[Took]] = {}
        for each in self.took:
            name = getattr(each, key)
            if key == "operator" and each.is_back:
                name += _BACK
            groups.setdefault(name, []).append(each)
        total = sum(each.seconds for each in self.took) or 1.0
        costs = []
        for name, members in groups.items():
            seconds = sum(each.seconds for each in members)
            busy = sum(each.busy for each in members)
            costs.append(Cost(name or f"(no {key})", len(members), seconds, busy, seconds / total))
        return sorted(costs, key=lambda cost: -cost.seconds)

    @property
    def peak_memory(self) -> int:
        """The most bytes that the process had in memory, of what was looked at; 0 where nothing was."""
        return max((nbytes for _, nbytes in self.memory), default=0)

    def __str__(self) -> str:
        if self._trace is not None:
            return "Profiler: measuring"
        return self.table("operator", "line")

    def table(self, *keys: str, rows: int = 12) -> str:
        """Tables for people, at most 120 columns wide: by each of `keys`, `rows` of each."""
        self._needs_an_end()
        native = sum(each.seconds for each in self.took)
        around = sum(call.ended - call.began for call in self._calls) / 1e9
        lines = [
            f"{_time(self.seconds)} on the clock, {get_num_threads()} threads: kernels {_time(native)}"
            f" ({_share(native, self.seconds)}), operators of PyNative mode with theirs {_time(around)}"
        ]
        if self.memory:
            first = self.memory[0][1]
            lines.append(f"memory of the process: {_bytes(first)} at the start, at most {_bytes(self.peak_memory)}")
        if self.lost:
            lines.append(f"{self.lost:,} steps were not noted: measure fewer at a time")
        for key in keys or KEYS:
            costs = self.by(key)
            lines += ["", f"{'by ' + key:<68}{'steps':>9}{'time':>12}{'of all':>9}{'a step':>12}{'threads':>10}"]
            for cost in costs[:rows]:
                threads = cost.busy / cost.seconds if cost.seconds else 1.0
                lines.append(
                    f"{_short(cost.name, 66):<68}{cost.steps:>9,}{_time(cost.seconds):>12}{cost.share:>9.1%}"
                    f"{_time(cost.seconds / cost.steps):>12}{threads:>10.1f}"
                )
            if len(costs) > rows:
                rest = costs[rows:]
                seconds, share = sum(c.seconds for c in rest), sum(c.share for c in rest)
                lines.append(
                    f"{f'{len(rest)} more':<68}{sum(c.steps for c in rest):>9,}{_time(seconds):>12}{share:>9.1%}"
                )
        return "\n".join(lines)

    def save(self, file: str | os.PathLike) -> None:
        """Write a trace in Chrome's format (JSON), which Perfetto and chrome://tracing open: a lane for each thread, the
        kernels in the operators, and the memory.

        Source: Chrome's Trace Event Format; times in microseconds from the start.
        """
        self._needs_an_end()
        Path(file).write_text(json.dumps({"traceEvents": list(self._events()), "displayTimeUnit": "ms"}))

    def _events(self) -> Iterable[dict[str, Any]]:
        process, main = os.getpid(), threading.main_thread().ident
        threads = {call.thread for call in self._calls} | {part[0] for each in self.took for part in each.parts}
        names = {each.ident: each.name for each in threading.enumerate()}
        numbers = {thread: number for number, thread in enumerate(sorted(threads, key=lambda t: (t != main, t)))}
        yield {"name": "process_name", "ph": "M", "pid": process, "tid": 0, "args": {"name": "anfora"}}
        for thread, number in numbers.items():
            args = {"name": names.get(thread, f"worker {number}")}
            yield {"name": "thread_name", "ph": "M", "pid": process, "tid": number, "args": args}

        def event(name: str, kind: str, thread: int, began: int, ended: int, args: dict[str, Any]) -> dict[str, Any]:
            start = (began - self._start) / 1e3
            return {
                "name": name, "cat": kind, "ph": "X", "pid": process, "tid": numbers[thread], "ts": start,
                "dur": (ended - began) / 1e3, "args": args,
            }  # fmt: skip

        for call in self._calls:
            args = {"line": _line(call.place), "cell": call.cell}
            name = call.op.name + _BACK * call.is_back
            yield event(name, "operator", call.thread, call.began, call.ended, args)
        for each in self.took:
            args = {"operator": each.operator, "line": each.line, "cell": each.cell}
            for thread, began, ended in each.parts:
                yield event(each.kernel, "kernel", thread, began, ended, args)
        for name, at in self._marks:
            stamp = (at - self._start) / 1e3
            yield {"name": name, "ph": "i", "s": "g", "pid": process, "tid": 0, "ts": stamp}
        for seconds, nbytes in self.memory:
            yield {"name": "memory", "ph": "C", "pid": process, "ts": seconds * 1e6, "args": {"bytes": nbytes}}

    def _needs_an_end(self) -> None:
        if self._trace is not None:
            raise OpRuntimeError("Profiler: it is measuring still; call stop() first, or leave the with block")


# -- from notes to steps ----------------------------------------------------------------------------------------------


class _Calls:
    """The calls of PyNative mode, to find the one in which a step began."""

    def __init__(self, calls: list[_Call]) -> None:
        self._by_thread: dict[int, list[_Call]] = {}
        for call in sorted(calls, key=lambda call: call.began):
            self._by_thread.setdefault(call.thread, []).append(call)
        self._starts = {thread: [call.began for call in calls] for thread, calls in self._by_thread.items()}

    def around(self, moment: int, op: Op) -> _Call | None:
        for thread, starts in self._starts.items():
            index = bisect.bisect_right(starts, moment) - 1
            for call in reversed(self._by_thread[thread][max(index - 3, 0) : index + 1]):
                if call.op is op and call.began <= moment <= call.ended:
                    return call
        return None


def _joined(ran: list[Ran], calls: _Calls, start: int) -> Iterable[Took]:
    """Steps from the parts of the threads."""
    names = kernel_names()
    groups: dict[Any, list[Ran]] = {}
    for number, part in enumerate(ran):
        groups.setdefault((part.job, part.kernel, id(part.computes)) if part.job else number, []).append(part)
    for parts in groups.values():
        began, ended = min(part.began for part in parts), max(part.ended for part in parts)
        computes = parts[0].computes
        if isinstance(computes, Op):
            call = calls.around(began, computes)
            name, line, cell, is_back = computes.name, "", "", False
            if call is not None:
                line, cell, is_back = _line(call.place), call.cell, call.is_back
        elif computes:
            name = "+".join(row.entry.op.name for row in computes)
            told = computes[0 if computes[0].entry.end_axis is not None else -1]  # a product takes longer than its end
            place, cells = (told.place, told.cells) if told.back is None else told.back
            line, is_back = _line(place), told.back is not None
            cell = _path(cell_path(None, cells.cell_calls())) if cells is not None else ""
        else:
            name, line, cell, is_back = "copies and checks", "", "", False
        yield Took(
            name, names.get(parts[0].kernel, "a kernel"), line, cell, is_back, (began - start) / 1e9, (ended - began) / 1e9,
            sum(part.ended - part.began for part in parts) / 1e9, tuple((p.thread, p.began, p.ended) for p in parts),
        )  # fmt: skip


def _path(told: str | None) -> str:
    """The path alone of what `cell_path` tells."""
    return (told or "").partition(":")[0].partition(" got ")[0]


@functools.lru_cache(4096)
def _line(place: tuple[CodeType | None, Any]) -> str:
    code, at = place
    if code is None:
        return ""
    span = Span.of(code, at)
    return f"{os.path.basename(span.file)}:{span.line}"


# -- memory -----------------------------------------------------------------------------------------------------------


class _Sampler:
    """A thread that looks at the memory of the process."""

    PERIOD = 0.002  #: seconds

    def __init__(self, start: int, found: list[tuple[float, int]]) -> None:
        self._start, self._found = start, found
        self._ended = threading.Event()
        self._look()
        self._thread = threading.Thread(target=self._run, name="anfora.Profiler", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ended.wait(self.PERIOD):
            self._look()

    def _look(self) -> None:
        self._found.append(((time.monotonic_ns() - self._start) / 1e9, _resident()))

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()
        self._look()


def _resident() -> int:
    """Bytes of this process in memory."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # no Linux: the most there has been
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


# -- text -------------------------------------------------------------------------------------------------------------


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            return f"{seconds / size:.3g} {unit}" if seconds / size < 1000 else f"{seconds / size:,.0f} {unit}"
    raise AssertionError


def _bytes(count: int) -> str:
    return f"{count / 2**20:,.0f} MiB"


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "–"


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
