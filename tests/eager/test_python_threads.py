"""Python threads: each has its own tape switch, and calls of the same operators at the same time do not meet."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, grad, no_grad, ops


@pytest.fixture
def quick_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def in_threads(count, work):
    """Run work(number) in so many threads; what they raised."""
    errors = []

    def guarded(number):
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_gradients_in_eight_threads_at_once(quick_switches):
    def values(number, times):
        """Values and gradients of operators with ever new shapes, so that calls are planned while others run."""
        random = np.random.default_rng(number)
        found = []
        for size in range(1, times):
            a = Tensor(random.standard_normal((size % 7 + 1, 5)).astype(np.float32))
            found.append(grad(lambda x: (x * x * x).sum() + ops.softmax(x, -1).max())(a).asnumpy())
            leaf = Tensor(a.asnumpy().copy()).requires_grad_()
            (leaf @ leaf.T).sum().backward()
            found.append(leaf.grad.asnumpy())
            with no_grad():
                assert not (leaf * leaf).requires_grad
            assert (leaf * leaf).requires_grad
            leaf_twin = leaf * 1.0
            leaf_twin[0] = 2.0
            found.append(leaf_twin.asnumpy().copy())
        return found

    expected = [values(number, 60) for number in range(8)]
    together = [None] * 8

    def work(number):
        together[number] = values(number, 60)

    assert not in_threads(8, work)
    for wanted, found in zip(expected, together):
        for one, other in zip(wanted, found):
            np.testing.assert_array_equal(one, other)


def test_no_grad_is_of_one_thread():
    inside, checked = threading.Event(), threading.Event()
    x = Tensor([2.0]).requires_grad_()

    def work(number):
        if number:
            with no_grad():
                inside.set()
                assert checked.wait(60)
                assert not (x * x).requires_grad
        else:
            assert inside.wait(60)
            try:
                assert (x * x).requires_grad
            finally:
                checked.set()

    assert not in_threads(2, work)
    assert (x * x).requires_grad


def test_large_operators_in_eight_threads_share_the_pool(quick_switches):
    before = ms.get_num_threads()
    ms.set_num_threads(3)
    try:
        inputs = [Tensor(np.random.default_rng(i).standard_normal((200, 300)).astype(np.float32)) for i in range(8)]
        expected = [(x @ x.T).asnumpy() for x in inputs]

        def work(number):
            for _ in range(10):
                np.testing.assert_array_equal((inputs[number] @ inputs[number].T).asnumpy(), expected[number])

        assert not in_threads(8, work)
    finally:
        ms.set_num_threads(before)
