"""Calls that come again are kept as functions by their attributes: what they give is what a first call gives."""

from __future__ import annotations

import numpy as np
import pytest

from anfora import Parameter, Tensor, float32, float64, int64, nn, no_grad, ops
from anfora.core.errors import AnforaError
from anfora.core.op import registry
from anfora.eager import dispatch
from anfora.eager.tape import is_recording

X = Tensor(np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4))
Y = Tensor(np.linspace(1, 3, 12, dtype=np.float32).reshape(3, 4))
PLACES = Tensor([2, 0])

#: Operators, and calls of each that must not be taken for one another.
CALLS = {
    "concat": [((X, Y), 0), ((X, Y), 1), ((X, Y), -1), ((X, Y, X), 1), ((X,), 0),
        ([X, Y], 1), ((X, Y), True), ((X, Y), 1.0)],
    "stack": [((X, Y), 0), ((X, Y), 2), ((X, Y, Y), 0), ((X, Y), None)],
    "full": [
        ((2, 2), 1.0), ((2, 2), 1), ((2, 2), True), ((2, 2), 0.0), ((2, 2), -0.0), ((2,), 1.0, float64), ((2,), 2.7, int64),
        ((2,), Tensor(3.0)), ((2.0,), 1.0), ((True, 2), 1.0), ((-1,), 1.0), (3, 1.0), ([3], 1.0), ((2,), 1.0, float32),
    ],
    "reduce_sum": [(X, (0,)), (X, (1,)), (X, 0), (X, (0, 1)), (X, (0,), True), (X, (0,), 1), (X, (0.0,))],
    "take_at": [
        (X, (PLACES,), ("arrays", (0,), 0, (0,))), (X, (PLACES,), ("arrays", (1,), 1, (1,))),
        (X, (PLACES, PLACES), ("arrays", (0, 1), 0, (0, 1))),
        (X, (Tensor([5, 0]),), ("arrays", (0,), 0, (0,))),
    ],
    "set_at": [(X, (PLACES,), 5.0, ("arrays", (0,), 0, (0,))), (X, (PLACES,), -0.0, ("arrays", (0,), 0, (0,)))],
}  # fmt: skip


def outcome(call):
    try:
        result = call()
    except AnforaError as error:
        return type(error), str(error).splitlines()[0]
    return result.dtype, result.shape, result.asnumpy().tobytes()


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_comes_again_gives_what_the_first_gave(name):
    op = registry[name]
    expected = [outcome(lambda args=args: dispatch.call_fully(op, args, {})) for args in CALLS[name]]
    for _ in range(4):
        for args, want in zip(CALLS[name], expected):
            assert outcome(lambda args=args: op(*args)) == want
    for args, want in zip(CALLS[name], expected):
        for _ in range(3):
            assert outcome(lambda args=args: op(*args)) == want


def test_constants_of_one_shape_do_not_depend_on_what_came_before():
    for _ in range(3):
        assert ops.zeros((2, 3)).shape == ops.ones((2, 3)).shape == (2, 3)
        assert ops.zeros(2).tolist() == [0.0, 0.0]
        assert ops.ones((2,), int64).tolist() == [1, 1]
        assert ops.zeros_like(Tensor([1, 2])).dtype is int64
        for wrong in ((2.0,), (True,), (-1,), ("2",)):
            with pytest.raises(AnforaError):
                ops.zeros(wrong)
        first, second = ops.zeros((2,)), ops.zeros((2,))
        first.add_(1.0)
        assert second.tolist() == [0.0, 0.0]


class _Half(nn.Cell):
    """The same tensor, of whose gradient half is told."""

    def construct(self, x):
        return x * 1

    def bprop(self, x, out, dout):
        return (dout * 0.5,)


#: Functions that ask whether calls are recorded, or switch that off.
ASKING = {
    "assign": lambda w, x: ops.assign(w, x * 1),
    "assign_add": ops.assign_add,
    "assign_sub": ops.assign_sub,
    "scatter_add": lambda w, x: ops.scatter_add(w, PLACES, x[:2]),
    "scatter_update": lambda w, x: ops.scatter_update(w, PLACES, x[:2]),
    "scatter_nd_mul": lambda w, x: ops.scatter_nd_mul(w, PLACES[:, None], x[:2]),
    "stop_gradient": lambda w, x: ops.stop_gradient(x) * x * w,
    "bprop": lambda w, x: _Half()(x) * w,
}


@pytest.mark.parametrize("name", ASKING)
def test_calls_that_are_recorded_are_kept_apart_from_others(name):
    # What is kept lives as long as the process: a shape that no other test has had.
    data = np.linspace(0.5, 1.5, 4 * (50 + list(ASKING).index(name)), dtype=np.float32).reshape(4, -1)

    def run():
        w, x = Parameter(data, name="w"), Tensor(data)
        x.requires_grad = True
        if not is_recording():
            return ASKING[name](w, x).tolist()
        ((ASKING[name](w, x) * 3 + w * x) * x).sum().backward()
        return [None if t is None else t.tolist() for t in (w, x.grad, w.grad)]

    def without():
        with no_grad():
            return run()

    recorded, unrecorded = run(), without()
    assert [without() for _ in range(3)] == [unrecorded] * 3
    assert [run() for _ in range(3)] == [recorded] * 3
    assert without() == unrecorded
