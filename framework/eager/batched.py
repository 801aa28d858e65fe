"""Batched tensors: what a function of one example sees while it is run once for all examples.

    Batched(value)      looks like one example, of shape (3,) say; `value` holds them all, (B, 3), the batch axis in front

An operator that gets one goes to `run`: the operator is checked as for an example (`normalize`, `infer`), its batching
rule is called on the values, and what comes is the next Batched. Without a rule the operator is run for each example.
The values are ordinary tensors, or Batched themselves in a `vmap` inside a `vmap`, so the tape sees ordinary calls.

What cannot be done for all examples at once raises NeedsExamples, and `vmap` calls the function for each: the numbers of a
Batched (a branch on them, `item()`, printing), its history (a gradient inside the function), a write in place, a random
operator, `backward()`. It is raised before anything has happened.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from anfora.core import advice, slots
from anfora.core.abstract import Layout, TensorType
from anfora.core.errors import OpRuntimeError
from anfora.core.op import Op, Weak
from anfora.core.tensor import Tensor
from anfora.eager import operators
from anfora.eager.entry import thaw
from anfora.kernel import glue

__all__ = [
    "Batched",
    "NeedsExamples",
    "begin_level",
    "effect",
    "end_level",
    "need_examples",
    "next_level",
    "run",
    "state",
]

F = TypeVar("F", bound=Callable)

MOST_UNROLLED = 32  #: examples for each of which a compiled program does the same anew


class NeedsExamples(BaseException):
    """The function has to be called for each example of a level. It is no Exception: programs must not catch it."""

    def __init__(self, level: int) -> None:
        self.level = level


class Batched(Tensor):
    """All examples of a tensor, looking like one of them.

    Args:
        value: the examples along axis 0.
        level: of the `vmap` that runs the function: 1 for the outermost.
    """

    __slots__ = ("level", "value")

    value: Tensor  # type: ignore[assignment]  # a method of Tensor is called so too
    level: int

    def __init__(self, value: Tensor, level: int) -> None:
        self.value, self.level = value, level
        self._layout = TensorType(value.dtype, value.shape[1:]).contiguous
        self._base = self._mark = self._epoch = None
        self._path = ()

    @property
    def _array(self) -> Any:  # type: ignore[override]
        raise self._refusal()

    @property
    def _node(self) -> Any:  # type: ignore[override]
        raise self._refusal()

    @property  # type: ignore[misc]
    def requires_grad(self) -> bool:
        """Whether operators on the examples are recorded."""
        return self.value.requires_grad

    def _refusal(self) -> BaseException:
        if self.level <= state.depth:
            return NeedsExamples(self.level)
        return OpRuntimeError(
            f"a tensor that stood for all examples of a vmap, {self.dtype}{list(self.shape)} each, was used after it",
            help="return from the function what is needed of it; what it keeps elsewhere has no numbers.",
        )


class _State(threading.local):
    """How many `vmap`s run a function in this thread on all examples at once."""

    depth = 0


state = _State()


def need_examples() -> None:
    """Give a function up that is run on all examples, before an effect that the operators do not show."""
    if state.depth:
        raise NeedsExamples(state.depth)


def effect(function: F) -> F:
    """A function that has such an effect."""

    @functools.wraps(function)
    def wrapped(*args: Any) -> Any:
        need_examples()
        return function(*args)

    return wrapped  # type: ignore[return-value]


def next_level() -> int:
    """The number that the next level will have."""
    return state.depth + 1


def begin_level(level: int) -> None:
    """From now on, until `end_level`, a function is run on Batched tensors of a new level, the `next_level`."""
    state.depth = level
    glue.refuse_writes((threading.get_ident(), "vmap"), True)


def end_level(level: int) -> None:
    """The function has returned. To say it twice is to say it once."""
    state.depth = level - 1
    glue.refuse_writes((threading.get_ident(), "vmap"), state.depth > 0)


def run(op: Op, keys: Sequence[Any], flat: Sequence[Any], given: tuple) -> Any:
    """Run an operator some of whose arguments may be Batched; NotImplemented if none is.

    Args:
        op: the operator.
        keys, flat, given: as for `entry_for`, the arguments and the frozen attributes of the call.
    """
    if op.writes is not None or op.is_random or op.is_effect:
        need_examples()
    top = max((x.level for x in flat if x.__class__ is Batched), default=0)
    if not top:
        return NotImplemented
    attributes, kinds, advised = _planned(op, tuple(keys), given)
    if advised is not None:
        advice.warn(advised)
    remaining = iter(flat)
    values: list[Any] = []
    batched: list[Any] = []
    for key in keys:
        group = [next(remaining) for _ in key] if isinstance(key, tuple) else [next(remaining)]
        marks = tuple(x.__class__ is Batched and x.level == top for x in group)
        group = [x.value if mark else x for x, mark in zip(group, marks)]
        values.append(group if isinstance(key, tuple) else group[0])
        batched.append(marks if isinstance(key, tuple) else marks[0])
    count = next(x.value.shape[0] for x in flat if x.__class__ is Batched and x.level == top)
    result = NotImplemented if op.batch_rule is None else op.batch_rule(batched, *values, **attributes)
    if result is NotImplemented:
        result = _for_each(op, batched, values, attributes, count)
    if isinstance(kinds, tuple):
        return tuple(_finished(part, kind, count, top) for part, kind in zip(result, kinds))
    return _finished(result, kinds, count, top)


@functools.lru_cache(4096)
def _planned(op: Op, keys: tuple, given: tuple) -> tuple[dict, Any, str | None]:
    """The normalised attributes of a call with an example, the types of its results, and what the caller is warned of."""
    abstracts = [_abstract(key) for key in keys]
    attributes = op.complete(abstracts, {name: thaw(value) for name, value in given})
    assert op.infer_rule is not None
    advised = None if op.advice_rule is None else op.advice_rule(*abstracts, **attributes)
    return attributes, op.infer_rule(*abstracts, **attributes), advised


def _abstract(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(_abstract, key))
    return key.type if isinstance(key, Layout) else None if key is None else Weak(key)


def _finished(value: Tensor, kind: TensorType, count: int, top: int) -> Batched:
    shape = (count, *kind.shape)
    if value.shape != shape:
        value = value.reshape(shape)
    assert value.dtype is kind.dtype, f"bug in this library: a batch of {kind!r} came as {value.dtype}"
    return Batched(value, top)


def _for_each(op: Op, batched: Sequence[Any], values: Sequence[Any], attributes: dict, count: int) -> Any:
    """The operator run for each example."""
    recorder = slots.watcher.recorder
    if recorder is not None and count > MOST_UNROLLED:
        recorder.note_foreign(f"{op.name}, which has no batching rule, on {count} examples")

    def example(x: Any, is_batched: Any, i: int) -> Any:
        if isinstance(x, list):
            return [example(item, mark, i) for item, mark in zip(x, is_batched)]
        return x[i] if is_batched else x

    results = [op.call([example(x, b, i) for x, b in zip(values, batched)], attributes) for i in range(count)]
    if isinstance(results[0], tuple):
        return tuple(operators.stack(list(parts), 0) for parts in zip(*results))
    return operators.stack(results, 0)
