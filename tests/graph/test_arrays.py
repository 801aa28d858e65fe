"""Arrays of numpy's that are made of known values inside of compiled functions. Each program is run by Python and compiled,
call after call."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from outcomes import Programs, bits

import anfora as ms
from anfora import Parameter, Tensor, ops

PROGRAMS = Programs()
program = PROGRAMS.enter  #: for functions of a tensor of shape (2, 3)


def shown(value: Any) -> Any:
    """All that can be seen of a value, with what shares memory in it."""
    seen: dict[int, int] = {}

    def show(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return type(value), [show(item) for item in value]
        if isinstance(value, dict):
            return type(value), [(show(key), show(item)) for key, item in value.items()]
        if isinstance(value, np.ndarray):
            base = value if value.base is None else value.base
            number = seen.setdefault(id(base), len(seen))
            flags = value.flags.writeable, value.base is None, value.flags.c_contiguous
            return "array", value.dtype, value.shape, value.tobytes(), flags, number
        if isinstance(value, np.generic):
            return type(value), value.tobytes()
        return bits(value)

    return show(value)


@program()
def tensor_of_a_list(x):
    return Tensor(np.array([[1, 2, 3]]), ms.float32) * x, Tensor(np.array(x.shape)), ms.tensor(np.float32(2.5)) + x


@program()
def table_of_positions(x):
    table = np.zeros((4, 6), dtype=np.float32)
    place = np.arange(4)[:, None]
    rate = np.exp(np.arange(0, 6, 2) * -(np.log(10000.0) / 6))
    table[:, 0::2] = np.sin(place * rate)
    table[:, 1::2] = np.cos(place * rate)
    return x + Tensor(table[:2, :3]), table


@program()
def mask_for_attention(x):
    size = x.shape[-1]
    mask = np.triu(np.ones((size, size)), k=1).astype(bool)
    return ops.masked_fill(x.T @ x, Tensor(mask), -1e9), mask, mask.sum(), mask.shape, mask.dtype.name


@program()
def arrays_beside_tensors(x):
    rows = np.array([1, 0])
    y = x[rows] + np.arange(3.0)
    y[np.array([True, False])] = np.float32(7)
    return y, np.arange(3) * x, x - np.int64(3), np.float64(0.5) * x, x.reshape(np.int64(3), -1), x > np.ones(3)


@program()
def writes_to_arrays(x):
    a = np.zeros((2, 3), np.float32)
    a += 1
    a[0] *= 2
    a[a > 1] = 9
    row, turned = a[1], a.T
    row[0] = -1
    turned[2] = [5, 6]
    b = a.copy()
    a.fill(3)
    b.sort()
    return Tensor(a) * x, a, b, [row, {"turned": turned}], row is a[1]


@program()
def iteration_over_arrays(x):
    a = np.arange(4) * 1.5
    first, second, *rest = a
    found = []
    for value in a:
        found.append(value)
        a[3] = 100  # which the loop sees
    for row in np.eye(2):
        row += 1
        found.append(row)
    pairs = [(i, v) for i, v in enumerate(a)], list(zip(a, a[::-1])), [*a[:2]]
    return x, found, pairs, first, second, rest, list(a), tuple(a), sum(a), max(a), sorted(a), len(a), 3.0 in a, any(a)


@program()
def numbers_of_arrays(x):
    n, s = np.int64(3), np.float32(0.1)
    texts = f"{n} {s:.3f}", str(s), repr(np.float64(2))
    return texts, {n: 1}[3], [1, 2, 3, 4][n], range(n), ops.zeros(n), n + 1, n / 2, n == 3, type(s), abs(s), bool(n), x


@program()
def functions_of_shapes(x):
    grid = np.stack(np.meshgrid(np.arange(2), np.arange(3), indexing="ij"), axis=-1)
    return Tensor(grid.reshape(-1, 2)), np.split(np.arange(6), 3), np.where(np.eye(2) > 0), np.linspace(0, 1, x.size)


@program()
def parameter_of_an_array(x):
    w = Parameter(np.ones(3), name="w")
    return w * x, w


@program('print(end="")')
def arrays_live_on_behind_a_hop(x):
    a = np.arange(6.0)
    b, s = a.reshape(2, 3), a[2]
    print(end="")
    b[0, 0] = 7
    c = a.copy()
    print(end="")
    return a, b, s, s * 2, c, np.float32(2) * x


@program("np.random.shuffle(a)", "b[0]")
def array_is_changed_by_what_is_not_known(x):
    a = np.zeros(3)
    b = a[1:]
    np.random.shuffle(a)
    b[0] = 5
    return a, b, x


@program("a[0]")
def data_is_written_to_an_array(x):
    a = np.zeros(3)
    a[0] = x.sum()
    return a


@program("1 / a")
def division_by_zero(x):
    a = np.zeros(3)
    return 1 / a, x


@program("np.array(['a'])", "str(np.arange(3))", "np.empty(0)", "np.random.rand(0)")
def what_is_left_to_the_interpreter(x):
    return np.array(['a']), str(np.arange(3)), np.empty(0), np.random.rand(0), x  # fmt: skip


@program()
def empty_arrays(x):
    return np.zeros(0).reshape(0, 3).T, np.zeros((2, 0)), x


@program()
def array_that_cannot_be_written_to(x):
    a = np.broadcast_to(np.arange(3), (2, 3))
    try:
        a[0] = 1
    except ValueError as error:
        return str(error), a, x + a
    return None


@program()
def errors(x):
    found = []
    for wrong in (lambda: np.array([1, 2]).reshape(3), lambda: np.zeros(2) + np.zeros(3), lambda: np.zeros(2)[5]):
        try:
            wrong()
        except (ValueError, IndexError) as error:
            found.append((type(error), str(error)))
    return found, x


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_program(name: str) -> None:
    function, hops = PROGRAMS[name]
    compiled = ms.jit(function)
    for seed in (0, 1, 0, 2):
        x = Tensor(np.random.default_rng(seed).uniform(-2, 2, (2, 3)).astype(np.float32))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert shown(compiled(x.copy())) == shown(function(x.copy()))
    assert compiled.program.native is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = ms.explain(compiled)(x)
    assert {hop.text for hop in report.hops} == set(hops)


def test_each_call_gives_another_array() -> None:
    def run(x):
        a = np.zeros(3)
        return a, a[1:]

    compiled = ms.jit(run)
    calls = [compiled(Tensor(1.0)) for _ in range(3)]
    calls[0][1][0] = 5
    assert [a.tolist() for a, _ in calls] == [[0, 5, 0], [0, 0, 0], [0, 0, 0]]


def test_numpy_warns_in_each_call() -> None:
    compiled = ms.jit(lambda x: (np.log(np.zeros(2)), x))
    for _ in range(3):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            compiled(Tensor(1.0))
        assert [str(each.message) for each in found] == ["divide by zero encountered in log"]


def _put_out() -> list[Any]:
    """Functions of numpy that put what they give into an array."""
    named = [np.add, np.maximum, np.minimum, np.multiply, np.hypot]
    return [*named, lambda a, b, out: np.clip(a, b, None, out=out), lambda a, b, out: np.sum(a * b, axis=0, out=out[0])]


@pytest.mark.parametrize("function", _put_out(), ids=lambda function: function.__name__)
def test_arguments_that_come_by_name_stay_so(function: Any) -> None:
    """numpy warns of some that come by their places."""

    def program(x: Tensor, k: int) -> Any:
        out = np.zeros((2, 3), np.float32)
        return function(np.full((2, 3), k, np.float32), 2, out=out), out, x * k

    compiled = ms.jit(program)
    for k in (1, 2, 3, 3):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            got = compiled(Tensor([1.0]), k)
        assert shown(got) == shown(program(Tensor([1.0]), k))


def test_a_number_that_varies_compiles_nothing_anew() -> None:
    def run(x, rate):
        return x * Tensor(np.arange(3, dtype=np.float32) * rate)

    compiled = ms.jit(run)
    x = Tensor([1.0, 2.0, 3.0])
    for k in range(30):
        assert shown(compiled(x, k / 7)) == shown(run(x, k / 7))
    assert compiled.program.native is None and compiled.program.recordings < 5


def test_data_in_a_table_compiles_nothing_anew() -> None:
    def run(x):
        table = np.zeros(3, np.float32)
        for k in range(3):
            table[k] = float(x[k]) * 2
        return table

    compiled = ms.jit(run)
    for seed in range(30):
        x = Tensor(np.random.default_rng(seed).uniform(-2, 2, 3).astype(np.float32))
        assert shown(compiled(x)) == shown(run(x))
    assert compiled.program.native is None and compiled.program.recordings < 10


def test_arrays_from_outside_are_looked_at_in_each_call() -> None:
    table = np.arange(3.0)
    holder = [np.ones(3)]

    def run(x):
        return Tensor(table) * x + Tensor(holder[0] + np.zeros(3))

    compiled = ms.jit(run)
    x = Tensor([1.0, 2.0, 3.0])
    for k in range(4):
        table[0] += 1
        holder[0][1] -= k
        assert shown(compiled(x)) == shown(run(x))
