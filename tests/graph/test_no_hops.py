"""Plain programs that the interpreter has no part in: each gives what Python gives, call after call, and has no hop."""

from __future__ import annotations

import copy
import dataclasses
import enum
import operator

import numpy as np
import pytest
from outcomes import hops, outcome

import anfora as ms
from anfora import Parameter, Tensor, jit, nn, ops


def t(*numbers):
    return Tensor(np.array(numbers, np.float32))


def check(function, calls, recordings=8):
    """Compiled, it gives what Python gives: values, or errors; with no hop, and not compiled again and again."""
    compiled = jit(function)
    for arguments in calls:
        assert outcome(compiled, *copy.deepcopy(arguments)) == outcome(function, *copy.deepcopy(arguments))
    assert compiled.program.native is None and not hops(compiled)
    assert compiled.program.recordings <= recordings
    return compiled


class Color(enum.Enum):
    RED = 1
    BLUE = 2

    @property
    def weight(self):
        return self.value * 10


@dataclasses.dataclass
class Pair:
    left: object
    right: object = 2


first, largest, shape_of = operator.itemgetter(0), operator.methodcaller("max"), operator.attrgetter("shape", "dtype")


# -- Python -----------------------------------------------------------------------------------------------------------


def getters(x, y):
    swap = operator.itemgetter(1, 0)
    total = operator.methodcaller("sum", axis=0, keepdims=True)
    return first([x, y]), swap((x, y)), largest(x), shape_of(x), total(y), list(map(operator.itemgetter(1), [(1, x)]))


def members(x, y):
    scale = sum(color.value for color in Color)
    return x * scale, [color.name for color in Color], Color(2) is Color.BLUE, len(Color), next(iter(Color)).weight


def matched(x, y):
    told = []
    for value in (3, "s", x, Pair(x, y), Pair(1), [x, 2], None, 2.5):
        match value:
            case int(n):
                told.append(n)
            case str():
                told.append("text")
            case Tensor():
                told.append(value * 2)
            case Pair(Tensor() as left, right=Tensor()):
                told.append(left)
            case Pair(left, 2):
                told.append(("pair", left))
            case [Tensor(shape=shape), _]:
                told.append(shape)
            case None:
                told.append("none")
            case _:
                told.append("other")
    return told


def imports(x, y):
    import math
    import os.path
    from math import floor as down

    return x * math.pi, down(2.5), os.path.sep


def spread_operands(x, y):
    pair = [x, y]
    return ops.minimum(*pair), ops.add(*(x, y)), dict.fromkeys("ab", 0)


# -- tensors ----------------------------------------------------------------------------------------------------------


def copies(x, y):
    before = Tensor(x), ms.tensor(x), copy.copy(x), copy.deepcopy(y), Tensor([x[0], y[1]]), ms.Tensor((x, y))
    x[0] = 9.0
    return before, x


def of_lists(x, y):
    rows = [x, y * 2]
    stacked = Tensor(rows)
    rows[0] = y
    return stacked, Tensor([row.sum() for row in rows])


@pytest.mark.parametrize("function", [getters, members, matched, imports, spread_operands, copies, of_lists])
def test_a_plain_program(function):
    calls = [(t(1, 2), t(3, 4)), (t(-1, 0), t(-0.0, 5)), (t(1, 2, 3), t(3, 2, 1)), (t(1, 2), t(3, 4))]
    check(function, calls)


def test_a_tensor_of_a_number_that_varies():
    def f(x, rate, n):
        return x * Tensor(rate), Tensor(n), ms.tensor(rate).dtype, Tensor(n).dtype, Tensor(rate * 2)

    rates = [0.1, -0.0, float("inf"), 1e300, float("nan"), 1e-50, 3.0]
    check(f, [(t(1, 2), rate, 3 * n) for n, rate in enumerate(rates)])


def test_a_getter_from_outside_may_change():
    held = [operator.itemgetter(0)]

    def f(x, y):
        return held[0]((x, y)) * 2

    compiled = jit(f)
    for index in (0, 1, 0, -1):
        held[0] = operator.itemgetter(index)
        assert outcome(compiled, t(1, 2), t(3, 4)) == outcome(f, t(1, 2), t(3, 4))


def test_an_import_of_what_is_replaced(monkeypatch):
    import sys
    import types

    def f(x):
        import made_for_a_test
        from made_for_a_test import rate

        return x * made_for_a_test.rate, rate

    def g(x):
        from made_for_a_test import missing

        return x * missing

    compiled, fails = jit(f), jit(g)
    for rate in (1, 1, 2):
        module = types.ModuleType("made_for_a_test")
        module.rate = rate
        monkeypatch.setitem(sys.modules, "made_for_a_test", module)
        assert outcome(compiled, t(1, 2)) == outcome(f, t(1, 2))
        assert outcome(fails, t(1, 2)) == outcome(g, t(1, 2))
    module.rate = 5
    assert outcome(compiled, t(1, 2)) == outcome(f, t(1, 2))
    del module.rate
    assert outcome(compiled, t(1, 2)) == outcome(f, t(1, 2))
    monkeypatch.delitem(sys.modules, "made_for_a_test")
    assert outcome(compiled, t(1, 2)) == outcome(f, t(1, 2))


def test_copies_of_tensors_with_a_history():
    def f(x):
        return Tensor(x), copy.copy(x)

    for function in (f, jit(f)):
        x = t(1, 2).requires_grad_()
        made, copied = function(x)
        assert (made.requires_grad, copied.requires_grad) == (False, True)
        plain = t(1, 2)
        plain.note = "kept"
        assert function(plain)[1].note == "kept"


def test_parameters_get_new_values():
    def make():
        w = Parameter(t(1, 2), name="w")
        part = w[:1]

        def f(x, data):
            before = w * 1
            same = w.set_data(x * 2) is w
            w.set_data(w + data)
            ops.assign(w, w * 2)
            return before, w * 1, part * 1, same

        return f, w

    (plain, p), (own, w) = make(), make()
    compiled = jit(own)
    for n in range(4):
        assert outcome(compiled, t(n, 1), t(1, n)) == outcome(plain, t(n, 1), t(1, n))
        assert outcome(lambda w: w * 1, w) == outcome(lambda p: p * 1, p)
    assert not hops(compiled)
    for bad in (t(1, 2, 3), Tensor([1, 2]), [1.0, 2.0], 3):  # of another shape, converted, no tensors

        def one(x, v=bad):
            return w.set_data(v) * x

        assert outcome(jit(one), t(1, 2)) == outcome(one, t(1, 2))


def test_a_value_that_a_tape_needs_is_overwritten_by_set_data():
    def f(w, x):
        y = w * w
        w.set_data(x)
        return y.sum()

    for function in (f, jit(f)):
        w, expected = Parameter(t(1, 2), name="w"), [2.0, 4.0]
        for _ in range(4):
            w.grad = None
            function(w, t(3, 4)).backward()
            assert w.grad.tolist() == expected and w.tolist() == [3.0, 4.0]  # 2 w with what w was
            expected = [6.0, 8.0]


# -- random numbers, gradients ----------------------------------------------------------------------------------------


def test_random_numbers_behind_what_may_fail():
    def f(x, index):
        y = ops.gather(x, index, 0)
        return ops.bernoulli(ops.sigmoid(y)), ops.rand(2), ops.gather(x, index, 0) + ops.randn(1)

    calls = [(t(1, 2), Tensor([0, 1])), (t(3, 2), Tensor([1, 1])), (t(3, 2), Tensor([0, 5])), (t(3, 2), Tensor([1, 0]))]
    told = []
    compiled = jit(f)
    for function in (f, compiled):
        ms.set_seed(5)
        told.append([outcome(function, *each) for each in calls])
    assert told[0] == told[1] and not hops(compiled)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2)
        self.dense.weight.set_data(Tensor([[1.0, 2.0], [3.0, 4.0]]))
        self.dense.bias.set_data(Tensor([0.5, -0.5]))

    def construct(self, x):
        return ops.tanh(self.dense(x))


def test_gradients_beside_tensors_with_a_history():
    def make():
        net = Net()
        weights = net.trainable_params()

        def f(x):
            before = net(x).sum()  # has a history, as has what comes last
            step = ms.value_and_grad(lambda v: (net(v) * v).sum(), 0, weights)
            loss, (dx, dw) = step(x)
            inner = ms.grad(lambda v: net(v).sum())(x + dx)
            return before, loss, dx, dw, inner, net(x + 0.1 * ops.sign(dx)).sum()

        return f, net

    (plain, p), (own, n) = make(), make()
    compiled = jit(own)
    for k in range(4):
        x = t(k, 1).reshape(1, 2)
        results = own_result, plain_result = compiled(x), plain(x)
        assert outcome(lambda r: r, own_result) == outcome(lambda r: r, plain_result)
        assert [value.requires_grad for value in own_result[:2]] == [value.requires_grad for value in plain_result[:2]]
        for result in results:
            (result[0] * 2 + result[-1]).backward()
        grads = [[w.grad.asnumpy().tolist() for w in net.trainable_params()] for net in (n, p)]
        assert grads[0] == grads[1]
    assert not hops(compiled)


def test_a_step_that_updates_parameters():
    def make():
        net = Net()
        weights = net.trainable_params()
        step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, weights)

        def f(x, y):
            loss, gradients = step(x, y)
            for w, g in zip(weights, gradients):
                ops.assign(w, w - 0.1 * g)
            return loss, [w * 1 for w in weights]

        return f

    plain, compiled = make(), jit(make())
    for k in range(4):
        x, y = t(k, 1, 2, 3).reshape(2, 2), Tensor([k % 2, 1])
        assert outcome(compiled, x, y) == outcome(plain, x, y)
    assert not hops(compiled)


def test_numpy_is_given_numbers_that_are_read():
    """`np.log(2 * np.pi)` follows from what is known as long as it stays; what has changed is the interpreter's."""

    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale = 0.5

        def construct(self, x):
            return x * np.exp(self.scale) + np.log(2 * np.pi)

    net = Scaled()
    compiled = jit(net.construct)
    for _ in range(3):
        assert outcome(compiled, t(1, 2)) == outcome(net.construct, t(1, 2))
    assert not hops(compiled) and compiled.program.recordings == 1
    for scale in (0.25, 0.125, 1.5, 2.5, -1.0, 3.0):
        net.scale = scale
        assert outcome(compiled, t(1, 2)) == outcome(net.construct, t(1, 2))
    assert compiled.program.recordings <= 3
