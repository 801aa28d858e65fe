"""Operators that are called often are called through builtin functions: each call gives what the first one gave."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, mint, ops
from anfora.core.op import Op
from anfora.kernel.call import ATTRIBUTES, CALLS
from anfora.ops.composite import composite

LENGTHS = [2, 6]  # of which a new tuple is made each time
X = np.arange(12.0, dtype=np.float32).reshape(3, 4)


def known(op: Op) -> int:
    """How many calls the front of an operator knows."""
    return op.caches["front"].known


@pytest.mark.parametrize(
    "call, expected",
    [
        (lambda x: ops.exp(x), np.exp),
        (lambda x: ops.reshape(x, (4, 3)), lambda x: x.reshape(4, 3)),
        (lambda x: ops.reshape(x, [4, 3]), lambda x: x.reshape(4, 3)),
        (lambda x: ops.reshape(x, (*LENGTHS,)), lambda x: x.reshape(2, 6)),
        (lambda x: ops.reshape(x, shape=(12,)), lambda x: x.reshape(12)),
        (lambda x: ops.expand_dims(x, 1), lambda x: x[:, None]),
        (lambda x: ops.expand_dims(x, -1), lambda x: x[..., None]),
        (lambda x: ops.reduce_sum(x, 1), lambda x: x.sum(1)),
        (lambda x: ops.reduce_sum(x, 1, True), lambda x: x.sum(1, keepdims=True)),
        (lambda x: ops.add(x, 2), lambda x: x + 2),
        (lambda x: ops.add(x, 2.5), lambda x: x + np.float32(2.5)),
        (lambda x: ops.cast(x, ms.int32), lambda x: x.astype(np.int32)),
    ],
)
def test_each_call_is_like_the_first(call, expected):
    for i in range(8):
        for x in (X, X[:2] if call(Tensor(X)).shape != (4, 3) else X + 1):
            try:
                wanted = expected(x + np.float32(i))
            except ValueError:
                continue
            np.testing.assert_allclose(call(Tensor(x + np.float32(i))).asnumpy(), wanted, rtol=1e-6)


def test_a_call_goes_past_python():
    """After some calls nothing of Python's is called any more, with attributes or without. In a process of its own: where
    all rows of the op table have been called, fronts may have no place left."""
    program = """
import sys
from anfora import Tensor, mint, ops
x, seen = Tensor([[1.0, 2.0]]), []
for i in range(6):
    if i == 5:
        sys.setprofile(lambda frame, event, _: seen.append(frame.f_code.co_name) if event == "call" else None)
    ops.tanh(x), ops.softmax(x, 0), ops.transpose(x, (1, 0)), ops.concat((x, x), 0), mint.cat([x, x])
sys.setprofile(None)
print(seen)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    # What is kept of a call of `concat` and of `mint.cat`, which is a function of Python's.
    assert run.stdout.strip() == "['kept', 'wrapped', 'kept']"


def test_words_of_equal_value_are_told_apart():
    """1, 1.0 and True are equal, and mean different things."""
    x = Tensor(X)
    for _ in range(4):
        assert ops.reduce_sum(x, 1, True).shape == (3, 1) and ops.reduce_sum(x, 1, False).shape == (3,)
        for axis in (1.0, True):
            with pytest.raises(TypeError):
                ops.reduce_sum(x, axis)


def test_what_is_made_anew_is_never_learnt():
    x = Tensor(X)
    for i in range(CALLS + 20):
        ops.reshape(x, (3 if i % 2 else 4, -1))
        ops.reshape(x, (*LENGTHS,))
    before = known(ops.reshape)
    for _ in range(100):
        assert ops.reshape(x, (*LENGTHS[::-1],)).shape == (6, 2)
    assert known(ops.reshape) == before
    changing = [3, 4]
    for _ in range(4):
        assert ops.reshape(x, changing).shape == (3, 4)
    changing[:] = 12, 1
    assert ops.reshape(x, changing).shape == (12, 1)


def test_more_calls_than_a_front_knows():
    x = Tensor(np.arange(3, dtype=np.float32))
    for axis in range(CALLS * 3):
        for _ in range(3):
            assert ops.tile(x, (axis % 90 + 1,)).shape == (3 * (axis % 90 + 1),)
    assert ATTRIBUTES >= 5


def test_errors_are_those_of_the_first_call():
    def told() -> str:
        with pytest.raises(ValueError) as raised:
            ops.matmul(Tensor(X), Tensor(X))
        return str(raised.value)

    first = told()
    for _ in range(4):
        ops.matmul(Tensor(X), Tensor(X.T))
        assert told() == first
    with pytest.raises(TypeError):
        ops.matmul(Tensor(X))
    with pytest.raises(TypeError):
        ops.sinh(Tensor(X), 3)


def test_an_operator_stays_one():
    for _ in range(4):
        ops.sinh(Tensor(X))
    assert isinstance(ops.sinh, Op) and type(ops.sinh).__name__ == "Op" and repr(ops.sinh).startswith("<operator sinh")
    assert pickle.loads(pickle.dumps(ops.sinh)) is ops.sinh and copy.deepcopy(ops.sinh) is ops.sinh
    assert list(inspect.signature(ops.sinh).parameters) == ["input"]


def test_gradients_and_no_grad():
    x = ms.Parameter(X, name="x")
    gradient = ms.grad(lambda: (ops.square(x) * 3).sum(), None, x)
    for _ in range(5):
        np.testing.assert_array_equal(gradient().asnumpy(), 6 * X)
        with ms.no_grad():
            assert not ops.square(x).requires_grad
    compiled = ms.jit(lambda t: ops.square(ops.transpose(t, (1, 0))))
    for i in range(4):
        np.testing.assert_array_equal(compiled(Tensor(X + np.float32(i))).asnumpy(), (X + np.float32(i)).T ** 2)


def test_threads_have_tapes_of_their_own():
    x, found = ms.Parameter(X, name="x"), []

    def quietly() -> None:
        with ms.no_grad():
            for _ in range(200):
                found.append(ops.cosh(x).requires_grad)

    thread = threading.Thread(target=quietly)
    thread.start()
    wanted = [ms.grad(lambda: ops.cosh(x).sum(), None, x)().asnumpy() for _ in range(50)]
    thread.join()
    assert not any(found)
    np.testing.assert_allclose(wanted[-1], np.sinh(X.astype(np.float64)), rtol=1e-5)


def test_fronts_hold_no_tensors():
    x = Tensor(np.ones(3, np.float32))
    for _ in range(5):
        ops.atan(x)
    del x
    gc.collect()
    held = gc.get_referents(ops.atan.caches["front"]._held)
    assert not any(isinstance(each, Tensor) for each in held)


Y = X[::-1].copy() + 1


@pytest.mark.parametrize(
    "call, expected",
    [
        (lambda x, y: mint.unsqueeze(x, 0), lambda x, y: x[None]),
        (lambda x, y: mint.add(x, y), lambda x, y: x + y),
        (lambda x, y: mint.add(x, x), lambda x, y: x + x),
        (lambda x, y: mint.cat((x, y), 0), lambda x, y: np.concatenate((x, y), 0)),
        (lambda x, y: mint.cat([x, y], 1), lambda x, y: np.concatenate((x, y), 1)),
        (lambda x, y: mint.cat((x, x, y), 0), lambda x, y: np.concatenate((x, x, y), 0)),
        (lambda x, y: mint.cat((y, x, y), 0), lambda x, y: np.concatenate((y, x, y), 0)),
        (lambda x, y: mint.stack((x,) * 4 + (y,) * 6), lambda x, y: np.stack((x,) * 4 + (y,) * 6)),
        (lambda x, y: mint.sum(x, 1), lambda x, y: x.sum(1)),
        (lambda x, y: mint.sum(x, 1, keepdim=True), lambda x, y: x.sum(1, keepdims=True)),
        (lambda x, y: mint.where(x > 3, x, y), lambda x, y: np.where(x > 3, x, y)),
        (lambda x, y: mint.permute(x[0:2], (1, 0)), lambda x, y: x[0:2].T),
        (lambda x, y: mint.add(x[0], x[0]), lambda x, y: x[0] + x[0]),
        (lambda x, y: mint.zeros((2, 3)), lambda x, y: np.zeros((2, 3), np.float32)),
    ],
)
def test_functions_that_are_written_in_operators(call, expected):
    def parameter(array):
        return ms.Parameter(array, name="p")

    for i in range(6):
        for make in (Tensor, parameter, Tensor):
            for rows in (3, 2):
                x, y = (X[:rows] + np.float32(i)), (Y[:rows] * np.float32(i))
                found = call(make(x), make(y))
                np.testing.assert_array_equal(found.asnumpy(), expected(x, y))
                assert found.requires_grad == (make is parameter and found.shape != (2, 3))


def test_the_tape_is_on_or_off():
    x = ms.Parameter(X, name="x")
    alias = x * 1
    for _ in range(6):
        assert mint.add(alias, alias).requires_grad
        with ms.no_grad():
            assert not mint.add(alias, alias).requires_grad


def test_what_a_program_puts_into_tensors_is_asked():
    @composite
    def flat(x: Tensor):
        return x.reshape(12)

    x = Tensor(X)
    for _ in range(5):
        flat(x)
    plain, met = Tensor.reshape, []

    def reshape(self, *shape):
        met.append(shape)
        return plain(self, *shape)

    Tensor.reshape = reshape
    try:
        assert flat(x).shape == flat(x).shape == (12,) and met == [(12,), (12,)]
    finally:
        Tensor.reshape = plain
    for _ in range(5):
        assert flat(x).shape == (12,)
    assert met == [(12,), (12,)]


def test_a_view_follows_what_is_written():
    base = Tensor(X)
    view = base[1]
    for i in range(6):
        base[1, 0] = float(i)
        np.testing.assert_array_equal(mint.add(view, view).asnumpy(), 2 * base.asnumpy()[1])


def test_threads_learn_together():
    """None of the calls that a front knows is one that was never made."""

    @composite
    def shifted(x: Tensor, by: int):
        return x + by

    def run() -> None:
        for _ in range(3):
            for by in range(40):
                assert shifted(Tensor(X), by)[0, 0].item() == by

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    run()


def test_what_is_kept_of_views_of_parameters_is_theirs():
    """A write to a view of a Parameter is an effect, one to a view of another tensor a step of its history."""
    for _ in range(5):
        weight = ms.Parameter(X[0], name="weight")
        (weight[1:3]).mul_(2)
    for _ in range(3):
        x = Tensor(X[0])
        x.requires_grad = True
        whole = x * 1
        whole[1:3].mul_(2)
        (whole * whole).sum().backward()
        scale = np.array([1, 2, 2, 1], np.float32)
        np.testing.assert_array_equal(x.grad.asnumpy(), 2 * X[0] * scale * scale)
