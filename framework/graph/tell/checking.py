"""`jit(check=True)` and `ANFORA_CHECK=1`: each compiled call is done by Python too, and the two are compared.

A process that is forked where the call starts does the call as Python does it (`twins.py`) and writes down what there is
then, as a list of tokens (`digest.py`). The compiled call is the one that counts: the program goes on with what it left. A
second forked process lists that, and compares. Compared are, to the last bit and with all aliases,

- the result, or the error: its type, arguments, notes, causes and contexts;
- the arguments and the function: its free variables, defaults and attributes, the globals that it reads and those that the
  functions read that it can reach, the classes of the program; everything that can be reached from these;
- what was written to `sys.stdout`, `sys.stderr` and to the files behind them, and which warnings a program has caught;
- the states of this library's, Python's and numpy's random generators, and whether operators are recorded;
- where a tape follows, the gradients that a walk back gives from all tensors with a history, started with random numbers.

Outside of it are files, sockets, other processes and what other threads do: what a program does there is done twice. A
checked call has no input, its output comes when it has ended, and calls of compiled functions inside are a part of it.
There is no verdict, and the log says so, where a program asks what only a compiler knows (`ops.isconstant`), where Python
itself gives something else each time (the time, addresses as numbers), where it exchanges something with other processes of
`communication`, where the other process does not come to an end, and
where a call was interrupted.
"""

from __future__ import annotations

import os
import random
import struct
import sys
import time
import types
import warnings
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from anfora.core import slots
from anfora.core.cell import Cell
from anfora.core.dtype import as_dtype, float64
from anfora.core.errors import AnforaError
from anfora.core.random import default_generator
from anfora.core.settings import log
from anfora.core.tensor import as_numpy, convert, from_buffer
from anfora.eager import batched, tape
from anfora.graph.machine.running import running
from anfora.graph.machine.switches import switches
from anfora.graph.tell.digest import Walk
from anfora.graph.tell.tokens import Blob, Path, Token, Word, hashed, shown_path
from anfora.graph.tell.twins import Caught, NoAnswer, Twin, asked
from anfora.graph.tell.watched import FallbackError, Watched

__all__ = ["CheckError", "Checked"]

_MOST_SEEDS = 500  #: tensors that gradients are taken of


class CheckError(AnforaError, AssertionError):
    """A compiled call gave something else than Python did."""


class Checked(Watched):
    """A program whose calls are compared with Python's."""

    calls = 0  #: that were compared
    may_wait = False

    def call(self, args: tuple, kwargs: dict) -> Any:
        if running.depth or batched.state.depth:  # inside of a call that is compared as a whole
            return super().call(args, kwargs)
        self.calls += 1
        number = self.calls
        caught = Caught()
        try:
            twin = Twin(lambda: _done_by_python(self, args, kwargs), _write)
        except (OSError, NotImplementedError) as error:
            self._note_unchecked(number, f"there is no other process: {error}")
            return super().call(args, kwargs)
        try:
            twin.wait()
            start = time.perf_counter()
            caught.start()
            try:
                result = super().call(args, kwargs)
            except FallbackError:
                caught.stop(True)
                raise
            except BaseException as error:
                caught.stop(True)
                outcome = Outcome(self, args, kwargs, error=error)
                self._compare(number, outcome, twin, caught, time.perf_counter() - start)
                del outcome  # which the traceback would keep
                raise
            caught.stop(True)
            outcome = Outcome(self, args, kwargs, result)
            self._compare(number, outcome, twin, caught, time.perf_counter() - start)
            return result
        finally:
            twin.end()
            caught.close()

    def _compare(self, number: int, outcome: Outcome, twin: Twin, caught: Caught, took: float) -> None:
        try:
            stream = twin.stream(took)
            found = asked(lambda: _first_difference(outcome, caught, stream, twin), took, *twin.channels)
        except NoAnswer as reason:
            self._note_unchecked(number, f"Python's run {reason}")
            return
        if found is None:
            return
        index, where, right, came = found
        if outcome.was_interrupted:
            self._note_unchecked(number, "it was interrupted")
            return
        try:
            again = twin.stream(took)
        except NoAnswer:
            pass
        else:
            if _differ_up_to(stream, again, index):
                self._note_unchecked(number, f"Python itself gives something else each time: {where}")
                return
        raise CheckError(
            f"{self.name}, call {number}: {where} differs: Python gives {right}, compiled it is {came}",
            help="this is a bug of graph mode: please report the program. Without `check` it goes on with what came.",
        )

    def _note_unchecked(self, number: int, reason: str) -> None:
        log.warning("%s, call %d, is not checked: %s", self.name, number, reason)


class Outcome:
    """What a call has left.

    Args:
        program, args, kwargs: what was called.
        result: what it gave …
        error: … or raised.
    """

    def __init__(
        self, program: Watched, args: tuple, kwargs: dict, result: Any = None, error: BaseException | None = None
    ) -> None:
        self.program, self.args, self.kwargs = program, args, kwargs
        self.result, self.error = result, error

    @property
    def was_interrupted(self) -> bool:
        """Whether it ended with an exception that comes from outside: a signal's, most often."""
        return self.error is not None and not isinstance(self.error, (Exception, SystemExit, GeneratorExit))

    def tokens(self, output: dict[str, bytes], walk: Walk) -> Iterator[Token]:
        """What there is, told in one order in all processes."""
        yield from walk.tokens(self._roots(output))
        if walk.is_cut:
            return
        for path, found in _gradients(walk):
            yield from walk.tokens([(path, found)])

    def _roots(self, output: dict[str, bytes]) -> Iterator[tuple[Path, Any]]:
        if self.error is None:
            yield _named("what it does"), Word("a result")
            yield _named("result"), self.result
        else:
            name = type.__dict__["__qualname__"].__get__(type(self.error))
            yield _named("what it does"), Word(f"an error, {name}")
            yield _named("error"), self.error
        function: Any = self.program.function
        names: tuple[str, ...] = ()
        if self.args and isinstance(self.args[0], Cell) and function.__module__ != type(self.args[0]).__module__:
            construct = getattr(type(self.args[0]).construct, "__code__", None)
            names = _names(construct) or ("self",)
        elif isinstance(function, types.FunctionType):
            names = _names(function.__code__)
        for position, value in enumerate(self.args):
            yield _named(f"argument {names[position] if position < len(names) else position}"), value
        for name, value in self.kwargs.items():
            yield _named(f"argument {name}"), value
        yield _named(getattr(function, "__name__", "function")), function
        for name, text in output.items():
            yield _named(f"output to {name}"), text.decode("utf-8", "replace")
        yield _named("sys.stdout"), sys.stdout
        yield _named("sys.stderr"), sys.stderr
        yield _named("warnings.showwarning"), warnings.showwarning
        yield _named("warnings"), getattr(warnings, "_showwarnmsg_impl", None)
        yield _named("Python's random numbers"), Word(hashed(random.getstate()))
        yield _named("numpy's random numbers"), np.random.mtrand._rand
        yield _named("random numbers"), (default_generator._seed, default_generator._offset)
        yield _named("what is recorded"), Word(repr(switches()))


def _named(name: str) -> Path:
    return None, f"/{name}"


def _names(code: types.CodeType | None) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount] if code is not None else ()


def _done_by_python(program: Watched, args: tuple, kwargs: dict) -> Outcome:
    slots.watcher.has_asked = False
    try:
        return Outcome(program, args, kwargs, program.function(*args, **kwargs))
    except BaseException as error:
        return Outcome(program, args, kwargs, error=error)


# -- gradients --------------------------------------------------------------------------------------------------------


def _gradients(walk: Walk) -> Iterator[tuple[Path, Any]]:
    """Walk back from the tensors with a history that a walk has come to, with random numbers for their gradients."""
    seeds, rng = [], np.random.Generator(np.random.Philox(17))
    for _, tensor in walk.followed[:_MOST_SEEDS]:
        layout = tensor._layout
        numbers = rng.standard_normal(layout.shape)
        if not layout.dtype.is_float:
            numbers = np.rint(numbers * 2)
        seeds.append((tensor._node, from_buffer(convert(np.asarray(numbers), float64, layout.dtype), layout.dtype)))
    if not seeds:
        return
    try:
        found = tape.backward(seeds, None)
    except Exception as error:
        yield _named("the gradients"), Word(f"{type(error).__name__}: {str(error).splitlines()[0]}")
        return
    known: list[tuple[int, Any]] = []
    others: list[Any] = []
    for leaf, gradient in found.items():
        tensor = leaf.tensor()
        number = None if tensor is None else walk.numbers.get(id(tensor))
        if number is None:
            others.append((_named(f"the gradient of leaf {len(others)}"), gradient))
        else:
            known.append((number, (_named(f"the gradient of {shown_path(walk.paths[number])}"), gradient)))
    yield _named("the gradients"), len(found)
    yield from (pair for _, pair in sorted(known, key=lambda pair: pair[0]))
    yield from others


# -- lists of tokens, written and compared ----------------------------------------------------------------------------

_HEAD = struct.Struct("<IIQ")  # bytes of the text, of the stamp, and of what the stamp is of


def _write(outcome: Outcome, caught: Caught, file: BinaryIO) -> Any:
    """Write down what a call has left. Gives what answers questions: the many values of which a token has a hash."""
    asked_for = slots.watcher.has_asked
    if asked_for:  # `ops.isconstant` and its like, which answer as what runs them
        raise NoAnswer("asks what only a compiler knows" if asked_for is True else asked_for)
    output = caught.texts()
    for token in outcome.tokens(output, Walk()):
        file.write(_record(token))
    file.flush()

    def answer(question: bytes) -> bytes:
        wanted = int(question)
        for number, token in enumerate(outcome.tokens(output, Walk())):
            if number == wanted:
                return token.blob.data if token.blob else b""
        return b""

    return answer


def _record(token: Token) -> bytes:
    text = token.text.encode("utf-8", "surrogatepass")
    stamp = token.blob.stamp if token.blob else b""
    return _HEAD.pack(len(text), len(stamp), len(token.blob.data) if token.blob else 0) + text + stamp


def _records(file: BinaryIO) -> Iterator[bytes]:
    """The records of a list of tokens, one by one."""
    position, held = 0, b""
    while True:
        while len(held) < _HEAD.size or len(held) < sum(_HEAD.unpack_from(held)[:2]) + _HEAD.size:
            more = os.pread(file.fileno(), 1 << 20, position)
            if not more:
                return
            position += len(more)
            held += more
        at = 0
        while len(held) - at >= _HEAD.size:
            end = at + _HEAD.size + sum(_HEAD.unpack_from(held, at)[:2])
            if end > len(held):
                break
            yield held[at:end]
            at = end
        held = held[at:]


def _first_difference(
    outcome: Outcome, caught: Caught, stream: BinaryIO, twin: Twin
) -> tuple[int, str, str, str] | None:
    """Where what there is here differs from what Python's process has written down: which token, where, what is right,
    what came."""
    walk = Walk()
    records = _records(stream)
    number = -1
    for number, token in enumerate(outcome.tokens(caught.texts(), walk)):
        record = next(records, None)
        own = _record(token)
        if record == own:
            continue
        where = shown_path(token.path)
        if record is None:
            return number, where, "nothing", _shown(token.text, walk)
        text_size, *_ = _HEAD.unpack_from(record)
        text = record[_HEAD.size : _HEAD.size + text_size].decode("utf-8", "surrogatepass")
        if text == token.text and token.blob is not None:
            other = Blob(twin.ask(str(number).encode()), token.blob.form)
            place, right, came = _first_in(other, token.blob)
            return number, where + place, right, came
        return number, where, _shown(text, walk), _shown(token.text, walk)
    record = next(records, None)
    if record is not None:
        return number + 1, "the end", "more", "nothing"
    return None


def _shown(text: str, walk: Walk) -> str:
    if text.startswith("\0"):
        number = int(text[1:])
        where = shown_path(walk.paths[number]) if number < len(walk.paths) else "something else"
        return f"the same object as {where}"
    return text


def _first_in(one: Blob, other: Blob) -> tuple[str, str, str]:
    """The first of many values in which two differ: where, and both."""
    if one.form in ("text", "bytes"):
        size = min(len(one.data), len(other.data))
        first = next((i for i in range(size) if one.data[i] != other.data[i]), size)
        start = max(0, first - 20)
        shown = [repr(blob.data[start : first + 20].decode("utf-8", "replace")) for blob in (one, other)]
        return f" at character {first}" if one.data and other.data else "", shown[0], shown[1]
    kind, shape = other.form
    storage = as_dtype(kind).storage if isinstance(kind, str) else kind
    size = storage.itemsize
    bits, others = (np.frombuffer(blob.data, np.uint8).reshape(-1, size) for blob in (one, other))
    if len(bits) != len(others):
        return "", f"{len(bits)} elements", f"{len(others)}"
    [[first], *_] = np.argwhere((bits != others).any(1))
    index = [int(i) for i in np.unravel_index(first, shape)]
    values = [np.frombuffer(blob.data, storage)[first : first + 1] for blob in (one, other)]
    if isinstance(kind, str):
        values = [as_numpy(value, as_dtype(kind)) for value in values]
    right, came = (repr(value[0].item()) for value in values)
    if right == came:
        right, came = (
            f"{text} (bits {blob[first].tobytes()[::-1].hex()})" for text, blob in zip((right, came), (bits, others))
        )
    return f", element {index}", right, came


def _differ_up_to(one: BinaryIO, other: BinaryIO, index: int) -> bool:
    """Whether two lists of Python's differ in one of the first tokens."""
    records, others = _records(one), _records(other)
    return any(next(records, None) != next(others, None) for _ in range(index + 1))
