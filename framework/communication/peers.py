"""Whether the other processes live: who fails, dies or leaves while others wait ends all of them, with words.

Each process has a connection to process 0, which passes on what it hears, and a thread that listens. A connection that
ends without a goodbye is a process that was killed, or has called `os._exit`. Who fails says so, prints its traceback and
ends all by MPI's abort. A process that waits for one that is gone raises an error at its line; one that computes is ended
after a few seconds, wherever it is.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import socket
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any

from anfora.core.errors import OpRuntimeError

__all__ = ["Peers"]

_GRACE = 4.0  #: seconds in which a program may end by itself after another process has died
_PASS_ON = 0.3  #: seconds in which a launcher passes on what was written, before it hears that it is to end all
_ANSWER = 2.0  #: seconds in which a process should say where it is
_TO_CONNECT = 60.0  #: seconds in which processes that begin together should find each other
_GREETING = 20  #: bytes with which a connection begins: the token, and the number of the process


class PeerError(OpRuntimeError):
    """Another process is gone, for which this one waits."""


class Peers:
    """The other processes, as this one knows them.

    Args:
        comm: MPI's communicator of all.
        hosts: the names of their machines.
    """

    def __init__(self, comm: Any, hosts: Sequence[str]) -> None:
        self.rank, self.size = comm.rank, comm.size
        self.names = [
            f"process {rank} (pid {pid}{'' if len(set(hosts)) == 1 else f' on {hosts[rank]}'})"
            for rank, pid in enumerate(comm.allgather(os.getpid()))
        ]
        self.trouble: str | None = None  #: what has become of a process that all others end for
        self.left: dict[int, dict[str, int]] = {}  #: who has said goodbye, and how many operators it had done by then
        self.waiting: str | None = None  #: what this process waits in
        self.meetings: dict[str, int] = {}  #: operators that this process has begun, by group
        self._deadline: float | None = None
        self._answers: dict[int, str] = {}
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._connections = _connect(comm, hosts)
        self._pending = dict.fromkeys(self._connections, b"")
        self._main = threading.main_thread().ident
        _close_in_children(self)
        self._thread = threading.Thread(target=self._listen, name="anfora-peers", daemon=True)
        self._thread.start()
        self._watch_errors()

    # -- what this process says --------------------------------------------------------------------------------------

    def _watch_errors(self) -> None:
        before, before_in_threads = sys.excepthook, threading.excepthook

        def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            if isinstance(error, PeerError) and self._pid == os.getpid():
                self._end_behind(error)
            before(kind, error, trace)
            self.fail(error)

        def thread_hook(args: Any) -> None:
            before_in_threads(args)
            if args.exc_type is not SystemExit:
                self.fail(args.exc_value)

        exit_now = os._exit

        def leave(status: int) -> Any:
            if self._pid == os.getpid() and len(self.left) < self.size:
                self._tell_end(f"{self.names[self.rank]} has called os._exit({status})")
                self._abort(status)
            exit_now(status)

        self._exit = exit_now
        sys.excepthook, threading.excepthook, os._exit = hook, thread_hook, leave  # type: ignore[assignment]
        _note_exits(self)

    def _end_behind(self, error: PeerError) -> None:
        """The program has ended since another process is gone, which ends all; one line says where it was."""
        _write(f"anfora: {error.message}" + (f"\n{error.place}" if error.place else ""))
        _flush()
        time.sleep(2 * _PASS_ON)  # so that the exit code is the other's
        self._exit(1)

    def fail(self, error: BaseException | None) -> None:
        """This process has failed: the others hear of it, and all end."""
        if self._pid != os.getpid():
            return
        lines = "".join(traceback.format_exception_only(error)).strip().splitlines() if error is not None else []
        self._tell_end(
            f"{self.names[self.rank]} has failed: {lines[0].rpartition('errors.')[2] if lines else 'an error'}"
        )
        self._abort(1)

    def _tell_end(self, words: str) -> None:
        _flush()
        _write(f"anfora: {words}; all {self.size} processes end")
        self._say({"end": words, "of": self.rank})

    def _abort(self, code: int) -> None:
        time.sleep(_PASS_ON)
        late = threading.Timer(_GRACE, self._exit, (code or 1,))
        late.daemon = True
        late.start()
        from mpi4py import MPI

        if not MPI.Is_finalized():
            MPI.COMM_WORLD.Abort(code or 1)
        self._exit(code or 1)

    def say_goodbye(self) -> bool:
        """The program has come to its end: whoever waits for this process need not. Returns when all have said so.

        Gives whether MPI can be ended in order.
        """
        if _exit_code(self):
            self._tell_end(f"{self.names[self.rank]} has ended with the exit code {_exit_code(self)}")
            self._abort(_exit_code(self))
        _flush()
        self._say({"bye": self.rank, "meetings": self.meetings})
        self.left[self.rank] = dict(self.meetings)
        while len(self.left) < self.size and self.trouble is None:
            time.sleep(0.002)
        if self.trouble is not None:
            self._end_hard()
        self._deadline = None
        return True

    def _say(self, message: dict, but: socket.socket | None = None) -> None:
        data = json.dumps(message).encode() + b"\n"
        with self._lock:
            for connection in list(self._connections):
                if connection is not but:
                    with contextlib.suppress(OSError):
                        connection.sendall(data)

    # -- what it hears -----------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        selector = selectors.DefaultSelector()
        for each in self._connections:
            selector.register(each, selectors.EVENT_READ)
        while self._connections or self._deadline is not None:
            wait = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
            for key, _ in selector.select(wait):
                connection: Any = key.fileobj
                try:
                    data = connection.recv(1 << 16)
                except OSError:
                    data = b""
                if data:
                    self._take(connection, data)
                else:
                    selector.unregister(connection)
                    self._lost(connection)
            if self._deadline is not None and time.monotonic() >= self._deadline:
                self._end_hard()

    def _take(self, connection: socket.socket, data: bytes) -> None:
        *lines, self._pending[connection] = (self._pending[connection] + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if self.rank == 0 and message.get("to", -1) != 0:
                self._say(message, but=connection)
            if "bye" in message:
                self.left[message["bye"]] = message["meetings"]
            elif "end" in message:
                self._end_soon(message["end"])
            elif message.get("to") == self.rank and "ask" in message:
                self._say({"answer": self.place(), "of": self.rank, "to": message["ask"]})
            elif message.get("to") == self.rank:
                self._answers[message["of"]] = message["answer"]

    def _lost(self, connection: socket.socket) -> None:
        rank = self._connections.pop(connection)
        connection.close()
        if rank in self.left:
            return
        if self.trouble is None:
            words = f"{self.names[rank]} has died without a word, as one that is killed"
            _write(f"anfora: {words}; all {self.size} processes end")
            self._say({"end": words, "of": rank})
            self._end_soon(words)

    def _end_soon(self, words: str) -> None:
        if self.trouble is None:
            self.trouble, self._deadline = words, time.monotonic() + _GRACE

    def _end_hard(self) -> None:
        _flush()
        self._exit(1)

    # -- for who waits -----------------------------------------------------------------------------------------------

    def check(self, who: str, ranks: Sequence[int], group: str, meeting: int) -> None:
        """Raise an error if a process that is waited for will not come.

        Args:
            who: the operator.
            ranks: the processes of the group.
            group, meeting: which of the group's operators it is.
        """
        if self.trouble is not None:
            raise PeerError(f"{who}: process {self.rank} waits, but {self.trouble}")
        for rank in ranks:
            done = self.left.get(rank)
            if done is not None and done.get(group, 0) < meeting:
                raise OpRuntimeError(
                    f"{who}: process {self.rank} waits, but {self.names[rank]} has come to the end of its program",
                    help="all processes must call the same operators, in the same order.",
                )

    def places(self, ranks: Sequence[int]) -> dict[int, str]:
        """Where other processes are now; of those that do not answer, that."""
        self._answers.clear()
        others = [rank for rank in ranks if rank != self.rank]
        for rank in others:
            self._say({"ask": self.rank, "to": rank})
        until = time.monotonic() + _ANSWER
        while len(self._answers) < len(others) and time.monotonic() < until:
            time.sleep(0.01)
        return {rank: self._answers.get(rank, "does not answer") for rank in others}

    def place(self) -> str:
        """Where this process is: the operator that it waits in, or the line of the program."""
        if self.waiting is not None:
            return f"waits in {self.waiting}"
        from anfora.core.span import is_internal

        frame: FrameType | None = sys._current_frames().get(self._main or 0)
        while frame is not None and is_internal(frame.f_code):
            frame = frame.f_back
        if frame is None:
            return "is between two lines of its program"
        return f"is at {os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}, in {frame.f_code.co_name}"

    def close_in_child(self) -> None:
        """A forked process speaks for nobody, and must not keep connections open."""
        for connection in list(self._connections):
            connection.close()
        self._connections = {}


def _connect(comm: Any, hosts: Sequence[str]) -> dict[socket.socket, int]:
    """Connections, with whom: process 0 has one to each of the others."""
    if comm.rank == 0:
        is_one_machine = len(set(hosts)) == 1
        server = socket.create_server(("127.0.0.1" if is_one_machine else "", 0), backlog=comm.size)
        name = "127.0.0.1" if is_one_machine else socket.gethostname()
        token = secrets.token_bytes(16)
        comm.bcast((name, server.getsockname()[1], token), root=0)
        found = _greeted(server, token, comm.size - 1)
        server.close()
        return found
    name, port, token = comm.bcast(None, root=0)
    connection = socket.create_connection((name, port), timeout=_TO_CONNECT)
    connection.settimeout(None)
    connection.sendall(token + comm.rank.to_bytes(4, "little"))
    return {connection: 0}


def _greeted(server: socket.socket, token: bytes, count: int) -> dict[socket.socket, int]:
    """So many connections that begin with the token, with whom. Others may connect too: what they say, or that they say
    nothing, keeps nobody waiting."""
    found: dict[socket.socket, int] = {}
    heard: dict[socket.socket, bytes] = {}
    deadline = time.monotonic() + _TO_CONNECT
    server.setblocking(False)
    with selectors.DefaultSelector() as selector:
        selector.register(server, selectors.EVENT_READ)
        while len(found) < count:
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready and time.monotonic() >= deadline:
                missing = sorted(set(range(1, count + 1)) - set(found.values()))
                raise OpRuntimeError(
                    f"process 0 has waited {_TO_CONNECT:.0f} seconds for a connection of process"
                    f" {', '.join(map(str, missing))}",
                    help="the machines must reach each other by TCP.",
                )
            for key, _ in ready:
                with contextlib.suppress(BlockingIOError, ConnectionError):
                    if key.fileobj is server:
                        connection, _ = server.accept()
                        connection.setblocking(False)
                        selector.register(connection, selectors.EVENT_READ)
                        heard[connection] = b""
                        continue
                    connection = key.fileobj  # type: ignore[assignment]
                    try:
                        more = connection.recv(_GREETING - len(heard[connection]))
                    except ConnectionError:
                        more = b""
                    greeting = heard[connection] = heard[connection] + more
                    if more and len(greeting) < _GREETING:
                        continue
                    selector.unregister(connection)
                    del heard[connection]
                    if len(greeting) == _GREETING and secrets.compare_digest(greeting[: len(token)], token):
                        connection.setblocking(True)
                        found[connection] = int.from_bytes(greeting[len(token) :], "little")
                    else:
                        connection.close()
    for connection in heard:
        connection.close()
    return found


def _close_in_children(peers: Peers) -> None:
    reference = weakref.ref(peers)

    def close() -> None:
        found = reference()
        if found is not None:
            found.close_in_child()

    os.register_at_fork(after_in_child=close)


def _write(text: str) -> None:
    """A message, in one piece, as all processes write to one place."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def _flush() -> None:
    """Write what the program has printed; not for long, should somebody hold the file."""

    def flush() -> None:
        for file in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                file.flush()

    thread = threading.Thread(target=flush, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the interpreter ends, and makes no more threads
        flush()
    else:
        thread.join(1.0)


# -- exit codes -------------------------------------------------------------------------------------------------------
#
# MPI's launchers forget the exit code of a process that has ended MPI in order, and Python does not tell those who are
# called at its end what the code is. So `sys.exit` raises an exception that tells when it is dropped: with the program's
# frames all gone it was the end, else the program has caught it.

_codes: dict[int, Any] = {}


class _Exit(SystemExit):
    peers: int = 0

    def __del__(self) -> None:
        if sys._getframe().f_back is None:
            _codes[self.peers] = self.code


def _of(number: int, status: Any) -> _Exit:
    made = _Exit() if status is None else _Exit(status)
    made.peers = number
    return made


def _note_exits(peers: Peers) -> None:
    number = id(peers)

    def exit(status: Any = None, /) -> Any:
        raise _of(number, status)  # without a variable, by which its traceback would hold it

    exit.__doc__ = sys.exit.__doc__
    sys.exit = exit


def _exit_code(peers: Peers) -> int:
    code = _codes.get(id(peers))
    return 0 if code is None else code & 255 if isinstance(code, int) else 1
