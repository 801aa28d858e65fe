"""What random programs are given, and the functions and classes that they find in their module."""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import functools
import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import Call, call

import anfora as ms
from anfora import Parameter, Tensor, nn, ops

__all__ = ["GLOBALS", "PARAMETERS", "calls", "said_at_once"]


class Box:
    """Attributes, of which programs set new ones."""

    def __init__(self, value: Tensor, step: float) -> None:
        self.value, self.step, self.count, self.seen = value, step, 0, []

    def __call__(self, v: Any) -> Any:
        self.count += 1
        return v * self.step

    @property
    def double(self) -> Tensor:
        return self.value * 2


class Noticed:
    """An object of which the box sees when it is dropped."""

    def __init__(self, box: Box) -> None:
        self.box = box

    def __del__(self) -> None:
        self.box.count += 1


class Louder(Tensor):
    """A Tensor with operators of its own, which count."""

    gain, calls = 1, 0

    def __mul__(self, other: Any) -> Any:
        self.calls += 1
        return ops.add(ops.mul(self, 0.5), other * (0.1 * self.gain))

    def __len__(self) -> int:
        return 2


class Stack(list):
    """A list that counts what is put on it."""

    put = 0

    def append(self, value: Any) -> None:
        self.put += 1
        super().append(value)


def boxed(value: Tensor, loud: Tensor) -> Box:
    """A box, with things in it that notice what is done to them."""
    box: Any = Box(value, 0.5)
    box.held, box.notices = Noticed(box), {"a": Noticed(box), "b": Noticed(box), "c": 1}
    box.loud, box.stack = Louder(loud), Stack()
    return box


class Bag:
    """Tensors behind special methods. As a context it counts, and hides LookupErrors."""

    def __init__(self, parts: Any) -> None:
        self.parts, self.entered = list(parts), 0

    def __len__(self) -> int:
        return len(self.parts)

    def __bool__(self) -> bool:
        return len(self.parts) > 2

    def __iter__(self) -> Iterator[Tensor]:
        yield from self.parts[:5]

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return Bag(self.parts[place])
        if isinstance(place, str):
            raise KeyError(place)
        return self.parts[place]

    def __setitem__(self, place: int, v: Tensor) -> None:
        self.parts[place] = v

    def __delitem__(self, place: int) -> None:
        del self.parts[place]

    def __contains__(self, v: object) -> bool:
        return any(v is part for part in self.parts)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Bag):
            return Bag([*self.parts[:2], *other.parts[:2]])
        return Bag([(part + other) * 0.5 for part in self.parts])

    def __radd__(self, other: Any) -> Bag:
        return Bag([other - part * 0.5 for part in self.parts])

    def __iadd__(self, v: Tensor) -> Bag:
        self.parts[0] = self.parts[0] * 0.5 + v * 0.5
        return self

    def __mul__(self, other: Any) -> Any:
        return Bag([ops.tanh(part * other) for part in self.parts]) if not isinstance(other, Bag) else NotImplemented

    def __neg__(self) -> Bag:
        return Bag([-part for part in self.parts])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bag) and len(self) == len(other)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Bag) -> bool:
        return float(self.parts[0].sum()) < float(other.parts[0].sum())

    def __call__(self, v: Any, *more: Any, scale: float = 0.5) -> Any:
        for other in more:
            v = (v + other) * 0.5
        return v * scale + self.parts[-1] * 0.25

    def __enter__(self) -> Tensor:
        self.entered += 1
        return self.parts[0]

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        self.entered += 10
        return kind is not None and issubclass(kind, LookupError)

    def __getattr__(self, name: str) -> Any:
        if name == "first":
            return self.parts[0]
        raise AttributeError(name)

    def __repr__(self) -> str:
        return f"Bag of {len(self.parts)}"


class Steps:
    """An iterator that is no generator: `v`, and what is left of it, `count` times."""

    def __init__(self, v: Tensor, count: int) -> None:
        self.v, self.count = v, count

    def __iter__(self) -> Steps:
        return self

    def __next__(self) -> Tensor:
        if self.count <= 0:
            raise StopIteration
        self.count -= 1
        self.v = self.v * 0.5
        return self.v


@dataclasses.dataclass
class Pair:
    """A dataclass with a method."""

    a: Tensor
    b: Any = 0.5

    def mixed(self, rate: float = 0.5) -> Tensor:
        return self.a * rate + self.b * (1 - rate)


class Net(nn.Cell):
    """A Cell with a branch on data and a counter."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = Parameter(Tensor([[0.5, -0.25, 0.75], [0.125, 1.0, -0.5], [-1.0, 0.25, 0.5]]), name="weight")
        self.bias = Parameter(Tensor([0.1, -0.2, 0.3]), name="bias")
        self.calls = 0

    def construct(self, v: Tensor) -> Tensor:
        self.calls += 1
        v = ops.matmul(v, self.weight) + self.bias
        if v.sum() > 1:
            v = v * 0.5
        return ops.tanh(v)


def halve(v: Any, times: int = 1) -> Any:
    return v if times <= 0 else halve(v * 0.5, times - 1)


def shrink(v: Any, depth: int) -> Any:
    """As far down as the data says."""
    if depth <= 0 or abs(float(v.sum())) < 0.5:
        return v
    return shrink(v * 0.75, depth - 1) + 0.1


def tree(v: Any, depth: int) -> Any:
    if depth < 2:
        return v
    return (tree(v * 0.5, depth - 1) + tree(-v, depth - 2)) * 0.5


def remember(box: Box, values: list, v: Any) -> int:
    box.seen.append(v)
    values.append(v)
    return len(values)


def pieces(v: Any, n: int) -> Iterator[Any]:
    for k in range(n):
        yield v * (k + 1) * 0.25


def chosen(v: Any, n: Any) -> Any:
    if n > 2:
        return v + 1
    if v.sum() > 0:
        return v * 0.5
    return -v


def mixed(a: Any, b: Any = 0.5, *more: Any, rate: float = 0.5, **named: Any) -> Any:
    for v in (*more, *named.values()):
        a = (a + v) * 0.5
    return a * rate + b * (1 - rate)


@ms.jit
def compiled(v: Any, n: int) -> Any:
    if v.sum() > 0:
        v = v * 0.5
    return v + n * 0.1


@contextlib.contextmanager
def counted(box: Box, v: Any) -> Iterator[Any]:
    box.count += 1
    try:
        yield v * 0.5
    finally:
        box.count += 10


def said_at_once(*values: Any, sep: str = " ", end: str = "\n") -> None:
    """`print`, whose line is whole or not there, wherever it is cut short."""
    sys.stdout.write(sep.join(map(str, values)) + end)


PARAMETERS = "x, y, w, n, r, flag, box, items, table, bag, net"

GLOBALS: dict[str, Any] = {
    "ms": ms, "ops": ops, "np": np, "math": math, "functools": functools, "contextlib": contextlib, "builtins": builtins,
    "Tensor": Tensor, "Bag": Bag, "Box": Box, "Louder": Louder, "Net": Net, "Steps": Steps, "Pair": Pair,
    "halve": halve, "shrink": shrink, "tree": tree, "remember": remember, "pieces": pieces, "chosen": chosen,
    "mixed": mixed, "compiled": compiled, "counted": counted,
}  # fmt: skip


def calls(seed: int) -> list[Call]:
    """The arguments x and y (3), w (2, 3), n, r, flag, box, items, table, bag, net of three calls."""
    numbers = np.random.default_rng(seed)

    def tensor(*shape: int) -> Tensor:
        return Tensor(numbers.uniform(-1.5, 1.5, shape).astype(np.float32))

    made = []
    for _ in range(3):
        x, y, w = tensor(3), tensor(3), tensor(2, 3)
        items = [tensor(3), x, tensor(3)]  # one of them twice among the arguments
        table = {"a": tensor(3), "b": tensor(3)}
        n, r, flag = int(numbers.integers(0, 6)), float(numbers.uniform(-2, 2)), bool(numbers.integers(2))
        bag = Bag([tensor(3) for _ in range(int(numbers.integers(2, 5)))])
        made.append(call(x, y, w, n, r, flag, boxed(tensor(3), tensor(3)), items, table, bag, Net()))
    return made
