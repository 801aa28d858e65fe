"""Every operator with every kind of number in every place of a number: the first call is every call, in both modes.

PyNative mode answers a call that it has seen before natively, and a compiled function replays what was recorded. Neither
may know a conversion that the plain path does not make: four calls of each mode give one outcome, to the bit, the type and
the text of an error. The element types are drawn, each time alike; all of them come for each kind.
"""

from __future__ import annotations

import enum
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from row import Row, S
from test_table import ROWS, _results

import anfora as ms
from anfora import Tensor, ops
from anfora.core.errors import AnforaError
from anfora.core.op import Op


class Real(float):
    """A subclass of float: a number like any other, whatever it does when it is multiplied."""

    def __mul__(self, other: Any) -> float:
        return 42.0

    __rmul__ = __add__ = __radd__ = __mul__


class Whole(enum.IntEnum):
    TWO = 2


KINDS: dict[str, tuple[Any, ...]] = {
    "int": (2, -1, 300),
    "float": (2.5, -1.0, 0.5),
    "bool": (True, False),
    "numpy float": (np.float32(1.5), np.float64(0.1)),
    "numpy int": (np.int64(2), np.uint8(3)),
    "numpy bool": (np.bool_(True),),
    "0-d float tensor": (Tensor(1.5), Tensor(0.25, ms.float64)),
    "0-d int tensor": (Tensor(2),),
    "0-d array": (np.array(2.5),),
    "subclass of float": (Real(1.5),),
    "subclass of int": (Whole.TWO,),
    "not finite": (float("nan"), float("-inf")),
    "huge": (2**70, 1e300),
}
DTYPES = ("bool_", "int8", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64")


#: Functions on Python's numbers, which raise what Python does.
INNER = {"make_range"}


def _draw(choices: tuple, *label: Any) -> Any:
    return choices[zlib.crc32(repr(label).encode()) % len(choices)]


def _is_number(value: Any) -> bool:
    return type(value) in (int, float, bool) or isinstance(value, np.generic)


def _places(sample: S) -> Iterator[int | str]:
    """The arguments where a number may stand: those that are one, and the tensors of an operator."""
    for place, value in (*enumerate(sample.args), *sample.kwargs.items()):
        if _is_number(value) or isinstance(value, np.ndarray):
            yield place


def _tensor(array: np.ndarray, dtype: str) -> Tensor:
    if array.dtype != np.float64:
        return Tensor(array)
    with np.errstate(all="ignore"):
        return Tensor(np.nan_to_num(array)).astype(getattr(ms, dtype))


def _made(tree: Any, dtype: str) -> Any:
    if isinstance(tree, np.ndarray):
        return _tensor(tree, dtype)
    if type(tree) in (tuple, list):
        return type(tree)(_made(item, dtype) for item in tree)
    return tree


def _outcome(function: Any, args: list, kwargs: dict) -> tuple:
    ms.set_seed(3)
    try:
        results = _results(function(*args, **kwargs))
    except Exception as error:
        return type(error), str(error).split("\n")[0]
    return tuple(
        (r.dtype, r.shape, r.asnumpy().tobytes()) if isinstance(r, Tensor) else (type(r), repr(r)) for r in results
    )


def _calls(kind: str) -> Iterator[tuple[Row, tuple, list, dict]]:
    """Each operator with a number of a kind in each place, beside tensors of some type."""
    for row in ROWS:
        if not row.samples or (isinstance(row.op, Op) and row.op.writes):
            continue
        sample = row.samples[0]
        for place in _places(sample):
            value = _draw(KINDS[kind], row.name, place)
            dtype = _draw(DTYPES, row.name, place, kind)
            args = _made(list(sample.args), dtype)
            kwargs = {name: _made(given, dtype) for name, given in sample.kwargs.items()}
            if isinstance(place, int):
                args[place] = value
            else:
                kwargs[place] = value
            yield row, (row.name, place, dtype, value), args, kwargs


@pytest.mark.parametrize("kind", KINDS)
def test_first_call_is_every_call(kind):
    for row, label, args, kwargs in _calls(kind):
        outcomes = [_outcome(row.op, args, kwargs) for _ in range(4)]
        assert outcomes == outcomes[:1] * 4, label


@pytest.mark.parametrize("kind", KINDS)
def test_compiled_calls_are_those_of_pynative_mode(kind):
    for row, label, args, kwargs in _calls(kind):
        if zlib.crc32(repr(label[:2]).encode()) % 4 == list(KINDS).index(kind) % 4:  # another quarter for each kind
            wanted = _outcome(row.op, args, kwargs)
            compiled = ms.jit(lambda *args, op=row.op, **kwargs: op(*args, **kwargs))
            for _ in range(4):
                assert _outcome(compiled, args, kwargs) == wanted, label


@pytest.mark.parametrize("kind", KINDS)
def test_refusals_say_what_was_expected(kind):
    """No function that users see lets an error of its inner ones through."""
    for row, label, args, kwargs in _calls(kind):
        if row.name in ops.__all__ and row.name not in INNER:
            try:
                row.op(*args, **kwargs)
            except AnforaError as error:
                assert str(error), label
            except MemoryError:
                pass


def test_a_subclass_of_float_is_a_number_of_its_value():
    x = Tensor([1.0])
    assert [(x * k).item() for k in (1.0, Real(1), 2.0, Real(2)) * 2] == [1.0, 1.0, 2.0, 2.0] * 2
    assert [Real(2) * x for _ in range(3)] == [42.0] * 3  # Python asks the left one first


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "bool_", "float32"])
@pytest.mark.parametrize("value", [3.0, 2.5, True, 2, 0.25])
def test_padding_is_what_numpy_casts(dtype, value):
    x = Tensor([1, 0]).astype(getattr(ms, dtype))
    wanted = np.pad(x.asnumpy(), 1, constant_values=np.asarray(value).astype(x.asnumpy().dtype))
    for _ in range(4):
        np.testing.assert_array_equal(ops.pad(x, (1, 1), value=value).asnumpy(), wanted)


@pytest.mark.parametrize("condition", [2.5, 0.5, 300, -1, True, 0, 0.0, False, 1e-300, float("nan")])
def test_a_number_is_a_condition_by_its_truth(condition):
    x = Tensor([1, 2], ms.int8)
    for _ in range(4):
        assert ops.where(condition, x, -1).tolist() == ([1, 2] if condition else [-1, -1])
        assert ops.masked_fill(x, condition, 7).tolist() == ([7, 7] if condition else [1, 2])
