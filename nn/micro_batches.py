"""Micro-batches: one gradient from M parts of a batch, in the same bits on 1, 2, 4 … M processes.

A step with M micro-batches is what M processes with one each would compute; fewer processes compute several in turn.

    rows        row p of the global batch belongs to micro-batch p mod M; process r of n has the micro-batches r, r + n, …
                (a sharded dataset gives process r the rows r, r + n, …: so its batch holds the rows of its micro-batches)
    random      the step takes one draw of the default generator, its key. In micro-batch m each generator of the program
                (Python's, numpy's, ours) draws from a stream that follows from (key, m); behind it, it is where it was
    state       each micro-batch starts from the Parameters as they were. What it leaves in those that are not trained (the
                moving averages of BatchNorm) is averaged; integers are those of micro-batch 0
    sums        of values, gradients and states:  for h = M/2, M/4, …, 1:  x[m] = x[m] + x[m + h]  for m < h
                in float32 (float64 where they are), divided by M at the end

The distances M/2 … n lie within a process, which adds them as they come; those below are the tree of `all_reduce`. So the
same numbers are added in the same order, wherever they were computed.
"""

from __future__ import annotations

import functools
import types
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anfora.communication import exchange, world
from anfora.core import slots
from anfora.core.cell import Cell
from anfora.core.dtype import DType, as_dtype
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.parameter import Parameter
from anfora.core.processes import get_auto_parallel_context
from anfora.core.random import default_generator, generators
from anfora.core.tensor import Tensor, current, from_buffer
from anfora.eager.tape import no_grad
from anfora.optim import Optimizer

__all__ = ["MicroBatches", "checked_count"]


def checked_count(who: str, count: Any, processes: int) -> int:
    """A number of micro-batches that so many processes can share.

    Raises:
        OpTypeError: it is no integer.   OpValueError: it is no power of two, or the processes cannot share it.
    """
    if isinstance(count, bool) or not isinstance(count, int):
        raise OpTypeError(f"{who} needs an integer for `micro_batches`, but got {count!r}", arg="micro_batches")
    if count < 1 or count & (count - 1):
        raise OpValueError(f"{who} needs a power of two for `micro_batches`, but got {count}", arg="micro_batches")
    if count % processes:
        raise OpValueError(
            f"{who}: {processes} processes cannot share {count} micro-batches equally",
            arg="micro_batches",
            help=f"start {', '.join(str(1 << i) for i in range(count.bit_length() - 1))} or {count} processes."
            if count > 1
            else "start one process, or use more micro-batches.",
        )
    return count


class MicroBatches:
    """Computes values and gradients of a batch by its micro-batches.

    Args:
        parameters: whose gradients are computed.
        count: the number M of micro-batches of all processes.
        group: the name of their group.
        scale: what the sums of gradients and values are multiplied by: 1 / count for means.
        network: the Cell, or Cells, whose other parameters are kept alike; those that the function uses if None.
    """

    def __init__(
        self, parameters: Sequence[Parameter], count: int, group: Any = None, scale: float = 1.0, network: Any = None
    ) -> None:
        self.parameters = tuple(parameters)
        self.group = world.group_of(group, "micro_batches")
        self.count, self.scale, self.network = count, scale, network
        self.here = count // self.group.size  #: how many of them this process computes
        self._has_met = False

    def of(self, function: Callable) -> Callable:
        """The function that gives, for a batch, what `function` gives for all its micro-batches together.

        Args:
            function: gives gradients of the parameters, or a tuple whose last item they are, as `value_and_grad` does.
        """
        states = self._untrained(self.network if self.network is not None else function)

        @functools.wraps(function, updated=())
        def distributed(*inputs: Any, **kwargs: Any) -> Any:
            if slots.watcher.recorder is not None:
                slots.watcher.recorder.note_foreign("micro-batches, which other processes take part in")
            return self._run(function, states, inputs, kwargs)

        return distributed

    def _run(self, function: Callable, states: tuple[Parameter, ...], inputs: tuple, kwargs: dict) -> Any:
        rows, parts = self._divided((inputs, kwargs))
        from anfora.dataset.seeds import mix

        seed, offset = default_generator.draw()
        key = mix(seed, offset)
        kept = [np.array(current(parameter)._array) for parameter in states]
        try:
            total, results = self._summed(function, states, kept, parts, key)
            self._exchange(total, (seed, offset), rows)
            return self._assembled(total, results, states, rows)
        except BaseException:
            _put_back(states, kept)
            raise

    def _summed(
        self, function: Callable, states: tuple[Parameter, ...], kept: list[np.ndarray], parts: Callable, key: int
    ) -> tuple[_Sum, list]:
        """What this process's micro-batches give together, and each by itself."""
        sums: list[tuple[int, _Sum]] = []
        results: list[Any] = [None] * self.here
        with _Streams(key) as streams:
            for number, j in enumerate(_order(self.here)):
                if number:
                    _put_back(states, kept)
                index = (self.group.rank or 0) + self.group.size * j
                streams.begin(index)
                args, names = parts(j)
                outer, exchange.inside.micro_batch = exchange.inside.micro_batch, index
                try:
                    result = function(*args, **names)
                finally:
                    exchange.inside.micro_batch = outer
                results[j], found = self._one(result, states, index)
                sums.append((1, found))
                while len(sums) > 1 and sums[-1][0] == sums[-2][0]:
                    (size, later), (_, sooner) = sums.pop(), sums.pop()
                    sooner.add(later)
                    sums.append((2 * size, sooner))
        return sums[0][1], results

    # -- parts ---------------------------------------------------------------------------------------------------------

    def _divided(self, given: Any) -> tuple[int, Callable[[int], Any]]:
        """How many rows a micro-batch has, and a function from a number to the arguments of that micro-batch."""
        lengths = set()

        def look(value: Any) -> Any:
            if isinstance(value, (Tensor, np.ndarray)) and value.shape:
                lengths.add(value.shape[0])
            return value

        _map(look, given)
        if len(lengths) != 1:
            raise OpValueError(
                f"micro-batches divide axis 0 of all arguments, but these have the lengths {sorted(lengths)}"
                if lengths
                else "micro-batches divide axis 0 of the arguments, but there is no tensor among them",
            )
        length = lengths.pop()
        is_whole = (
            get_auto_parallel_context("full_batch") or get_auto_parallel_context("dataset_strategy") == "full_batch"
        )
        step = self.count if is_whole else self.here
        if length % step or not length:
            whole = f"the whole batch of {length} rows" if is_whole else f"this process's {length} rows of a batch"
            raise OpValueError(
                f"{whole} cannot be divided into {step} micro-batches of equal length",
                help="choose another batch size; batch(…, drop_remainder=True) leaves out a shorter one at the end.",
            )
        first = (self.group.rank or 0) if is_whole else 0
        stride = self.group.size if is_whole else 1

        def part(j: int) -> Any:
            start = first + stride * j

            def cut(value: Any) -> Any:
                if isinstance(value, np.ndarray) and value.shape:
                    return np.ascontiguousarray(value[start::step])
                if isinstance(value, Tensor) and value.shape and step > 1:
                    with no_grad():
                        return value[start::step].contiguous()
                return value

            return _map(cut, given)

        return length // step, part

    # -- results -------------------------------------------------------------------------------------------------------

    def _gradients(self, result: Any) -> tuple[Any, Any]:
        """What a call gave, as (values, gradients)."""
        if self._are_gradients(result):
            return (), result
        if isinstance(result, (tuple, list)) and len(result) > 1 and self._are_gradients(result[-1]):
            return tuple(result[:-1]), result[-1]
        raise OpTypeError(
            f"micro-batches need a function that gives (value, gradients) for the {len(self.parameters)} parameters of the "
            f"reducer, but it gave {_described(result)}",
            help="make it by value_and_grad(forward, None, optimizer.parameters).",
        )

    def _are_gradients(self, found: Any) -> bool:
        if isinstance(found, Tensor):
            found = (found,)
        return (
            isinstance(found, (tuple, list))
            and len(found) == len(self.parameters)
            and all(g is None or (isinstance(g, Tensor) and g.shape == p.shape) for g, p in zip(found, self.parameters))
            and bool(self.parameters)
        )

    def _one(self, result: Any, states: tuple[Parameter, ...], index: int) -> tuple[Any, _Sum]:
        """What a micro-batch has given: the result, and the numbers that are added up."""
        values, gradients = self._gradients(result)
        numbers: list[Any] = [gradients] if isinstance(gradients, Tensor) else list(gradients)
        _map(lambda x: numbers.append(x) if _is_number(x) else None, values)
        found = _Sum([*numbers, *states])
        for i, state in enumerate(states):
            if not state.dtype.is_float and index:
                found.clear(len(numbers) + i)  # that of micro-batch 0 counts
        return result, found

    def _exchange(self, total: _Sum, key: tuple[int, int], rows: int) -> None:
        """Add up what the processes have."""
        if self.group.size == 1:
            return
        weights = "" if self._has_met else f", weights {self._digest():08x}"
        self._has_met = True
        what = f"{self.count} of {rows} rows, {total.digest():08x}{weights}, random numbers from {key[0]}, {key[1]}"
        try:
            meeting = exchange.meet(self.group, "micro_batches", what)
        except OpRuntimeError as error:
            if error.help is not None and "do not do the same" in error.message:
                error.help = (
                    "all processes need the same seed, and as many draws from the default generator; the same weights "
                    "(set_auto_parallel_context(parameter_broadcast=True) gives those of process 0); batches of equal size."
                )
            raise
        with np.errstate(all="ignore"):
            for flat in total.flats.values():
                exchange.all_reduce(meeting, flat, exchange.COMBINE["sum"])

    def _digest(self) -> int:
        crc = 0
        for parameter in self.parameters:
            crc = zlib.crc32(np.ascontiguousarray(parameter._plain()).view(np.uint8).reshape(-1).data, crc)
        return crc

    def _assembled(self, total: _Sum, results: list, states: tuple[Parameter, ...], rows: int) -> Any:
        """What the whole batch gives, in the form of what a micro-batch gave."""
        values, gradients = self._gradients(results[0])
        taken = iter(range(len(total.places)))
        scale = self.scale
        single = isinstance(gradients, Tensor)
        made = [total.taken(next(taken), scale) for _ in ([gradients] if single else gradients)]

        def value(*parts: Any) -> Any:
            if _is_number(parts[0]):
                return total.taken(next(taken), scale if parts[0].dtype.is_float else 1.0)
            if not isinstance(parts[0], Tensor) or not parts[0].shape:
                return parts[0]
            if any(part.shape[:1] != (rows,) for part in parts):
                raise OpTypeError(
                    f"a value of micro-batches is a number or has a row for each example, but this has the shape "
                    f"{parts[0].shape}, and a micro-batch has {rows} rows"
                )
            joined = np.stack([current(part)._array for part in parts], axis=1)
            return from_buffer(joined.reshape(-1, *parts[0].shape[1:]), parts[0].dtype)

        values = _map(value, values, *(self._gradients(result)[0] for result in results[1:]))
        for parameter in states:
            number = next(taken)
            new = total.taken(number, 1.0 / self.count if parameter.dtype.is_float else 1.0)
            slots.assign(parameter, new)
        if single:
            out: Any = made[0]
        else:
            out = tuple(made) if isinstance(gradients, tuple) else list(made)
        is_alone = self._are_gradients(results[0])
        return out if is_alone else type(results[0])((*values, out))

    # -- parameters that are not trained --------------------------------------------------------------------------------

    def _untrained(self, root: Any) -> tuple[Parameter, ...]:
        """The parameters of all Cells that can be reached, without those whose gradients are computed."""
        trained = set(map(id, self.parameters))
        found: dict[int, Parameter] = {}
        for cell in _cells(root):
            for parameter in cell.get_parameters():
                if id(parameter) not in trained:
                    found[id(parameter)] = parameter
        return tuple(found.values())


class _Sum:
    """Tensors laid out in flat arrays, one for each type in which sums are computed.

    Args:
        tensors: what is added up; None for one that is absent.
    """

    def __init__(self, tensors: Sequence[Any]) -> None:
        self.places: list[tuple[str, int, tuple[int, ...], DType] | None] = []
        sizes: dict[str, int] = {}
        for tensor in tensors:
            if tensor is None:
                self.places.append(None)
                continue
            dtype = tensor.dtype
            kind = "float64" if dtype.name == "float64" else "float32" if dtype.is_float else "int64"
            self.places.append((kind, sizes.get(kind, 0), tensor.shape, dtype))
            sizes[kind] = sizes.get(kind, 0) + tensor.size
        self.flats = {kind: np.empty(size, kind) for kind, size in sorted(sizes.items())}
        for tensor, place in zip(tensors, self.places):
            if place is not None:
                self._at(place)[...] = tensor._plain()

    def _at(self, place: tuple[str, int, tuple[int, ...], DType]) -> np.ndarray:
        kind, start, shape, _ = place
        size = int(np.prod(shape, dtype=np.int64))
        return self.flats[kind][start : start + size].reshape(shape)

    def add(self, other: _Sum) -> None:
        if self.places != other.places:
            raise OpRuntimeError(
                "the micro-batches of a batch must give values and gradients of equal types and shapes"
            )
        for kind, flat in self.flats.items():
            with np.errstate(all="ignore"):
                np.add(flat, other.flats[kind], out=flat)

    def clear(self, number: int) -> None:
        place = self.places[number]
        assert place is not None
        self._at(place)[...] = 0

    def digest(self) -> int:
        """Of the types and shapes."""
        told = [None if place is None else (place[0], place[2], place[3].name) for place in self.places]
        return zlib.crc32(repr(told).encode())

    def taken(self, number: int, scale: float) -> Tensor | None:
        """A tensor of the sum, multiplied by a number, in its own type."""
        place = self.places[number]
        if place is None:
            return None
        part, dtype = self._at(place), place[3]
        if dtype.is_float:
            part = part * part.dtype.type(scale)
        if dtype.kind == "b":
            part = part != 0
        if dtype.name == "bfloat16":
            return from_buffer(part, as_dtype("float32")).astype(dtype)
        return from_buffer(np.array(part, dtype.storage), dtype)


class _Streams:
    """Puts all generators of the program into the streams of a micro-batch, and back behind the last one."""

    def __init__(self, key: int) -> None:
        from anfora.dataset import seeds  # which has what is needed for that, and comes with all of the package

        self.key, self.seeds = key, seeds
        self.guard = seeds.Guard()

    def __enter__(self) -> _Streams:
        self.guard.__enter__()
        self.others = [(g, g._seed, g._offset) for g in generators() if g is not default_generator]
        return self

    def begin(self, index: int) -> None:
        key = self.seeds.mix(self.key, index)
        self.seeds.seed_globals(key)
        for generator, seed, offset in self.others:
            generator._seed, generator._offset = self.seeds.mix(key, seed, offset), 0

    def __exit__(self, *exc: object) -> None:
        for generator, seed, offset in self.others:
            generator._seed, generator._offset = seed, offset
        self.guard.__exit__(*exc)


def _order(count: int) -> list[int]:
    """The micro-batches of a process in the order in which their sums can be added at once: bits reversed."""
    order = [0]
    while len(order) < count:
        order = [2 * i for i in order] + [2 * i + 1 for i in order]
    return order


def _put_back(parameters: Sequence[Parameter], kept: Sequence[np.ndarray]) -> None:
    """Give parameters the values that they had."""
    for parameter, array in zip(parameters, kept):
        if current(parameter)._array.tobytes() != array.tobytes():
            slots.assign(parameter, from_buffer(array.copy(), parameter.dtype))


def _is_number(value: Any) -> bool:
    """Whether it is a tensor of one number, which is added up over the micro-batches; of bools, whether one is true."""
    return isinstance(value, Tensor) and not value.shape


def _map(function: Callable, tree: Any, *others: Any) -> Any:
    """`function` of the leaves of equal nestings of tuples, lists and dicts."""
    if isinstance(tree, dict):
        return {name: _map(function, item, *(other[name] for other in others)) for name, item in tree.items()}
    if isinstance(tree, (tuple, list)):
        items = [_map(function, *parts) for parts in zip(tree, *others)]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    return function(tree, *others)


def _described(result: Any) -> str:
    if isinstance(result, (tuple, list)):
        return f"a {type(result).__name__} of {len(result)}"
    return f"a {type(result).__name__}"


def _cells(root: Any) -> Iterator[Cell]:
    """The Cells that a function can reach: by its closure, its globals, its object, what these hold."""
    seen: dict[int, Any] = {}
    pending = [root]
    while pending:
        value = pending.pop()
        if id(value) in seen or isinstance(value, _WITHOUT_CELLS) or type(value).__module__.startswith("anfora.graph."):
            continue
        if isinstance(value, (tuple, list, dict, set, frozenset)) and len(value) > _MANY:
            continue  # data
        seen[id(value)] = value
        if isinstance(value, Cell):
            yield value
        elif isinstance(value, types.MethodType):
            pending += [value.__self__, value.__func__]
        elif isinstance(value, functools.partial):
            pending += [value.func, *value.args, *value.keywords.values()]
        elif isinstance(value, types.FunctionType):
            if value.__module__.partition(".")[0] == "anfora" and not value.__closure__:
                continue
            pending += [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
            pending += value.__defaults__ or ()
            names = {name for code in _codes(value.__code__) for name in code.co_names}
            pending += [value.__globals__[name] for name in names if name in value.__globals__]
        elif isinstance(value, (tuple, list, set, frozenset)):
            pending += value
        elif isinstance(value, dict):
            pending += value.values()
        elif isinstance(getattr(value, "__dict__", None), dict):
            pending += [*vars(value).values(), vars(type(value)).get("__call__")]


_WITHOUT_CELLS = (Tensor, np.ndarray, str, bytes, int, float, type, types.ModuleType, Optimizer)
_MANY = 1000


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)
