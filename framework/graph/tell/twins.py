"""Processes that do a call once more: forked where it starts, gone when it has been compared.

    Caught      what a call writes to the standard streams; it is written on when the call has ended
    Twin        a forked process that does the call as Python does it, and writes down what came of it
    asked(…)    something that is found out in a forked process, so that this one stays as it is

A twin waits as it was forked, and each time that it is asked forks once more, for the call itself: so Python can be asked
twice, where it is to be known what the program decides by itself (its clock, its addresses). None of these processes
returns from here, none runs what is to be done at the end of the program, and all are gone with the one that made them.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import random
import select
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NoReturn

from anfora.graph.facts.kinds import is_a
from anfora.graph.machine.running import running
from anfora.kernel.build import progress

__all__ = ["Caught", "NoAnswer", "Twin", "asked", "can_fork"]

PATIENCE = 20.0  #: seconds that another process may take, beside …
TIMES = 20.0  #: … so many times what the call has taken here
_PIECE = 1 << 16


class NoAnswer(Exception):
    """The other process has not come to its end; the message says how it went."""


def can_fork() -> bool:
    """Whether this system can."""
    return hasattr(os, "fork")


def _memory() -> BinaryIO:
    """A file in memory."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("anfora"), "w+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)


# -- output -----------------------------------------------------------------------------------------------------------


class Caught:
    """What is written to the standard streams while a call runs: to the files behind them, whoever writes. Streams that
    are objects of the program, or in memory, are left alone: they hold themselves what was written."""

    def __init__(self) -> None:
        self.files: list[tuple[int, str, BinaryIO]] = []  #: each with its number and its name
        self._kept: list[tuple[int, int]] = []

    def start(self) -> None:
        """Send what is written from now on to memory."""
        progress.hold()
        for number, name in self._numbers().items():
            file = _memory()
            self._kept.append((number, os.dup(number)))
            os.dup2(file.fileno(), number)
            self.files.append((number, name, file))

    def stop(self, writes_on: bool) -> None:
        """Let the streams be what they were.

        Args:
            writes_on: whether what was caught is written to them.
        """
        flush()
        for (number, before), (*_, file) in zip(self._kept, self.files):
            os.dup2(before, number)
            os.close(before)
            if writes_on:
                _copy(file, number)
        self._kept.clear()
        progress.release()

    def texts(self) -> dict[str, bytes]:
        """What was written, by stream."""
        flush()
        return {name: b"".join(_pieces(file)) for _, name, file in self.files}

    def close(self) -> None:
        for *_, file in self.files:
            file.close()

    @staticmethod
    def _numbers() -> dict[int, str]:
        """The open files behind the standard streams."""
        found: dict[int, str] = {}
        for name, stream in _streams():
            with contextlib.suppress(Exception):  # closed, or in memory
                found.setdefault(io.TextIOWrapper.fileno(stream), name)
        found.setdefault(1, "file 1")
        found.setdefault(2, "file 2")
        return {number: name for number, name in found.items() if _is_open(number)}


def _streams() -> Iterator[tuple[str, io.TextIOWrapper]]:
    """The standard streams that are Python's own, with their names."""
    for name in ("stdout", "stderr", "__stdout__", "__stderr__"):
        stream = getattr(sys, name, None)
        if is_a(stream, io.TextIOWrapper):
            yield f"sys.{name}", stream


def flush() -> None:
    """Write what the standard streams still hold back."""
    for _, stream in _streams():
        with contextlib.suppress(Exception):
            io.TextIOWrapper.flush(stream)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _copy(file: BinaryIO, number: int) -> None:
    for piece in _pieces(file):
        while piece:
            piece = piece[os.write(number, piece) :]


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """What a file holds, wherever it is read or written just now."""
    at = 0
    while piece := os.pread(file.fileno(), _PIECE, at):
        at += len(piece)
        yield piece


# -- processes --------------------------------------------------------------------------------------------------------


def _fork(*kept: Channel) -> int:
    """Fork; in the new process only these channels are open."""
    state = random.getstate()
    with warnings.catch_warnings():  # Python 3.12 warns of threads; the children need none of them
        warnings.simplefilter("ignore")
        process = os.fork()
    if not process:
        random.setstate(state)  # Python seeds it anew
        own = {number for channel in kept for number in (channel.reading, channel.writing)}
        for number in _open - own:  # of twins in other threads, which are told by their end that a process is gone
            os.close(number)
        _open.intersection_update(own)
    return process


_open: set[int] = set()  #: the ends of channels that are open in this process


def _in_child(do: Callable[[], None]) -> NoReturn:
    """Do something as the last thing of a forked process."""
    status = 70
    try:
        do()
        status = 0
    finally:
        os._exit(status)


class Channel:
    """A pipe for messages, whose length stands in front of them."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        _open.update((self.reading, self.writing))

    def send(self, message: bytes) -> None:
        data = len(message).to_bytes(8, "little") + message
        while data:
            data = data[os.write(self.writing, data[:_PIECE]) :]

    def receive(self, seconds: float | None) -> bytes | None:
        """The next message; None where there will be none.

        Raises:
            TimeoutError: nothing has come in time.
        """
        end = None if seconds is None else time.monotonic() + seconds
        head = self._read(8, end)
        return None if head is None else self._read(int.from_bytes(head, "little"), end)

    def _read(self, count: int, end: float | None) -> bytes | None:
        data = b""
        while len(data) < count:
            if not select.select([self.reading], [], [], None if end is None else max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError
            piece = os.read(self.reading, min(count - len(data), _PIECE))
            if not piece:
                return None
            data += piece
        return data

    def close_reading(self) -> None:
        self._close("reading")

    def close_writing(self) -> None:
        self._close("writing")

    def close(self) -> None:
        self.close_reading()
        self.close_writing()

    def _close(self, name: str) -> None:
        number = getattr(self, name)
        if number >= 0:
            _open.discard(number)
            os.close(number)
            setattr(self, name, -1)


def _limit(took: float) -> float:
    """Seconds in which another process is to do what has taken so long here."""
    return PATIENCE + TIMES * took


def _reaped(process: int) -> str | None:
    """Wait for a process; how it went, if not well."""
    while True:
        try:
            _, status = os.waitpid(process, 0)
            break
        except InterruptedError:
            continue
        except ChildProcessError:  # somebody else has waited for it
            return None
    if os.WIFSIGNALED(status):
        return f"was ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return None if os.WEXITSTATUS(status) == 0 else f"ended with status {os.WEXITSTATUS(status)}"


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def asked(find: Callable[[], Any], took: float, *needs: Channel) -> Any:
    """What a function gives, found by a forked process, whose output goes nowhere.

    Args:
        find: the function; what it gives is to be pickled.
        took: seconds that the call has taken.
        needs: channels that the function uses.
    Raises:
        NoAnswer: it gave nothing in time, or did not end well.
    """
    flush()
    channel = Channel()
    process = _fork(channel, *needs)
    if not process:

        def do() -> None:
            channel.close_reading()
            os.setpgid(0, 0)
            _be_alone()
            caught = Caught()
            caught.start()
            try:
                answer = True, find()
            except Exception as error:
                answer = False, f"could not be compared: {type(error).__name__}: {error}"
            channel.send(pickle.dumps(answer))

        _in_child(do)
    channel.close_writing()
    try:
        answer = channel.receive(_limit(took))
    except TimeoutError:
        raise NoAnswer(f"took longer than {_limit(took):.0f} s") from None
    finally:
        channel.close()
        _kill(process)
        how = _reaped(process)
    if answer is None:
        raise NoAnswer(how or "gave no answer")
    is_found, found = pickle.loads(answer)
    if not is_found:
        raise NoAnswer(found)
    return found


def _be_alone() -> None:
    """Let everything that is compiled be done by Python, in all threads of this process, which has no input."""
    kind = type(running)
    kind.is_plain = True
    kind.depth = running.depth = running.depth + 1
    with contextlib.suppress(OSError):
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)


class _Child:
    """A process that does a call. Its `life` is a pipe that nothing is written to, which ends with it."""

    is_alive = True

    def __init__(self, process: int, questions: Channel, life: Channel) -> None:
        self.process, self.questions, self.life = process, questions, life

    def has_ended(self) -> bool:
        return bool(select.select([self.life.reading], [], [], 0)[0])


class Twin:
    """A process as this one is now, which can do a call any number of times, each time for the first time.

    Args:
        call: does the call, in a process of its own, with what it writes caught. It gives what came of it.
        write: is given that, what was caught, and a file, and writes down there what came of it, or raises NoAnswer. What
            it gives is called with each question that comes, and gives the answer.
    """

    def __init__(
        self, call: Callable[[], Any], write: Callable[[Any, Caught, BinaryIO], Callable[[bytes], bytes]]
    ) -> None:
        if not can_fork():
            raise NotImplementedError("this system has no fork")
        self._call, self._write = call, write
        self._commands, self._news = Channel(), Channel()
        self._streams: list[BinaryIO] = [_memory(), _memory()]
        self._asked = 0
        self._first: bytes | None = b"ran"  #: the news that has come early
        flush()
        try:
            self._process = _fork(*self.channels)
        except OSError:
            self._close()
            raise
        if not self._process:
            _in_child(self._wait)
        self._commands.close_reading()
        self._news.close_writing()
        self._commands.send(b"run")

    @property
    def channels(self) -> tuple[Channel, Channel]:
        """How it is spoken to."""
        return self._commands, self._news

    # In the forked process.

    def _wait(self) -> None:
        """Fork again for each call that is asked for, and tell if one does not come to its end."""
        os.setpgid(0, 0)  # Ctrl-C is for the program
        self._commands.close_writing()
        self._news.close_reading()
        children: list[_Child] = []
        while True:
            for child in children:
                if child.is_alive and child.has_ended():
                    child.is_alive = False
                    self._news.send(b"gone " + (_reaped(child.process) or "ended early").encode())
            lives = [child.life.reading for child in children if child.is_alive]
            ready = select.select([self._commands.reading, *lives], [], [])[0]
            if self._commands.reading not in ready:
                continue
            message = self._commands.receive(None)
            if message is None or message == b"end":
                break
            if message == b"run":
                children.append(self._child(len(children)))
            else:
                children[0].questions.send(message)
        for child in children:
            if child.is_alive:
                _kill(child.process)
                _reaped(child.process)

    def _child(self, number: int) -> _Child:
        questions, life = Channel(), Channel()
        process = _fork(questions, life, self._news)
        if not process:
            _in_child(lambda: self._run(questions, life, number))
        questions.close_reading()
        life.close_writing()
        return _Child(process, questions, life)

    def _run(self, questions: Channel, life: Channel, number: int) -> None:
        questions.close_writing()
        life.close_reading()
        try:
            self._answer(questions, number)
        except NoAnswer as reason:
            self._news.send(f"gone {reason}".encode())
        except Exception as error:  # of ours: what the program raises is a part of what is written down
            self._news.send(f"gone could not be written down: {type(error).__name__}: {error}".encode())

    def _answer(self, questions: Channel, number: int) -> None:
        _be_alone()
        ballast = [bytearray(64 * n) for n in range(1, 200 * number)]  # other addresses than the last time
        caught = Caught()
        caught.start()
        outcome = self._call()
        self._news.send(b"ran")
        with open(self._streams[number].fileno(), "wb", closefd=False, buffering=_PIECE) as file:
            answer = self._write(outcome, caught, file)
        self._news.send(b"done")
        while True:
            question = questions.receive(None)
            if question is None:
                break
            self._news.send(b"what" + answer(question))
        ballast.clear()

    # In this one.

    def wait(self) -> None:
        """Give the process time to do the call, so that the two do not meet where both write. What it lists, it lists
        while the program goes on."""
        with contextlib.suppress(TimeoutError):
            self._first = self._news.receive(PATIENCE)

    def stream(self, took: float) -> BinaryIO:
        """What the process has written down. Each further time it does the call anew.

        Args:
            took: seconds that the call has taken here.
        Raises:
            NoAnswer: it has not come to an end.
        """
        number = self._asked
        self._asked += 1
        if number:
            self._commands.send(b"run")
        news, self._first = self._first, b"ran"
        try:
            while news == b"ran":
                news = self._news.receive(_limit(took))
        except TimeoutError:
            raise NoAnswer(f"took longer than {_limit(took):.0f} s") from None
        if news != b"done":
            raise NoAnswer("is gone" if news is None else news[5:].decode())
        file = self._streams[number]
        file.seek(0)
        return file

    def ask(self, question: bytes) -> bytes:
        """What the process that has done the first call answers."""
        self._commands.send(question)
        answer = self._news.receive(PATIENCE)
        if answer is None or answer.startswith(b"gone"):
            raise NoAnswer("is gone")
        return answer[4:]

    def end(self) -> None:
        """Let the processes go."""
        with contextlib.suppress(BrokenPipeError):
            self._commands.send(b"end")
        self._close()
        _reaped(self._process)

    def _close(self) -> None:
        self._commands.close()
        self._news.close()
        for file in self._streams:
            file.close()
