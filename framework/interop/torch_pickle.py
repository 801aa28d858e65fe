"""What torch's files say of tensors, read without unpickling.

A pickle is a program, and Python's reader runs it: it calls whatever the file names. So nothing of Python's pickle is
used here. This machine knows the instructions that torch writes for tensors in containers, and a closed list of names,
which are words to it, not objects: no name is imported, no attribute is set, nothing of the file's is called. What else
a file says is refused, with the byte where it stands. Memory and time are those of the file's length.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anfora.core import dtype as dt
from anfora.core.dtype import DType
from anfora.core.errors import OpValueError

__all__ = ["Storage", "TensorOf", "Word", "read"]


@dataclass(frozen=True)
class Word:
    """A name of the closed list."""

    name: str


@dataclass(frozen=True)
class Storage:
    """Memory that tensors are on: elements of `dtype`, bytes where that is None."""

    key: str
    dtype: DType | None
    count: int


@dataclass(frozen=True)
class TensorOf:
    """A tensor: where its elements lie in a storage, in elements."""

    storage: Storage
    dtype: DType
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


#: Storages by torch's names, with their elements.
_STORAGES: dict[str, DType | None] = {
    "FloatStorage": dt.float32, "DoubleStorage": dt.float64, "HalfStorage": dt.float16, "BFloat16Storage": dt.bfloat16,
    "LongStorage": dt.int64, "IntStorage": dt.int32, "ShortStorage": dt.int16, "CharStorage": dt.int8,
    "ByteStorage": dt.uint8, "BoolStorage": dt.bool_, "ComplexFloatStorage": dt.complex64,
    "ComplexDoubleStorage": dt.complex128,
}  # fmt: skip
_WORDS = {f"torch.{name}": dtype for name, dtype in _STORAGES.items()} | {"torch.storage.UntypedStorage": None}
_DTYPES = {f"torch.{dtype.name.rstrip('_')}": dtype for dtype in dt.ALL}
_OTHERS = {
    "collections.OrderedDict", "__builtin__.set", "builtins.set", "_codecs.encode", "torch.Size", "torch.device",
    "torch._utils._rebuild_tensor", "torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_tensor_v3",
    "torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state", "torch._tensor._rebuild_from_type_v2",
    "torch.Tensor", "torch.nn.parameter.Parameter",
}  # fmt: skip
_KNOWN = {*_WORDS, *_DTYPES, *_OTHERS}
_MARK = object()


def read(data: bytes, start: int = 0) -> tuple[Any, int]:
    """What a pickle holds: numbers, texts, containers, `Word`s and `TensorOf`s; and the byte behind it.

    Raises:
        OpValueError: it holds something else, is damaged or cut off; with the byte where.
    """
    machine = _Machine(data, start)
    try:
        return machine.run(), machine.at
    except OpValueError as error:
        raise OpValueError(f"at byte {machine.begin} of its pickle: {error.message}", help=error.help) from None
    except (IndexError, KeyError, struct.error, UnicodeDecodeError, TypeError, ValueError, AttributeError):
        raise OpValueError(
            f"at byte {machine.begin} of its pickle: the file is damaged, or cut off, and no pickle of tensors"
        ) from None


class _Machine:
    """The stack of a pickle and what it has noted."""

    def __init__(self, data: bytes, start: int) -> None:
        self.data, self.at, self.begin = data, start, start
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def run(self) -> Any:
        while True:
            self.begin = self.at
            code = self.take(1)[0]
            step = _STEPS.get(code)
            if step is None:
                raise OpValueError(f"the instruction {bytes([code])!r} is none that torch writes for tensors")
            if step is _stop:
                [found] = self.stack
                return found
            step(self)

    # -- the bytes, and the stack ---------------------------------------------------------------------------------

    def take(self, count: int) -> bytes:
        if count < 0 or count > len(self.data) - self.at:
            raise OpValueError(f"{count} bytes are told, but {len(self.data) - self.at} are there")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form: str) -> Any:
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def text(self, form: str) -> str:
        return self.take(self.number(form)).decode("utf-8", "surrogatepass")

    def line(self) -> str:
        end = self.data.index(b"\n", self.at)
        found = self.data[self.at : end].decode("ascii")
        self.at = end + 1
        return found

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def pop(self) -> Any:
        value = self.stack.pop()
        if value is _MARK:
            raise OpValueError("a value is wanted where a mark stands")
        return value

    def since_mark(self) -> list[Any]:
        at = len(self.stack) - 1
        while self.stack[at] is not _MARK:
            at -= 1
            if at < 0:
                raise OpValueError("a mark is wanted, but there is none")
        found = self.stack[at + 1 :]
        del self.stack[at:]
        return found


# -- instructions -----------------------------------------------------------------------------------------------------


def _stop(machine: _Machine) -> None:
    """The end; see `_Machine.run`."""


def _protocol(machine: _Machine) -> None:
    version = machine.number("B")
    if version > 5:
        raise OpValueError(f"pickles have protocols up to 5, but this is {version}")


def _global(machine: _Machine) -> None:
    module = machine.line()
    machine.push(_word(f"{module}.{machine.line()}"))


def _stack_global(machine: _Machine) -> None:
    name, module = machine.pop(), machine.pop()
    if type(name) is not str or type(module) is not str:
        raise OpValueError("a name is wanted, and is none")
    machine.push(_word(f"{module}.{name}"))


def _word(name: str) -> Word:
    if name not in _KNOWN:
        raise OpValueError(
            f"the file asks for {name[:80]!r}, which is none of what tensors and containers are made of, and is not called",
            help="torch.save(model.state_dict(), file) writes tensors and containers alone.",
        )
    return Word(name)


def _reduce(machine: _Machine) -> None:
    given, function = machine.pop(), machine.pop()
    if type(function) is not Word or type(given) is not tuple:
        raise OpValueError("something is called that is no function of torch's")
    machine.push(_called(function.name, given))


def _called(name: str, given: tuple) -> Any:
    """What a function of the list gives. None is called: this is what they are known to make."""
    if name == "collections.OrderedDict" and not given:
        return {}
    if name in ("__builtin__.set", "builtins.set"):
        [items] = given
        return {_key(item) for item in _of(list, items)}
    if name == "_codecs.encode":
        text, coding = given
        if coding != "latin1":
            raise OpValueError(f"a text is to be encoded as {coding!r:.40}, but torch writes latin1")
        return _of(str, text).encode("latin1")
    if name == "torch.Size":
        [sizes] = given
        return _whole(sizes)
    if name == "torch.device":
        return "cpu"
    if name == "torch._utils._rebuild_tensor":
        return _tensor(*given)
    if name == "torch._utils._rebuild_tensor_v2":
        if len(given) > 6 and given[6]:
            raise OpValueError(
                "a tensor is a view that is conjugated or negative, which the file says only beside its numbers",
                help="save x.resolve_conj().resolve_neg().",
            )
        return _tensor(*given[:4])
    if name == "torch._utils._rebuild_tensor_v3":
        storage, offset, shape, strides = given[:4]
        return _tensor(storage, offset, shape, strides, _DTYPES[given[6].name])
    if name in ("torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state"):
        return _of(TensorOf, given[0])
    if name == "torch._tensor._rebuild_from_type_v2":
        function = _of(Word, given[0]).name
        return _called(function, _of(tuple, given[2])) if function in _REBUILD else _refuse(function)
    return _refuse(name)


_REBUILD = {name for name in _OTHERS if name.startswith("torch._utils._rebuild")}


def _refuse(name: str) -> Any:
    raise OpValueError(f"{name} is called, which torch does not do for tensors")


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise OpValueError(f"a {kind.__name__} is wanted, but got a {type(value).__name__}")
    return value


def _whole(values: Any) -> tuple[int, ...]:
    if not all(type(n) is int and 0 <= n < 1 << 62 for n in _of(tuple, values)) or len(values) > 32:
        raise OpValueError("lengths and strides are numbers from 0 on, but these are not")
    return values


def _tensor(storage: Any, offset: Any, shape: Any, strides: Any, dtype: DType | None = None) -> TensorOf:
    kind = _of(Storage, storage).dtype or dtype
    [start], shape, strides = _whole((offset,)), _whole(shape), _whole(strides)
    if kind is None or len(shape) != len(strides):
        raise OpValueError("a tensor is wanted, but its type, or a stride, is missing")
    count = storage.count if storage.dtype is not None else storage.count // kind.itemsize
    size, last = 1, start
    for length, step in zip(shape, strides):
        size *= length
        last += (length - 1) * step
    if size and last >= count:
        raise OpValueError(f"a tensor {list(shape)} reaches to element {last} of a storage that has {count}")
    if size > count:
        raise OpValueError(f"a tensor has {size} elements on a storage of {count}, which it would have to repeat")
    return TensorOf(storage, kind, start, shape, strides)


def _persistent(machine: _Machine) -> None:
    given = machine.pop()
    if type(given) is not tuple or len(given) < 5 or given[0] != "storage" or type(given[1]) is not Word:
        raise OpValueError("something is kept outside of the pickle that is no storage of a tensor")
    if len(given) > 5 and given[5] is not None:
        raise OpValueError("a storage is a view of another one, as torch wrote them before 0.4; save the file anew")
    word, key, count = given[1].name, _of(str, given[2]), given[4]
    if word not in _WORDS:
        raise OpValueError(f"a storage is wanted, but got {word}")
    machine.push(Storage(key, _WORDS[word], _whole((count,))[0]))


def _build(machine: _Machine) -> None:
    """A state for what stands below. Only dicts of torch's have one: the versions of its layers, which are not needed."""
    machine.pop()
    if type(machine.stack[-1]) is not dict:
        raise OpValueError("a state is given to what has none")


def _key(value: Any) -> Any:
    """What may be the key of a dict: nested ones would be hashed as deep as they go."""
    if value is not None and type(value) not in (str, int, float, bool, bytes):
        raise OpValueError(f"a {type(value).__name__} is the key of a dict")
    return value


def _set_items(machine: _Machine, items: list[Any]) -> None:
    held = _of(dict, machine.stack[-1])
    if len(items) % 2:
        raise OpValueError("a key has no value")
    for key, value in zip(items[::2], items[1::2]):
        held[_key(key)] = value


def _set_item(machine: _Machine) -> None:
    value, key = machine.pop(), machine.pop()
    _set_items(machine, [key, value])


def _append(machine: _Machine) -> None:
    value = machine.pop()
    _of(list, machine.stack[-1]).append(value)


def _appends(machine: _Machine) -> None:
    values = machine.since_mark()
    _of(list, machine.stack[-1]).extend(values)


def _add_items(machine: _Machine) -> None:
    values = machine.since_mark()
    _of(set, machine.stack[-1]).update([_key(value) for value in values])


def _tuple_of(count: int) -> Callable[[_Machine], None]:
    def step(machine: _Machine) -> None:
        machine.push(tuple([machine.pop() for _ in range(count)][::-1]))

    return step


def _long(machine: _Machine) -> None:
    machine.push(int.from_bytes(machine.take(machine.number("B")), "little", signed=True))


def _put(form: str) -> Callable[[_Machine], None]:
    def step(machine: _Machine) -> None:
        machine.memo[machine.number(form)] = machine.stack[-1]

    return step


def _get(form: str) -> Callable[[_Machine], None]:
    return lambda machine: machine.push(machine.memo[machine.number(form)])


def _memoize(machine: _Machine) -> None:
    machine.memo[len(machine.memo)] = machine.stack[-1]


def _pushed(value: Any) -> Callable[[_Machine], None]:
    return lambda machine: machine.push(value)


def _numbers(form: str) -> Callable[[_Machine], None]:
    return lambda machine: machine.push(machine.number(form))


def _texts(form: str) -> Callable[[_Machine], None]:
    return lambda machine: machine.push(machine.text(form))


def _bytes(form: str) -> Callable[[_Machine], None]:
    return lambda machine: machine.push(machine.take(machine.number(form)))


_STEPS: dict[int, Callable[[_Machine], None]] = {
    ord(code): step
    for code, step in {
        "\x80": _protocol, "\x95": lambda machine: machine.number("Q"), ".": _stop,
        "N": _pushed(None), "\x88": _pushed(True), "\x89": _pushed(False),
        "K": _numbers("B"), "M": _numbers("H"), "J": _numbers("i"), "\x8a": _long,
        "G": lambda machine: machine.push(struct.unpack(">d", machine.take(8))[0]),
        "X": _texts("I"), "\x8c": _texts("B"), "\x8d": _texts("Q"),
        "B": _bytes("I"), "C": _bytes("B"), "\x8e": _bytes("Q"),
        "}": lambda machine: machine.push({}), "]": lambda machine: machine.push([]), ")": _pushed(()),
        "\x8f": lambda machine: machine.push(set()),
        "(": _pushed(_MARK), "t": lambda machine: machine.push(tuple(machine.since_mark())),
        "\x85": _tuple_of(1), "\x86": _tuple_of(2), "\x87": _tuple_of(3),
        "s": _set_item, "u": lambda machine: _set_items(machine, machine.since_mark()), "a": _append, "e": _appends,
        "\x90": _add_items,
        "q": _put("B"), "r": _put("I"), "h": _get("B"), "j": _get("I"), "\x94": _memoize,
        "c": _global, "\x93": _stack_global, "R": _reduce, "Q": _persistent, "b": _build,
    }.items()
}  # fmt: skip
