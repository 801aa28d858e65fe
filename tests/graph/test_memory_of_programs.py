"""How much memory compiled programs take: no more than the same operators one by one, kept between calls, given back."""

from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, ops
from anfora.graph.lower.blocks import LEAST, Blocks, blocks

SIDE = 512  #: a matrix is 1 MiB
MATRIX = SIDE * SIDE * 4


def matrix(seed=0):
    return Tensor(np.random.default_rng(seed).standard_normal((SIDE, SIDE)).astype(np.float32))


def chain(x, w):
    for _ in range(24):
        x = ops.softmax(x @ w, -1)
    return x


def views(x, w):
    for _ in range(24):
        x = ops.softmax(ops.transpose(x, (1, 0)) @ w, -1)
    return x


def gradients(x, w):
    return ms.grad(lambda x: (chain(x, w) * w).sum())(x)


def writes(x, w):
    y = x + 0.0
    for _ in range(24):
        y.add_(ops.softmax(y @ w, -1))
    return y


def training(x, w):
    """What the tape has kept is free when the weights are written to, though the value and functions inside lead to it."""
    weights = [w + float(i) for i in range(12)]

    def loss(*weights):
        y = x
        for weight in weights:

            def times_weight(value):
                return value @ weight  # noqa: B023

            y = ops.softmax(times_weight(y), -1)
        return (y * x).sum()

    value, found = ms.value_and_grad(loss, tuple(range(12)))(*weights)
    changes = [ops.tanh(each) for each in found]
    for weight, change in zip(weights, changes):
        weight.sub_(change)
    return weights[0] + value


def peak(function, *args):
    """The most memory that numpy has had at a time during a call, in matrices, and what the call gave."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        result = function(*args)
        return (tracemalloc.get_traced_memory()[1] - before) / MATRIX, result.asnumpy()
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("function", [chain, views, gradients, writes, training])
def test_the_call_that_is_recorded_takes_no_more_memory_than_pynative_mode(function):
    x, w = matrix(1), matrix(2)
    function(x, w)
    plain, wanted = peak(function, x, w)
    first, found = peak(ms.jit(function), x, w)
    assert np.array_equal(found, wanted)
    # what is free is looked for when 1 MiB has come, or a 64th of what lives; the recording itself takes some, too
    assert first <= plain * (1 + 1 / 64) + 4


def test_a_value_that_something_still_holds_is_not_forgotten():
    """A view, a closure, a list and a history: each alone holds a value while others come and go."""

    def program(x, w):
        first = ops.softmax(x @ w, -1)
        view, held = first[3], [ops.tanh(first)]
        del first
        for _ in range(24):
            x = ops.softmax(x @ w, -1)
        held.append(view * 2)
        return x + held[0] + held[1]

    x, w = matrix(1), matrix(2)
    wanted, compiled = program(x, w).asnumpy(), ms.jit(program)
    for _ in range(3):
        assert np.array_equal(compiled(x, w).asnumpy(), wanted)


def test_an_arena_is_taken_from_the_call_before():
    x, w = matrix(1), matrix(2)
    compiled = ms.jit(chain, fullgraph=True)
    gc.collect()  # the programs of other tests, and the larger blocks that they have left
    for _ in range(3):
        wanted = compiled(x, w).asnumpy().copy()
    assert blocks.nbytes >= LEAST
    taken, found = peak(compiled, x, w)
    assert taken < 1.5  # the result
    assert np.array_equal(found, wanted)
    results = [compiled(matrix(i), w) for i in range(4)]
    for i, result in enumerate(results):  # none lies in memory that the next call uses
        assert np.array_equal(result.asnumpy(), chain(matrix(i), w).asnumpy())


def test_programs_that_are_dropped_give_their_memory_back():
    class Program:
        pass

    small, large, kept = Program(), Program(), Blocks(limit=10 << 20)
    kept.expect(small, 1 << 20)
    kept.expect(large, 4 << 20)
    block = kept.take(4 << 20)
    kept.put_back(block)
    assert kept.take(1 << 20) is block  # larger than asked for, and there
    kept.put_back(block)
    del large
    gc.collect()
    assert kept.nbytes == 0
    kept.put_back(block)  # came back from a call that was running
    assert kept.nbytes == 0
    kept.put_back(kept.take(1 << 20))
    assert kept.nbytes == 1 << 20
    del small
    gc.collect()
    assert kept.nbytes == 0


def test_what_is_kept_is_bounded():
    class Program:
        pass

    program, kept = Program(), Blocks(limit=10 << 20)
    kept.expect(program, 4 << 20)
    taken = [kept.take(4 << 20) for _ in range(5)]  # five calls at once
    assert len({block.__array_interface__["data"][0] for block in taken}) == 5
    for block in taken:
        kept.put_back(block)
    assert kept.nbytes == 8 << 20


def test_threads_have_arenas_of_their_own():
    w, compiled = matrix(2), ms.jit(chain, fullgraph=True)
    given = [matrix(i) for i in range(4)]
    wanted = [chain(x, w).asnumpy() for x in given]
    for _ in range(3):
        compiled(given[0], w)
    wrong = []

    def work(i):
        for _ in range(5):
            if not np.array_equal(compiled(given[i], w).asnumpy(), wanted[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_tensor_whose_end_the_program_would_notice_is_not_forgotten():
    """What a weak reference calls runs between two calls of the program, not in the middle of an operator."""
    ended = []

    def program(x, w):
        first = ops.softmax(x @ w, -1)
        watch = weakref.ref(first, lambda _: ended.append(len(ended)))
        total = first + 1
        del first
        for _ in range(24):
            total = ops.softmax(total @ w, -1)
        del watch
        return total

    x, w = matrix(1), matrix(2)
    wanted = program(x, w).asnumpy()
    compiled = ms.jit(program)
    for _ in range(3):
        assert np.array_equal(compiled(x, w).asnumpy(), wanted)
