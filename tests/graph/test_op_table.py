"""The op table in graph mode: what `jit` makes of every operator is what PyNative mode does, bit for bit.

Each call is made on the first run, which is recorded; on the second, which is the first to run natively; and on a third
with other data of the same layouts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from row import MARKS, Row, S
from test_table import ROWS, _bits, _results, _tensor

import anfora as ms
from anfora import Tensor, ops
from anfora.graph.run.compiled import Compiled
from anfora.graph.run.points import Hop

pytestmark = MARKS


class _Place:
    """Stands for a tensor in the arguments of a sample."""

    def __init__(self, index: int) -> None:
        self.index = index


def _filled(tree: Any, tensors: tuple[Tensor, ...]) -> Any:
    if isinstance(tree, _Place):
        return tensors[tree.index]
    if isinstance(tree, tuple):
        return tuple([_filled(item, tensors) for item in tree])
    if isinstance(tree, list):
        return [_filled(item, tensors) for item in tree]
    return tree


def _function(op: Callable, sample: S, numbers: list[float] | None = None) -> tuple[list[np.ndarray], Callable]:
    """The arrays of a sample, and a function of tensors for them that calls the operator.

    Args:
        numbers: gets the numbers among the arguments, the last one first; the function takes them behind the tensors.
    """
    arrays: list[np.ndarray] = []

    def emptied(tree: Any) -> Any:
        if numbers is not None and type(tree) in (int, float):
            numbers.insert(0, tree)
            return _Place(-len(numbers))
        if isinstance(tree, np.ndarray):
            arrays.append(tree)
            return _Place(len(arrays) - 1)
        if isinstance(tree, (tuple, list)):
            return type(tree)(map(emptied, tree))
        return tree

    args = emptied(tuple(sample.args))
    kwargs = {name: emptied(value) for name, value in sample.kwargs.items()}

    def call(*tensors):
        return op(*_filled(args, tensors), **{name: _filled(kwargs[name], tensors) for name in kwargs})

    return arrays, call


def _other(array: np.ndarray) -> np.ndarray:
    """Other data of the same layout."""
    turned = np.flip(array).copy()
    return turned * 0.75 if array.dtype == np.float64 else turned


def _outcome(function: Callable, arrays: list[np.ndarray], make: Callable) -> tuple:
    """What a call gives or raises, what it leaves in its arguments, and how far it moves the stream of random numbers."""
    ms.set_seed(5)
    tensors = [make(array) for array in arrays]
    try:
        given = [_seen(result, tensors) for result in _results(function(*tensors))]
    except Exception as error:
        given = ["error", type(error), str(error)]
    return given, [_seen(tensor, tensors) for tensor in tensors], ms.get_rng_state().tolist()


def _seen(result: Any, tensors: list[Tensor]) -> Any:
    """All that a program can see of a result; a tensor shows its memory only to the one that it is a view of. A NaN may
    have any sign and payload."""
    if not isinstance(result, Tensor):
        return type(result), repr(result)
    bits = _bits(result.detach()).copy()
    if result.dtype.is_float:
        bits[np.isnan(result.detach().asnumpy())] = 0x7E
    viewed = [i for i, tensor in enumerate(tensors) if result._base is tensor]
    return type(result), result.dtype, result.shape, result.strides, viewed, bits.tobytes()


def _check(plain: Callable, compiled: Callable, arrays: list[np.ndarray], make: Callable) -> bool:
    """Compare three calls; gives whether the first ones succeeded."""
    for data in (arrays, arrays, [_other(array) for array in arrays]):
        wanted = _outcome(plain, data, make)
        assert _outcome(compiled, data, make) == wanted
    return _outcome(plain, arrays, make)[0][0] != "error"


#: What is left to the interpreter, in which rows. All other operators run natively from end to end.
INTERPRETED = {
    "the data of a tensor": {
        "allclose", "arange", "argwhere", "bincount", "complex_nonzero", "ctc_greedy_decoder",
        "histc", "masked_select", "nanquantile", "nonzero", "polygamma",
        "quantile", "repeat_interleave", "sequence_mask", "unique", "unique_consecutive", "unique_with_pad",
    },
    "an exchange with other processes": {
        "all_gather", "all_reduce", "broadcast_from", "reduce_scatter", "summed_gradients",
    },
    "random numbers": {"choose", "drop", "dropout", "sample", "sample_gamma", "sample_poisson", "shuffled"},
    "a call of anfora.core.parameter.Parameter, which the compiler cannot look into": {
        "assign", "assign_add", "assign_sub",
        *(f"scatter_{how}{kind}" for how in ("", "nd_") for kind in ("update", "add", "sub", "mul", "div", "max", "min")),
    },
}  # fmt: skip


def _is_native(row: Row, sample: S, compiled: Compiled) -> None:
    """Check that what was compared was compiled, by one recording for all three calls."""
    program = compiled.program
    points = (*program.entries.values(), *program.points.values())
    reasons = {v.end.reason for point in points for v in point.variants if isinstance(v.end, Hop)}
    assert program.native is None
    # Scalars of numpy are opaque to the compiler, and so is the numpy that one row calls itself.
    if not any(isinstance(value, np.generic) for value in sample.args) and row.name != "factored_cholesky":
        assert all(row.name in INTERPRETED.get(reason, ()) for reason in reasons), reasons
    assert reasons or program.recordings == 1


def _rows(pick: Callable = lambda row: True) -> list:
    return [pytest.param(row, id=f"{row.name}-{i}") for i, row in enumerate(ROWS) if pick(row)]


@pytest.mark.parametrize("row", _rows())
def test_results_are_those_of_pynative_mode(row):
    for number, sample in enumerate(row.samples):
        arrays, plain = _function(row.op, sample)
        for dtype in row.dtypes if number == 0 else row.dtypes[:1]:
            make = partial(_tensor, dtype=dtype)
            compiled = ms.jit(plain)
            with ms.no_grad():
                succeeded = _check(plain, compiled, arrays, make)
            if succeeded:
                _is_native(row, sample, compiled)


def _has_numbers(row: Row) -> bool:
    return any(type(value) in (int, float) for s in row.samples for value in (*s.args, *s.kwargs.values()))


@pytest.mark.parametrize("row", _rows(_has_numbers))
def test_numbers_may_vary(row):
    """Numbers that come as arguments are other ones in later calls: in an operator, and in its gradient."""
    for sample in row.samples:
        numbers: list[float] = []
        arrays, plain = _function(row.op, sample, numbers)
        if not numbers:
            continue
        make = partial(_tensor, dtype=row.dtypes[0])
        followed = tuple(i for i, array in enumerate(arrays) if array.dtype == np.float64)

        def total(*given, plain=plain):
            results = _results(plain(*given))
            return ops.addn([(r * r).sum() for r in results if isinstance(r, Tensor) and r.dtype.is_float])

        for function in (plain, ms.grad(total, followed)) if row.grad and followed else (plain,):
            compiled = ms.jit(function)
            for change in (lambda n: n, lambda n: n * 0.75 + 0.125 if type(n) is float else n + 1, lambda n: n):
                given = [change(n) for n in numbers]
                found = [
                    _outcome(lambda *tensors, run=run, given=given: run(*tensors, *given), arrays, make)
                    for run in (function, compiled)
                ]
                assert found[0] == found[1]


@pytest.mark.parametrize("row", _rows(lambda row: row.grad))
def test_gradients_are_those_of_pynative_mode(row):
    """Of a compiled function, whose rows the tape follows; and of a compiled function that takes a gradient itself."""
    for sample in row.samples:
        arrays, plain = _function(row.op, sample)
        followed = tuple(i for i, array in enumerate(arrays) if array.dtype == np.float64)
        if not followed:
            continue
        make = partial(_tensor, dtype=row.dtypes[0])
        weights = {
            i: Tensor(np.cos(np.arange(result.size)).reshape(result.shape), result.dtype)
            for i, result in enumerate(_results(plain(*map(make, arrays))))
            if isinstance(result, Tensor) and result.dtype.is_float
        }

        def total(*tensors, plain=plain, weights=weights):
            results = _results(plain(*tensors))
            return ops.addn([(results[i] * weights[i]).sum() for i in weights])

        gradient = ms.grad(total, followed)
        compiled = ms.jit(total)
        if _check(gradient, ms.grad(compiled, followed), arrays, make):
            _is_native(row, sample, compiled)
        if sample is row.samples[0]:
            _check(gradient, ms.jit(gradient), arrays, make)


@pytest.mark.parametrize("row", _rows(lambda row: row.errors))
def test_errors_are_those_of_pynative_mode(row):
    """Their types, and their texts with the lines that they show."""
    for bad in row.errors:
        arrays, plain = _function(row.op, bad)
        compiled = ms.jit(plain)
        wanted = _outcome(plain, arrays, Tensor)
        assert wanted[0][0] == "error"
        assert _outcome(compiled, arrays, Tensor) == wanted
        assert _outcome(compiled, arrays, Tensor) == wanted


RANDOM = {
    "randn": lambda: ops.randn(2, 3),
    "rand": lambda: ops.rand(5),
    "randint": lambda: ops.randint(0, 9, (4,)),
    "randperm": lambda: ops.randperm(7),
    "normal": lambda: ops.normal((3,), Tensor(1.0), Tensor(2.0)),
    "uniform": lambda: ops.uniform((3,), Tensor(1.0), Tensor(2.0)),
    "bernoulli": lambda: ops.bernoulli(Tensor([0.1, 0.5, 0.9])),
    "multinomial": lambda: ops.multinomial(Tensor([0.1, 0.5, 0.4]), 5),
    "gamma": lambda: ops.gamma((3,), Tensor(1.0), Tensor(2.0)),
    "standard_normal": lambda: ops.standard_normal((2, 2)),
    "dropout": lambda: ops.dropout(ops.ones(40), 0.5),
    "two": lambda: (ops.rand(3), ops.dropout(ops.ones(8), 0.5), ops.randn(2)),
}


@pytest.mark.parametrize("name", RANDOM)
def test_random_numbers_are_those_of_pynative_mode(name):
    """The same stream from the same seed, over several calls, and between them plain draws."""
    plain = RANDOM[name]
    compiled = ms.jit(plain)

    def stream(function: Callable) -> list:
        ms.set_seed(11)
        calls = [_results((function(), ops.rand(2))) for _ in range(4)]
        return [_seen(result, []) for results in calls for result in results]

    assert stream(compiled) == stream(plain) == stream(compiled)
    assert len(set(map(str, stream(compiled)))) > 4
